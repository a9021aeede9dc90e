//! Requirements on an engine, and the memory that it takes.

use super::cursors::Cursors;
use crate::frontier::FrontierBuilder;
use crate::interval_lists::IntervalLists;
use outcrop_io::ValueFile;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, VertexSet, VertexValues};

/// Lists of an interval that are constructed in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constructs {
    /// No lists: with values in memory, gathers and propagations fold lists as they arrive.
    Nothing,
    /// Lists of one direction: a gather or a propagation along edges, with values on disk.
    One(Direction),
    /// Lists of both directions: an update, or a propagation in both directions with values on disk.
    Both,
}

/// Requirements on an engine.
#[derive(Clone, Copy, Debug)]
pub struct IntervalRequirements {
    /// Vertices of the graph.
    pub vertices: u32,
    /// True if values live on disk.
    pub on_disk: bool,
    /// Lists that are constructed of an interval.
    pub constructs: Constructs,
    /// True if programs look at weights.
    pub weighted: bool,
    /// Bytes of a value, of the widest vector.
    pub value_bytes: u64,
    /// Bytes of a vertex of the interval that is processed: its Latest-copy, or on disk its `Sum`; the larger where
    /// there are both.
    pub copy_bytes: u64,
    /// True if there are active vertices: a propagation or an update.
    pub active: bool,
    /// True if a pass looks at out-degrees.
    pub degrees: bool,
    /// True if a pass looks at a third vector, of 8 bytes a value.
    pub third: bool,
}

/// The least and the most bytes of a window of values on disk. Two of the least hold two values of 8 bytes and a degree
/// of a block.
const WINDOW: (u64, u64) = (80 << 10, 8 << 20);
/// The least bytes of a window where a pass looks at a third vector: two hold three values of 8 bytes of a block.
const LEAST_WITH_THIRD: u64 = 96 << 10;
/// Windows at a time: one is read while another is used.
const WINDOWS: u64 = 2;
/// A window's part of the memory: with smaller ones the lists of an interval are looked at more often, with larger ones
/// there are more intervals. Where lists have 16 entries and windows 8 bytes a vertex, either way costs about the same.
const WINDOW_PART: u64 = 8;
/// Vectors of values that a program has on disk at the most.
const VECTORS: u64 = 3;
/// Least size of constructed lists, in bytes.
const LEAST_LISTS: u64 = 256 << 10;
/// Intervals of a graph whose values are in memory, where nothing else bounds them.
const INTERVALS: u32 = 8;
/// Minimum number of vertices per interval if values are in memory.
const LEAST_INTERVAL: u32 = 1 << 16;

impl IntervalRequirements {
    /// Memory that an engine reserves at the least, without lists and vectors. Constructed lists take more where a list
    /// is long.
    pub fn least(&self) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::Frontier, self.frontier_bytes())
            .with(Purpose::IoBuffers, self.reader_bytes(self.readers()) + self.window_bytes(0) * self.windows())
            .with(Purpose::Degrees, self.degree_bytes())
            .with(Purpose::HeldLists, self.least_interval_bytes())
    }

    /// Bytes that an interval may take, however little memory is given.
    pub(super) fn least_interval_bytes(&self) -> u64 {
        match (self.constructs, self.on_disk) {
            (Constructs::Nothing, false) => u64::from(self.longest_interval().min(self.vertices)) * self.copy_bytes,
            _ => LEAST_LISTS,
        }
    }

    /// Frontiers: the current one, the one being collected, bits of those that have something to offer.
    pub(super) const fn frontier_bytes(&self) -> u64 {
        if !self.active {
            return 0;
        }
        VertexSet::bytes(self.vertices) + FrontierBuilder::bytes(self.vertices) + BitSet::bytes(self.vertices)
    }

    /// Degrees that are kept beside values in memory.
    pub(super) const fn degree_bytes(&self) -> u64 {
        if self.degrees && !self.on_disk { VertexValues::<u32>::bytes(self.vertices as u64) } else { 0 }
    }

    /// Readers of degrees.
    const fn readers(&self) -> u64 {
        match self.constructs {
            Constructs::Nothing => self.degrees as u64,
            Constructs::One(Direction::In) => 1 + self.degrees as u64,
            Constructs::One(Direction::Out) => 1,
            Constructs::Both => 2,
        }
    }

    /// Buffers of `readers` of degrees, and what values on disk take in memory.
    pub(super) const fn reader_bytes(&self, readers: u64) -> u64 {
        let values = self.vertices as u64 * self.value_bytes;
        let files = ValueFile::<u64>::FILL_BYTES + VECTORS * ValueFile::<u64>::checksum_bytes(values);
        readers * DegreeReader::MEMORY_BYTES + if self.on_disk { files } else { 0 }
    }

    pub(super) const fn windows(&self) -> u64 {
        if self.on_disk { WINDOWS } else { 0 }
    }

    /// Bytes of a window of an engine that is given `memory`.
    pub(super) fn window_bytes(&self, memory: u64) -> u64 {
        let least = self.least_window();
        let whole = (u64::from(self.vertices) * self.value_bytes).next_multiple_of(least);
        (memory / WINDOW_PART / least * least).clamp(least, WINDOW.1).min(whole.max(least))
    }

    /// The same, where all windows together have `room`, or the least that there is.
    pub(super) fn window_bytes_within(&self, memory: u64, room: u64) -> u64 {
        let least = self.least_window();
        let each = room / WINDOWS / least * least;
        self.window_bytes(memory).min(each).max(least)
    }

    const fn least_window(&self) -> u64 {
        if self.third { LEAST_WITH_THIRD } else { WINDOW.0 }
    }

    /// The most vertices of an interval.
    pub(super) fn longest_interval(&self) -> u32 {
        if self.on_disk { u32::MAX } else { self.vertices.div_ceil(INTERVALS).max(LEAST_INTERVAL) }
    }

    /// Memory of an interval of one vertex with so many entries in each direction that is constructed: no interval is
    /// smaller.
    pub fn one_vertex_bytes(&self, entries: &[u64]) -> u64 {
        self.interval_bytes(1, entries)
    }

    /// Memory of an interval with so many vertices, and entries in each direction that is constructed.
    pub(super) fn interval_bytes(&self, vertices: u64, entries: &[u64]) -> u64 {
        // Offsets, and cursors where values come window by window.
        let cursors = if self.on_disk { vertices * Cursors::BYTES } else { 0 };
        let lists = |entries: &u64| IntervalLists::bytes(vertices, *entries, self.weighted) + cursors;
        vertices * self.copy_bytes + entries.iter().map(lists).sum::<u64>()
    }
}
