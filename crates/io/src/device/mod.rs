//! Files to read from, with any available I/O backend.

mod arena;
mod contract;
mod counting;
mod faulty;
mod file;
mod open;
mod pread;
mod queue;
mod slices;
#[cfg(target_os = "linux")]
mod trial;
#[cfg(target_os = "linux")]
mod uring;

pub use contract::{Backend, Device, IoChoice, ReadRequest, ReadSource, Reader};
pub use counting::{CountingDevice, IoCounters};
pub use faulty::{Fault, FaultyDevice, PlannedFault};
pub use file::Refusals;
pub(crate) use open::open_device_at;
pub use open::{open_device, open_device_refusing};
pub use slices::MemoryDevice;
