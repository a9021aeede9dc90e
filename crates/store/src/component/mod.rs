//! Component files: sequences of checksummed units.

mod file_entry;
mod reader;
mod unit;
mod writer;

pub use file_entry::FileEntry;
pub use reader::{Component, ComponentReader};
pub use unit::{PAYLOAD_BYTES, StoreId, UNIT_BYTES, UNIT_HEADER_BYTES, UnitSeal, units_for};
pub use writer::ComponentWriter;
