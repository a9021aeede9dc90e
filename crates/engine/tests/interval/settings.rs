//! Engines over a graph, with values in memory or on disk and little memory.

use crate::lists::{Edge, Graph};
use outcrop_engine::interval::{Constructs, IntervalEngine, IntervalRequirements, IntervalSetup};
use outcrop_engine::schedule::{Schedule, Scheduler};
use outcrop_engine::{DegreeSource, Degrees, Number, VertexArray};
use outcrop_io::{BitFlip, SpillFolder};
use outcrop_types::{Direction, Error, Result, VertexRange};
use std::sync::Arc;
use tempfile::TempDir;

/// Vertices of the graphs: several windows of values, of 4 bytes as of 8.
pub const VERTICES: u32 = 40_000;
/// Memory with which a graph takes several intervals.
pub const LITTLE: u64 = 500 << 10;

/// A graph, and a folder for values.
pub struct Setting {
    pub graph: Graph,
    pub edges: Vec<Edge>,
    vertices: u32,
    folder: TempDir,
    spill: SpillFolder,
}

/// Parts that an engine is made of.
#[derive(Clone, Copy)]
pub struct Made {
    pub on_disk: bool,
    pub undirected: bool,
    pub without_in_lists: bool,
    pub schedule: Schedule,
    pub memory: u64,
    pub requirements: IntervalRequirements,
}

impl Made {
    /// An engine that may do anything.
    pub fn new(vertices: u32, on_disk: bool) -> Self {
        let requirements = IntervalRequirements {
            vertices,
            on_disk,
            constructs: if on_disk { Constructs::Both } else { Constructs::Nothing },
            weighted: true,
            value_bytes: 8,
            copy_bytes: 16,
            active: true,
            degrees: true,
            third: false,
        };
        let schedule = Schedule::Auto;
        Self { on_disk, undirected: false, without_in_lists: false, schedule, memory: LITTLE, requirements }
    }

    /// An engine that constructs both directions, wherever values are.
    pub fn updating(vertices: u32, on_disk: bool) -> Self {
        let made = Self::new(vertices, on_disk);
        Self { requirements: IntervalRequirements { constructs: Constructs::Both, ..made.requirements }, ..made }
    }
}

impl Setting {
    pub fn new(vertices: u32, edges: Vec<Edge>, threads: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder::new(folder.path()).unwrap();
        Self { graph: Graph::new(vertices, &edges, threads), edges, vertices, folder, spill }
    }

    /// Each edge in both directions, as lists of undirected graphs have it.
    pub fn undirected(vertices: u32, edges: &[Edge], threads: usize) -> Self {
        let back = edges.iter().filter(|edge| edge.0 != edge.1).map(|edge| (edge.1, edge.0, edge.2));
        Self::new(vertices, edges.iter().copied().chain(back).collect(), threads)
    }

    /// The same on a disk that flips a bit.
    pub fn flipping(self, flip: Arc<BitFlip>) -> Self {
        Self { spill: self.spill.flipping(flip), ..self }
    }

    pub fn degrees(&self, direction: Direction) -> Lengths {
        let mut degrees = vec![0; self.vertices as usize];
        for (source, target, _) in &self.edges {
            degrees[if direction == Direction::Out { *source } else { *target } as usize] += 1;
        }
        Lengths(degrees)
    }

    pub fn setup(&self, made: &Made) -> IntervalSetup<'_> {
        let into: &dyn outcrop_store::access::Adjacency =
            if made.undirected { &self.graph.out } else { &self.graph.into };
        let mut degrees = DegreeSource::default().with(Direction::Out, self.degrees(Direction::Out));
        if !made.undirected {
            degrees = degrees.with(Direction::In, self.degrees(Direction::In));
        }
        IntervalSetup {
            out: Some(&self.graph.out),
            into: Some(into).filter(|_| !made.without_in_lists),
            degrees,
            requirements: made.requirements,
            memory: made.memory,
            spill: Some(&self.spill),
            workers: &self.graph.workers,
            budget: &self.graph.budget,
            observer: &self.graph.records,
        }
    }

    pub fn engine(&self, made: &Made) -> IntervalEngine<'_> {
        let scheduler = Scheduler { schedule: made.schedule, ..Scheduler::default() };
        IntervalEngine::new(self.setup(made)).unwrap().scheduled_by(scheduler)
    }

    /// Names in the folder for values.
    pub fn files(&self) -> usize {
        std::fs::read_dir(self.folder.path()).unwrap().count()
    }
}

/// Degrees in memory.
pub struct Lengths(pub Vec<u32>);

impl Degrees for Lengths {
    fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        into.extend(&self.0[range.start as usize..range.end as usize]);
        Ok(())
    }

    fn differ(&self) -> Error {
        Error::corrupt("degrees", "lists are otherwise")
    }
}

/// The values as a plain vector.
pub fn plain<T: Number>(values: VertexArray<T>) -> Vec<T> {
    let mut all = Vec::new();
    values.for_each_block(|block| all.extend_from_slice(block)).unwrap();
    all
}
