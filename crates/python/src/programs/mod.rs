//! Programs whose functions are Python functions of arrays.

mod functions;
mod gas;
mod gas_program;

pub(crate) use functions::Functions;
pub(crate) use gas::ArrayGas;
