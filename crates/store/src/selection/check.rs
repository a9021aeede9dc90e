//! Verifies a selection: every unit, and that its lists are those of the layout.

use super::collect::MOST_ENTRIES;
use super::encoding::ListEncoding;
use super::file::{SelectionFile, with_remedy};
use super::format::{Header, file_name, padded, temporary_name};
use super::lists::StaticLists;
use super::load::Loader;
use crate::access::{Adjacency, Neighbours, Visit, Workers};
use crate::layout::chunked::{ChunkedAdjacency, ChunkedOptions, DenseAccess};
use crate::layout::csr::{CsrAdjacency, CsrOptions};
use crate::store::Store;
use outcrop_io::{IoChoice, MergePolicy};
use outcrop_types::{
    BitSet, Direction, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, VertexId, VertexSet,
    VertexValues, index_from, length_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use xxhash_rust::xxh3::Xxh3;

/// No list takes more bytes: entries of 9 at the most, and what says how many there are.
const LONGEST_LIST: usize = 9 * MOST_ENTRIES + 64;
/// Bytes of lists that are read at once, or one list.
const SLICE_BYTES: usize = 4 << 20;

/// Whether a file called `name` may lie in the folder of `store` as a selection, or one in the making.
pub fn is_known(store: &Store, name: &str) -> bool {
    let stored = [Direction::Out, Direction::In].into_iter().filter(|direction| store.stored(*direction) == *direction);
    stored.into_iter().any(|direction| name == file_name(direction) || name == temporary_name(direction))
}

/// What checking the selection of `direction` takes from the budget; nothing where there is none.
pub fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
    let there = std::fs::symlink_metadata(store.folder().join(file_name(direction))).is_ok();
    if !there || store.stored(direction) != direction {
        return MemoryPlan::new();
    }
    let vertices = store.manifest().vertices;
    let lists = match store.manifest().chunked(direction) {
        Some(_) => ChunkedAdjacency::memory(store, direction, workers),
        None => CsrAdjacency::memory(vertices, workers),
    };
    let digests = VertexValues::<u32>::bytes(u64::from(vertices));
    let buffers = StaticLists::LOADING_BYTES + length_from(SLICE_BYTES + LONGEST_LIST);
    lists
        .with(Purpose::StaticCache, digests + BitSet::bytes(vertices) + VertexSet::bytes(vertices))
        .with(Purpose::IoBuffers, buffers)
}

/// Verifies the selection of `direction`, if there is one.
///
/// # Errors
/// [`outcrop_types::Error::Corrupt`] naming the file; a budget that is too small; interruption.
pub fn check(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    budget: &MemoryBudget,
    workers: &Workers,
    observer: &dyn Observer,
) -> Result<()> {
    if store.stored(direction) != direction {
        return Ok(());
    }
    let Some(file) = SelectionFile::open(store, direction, io)? else { return Ok(()) };
    let total = Some(file.header.list_bytes);
    observer.phase(&Phase { name: "checking static cache", unit: ProgressUnit::Bytes, total });
    let vertices = store.manifest().vertices;
    let held = BitSet::bytes(vertices) + VertexSet::bytes(vertices);
    let _sets = budget.reserve(held, Purpose::StaticCache)?;
    let buffers = StaticLists::LOADING_BYTES + length_from(SLICE_BYTES + LONGEST_LIST);
    let buffers = budget.reserve(buffers, Purpose::IoBuffers)?;
    let digests = VertexValues::new(budget, Purpose::StaticCache, index_from(u64::from(vertices)), |_| 0_u32)?;
    let digested = digest(&file, vertices, digests, workers, observer).map_err(with_remedy)?;
    drop(buffers);
    let merge = MergePolicy::default();
    match file.encoding {
        ListEncoding::Chunk(_) => {
            let options = ChunkedOptions { io, cache_bytes: 0, merge, dense_access: DenseAccess::default() };
            digested.compare(&file, &ChunkedAdjacency::open(store, direction, &options, budget, workers)?)
        }
        ListEncoding::Plain { .. } => {
            let options = CsrOptions { io, cache_bytes: 0, merge };
            digested.compare(&file, &CsrAdjacency::open(store, direction, &options, budget, workers)?)
        }
    }
}

/// What the lists of a selection are, in a few bits each.
struct Digested {
    members: BitSet,
    digests: VertexValues<u32>,
}

/// Reads and decodes all lists.
fn digest(
    file: &SelectionFile,
    vertices: u32,
    mut digests: VertexValues<u32>,
    workers: &Workers,
    observer: &dyn Observer,
) -> Result<Digested> {
    let Header { lists, list_bytes, .. } = file.header;
    let (granule, first_list) = (file.header.granule(), file.header.sections().first_list);
    let (members, mut arcs) = (BitSet::empty(vertices), 0);
    let mut loader = Loader::new(file, vertices, workers.cancellation())?;
    let mut reader = file.component.reader()?;
    let mut slice = Slice { start: 0, bytes: Vec::new() };
    let damaged = |message: &str| file.damaged(message);
    let mut end = 0;
    loader.for_each_batch(lists, &mut |mut start, named, lengths| {
        for (vertex, length) in named.iter().zip(lengths) {
            if *vertex >= vertices || !members.insert(*vertex) {
                return Err(damaged("it has a right checksum, but names a vertex twice or one that does not exist"));
            }
            end = start + padded(*length, granule);
            if index_from(u64::from(*length)) > LONGEST_LIST || end > list_bytes {
                return Err(damaged("it has a right checksum, but its lists do not lie where they must"));
            }
            workers.cancellation().check()?;
            let list = slice.list(start, *length, list_bytes, &mut |position, into| {
                observer.progress(position);
                reader.read_at(first_list * length_from(crate::component::PAYLOAD_BYTES) + position, into)
            })?;
            let (digest, entries) =
                digest_of(file.encoding, list).ok_or_else(|| damaged("one of its lists is none"))?;
            if let Some(slot) = digests.get_mut(index_from(u64::from(*vertex))) {
                *slot = digest;
            }
            arcs += entries;
            start = end;
        }
        Ok(())
    })?;
    match end == list_bytes && arcs == file.header.arcs {
        true => Ok(Digested { members, digests }),
        false => Err(damaged("its lists do not add up to what its header says")),
    }
}

/// A stretch of the lists, aligned as they are in memory.
struct Slice {
    start: u64,
    bytes: Vec<u32>,
}

impl Slice {
    /// The `length` bytes at `start` of `end`; those that follow are read with them.
    fn list(
        &mut self,
        start: u64,
        length: u32,
        end: u64,
        read: &mut dyn FnMut(u64, &mut [u8]) -> Result<()>,
    ) -> Result<&[u8]> {
        let length = index_from(u64::from(length));
        let has = length_from(self.bytes.len() * 4);
        if start < self.start || start + length_from(length) > self.start + has {
            let count = (end - start).min(length_from(SLICE_BYTES.max(length)));
            // What lists take is a multiple of 4 bytes.
            self.bytes.clear();
            self.bytes.resize(index_from(count.div_ceil(4)), 0);
            let into: &mut [u8] = bytemuck::cast_slice_mut(&mut self.bytes);
            read(start, into.get_mut(..index_from(count)).unwrap_or_default())?;
            self.start = start;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&self.bytes);
        let from = index_from(start - self.start);
        Ok(bytes.get(from..from + length).unwrap_or_default())
    }
}

/// The ids and the weights of a list, each in the order in which they came.
#[derive(Clone)]
struct ListDigest {
    ids: Box<Xxh3>,
    weights: Box<Xxh3>,
    entries: u64,
}

impl ListDigest {
    fn new() -> Self {
        Self { ids: Box::new(Xxh3::new()), weights: Box::new(Xxh3::new()), entries: 0 }
    }

    fn push(&mut self, ids: &[VertexId], weights: Option<&[f32]>) {
        self.ids.update(bytemuck::cast_slice(ids));
        self.weights.update(bytemuck::cast_slice(weights.unwrap_or_default()));
        self.entries += length_from(ids.len());
    }

    fn digest(&self) -> u32 {
        let both = self.ids.digest() ^ self.weights.digest().rotate_left(32);
        u32::try_from(both & u64::from(u32::MAX)).unwrap_or(0)
    }
}

/// The digest of a list, and how many entries it has.
fn digest_of(encoding: ListEncoding, list: &[u8]) -> Option<(u32, u64)> {
    let mut digest = ListDigest::new();
    let decoded = encoding.decode(list, list.len(), &mut |ids, weights| {
        digest.push(ids, weights);
        ControlFlow::Continue(())
    });
    decoded.ok().map(|_| (digest.digest(), digest.entries))
}

impl Digested {
    /// Makes sure that the lists of a layout are the same.
    fn compare(self, file: &SelectionFile, lists: &impl Adjacency) -> Result<()> {
        let other = AtomicU32::new(u32::MAX);
        let visit = Compare { digests: &self.digests, other: &other };
        lists.select(&VertexSet::from_bits(self.members), &visit)?;
        match other.into_inner() {
            u32::MAX => Ok(()),
            vertex => Err(file.damaged(&format!("the list of vertex {vertex} in it is another"))),
        }
    }
}

struct Compare<'c> {
    digests: &'c [u32],
    /// A vertex whose list is another.
    other: &'c AtomicU32,
}

impl Visit for Compare<'_> {
    type Fold = ListDigest;

    fn begin(&self, _: VertexId) -> ListDigest {
        ListDigest::new()
    }

    fn neighbours(&self, _: VertexId, digest: &mut ListDigest, piece: Neighbours<'_>) -> ControlFlow<()> {
        digest.push(piece.ids(), piece.weights());
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, digest: ListDigest) {
        if self.digests.get(index_from(u64::from(vertex))) != Some(&digest.digest()) {
            self.other.store(vertex, Relaxed);
        }
    }
}
