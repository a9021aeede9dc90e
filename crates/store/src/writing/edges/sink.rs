//! Destination of edges between ranks: the sorters, or a spool on disk until the vertex order is known.

use super::entry_counts::{EntryCounts, EntryRule};
use super::sampler::{DurableSample, EdgeSampler};
use super::spool::{DurableSpool, EdgeSpool, EdgeSpoolWriter, Pass};
use crate::manifest::{FileEntry, SelfLoops};
use crate::original_ids::{RANK_OF_VERTEX_NAME, VERTEX_OF_RANK_NAME};
use crate::sort::ExternalSorter;
use crate::writing::arc_sorters::{ArcSorters, DurableArcs};
use crate::writing::context::{BuildContext, Writing};
use crate::writing::id_map::Ranks;
use crate::writing::options::{PermutationFrom, VertexOrder};
use crate::writing::preflight::check_arcs;
use crate::writing::record::ArcRecord;
use outcrop_types::{
    Error, MemoryPlan, Permutation, Purpose, Reservation, Result, VertexId, index_from, memory, number_from,
};
use serde::{Deserialize, Serialize};

/// Number of parts in which an order is inverted: 5 bytes per vertex hold the order and a part of the inverse.
const INVERTED_PARTS: usize = 4;

/// Destination of edges between ranks.
pub(in crate::writing) struct EdgeSink<A: ArcRecord> {
    destination: Destination<A>,
    loops: LoopFilter,
    /// Expected number of edges.
    estimate: Option<u64>,
}

/// Counts of the edges.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(in crate::writing) struct EdgeCounts {
    pub(in crate::writing) edges: u64,
    pub(in crate::writing) loops: u64,
    pub(in crate::writing) loops_dropped: u64,
}

/// Filter that counts edges and drops loops if the graph excludes them.
struct LoopFilter {
    drop: bool,
    counts: EdgeCounts,
}

impl LoopFilter {
    #[inline]
    fn lets_through(&mut self, source: u32, target: u32) -> bool {
        self.counts.edges += 1;
        if source != target {
            return true;
        }
        self.counts.loops += 1;
        self.counts.loops_dropped += u64::from(self.drop);
        !self.drop
    }
}

enum Destination<A: ArcRecord> {
    /// No edge has arrived.
    Open,
    /// The ranks are the vertices.
    Sorters(Box<ArcSorters<A>>),
    /// Edges between ranks, spooled until the order is known.
    Spool { edges: EdgeSpoolWriter<A>, sampler: Option<EdgeSampler> },
    /// Edges that were spooled before their IDs had ranks.
    Numbered(NumberedEdges<A>),
}

/// Durable edges, which survive the process.
#[derive(Serialize, Deserialize)]
pub(in crate::writing) struct DurableEdges {
    destination: DurableDestination,
    counts: EdgeCounts,
}

#[derive(Serialize, Deserialize)]
enum DurableDestination {
    Open,
    Sorters(DurableArcs),
    Spool { edges: DurableSpool, sample: Option<DurableSample> },
}

/// Edges spooled with IDs that have ranks by now.
pub(in crate::writing) struct NumberedEdges<A> {
    pub(in crate::writing) edges: EdgeSpool<A>,
    pub(in crate::writing) ranks: Ranks,
    pub(in crate::writing) sampler: Option<EdgeSampler>,
    /// Reservation for the memory of the ranks.
    pub(in crate::writing) held: Reservation,
}

/// Sorted arcs of a graph, and its vertex order.
pub(in crate::writing) struct OrderedArcs<'o, A: ArcRecord> {
    pub(in crate::writing) sorters: ArcSorters<A>,
    pub(in crate::writing) counts: EdgeCounts,
    /// Order of the vertices; `None` for the original order.
    pub(in crate::writing) order: Option<VertexOrder<'o>>,
    /// Files that translate between ranks and vertices.
    pub(in crate::writing) files: Vec<FileEntry>,
}

impl<A: ArcRecord> EdgeSink<A> {
    /// Creates a sink for an expected number of edges.
    pub(in crate::writing) fn new(context: &BuildContext<'_>, estimate: Option<u64>) -> Self {
        let drop = context.options.self_loops == SelfLoops::Drop;
        Self { destination: Destination::Open, loops: LoopFilter { drop, counts: EdgeCounts::default() }, estimate }
    }

    /// Makes the edges durable.
    pub(in crate::writing) fn keep(&mut self, context: &BuildContext<'_>) -> Result<DurableEdges> {
        let destination = match &mut self.destination {
            Destination::Open => DurableDestination::Open,
            Destination::Sorters(sorters) => DurableDestination::Sorters(sorters.keep()?),
            Destination::Spool { edges, sampler } => DurableDestination::Spool {
                edges: edges.keep()?,
                sample: sampler.as_ref().map(|sampler| sampler.keep(context)).transpose()?,
            },
            Destination::Numbered(_) => return Err(Error::internal("numbered edges cannot be kept")),
        };
        Ok(DurableEdges { destination, counts: self.loops.counts })
    }

    /// Restores durable edges, before any others are added.
    pub(in crate::writing) fn resume(&mut self, context: &BuildContext<'_>, kept: &DurableEdges) -> Result<()> {
        self.loops.counts = kept.counts;
        self.destination = match (&kept.destination, Destination::new(context, self.estimate)?) {
            (DurableDestination::Open, _) => Destination::Open,
            (DurableDestination::Sorters(arcs), Destination::Sorters(mut sorters)) => {
                sorters.resume(arcs)?;
                Destination::Sorters(sorters)
            }
            (DurableDestination::Spool { edges, sample }, Destination::Spool { mut sampler, .. }) => {
                for (sampler, sample) in sampler.iter_mut().zip(sample) {
                    sampler.resume(context, sample)?;
                }
                Destination::Spool { edges: EdgeSpoolWriter::resume(context, edges)?, sampler }
            }
            _ => return Err(Error::internal("the checkpoint belongs to a build with another order")),
        };
        Ok(())
    }

    /// Adds an edge between ranks.
    #[inline]
    pub(in crate::writing) fn push(
        &mut self,
        context: &BuildContext<'_>,
        source: u32,
        target: u32,
        weight: f64,
    ) -> Result<()> {
        if matches!(self.destination, Destination::Open) {
            self.destination = Destination::new(context, self.estimate)?;
        }
        match &mut self.destination {
            Destination::Sorters(sorters) if self.loops.lets_through(source, target) => {
                sorters.push(source, target, weight)
            }
            Destination::Sorters(_) => Ok(()),
            Destination::Spool { edges, sampler } => {
                if let Some(sampler) = sampler {
                    sampler.take(source, target);
                }
                edges.push(source, target, weight)
            }
            Destination::Open | Destination::Numbered(_) => Err(Error::internal("an edge follows the reserved ones")),
        }
    }

    /// Adds all edges.
    pub(in crate::writing) fn take_all(&mut self, edges: NumberedEdges<A>) {
        self.destination = Destination::Numbered(edges);
    }

    /// Computes the order of the vertices and passes spooled edges to the sorters.
    pub(in crate::writing) fn finish<'o>(self, writing: &Writing<'o>, vertices: u32) -> Result<OrderedArcs<'o, A>> {
        let (context, loops) = (writing.context, self.loops);
        let destination = match self.destination {
            Destination::Open => Destination::new(context, self.estimate)?,
            taken => taken,
        };
        let (edges, ranks, sampler, held) = match destination {
            Destination::Open => return Err(Error::internal("the edge sink was not opened")),
            Destination::Sorters(sorters) => {
                return Ok(OrderedArcs { sorters: *sorters, counts: loops.counts, order: None, files: Vec::new() });
            }
            Destination::Spool { edges, sampler } => (edges.finish()?, None, sampler, None),
            Destination::Numbered(NumberedEdges { edges, ranks, sampler, held }) => {
                (edges, Some(ranks), sampler, Some(held))
            }
        };
        SpooledEdges { writing, edges, ranks, vertices, held }.sort(loops, sampler)
    }
}

impl<A: ArcRecord> Destination<A> {
    fn new(context: &BuildContext<'_>, edges: Option<u64>) -> Result<Self> {
        Ok(match context.options.order {
            None => Self::Sorters(Box::new(ArcSorters::new(context, context.work.budget.available(), edges)?)),
            Some(_) => {
                let sampler = EdgeSampler::new(context)?;
                Self::Spool { edges: EdgeSpoolWriter::create(context, edges)?, sampler }
            }
        })
    }
}

/// Spooled edges.
struct SpooledEdges<'w, 'o, A> {
    writing: &'w Writing<'o>,
    edges: EdgeSpool<A>,
    /// Ranks of the IDs in the edges; `None` if the edges contain ranks.
    ranks: Option<Ranks>,
    vertices: u32,
    /// Reservation for the memory of the ranks.
    held: Option<Reservation>,
}

impl<'o, A: ArcRecord> SpooledEdges<'_, 'o, A> {
    fn sort(mut self, mut loops: LoopFilter, sampler: Option<EdgeSampler>) -> Result<OrderedArcs<'o, A>> {
        let context = self.writing.context;
        let ids = self.ranks.as_ref().map_or_else(|| self.vertices.into(), Ranks::numbers);
        check_arcs(context, self.edges.size(ids), self.vertices)?;
        let counted = context.options.order.as_ref().is_some_and(|order| self.has_room_for(order));
        let counts = self.edges.counts.take().filter(|_| counted);
        let order = context.options.order.filter(|order| self.suits(order, sampler));
        let (permutation, files, _held) = match order {
            None => {
                drop(counts);
                (None, Vec::new(), None)
            }
            Some(order) => {
                // With more memory, the bitmap of IDs may use a quarter of it.
                let bytes = order.bytes(self.vertices);
                let enough = || MemoryPlan::new().with(Purpose::IdMap, bytes.div_ceil(3) * 4);
                let refused = |refusal| context.work.budget.require(&enough()).and(Err(refusal));
                let mut held = context.work.budget.reserve(bytes, Purpose::IdMap).or_else(refused)?;
                let permutation = self.permutation(&order, counts.as_ref())?;
                let files = write_tables(self.writing, &permutation)?;
                if let (Some(ranks), Some(counts)) = (&self.ranks, counts) {
                    let vertex = |number| permutation.as_slice().get(index_from(u64::from(ranks.rank(number))));
                    // Default: a number after those of the IDs is in no edge.
                    let (vertices, held) = counts.replace(|number| vertex(number).copied().unwrap_or_default());
                    (self.ranks, self.held) = (Some(Ranks::Table(vertices)), Some(held));
                    (None, files, None)
                } else {
                    held.shrink_to(4 * u64::from(self.vertices));
                    (Some(permutation), files, Some(held))
                }
            }
        };
        let mut sorters = ArcSorters::<A>::new(context, context.work.budget.available(), Some(self.edges.len()))?;
        let mut sort = |edges: &[A]| {
            // Between two loops that are dropped, all edges are sorted.
            let dropped = |edge: &A| {
                let (source, target, _) = edge.parts();
                !loops.lets_through(source, target)
            };
            edges.split(dropped).try_for_each(|edges| sorters.push_all(edges))
        };
        let pass = Pass::last("renumbering");
        match &permutation {
            None => self.for_each(pass, |_| (), &mut sort)?,
            Some(permutation) => {
                self.for_each(pass, |edges| rename(edges, |rank| permutation.apply(rank)), &mut sort)?
            }
        }
        Ok(OrderedArcs { sorters, counts: loops.counts, order, files })
    }

    /// Returns true if the graph gets `order`: if it has a condition, the sample must meet it, and the budget must
    /// suffice.
    fn suits(&self, order: &VertexOrder<'_>, sampler: Option<EdgeSampler>) -> bool {
        let (Some(condition), Some(mut sampler)) = (order.condition, sampler) else { return true };
        self.has_room_for(order) && condition(&sampler.finish(self.vertices, |id| self.rank(id)))
    }

    /// Returns true if the memory suffices for computing `order` and then sorting.
    fn has_room_for(&self, order: &VertexOrder<'_>) -> bool {
        let bytes = order.bytes(self.vertices) + 2 * ExternalSorter::<A>::LEAST_BYTES;
        self.writing.context.work.budget.available() >= bytes
    }

    fn permutation(&self, order: &VertexOrder<'_>, counts: Option<&EntryCounts>) -> Result<Permutation> {
        Ok(match order.permutation {
            PermutationFrom::Degrees(compute) => compute(self.degrees(counts)?),
            PermutationFrom::Count(compute) => compute(self.vertices),
        })
    }

    #[inline]
    fn rank(&self, id: u32) -> u32 {
        self.ranks.as_ref().map_or(id, |ranks| ranks.rank(id))
    }

    /// Passes on all edges between ranks, after `prepare` has processed them on other threads.
    fn for_each(
        &self,
        pass: Pass,
        prepare: impl Fn(&mut [A]) + Sync,
        take: impl FnMut(&[A]) -> Result<()>,
    ) -> Result<()> {
        let number = |edges: &mut [A]| {
            match &self.ranks {
                None => {}
                Some(Ranks::Bitmap(ranks)) => rename(edges, |id| ranks.rank(id)),
                Some(Ranks::Table(ranks)) => rename(edges, |number| ranks[index_from(u64::from(number))]),
            }
            prepare(edges);
        };
        self.edges.for_each(self.writing.context, pass, number, take)
    }

    /// Returns the number of list entries of each rank before duplicate edges are merged, which are counted now unless
    /// there are `counts`.
    fn degrees(&self, counts: Option<&EntryCounts>) -> Result<Vec<u32>> {
        let mut degrees = memory::filled(index_from(u64::from(self.vertices)), Purpose::Degrees, |_| 0_u32)?;
        let Some(counts) = counts else {
            let rule = EntryRule::of(self.writing.context.options);
            let count = |edges: &[A]| {
                rule.count(edges, &mut degrees);
                Ok(())
            };
            self.for_each(Pass::early("counting degrees"), |_| (), count)?;
            return Ok(degrees);
        };
        counts.for_each(|number, count| {
            if count > 0
                && let Some(degree) = degrees.get_mut(index_from(u64::from(self.rank(number))))
            {
                *degree = count;
            }
        });
        Ok(degrees)
    }
}

/// Renumbers the ends of edges.
fn rename<A: ArcRecord>(edges: &mut [A], number: impl Fn(u32) -> u32) {
    for edge in edges {
        let (source, target, weight) = edge.parts();
        *edge = A::new(number(source), number(target), weight);
    }
}

/// Writes both directions of an order; the second in parts, which take a byte per vertex.
fn write_tables(writing: &Writing<'_>, vertex_of_rank: &Permutation) -> Result<Vec<FileEntry>> {
    let mut writer = writing.component(VERTEX_OF_RANK_NAME)?;
    writer.write(bytemuck::cast_slice(vertex_of_rank.as_slice()))?;
    let vertices = writer.finish()?;
    let mut writer = writing.component(RANK_OF_VERTEX_NAME)?;
    let part = vertex_of_rank.len().div_ceil(INVERTED_PARTS).max(1);
    let mut ranks: Vec<VertexId> = memory::filled(part, Purpose::IdMap, |_| 0)?;
    for first in (0..vertex_of_rank.len()).step_by(part) {
        vertex_of_rank.invert_from(number_from(first), &mut ranks);
        writer.write(bytemuck::cast_slice(&ranks[..part.min(vertex_of_rank.len() - first)]))?;
    }
    Ok(vec![vertices, writer.finish()?])
}
