//! Numbers of loops, repeated edges and distinct edges, and the range of the weights, in one pass over the out-lists.

use super::measured::Measured;
use super::tally::Tally;
use crate::algorithm::Algorithm;
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{Model, Requirements, Spec, Weights};
use outcrop_engine::neighborhood::Distinct;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Result, VertexId};

/// Numbers of entries of the out-lists. An undirected edge has two entries, unless it is a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeCounts {
    /// Number of loops, with duplicates.
    pub loops: u64,
    /// Number of vertices with loops.
    pub loop_vertices: u64,
    /// Number of entries that are not loops.
    pub entries: u64,
    /// Number of entries that are neither loops nor duplicates.
    pub distinct: u64,
    /// Smallest and largest weight, if there are any.
    pub weights: Option<[f64; 2]>,
}

/// Counts the entries of all out-lists.
#[derive(Default)]
pub struct Edges(pub Measured<EdgeCounts>);

static SPEC: Spec = Spec { name: "edges", weights: Weights::Used, ..Spec::DEFAULT };

impl Algorithm for Edges {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, _: &Shape, _: &Args) -> Result<Option<Plan>> {
        let found = self.0.clone();
        let plan = Plan::edge_map(Requirements::OUT_LISTS, EdgeMapWork::from(MemoryPlan::new()), move |engine, _| {
            let counts = count(engine)?;
            Ok(found.set(counts, engine.end_iteration(None)))
        });
        Ok((model == Model::EdgeMap).then(|| plan.reading_few_lists()))
    }
}

fn count(engine: &Engine<'_>) -> Result<EdgeCounts> {
    let entries = Entries(Tally::new());
    engine.gather_along(Direction::Out, &entries)?;
    let Entries(tally) = entries;
    let [least, most] = [LEAST, MOST].map(|counter| tally.highest(counter));
    Ok(EdgeCounts {
        loops: tally.take_sum(LOOPS),
        loop_vertices: tally.take_sum(LOOP_VERTICES),
        entries: tally.take_sum(ENTRIES),
        distinct: tally.take_sum(DISTINCT),
        weights: (most > 0).then(|| [number(!least), number(most)]),
    })
}

const LOOPS: usize = 0;
const LOOP_VERTICES: usize = 1;
const ENTRIES: usize = 2;
const DISTINCT: usize = 3;
/// Inverted bits of the smallest weight in ascending order: 0 without weights.
const LEAST: usize = 4;
/// Bits of the largest weight in ascending order: 0 without weights.
const MOST: usize = 5;

struct Entries(Tally<6>);

/// Entries of a list so far.
struct List {
    vertex: VertexId,
    last: Distinct,
    all: u64,
    loops: u64,
    distinct: u64,
    weights: Option<[f64; 2]>,
}

impl Gather for Entries {
    type Sum = List;

    fn begin(&self, vertex: VertexId) -> List {
        List { vertex, last: Distinct::new(), all: 0, loops: 0, distinct: 0, weights: None }
    }

    #[inline]
    fn gather(&self, list: &mut List, piece: Neighbors<'_>) {
        let (ids, vertex) = (piece.ids(), list.vertex);
        let below = |id: &VertexId| *id < vertex;
        let first = ids.partition_point(below);
        list.loops += ids[first..].iter().take_while(|id| **id == vertex).count() as u64;
        list.all += ids.len() as u64;
        list.last.for_each(vertex, piece, |_| list.distinct += 1);
        for weight in piece.weights().into_iter().flatten() {
            let [least, most] = list.weights.unwrap_or([*weight; 2]);
            list.weights = Some([least.min(*weight), most.max(*weight)]);
        }
    }

    fn apply(&self, vertex: VertexId, list: List) {
        let Self(tally) = self;
        tally.add(vertex, LOOPS, list.loops);
        tally.add(vertex, LOOP_VERTICES, list.loops.min(1));
        tally.add(vertex, ENTRIES, list.all - list.loops);
        tally.add(vertex, DISTINCT, list.distinct);
        if let Some([least, most]) = list.weights {
            tally.raise(vertex, LEAST, !ascending(least));
            tally.raise(vertex, MOST, ascending(most));
        }
    }
}

/// Returns bits that are ordered as the numbers are; never 0 or [`u64::MAX`] for a finite number.
const fn ascending(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Returns the number with these [`ascending`] bits.
const fn number(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_ordered_as_the_numbers_are() {
        let numbers = [f64::MIN, -2.5, -1e-300, 0.0, 1e-300, 1.0, 7.25, f64::MAX];
        assert!(numbers.map(ascending).is_sorted_by(|one, other| one < other));
        assert!(numbers.iter().all(|one| number(ascending(*one)) == *one && ![0, u64::MAX].contains(&ascending(*one))));
    }
}
