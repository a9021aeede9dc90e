//! Lists of the store.

use super::buffer::Buffer;
use super::lists::LoadLists;
use crate::weights::{Refused, is_summand};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, Error, Result, VertexId, VertexSet, VertexValues, length_from};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Lists of the store, in one direction or in both.
pub(super) struct StoreLists<'r, 'g> {
    engine: &'r Engine<'g>,
    /// Directions, with the length of each list.
    sides: Vec<(Direction, VertexValues<u32>)>,
    /// Number of list entries.
    entries: u64,
    /// Edge with a refused weight.
    refused: Refused,
}

impl<'r, 'g> StoreLists<'r, 'g> {
    /// Creates the lists of `sides`.
    pub(super) fn new(engine: &'r Engine<'g>, sides: Vec<(Direction, VertexValues<u32>)>) -> Self {
        let lengths = sides.iter().flat_map(|(_, lengths)| lengths.iter());
        let entries = lengths.map(|length| u64::from(*length)).sum();
        Self { engine, sides, entries, refused: Refused::new() }
    }

    /// Returns how often the weight of a loop counts per list entry: a loop counts twice, and has an entry in each
    /// direction.
    pub(super) fn loop_factor(&self) -> f64 {
        if self.sides.len() == 1 { 2.0 } else { 1.0 }
    }

    /// Returns the number of list entries.
    pub(super) const fn all_entries(&self) -> u64 {
        self.entries
    }

    /// Returns the edge with a refused weight.
    pub(super) const fn refused(&self) -> &Refused {
        &self.refused
    }
}

impl LoadLists for StoreLists<'_, '_> {
    fn vertices(&self) -> u32 {
        self.engine.vertices()
    }

    #[inline]
    fn entries(&self, vertex: VertexId) -> u64 {
        self.sides.iter().map(|(_, lengths)| u64::from(lengths[vertex as usize])).sum()
    }

    fn load(&self, buffer: &Buffer, skip: u64) -> Result<()> {
        let set = VertexSet::from_members(buffer.members().to_vec(), self.vertices());
        for (side, (direction, lengths)) in self.sides.iter().enumerate() {
            let (earlier, refused, differs) = (&self.sides[..side], &self.refused, AtomicBool::new(false));
            let load = Load { buffer, earlier, lengths, skip, direction: *direction, refused, differs };
            self.engine.gather_over(&set, *direction, &load)?;
            if load.differs.into_inner() {
                return Err(Error::corrupt("adjacency lists", "the length of a list is not the degree of its vertex"));
            }
        }
        Ok(())
    }
}

/// Copies lists into a buffer.
struct Load<'l> {
    buffer: &'l Buffer,
    /// Directions whose entries are before these.
    earlier: &'l [(Direction, VertexValues<u32>)],
    lengths: &'l [u32],
    /// Number of entries to leave out.
    skip: u64,
    direction: Direction,
    refused: &'l Refused,
    /// True if a list is not as long as the degree of its vertex.
    differs: AtomicBool,
}

/// Position in a list.
struct Cursor {
    vertex: VertexId,
    /// Places for the list in the buffer.
    places: std::ops::Range<usize>,
    /// Number of entries before this one.
    before: u64,
}

impl Gather for Load<'_> {
    type Sum = Cursor;

    fn begin(&self, vertex: VertexId) -> Cursor {
        Cursor { vertex, places: self.buffer.places(self.buffer.position(vertex)), before: self.first(vertex) }
    }

    #[inline]
    fn gather(&self, cursor: &mut Cursor, piece: Neighbors<'_>) {
        let window = self.skip..self.skip + length_from(cursor.places.len());
        let mut position = cursor.before;
        _ = piece.try_for_each(|neighbor, weight| {
            if !is_summand(weight) {
                self.refuse(cursor.vertex, neighbor, weight);
            } else if window.contains(&position) {
                self.buffer.store(cursor.places.start + (position - self.skip) as usize, neighbor, weight);
            }
            position += 1;
            std::ops::ControlFlow::Continue(())
        });
        cursor.before = position;
    }

    fn apply(&self, vertex: VertexId, cursor: Cursor) {
        if cursor.before != self.first(vertex) + u64::from(self.lengths[vertex as usize]) {
            self.differs.store(true, Relaxed);
        }
    }
}

impl Load<'_> {
    /// Returns the number of entries of `vertex` in earlier directions.
    fn first(&self, vertex: VertexId) -> u64 {
        self.earlier.iter().map(|(_, lengths)| u64::from(lengths[vertex as usize])).sum()
    }

    /// Records an edge whose weight cannot be added up.
    #[cold]
    fn refuse(&self, vertex: VertexId, neighbor: VertexId, weight: f64) {
        match self.direction {
            Direction::Out => self.refused.note(vertex, neighbor, weight),
            Direction::In => self.refused.note(neighbor, vertex, weight),
        }
    }
}
