//! The shape of a graph, as plans depend on it.

use crate::models::Place;
use crate::spec::Requirements;
use outcrop_types::{Direction, MemoryPlan, Purpose, VertexValues};

/// Facts of the graph and the machine that a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Vertices of the graph.
    pub vertices: u32,
    /// True if edges have a direction.
    pub directed: bool,
    /// True if the store has weights.
    pub weighted: bool,
    /// Entries of all out-lists and of all in-lists; the same lists of an undirected graph.
    pub entries: [u64; 2],
    /// Workers that may run at the same time, the calling thread included.
    pub slots: usize,
    /// True if the values of vertices live on disk.
    pub on_disk: bool,
    /// True if first neighbours can be looked at without the lists.
    pub first_neighbours: bool,
    /// True if the store says that no edge is repeated and none is a loop.
    pub simple: bool,
    /// True if the run goes on from the last result.
    pub incremental: bool,
}

impl Shape {
    /// A graph of one edge, undirected as all algorithms take such graphs: for what no graph in particular decides.
    pub const SMALLEST: Self = Self {
        vertices: 1,
        directed: false,
        weighted: false,
        entries: [1; 2],
        slots: 1,
        on_disk: false,
        first_neighbours: false,
        simple: false,
        incremental: false,
    };

    /// The graph, for a program on values in memory or on disk.
    pub const fn place(&self) -> Place {
        Place { vertices: self.vertices, weighted: self.weighted, on_disk: self.on_disk }
    }

    /// The directions whose lists are stored, of those that are read: one of an undirected graph serves as both.
    pub fn directions(&self, needs: Requirements) -> impl Iterator<Item = Direction> {
        let both = [Direction::Out, Direction::In].map(|direction| (direction, needs.reads(direction)));
        let directed = self.directed;
        let reads_any = needs.out_lists || needs.in_lists;
        both.into_iter().filter_map(move |(direction, read)| {
            let read = if directed { read } else { reads_any && direction == Direction::Out };
            read.then_some(direction)
        })
    }

    /// Entries of all lists that are read.
    pub fn entries_of(&self, needs: Requirements) -> u64 {
        let entries = |direction| self.entries[usize::from(direction == Direction::In)];
        self.directions(needs).map(entries).sum()
    }

    /// `memory` with the degrees of a second direction, where those of both are added up.
    #[must_use]
    pub fn with_added_degrees(&self, memory: MemoryPlan, needs: Requirements) -> MemoryPlan {
        match self.directions(needs).count() {
            2 => memory.with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(self.vertices))),
            _ => memory,
        }
    }
}
