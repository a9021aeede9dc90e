//! Statements of files about their graphs.

use outcrop_store::writing::IdKind;
use outcrop_types::TimeRule;
use std::ops::RangeInclusive;

/// Statements of a file about its graph, known before its edges are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The kind of its ids.
    pub(crate) id_kind: Option<IdKind>,
    /// The number of edges that the reader will give.
    pub(crate) edges: Option<u64>,
    /// Ids that are vertices whether or not they have edges.
    pub(crate) vertices: Option<RangeInclusive<u64>>,
    /// True if its edges have a direction.
    pub(crate) directed: Option<bool>,
    /// Rule of the times that the reader gives.
    pub(crate) times: Option<TimeRule>,
}
