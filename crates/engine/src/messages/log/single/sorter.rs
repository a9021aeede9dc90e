//! Sorts pages of messages, spills them, and merges what was spilled.

use super::super::combine::Combine;
use super::super::entry::{destination, entry_bytes, message};
use super::super::failure::alike;
use super::super::page::{HEADER_BYTES, Page};
use super::super::pool::Pool;
use super::super::taken::{Kept, Taken};
use super::merge::merge;
use super::output::{Output, Target, WRITE_BYTES};
use super::radix;
use super::sorted::{Firsts, Place, Sorted, Traffic};
use crate::messages::Plain;
use bytemuck::cast_slice_mut;
use outcrop_io::{SpillFile, SpillFolder, SpillWriter};
use outcrop_types::{Cancellation, Result, VertexId, VertexRange};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

/// A run is merged through a buffer of this many bytes, where there is memory for it.
const RUN_BYTES: usize = 64 << 10;
/// The most runs that are merged at once: each takes a file descriptor.
const MOST_RUNS: usize = 128;

/// The one log.
#[derive(Debug)]
pub(in super::super) struct Sorter<M> {
    intervals: Vec<VertexRange>,
    folder: SpillFolder,
    spilled: Mutex<Spilled>,
    sealed: Mutex<Sealed>,
    traffic: Arc<Traffic>,
    message: PhantomData<fn() -> M>,
}

/// Sorted runs of the superstep that is computed, and the memory in which pages are sorted and runs are merged: two numbers for each
/// entry that is sorted at once.
#[derive(Debug)]
struct Spilled {
    keys: Vec<u64>,
    writer: Option<SpillWriter>,
    runs: Vec<Range<u64>>,
}

/// Result of the last sort, and what of it was taken.
#[derive(Debug, Default)]
struct Sealed {
    sorted: Option<Arc<Sorted>>,
    taken: Vec<bool>,
    /// Messages that were not taken.
    left: u64,
}

impl Sealed {
    /// Messages to an interval that were not taken.
    fn of(&self, interval: usize) -> Range<u64> {
        match &self.sorted {
            Some(sorted) if !self.taken[interval] => sorted.of(interval),
            _ => 0..0,
        }
    }
}

impl<M: Plain> Sorter<M> {
    pub(in super::super) fn new(
        intervals: &[VertexRange],
        folder: &SpillFolder,
        pages: usize,
        page_bytes: usize,
    ) -> Result<Self> {
        let keys = (pages * entries_in(page_bytes, entry_bytes::<M>())).max(least_keys(entry_bytes::<M>()));
        Ok(Self {
            intervals: intervals.to_vec(),
            folder: folder.clone(),
            spilled: Mutex::new(Spilled { keys: vec![0; keys], writer: None, runs: Vec::new() }),
            sealed: Mutex::default(),
            traffic: Arc::default(),
            message: PhantomData,
        })
    }

    /// Sorts pages that are full and spills them, so that they are free again; with `wait` after others have done so. What goes wrong is
    /// kept in the pool.
    pub(in super::super) fn make_room<C: Combine<M>>(&self, pool: &Pool, combine: &C, wait: bool) {
        let spilled = match wait {
            true => Some(self.spilled.lock().unwrap_or_else(PoisonError::into_inner)),
            false => self.spilled.try_lock().ok(),
        };
        // Whoever waited may find that there is room now.
        if let Some(mut spilled) = spilled.filter(|_| !wait || pool.lock().free_pages() == 0) {
            _ = self.spill(&mut spilled, pool, combine).inspect_err(|error| pool.fail(alike(error)));
        }
    }

    /// Sorts as many pages as there are keys for; returns whether there were any.
    fn spill<C: Combine<M>>(&self, spilled: &mut Spilled, pool: &Pool, combine: &C) -> Result<bool> {
        pool.cancellation.check()?;
        let pages = pool.full_pages(at_once::<M>(spilled, pool));
        if pages.is_empty() {
            return Ok(false);
        }
        let writer = match &mut spilled.writer {
            Some(writer) => writer,
            vacant => vacant.insert(self.folder.create()?),
        };
        let start = writer.len();
        let output = Output::new(Target::Disk(writer, Vec::with_capacity(WRITE_BYTES)), combine);
        sort_pages(&pages, (&mut spilled.keys, self.vertices()), output, |_, _| ())?;
        self.traffic.written.fetch_add(writer.len() - start, Relaxed);
        spilled.runs.push(start..writer.len());
        pool.release(pages);
        Ok(true)
    }

    /// Messages that wait for an interval; those that are not sorted yet, which may be to any, count for each.
    pub(in super::super) fn waiting(&self, interval: usize, pool: &Pool) -> u64 {
        let sorted = self.sealed.lock().unwrap_or_else(PoisonError::into_inner).of(interval);
        sorted.end - sorted.start + pool.waiting(0)
    }

    /// Takes what waits for an interval. When everything that was sorted has been taken, sorts what was sent since.
    pub(in super::super) fn take<C: Combine<M>>(
        &self,
        interval: usize,
        pool: &Pool,
        tops: impl Iterator<Item = Page>,
        combine: &C,
    ) -> Result<Taken> {
        let mut sealed = self.sealed.lock().unwrap_or_else(PoisonError::into_inner);
        if sealed.left == 0 && pool.waiting(0) > 0 {
            *sealed = Sealed::default();
            pool.add(tops);
            let sorted = self.seal(pool, combine)?;
            let left = sorted.firsts.last().copied().unwrap_or(0);
            *sealed = Sealed { sorted: Some(Arc::new(sorted)), taken: vec![false; self.intervals.len()], left };
        }
        let entries = sealed.of(interval);
        let count = entries.end - entries.start;
        let kept = match &sealed.sorted {
            Some(sorted) if count > 0 => Kept::Sorted { sorted: Arc::clone(sorted), first: entries.start },
            _ => Kept::Nothing,
        };
        sealed.left -= count;
        sealed.taken.get_mut(interval).into_iter().for_each(|taken| *taken = true);
        let bytes = count * entry_bytes::<M>() as u64;
        Ok(Taken { range: self.intervals[interval], count, bytes, kept })
    }

    /// Sorts all that was sent.
    fn seal<C: Combine<M>>(&self, pool: &Pool, combine: &C) -> Result<Sorted> {
        let mut spilled = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut firsts = Firsts::new(&self.intervals);
        let at_once = at_once::<M>(&spilled, pool);
        let (place, entries) = if spilled.runs.is_empty() && pool.number_of_full_pages() <= at_once {
            let pages = pool.full_pages(at_once);
            let bytes = pages.iter().map(|page| page.entries().len()).sum();
            let output = Output::new(Target::Memory(Vec::with_capacity(bytes)), combine);
            let (entries, bytes) =
                sort_pages(&pages, (&mut spilled.keys, self.vertices()), output, |to, number| firsts.note(to, number))?;
            pool.release(pages);
            (Place::Memory(bytes), entries)
        } else {
            while self.spill(&mut spilled, pool, combine)? {}
            let (file, entries) = self.merge_all(&mut spilled, pool, combine, &mut firsts)?;
            (Place::Disk(file), entries)
        };
        pool.count_anew(0);
        let traffic = Arc::clone(&self.traffic);
        Ok(Sorted { place, entry_bytes: entry_bytes::<M>(), firsts: firsts.finish(entries), traffic })
    }

    /// Merges all runs into one: as many at a time as there is memory for.
    fn merge_all<C: Combine<M>>(
        &self,
        spilled: &mut Spilled,
        pool: &Pool,
        combine: &C,
        firsts: &mut Firsts<'_>,
    ) -> Result<(SpillFile, u64)> {
        let memory: &mut [u8] = cast_slice_mut(&mut spilled.keys);
        let most = (memory.len() / RUN_BYTES.max(entry_bytes::<M>())).clamp(2, MOST_RUNS);
        let mut runs = std::mem::take(&mut spilled.runs);
        let mut file = finished(spilled.writer.take(), &self.folder)?;
        while runs.len() > most {
            let (mut writer, mut merged) = (self.folder.create()?, Vec::new());
            for group in runs.chunks(most) {
                let start = writer.len();
                self.merge_some(&file, group, memory, (&mut writer, combine), &pool.cancellation, |_, _| ())?;
                merged.push(start..writer.len());
            }
            (file, runs) = (writer.finish()?, merged);
        }
        let mut writer = self.folder.create()?;
        let note = |to, number| firsts.note(to, number);
        let entries = self.merge_some(&file, &runs, memory, (&mut writer, combine), &pool.cancellation, note)?;
        Ok((writer.finish()?, entries))
    }

    fn merge_some<C: Combine<M>>(
        &self,
        file: &SpillFile,
        runs: &[Range<u64>],
        memory: &mut [u8],
        (writer, combine): (&mut SpillWriter, &C),
        cancellation: &Cancellation,
        mut begins: impl FnMut(u32, u64),
    ) -> Result<u64> {
        let start = writer.len();
        let mut output = Output::new(Target::Disk(writer, Vec::with_capacity(WRITE_BYTES)), combine);
        let memory = (memory, entry_bytes::<M>());
        let read = merge(file, runs, memory, cancellation, |to, message| output.push(to, message, &mut begins))?;
        let (entries, _) = output.finish()?;
        self.traffic.read.fetch_add(read, Relaxed);
        self.traffic.written.fetch_add(writer.len() - start, Relaxed);
        Ok(entries)
    }

    fn vertices(&self) -> VertexId {
        self.intervals.last().map_or(0, |range| range.end)
    }

    /// Bytes read and bytes written so far.
    pub(in super::super) fn traffic(&self) -> (u64, u64) {
        (self.traffic.read.load(Relaxed), self.traffic.written.load(Relaxed))
    }
}

/// Memory besides that for pages, in bytes.
pub(in super::super) const fn memory_bytes(intervals: u64, entry_bytes: usize) -> u64 {
    2 * WRITE_BYTES as u64 + 8 * least_keys(entry_bytes) as u64 + 32 * (intervals + 1)
}

/// Memory to sort a page, and to keep it sorted, in bytes.
pub(in super::super) const fn page_memory_bytes(page_bytes: u64, entry_bytes: usize) -> u64 {
    page_bytes + 16 * entries_in(page_bytes as usize, entry_bytes) as u64
}

/// Number of pages that are sorted at once: there is a key for each entry, which numbers pages with 16 bits.
fn at_once<M>(spilled: &Spilled, pool: &Pool) -> usize {
    (spilled.keys.len() / 2 / entries_in(pool.page_bytes, entry_bytes::<M>())).min(1 << 16)
}

/// Keys whose memory holds an entry of each of two runs.
const fn least_keys(entry_bytes: usize) -> usize {
    (2 * entry_bytes).div_ceil(size_of::<u64>())
}

/// Number of entries in a page.
const fn entries_in(page_bytes: usize, entry_bytes: usize) -> usize {
    page_bytes.saturating_sub(HEADER_BYTES) / entry_bytes
}

/// Hands the entries of pages over in the order of their destinations.
fn sort_pages<M: Plain, C: Combine<M>>(
    pages: &[Page],
    (keys, vertices): (&mut [u64], VertexId),
    mut output: Output<'_, M, C>,
    mut begins: impl FnMut(u32, u64),
) -> Result<(u64, Vec<u8>)> {
    let mut count = 0;
    for (number, page) in pages.iter().enumerate() {
        let first = number << 16;
        for (position, entry) in page.entries().chunks_exact(entry_bytes::<M>()).enumerate() {
            keys[count] = u64::from(destination(entry)) << 32 | (first + position) as u64;
            count += 1;
        }
    }
    let (keys, scratch) = keys.split_at_mut(count);
    radix::sort(keys, &mut scratch[..count], vertices);
    for key in keys {
        let (number, position) = ((*key as u32 >> 16) as usize, (*key as u32 & 0xFFFF) as usize);
        let entry = &pages[number].entries()[position * entry_bytes::<M>()..][..entry_bytes::<M>()];
        output.push((*key >> 32) as u32, message(entry), &mut begins)?;
    }
    output.finish()
}

/// Finishes the file of what was spilled, which may be nothing.
fn finished(writer: Option<SpillWriter>, folder: &SpillFolder) -> Result<SpillFile> {
    match writer {
        Some(writer) => writer.finish(),
        None => folder.create()?.finish(),
    }
}
