//! Entry of the layout in the manifest.

use super::settings::CsrSettings;
use crate::layout::paged_lists::BLOCK_VERTICES;
use outcrop_types::{Direction, EdgeIndex, VertexId};
use serde::{Deserialize, Serialize};

/// A run of vertices whose lists begin on a page of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The first vertex; the interval ends where the next begins.
    pub first_vertex: VertexId,
    /// The page of the edge file in which its first list begins.
    pub first_unit: u64,
}

/// Manifest entry of one direction of the `csr` layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsrEntry {
    /// Direction of the lists.
    pub direction: Direction,
    /// List entries over all vertices.
    pub arcs: EdgeIndex,
    /// Bytes of a page of the edge file; not written before version 3.
    #[serde(default = "page_of_earlier_versions")]
    pub page_bytes: u32,
    /// The vertex intervals, ascending.
    pub intervals: Vec<Interval>,
}

const fn page_of_earlier_versions() -> u32 {
    CsrSettings::DEFAULT_PAGE
}

impl CsrEntry {
    /// Settings of the layout.
    pub const fn settings(&self) -> CsrSettings {
        CsrSettings { page_bytes: self.page_bytes }
    }

    /// Refuses figures that contradict each other, with what is wrong.
    pub(crate) fn validate(&self, vertices: u32) -> Result<(), String> {
        let name = self.direction.name();
        self.settings().validate().map_err(|_| format!("the page size of its {name}-lists is invalid"))?;
        validate_intervals(self, vertices)
    }
}

fn validate_intervals(entry: &CsrEntry, vertices: u32) -> Result<(), String> {
    let ascending =
        entry.intervals.is_sorted_by(|a, b| a.first_vertex < b.first_vertex && a.first_unit <= b.first_unit);
    let starts = entry.intervals.first().is_none_or(|first| first.first_vertex == 0 && first.first_unit == 0);
    let inside = entry.intervals.last().is_none_or(|last| last.first_vertex < vertices);
    let aligned = entry.intervals.iter().all(|interval| interval.first_vertex % BLOCK_VERTICES == 0);
    if ascending && starts && inside && aligned && (entry.intervals.is_empty() == (vertices == 0)) {
        return Ok(());
    }
    Err(format!("the intervals of its {}-lists are not a partition of the vertices", entry.direction.name()))
}
