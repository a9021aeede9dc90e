//! Ends of a path, and the path as a result.

use crate::UNREACHED;
use crate::outcome::{Outcome, Scalar};
use crate::params::{Kind, Param, Preset};
use crate::session::Session;
use outcrop_engine::Engine;
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexValues};

/// Number of vertices of a path that a plan has memory for.
const PLANNED: u32 = 1 << 16;

/// Target of a path.
pub(super) static TARGET: Param<Vec<String>> =
    Param::new("target", Kind::Id, Preset::None(""), "Target vertex").needed("");

/// Ends of a path.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) source: VertexId,
    pub(super) target: VertexId,
}

impl Ends {
    /// Returns the source and the target of a run.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if the run has other sources.
    pub(super) fn of(run: &Session<'_>) -> Result<Self> {
        match run.sources {
            [source, target] => Ok(Self { source: *source, target: *target }),
            _ => Err(Error::internal("a path has two ends")),
        }
    }
}

/// Returns the memory of the ranks of a path.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, VertexValues::<u32>::bytes(vertices.min(PLANNED).into()))
}

/// Returns a path of `length` vertices that are not known yet.
///
/// # Errors
///
/// Returns an error if the budget is too small.
pub(super) fn blank(engine: &Engine<'_>, length: usize) -> Result<VertexValues<u32>> {
    VertexValues::new(engine.budget(), Purpose::VertexValues, length, |_| UNREACHED)
}

/// Returns the result of a search that found `path`, which is empty if there is none.
pub(super) fn outcome(path: VertexValues<u32>, distance: Scalar, iterations: u32) -> Outcome {
    Outcome { path: Some(path), values: vec![distance], ..Outcome::new(Vec::new(), iterations) }
}
