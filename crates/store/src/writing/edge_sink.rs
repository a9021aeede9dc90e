//! Destination of edges between ranks: the sorters at once, or a spool until the order of the vertices is known.

use super::arc_sorters::ArcSorters;
use super::context::{BuildContext, Writing};
use super::edge_spool::{EdgeSpool, EdgeSpoolWriter};
use super::options::{PermutationFrom, VertexOrder};
use super::record::ArcRecord;
use crate::manifest::{FileEntry, SelfLoops};
use crate::original_ids::{RANK_OF_VERTEX_NAME, VERTEX_OF_RANK_NAME};
use outcrop_types::{Permutation, Purpose, Result, VertexId, index_from, memory};

/// Takes edges between ranks.
pub(super) struct EdgeSink<A: ArcRecord> {
    destination: Destination<A>,
    drop_loops: bool,
    counts: EdgeCounts,
}

/// Edges that were taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeCounts {
    pub(super) edges: u64,
    pub(super) loops: u64,
    pub(super) loops_dropped: u64,
}

enum Destination<A: ArcRecord> {
    /// The ranks are the vertices; the sorters are made when the first edge comes.
    Sorters(Option<Box<ArcSorters<A>>>),
    /// The edges are set aside until the order is known.
    Spool(EdgeSpoolWriter<A>),
}

impl<A: ArcRecord> EdgeSink<A> {
    pub(super) fn new(context: &BuildContext<'_>) -> Result<Self> {
        let destination = match context.options.order {
            None => Destination::Sorters(None),
            Some(_) => Destination::Spool(EdgeSpoolWriter::create(context)?),
        };
        let drop_loops = context.options.self_loops == SelfLoops::Drop;
        Ok(Self { destination, drop_loops, counts: EdgeCounts::default() })
    }

    /// Takes an edge between ranks.
    #[inline]
    pub(super) fn push(&mut self, context: &BuildContext<'_>, source: u32, target: u32, weight: f64) -> Result<()> {
        self.counts.edges += 1;
        if source == target {
            self.counts.loops += 1;
            if self.drop_loops {
                self.counts.loops_dropped += 1;
                return Ok(());
            }
        }
        match &mut self.destination {
            Destination::Sorters(Some(sorters)) => sorters.push(source, target, weight),
            Destination::Sorters(vacant) => {
                let sorters = ArcSorters::new(context, context.budget.available())?;
                vacant.insert(Box::new(sorters)).push(source, target, weight)
            }
            Destination::Spool(edges) => edges.push(source, target, weight),
        }
    }

    /// Edges that were taken so far.
    pub(super) const fn counts(&self) -> EdgeCounts {
        self.counts
    }

    /// Ends the taking: with an order other than the original, computes it and permutes the edges. Returns the sorters with all arcs, and
    /// the files that translate between ranks and vertices.
    pub(super) fn finish(self, writing: &Writing<'_>, vertices: u32) -> Result<(ArcSorters<A>, Vec<FileEntry>)> {
        let context = writing.context;
        let sorters = match (self.destination, context.options.order) {
            (Destination::Spool(edges), Some(order)) => {
                return Unordered { writing, edges: edges.finish()? }.permute(order, vertices);
            }
            (Destination::Sorters(Some(sorters)), _) => *sorters,
            _ => ArcSorters::new(context, context.budget.available())?,
        };
        Ok((sorters, Vec::new()))
    }
}

/// Edges between ranks that were set aside.
struct Unordered<'w, A> {
    writing: &'w Writing<'w>,
    edges: EdgeSpool<A>,
}

impl<A: ArcRecord> Unordered<'_, A> {
    fn permute(&self, order: VertexOrder<'_>, vertices: u32) -> Result<(ArcSorters<A>, Vec<FileEntry>)> {
        let context = self.writing.context;
        // Degrees, the permutation and its inverse; the order's own work is no larger.
        let held = context.budget.reserve(3 * 4 * u64::from(vertices), Purpose::IdMap)?;
        let permutation = match order.permutation {
            PermutationFrom::Degrees(compute) => compute(&self.degrees(vertices)?),
            PermutationFrom::Count(compute) => compute(vertices),
        };
        let files = write_tables(self.writing, &permutation)?;
        let mut sorters = ArcSorters::<A>::new(context, context.budget.available())?;
        self.edges.for_each(context, "renumbering", |source, target, weight| {
            sorters.push(permutation.apply(source), permutation.apply(target), weight)
        })?;
        drop(held);
        Ok((sorters, files))
    }

    /// Number of list entries of each rank before repeated edges are combined: both ends of every edge, but an undirected
    /// loop is one entry.
    fn degrees(&self, vertices: u32) -> Result<Vec<u32>> {
        let mut degrees = memory::filled(index_from(u64::from(vertices)), Purpose::Degrees, |_| 0_u32)?;
        let undirected = self.writing.context.options.undirected;
        let mut count = |rank: u32| {
            if let Some(degree) = degrees.get_mut(index_from(u64::from(rank))) {
                *degree = degree.saturating_add(1);
            }
        };
        self.edges.for_each(self.writing.context, "counting degrees", |source, target, _| {
            count(source);
            if !undirected || source != target {
                count(target);
            }
            Ok(())
        })?;
        Ok(degrees)
    }
}

fn write_tables(writing: &Writing<'_>, vertex_of_rank: &Permutation) -> Result<Vec<FileEntry>> {
    let write = |name: &str, numbers: &[VertexId]| {
        let mut writer = writing.component(name)?;
        writer.write(bytemuck::cast_slice(numbers))?;
        writer.finish()
    };
    let vertices = write(VERTEX_OF_RANK_NAME, vertex_of_rank.as_slice())?;
    Ok(vec![vertices, write(RANK_OF_VERTEX_NAME, vertex_of_rank.inverse().as_slice())?])
}
