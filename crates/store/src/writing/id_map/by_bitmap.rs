//! Numbering of small integer IDs with one bit per ID up to the largest: the rank of an ID is the number of bits set
//! before it. IDs that exceed the bitmap allowed by the budget are numbered by sorting.

use super::by_sorting::{DurableMapping, IntegerIds, SortedMapping, resume_sorted};
use super::input::{Input, InputTaker, MappedIds, no_numbers, weight_of};
use super::ranked_bitmap::{LINE_WORDS, RankedBitmap};
use crate::manifest::OriginalIds;
use crate::original_ids::INTEGERS_NAME;
use crate::writing::checkpoint::{kept_values, save_values};
use crate::writing::context::{BuildContext, Writing, vertex_count};
use crate::writing::edges::{DurableSample, EdgeBatch, EdgeSampler, EdgeSink, EdgeSpoolWriter, IdBatch, NumberedEdges};
use crate::writing::preflight::check_sorting;
use crate::writing::record::ArcRecord;
use outcrop_io::DurableFile;
use outcrop_types::{Purpose, Reservation, Result, index_from, length_from, memory, number_from};
use serde::{Deserialize, Serialize};

/// Bits and words of a line, the unit of counting.
const LINE_BITS: u64 = 512;
/// Maximum number of bits per edge: a large ID in a small file does not allocate memory proportional to its value.
const BITS_AN_EDGE: u64 = 256;
/// Number of bits that is always available.
const LEAST_BITS: u64 = 1 << 23;
/// Number of IDs or edges passed to the sorters at once if the bitmap is too small.
const REPLAYED: usize = 1 << 13;

/// Reads edges with integer IDs and passes them on as ranks.
pub(super) fn map<A: ArcRecord>(writing: &Writing<'_>, input: &mut Input, sink: &mut EdgeSink<A>) -> Result<MappedIds> {
    let context = writing.context;
    if let Some(mapped) = resume_sorted::<IntegerIds, A>(writing, input, sink)? {
        return Ok(mapped);
    }
    let kept = input.resume(context)?;
    let estimate = input.edges.edges_estimate();
    let mut mapping = match &kept {
        None => Mapping { marked: Some(MarkedEdges::<A>::new(context, estimate)?), sorted: None, estimate },
        Some(DurableIds::Ticked(kept)) => {
            Mapping { marked: Some(MarkedEdges::resume(context, estimate, kept)?), sorted: None, estimate }
        }
        Some(DurableIds::Sorted(kept)) => {
            Mapping { marked: None, sorted: Some(SortedMapping::resume(context, kept)?), estimate }
        }
    };
    input.read(writing, &mut mapping)?;
    match mapping {
        Mapping { marked: Some(edges), .. } => edges.finish(writing, sink),
        Mapping { sorted: Some(edges), .. } => edges.finish(writing, input, sink),
        Mapping { marked: None, sorted: None, .. } => {
            SortedMapping::<IntegerIds>::new(context)?.finish(writing, input, sink)
        }
    }
}

/// Durable IDs and edges, which survive the process.
#[derive(Serialize, Deserialize)]
enum DurableIds {
    Ticked(DurableMarkedEdges),
    Sorted(DurableMapping<IntegerIds>),
}

/// Numbering of the IDs: by bitmap as long as the IDs fit, then by sorting.
struct Mapping<A: ArcRecord> {
    marked: Option<MarkedEdges<A>>,
    sorted: Option<SortedMapping<IntegerIds>>,
    /// Expected number of edges.
    estimate: Option<u64>,
}

impl<A: ArcRecord> InputTaker for Mapping<A> {
    type Durable = DurableIds;

    fn take_edges(&mut self, context: &BuildContext<'_>, batch: &EdgeBatch) -> Result<()> {
        if let Some(marked) = &mut self.marked
            && marked.mark(&batch.endpoints)?
        {
            return marked.set_aside(batch);
        }
        self.sorted(context)?.take_edges(context, batch)
    }

    fn take_vertices(&mut self, context: &BuildContext<'_>, batch: &IdBatch) -> Result<()> {
        if let Some(marked) = &mut self.marked
            && marked.mark(batch)?
        {
            return Ok(());
        }
        self.sorted(context)?.take_vertices(context, batch)
    }

    fn keep(&mut self, context: &BuildContext<'_>) -> Result<DurableIds> {
        match &mut self.marked {
            Some(marked) => marked.keep(context).map(DurableIds::Ticked),
            None => self.sorted(context)?.keep(context).map(DurableIds::Sorted),
        }
    }
}

impl<A: ArcRecord> Mapping<A> {
    /// Returns the sorters, after moving the IDs in the bitmap to them.
    fn sorted(&mut self, context: &BuildContext<'_>) -> Result<&mut SortedMapping<IntegerIds>> {
        if let Some(mut marked) = self.marked.take() {
            check_sorting(context, self.estimate, A::WEIGHTED)?;
            marked.held.shrink_to(marked.bitmap.bytes());
            marked.replay(context, self.sorted.insert(SortedMapping::new(context)?))?;
        }
        match &mut self.sorted {
            Some(sorted) => Ok(sorted),
            vacant => Ok(vacant.insert(SortedMapping::new(context)?)),
        }
    }
}

/// Durable edges whose IDs are marked in a bitmap.
#[derive(Serialize, Deserialize)]
struct DurableMarkedEdges {
    words: DurableFile,
    edges: Vec<DurableFile>,
    sample: Option<DurableSample>,
}

/// Spooled edges whose IDs are marked in a bitmap.
struct MarkedEdges<A: ArcRecord> {
    bitmap: IdBitmap,
    held: Reservation,
    edges: EdgeSpoolWriter<A>,
    sampler: Option<EdgeSampler>,
}

impl<A: ArcRecord> MarkedEdges<A> {
    /// Creates a bitmap that fits the budget and the number of edges, if known.
    fn new(context: &BuildContext<'_>, edges: Option<u64>) -> Result<Self> {
        let sampler = EdgeSampler::new(context)?;
        let held = context.work.budget.reserve_growing(context.work.budget.available() / 2, Purpose::IdMap)?;
        let worthwhile = edges.map_or(u64::MAX, |edges| edges.saturating_mul(BITS_AN_EDGE).max(LEAST_BITS));
        // A growing vector holds its old and its new words at once; counts come on top.
        let most = (held.bytes() / 18 * u64::from(u64::BITS)).min(1 << 32).min(worthwhile);
        let edges = EdgeSpoolWriter::create(context)?;
        Ok(Self { bitmap: IdBitmap { words: Vec::new(), most }, held, edges, sampler })
    }

    /// Makes IDs and edges durable.
    fn keep(&mut self, context: &BuildContext<'_>) -> Result<DurableMarkedEdges> {
        Ok(DurableMarkedEdges {
            words: save_values(&context.spill, &self.bitmap.words)?,
            edges: self.edges.keep()?,
            sample: self.sampler.as_ref().map(|sampler| sampler.keep(context)).transpose()?,
        })
    }

    /// Restores durable IDs and edges.
    fn resume(context: &BuildContext<'_>, edges: Option<u64>, kept: &DurableMarkedEdges) -> Result<Self> {
        let mut marked = Self::new(context, edges)?;
        let words = kept_values(&context.spill, &kept.words, Purpose::IdMap)?;
        // The restored words must fit even if the budget is smaller than before.
        let bytes = length_from(words.len()) * 18;
        if marked.held.bytes() < bytes {
            marked.held.grow_to(bytes)?;
        }
        marked.bitmap.words = words;
        marked.edges = EdgeSpoolWriter::resume(context, &kept.edges)?;
        for (sampler, sample) in marked.sampler.iter_mut().zip(&kept.sample) {
            sampler.resume(context, sample)?;
        }
        Ok(marked)
    }

    /// Marks the IDs; returns `false`, without marking any, if one is too large.
    fn mark(&mut self, ids: &IdBatch) -> Result<bool> {
        let IdBatch::Integers(ids) = ids else { return Err(no_numbers()) };
        self.bitmap.mark(ids)
    }

    fn set_aside(&mut self, batch: &EdgeBatch) -> Result<()> {
        let IdBatch::Integers(ids) = &batch.endpoints else { return Err(no_numbers()) };
        let edges = ids.as_chunks().0.iter().enumerate();
        edges.into_iter().try_for_each(|(edge, [source, target])| {
            let (source, target) = (small(*source), small(*target));
            if let Some(sampler) = &mut self.sampler {
                sampler.take(source, target);
            }
            self.edges.push(source, target, weight_of(batch, edge))
        })
    }

    /// Passes everything to the sorters.
    fn replay(self, context: &BuildContext<'_>, sorted: &mut SortedMapping<IntegerIds>) -> Result<()> {
        let mut ids = Vec::with_capacity(REPLAYED);
        self.bitmap.for_each(|id| {
            ids.push(id);
            if ids.len() < REPLAYED {
                return Ok(());
            }
            let full = std::mem::replace(&mut ids, Vec::with_capacity(REPLAYED));
            sorted.take_vertices(context, &IdBatch::Integers(full))
        })?;
        sorted.take_vertices(context, &IdBatch::Integers(ids))?;
        let (mut ends, mut weights) = (Vec::new(), Vec::new());
        let mut hand_over = |ends: &mut Vec<u64>, weights: &mut Vec<f64>| {
            let endpoints = IdBatch::Integers(std::mem::take(ends));
            let weights = std::mem::take(weights);
            sorted.take_edges(context, &EdgeBatch { endpoints, weights, times: Vec::new() })
        };
        self.edges.finish()?.for_each(
            context,
            "sorting edges",
            |_| (),
            |source, target, weight| {
                ends.extend([u64::from(source), u64::from(target)]);
                weights.push(weight);
                if weights.len() < REPLAYED { Ok(()) } else { hand_over(&mut ends, &mut weights) }
            },
        )?;
        hand_over(&mut ends, &mut weights)
    }

    fn finish(mut self, writing: &Writing<'_>, sink: &mut EdgeSink<A>) -> Result<MappedIds> {
        let mut file = writing.component(INTEGERS_NAME)?;
        self.bitmap.for_each(|id| file.write(&id.to_le_bytes()))?;
        let files = vec![file.finish()?];
        let ranks = RankedBitmap::new(self.bitmap.words);
        let vertices = vertex_count(ranks.count)?;
        self.held.shrink_to(ranks.bytes());
        let Self { held, edges, sampler, .. } = self;
        sink.take_all(NumberedEdges { edges: edges.finish()?, ranks, sampler, held });
        Ok(MappedIds { vertices, kind: OriginalIds::Integer, files })
    }
}

/// Converts an ID that the bitmap has accepted.
fn small(id: u64) -> u32 {
    number_from(id)
}

/// Set of the IDs that occurred.
struct IdBitmap {
    words: Vec<u64>,
    /// Exclusive upper bound of the IDs.
    most: u64,
}

impl IdBitmap {
    fn mark(&mut self, ids: &[u64]) -> Result<bool> {
        let Some(largest) = ids.iter().max() else { return Ok(true) };
        if *largest >= self.most {
            return Ok(false);
        }
        let words = index_from(largest / LINE_BITS + 1) * LINE_WORDS;
        if words > self.words.capacity() {
            // Double the size, so that ascending IDs do not copy the words each time.
            let most = words.max((2 * self.words.len()).min(index_from(self.most / 64)));
            let more = most - self.words.len();
            memory::make_room(&mut self.words, more, Purpose::IdMap)?;
        }
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
        for id in ids {
            self.words[index_from(id / 64)] |= 1 << (id % 64);
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        length_from(self.words.capacity()) * 8
    }

    /// Calls `take` with the IDs, in ascending order.
    fn for_each(&self, mut take: impl FnMut(u64) -> Result<()>) -> Result<()> {
        for (number, word) in (0_u64..).zip(&self.words) {
            let mut rest = *word;
            while rest != 0 {
                take(number * 64 + u64::from(rest.trailing_zeros()))?;
                rest &= rest - 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn ranks_count_the_ids_below(ids in proptest::collection::vec(0u64..5000, 1..300)) {
            let mut bitmap = IdBitmap { words: Vec::new(), most: 5000 };
            prop_assert!(bitmap.mark(&ids).unwrap());
            prop_assert!(!bitmap.mark(&[5000]).unwrap());
            let model: BTreeSet<u64> = ids.into_iter().collect();
            let mut listed = Vec::new();
            bitmap.for_each(|id| { listed.push(id); Ok(()) }).unwrap();
            prop_assert!(listed.iter().eq(&model));
            let ranks = RankedBitmap::new(bitmap.words);
            prop_assert!((0_u32..).zip(&model).all(|(rank, id)| ranks.rank(small(*id)) == rank));
            prop_assert_eq!(ranks.count, length_from(model.len()));
        }
    }
}
