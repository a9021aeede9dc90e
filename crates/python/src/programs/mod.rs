//! Programs whose functions are Python functions of arrays.

mod gas;
mod gas_program;

pub(crate) use gas::{ArrayGas, Functions};
