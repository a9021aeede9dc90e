//! Pending messages of an interval.

use super::page::Page;

/// Pending or taken messages of an interval, in no particular order.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) interval: u32,
    /// Unique serial number, which identifies the list's pages in the file: pages of other lists have other numbers.
    pub(super) serial: u64,
    /// `true` if the list was taken, so that it is needed sooner than lists being filled.
    pub(super) taken: bool,
    /// Pages in memory.
    pub(super) pages: Vec<Page>,
    /// Places of pages in the file.
    pub(super) places: Vec<u32>,
    /// Number of pages being written.
    pub(super) writing: u32,
    /// Size of the entries in bytes, in memory and on disk.
    pub(super) bytes: u64,
}

impl List {
    /// Adds a page.
    pub(super) fn add(&mut self, page: Page) {
        self.bytes += page.entries().len() as u64;
        self.pages.push(page);
    }

    /// Records the place of a page. The list does not double when it grows, which would take twice the memory.
    pub(super) fn note_place(&mut self, place: u32) {
        if self.places.len() == self.places.capacity() {
            self.places.reserve_exact(self.places.len() / 8 + 16);
        }
        self.places.push(place);
    }
}
