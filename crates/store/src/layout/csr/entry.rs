//! Manifest entry of the layout.

use super::settings::CsrSettings;
use crate::layout::paged_lists::BLOCK_VERTICES;
use outcrop_types::{Direction, EdgeIndex, VertexId};
use serde::{Deserialize, Serialize};

/// Interval of vertices whose lists start on a new page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// First vertex; the interval ends at the start of the next.
    pub first_vertex: VertexId,
    /// Page of the edge file with the start of the first list.
    pub first_unit: u64,
}

/// Manifest entry of one direction of the `csr` layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsrEntry {
    /// Direction of the lists.
    pub direction: Direction,
    /// Number of list entries of all vertices.
    pub arcs: EdgeIndex,
    /// Page size of the edge file, in bytes; not written before version 3.
    #[serde(default = "page_of_earlier_versions")]
    pub page_bytes: u32,
    /// Vertex intervals, ascending.
    pub intervals: Vec<Interval>,
}

const fn page_of_earlier_versions() -> u32 {
    CsrSettings::DEFAULT_PAGE
}

impl CsrEntry {
    /// Returns the settings of the layout.
    pub const fn settings(&self) -> CsrSettings {
        CsrSettings { page_bytes: self.page_bytes }
    }

    /// Rejects inconsistent figures, with a description of the inconsistency.
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
