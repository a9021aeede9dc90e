//! Iterations, and shadow iterations between them.

mod apply;
mod gather;
mod run;
mod scatter;
mod shadow;
mod state;
mod workspace;

pub use run::GasResult;
