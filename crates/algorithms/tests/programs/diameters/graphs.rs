//! Graphs in memory, what runs on them, and the same by a search from every vertex.

use crate::lists::{self, Edge, Lists};
use outcrop_algorithms::{Components, IdOrder, Outcome, ScalarValue, Values, scc, wcc};
use outcrop_engine::Engine;
use outcrop_types::{Purpose, VertexValues};
use std::collections::VecDeque;

pub struct Graph {
    graph: lists::Graph,
    pub vertices: u32,
    pub directed: bool,
    out: Vec<Vec<u32>>,
}

impl Graph {
    pub fn new(vertices: u32, edges: &[(u32, u32)], directed: bool, threads: usize) -> Self {
        let there = edges.iter().map(|(source, target)| (*source, *target, 1.0));
        let back = edges.iter().filter(|(source, target)| source != target && !directed);
        let edges: Vec<Edge> = there.chain(back.map(|(source, target)| (*target, *source, 1.0))).collect();
        let mut out = vec![Vec::new(); vertices as usize];
        edges.iter().for_each(|(source, target, _)| out[*source as usize].push(*target));
        Self { graph: lists::Graph::new(vertices, &edges, threads), vertices, directed, out }
    }

    fn into(&self) -> &Lists {
        if self.directed { &self.graph.into } else { &self.graph.out }
    }

    /// Finds components, and calls `run`. With `turned`, ranks are those of an order that turns the vertices around.
    pub fn with_components(&self, turned: bool, run: impl FnOnce(&Engine<'_>, Components<'_>) -> Outcome) -> Outcome {
        let (budget, vertices) = (&self.graph.budget, self.vertices as usize);
        let values = |of: &dyn Fn(usize) -> u32| VertexValues::new(budget, Purpose::IdMap, vertices, of).unwrap();
        let ranks = turned.then(|| values(&|vertex| self.vertices - 1 - vertex as u32));
        let ranks = IdOrder(ranks.as_ref());
        let out_degrees = || values(&|vertex| self.out[vertex].len() as u32);
        let engine = self.graph.engine(Some(&self.graph.out), Some(self.into()));
        let found = match self.directed {
            true => {
                let mut in_degrees = vec![0; vertices];
                self.out.iter().flatten().for_each(|target| in_degrees[*target as usize] += 1);
                let (out, into) = (&self.graph.out, self.into());
                let in_degrees = values(&|vertex| in_degrees[vertex]);
                scc::edge_map::scc(&engine, out, into, out_degrees(), in_degrees, ranks, 1 << 26).unwrap()
            }
            false => wcc::wcc(&engine, &self.graph.out, self.into(), ranks, wcc::Method::Sweep).unwrap(),
        };
        let Some(Values::Node(component)) = found.columns.into_iter().next().map(|column| column.values) else {
            panic!("components are ranks")
        };
        let degrees = out_degrees();
        run(&engine, Components { component: &component, degrees: &degrees, ranks, directed: self.directed })
    }

    /// Distances from `source`.
    pub fn distances(&self, source: u32) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.vertices as usize];
        distances[source as usize] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(vertex) = queue.pop_front() {
            for target in &self.out[vertex as usize] {
                if distances[*target as usize].is_none() {
                    distances[*target as usize] = distances[vertex as usize].map(|distance| distance + 1);
                    queue.push_back(*target);
                }
            }
        }
        distances
    }

    /// Eccentricities, and the vertices of the largest component, that with the vertex of the smallest rank of several.
    pub fn naive(&self, turned: bool) -> (Vec<u32>, Vec<u32>) {
        let distances: Vec<_> = (0..self.vertices).map(|source| self.distances(source)).collect();
        let eccentricities = distances.iter().map(|of| of.iter().flatten().max().copied().unwrap()).collect();
        let reaches = |one: u32, other: u32| distances[one as usize][other as usize].is_some();
        let component = |vertex: u32| -> Vec<u32> {
            (0..self.vertices).filter(|other| reaches(vertex, *other) && reaches(*other, vertex)).collect()
        };
        let order: Vec<u32> = if turned { (0..self.vertices).rev().collect() } else { (0..self.vertices).collect() };
        let components = order.into_iter().map(component);
        // Of several the first: the strict comparison keeps it.
        let largest = components.fold(Vec::new(), |most, next| if next.len() > most.len() { next } else { most });
        (eccentricities, largest)
    }
}

/// A number of the whole graph.
pub fn value(outcome: &Outcome, name: &str) -> Option<u32> {
    match outcome.values.iter().find(|scalar| scalar.name == name).unwrap().value? {
        ScalarValue::Count(count) => Some(count.try_into().unwrap()),
        ScalarValue::Flag(flag) => Some(flag.into()),
        ScalarValue::Number(_) => None,
    }
}

/// The column of eccentricities.
pub fn eccentricities(outcome: &Outcome) -> Vec<Option<u32>> {
    let Values::Count(values) = &outcome.columns[0].values else { panic!("eccentricities are counts") };
    values.iter().map(|value| Some(*value).filter(|value| *value != outcrop_algorithms::UNREACHED)).collect()
}
