//! Component files: sequences of checksummed units.

mod checksummed_unit;
mod file_entry;
mod kept_units;
mod reader;
mod writer;

pub use checksummed_unit::{PAYLOAD_BYTES, StoreId, UNIT_BYTES, UnitSeal};
pub(crate) use checksummed_unit::{UNIT_HEADER_BYTES, units_for};
pub use file_entry::FileEntry;
pub use reader::{Component, ComponentReader};
pub use writer::ComponentWriter;
