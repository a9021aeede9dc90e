//! Engines over a graph, with values in memory or on disk and little memory, and what programs must give.

use crate::lists::{Edge, Graph};
use outcrop_engine::{DegreeSource, Degrees, Directions, Plain, VertexArray};
use outcrop_io::SpillFolder;
use outcrop_messages::{
    Edges, MessageEngine, MessageOptions, MessageProgram, MessageRequirements, MessageResult, MessageSetup, Next,
    Vertex,
};
use outcrop_types::{Direction, Error, Result, SplitMix64, VertexId, VertexRange, VertexSet};
use tempfile::TempDir;

/// Memory with which a graph takes several intervals.
pub const LITTLE: u64 = 8 << 20;

/// A graph, and a folder for messages.
pub struct Bench {
    pub graph: Graph,
    pub edges: Vec<Edge>,
    pub vertices: u32,
    folder: TempDir,
    spill: SpillFolder,
}

/// Parts that an engine is made of.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub memory: u64,
    pub options: MessageOptions,
    pub requirements: MessageRequirements,
}

impl Made {
    /// For a program, along out-edges.
    pub fn of<P: MessageProgram>(vertices: u32, on_disk: bool) -> Self {
        let requirements = MessageRequirements {
            vertices,
            spare_vertices: 0,
            on_disk,
            sides: Directions::Out,
            along: Directions::In,
            directed: true,
            weighted: false,
            value_bytes: size_of::<P::Value>() as u64,
            message_bytes: size_of::<P::Message>() as u64,
            messages_per_entry: 1,
            edge_words: P::EDGE_WORDS as u64,
            combines: P::COMBINES,
            changes: false,
            records: (0, size_of::<P::Record>() as u64),
        };
        Self { memory: LITTLE, options: MessageOptions::default(), requirements }
    }
}

impl Bench {
    pub fn new(vertices: u32, edges: Vec<Edge>, threads: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder::new(folder.path()).unwrap();
        Self { graph: Graph::new(vertices, &edges, threads), edges, vertices, folder, spill }
    }

    /// Edges drawn with a seed, some vertices with many.
    pub fn drawn(vertices: u32, edges: u32, threads: usize, seed: u64) -> Self {
        let draw = SplitMix64::new(seed, 0);
        let end = |position: u64| {
            let place = draw.up_to(2 * position, vertices - 1);
            if draw.up_to(2 * position + 1, 3) == 0 { place % (vertices / 16).max(1) } else { place }
        };
        let edge = |number: u32| {
            let position = 2 * u64::from(number);
            (end(position), end(position + 1), (number % 7) as f64)
        };
        let edges = (0..edges).map(edge).collect();
        Self::new(vertices, edges, threads)
    }

    fn degrees(&self, direction: Direction) -> Lengths {
        let mut degrees = vec![0; self.vertices as usize];
        for (source, target, _) in &self.edges {
            degrees[if direction == Direction::Out { *source } else { *target } as usize] += 1;
        }
        Lengths(degrees)
    }

    pub fn engine(&self, made: &Made) -> MessageEngine<'_> {
        let degrees = DegreeSource::default()
            .with(Direction::Out, self.degrees(Direction::Out))
            .with(Direction::In, self.degrees(Direction::In));
        let setup = MessageSetup {
            lists: outcrop_store::access::OpenLists::new(Some(&self.graph.out), Some(&self.graph.into)),
            degrees,
            requirements: made.requirements,
            options: made.options,
            log: None,
            memory: made.memory,
            spill: &self.spill,
            workers: &self.graph.workers,
            budget: &self.graph.budget,
            observer: &self.graph.records,
        };
        MessageEngine::new(setup).unwrap()
    }

    /// Runs a program from all vertices; the values at the end, and what else there is.
    pub fn run<P: MessageProgram>(
        &self,
        made: &Made,
        program: &P,
        limit: u32,
        value: impl Fn(VertexId) -> P::Value + Sync,
    ) -> (Vec<P::Value>, MessageResult<P::Record>) {
        let engine = self.engine(made);
        let mut values = engine.values(value).unwrap();
        let ran = engine.run(program, &mut values, &VertexSet::all(self.vertices), limit).unwrap();
        (plain(values), ran)
    }

    /// Names in the folder for messages.
    pub fn files(&self) -> usize {
        std::fs::read_dir(self.folder.path()).unwrap().count()
    }
}

/// The values as a plain vector.
pub fn plain<T: Plain>(values: VertexArray<T>) -> Vec<T> {
    let mut all = Vec::new();
    values.for_each_block(|block| all.extend_from_slice(block)).unwrap();
    all
}

/// Degrees in memory.
struct Lengths(Vec<u32>);

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

/// Every vertex mixes all that it hears into its value, sorted, and tells its out-neighbors: nothing can be combined,
/// and each message matters. Vertices whose value is a multiple of three say nothing in that superstep.
pub struct Gossip;

impl MessageProgram for Gossip {
    type Value = u64;
    type Message = u64;
    type Record = ();

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        vertex.messages().sort_unstable();
        let heard = mixed(*vertex.value(), vertex.messages());
        *vertex.value_mut() = heard;
        if !heard.is_multiple_of(3) {
            vertex.send_to_all(edges.out.ids(), heard);
        }
        if heard.is_multiple_of(5) {
            vertex.deactivate();
        }
        vertex.contribute(0, 1.0);
    }
}

fn mixed(value: u64, heard: &[u64]) -> u64 {
    heard.iter().fold(value, |mixed, heard| (mixed ^ heard).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23))
}

/// Values that [`Gossip`] gives, by loops over the edges; and the number of vertices computed in each superstep.
pub fn gossip(vertices: u32, edges: &[Edge], supersteps: u32) -> (Vec<u64>, Vec<u32>) {
    let mut values: Vec<u64> = (0..u64::from(vertices)).collect();
    let mut awake = vec![true; vertices as usize];
    let mut inbox = vec![Vec::new(); vertices as usize];
    let mut counts = Vec::new();
    for _ in 0..supersteps {
        let mut next = vec![Vec::new(); vertices as usize];
        let active: Vec<bool> = awake.iter().zip(&inbox).map(|(awake, inbox)| *awake || !inbox.is_empty()).collect();
        for vertex in (0..vertices as usize).filter(|vertex| active[*vertex]) {
            let heard: &mut Vec<u64> = &mut inbox[vertex];
            heard.sort_unstable();
            values[vertex] = mixed(values[vertex], heard);
            awake[vertex] = !values[vertex].is_multiple_of(5);
        }
        for (source, target, _) in edges {
            let value = values[*source as usize];
            if active[*source as usize] && !value.is_multiple_of(3) {
                next[*target as usize].push(value);
            }
        }
        counts.push(active.iter().filter(|active| **active).count() as u32);
        inbox = next;
    }
    (values, counts)
}

/// The smallest number of a component spreads, both ways.
pub struct Smallest;

impl MessageProgram for Smallest {
    type Value = u32;
    type Message = u32;
    type Record = ();

    const COMBINES: bool = true;

    fn combine(&self, one: u32, other: u32) -> u32 {
        one.min(other)
    }

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        let heard = vertex.messages().first().copied();
        let better = heard.filter(|heard| heard < vertex.value());
        if let Some(label) = better {
            *vertex.value_mut() = label;
        }
        if better.is_some() || vertex.superstep().number == 0 { Next::Compute } else { Next::Done }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let label = *vertex.value();
        vertex.send_to_all(edges.out.ids(), label);
        vertex.send_to_all(edges.into.ids(), label);
    }
}
