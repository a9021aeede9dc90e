//! Statistics of builds and runs, as stored in records.

mod counted;
mod gas;
mod input;
mod messages;

pub use counted::{counted, short_number, thousands};
pub use gas::{GasFigures, GasStepFigures};
pub use input::{FileSummary, HeaderLine, InputSummary, ReadWeight, WeightRounding};
pub use messages::MessageFigures;
