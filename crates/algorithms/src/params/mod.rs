//! Parameters of algorithms and engines. The options of the command line, the functions of the Python package,
//! validation, the reference pages and run records are derived from their tables.

mod arg;
mod args;
mod choice;
pub mod engine;
mod given;
mod kind;
mod options;
mod param;
pub mod shared;

pub use arg::{Arg, FromArg};
pub use args::Args;
pub use choice::Choice;
pub(crate) use choice::choices;
pub use given::{InputVector, Personalization};
pub use kind::{Bounds, Kind};
pub use options::{gas_options, message_options};
pub use param::{Group, InPython, Param, ParamInfo, Preset, WEIGHT};
