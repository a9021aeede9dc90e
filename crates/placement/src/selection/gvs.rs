//! Greedy vertex selection (BASC, Algorithm 1): pins lists whose pages would be read for little else.
//!
//! The penalty of a list is T\[u\] = Σ 1 / (r(u) · t · in-degree(u)) over the vertices v whose lists contain u. r(u) is
//! the number of lists on u's page; t is the total length of the unselected ones that v contains, which is the used
//! part of the page when v is processed. Each of K rounds fills 1/K of the memory with the lists of the highest T\[u\]
//! / length(u), and then recomputes the penalties of the pages with selected lists.
//!
//! T depends only on the lists of one page and their requesters. A page is therefore computed from the lists of its
//! vertices in the other direction, collected for many pages at a time, so that the graph need not fit in memory. For
//! the same reason, ordering a page's lists by one round per list costs no more. [`Rounds::OneByOne`] merges these
//! orders: the limit of K rounds as K grows, at about the cost of one round.
//!
//! Deviations: a page is recomputed as a whole, from the same sums in the same order, so that the selection depends on
//! neither threads nor memory; a list on several pages counts for the first. Memory: 12 bytes per vertex and 12 per
//! page in addition to lengths and in-degrees, and 8 bytes per entry of the lists of the pages computed together.

use super::batch::{Collect, PageJob, Slot, carve, requests_of_sets};
use super::candidates::Candidates;
use super::greedy::Greedy;
use super::page_members::PageMembers;
use super::page_requests::{PageRequests, Ranked, Request};
use outcrop_store::access::{Pages, Workers};
use outcrop_types::{BitSet, MemoryBudget, Observer, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

pub use super::page_requests::Preference;

/// Number of rounds, each of which recomputes penalties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Fixed number of rounds: the paper's K.
    Of(NonZeroU32),
    /// A round per vertex.
    OneByOne,
}

/// Options of a selection.
#[derive(Clone, Copy, Debug)]
pub struct GvsOptions {
    /// Maximum total entries of the selected lists.
    pub entries: u64,
    /// Number of rounds, each of which recomputes penalties.
    pub rounds: Rounds,
    /// Order in which penalties are selected.
    pub preference: Preference,
}

/// Requesters of lists: lists requested at the same time share a page.
#[derive(Clone, Copy)]
pub enum Requesters<'r> {
    /// Vertices whose lists contain the requested ones, as Algorithm 1 assumes: the lists of the other direction.
    Lists(&'r dyn Pages),
    /// Recorded runs: one set per batch of lists requested together. The weight of a page is the part that such a set
    /// uses.
    Sets(&'r [BitSet]),
}

/// Selects among `candidates`, of which [`Candidates::requests`] counts the requesters.
///
/// # Errors
/// Returns an error if the budget is too small, if a read fails or is damaged, or on interruption.
pub fn gvs(
    candidates: &Candidates<'_>,
    requesters: Requesters<'_>,
    options: &GvsOptions,
    workers: &Workers,
    budget: &MemoryBudget,
    observer: &dyn Observer,
) -> Result<Vec<VertexId>> {
    let mut selection = Selection::new(candidates, requesters, options, workers, budget)?;
    let everything: Vec<u32> = (0..selection.members.pages()).collect();
    match options.rounds {
        Rounds::OneByOne => {
            selection.rank(&everything, |page| Greedy::new(page).collect())?;
            _ = selection.fill(options.entries);
        }
        Rounds::Of(rounds) => {
            let mut pages = everything;
            for round in 1..=rounds.get() {
                selection.rank(&pages, |page| page.ranked())?;
                let share = u128::from(options.entries) * u128::from(round) / u128::from(rounds.get());
                pages = selection.fill(u64::try_from(share).unwrap_or(options.entries));
                observer.progress(u64::from(round));
            }
        }
    }
    Ok(selection.ranked)
}

/// Maximum number of requests of a page that is processed in parallel with others.
const SMALL_PAGE: usize = 1 << 16;

struct Selection<'s> {
    candidates: &'s Candidates<'s>,
    requesters: Requesters<'s>,
    preference: Preference,
    workers: &'s Workers,
    /// Vertices per page: the selected ones first, then the others in the order of selection.
    members: PageMembers,
    /// Key of each member.
    keys: VertexValues<u32>,
    /// Number of selected vertices per page.
    taken: VertexValues<u32>,
    /// Version per page, which changes with its first unselected vertex.
    versions: VertexValues<u32>,
    /// First unselected vertex of each page, by key; may contain entries of outdated versions.
    heads: BinaryHeap<(u32, Reverse<u32>, u32)>,
    /// Selected vertices.
    ranked: Vec<VertexId>,
    /// Total entries of their lists.
    filled: u64,
    /// Memory of a batch.
    batch_bytes: u64,
    _held: [Reservation; 2],
}

/// Memory of a batch per request, per vertex and per page, in bytes.
const REQUEST_BYTES: u64 = 8;
const SLOT_BYTES: u64 = size_of::<Slot>() as u64 + 4;
const PAGE_BYTES: u64 = 80;
/// Additional memory for processing a page, per request, in bytes.
const LOOK_BYTES: u64 = 32;

/// Memory of [`gvs`] with `threads` threads over the lists of `vertices` vertices in `pages` pages, each with at most
/// `lists` lists and at most `requests` requests for them, in bytes.
pub fn gvs_bytes(vertices: u32, pages: u64, (lists, requests): (u64, u64), threads: usize) -> u64 {
    let page = PAGE_BYTES + SLOT_BYTES * lists + REQUEST_BYTES * requests;
    let looking = LOOK_BYTES * (page / REQUEST_BYTES + (threads * SMALL_PAGE) as u64);
    // Members with keys and their order; four numbers per page, and the heap.
    12 * u64::from(vertices) + 36 * (pages + 1) + VertexSet::bytes(vertices) + looking + page
}

impl<'s> Selection<'s> {
    fn new(
        candidates: &'s Candidates<'s>,
        requesters: Requesters<'s>,
        options: &GvsOptions,
        workers: &'s Workers,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let members = PageMembers::of(candidates, budget)?;
        let (pages, count) = (members.pages() as usize, members.vertices().len());
        let keys = VertexValues::new(budget, Purpose::IdMap, count, |_| 0)?;
        let taken = VertexValues::new(budget, Purpose::IdMap, pages, |_| 0)?;
        let versions = VertexValues::new(budget, Purpose::IdMap, pages, |_| 0)?;
        // The heap, with some outdated entries, and the selected vertices.
        let lists = budget.reserve(4 * count as u64 + 24 * pages as u64, Purpose::IdMap)?;
        let costs = (0..members.pages()).map(|page| cost(candidates, &members, page, 0));
        let (all, most) = costs.fold((0_u64, 0), |(all, most), cost| (all.saturating_add(cost), most.max(cost)));
        let looking = LOOK_BYTES * (most / REQUEST_BYTES + (workers.threads() * SMALL_PAGE) as u64).min(all);
        let fixed = looking + VertexSet::bytes(candidates.lists.num_vertices());
        let batch_bytes = all.min(budget.available().saturating_sub(fixed)).max(most).min(1 << 34);
        let batch = budget.reserve(fixed + batch_bytes, Purpose::SortSpace)?;
        Ok(Self {
            candidates,
            requesters,
            preference: options.preference,
            workers,
            members,
            keys,
            taken,
            versions,
            heads: BinaryHeap::new(),
            ranked: Vec::new(),
            filled: 0,
            batch_bytes,
            _held: [lists, batch],
        })
    }

    /// Orders the unselected vertices of the ascending `pages` by `order`.
    fn rank(&mut self, pages: &[u32], order: impl Fn(PageRequests<'_>) -> Vec<Ranked> + Sync) -> Result<()> {
        let mut rest = pages;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(self.batch(rest));
            rest = later;
            let requests = self.collect(now)?;
            self.rank_batch(now, requests, &order)?;
        }
        for page in pages {
            self.offer(*page);
        }
        Ok(())
    }

    /// Returns the number of `pages` to compute together.
    fn batch(&self, pages: &[u32]) -> usize {
        let mut sum = 0;
        let costs = pages.iter().map(|page| {
            sum += cost(self.candidates, &self.members, *page, self.taken[*page as usize]);
            sum
        });
        costs.take_while(|sum| *sum <= self.batch_bytes).count().max(1)
    }

    /// Returns the positions of the unselected vertices of `page`.
    fn places(&self, page: u32) -> Range<usize> {
        let places = self.members.places(page);
        places.start + self.taken[page as usize] as usize..places.end
    }

    /// Collects the requests for the lists of `pages`, grouped by page, up to the maximum per page.
    fn collect(&self, pages: &[u32]) -> Result<Vec<Request>> {
        let mut slots = Vec::new();
        let mut start = 0;
        for page in pages {
            for (position, vertex) in (0..).zip(&self.members.vertices()[self.places(*page)]) {
                slots.push(Slot { vertex: *vertex, position, start });
                start += self.candidates.requests[*vertex as usize];
            }
        }
        match self.requesters {
            Requesters::Lists(back) => {
                self.workers.sort(&mut slots);
                let members = slots.iter().map(|slot| slot.vertex).collect();
                let collect = Collect::new(slots, self.candidates.requests, start);
                back.select(&VertexSet::from_members(members, back.num_vertices()), &collect)?;
                Ok(collect.requests())
            }
            Requesters::Sets(sets) => Ok(requests_of_sets(&slots, sets, start)),
        }
    }

    fn rank_batch(
        &mut self,
        pages: &[u32],
        mut requests: Vec<Request>,
        order: &(impl Fn(PageRequests<'_>) -> Vec<Ranked> + Sync),
    ) -> Result<()> {
        let (candidates, preference) = (self.candidates, self.preference);
        let lists = |page: u32| match self.requesters {
            Requesters::Lists(_) => Some(self.members.places(page).len() as u32),
            Requesters::Sets(_) => None,
        };
        let places: Vec<_> = pages.iter().map(|page| (lists(*page), self.places(*page))).collect();
        let (mut vertices, mut keys, mut requests) =
            (self.members.vertices_mut(), &mut self.keys[..], &mut requests[..]);
        let mut passed = 0;
        let carve = |(lists, places): (Option<u32>, Range<usize>)| {
            let (skipped, count) = (places.start - std::mem::replace(&mut passed, places.end), places.len());
            let vertices = carve(&mut vertices, skipped, count)?;
            let asked = vertices.iter().map(|vertex| candidates.requests[*vertex as usize] as usize).sum();
            let (keys, requests) = (carve(&mut keys, skipped, count)?, carve(&mut requests, 0, asked)?);
            Some(Mutex::new(PageJob { lists, vertices, keys, requests }))
        };
        let jobs: Vec<_> = places.into_iter().map_while(carve).collect();
        let next = AtomicUsize::new(0);
        let work = |small: bool| {
            while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                self.workers.cancellation().check()?;
                let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
                if (job.requests.len() <= SMALL_PAGE) == small {
                    job.run(candidates, preference, order);
                }
            }
            Ok(())
        };
        self.workers.run(false, &|_| work(true))?;
        next.store(0, Relaxed);
        work(false)
    }

    /// Adds the first unselected vertex of `page` to the heads.
    fn offer(&mut self, page: u32) {
        let version = &mut self.versions[page as usize];
        *version = version.wrapping_add(1);
        let version = *version;
        let places = self.places(page);
        if !places.is_empty() {
            self.heads.push((self.keys[places.start], Reverse(page), version));
        }
    }

    /// Selects lists until the next one would exceed `entries` in total. Returns the pages with selected lists,
    /// ascending.
    fn fill(&mut self, entries: u64) -> Vec<u32> {
        let mut pages = Vec::new();
        while let Some((_, Reverse(page), version)) = self.heads.peek().copied() {
            let place = self.places(page).start;
            if version != self.versions[page as usize] {
                self.heads.pop();
                continue;
            }
            let vertex = self.members.vertices()[place];
            let filled = self.filled + u64::from(self.candidates.lengths[vertex as usize]);
            if filled > entries {
                break;
            }
            self.heads.pop();
            self.filled = filled;
            self.ranked.push(vertex);
            self.taken[page as usize] += 1;
            self.offer(page);
            pages.push(page);
        }
        pages.sort_unstable();
        pages.dedup();
        pages
    }
}

/// Returns the memory in a batch for computing `page`, of which `taken` vertices are selected, in bytes.
fn cost(candidates: &Candidates<'_>, members: &PageMembers, page: u32, taken: u32) -> u64 {
    let places = members.places(page);
    let vertices = &members.vertices()[places.start + taken as usize..places.end];
    let requests: u64 = vertices.iter().map(|vertex| u64::from(candidates.requests[*vertex as usize])).sum();
    PAGE_BYTES + SLOT_BYTES * vertices.len() as u64 + REQUEST_BYTES * requests
}
