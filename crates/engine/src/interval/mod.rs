//! Programs on the values of vertices, interval by interval (Xu, Wang, Jiang et al., *LOSC*, JPDC 172, 2023; L2, L5,
//! L7, L8).
//!
//! Vertices are split into intervals. Values are in memory, or in temporary files if they do not fit: the lists of one
//! interval at a time are then constructed in memory, and the values of all vertices stream by in windows, so that
//! values are never read at random. Lists come from any layout by `sweep` and `select`.

mod cursors;
mod engine;
mod fold;
mod gather;
mod intervals;
mod program;
mod propagation;
mod requirements;
mod scan;
mod sources;
mod update;
mod windows;

pub use engine::{IntervalEngine, IntervalSetup};
pub use program::IntervalProgram;
pub use requirements::{Constructs, IntervalRequirements};
pub use sources::Sources;
