//! Checkpoints: the state of a run in a file, from which a stopped run is resumed (decision 0038).
//!
//! An algorithm serializes its state between two of its rounds: [`crate::EngineContext::checkpoint`] calls it with a
//! [`State`], which records everything that it is passed, or fills it from the file. If neither is due, the algorithm
//! is not called. Results of runs that incremental runs start from are stored in the same way (decision 0041).

mod keeper;
mod results;
mod saved;
mod state;

pub use keeper::{Checkpoints, SavedStates};
pub use results::{Changes, LastResult, Repair};
pub use state::{SharedBits, State};

#[cfg(test)]
mod tests;
