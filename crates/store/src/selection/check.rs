//! Verification of a selection: every unit, and the agreement of its lists with the layout.

use super::collect::MOST_ENTRIES;
use super::encoding::ListEncoding;
use super::file::{SelectionFile, with_remedy};
use super::format::{file_name, padded};
use super::lists::StaticLists;
use super::load::Loader;
use crate::access::{Adjacency, FoldLists, Neighbors, Workers};
use crate::component::{ComponentReader, PAYLOAD_BYTES};
use crate::layout::compact::IndexResidence;
use crate::layout::{ListOptions, StoredLists};
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_types::{
    BitSet, Direction, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, VertexId, VertexSet, VertexValues,
    index_from, length_from, number_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use xxhash_rust::xxh3::Xxh3;

/// Maximum bytes of a list: at most 9 per entry, and their number.
const LONGEST_LIST: usize = 9 * MOST_ENTRIES + 256;
/// Bytes of lists read at once, unless a single list is longer.
const SLICE_BYTES: usize = 4 << 20;

/// Returns the memory for checking the selection of `direction`; empty if there is none.
pub(crate) fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
    let there = store.files().length(&file_name(direction)).is_ok();
    if !there || store.stored(direction) != direction {
        return MemoryPlan::new();
    }
    let vertices = store.manifest().graph.vertices;
    let lists = StoredLists::memory(store, direction, workers, IndexResidence::Resident);
    let digests = VertexValues::<u32>::bytes(u64::from(vertices));
    let buffers = StaticLists::LOADING_BYTES + length_from(SLICE_BYTES + LONGEST_LIST);
    lists
        .with(Purpose::StaticCache, digests + BitSet::bytes(vertices) + VertexSet::bytes(vertices))
        .with(Purpose::IoBuffers, buffers)
}

/// Verifies the selection of `direction`, if there is one.
///
/// # Errors
/// Returns [`outcrop_types::Error::Corrupt`] with the file, or an error if the budget is too small or the run is
/// interrupted.
pub(crate) fn check(store: &Store, direction: Direction, work: WorkContext<'_>) -> Result<()> {
    let WorkContext { io, budget, workers, observer, .. } = work;
    if store.stored(direction) != direction {
        return Ok(());
    }
    let store = &store.as_written();
    let Some(file) = SelectionFile::open(store, direction, io)? else { return Ok(()) };
    let total = Some(file.header.list_bytes);
    observer.phase(&Phase { name: "checking static cache", unit: ProgressUnit::Bytes, total });
    let vertices = store.manifest().graph.vertices;
    let held = BitSet::bytes(vertices) + VertexSet::bytes(vertices);
    let _sets = budget.reserve(held, Purpose::StaticCache)?;
    let buffers = StaticLists::LOADING_BYTES + length_from(SLICE_BYTES + LONGEST_LIST);
    let buffers = budget.reserve(buffers, Purpose::IoBuffers)?;
    let digests = VertexValues::new(budget, Purpose::StaticCache, index_from(u64::from(vertices)), |_| 0_u32)?;
    let digested = Digester::new(&file, vertices, digests)?.run(workers, observer).map_err(with_remedy)?;
    drop(buffers);
    let options = ListOptions { index: IndexResidence::Resident, ..ListOptions::once(io) };
    digested.compare(&file, &StoredLists::open(store, direction, &options, budget, workers)?)
}

/// Short digests of the lists of a selection.
struct Digested {
    members: BitSet,
    digests: VertexValues<u32>,
}

/// Reader and decoder of all lists.
struct Digester<'d> {
    file: &'d SelectionFile,
    reader: ComponentReader,
    slice: Slice,
    digested: Digested,
    arcs: u64,
    /// End of the lists processed so far.
    end: u64,
}

impl<'d> Digester<'d> {
    fn new(file: &'d SelectionFile, vertices: u32, digests: VertexValues<u32>) -> Result<Self> {
        let (reader, slice) = (file.component.reader()?, Slice { start: 0, bytes: Vec::new() });
        let digested = Digested { members: BitSet::empty(vertices), digests };
        Ok(Self { file, reader, slice, digested, arcs: 0, end: 0 })
    }

    fn run(mut self, workers: &Workers, observer: &dyn Observer) -> Result<Digested> {
        let vertices = self.digested.members.universe();
        let mut loader = Loader::new(self.file, vertices, workers.cancellation())?;
        loader.for_each_batch(self.file.header.lists, &mut |_, named, lengths| {
            for (vertex, length) in named.iter().zip(lengths) {
                workers.cancellation().check()?;
                self.take(*vertex, *length)?;
            }
            observer.progress(self.end);
            Ok(())
        })?;
        match self.end == self.file.header.list_bytes && self.arcs == self.file.header.arcs {
            true => Ok(self.digested),
            false => Err(self.file.damaged("its lists differ in total from its header")),
        }
    }

    /// Processes the next list, which belongs to `vertex` and has `length` bytes.
    fn take(&mut self, vertex: VertexId, length: u32) -> Result<()> {
        let (file, start) = (self.file, self.end);
        let Digested { members, digests } = &mut self.digested;
        if vertex >= members.universe() || !members.insert(vertex) {
            return Err(file.damaged("checksum is valid but a vertex is duplicate or does not exist"));
        }
        self.end += padded(length, file.header.granule());
        if index_from(u64::from(length)) > LONGEST_LIST || self.end > file.header.list_bytes {
            return Err(file.damaged("checksum is valid but the positions of its lists are wrong"));
        }
        let first_list = file.header.sections().first_list * length_from(PAYLOAD_BYTES);
        let mut read = |position, into: &mut [u8]| self.reader.read_at(first_list + position, into);
        let list = self.slice.list(start, length, file.header.list_bytes, &mut read)?;
        let (digest, entries) = digest_of(file.encoding, list)
            .ok_or_else(|| file.damaged(&format!("checksum is valid but the list of vertex {vertex} is malformed")))?;
        if let Some(slot) = digests.get_mut(index_from(u64::from(vertex))) {
            *slot = digest;
        }
        self.arcs += entries;
        Ok(())
    }
}

/// Range of the lists, aligned as in memory.
struct Slice {
    start: u64,
    bytes: Vec<u32>,
}

impl Slice {
    /// Returns the `length` bytes at `start` of `end`; reads the following lists with them.
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
            // The size of lists is a multiple of 4 bytes.
            self.bytes.clear();
            self.bytes.resize(index_from(count.div_ceil(4)), 0);
            let into: &mut [u8] = bytemuck::cast_slice_mut(&mut self.bytes);
            read(start, &mut into[..index_from(count)])?;
            self.start = start;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&self.bytes);
        let from = index_from(start - self.start);
        // Default: a list that extends past the others is empty, and thus differs.
        Ok(bytes.get(from..from + length).unwrap_or_default())
    }
}

/// Digests of the IDs and of the weights of a list, in order.
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

    fn push(&mut self, ids: &[VertexId], weights: Option<&[f64]>) {
        self.ids.update(bytemuck::cast_slice(ids));
        // Default: lists without weights have an empty digest of weights.
        self.weights.update(bytemuck::cast_slice(weights.unwrap_or_default()));
        self.entries += length_from(ids.len());
    }

    fn digest(&self) -> u32 {
        let both = self.ids.digest() ^ self.weights.digest().rotate_left(32);
        number_from(both & u64::from(u32::MAX))
    }
}

/// Returns the digest of a list, and its number of entries.
fn digest_of(encoding: ListEncoding, list: &[u8]) -> Option<(u32, u64)> {
    let mut digest = ListDigest::new();
    let mut wide = Vec::new();
    let decoded = encoding.decode(list, list.len(), |piece| {
        wide.clear();
        let weights = piece.weights().map(|weights| weights.widen(&mut wide));
        digest.push(piece.ids(), weights.map(|()| wide.as_slice()));
        ControlFlow::Continue(())
    });
    decoded.ok().map(|_| (digest.digest(), digest.entries))
}

impl Digested {
    /// Checks that the lists of a layout are equal.
    fn compare(self, file: &SelectionFile, lists: &dyn Adjacency) -> Result<()> {
        let other = AtomicU32::new(u32::MAX);
        let visit = Compare { digests: &self.digests, other: &other };
        lists.select(&VertexSet::from_bits(self.members), &visit)?;
        match other.into_inner() {
            u32::MAX => Ok(()),
            vertex => Err(file.damaged(&format!("its list of vertex {vertex} differs from the store"))),
        }
    }
}

struct Compare<'c> {
    digests: &'c [u32],
    /// A vertex with a different list.
    other: &'c AtomicU32,
}

impl FoldLists for Compare<'_> {
    type Fold = ListDigest;

    fn begin(&self, _: VertexId) -> ListDigest {
        ListDigest::new()
    }

    fn neighbors(&self, _: VertexId, digest: &mut ListDigest, piece: Neighbors<'_>) -> ControlFlow<()> {
        digest.push(piece.ids(), piece.weights());
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, digest: ListDigest) {
        if self.digests.get(index_from(u64::from(vertex))) != Some(&digest.digest()) {
            self.other.store(vertex, Relaxed);
        }
    }
}
