//! The first lists of a selection in memory: visits of their vertices touch no page.

use super::encoding::{ListEncoding, plain};
use super::file::{SelectionFile, with_remedy};
use super::format::{Header, padded};
use crate::access::{Neighbours, Visit, Workers};
use crate::component::{Component, ComponentReader, PAYLOAD_BYTES, UNIT_BYTES, units_for};
use crate::store::Store;
use outcrop_io::{Device, IoChoice, StaticCache, StaticCacheDraft};
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, Observer, Phase, ProgressUnit, Purpose, Result, VertexId,
    VertexRange, index_from, length_from,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Entries of a table that are looked at together: those of 64 units.
const BATCH: usize = 64 * PAYLOAD_BYTES / 4;
/// Vertices whose lists are verified together.
const BLOCK: u32 = 1 << 14;

/// Lists of pre-selected vertices of one direction, held in memory.
#[derive(Debug)]
pub struct StaticLists {
    cache: StaticCache,
    encoding: ListEncoding,
    path: PathBuf,
    mean_entries: u64,
    reads: Reads,
}

/// What loading read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) bytes: u64,
    pub(crate) requests: u64,
}

impl Reads {
    const fn add(&mut self, units: u64) {
        self.bytes += units * length_from(UNIT_BYTES);
        self.requests += units.div_ceil(64);
    }
}

impl StaticLists {
    /// What loading takes besides the lists, in bytes, until it is done.
    pub const LOADING_BYTES: u64 = Component::READER_BYTES + 2 * length_from(BATCH * 4);

    /// Memory of all lists of a selection of `lists` lists that takes `bytes` ([`super::SelectionInfo`]), in a graph of so many vertices.
    pub const fn bytes_for(vertices: u32, lists: u32, bytes: u64) -> u64 {
        let entries = 8 * lists as u64;
        StaticCache::bytes_for(vertices, lists as u64, bytes.saturating_sub(entries))
    }

    /// Loads as many lists of the selection of `direction`, highest priority first, as take at most `most_bytes` of memory; `None` where
    /// the store has no selection, or not even the first list fits.
    ///
    /// # Errors
    /// The selection is damaged or of another store or layout; the budget is too small; interruption.
    pub fn load(
        store: &Store,
        direction: Direction,
        most_bytes: u64,
        io: IoChoice,
        budget: &MemoryBudget,
        workers: &Workers,
        observer: &dyn Observer,
    ) -> Result<Option<Self>> {
        Self::load_through(store, direction, most_bytes, (io, budget, workers, observer), |device| device)
    }

    /// [`StaticLists::load`] with something between the file and its device: for tests of devices that fail or count.
    ///
    /// # Errors
    /// As for [`StaticLists::load`].
    #[doc(hidden)]
    pub fn load_through(
        store: &Store,
        direction: Direction,
        most_bytes: u64,
        (io, budget, workers, observer): (IoChoice, &MemoryBudget, &Workers, &dyn Observer),
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Option<Self>> {
        let _buffers = budget.reserve(Self::LOADING_BYTES, Purpose::IoBuffers)?;
        let Some(file) = SelectionFile::open_through(store, direction, io, wrap)? else { return Ok(None) };
        let loader = Loader::new(&file, store.manifest().vertices, workers.cancellation())?;
        loader.load(most_bytes, budget, observer).map_err(with_remedy)
    }

    /// Folds the list of `vertex` as a chunk would, in the same pieces, if it is here; whether it is.
    #[inline]
    pub(crate) fn fold<V: Visit>(&self, vertex: VertexId, visit: &V) -> Result<bool> {
        let Some((bytes, length)) = self.cache.get(vertex) else { return Ok(false) };
        let mut fold = visit.begin(vertex);
        let mut take = |ids: &[VertexId], weights: Option<&[f32]>| {
            visit.neighbours(vertex, &mut fold, Neighbours::new(ids, weights))
        };
        _ = self.encoding.decode(bytes, length, &mut take).map_err(|_| self.damaged(vertex))?;
        visit.end(vertex, fold);
        Ok(true)
    }

    /// The list of `vertex`, if it is here, once [`StaticLists::verify_plain`] has seen them all.
    #[inline]
    pub(crate) fn plain(&self, vertex: VertexId) -> Option<Neighbours<'_>> {
        let (bytes, length) = self.cache.get(vertex)?;
        let (ids, weights) = plain(bytes.get(..length)?, self.encoding.weighted()).ok()?;
        Some(Neighbours::new(ids, weights))
    }

    /// Whether the list of `vertex` is here.
    #[inline]
    pub(crate) fn contains(&self, vertex: VertexId) -> bool {
        self.cache.contains(vertex)
    }

    /// Entries and bytes of the list of `vertex`, if it is here.
    #[inline]
    pub(crate) fn size_of(&self, vertex: VertexId) -> Option<(u64, u64)> {
        let (bytes, length) = self.cache.get(vertex)?;
        Some((self.encoding.count(bytes, length), length_from(length)))
    }

    /// Calls `with` with each vertex of `range` whose list is here, ascending.
    pub(crate) fn for_each_in(&self, range: VertexRange, with: impl FnMut(VertexId)) {
        self.cache.for_each_member(range.start, range.end, with);
    }

    /// How many lists there are.
    pub const fn lists(&self) -> u64 {
        self.cache.members()
    }

    /// Memory that is held, in bytes.
    pub const fn bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// About how many entries a list has.
    pub(crate) const fn mean_entries(&self) -> u64 {
        self.mean_entries
    }

    /// What loading read.
    pub(crate) const fn reads(&self) -> Reads {
        self.reads
    }

    /// Makes sure that lists are written as plain ids and weights, all of which can be, and are as long as `degree` says.
    ///
    /// # Errors
    /// They are not.
    pub(crate) fn verify_plain(&self, workers: &Workers, degree: impl Fn(VertexId) -> u32 + Sync) -> Result<()> {
        let ListEncoding::Plain { vertices, .. } = self.encoding else {
            return Err(with_remedy(Error::corrupt(&self.path, "it is of lists that are laid out otherwise")));
        };
        let wrong = workers.map_blocks(vertices, BLOCK, |range| {
            let mut wrong = None;
            self.for_each_in(range, |vertex| {
                if !self.is_plain(vertex, degree(vertex)) {
                    wrong = Some(vertex);
                }
            });
            wrong
        });
        workers.cancellation().check()?;
        wrong.into_iter().flatten().next().map_or(Ok(()), |vertex| Err(self.damaged(vertex)))
    }

    fn is_plain(&self, vertex: VertexId, degree: u32) -> bool {
        let Some((bytes, length)) = self.cache.get(vertex) else { return false };
        let right = self.encoding.decode(bytes, length, &mut |_, _| std::ops::ControlFlow::Continue(())).is_ok();
        right && self.encoding.count(bytes, length) == u64::from(degree)
    }

    #[cold]
    fn damaged(&self, vertex: VertexId) -> Error {
        let message = format!("it has a right checksum, but the list of vertex {vertex} is none");
        with_remedy(Error::corrupt(&self.path, message))
    }
}

/// Reads the parts of the file that are needed, each in order.
pub(super) struct Loader<'l> {
    file: &'l SelectionFile,
    reader: ComponentReader,
    vertices: u32,
    cancellation: &'l Cancellation,
    reads: Reads,
}

/// How many lists are loaded, and how many bytes they have together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Prefix {
    lists: u32,
    bytes: u64,
}

impl<'l> Loader<'l> {
    pub(super) fn new(file: &'l SelectionFile, vertices: u32, cancellation: &'l Cancellation) -> Result<Self> {
        Ok(Self { file, reader: file.component.reader()?, vertices, cancellation, reads: Reads::default() })
    }

    fn load(mut self, most_bytes: u64, budget: &MemoryBudget, observer: &dyn Observer) -> Result<Option<StaticLists>> {
        let header = self.file.header;
        let prefix = self.fitting(most_bytes)?;
        if prefix.lists == 0 {
            return Ok(None);
        }
        observer.phase(&Phase { name: "loading static cache", unit: ProgressUnit::Bytes, total: Some(prefix.bytes) });
        let mut draft = StaticCacheDraft::new(budget, self.vertices, prefix.lists, prefix.bytes, header.granule())?;
        let file = self.file;
        let twice = || file.damaged("it has a right checksum, but names a vertex twice or one that does not exist");
        let misplaced = || file.damaged("it has a right checksum, but its lists do not lie where they must");
        self.for_each_batch(prefix.lists, &mut |_, named, _| {
            if named.iter().all(|vertex| draft.insert(*vertex)) { Ok(()) } else { Err(twice()) }
        })?;
        if !draft.count() {
            return Err(twice());
        }
        self.for_each_batch(prefix.lists, &mut |mut start, named, lengths| {
            named.iter().zip(lengths).try_for_each(|(vertex, length)| {
                let placed = draft.place(*vertex, start, *length);
                start += padded(*length, header.granule());
                if placed { Ok(()) } else { Err(misplaced()) }
            })
        })?;
        self.copy_lists(prefix.bytes, draft.records_mut(), observer)?;
        Ok(Some(StaticLists {
            cache: draft.finish(),
            encoding: self.file.encoding,
            path: self.file.component.path().to_owned(),
            mean_entries: header.arcs / u64::from(header.lists.max(1)),
            reads: self.reads,
        }))
    }

    /// The first lists that take at most `most_bytes` with what says where they are.
    fn fitting(&mut self, most_bytes: u64) -> Result<Prefix> {
        let Header { lists, list_bytes, .. } = self.file.header;
        let (granule, vertices) = (self.file.header.granule(), self.vertices);
        let (mut prefix, mut beyond) = (Prefix::default(), false);
        let mut lengths = Vec::new();
        let mut first = 0;
        while first < lists && !beyond {
            self.cancellation.check()?;
            let count = (lists - first).min(u32::try_from(BATCH).unwrap_or(u32::MAX));
            self.read_table(self.file.header.sections().lengths.start, first, count, &mut lengths)?;
            for length in &lengths {
                let next = Prefix { lists: prefix.lists + 1, bytes: prefix.bytes + padded(*length, granule) };
                if StaticCache::bytes_for(vertices, u64::from(next.lists), next.bytes) > most_bytes {
                    beyond = true;
                    break;
                }
                prefix = next;
            }
            first += count;
        }
        let right = prefix.bytes <= list_bytes && (beyond || prefix.bytes == list_bytes);
        if right { Ok(prefix) } else { Err(self.file.damaged("its lists do not add up to their length")) }
    }

    /// Calls `with` with batches of the first `lists` vertices and lengths, and where the first list of each begins.
    pub(super) fn for_each_batch(
        &mut self,
        lists: u32,
        with: &mut dyn FnMut(u64, &[u32], &[u32]) -> Result<()>,
    ) -> Result<()> {
        let (header, sections) = (self.file.header, self.file.header.sections());
        let (mut vertices, mut lengths) = (Vec::new(), Vec::new());
        let (mut first, mut start) = (0, 0);
        while first < lists {
            self.cancellation.check()?;
            let count = (lists - first).min(u32::try_from(BATCH).unwrap_or(u32::MAX));
            self.read_table(sections.vertices.start, first, count, &mut vertices)?;
            self.read_table(sections.lengths.start, first, count, &mut lengths)?;
            with(start, &vertices, &lengths)?;
            start += lengths.iter().map(|length| padded(*length, header.granule())).sum::<u64>();
            first += count;
        }
        Ok(())
    }

    /// Reads `count` numbers of the table that begins with `unit`, from the `first` on.
    fn read_table(&mut self, unit: u64, first: u32, count: u32, into: &mut Vec<u32>) -> Result<()> {
        into.resize(index_from(u64::from(count)), 0);
        self.reads.add(units_for(4 * u64::from(count)));
        let position = unit * length_from(PAYLOAD_BYTES) + 4 * u64::from(first);
        self.reader.read_at(position, bytemuck::cast_slice_mut(into))
    }

    fn copy_lists(&mut self, bytes: u64, into: &mut [u8], observer: &dyn Observer) -> Result<()> {
        let first = self.file.header.sections().first_list;
        let units = units_for(bytes);
        self.reads.add(units);
        let mut done = 0;
        self.reader.for_each_unit(first..first + units, self.cancellation, |number, payload| {
            let rest = into.get_mut(index_from(number - first) * PAYLOAD_BYTES..).unwrap_or_default();
            let length = rest.len().min(payload.len());
            let (now, _) = rest.split_at_mut(length);
            now.copy_from_slice(payload.get(..length).unwrap_or_default());
            done += length_from(length);
            if number % 1024 == 0 {
                observer.progress(done);
            }
            Ok(())
        })
    }
}
