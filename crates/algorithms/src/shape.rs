//! Shape of a graph, which plans depend on.

use crate::models::Place;
use crate::spec::Requirements;
use outcrop_types::{Direction, MemoryPlan, Purpose, VertexValues};

/// Properties of the graph and the machine that a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// True if edges are directed.
    pub directed: bool,
    /// True if the store has weights.
    pub weighted: bool,
    /// Number of entries of all out-lists and of all in-lists, which are the same lists in an undirected graph.
    pub entries: [u64; 2],
    /// Maximum number of concurrent workers, including the calling thread.
    pub slots: usize,
    /// True if vertex values are on disk.
    pub on_disk: bool,
    /// True if first neighbors are available without reading lists.
    pub first_neighbors: bool,
    /// True if the store has neither duplicate edges nor loops.
    pub simple: bool,
    /// True if the run starts from the previous result.
    pub incremental: bool,
}

impl Shape {
    /// Graph of one edge, undirected to suit all algorithms: for decisions that do not depend on a particular graph.
    pub const SMALLEST: Self = Self {
        vertices: 1,
        directed: false,
        weighted: false,
        entries: [1; 2],
        slots: 1,
        on_disk: false,
        first_neighbors: false,
        simple: false,
        incremental: false,
    };

    /// Returns the graph and the location of values, for a program.
    pub const fn place(&self) -> Place {
        Place { vertices: self.vertices, weighted: self.weighted, on_disk: self.on_disk }
    }

    /// Returns the stored directions of the lists to read: in an undirected graph, one serves as both.
    pub fn directions(&self, needs: Requirements) -> impl Iterator<Item = Direction> {
        let both = [Direction::Out, Direction::In].map(|direction| (direction, needs.reads(direction)));
        let directed = self.directed;
        let reads_any = needs.out_lists || needs.in_lists;
        both.into_iter().filter_map(move |(direction, read)| {
            let read = if directed { read } else { reads_any && direction == Direction::Out };
            read.then_some(direction)
        })
    }

    /// Returns the number of entries of all lists to read.
    pub fn entries_of(&self, needs: Requirements) -> u64 {
        let entries = |direction| self.entries[usize::from(direction == Direction::In)];
        self.directions(needs).map(entries).sum()
    }

    /// Adds the degrees of a second direction to `memory`, if those of both are summed.
    #[must_use]
    pub fn with_added_degrees(&self, memory: MemoryPlan, needs: Requirements) -> MemoryPlan {
        match self.directions(needs).count() {
            2 => memory.with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(self.vertices))),
            _ => memory,
        }
    }
}
