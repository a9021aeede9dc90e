//! Checkpoints: the state of a run in a file, from which it goes on where it was stopped (decision 0038).
//!
//! An algorithm says between two of its rounds what its state is: [`crate::Shell::checkpoint`] calls it with a
//! [`State`], which takes down everything that it is shown, or fills it from the file. Where that is not due, nothing
//! is looked at. Results of runs that the next goes on from after updates are kept in the same way (decision 0041).

mod keeper;
mod results;
mod saved;
mod state;

pub use keeper::{Checkpoints, SavedStates};
pub use results::{Changes, LastResult, Repair};
pub use state::{SharedBits, State};

#[cfg(test)]
mod tests;
