//! Reads the pages of lists.

use super::list::List;
use super::page::{Page, verified};
use super::pool::Pool;
use outcrop_types::{Error, Result, length_from};
use std::ops::Range;
use std::path::Path;

/// Bytes of read-ahead.
const AHEAD_BYTES: usize = 4 << 20;

/// Returns the error for a damaged page or a page with impossible entries.
pub(crate) fn damaged(folder: &Path) -> Error {
    let message = "a message page in a temporary file in this folder has a wrong checksum";
    Error::corrupt(folder, message).with_remedy("check the disk and repeat the run")
}

/// Content of an open list. Its pages cannot be evicted while they are here.
struct Opened {
    interval: u32,
    serial: u64,
    pages: Vec<Page>,
    places: Vec<u32>,
}

impl Pool {
    /// Passes the entries of a list to `take`. Empties the list if this is the `last` pass.
    pub(crate) fn scan(
        &self,
        list: usize,
        last: bool,
        staging: &mut [u8],
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut opened = self.open(list)?;
        opened.pages.iter().try_for_each(|page| take(page.entries()))?;
        if last {
            self.release(opened.pages.drain(..));
        }
        let mut ahead = Ahead { pool: self, places: &opened.places, next: 0, asked: 0 };
        while let Some(run) = ahead.next_run(staging.len() / self.page_bytes) {
            self.cancellation.check()?;
            let places = &opened.places[run];
            self.read(&opened, places, staging, take)?;
            if last {
                self.free_places(places);
            }
        }
        if last {
            opened.places.clear();
        }
        self.put_back(list, opened);
        Ok(())
    }

    /// Reads a run of adjacent pages and passes on their entries.
    fn read(
        &self,
        of: &Opened,
        places: &[u32],
        staging: &mut [u8],
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let bytes = &mut staging[..places.len() * self.page_bytes];
        self.file.read(places.first().copied().map_or(0, u64::from), bytes)?;
        for (page, place) in bytes.chunks_exact(self.page_bytes).zip(places) {
            take(verified(page, of.interval, of.serial, *place).ok_or_else(|| damaged(self.file.folder()))?)?;
        }
        Ok(())
    }

    /// Takes the content of a list, after its pending writes have finished.
    fn open(&self, list: usize) -> Result<Opened> {
        let mut state = self.lock();
        while state.lists[list].writing > 0 {
            state = self.wait(state);
        }
        if state.failed.has_failed() {
            drop(state);
            self.check()?;
            return Err(Error::internal("the message log lost the error of a failed write"));
        }
        let List { interval, serial, pages, places, .. } = &mut state.lists[list];
        let (pages, places) = (std::mem::take(pages), std::mem::take(places));
        Ok(Opened { interval: *interval, serial: *serial, pages, places })
    }

    fn put_back(&self, list: usize, opened: Opened) {
        let mut state = self.lock();
        state.lists[list].pages = opened.pages;
        state.lists[list].places = opened.places;
        drop(state);
        self.wanted.notify_one();
    }

    fn free_places(&self, places: &[u32]) {
        let mut state = self.lock();
        places.iter().for_each(|place| state.places.release(*place));
    }
}

/// Iterates over the places of a list, with read-ahead.
struct Ahead<'p> {
    pool: &'p Pool,
    places: &'p [u32],
    next: usize,
    asked: usize,
}

impl Ahead<'_> {
    /// Returns the next run of adjacent pages in the file, of at most `most` pages.
    fn next_run(&mut self, most: usize) -> Option<Range<usize>> {
        self.ask();
        let run = self.run_from(self.next, most);
        self.next = run.end;
        (!run.is_empty()).then_some(run)
    }

    fn run_from(&self, start: usize, most: usize) -> Range<usize> {
        let rest = &self.places[start.min(self.places.len())..];
        let follow = rest.windows(2).take(most.max(1) - 1).take_while(|pair| pair[0] + 1 == pair[1]).count();
        start..start + rest.len().min(1 + follow)
    }

    /// Requests the next pages, so that several reads are in flight.
    fn ask(&mut self) {
        let pages = (AHEAD_BYTES / self.pool.page_bytes).max(1);
        if self.asked > self.next + pages / 2 {
            return;
        }
        self.asked = self.asked.max(self.next);
        while self.asked < self.places.len().min(self.next + pages) {
            let run = self.run_from(self.asked, pages);
            self.pool.file.prefetch(u64::from(self.places[run.start]), length_from(run.len()));
            self.asked = run.end;
        }
    }
}
