//! Numbering of IDs in memory, while they fit in a part of the budget. Edges are spooled with the numbers, until these
//! have ranks. If the IDs outgrow the memory, they and the edges go to the sorters.

use super::by_sorting::{DurableMapping, IdKindMap, SortedMapping, resume_sorted};
use super::input::{Input, InputTaker, MappedIds, weight_of};
use super::ranks::Ranks;
use crate::manifest::FileEntry;
use crate::writing::context::{BuildContext, Writing};
use crate::writing::edges::{
    DurableSample, DurableSpool, EdgeBatch, EdgeSampler, EdgeSink, EdgeSpool, EdgeSpoolWriter, IdBatch, NumberedEdges,
    Pass,
};
use crate::writing::preflight::{IdFiles, check_sorting, edge_bytes};
use crate::writing::record::ArcRecord;
use outcrop_types::{Purpose, Reservation, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Number of IDs or edges passed to the sorters at once.
pub(super) const REPLAYED: usize = 1 << 13;

/// Table of IDs in memory, which gives each ID a number.
pub(super) trait NumberTable: Sized {
    /// Sorter of the IDs if there are too many.
    type Sorted: IdKindMap;
    /// Durable IDs, which survive the process.
    type Durable: Serialize + DeserializeOwned;

    /// Creates a table of at most `bytes`, for an expected number of edges.
    fn new(bytes: u64, edges: Option<u64>) -> Self;

    /// Appends the numbers of `ids`; returns `false` if they do not fit in the memory.
    fn number(&mut self, ids: &IdBatch, numbers: &mut Vec<u32>) -> Result<bool>;

    /// Returns the files of sorting, with `ids` that do not fit and the bytes of the input per edge.
    fn files_of_sorting(&self, ids: &IdBatch, edge_bytes: u64) -> IdFiles;

    /// Returns the memory in use, in bytes.
    fn bytes(&self) -> u64;

    /// Passes on all IDs.
    fn for_each(&self, take: impl FnMut(IdBatch) -> Result<()>) -> Result<()>;

    /// Returns the IDs with these numbers.
    fn ids_of(&self, numbers: &[u32]) -> IdBatch;

    /// Writes the IDs in ascending order, and returns their ranks.
    fn finish(self, writing: &Writing<'_>) -> Result<RankedIds>;

    /// Makes the IDs durable.
    fn keep(&self, context: &BuildContext<'_>) -> Result<Self::Durable>;

    /// Restores durable IDs; returns the memory that they need, in bytes.
    fn resume(&mut self, context: &BuildContext<'_>, kept: &Self::Durable) -> Result<u64>;
}

/// IDs that have ranks.
pub(super) struct RankedIds {
    pub(super) vertices: u32,
    pub(super) ranks: Ranks,
    /// Memory of the ranks, in bytes.
    pub(super) bytes: u64,
    pub(super) files: Vec<FileEntry>,
}

/// Reads edges and passes them on as ranks.
pub(super) fn map<T: NumberTable, A: ArcRecord>(
    writing: &Writing<'_>,
    input: &mut Input,
    sink: &mut EdgeSink<A>,
) -> Result<MappedIds> {
    let context = writing.context;
    if let Some(mapped) = resume_sorted::<T::Sorted, A>(writing, input, sink)? {
        return Ok(mapped);
    }
    let kept: Option<DurableIds<T>> = input.resume(context)?;
    let estimate = input.edges_estimate();
    // Default: nothing is estimated for an unknown number of edges.
    let edge_bytes = edge_bytes(&*input.edges, estimate.unwrap_or_default());
    let mut mapping = Mapping { spooled: None, sorted: None, estimate, edge_bytes };
    match &kept {
        None => mapping.spooled = Some(SpooledNumbers::<T, A>::new(context, estimate)?),
        Some(DurableIds::Numbered(kept)) => {
            mapping.spooled = Some(SpooledNumbers::resume(context, estimate, kept)?);
        }
        Some(DurableIds::Sorted(kept)) => mapping.sorted = Some(SortedMapping::resume(context, kept)?),
    }
    input.read(writing, &mut mapping)?;
    match mapping {
        Mapping { spooled: Some(edges), .. } => edges.finish(writing, sink),
        Mapping { sorted: Some(edges), .. } => edges.finish(writing, input, sink),
        Mapping { spooled: None, sorted: None, .. } => {
            SortedMapping::<T::Sorted>::new(context)?.finish(writing, input, sink)
        }
    }
}

/// Durable IDs and edges, which survive the process.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
enum DurableIds<T: NumberTable> {
    Numbered(DurableNumbers<T::Durable>),
    Sorted(DurableMapping<T::Sorted>),
}

/// Numbering of the IDs: in memory as long as they fit, then by sorting.
struct Mapping<T: NumberTable, A: ArcRecord> {
    spooled: Option<SpooledNumbers<T, A>>,
    sorted: Option<SortedMapping<T::Sorted>>,
    /// Expected number of edges, and bytes of the input per edge.
    estimate: Option<u64>,
    edge_bytes: u64,
}

impl<T: NumberTable, A: ArcRecord> InputTaker for Mapping<T, A> {
    type Durable = DurableIds<T>;

    fn take_edges(&mut self, context: &BuildContext<'_>, batch: &EdgeBatch) -> Result<()> {
        if let Some(spooled) = &mut self.spooled
            && spooled.number(&batch.endpoints)?
        {
            return spooled.set_aside(batch);
        }
        self.sorted(context, &batch.endpoints)?.take_edges(context, batch)
    }

    fn take_vertices(&mut self, context: &BuildContext<'_>, batch: &IdBatch) -> Result<()> {
        if let Some(spooled) = &mut self.spooled
            && spooled.number(batch)?
        {
            return Ok(());
        }
        self.sorted(context, batch)?.take_vertices(context, batch)
    }

    fn keep(&mut self, context: &BuildContext<'_>) -> Result<DurableIds<T>> {
        match (&mut self.spooled, &mut self.sorted) {
            (Some(spooled), _) => spooled.keep(context).map(DurableIds::Numbered),
            (None, Some(sorted)) => sorted.keep(context).map(DurableIds::Sorted),
            (None, vacant) => vacant.insert(SortedMapping::new(context)?).keep(context).map(DurableIds::Sorted),
        }
    }
}

impl<T: NumberTable, A: ArcRecord> Mapping<T, A> {
    /// Returns the sorters, after moving all IDs to them because `ids` do not fit in memory.
    fn sorted(&mut self, context: &BuildContext<'_>, ids: &IdBatch) -> Result<&mut SortedMapping<T::Sorted>> {
        if let Some(SpooledNumbers { table, mut held, edges, .. }) = self.spooled.take() {
            check_sorting(context, self.estimate, table.files_of_sorting(ids, self.edge_bytes), A::WEIGHTED)?;
            let edges = edges.finish()?.without_counts();
            held.shrink_to(table.bytes());
            replay(context, &table, &edges, self.sorted.insert(SortedMapping::new(context)?))?;
        }
        match &mut self.sorted {
            Some(sorted) => Ok(sorted),
            vacant => Ok(vacant.insert(SortedMapping::new(context)?)),
        }
    }
}

/// Durable edges whose IDs are in memory.
#[derive(Serialize, Deserialize)]
struct DurableNumbers<D> {
    ids: D,
    edges: DurableSpool,
    sample: Option<DurableSample>,
}

/// Spooled edges whose IDs are in memory.
struct SpooledNumbers<T, A: ArcRecord> {
    table: T,
    held: Reservation,
    edges: EdgeSpoolWriter<A>,
    sampler: Option<EdgeSampler>,
    /// Numbers of the last batch.
    numbers: Vec<u32>,
}

impl<T: NumberTable, A: ArcRecord> SpooledNumbers<T, A> {
    /// Creates a table that fits the budget and the number of edges, if known.
    fn new(context: &BuildContext<'_>, edges: Option<u64>) -> Result<Self> {
        let sampler = EdgeSampler::new(context)?;
        let held = context.work.budget.reserve_growing(context.work.budget.available() / 2, Purpose::IdMap)?;
        let table = T::new(held.bytes().min(context.limits.table_bytes), edges);
        Ok(Self { table, held, edges: EdgeSpoolWriter::create(context, edges)?, sampler, numbers: Vec::new() })
    }

    /// Makes IDs and edges durable.
    fn keep(&mut self, context: &BuildContext<'_>) -> Result<DurableNumbers<T::Durable>> {
        Ok(DurableNumbers {
            ids: self.table.keep(context)?,
            edges: self.edges.keep()?,
            sample: self.sampler.as_ref().map(|sampler| sampler.keep(context)).transpose()?,
        })
    }

    /// Restores durable IDs and edges.
    fn resume(context: &BuildContext<'_>, edges: Option<u64>, kept: &DurableNumbers<T::Durable>) -> Result<Self> {
        let mut spooled = Self::new(context, edges)?;
        spooled.edges = EdgeSpoolWriter::resume(context, &kept.edges)?;
        // The restored IDs must fit even if the budget is smaller than before.
        let bytes = spooled.table.resume(context, &kept.ids)?;
        if spooled.held.bytes() < bytes {
            spooled.held.grow_to(bytes)?;
        }
        for (sampler, sample) in spooled.sampler.iter_mut().zip(&kept.sample) {
            sampler.resume(context, sample)?;
        }
        Ok(spooled)
    }

    /// Numbers the IDs; returns `false` if they do not fit.
    fn number(&mut self, ids: &IdBatch) -> Result<bool> {
        self.numbers.clear();
        self.table.number(ids, &mut self.numbers)
    }

    /// Spools the edges whose ends were numbered last.
    fn set_aside(&mut self, batch: &EdgeBatch) -> Result<()> {
        for (edge, [source, target]) in self.numbers.as_chunks().0.iter().enumerate() {
            if let Some(sampler) = &mut self.sampler {
                sampler.take(*source, *target);
            }
            self.edges.push(*source, *target, weight_of(batch, edge))?;
        }
        Ok(())
    }

    fn finish(self, writing: &Writing<'_>, sink: &mut EdgeSink<A>) -> Result<MappedIds> {
        let Self { table, mut held, edges, sampler, .. } = self;
        let RankedIds { vertices, ranks, bytes, files } = table.finish(writing)?;
        held.shrink_to(bytes);
        sink.take_all(NumberedEdges { edges: edges.finish()?, ranks, sampler, held });
        Ok(MappedIds { vertices, kind: T::Sorted::KIND, files })
    }
}

/// Passes IDs and spooled edges to the sorters.
fn replay<T: NumberTable, A: ArcRecord>(
    context: &BuildContext<'_>,
    table: &T,
    edges: &EdgeSpool<A>,
    sorted: &mut SortedMapping<T::Sorted>,
) -> Result<()> {
    table.for_each(|ids| sorted.take_vertices(context, &ids))?;
    let (mut ends, mut weights) = (Vec::new(), Vec::new());
    let mut hand_over = |ends: &mut Vec<u32>, weights: &mut Vec<f64>| {
        let endpoints = table.ids_of(ends);
        ends.clear();
        let weights = std::mem::take(weights);
        sorted.take_edges(context, &EdgeBatch { endpoints, weights, times: Vec::new() })
    };
    edges.for_each(
        context,
        Pass::last("sorting edges"),
        |_| (),
        |edges| {
            for (source, target, weight) in edges.iter().map(|edge| edge.parts()) {
                ends.extend([source, target]);
                weights.push(weight);
                if weights.len() == REPLAYED {
                    hand_over(&mut ends, &mut weights)?;
                }
            }
            Ok(())
        },
    )?;
    hand_over(&mut ends, &mut weights)
}
