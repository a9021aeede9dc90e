//! Results of a program: all edges in every iteration, one after the other.

use crate::graphs::Arcs;
use outcrop_gas::{Aggregation, GasProgram, GasStep, GasVertex, OutEdge, Reverse, TOTALS, Totals};
use outcrop_types::VertexId;

/// Outcome of a program.
#[derive(Clone, Debug)]
pub struct Interpreted<V> {
    pub values: Vec<V>,
    /// Without the one in which vertices began.
    pub iterations: u32,
    /// Every iteration, the one in which vertices began included.
    pub steps: Vec<GasStep>,
    /// Arcs that each of them gave a value.
    pub updated: Vec<u64>,
}

pub fn interpret<P: GasProgram>(program: &P, graph: &Arcs, limit: u32) -> Interpreted<P::Value> {
    let mut state = State::begin(program, graph);
    while state.should_continue() && state.steps.len() <= limit as usize {
        state.iterate();
    }
    let iterations = state.steps.len() as u32 - 1;
    Interpreted { values: state.values, iterations, steps: state.steps, updated: state.updated }
}

struct State<'a, P: GasProgram> {
    program: &'a P,
    graph: &'a Arcs,
    degrees: Vec<u32>,
    values: Vec<P::Value>,
    edges: Vec<P::Edge>,
    fresh: Vec<bool>,
    /// Change that each vertex hands on in this iteration.
    changes: Vec<Option<P::Change>>,
    totals: Totals,
    steps: Vec<GasStep>,
    updated: Vec<u64>,
    continues: bool,
}

impl<'a, P: GasProgram> State<'a, P> {
    fn begin(program: &'a P, graph: &'a Arcs) -> Self {
        let (vertices, arcs) = (graph.vertices as usize, graph.arcs.len());
        let mut state = Self {
            program,
            graph,
            degrees: graph.out_degrees(),
            values: Vec::with_capacity(vertices),
            edges: vec![bytemuck::Zeroable::zeroed(); arcs],
            fresh: vec![false; arcs],
            changes: Vec::with_capacity(vertices),
            totals: [0.0; TOTALS],
            steps: Vec::new(),
            updated: Vec::new(),
            continues: true,
        };
        for id in 0..graph.vertices {
            let (value, change) = program.begin(state.vertex(id), &mut state.totals);
            state.values.push(value);
            state.changes.push(change);
        }
        state.scatter();
        state.end();
        state
    }

    fn vertex(&self, id: VertexId) -> GasVertex {
        GasVertex { id, out_degree: self.degrees[id as usize], iteration: self.steps.len() as u32 }
    }

    fn should_continue(&self) -> bool {
        let continuing = P::CONTINUES && self.changes.iter().any(Option::is_some);
        self.continues && (self.fresh.contains(&true) || continuing || self.program.everywhere())
    }

    fn iterate(&mut self) {
        self.totals = [0.0; TOTALS];
        let (everywhere, sums) = (self.program.everywhere(), self.gather());
        for (id, (reached, sum)) in (0..self.graph.vertices).zip(sums) {
            let before = self.changes[id as usize].take();
            if reached || everywhere || P::CONTINUES && before.is_some() {
                self.apply(id, sum);
            }
        }
        self.scatter();
        self.end();
    }

    /// True for each vertex to which something came, with its sum.
    fn gather(&self) -> Vec<(bool, Option<P::Sum>)> {
        let arcs = || self.graph.arcs.iter().zip(&self.edges).zip(&self.fresh);
        let mut sums: Vec<(bool, Option<P::Sum>)> = vec![(false, None); self.graph.vertices as usize];
        arcs().for_each(|(((_, target, _), _), fresh)| sums[*target as usize].0 |= fresh);
        for (id, sum) in (0..self.graph.vertices).zip(&mut sums) {
            sum.1 = self.program.extract(self.vertex(id), &self.values[id as usize]);
        }
        for (((_, target, _), value), fresh) in arcs() {
            let (reached, sum) = &mut sums[*target as usize];
            if *fresh || *reached && P::AGGREGATION == Aggregation::None {
                *sum = Some(self.program.gather(*sum, *value));
            }
        }
        sums
    }

    fn apply(&mut self, id: VertexId, sum: Option<P::Sum>) {
        let vertex = self.vertex(id);
        let old = self.values[id as usize];
        let mut new = self.program.apply(vertex, &old, sum);
        self.changes[id as usize] = self.program.change(vertex, &old, &mut new, &mut self.totals);
        self.values[id as usize] = new;
    }

    fn scatter(&mut self) {
        let before = self.edges.clone();
        let mut updated = 0;
        for (position, (source, target, weight)) in self.graph.arcs.iter().enumerate() {
            self.fresh[position] = self.changes[*source as usize].is_some();
            let Some(change) = self.changes[*source as usize] else { continue };
            let none: P::Edge = bytemuck::Zeroable::zeroed();
            let (previous, reverse) = match P::KEEPS_EDGES {
                true => (before[position], self.reverse(&before, *source, *target)),
                false => (none, None),
            };
            let edge = OutEdge { target: *target, weight: *weight, previous, reverse };
            let value = &self.values[*source as usize];
            self.edges[position] = self.program.scatter(self.vertex(*source), value, change, edge);
            updated += 1;
        }
        self.updated.push(updated);
    }

    fn reverse(&self, before: &[P::Edge], source: VertexId, target: VertexId) -> Option<Reverse<P::Edge>> {
        let key = |arc: &(u32, u32, f64)| (arc.0, arc.1);
        let position = self.graph.arcs.binary_search_by_key(&(target, source), key).ok()?;
        Some(Reverse { value: before[position], waiting: false })
    }

    fn end(&mut self) {
        let changed = self.changes.iter().flatten().count() as u64;
        let step = GasStep { iteration: self.steps.len() as u32, changed, delayed: 0, totals: self.totals };
        self.continues = self.program.continues(&step);
        self.steps.push(step);
    }
}
