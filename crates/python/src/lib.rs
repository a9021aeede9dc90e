//! The extension module behind the Python package `outcrop`: handles and texts, which the package turns into a typed
//! interface.
#![deny(unsafe_code, reason = "pyo3's macros contain unsafe code of their own, which `forbid` would refuse")]
#![warn(unreachable_pub)]

mod arguments;
mod batches;
mod capacity;
mod command;
mod edges;
mod error;
mod events;
mod fork;
mod generate;
mod graph;
mod programs;
mod queries;
mod result;
mod stores;
mod work;

use pyo3::prelude::*;

/// Values of vertices are read in no order, which plain pages slow down.
#[global_allocator]
static ALLOCATOR: outcrop::HugePageAllocator = outcrop::HugePageAllocator;

/// The extension module of the package `outcrop`; not for use by itself.
#[pymodule]
mod _outcrop {
    #[pymodule_export]
    use super::arguments::{argument_here, names_groups, relatives, vertex_arguments};
    #[pymodule_export]
    use super::batches::Batches;
    #[pymodule_export]
    use super::capacity::capacity;
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::generate::{calibrate, generate};
    #[pymodule_export]
    use super::graph::GraphHandle;
    #[pymodule_export]
    use super::queries::{AnswerStream, Sweep};
    #[pymodule_export]
    use super::result::ResultHandle;
    #[pymodule_export]
    use super::stores::temporary::{TemporaryHandle, require_own_place};
    #[pymodule_export]
    use super::stores::{build::build, convert::convert, update::update, window::build_window, window::windows};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
