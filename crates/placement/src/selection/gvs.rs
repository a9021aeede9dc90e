//! Greedy vertex selection (BASC, Algorithm 1): lists whose pages would be read for little else.
//!
//! The penalty of a list is T\[u\] = Σ 1 / (r(u) · t · in-degree(u)) over the vertices v whose lists name u: r(u) is
//! the number of lists in u's page, t the sum of the lengths of those of them that v names and that are not selected,
//! so of what is used of the page when v asks. In each of K rounds, 1/K of the memory is filled with the lists of the
//! highest T\[u\] / length(u); then the penalties of those pages are computed anew in which something was selected.
//!
//! T depends on nothing but the lists of one page and who asks for them. So a page is computed from the lists of the
//! other direction of its vertices, which are collected for many pages at a time: memory need not hold the graph. And
//! so it is no more work to compute the order in which the lists of a page are selected if each is a round of its own;
//! [`Rounds::OneByOne`] merges these orders, which is what K rounds come to as K grows, at about the price of one.
//!
//! Deviations: a page is computed anew as a whole, from the same sums in the same order, so that the selection depends
//! on neither threads nor memory; a list through several pages counts for the first. Memory: 12 bytes per vertex and 12
//! per page besides lengths and in-degrees, and 8 bytes for each entry of the lists of the pages that are computed
//! together.

use super::batch::{Collect, PageJob, Slot, carve, requests_of_sets};
use super::candidates::Candidates;
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

/// Requesters of lists: lists that are asked for at the same time use a page together.
#[derive(Clone, Copy)]
pub enum Requesters<'r> {
    /// The vertices whose lists name them, as Algorithm 1 assumes: the lists of the other direction.
    Lists(&'r dyn Pages),
    /// Runs that were watched: a set for each time that lists were asked for together. A page is weighed by what such a
    /// set uses of it, and nothing else.
    Sets(&'r [BitSet]),
}

/// Selects among `candidates`, of which [`Candidates::requests`] counts the requesters.
///
/// # Errors
/// A budget that is too small; a failed or damaged read; interruption.
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
            selection.rank(&everything, |page| page.one_by_one())?;
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
const LOOK_BYTES: u64 = 24;

/// Memory of [`gvs`] with `threads` threads over the lists of `vertices` vertices in `pages` pages, each with at most
/// `lists` lists and at most `requests` requests for them, in bytes.
pub fn gvs_bytes(vertices: u32, pages: u64, (lists, requests): (u64, u64), threads: usize) -> u64 {
    let page = PAGE_BYTES + SLOT_BYTES * lists + REQUEST_BYTES * requests;
    let looking = LOOK_BYTES * (page / REQUEST_BYTES + (threads * SMALL_PAGE) as u64);
    // Members with keys and their order; four figures of each page, and the heap.
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
        // The heap, with some entries that have passed, and who is selected.
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

    /// Puts the vertices of `pages`, which ascend, that are not selected into the order that `order` finds.
    fn rank(&mut self, pages: &[u32], order: impl Fn(&PageRequests<'_>) -> Vec<Ranked> + Sync) -> Result<()> {
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

    /// Number of `pages` that are computed together.
    fn batch(&self, pages: &[u32]) -> usize {
        let mut sum = 0;
        let costs = pages.iter().map(|page| {
            sum += cost(self.candidates, &self.members, *page, self.taken[*page as usize]);
            sum
        });
        costs.take_while(|sum| *sum <= self.batch_bytes).count().max(1)
    }

    /// Places of the vertices of `page` that are not selected.
    fn places(&self, page: u32) -> Range<usize> {
        let places = self.members.places(page);
        places.start + self.taken[page as usize] as usize..places.end
    }

    /// The requests for the lists of `pages`: those of a page together, and as many as it may have.
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
        order: &(impl Fn(&PageRequests<'_>) -> Vec<Ranked> + Sync),
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
                let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
                if (job.requests.len() <= SMALL_PAGE) == small {
                    job.run(candidates, preference, order);
                }
            }
            self.workers.cancellation().check()
        };
        self.workers.run(false, &|_| work(true))?;
        next.store(0, Relaxed);
        work(false)
    }

    /// The first of `page` that is not selected stands for it among the heads.
    fn offer(&mut self, page: u32) {
        let version = &mut self.versions[page as usize];
        *version = version.wrapping_add(1);
        let version = *version;
        let places = self.places(page);
        if !places.is_empty() {
            self.heads.push((self.keys[places.start], Reverse(page), version));
        }
    }

    /// Selects until the next list would be more than `entries` together; the pages of which something was selected,
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

/// Memory that computing `page`, of which `taken` vertices are selected, holds in a batch, in bytes.
fn cost(candidates: &Candidates<'_>, members: &PageMembers, page: u32, taken: u32) -> u64 {
    let places = members.places(page);
    let vertices = &members.vertices()[places.start + taken as usize..places.end];
    let requests: u64 = vertices.iter().map(|vertex| u64::from(candidates.requests[*vertex as usize])).sum();
    PAGE_BYTES + SLOT_BYTES * vertices.len() as u64 + REQUEST_BYTES * requests
}
