//! Graphs in memory.

use crate::lists::{Edge, drawn_edges};
use outcrop_algorithms::IdOrder;
use outcrop_algorithms::models::Place;
use outcrop_engine::Directions;
use outcrop_messages::Edges;
use outcrop_store::access::Neighbors;
use outcrop_types::{MemoryBudget, Purpose, VertexValues};

type List = (Vec<u32>, Vec<f64>);

/// A graph with its lists, ascending.
pub struct Graph {
    pub vertices: u32,
    pub edges: Vec<Edge>,
    pub directed: bool,
    out: Vec<List>,
    into: Vec<List>,
}

impl Graph {
    pub fn new(vertices: u32, edges: Vec<Edge>, directed: bool) -> Self {
        let lists = |arcs: &mut dyn Iterator<Item = Edge>| {
            let mut arcs: Vec<Edge> = arcs.collect();
            arcs.sort_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2)));
            let mut lists = vec![List::default(); vertices as usize];
            for (source, target, weight) in arcs {
                lists[source as usize].0.push(target);
                lists[source as usize].1.push(weight);
            }
            lists
        };
        let turned = |(source, target, weight): &Edge| (*target, *source, *weight);
        let out = match directed {
            true => lists(&mut edges.iter().copied()),
            false => {
                let back = edges.iter().filter(|(source, target, _)| source != target).map(turned);
                lists(&mut edges.iter().copied().chain(back))
            }
        };
        let into =
            if directed { lists(&mut edges.iter().map(turned)) } else { vec![List::default(); vertices as usize] };
        Self { vertices, edges, directed, out, into }
    }

    pub fn place(&self) -> Place {
        Place { vertices: self.vertices, weighted: true, on_disk: false }
    }

    /// The edges of a vertex as programs see them.
    pub fn edges_of(&self, vertex: u32, sides: Directions, weighted: bool) -> Edges<'_> {
        fn list(lists: &[List], (vertex, shown, weighted): (u32, bool, bool)) -> Neighbors<'_> {
            let (ids, weights) = &lists[vertex as usize];
            let length = if shown { ids.len() } else { 0 };
            Neighbors::new(&ids[..length], weighted.then_some(&weights[..length]))
        }
        let (out, into) = (sides != Directions::In, sides != Directions::Out);
        Edges { out: list(&self.out, (vertex, out, weighted)), into: list(&self.into, (vertex, into, weighted)) }
    }

    pub fn out(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let (ids, weights) = &self.out[vertex as usize];
        ids.iter().copied().zip(weights.iter().copied())
    }

    /// All neighbors with weights, once for each edge and direction, without loops.
    pub fn others(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let (ids, weights) = &self.into[vertex as usize];
        let into = ids.iter().copied().zip(weights.iter().copied());
        self.out(vertex).chain(into).filter(move |(other, _)| *other != vertex)
    }
}

/// A few graphs, directed and undirected: sparse with vertices that nothing reaches, dense with repeated edges and
/// loops, a path, a star, everybody with everybody, hardly anything.
pub fn graphs() -> Vec<Graph> {
    let drawn = |vertices, count| -> Vec<Edge> {
        drawn_edges(vertices, count)
            .into_iter()
            .map(|(a, b, w)| (a, b, f64::from((w as u32 % 5) as f32 * 0.3)))
            .collect()
    };
    let complete = (0..90).flat_map(|a| (0..a).map(move |b| (a, b, 1.0)));
    let shapes: Vec<(u32, Vec<Edge>)> = vec![
        (1000, drawn(1000, 1700)),
        (60, drawn(60, 1500)),
        (100, (1..100).map(|vertex| (vertex - 1, vertex, 0.1)).collect()),
        (200, (1..200).map(|vertex| (vertex, 0, 1.0)).chain([(0, 0, 9.0), (5, 5, 1.0)]).collect()),
        (95, complete.chain([(3, 91, 0.5), (91, 3, 0.5), (91, 92, 0.5)]).collect()),
        (3, vec![(1, 1, 1.0)]),
        (0, vec![]),
    ];
    let both = |(vertices, edges): (u32, Vec<Edge>)| [true, false].map(|to| Graph::new(vertices, edges.clone(), to));
    shapes.into_iter().flat_map(both).collect()
}

/// Runs with the ranks of an order that turns the vertices around, and in a small graph with those of the original
/// order.
pub fn with_ranks(vertices: u32, mut run: impl FnMut(IdOrder<'_>)) {
    let budget = MemoryBudget::new(1 << 20);
    let turned = |vertex| vertices - 1 - vertex as u32;
    let ranks = VertexValues::new(&budget, Purpose::IdMap, vertices as usize, turned).unwrap();
    run(IdOrder(Some(&ranks)));
    if vertices < 10_000 {
        run(IdOrder(None));
    }
}
