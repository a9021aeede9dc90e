//! Batches of pages in GVS: the requests for their lists, and the order computed for each page.

use super::candidates::Candidates;
use super::page_requests::{NO_REQUEST, PageRequests, Preference, Ranked, Request, request};
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{BitSet, VertexId};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Position of the requests for a vertex's list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) vertex: VertexId,
    /// Position among the unselected lists of its page.
    pub(super) position: u32,
    pub(super) start: u32,
}

/// Collects the requests for the lists of a batch.
pub(super) struct Collect<'c> {
    slots: Vec<Slot>,
    requests: Vec<AtomicU64>,
    in_lists: &'c [u32],
}

impl<'c> Collect<'c> {
    /// Creates a collector for `slots`, ascending by vertex, with `places` places in total; `in_lists` is the number of
    /// lists that contain each vertex.
    pub(super) fn new(slots: Vec<Slot>, in_lists: &'c [u32], places: u32) -> Self {
        Self { slots, requests: (0..places).map(|_| AtomicU64::new(NO_REQUEST)).collect(), in_lists }
    }

    pub(super) fn requests(self) -> Vec<Request> {
        self.requests.into_iter().map(AtomicU64::into_inner).collect()
    }
}

/// Returns the requests of sets for the lists of `slots`, which have `places` places in total.
pub(super) fn requests_of_sets(slots: &[Slot], sets: &[BitSet], places: u32) -> Vec<Request> {
    let mut requests = vec![NO_REQUEST; places as usize];
    for slot in slots {
        let asking = (0..).zip(sets).filter(|(_, set)| set.contains(slot.vertex));
        for (place, (number, _)) in requests[slot.start as usize..].iter_mut().zip(asking) {
            *place = request(number, slot.position);
        }
    }
    requests
}

impl FoldLists for Collect<'_> {
    /// Position of the list, and the places left for its requests.
    type Fold = (u32, Range<usize>);

    fn begin(&self, vertex: VertexId) -> Self::Fold {
        let slot = self.slots.binary_search_by_key(&vertex, |slot| slot.vertex).ok().map(|at| self.slots[at]);
        slot.map_or((0, 0..0), |slot| {
            let start = slot.start as usize;
            (slot.position, start..start + self.in_lists[vertex as usize] as usize)
        })
    }

    fn neighbors(&self, _: VertexId, fold: &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        let (position, places) = fold;
        for (requester, place) in piece.ids().iter().zip(&mut *places) {
            self.requests[place].store(request(*requester, *position), Relaxed);
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: Self::Fold) {}
}

/// Page to be ordered.
pub(super) struct PageJob<'j> {
    /// Number of lists on the page, as for [`PageRequests::new`].
    pub(super) lists: Option<u32>,
    pub(super) vertices: &'j mut [VertexId],
    pub(super) keys: &'j mut [u32],
    pub(super) requests: &'j mut [Request],
}

impl PageJob<'_> {
    pub(super) fn run(
        &mut self,
        candidates: &Candidates<'_>,
        preference: Preference,
        order: &impl Fn(PageRequests<'_>) -> Vec<Ranked>,
    ) {
        let figures = |vertex: &VertexId| (candidates.lengths[*vertex as usize], candidates.requests[*vertex as usize]);
        let members = self.vertices.iter().map(figures);
        let ranked = order(PageRequests::new(self.requests, members, self.lists, preference));
        let vertices: Vec<VertexId> = ranked.iter().map(|(_, position)| self.vertices[*position as usize]).collect();
        self.vertices.copy_from_slice(&vertices);
        self.keys.iter_mut().zip(&ranked).for_each(|(slot, (key, _))| *slot = *key);
    }
}

/// Removes `skipped` values from the front of `rest`, then removes and returns the next `count`.
pub(super) fn carve<'v, T>(rest: &mut &'v mut [T], skipped: usize, count: usize) -> Option<&'v mut [T]> {
    rest.split_off_mut(..skipped)?;
    rest.split_off_mut(..count)
}
