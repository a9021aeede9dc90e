//! Numbering of IDs of any kind by sorting.
//!
//! The IDs are sorted once to number them. Then the edges are sorted by source and joined with the numbered IDs, and
//! again by target. While edges are sorted, strings are represented by their 128-bit hashes.

use super::input::{Input, InputTaker, MappedIds, ReadInput, no_numbers, rank, weight_of};
use crate::manifest::{FileEntry, OriginalIds};
use crate::original_ids::{INTEGERS_NAME, TEXT_ENDS_NAME, TEXTS_NAME};
use crate::sort::{DurableRecords, DurableTexts, ExternalSorter, SortedRecords, TextSorter};
use crate::writing::context::{BuildContext, Writing, vertex_count};
use crate::writing::edges::{EdgeBatch, EdgeSink, IdBatch};
use crate::writing::record::{ArcRecord, IdKey, KeyedEdge, KeyedRank, UniqueKey};
use bytemuck::Zeroable;
use outcrop_io::{DurableFile, SpillFile, SpillReader};
use outcrop_types::{Error, Location, Phase, ProgressUnit, Result, length_from};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

/// Name of the phase in which IDs are numbered and one end of each edge has its rank.
const TARGETS: &str = "looking up targets";

/// Kind of IDs: their conversion to keys, and their numbering.
pub(super) trait IdKindMap: Sized {
    type Key: IdKey;
    /// Durable IDs, which survive the process.
    type Durable: Serialize + DeserializeOwned;
    const KIND: OriginalIds;

    /// Creates a collector of IDs that uses `bytes` of memory.
    fn new(context: &BuildContext<'_>, bytes: u64) -> Result<Self>;

    /// Collects the IDs of a batch and appends their keys.
    fn collect(&mut self, ids: &IdBatch, keys: &mut Vec<Self::Key>) -> Result<()>;

    /// Makes the collected IDs durable.
    fn keep(&mut self) -> Result<Self::Durable>;

    /// Restores durable IDs, before any others are added.
    fn resume(&mut self, kept: &Self::Durable) -> Result<()>;

    /// Numbers the ids, writes them, and returns the table of keys and ranks in ascending order of keys.
    fn number(self, writing: &Writing<'_>, bytes: u64) -> Result<Numbered>;
}

pub(super) struct Numbered {
    count: u64,
    table: SpillFile,
    files: Vec<FileEntry>,
}

/// Edges and IDs in sorters.
pub(super) struct SortedMapping<M: IdKindMap> {
    share: u64,
    undirected: bool,
    by_source: ExternalSorter<KeyedEdge<M::Key>>,
    ids: M,
    keys: Vec<M::Key>,
}

/// Durable edges and IDs in sorters, which survive the process.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct DurableMapping<M: IdKindMap> {
    by_source: DurableRecords,
    ids: M::Durable,
}

/// State of a build whose edges have the ranks of their sources.
#[derive(Serialize, Deserialize)]
struct SourcesFound {
    input: ReadInput,
    vertices: u32,
    files: Vec<FileEntry>,
    table: DurableFile,
    by_target: DurableRecords,
}

impl<M: IdKindMap> InputTaker for SortedMapping<M> {
    type Durable = DurableMapping<M>;

    fn take_edges(&mut self, context: &BuildContext<'_>, batch: &EdgeBatch) -> Result<()> {
        self.take_vertices(context, &batch.endpoints)?;
        for (edge, [source, target]) in self.keys.as_chunks().0.iter().enumerate() {
            let (key, other) = ends_of(*source, *target, self.undirected);
            self.by_source.push(KeyedEdge { key, other, weight: weight_of(batch, edge) })?;
        }
        Ok(())
    }

    fn take_vertices(&mut self, _: &BuildContext<'_>, batch: &IdBatch) -> Result<()> {
        self.keys.clear();
        self.ids.collect(batch, &mut self.keys)
    }

    fn keep(&mut self, _: &BuildContext<'_>) -> Result<DurableMapping<M>> {
        Ok(DurableMapping { by_source: self.by_source.keep()?, ids: self.ids.keep()? })
    }
}

impl<M: IdKindMap> SortedMapping<M> {
    pub(super) fn resume(context: &BuildContext<'_>, kept: &DurableMapping<M>) -> Result<Self> {
        let mut mapping = Self::new(context)?;
        mapping.by_source.resume(&kept.by_source)?;
        mapping.ids.resume(&kept.ids)?;
        Ok(mapping)
    }

    pub(super) fn new(context: &BuildContext<'_>) -> Result<Self> {
        let share = context.work.budget.available() / 3;
        Ok(Self {
            share,
            undirected: context.options.undirected,
            by_source: ExternalSorter::new(
                &context.spill,
                share,
                false,
                context.work.budget,
                context.work.cancellation(),
            )?,
            ids: M::new(context, share)?,
            keys: Vec::new(),
        })
    }

    /// Numbers the ids and replaces both ends of every edge by their ranks.
    pub(super) fn finish<A: ArcRecord>(
        self,
        writing: &Writing<'_>,
        input: &Input,
        sink: &mut EdgeSink<A>,
    ) -> Result<MappedIds> {
        let context = writing.context;
        context.work.observer.phase(&Phase { name: "numbering vertices", unit: ProgressUnit::Vertices, total: None });
        let Numbered { count, table, files } = self.ids.number(writing, self.share)?;
        let vertices = vertex_count(count)?;
        let mut by_target = look_up_sources(context, self.by_source, &table, self.share)?;
        let read = input.read_before()?;
        writing.checkpoint(TARGETS, read.files().chain(&files), || {
            let (table, by_target) = (table.keep()?, by_target.keep()?);
            Ok(SourcesFound { input: read.clone(), vertices, files: files.clone(), table, by_target })
        })?;
        look_up_targets(context, by_target, &table, sink)?;
        Ok(MappedIds { vertices, kind: M::KIND, files })
    }
}

/// Resumes with edges that have the ranks of their sources, from a checkpoint of that phase.
pub(super) fn resume_sorted<M: IdKindMap, A: ArcRecord>(
    writing: &Writing<'_>,
    input: &mut Input,
    sink: &mut EdgeSink<A>,
) -> Result<Option<MappedIds>> {
    let context = writing.context;
    let Some(found) = context.resume::<SourcesFound>(TARGETS)? else { return Ok(None) };
    input.resume_behind(found.input);
    let share = context.work.budget.available() / 3;
    let mut by_target = ExternalSorter::<KeyedEdge<M::Key>>::new(
        &context.spill,
        share,
        false,
        context.work.budget,
        context.work.cancellation(),
    )?;
    by_target.resume(&found.by_target)?;
    look_up_targets(context, by_target, &context.spill.reopen(&found.table)?, sink)?;
    Ok(Some(MappedIds { vertices: found.vertices, kind: M::KIND, files: found.files }))
}

/// Returns the ends of an edge in lookup order. The ends of an undirected edge are put in a canonical order, so that
/// duplicate edges stay in input order regardless of their direction.
fn ends_of<K: IdKey>(source: K, target: K, undirected: bool) -> (K, K) {
    if undirected && target < source { (target, source) } else { (source, target) }
}

/// Replaces the source of every edge by its rank; returns the edges in a sorter by target.
fn look_up_sources<K: IdKey>(
    context: &BuildContext<'_>,
    by_source: ExternalSorter<KeyedEdge<K>>,
    table: &SpillFile,
    share: u64,
) -> Result<ExternalSorter<KeyedEdge<K>>> {
    let total = Some(by_source.len());
    context.work.observer.phase(&Phase { name: "looking up sources", unit: ProgressUnit::Edges, total });
    let mut by_target =
        ExternalSorter::new(&context.spill, share, false, context.work.budget, context.work.cancellation())?;
    join(context, by_source.finish()?, table, |edge: KeyedEdge<K>, rank| {
        by_target.push(KeyedEdge { key: edge.other, other: K::from_rank(rank), weight: edge.weight })
    })?;
    Ok(by_target)
}

/// Replaces the target of every edge by its rank and passes the edges on.
fn look_up_targets<A: ArcRecord, K: IdKey>(
    context: &BuildContext<'_>,
    by_target: ExternalSorter<KeyedEdge<K>>,
    table: &SpillFile,
    sink: &mut EdgeSink<A>,
) -> Result<()> {
    let total = Some(by_target.len());
    context.work.observer.phase(&Phase { name: "looking up targets", unit: ProgressUnit::Edges, total });
    join(context, by_target.finish()?, table, |edge: KeyedEdge<K>, rank| {
        let other = edge.other;
        sink.push(context, other.to_rank(), rank, edge.weight)
    })
}

/// Merge-joins edges and table, both in ascending order of keys.
fn join<K: IdKey>(
    context: &BuildContext<'_>,
    mut edges: SortedRecords<KeyedEdge<K>>,
    table: &SpillFile,
    mut take: impl FnMut(KeyedEdge<K>, u32) -> Result<()>,
) -> Result<()> {
    let mut table = TableReader::open(table)?;
    let (mut entry, mut done) = (table.next()?, 0_u64);
    while let Some(edge) = edges.next()? {
        let key = edge.key;
        while entry.is_some_and(|entry: KeyedRank<K>| { entry.key } < key) {
            entry = table.next()?;
        }
        let found = entry.filter(|entry| { entry.key } == key);
        let Some(KeyedRank { rank, .. }) = found else {
            return Err(Error::internal("an endpoint of an edge has no number"));
        };
        take(edge, rank)?;
        done += 1;
        if done.is_multiple_of(1 << 20) {
            context.work.cancellation().check()?;
            context.work.observer.progress(done);
        }
    }
    Ok(())
}

/// Reader of a table of keys and ranks.
struct TableReader<K: IdKey> {
    file: SpillReader,
    batch: Vec<KeyedRank<K>>,
    next: usize,
    filled: usize,
}

impl<K: IdKey> TableReader<K> {
    const ENTRIES: usize = 1 << 13;

    fn open(table: &SpillFile) -> Result<Self> {
        Ok(Self { file: table.open()?, batch: vec![KeyedRank::zeroed(); Self::ENTRIES], next: 0, filled: 0 })
    }

    fn next(&mut self) -> Result<Option<KeyedRank<K>>> {
        if self.next == self.filled {
            self.filled = self.file.read(bytemuck::cast_slice_mut(&mut self.batch))? / size_of::<KeyedRank<K>>();
            self.next = 0;
        }
        self.next += 1;
        Ok(self.batch.get(self.next - 1).filter(|_| self.next <= self.filled).copied())
    }
}

/// Writer of a table of keys and ranks.
struct TableWriter<K: IdKey> {
    file: outcrop_io::SpillWriter,
    batch: Vec<KeyedRank<K>>,
}

impl<K: IdKey> TableWriter<K> {
    fn create(context: &BuildContext<'_>) -> Result<Self> {
        Ok(Self { file: context.spill.create()?, batch: Vec::with_capacity(TableReader::<K>::ENTRIES) })
    }

    fn push(&mut self, key: K, rank: u32) -> Result<()> {
        self.batch.push(KeyedRank { key, rank });
        if self.batch.len() == TableReader::<K>::ENTRIES {
            self.file.write(bytemuck::cast_slice(&self.batch))?;
            self.batch.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<SpillFile> {
        self.file.write(bytemuck::cast_slice(&self.batch))?;
        self.file.finish()
    }
}

/// Integer IDs: each is its own key.
pub(super) struct IntegerIds(ExternalSorter<UniqueKey<u64>>);

impl IdKindMap for IntegerIds {
    type Key = u64;
    type Durable = DurableRecords;
    const KIND: OriginalIds = OriginalIds::Integer;

    fn new(context: &BuildContext<'_>, bytes: u64) -> Result<Self> {
        Ok(Self(ExternalSorter::new(&context.spill, bytes, true, context.work.budget, context.work.cancellation())?))
    }

    fn collect(&mut self, ids: &IdBatch, keys: &mut Vec<u64>) -> Result<()> {
        let IdBatch::Integers(ids) = ids else { return Err(no_numbers()) };
        keys.extend_from_slice(ids);
        ids.iter().try_for_each(|id| self.0.push(UniqueKey(*id)))
    }

    fn keep(&mut self) -> Result<DurableRecords> {
        self.0.keep()
    }

    fn resume(&mut self, kept: &DurableRecords) -> Result<()> {
        self.0.resume(kept)
    }

    fn number(self, writing: &Writing<'_>, _: u64) -> Result<Numbered> {
        let mut ids = self.0.finish()?;
        let mut file = writing.component(INTEGERS_NAME)?;
        let mut table = TableWriter::create(writing.context)?;
        let mut count = 0;
        while let Some(UniqueKey(id)) = ids.next()? {
            file.write(&id.to_le_bytes())?;
            table.push(id, rank(count))?;
            count += 1;
        }
        Ok(Numbered { count, table: table.finish()?, files: vec![file.finish()?] })
    }
}

/// String IDs: each is represented by its hash while edges are sorted.
pub(super) struct TextIds(TextSorter);

impl IdKindMap for TextIds {
    type Key = u128;
    type Durable = DurableTexts;
    const KIND: OriginalIds = OriginalIds::Text;

    fn new(context: &BuildContext<'_>, bytes: u64) -> Result<Self> {
        Ok(Self(TextSorter::new(&context.spill, bytes, context.work.budget, context.work.cancellation())?))
    }

    fn collect(&mut self, ids: &IdBatch, keys: &mut Vec<u128>) -> Result<()> {
        ids.texts().try_for_each(|text| {
            IdBatch::require_storable(text)?;
            keys.push(xxh3_128(text));
            self.0.push(text)
        })
    }

    fn keep(&mut self) -> Result<DurableTexts> {
        self.0.keep()
    }

    fn resume(&mut self, kept: &DurableTexts) -> Result<()> {
        self.0.resume(kept)
    }

    fn number(self, writing: &Writing<'_>, bytes: u64) -> Result<Numbered> {
        let context = writing.context;
        let (mut texts, mut ends) = (writing.component(TEXTS_NAME)?, writing.component(TEXT_ENDS_NAME)?);
        let mut by_hash =
            ExternalSorter::new(&context.spill, bytes, false, context.work.budget, context.work.cancellation())?;
        let (mut count, mut end) = (0_u64, 0_u64);
        self.0.finish(|text| {
            texts.write(text)?;
            end += length_from(text.len());
            ends.write(&end.to_le_bytes())?;
            by_hash.push(KeyedRank { key: xxh3_128(text), rank: rank(count) })?;
            count += 1;
            Ok(())
        })?;
        let table = table_by_hash(context, by_hash.finish()?)?;
        Ok(Numbered { count, table, files: vec![texts.finish()?, ends.finish()?] })
    }
}

/// Spills hashes and ranks in the order of hashes. A collision of 128-bit hashes is not expected and would be detected.
fn table_by_hash(context: &BuildContext<'_>, mut hashes: SortedRecords<KeyedRank<u128>>) -> Result<SpillFile> {
    let mut table = TableWriter::create(context)?;
    let mut last = None;
    while let Some(KeyedRank { key, rank }) = hashes.next()? {
        if last.replace(key) == Some(key) {
            let message = format!("two IDs have the same hash {key:032x}; rename one of them");
            return Err(Error::bad_input(Location::file("the input"), message));
        }
        table.push(key, rank)?;
    }
    table.finish()
}
