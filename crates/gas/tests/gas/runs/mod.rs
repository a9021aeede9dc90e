//! Runs of programs.

pub mod answers;
pub mod arrivals;
pub mod colors;
pub mod delays;
pub mod edges;
pub mod faults;
pub mod figures;
pub mod limits;
pub mod rounds;
pub mod threads;
