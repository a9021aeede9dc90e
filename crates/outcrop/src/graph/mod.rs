//! Open graphs: for one call, or warm between calls.

mod handle;
mod open;
mod window;

pub use handle::Handle;
pub(crate) use open::threads_or_cores;
pub use open::{Graph, OpenOptions};
pub use window::{Window, WindowGraph, build_window, times_of};
