//! Ligra's edge map: pushes from small frontiers, pulls into large ones (Shun and Blelloch, PPoPP 2013).

use super::blocks::sum_blocks;
use super::map::{Graph, Lists};
use outcrop_types::{BitSet, VertexId, VertexRange, length_from};
use rayon::prelude::*;
use std::iter::repeat;

/// A frontier is large if its vertices and out-edges exceed one part in `LARGE` of all edges.
const LARGE: usize = 20;

/// Vertices per push task.
const PUSH_AT_ONCE: usize = 64;

/// Program on the edges from the frontier.
pub(super) trait EdgeProgram: Sync {
    /// `true` if the program reads weights.
    const WEIGHTED: bool;
    /// Returns true if edges into `target` are still needed.
    fn wanted(&self, target: VertexId) -> bool;
    /// Processes an edge; returns true if the target joins the next frontier. Several threads may call it for the same
    /// target.
    fn update(&self, source: VertexId, target: VertexId, weight: f32) -> bool;
}

/// Active vertices.
pub(super) struct Frontier {
    bits: BitSet,
    /// Members as a list, ascending; `None` until needed.
    members: Option<Vec<VertexId>>,
    count: u64,
    out_edges: u64,
}

impl Frontier {
    pub(super) fn of(graph: Graph<'_>, source: VertexId) -> Self {
        let bits = BitSet::empty(graph.vertices());
        bits.insert(source);
        Self { bits, members: Some(vec![source]), count: 1, out_edges: graph.out.degree(source) }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    const fn is_large(&self, graph: Graph<'_>) -> bool {
        self.count + self.out_edges > (graph.arcs() / LARGE) as u64
    }
}

/// Edge maps over one graph, with reusable buffers.
pub(super) struct EdgeMap<'m> {
    graph: Graph<'m>,
    spare: BitSet,
}

impl<'m> EdgeMap<'m> {
    pub(super) fn new(graph: Graph<'m>) -> Self {
        Self { graph, spare: BitSet::empty(graph.vertices()) }
    }

    /// Processes all edges from the frontier; returns the next one.
    pub(super) fn step<P: EdgeProgram>(&mut self, frontier: Frontier, program: &P) -> Frontier {
        let next = std::mem::take(&mut self.spare);
        if frontier.is_large(self.graph) {
            let next = self.pull(&frontier, next, program);
            self.spare = frontier.bits;
            self.spare.clear();
            return next;
        }
        let members = frontier.members.unwrap_or_else(|| frontier.bits.iter().collect());
        let next = self.push(&members, next, program);
        self.spare = frontier.bits;
        members.iter().for_each(|member| self.spare.remove(*member));
        next
    }

    fn push<P: EdgeProgram>(&self, members: &[VertexId], next: BitSet, program: &P) -> Frontier {
        let push_from = |mut found: Vec<VertexId>, sources: &[VertexId]| {
            for source in sources {
                arcs::<P>(&self.graph.out, *source).for_each(|(target, weight)| {
                    if program.wanted(target) && program.update(*source, target, weight) && next.insert(target) {
                        found.push(target);
                    }
                });
            }
            found
        };
        let found = members.par_chunks(PUSH_AT_ONCE).fold(Vec::new, push_from);
        let mut members = found.reduce(Vec::new, joined);
        members.par_sort_unstable();
        let out_edges = members.iter().map(|member| self.graph.out.degree(*member)).sum();
        Frontier { bits: next, count: length_from(members.len()), members: Some(members), out_edges }
    }

    fn pull<P: EdgeProgram>(&self, frontier: &Frontier, next: BitSet, program: &P) -> Frontier {
        let pull_into = |block: VertexRange| -> Found {
            let found = block.iter().filter(|target| self.pull_one(frontier, *target, program));
            found
                .map(|target| {
                    next.insert(target);
                    Found { count: 1, out_edges: self.graph.out.degree(target) }
                })
                .sum()
        };
        let found = sum_blocks(self.graph.vertices(), pull_into);
        Frontier { bits: next, members: None, count: found.count, out_edges: found.out_edges }
    }

    #[inline]
    fn pull_one<P: EdgeProgram>(&self, frontier: &Frontier, target: VertexId, program: &P) -> bool {
        if !program.wanted(target) {
            return false;
        }
        let mut found = false;
        for (source, weight) in arcs::<P>(&self.graph.reverse, target) {
            if frontier.bits.contains(source) && program.update(source, target, weight) {
                found = true;
                if !program.wanted(target) {
                    break;
                }
            }
        }
        found
    }
}

/// Returns the list of a vertex with its weights, or with weights 1 if there are none or `P` does not read them.
#[inline]
fn arcs<'m, P: EdgeProgram>(lists: &Lists<'m>, vertex: VertexId) -> impl Iterator<Item = (VertexId, f32)> + use<'m, P> {
    let weights = if P::WEIGHTED { lists.weights(vertex) } else { &[] };
    lists.neighbors(vertex).iter().copied().zip(weights.iter().copied().chain(repeat(1.0)))
}

fn joined(mut one: Vec<VertexId>, mut other: Vec<VertexId>) -> Vec<VertexId> {
    if one.len() < other.len() {
        std::mem::swap(&mut one, &mut other);
    }
    one.append(&mut other);
    one
}

/// Members of the next frontier, and their out-edges.
struct Found {
    count: u64,
    out_edges: u64,
}

impl std::iter::Sum for Found {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self { count: 0, out_edges: 0 }, |sum, one| Self {
            count: sum.count + one.count,
            out_edges: sum.out_edges + one.out_edges,
        })
    }
}
