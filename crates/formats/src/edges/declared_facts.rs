//! Statements of files about their graphs.

use outcrop_store::writing::IdKind;
use outcrop_types::TimeRule;
use std::ops::RangeInclusive;

/// Statements of a file about its graph, known before its edges are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredFacts {
    /// Kind of its IDs.
    pub(crate) id_kind: Option<IdKind>,
    /// Number of edges that the reader will return.
    pub(crate) edges: Option<u64>,
    /// IDs that are vertices even without edges.
    pub(crate) vertices: Option<RangeInclusive<u64>>,
    /// True if its edges are directed.
    pub(crate) directed: Option<bool>,
    /// Rule of the times that the reader returns.
    pub(crate) times: Option<TimeRule>,
}
