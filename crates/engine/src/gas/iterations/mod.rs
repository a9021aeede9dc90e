//! Iterations, and shadow iterations between them.

mod run;
mod shadow;
mod state;
mod turn;
mod workspace;

pub use run::GasRan;
