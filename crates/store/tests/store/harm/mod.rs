//! Stores that are damaged, interrupted, starved and forged.

pub mod crash;
pub mod damage;
pub mod faults;
pub mod hostile;
pub mod stopped;
pub mod temporary;
