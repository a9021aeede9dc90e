//! Purposes of memory, and memory plans with the bytes per purpose.

use serde::{Deserialize, Serialize};

/// Purpose of memory, shown to the user in errors, estimates and run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Values per vertex, used by an algorithm.
    VertexValues,
    /// Start of each vertex's list.
    Index,
    /// Degrees of all vertices.
    Degrees,
    /// Pending updates of lists.
    Updates,
    /// Sets of active vertices.
    Frontier,
    /// Lists that an algorithm keeps in memory to process them together, and decoded lists.
    HeldLists,
    /// Resident pages of the store.
    PageCache,
    /// Pinned lists of selected vertices.
    StaticCache,
    /// Buffers of reads and writes in flight.
    IoBuffers,
    /// Sort space.
    SortSpace,
    /// Maps between original IDs and vertices.
    IdMap,
    /// Parsed input before it is sorted.
    InputBuffers,
    /// Rows before they are written to a result file or table.
    Results,
}

impl Purpose {
    /// Every purpose, in display order.
    pub const ALL: [Self; 13] = [
        Self::VertexValues,
        Self::Index,
        Self::Degrees,
        Self::Updates,
        Self::Frontier,
        Self::HeldLists,
        Self::PageCache,
        Self::StaticCache,
        Self::IoBuffers,
        Self::SortSpace,
        Self::IdMap,
        Self::InputBuffers,
        Self::Results,
    ];

    /// Returns the description of the purpose.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VertexValues => "vertex values",
            Self::Index => "index",
            Self::Degrees => "degrees",
            Self::Updates => "updates",
            Self::Frontier => "frontier",
            Self::HeldLists => "loaded lists",
            Self::PageCache => "page cache",
            Self::StaticCache => "static cache",
            Self::IoBuffers => "I/O buffers",
            Self::SortSpace => "sort space",
            Self::IdMap => "ID map",
            Self::InputBuffers => "input buffers",
            Self::Results => "results",
        }
    }

    pub(super) const fn slot(self) -> usize {
        self as usize
    }
}

/// Bytes for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryNeed {
    /// Purpose of the bytes.
    pub purpose: Purpose,
    /// Number of bytes.
    pub bytes: u64,
}

/// Needs of a piece of work at its peak, by purpose. The same figures refuse, estimate and describe a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryPlan(Vec<MemoryNeed>);

impl MemoryPlan {
    /// Creates an empty plan.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds `bytes` for `purpose`.
    #[must_use]
    pub fn with(mut self, purpose: Purpose, bytes: u64) -> Self {
        match self.0.iter_mut().find(|need| need.purpose == purpose) {
            Some(need) => need.bytes = need.bytes.saturating_add(bytes),
            None => self.0.push(MemoryNeed { purpose, bytes }),
        }
        self
    }

    /// Returns the sum of both plans, for concurrent needs.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        other.0.iter().fold(self, |plan, need| plan.with(need.purpose, need.bytes))
    }

    /// Returns the larger plan, for phases that do not use memory at the same time.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }

    /// Returns the bytes of all purposes.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, need| sum.saturating_add(need.bytes))
    }

    /// Returns the bytes for one purpose.
    pub fn bytes_for(&self, purpose: Purpose) -> u64 {
        self.0.iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
    }

    /// Returns the needs, in the order in which they were added.
    pub fn needs(&self) -> &[MemoryNeed] {
        &self.0
    }
}
