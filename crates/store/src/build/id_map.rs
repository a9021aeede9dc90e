//! From the user's ids to ranks, in bounded memory.
//!
//! Dense ids are their own ranks. All others are sorted once to number them; then the edges are sorted by source and joined with
//! the numbered ids, and once more by target. Texts stand in for themselves as 128-bit hashes while edges are sorted.

use super::order::EdgeSink;
use super::sort::{ArcRecord, ExternalSorter, IdKey, KeyedEdge, KeyedRank, SortedRecords, UniqueKey};
use super::text_sort::TextSorter;
use super::{BuildInput, EdgeBatch, IdBatch, IdKind, Workshop, Writing, vertex_count};
use crate::manifest::{FileEntry, OriginalIds};
use crate::original_ids::{INTEGERS_NAME, TEXT_ENDS_NAME, TEXTS_NAME};
use bytemuck::Zeroable;
use outcrop_io::{SpillFile, SpillReader};
use outcrop_types::{Error, Location, Phase, ProgressUnit, Result, length_from};
use xxhash_rust::xxh3::xxh3_128;

/// The vertices of a build with ids other than dense ones.
pub(super) struct MappedIds {
    pub(super) vertices: u32,
    pub(super) kind: OriginalIds,
    pub(super) files: Vec<FileEntry>,
}

/// Reads edges whose ids are the vertices themselves; the number of vertices.
pub(super) fn read_dense<A: ArcRecord>(
    shop: &Workshop<'_>,
    input: &mut BuildInput,
    sink: &mut EdgeSink<A>,
) -> Result<u32> {
    let mut vertices = shop.options.num_vertices.unwrap_or(0);
    vertex_count(vertices)?;
    for_each_batch(shop, input, |batch| {
        let IdBatch::Integers(ids) = &batch.endpoints else { return Err(no_numbers()) };
        vertices = ids.iter().fold(vertices, |most, id| most.max(id.saturating_add(1)));
        vertex_count(vertices)?;
        for (edge, [source, target]) in ids.as_chunks().0.iter().enumerate() {
            sink.push(shop, rank(*source), rank(*target), weight_of(batch, edge))?;
        }
        Ok(())
    })?;
    for_each_vertex_batch(shop, input, |batch| {
        let IdBatch::Integers(ids) = batch else { return Err(no_numbers()) };
        vertices = ids.iter().fold(vertices, |most, id| most.max(id.saturating_add(1)));
        Ok(())
    })?;
    vertex_count(vertices)
}

fn no_numbers() -> Error {
    Error::Usage("--ids dense needs ids that are whole numbers; the input has texts".to_owned())
}

/// An id that [`vertex_count`] has let through.
fn rank(id: u64) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

fn weight_of(batch: &EdgeBatch, edge: usize) -> f32 {
    batch.weights.get(edge).copied().unwrap_or(1.0)
}

fn for_each_batch(
    shop: &Workshop<'_>,
    input: &mut BuildInput,
    mut take: impl FnMut(&EdgeBatch) -> Result<()>,
) -> Result<()> {
    let total = input.edges.bytes_total();
    shop.observer.phase(&Phase { name: "reading edges", unit: ProgressUnit::Bytes, total });
    let mut batch = EdgeBatch::empty(input.edges.id_kind());
    while input.edges.next_batch(&mut batch)? {
        shop.cancellation.check()?;
        take(&batch)?;
        shop.observer.progress(input.edges.bytes_done());
    }
    Ok(())
}

fn for_each_vertex_batch(
    shop: &Workshop<'_>,
    input: &mut BuildInput,
    mut take: impl FnMut(&IdBatch) -> Result<()>,
) -> Result<()> {
    let Some(vertices) = &mut input.vertices else { return Ok(()) };
    let mut batch = IdBatch::empty(vertices.id_kind());
    while vertices.next_batch(&mut batch)? {
        shop.cancellation.check()?;
        take(&batch)?;
    }
    Ok(())
}

/// Reads edges with any ids, numbers the ids in ascending order, writes them, and passes the edges on as ranks.
pub(super) fn read_mapped<A: ArcRecord>(
    writing: &Writing<'_, '_>,
    input: &mut BuildInput,
    sink: &mut EdgeSink<A>,
) -> Result<MappedIds> {
    let vertex_kind = input.vertices.as_ref().map_or(input.edges.id_kind(), |vertices| vertices.id_kind());
    if vertex_kind != input.edges.id_kind() {
        let message = "its ids and those of the edges are not of one kind; pass --ids string to take both as texts";
        return Err(Error::bad_input(Location::file("the --vertices file"), message));
    }
    match input.edges.id_kind() {
        IdKind::Integer => map::<A, IntegerIds>(writing, input, sink),
        IdKind::Text => map::<A, TextIds>(writing, input, sink),
    }
}

/// One kind of ids: how they become keys, and how they are numbered.
trait IdKindMap: Sized {
    type Key: IdKey;
    const KIND: OriginalIds;

    /// Collects ids in `bytes` of memory.
    fn new(shop: &Workshop<'_>, bytes: u64) -> Result<Self>;

    /// Notes the ids of a batch and appends their keys.
    fn collect(&mut self, ids: &IdBatch, keys: &mut Vec<Self::Key>) -> Result<()>;

    /// Numbers the ids, writes them, and returns the table of keys and ranks in ascending order of keys.
    fn number(self, writing: &Writing<'_, '_>, bytes: u64) -> Result<Numbered>;
}

struct Numbered {
    count: u64,
    table: SpillFile,
    files: Vec<FileEntry>,
}

fn map<A: ArcRecord, M: IdKindMap>(
    writing: &Writing<'_, '_>,
    input: &mut BuildInput,
    sink: &mut EdgeSink<A>,
) -> Result<MappedIds> {
    let shop = writing.shop;
    let share = shop.budget.available() / 3;
    let mut by_source = ExternalSorter::new(&shop.spill, share, false, shop.budget, shop.cancellation)?;
    let mut ids = M::new(shop, share)?;
    let mut keys = Vec::new();
    for_each_batch(shop, input, |batch| {
        keys.clear();
        ids.collect(&batch.endpoints, &mut keys)?;
        for (edge, [source, target]) in keys.as_chunks().0.iter().enumerate() {
            let (key, other) = ends_of(*source, *target, shop.options.undirected);
            by_source.push(KeyedEdge { key, other, weight: weight_of(batch, edge) })?;
        }
        Ok(())
    })?;
    for_each_vertex_batch(shop, input, |batch| {
        keys.clear();
        ids.collect(batch, &mut keys)
    })?;
    shop.observer.phase(&Phase { name: "numbering vertices", unit: ProgressUnit::Vertices, total: None });
    let numbered = ids.number(writing, share)?;
    let vertices = vertex_count(numbered.count)?;
    join_edges(shop, by_source, &numbered.table, share, sink)?;
    Ok(MappedIds { vertices, kind: M::KIND, files: numbered.files })
}

/// The ends of an edge in the order in which they are looked up. Those of an undirected edge are put in one order, so that
/// repeated edges stay in the order of the input whichever way round they were given.
fn ends_of<K: IdKey>(source: K, target: K, undirected: bool) -> (K, K) {
    if undirected && target < source { (target, source) } else { (source, target) }
}

/// Replaces both endpoints of every edge by their ranks.
fn join_edges<A: ArcRecord, K: IdKey>(
    shop: &Workshop<'_>,
    by_source: ExternalSorter<KeyedEdge<K>>,
    table: &SpillFile,
    share: u64,
    sink: &mut EdgeSink<A>,
) -> Result<()> {
    let total = Some(by_source.len());
    shop.observer.phase(&Phase { name: "looking up sources", unit: ProgressUnit::Edges, total });
    let mut by_target = ExternalSorter::new(&shop.spill, share, false, shop.budget, shop.cancellation)?;
    join(shop, by_source.finish()?, table, |edge: KeyedEdge<K>, rank| {
        by_target.push(KeyedEdge { key: edge.other, other: K::from_rank(rank), weight: edge.weight })
    })?;
    shop.observer.phase(&Phase { name: "looking up targets", unit: ProgressUnit::Edges, total });
    join(shop, by_target.finish()?, table, |edge: KeyedEdge<K>, rank| {
        let other = edge.other;
        sink.push(shop, other.to_rank(), rank, edge.weight)
    })
}

/// Walks edges and table together, both in ascending order of keys.
fn join<K: IdKey>(
    shop: &Workshop<'_>,
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
        if let Some(KeyedRank { rank, .. }) = entry {
            take(edge, rank)?;
        }
        done += 1;
        if done.is_multiple_of(1 << 20) {
            shop.cancellation.check()?;
            shop.observer.progress(done);
        }
    }
    Ok(())
}

/// Reads a table of keys and ranks.
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

/// Writes a table of keys and ranks.
struct TableWriter<K: IdKey> {
    file: outcrop_io::SpillWriter,
    batch: Vec<KeyedRank<K>>,
}

impl<K: IdKey> TableWriter<K> {
    fn create(shop: &Workshop<'_>) -> Result<Self> {
        Ok(Self { file: shop.spill.create()?, batch: Vec::with_capacity(TableReader::<K>::ENTRIES) })
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

/// Whole numbers: each is its own key.
struct IntegerIds(ExternalSorter<UniqueKey<u64>>);

impl IdKindMap for IntegerIds {
    type Key = u64;
    const KIND: OriginalIds = OriginalIds::Integer;

    fn new(shop: &Workshop<'_>, bytes: u64) -> Result<Self> {
        Ok(Self(ExternalSorter::new(&shop.spill, bytes, true, shop.budget, shop.cancellation)?))
    }

    fn collect(&mut self, ids: &IdBatch, keys: &mut Vec<u64>) -> Result<()> {
        let IdBatch::Integers(ids) = ids else { return Err(no_numbers()) };
        keys.extend_from_slice(ids);
        ids.iter().try_for_each(|id| self.0.push(UniqueKey(*id)))
    }

    fn number(self, writing: &Writing<'_, '_>, _: u64) -> Result<Numbered> {
        let mut ids = self.0.finish()?;
        let mut file = writing.component(INTEGERS_NAME)?;
        let mut table = TableWriter::create(writing.shop)?;
        let mut count = 0;
        while let Some(UniqueKey(id)) = ids.next()? {
            file.write(&id.to_le_bytes())?;
            table.push(id, rank(count))?;
            count += 1;
        }
        Ok(Numbered { count, table: table.finish()?, files: vec![file.finish()?] })
    }
}

/// Texts: each is known by its hash while edges are sorted.
struct TextIds(TextSorter);

impl IdKindMap for TextIds {
    type Key = u128;
    const KIND: OriginalIds = OriginalIds::Text;

    fn new(shop: &Workshop<'_>, bytes: u64) -> Result<Self> {
        Ok(Self(TextSorter::new(&shop.spill, bytes, shop.budget, shop.cancellation)?))
    }

    fn collect(&mut self, ids: &IdBatch, keys: &mut Vec<u128>) -> Result<()> {
        let IdBatch::Texts { bytes, ends } = ids else { return Ok(()) };
        let mut start = 0;
        for end in ends {
            let text = bytes.get(start..*end).unwrap_or_default();
            start = *end;
            keys.push(xxh3_128(text));
            self.0.push(text)?;
        }
        Ok(())
    }

    fn number(self, writing: &Writing<'_, '_>, bytes: u64) -> Result<Numbered> {
        let shop = writing.shop;
        let (mut texts, mut ends) = (writing.component(TEXTS_NAME)?, writing.component(TEXT_ENDS_NAME)?);
        let mut by_hash = ExternalSorter::new(&shop.spill, bytes, false, shop.budget, shop.cancellation)?;
        let (mut count, mut end) = (0_u64, 0_u64);
        self.0.finish(|text| {
            texts.write(text)?;
            end += length_from(text.len());
            ends.write(&end.to_le_bytes())?;
            by_hash.push(KeyedRank { key: xxh3_128(text), rank: rank(count) })?;
            count += 1;
            Ok(())
        })?;
        let table = table_by_hash(shop, by_hash.finish()?)?;
        Ok(Numbered { count, table, files: vec![texts.finish()?, ends.finish()?] })
    }
}

/// Spills hashes and ranks in the order of hashes. Two texts with one 128-bit hash are not to be expected, and would be noticed.
fn table_by_hash(shop: &Workshop<'_>, mut hashes: SortedRecords<KeyedRank<u128>>) -> Result<SpillFile> {
    let mut table = TableWriter::create(shop)?;
    let mut last = None;
    while let Some(KeyedRank { key, rank }) = hashes.next()? {
        if last.replace(key) == Some(key) {
            let message =
                format!("two different ids have the hash {key:032x}, so they cannot be told apart; rename one");
            return Err(Error::bad_input(Location::file("the input"), message));
        }
        table.push(key, rank)?;
    }
    table.finish()
}
