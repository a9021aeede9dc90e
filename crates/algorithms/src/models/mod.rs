//! Needs of programs of each model, and shared types.

pub mod gas;
pub mod interval;
pub mod messages;

pub use gas::{BadValue, Work as GasWork};
pub use interval::{Place, Real, Work as IntervalWork};
pub use messages::Work as MessageWork;
