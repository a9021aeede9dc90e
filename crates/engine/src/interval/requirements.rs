//! Requirements of a program, and the memory of an engine.

use super::cursors::Cursors;
use crate::frontier::FrontierBuilder;
use crate::interval_lists::IntervalLists;
use outcrop_io::ValueFile;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, VertexSet, VertexValues};

/// Lists of an interval to construct in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constructs {
    /// No lists: with values in memory, gathers and propagations fold lists as they arrive.
    Nothing,
    /// Lists of one direction: a gather or a propagation along edges, with values on disk.
    One(Direction),
    /// Lists of both directions: an update, or a propagation in both directions with values on disk.
    Both,
}

/// Requirements of a program.
#[derive(Clone, Copy, Debug)]
pub struct IntervalRequirements {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// True if values are on disk.
    pub on_disk: bool,
    /// Lists of an interval to construct.
    pub constructs: Constructs,
    /// True if programs read weights.
    pub weighted: bool,
    /// Bytes per value of the widest vector.
    pub value_bytes: u64,
    /// Bytes per vertex of the current interval: its Latest-copy, or its `Sum` with values on disk; the larger if both
    /// exist.
    pub copy_bytes: u64,
    /// True if there are active vertices: a propagation or an update.
    pub active: bool,
    /// True if a pass reads out-degrees.
    pub degrees: bool,
    /// True if a pass reads a third vector, of 8 bytes per value.
    pub third: bool,
}

/// Minimum and maximum bytes per window of values on disk. Two minimum windows fit two 8-byte values and a degree per
/// vertex of a block.
const WINDOW: (u64, u64) = (80 << 10, 8 << 20);
/// Minimum bytes per window if a pass reads a third vector: two fit three 8-byte values per vertex of a block.
const LEAST_WITH_THIRD: u64 = 96 << 10;
/// Number of windows: one is read while another is used.
const WINDOWS: u64 = 2;
/// A window takes one part in this many of the memory. With smaller windows, the lists of an interval are scanned more
/// often; with larger ones, there are more intervals. With 16 entries per list and 8 bytes per vertex, both cost about
/// the same.
const WINDOW_PART: u64 = 8;
/// Maximum number of vectors of values on disk.
const VECTORS: u64 = 3;
/// Minimum size of constructed lists, in bytes.
const LEAST_LISTS: u64 = 256 << 10;
/// Default number of intervals with values in memory.
const INTERVALS: u32 = 8;
/// Minimum number of vertices per interval if values are in memory.
const LEAST_INTERVAL: u32 = 1 << 16;

impl IntervalRequirements {
    /// Returns the minimum memory of an engine, without lists and vectors. Long lists need more.
    pub fn least(&self) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::Frontier, self.frontier_bytes())
            .with(Purpose::IoBuffers, self.reader_bytes(self.readers()) + self.window_bytes(0) * self.windows())
            .with(Purpose::Degrees, self.degree_bytes())
            .with(Purpose::HeldLists, self.least_interval_bytes())
    }

    /// Returns the minimum bytes of an interval, for any memory size.
    pub(super) fn least_interval_bytes(&self) -> u64 {
        match (self.constructs, self.on_disk) {
            (Constructs::Nothing, false) => u64::from(self.longest_interval().min(self.vertices)) * self.copy_bytes,
            _ => LEAST_LISTS,
        }
    }

    /// Returns the bytes of frontiers: the current one, the one being collected, and bits of the offering vertices.
    pub(super) const fn frontier_bytes(&self) -> u64 {
        if !self.active {
            return 0;
        }
        VertexSet::bytes(self.vertices) + FrontierBuilder::bytes(self.vertices) + BitSet::bytes(self.vertices)
    }

    /// Returns the bytes of degrees cached with values in memory.
    pub(super) const fn degree_bytes(&self) -> u64 {
        if self.degrees && !self.on_disk { VertexValues::<u32>::bytes(self.vertices as u64) } else { 0 }
    }

    /// Returns the number of degree readers.
    const fn readers(&self) -> u64 {
        match self.constructs {
            Constructs::Nothing => self.degrees as u64,
            Constructs::One(Direction::In) => 1 + self.degrees as u64,
            Constructs::One(Direction::Out) => 1,
            Constructs::Both => 2,
        }
    }

    /// Returns the bytes for the buffers of `readers` degree readers and for the in-memory part of values on disk.
    pub(super) const fn reader_bytes(&self, readers: u64) -> u64 {
        let values = self.vertices as u64 * self.value_bytes;
        let files = ValueFile::<u64>::FILL_BYTES + VECTORS * ValueFile::<u64>::checksum_bytes(values);
        readers * DegreeReader::MEMORY_BYTES + if self.on_disk { files } else { 0 }
    }

    pub(super) const fn windows(&self) -> u64 {
        if self.on_disk { WINDOWS } else { 0 }
    }

    /// Returns the bytes per window of an engine with `memory` bytes.
    pub(super) fn window_bytes(&self, memory: u64) -> u64 {
        let least = self.least_window();
        let whole = (u64::from(self.vertices) * self.value_bytes).next_multiple_of(least);
        (memory / WINDOW_PART / least * least).clamp(least, WINDOW.1).min(whole.max(least))
    }

    /// Like [`Self::window_bytes`], with at most `room` bytes for all windows, but at least the minimum.
    pub(super) fn window_bytes_within(&self, memory: u64, room: u64) -> u64 {
        let least = self.least_window();
        let each = room / WINDOWS / least * least;
        self.window_bytes(memory).min(each).max(least)
    }

    const fn least_window(&self) -> u64 {
        if self.third { LEAST_WITH_THIRD } else { WINDOW.0 }
    }

    /// Returns the maximum number of vertices per interval.
    pub(super) fn longest_interval(&self) -> u32 {
        if self.on_disk { u32::MAX } else { self.vertices.div_ceil(INTERVALS).max(LEAST_INTERVAL) }
    }

    /// Returns the memory of an interval of one vertex with these entries per constructed direction: the minimum
    /// interval.
    pub fn one_vertex_bytes(&self, entries: &[u64]) -> u64 {
        self.interval_bytes(1, entries)
    }

    /// Returns the memory of an interval with `vertices` vertices and these entries per constructed direction.
    pub(super) fn interval_bytes(&self, vertices: u64, entries: &[u64]) -> u64 {
        // Offsets, and cursors if values come in windows.
        let cursors = if self.on_disk { vertices * Cursors::BYTES } else { 0 };
        let lists = |entries: &u64| IntervalLists::bytes(vertices, *entries, self.weighted) + cursors;
        vertices * self.copy_bytes + entries.iter().map(lists).sum::<u64>()
    }
}
