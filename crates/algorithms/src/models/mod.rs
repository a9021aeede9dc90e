//! Needs of programs of each model, and shared types.

pub mod gas;
pub mod interval;
pub mod messages;

pub use gas::{BadValue, GasWork};
pub use interval::{IntervalWork, Place, Real};
pub use messages::MessageWork;
