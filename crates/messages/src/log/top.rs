//! Pages that a worker fills: the top page of each interval's log (section V.A).

use super::combine::Combine;
use super::entry::{destination, entry_bytes, message as message_of, put};
use super::pages::{HEADER_BYTES, Page};
use outcrop_engine::Plain;
use outcrop_types::{VertexId, VertexRange};

/// Minimum combinations in a page: one per this many entries. Combining is slower than appending, and pays off only if
/// it saves I/O.
const WORTHWHILE: usize = 4;
/// Number of pages to fill without combining after a page with fewer combinations.
const REST: u32 = 7;

/// Page of an interval that a worker fills.
#[derive(Debug, Default)]
pub(super) struct Top {
    pub(super) page: Page,
    /// Bytes of the page whose messages are counted, and the number of combinations counted.
    counted: (usize, usize),
    /// `true` if the interval is in [`Slot::held`].
    pub(super) listed: bool,
    /// Number of the page's most recent entry per hash of its destination. The length is a power of two, or 0 without
    /// combination.
    recent: Box<[u16]>,
    /// Number of messages combined with entries of the page.
    combined: usize,
    /// Number of pages to fill without combining.
    pub(super) resting: u32,
}

impl Top {
    /// Appends the message for the leading vertices of `to` that are in `range` and fit; returns their number.
    #[inline(always)]
    pub(super) fn append<M: Plain>(&mut self, to: &[VertexId], range: VertexRange, message: &M) -> usize {
        // Default: a placeholder page has no room.
        let room = self.page.bytes.get_mut(self.page.used..).unwrap_or_default();
        let mut written = 0;
        for (place, to) in room.chunks_exact_mut(entry_bytes::<M>()).zip(to) {
            if !range.contains(*to) {
                break;
            }
            put(place, *to, message);
            written += 1;
        }
        self.page.used += written * entry_bytes::<M>();
        written
    }

    /// Like [`Top::append`], but combines a message with a remembered entry of the same vertex in this page.
    #[inline(always)]
    pub(super) fn fold<M: Plain>(
        &mut self,
        to: &[VertexId],
        range: VertexRange,
        message: M,
        combine: &impl Combine<M>,
    ) -> usize {
        let (bytes, recent, mut used) = (&mut *self.page.bytes, &mut *self.recent, self.page.used);
        let shift = VertexId::BITS - recent.len().trailing_zeros();
        let mut written = 0;
        for to in to {
            let Some(known) = recent.get_mut(hash(*to, shift)) else { break };
            let at = HEADER_BYTES + usize::from(*known) * entry_bytes::<M>();
            let entry = bytes.get_mut(at..at + entry_bytes::<M>()).filter(|_| at < used);
            if let Some(entry) = entry.filter(|entry| destination(entry) == *to) {
                put(entry, *to, &combine.combine(message_of(entry), message));
                self.combined += 1;
            } else {
                let end = used + entry_bytes::<M>();
                let Some(place) = bytes.get_mut(used..end).filter(|_| range.contains(*to)) else { break };
                put(place, *to, &message);
                *known = ((used - HEADER_BYTES) / entry_bytes::<M>()) as u16;
                used = end;
            }
            written += 1;
        }
        self.page.used = used;
        written
    }

    /// Takes the page out; [`Self::refill`] must follow.
    pub(super) fn take_full<M>(&mut self, pressed: bool) -> Page {
        self.rest::<M>(pressed);
        std::mem::take(&mut self.page)
    }

    /// Starts with an empty page.
    pub(super) fn refill(&mut self, page: Page) {
        self.page = page;
        self.counted = (HEADER_BYTES, 0);
    }

    /// Decides whether to combine in the next page: not if pages stay in memory.
    const fn rest<M>(&mut self, pressed: bool) {
        let entries = self.page.used / entry_bytes::<M>();
        self.resting = match self.resting {
            _ if !pressed || self.recent.is_empty() => 1,
            0 if self.combined * WORTHWHILE < entries => REST,
            0 => 0,
            resting => resting - 1,
        };
        self.combined = 0;
    }

    /// Returns the number of uncounted messages and marks them as counted.
    pub(super) const fn count<M>(&mut self) -> u64 {
        let (used, combined) = std::mem::replace(&mut self.counted, (self.page.used, self.combined));
        let entries = self.page.used.saturating_sub(used) / entry_bytes::<M>();
        (entries + self.combined - combined) as u64
    }
}

/// Returns a position in [`Top::recent`], whose length is 2 to the power of 32 - `shift`.
#[inline(always)]
const fn hash(to: VertexId, shift: u32) -> usize {
    to.wrapping_mul(0x9E37_79B1).wrapping_shr(shift) as usize
}

/// Returns the number of remembered entries per page: half of them, as a power of two.
const fn remembered(page_bytes: usize, entry_bytes: usize) -> usize {
    let half = page_bytes / entry_bytes / 2;
    if half < 2 {
        2
    } else if half > 1 << 15 {
        1 << 15
    } else {
        1 << half.ilog2()
    }
}

/// Pages that one worker fills.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) tops: Vec<Top>,
    /// Intervals with a page here, and some that had one.
    pub(super) held: Vec<u32>,
    pub(super) sent: u64,
}

impl Slot {
    /// Returns the memory per interval of a slot, without pages, in bytes.
    pub(super) const fn bytes(page_bytes: usize, entry_bytes: usize, combines: bool) -> u64 {
        let recent = if combines { size_of::<u16>() * remembered(page_bytes, entry_bytes) } else { 0 };
        (size_of::<Top>() + size_of::<u32>() + recent) as u64
    }

    pub(super) fn new<M>(intervals: usize, page_bytes: usize, combines: bool) -> Self {
        let recent = if combines { remembered(page_bytes, entry_bytes::<M>()) } else { 0 };
        let resting = u32::from(!combines);
        let top = || Top { recent: vec![0; recent].into_boxed_slice(), resting, ..Top::default() };
        Self { tops: (0..intervals).map(|_| top()).collect(), held: Vec::with_capacity(intervals), sent: 0 }
    }

    /// Takes the page of an interval, if any.
    pub(super) fn take(&mut self, interval: usize) -> Option<Page> {
        let top = &mut self.tops[interval];
        top.counted = (0, 0);
        top.combined = 0;
        (!top.page.bytes.is_empty()).then(|| std::mem::take(&mut top.page))
    }
}
