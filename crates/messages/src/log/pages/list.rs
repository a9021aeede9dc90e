//! Messages that wait for an interval.

use super::page::Page;

/// Messages to an interval that wait, or were taken, in no particular order.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) interval: u32,
    /// No other list has or had this number: what is left in the file of another is known by it.
    pub(super) serial: u64,
    /// True if somebody took it, so that it will be needed sooner than those that are being filled.
    pub(super) taken: bool,
    /// Pages in memory.
    pub(super) pages: Vec<Page>,
    /// Places of pages in the file.
    pub(super) places: Vec<u32>,
    /// Pages that are being written.
    pub(super) writing: u32,
    /// Bytes of entries, wherever they are.
    pub(super) bytes: u64,
}

impl List {
    /// Adds a page.
    pub(super) fn add(&mut self, page: Page) {
        self.bytes += page.entries().len() as u64;
        self.pages.push(page);
    }

    /// Notes where a page is. The list does not double when it grows, as that would take twice the memory.
    pub(super) fn note_place(&mut self, place: u32) {
        if self.places.len() == self.places.capacity() {
            self.places.reserve_exact(self.places.len() / 8 + 16);
        }
        self.places.push(place);
    }
}
