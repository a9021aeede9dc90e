//! Loading of a selection or of its first lists.

use super::file::{SelectionFile, with_remedy};
use super::format::{Header, file_name, padded};
use super::lists::StaticLists;
use crate::access::Reads;
use crate::component::{Component, ComponentReader, PAYLOAD_BYTES, UNIT_BYTES, units_for};
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_io::{Device, StaticCache, StaticCacheDraft};
use outcrop_types::{
    Cancellation, Direction, MemoryBudget, Observer, Phase, ProgressUnit, Purpose, Result, index_from, length_from,
    number_from,
};
use std::sync::Arc;

/// Number of table entries processed together: those of 64 units.
pub(super) const BATCH: usize = 64 * PAYLOAD_BYTES / 4;

/// Consumer of a batch of lists: start of the first, their vertices, and their lengths.
pub(super) type TakeBatch<'t> = &'t mut dyn FnMut(u64, &[u32], &[u32]) -> Result<()>;

impl StaticLists {
    /// Temporary memory of loading, in bytes, in addition to the lists.
    pub(crate) const LOADING_BYTES: u64 = Component::READER_BYTES + 2 * length_from(BATCH * 4);

    /// Loads the first lists of the selection of `direction`, by priority, that fit `most_bytes` of memory; returns
    /// `None` if the store has no selection, or if not even the first list fits.
    ///
    /// # Errors
    /// Returns an error if the selection is damaged or belongs to another store or layout, if the budget is too small,
    /// or if the run is interrupted.
    pub fn load(store: &Store, direction: Direction, most_bytes: u64, work: WorkContext<'_>) -> Result<Option<Self>> {
        Self::load_through(store, direction, most_bytes, work, |device| device)
    }

    /// Same as [`StaticLists::load`] with a wrapper around the device of the file, for tests of failing and counting
    /// devices.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`StaticLists::load`].
    #[doc(hidden)]
    pub fn load_through(
        store: &Store,
        direction: Direction,
        most_bytes: u64,
        work: WorkContext<'_>,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Option<Self>> {
        let name = file_name(store.stored(direction));
        Self::load_file(store, direction, &name, most_bytes, work, wrap)
    }

    /// Same as [`StaticLists::load_through`] for the file `name`.
    pub(super) fn load_file(
        store: &Store,
        direction: Direction,
        name: &str,
        most_bytes: u64,
        work: WorkContext<'_>,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Option<Self>> {
        let _buffers = work.budget.reserve(Self::LOADING_BYTES, Purpose::IoBuffers)?;
        let Some(file) = SelectionFile::open_named(store, direction, name, work.io, wrap)? else { return Ok(None) };
        let loader = Loader::new(&file, store.manifest().listed_vertices(), work.cancellation())?;
        loader.load(most_bytes, work.budget, work.observer).map_err(with_remedy)
    }
}

/// Reader of the required parts of the file, each in order.
pub(super) struct Loader<'l> {
    file: &'l SelectionFile,
    reader: ComponentReader,
    vertices: u32,
    cancellation: &'l Cancellation,
    reads: Reads,
}

/// Number of lists to load, and their total bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Prefix {
    lists: u32,
    bytes: u64,
}

impl<'l> Loader<'l> {
    pub(super) fn new(file: &'l SelectionFile, vertices: u32, cancellation: &'l Cancellation) -> Result<Self> {
        Ok(Self { file, reader: file.component.reader()?, vertices, cancellation, reads: Reads::default() })
    }

    /// Loads the first lists that fit `most_bytes` of memory; returns `None` if not even the first does.
    pub(super) fn load(
        mut self,
        most_bytes: u64,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Option<StaticLists>> {
        let header = self.file.header;
        let prefix = self.fitting(most_bytes)?;
        if prefix.lists == 0 {
            return Ok(None);
        }
        observer.phase(&Phase { name: "loading static cache", unit: ProgressUnit::Bytes, total: Some(prefix.bytes) });
        let mut draft = StaticCacheDraft::new(budget, self.vertices, prefix.lists, prefix.bytes, header.granule())?;
        self.name_members(prefix.lists, &mut draft)?;
        self.place_lists(prefix.lists, &mut draft)?;
        self.copy_lists(prefix.bytes, draft.records_mut(), observer)?;
        Ok(Some(StaticLists {
            cache: draft.finish(),
            encoding: self.file.encoding,
            path: self.file.component.path().to_owned(),
            mean_entries: header.arcs / u64::from(header.lists.max(1)),
            reads: self.reads,
        }))
    }

    /// Counts a read of `units` units.
    const fn count(&mut self, units: u64) {
        self.reads.bytes += units * length_from(UNIT_BYTES);
        self.reads.requests += units.div_ceil(64);
    }

    fn name_members(&mut self, lists: u32, draft: &mut StaticCacheDraft) -> Result<()> {
        let file = self.file;
        let twice = || file.damaged("checksum is valid but a vertex is duplicate or does not exist");
        self.for_each_batch(lists, &mut |_, named, _| {
            if named.iter().all(|vertex| draft.insert(*vertex)) { Ok(()) } else { Err(twice()) }
        })?;
        if draft.count() { Ok(()) } else { Err(twice()) }
    }

    fn place_lists(&mut self, lists: u32, draft: &mut StaticCacheDraft) -> Result<()> {
        let file = self.file;
        self.for_each_batch(lists, &mut |mut start, named, lengths| {
            let placed = named.iter().zip(lengths).all(|(vertex, length)| {
                let placed = draft.place(*vertex, start, *length);
                start += padded(*length, file.header.granule());
                placed
            });
            let misplaced = || file.damaged("checksum is valid but the positions of its lists are wrong");
            if placed { Ok(()) } else { Err(misplaced()) }
        })
    }

    /// Returns the first lists that fit `most_bytes`, including their positions.
    fn fitting(&mut self, most_bytes: u64) -> Result<Prefix> {
        let Header { lists, list_bytes, .. } = self.file.header;
        let (granule, vertices) = (self.file.header.granule(), self.vertices);
        let (mut prefix, mut beyond) = (Prefix::default(), false);
        let mut lengths = Vec::new();
        let mut first = 0;
        while first < lists && !beyond {
            self.cancellation.check()?;
            let count = (lists - first).min(number_from(BATCH));
            self.read_table(self.file.header.sections().lengths.start, first, count, &mut lengths)?;
            for length in &lengths {
                let next = Prefix { lists: prefix.lists + 1, bytes: prefix.bytes + padded(*length, granule) };
                if next.bytes > list_bytes {
                    return Err(self.file.damaged("checksum is valid but its lists exceed the stated length"));
                }
                if StaticCache::bytes_for(vertices, u64::from(next.lists), next.bytes) > most_bytes {
                    beyond = true;
                    break;
                }
                prefix = next;
            }
            first += count;
        }
        if beyond || prefix.bytes == list_bytes {
            Ok(prefix)
        } else {
            Err(self.file.damaged("its lists differ from their total length"))
        }
    }

    /// Calls `with` with batches of the first `lists` vertices and lengths, and the start of the first list of each
    /// batch.
    pub(super) fn for_each_batch(&mut self, lists: u32, with: TakeBatch<'_>) -> Result<()> {
        let (header, sections) = (self.file.header, self.file.header.sections());
        let (mut vertices, mut lengths) = (Vec::new(), Vec::new());
        let (mut first, mut start) = (0, 0);
        while first < lists {
            self.cancellation.check()?;
            let count = (lists - first).min(number_from(BATCH));
            self.read_table(sections.vertices.start, first, count, &mut vertices)?;
            self.read_table(sections.lengths.start, first, count, &mut lengths)?;
            with(start, &vertices, &lengths)?;
            start += lengths.iter().map(|length| padded(*length, header.granule())).sum::<u64>();
            first += count;
        }
        Ok(())
    }

    /// Reads `count` numbers of the table that starts at `unit`, beginning with number `first`.
    fn read_table(&mut self, unit: u64, first: u32, count: u32, into: &mut Vec<u32>) -> Result<()> {
        into.resize(index_from(u64::from(count)), 0);
        self.count(units_for(4 * u64::from(count)));
        let position = unit * length_from(PAYLOAD_BYTES) + 4 * u64::from(first);
        self.reader.read_at(position, bytemuck::cast_slice_mut(into))
    }

    fn copy_lists(&mut self, bytes: u64, into: &mut [u8], observer: &dyn Observer) -> Result<()> {
        let first = self.file.header.sections().first_list;
        let units = units_for(bytes);
        self.count(units);
        let mut done = 0;
        self.reader.for_each_unit(first..first + units, self.cancellation, |number, payload| {
            // Default: the padding of the last units belongs to no list.
            let rest = into.get_mut(index_from(number - first) * PAYLOAD_BYTES..).unwrap_or_default();
            let length = rest.len().min(payload.len());
            let (now, _) = rest.split_at_mut(length);
            now.copy_from_slice(&payload[..length]);
            done += length_from(length);
            if number % 1024 == 0 {
                observer.progress(done);
            }
            Ok(())
        })
    }
}
