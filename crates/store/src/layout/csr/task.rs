//! One worker's share of a select or sweep: plans reads, keeps them in flight, folds the lists that have arrived.

use super::adjacency::CsrAdjacency;
use crate::access::Visit;
use crate::component::UNIT_HEADER_BYTES;
use outcrop_io::{PageGuard, ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, VertexRange, VertexSet, index_from, length_from};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The most vertices that one request serves.
const TASK_VERTICES: usize = 8192;
/// Members of a sparse set that a worker claims at once.
const CLAIM_MEMBERS: u64 = 256;
/// A sparse set of at most so many members, with at most so many list entries, is not shared among workers.
const LITTLE_MEMBERS: u64 = 1 << 12;
const LITTLE_ENTRIES: u64 = 1 << 15;
/// List entries that a worker claims at once when it goes through vertices in order.
const CLAIM_ENTRIES: u64 = 1 << 16;

/// The lists that are wanted, handed out to the workers in blocks.
pub(super) struct Claims<'s> {
    wanted: Wanted<'s>,
    next: AtomicU64,
    end: u64,
    step: u64,
    /// Vertices whose lists are too long for one request.
    pub(super) long: Mutex<Vec<VertexId>>,
}

enum Wanted<'s> {
    Members(&'s VertexSet),
    Range,
}

impl<'s> Claims<'s> {
    pub(super) fn of_set(set: &'s VertexSet, csr: &CsrAdjacency) -> Self {
        let step = match set {
            VertexSet::Sparse { .. } => CLAIM_MEMBERS,
            VertexSet::Dense { .. } => vertices_of_claim(csr),
        };
        Self::new(Wanted::Members(set), 0..u64::from(set.positions()), step)
    }

    pub(super) fn of_range(range: VertexRange, csr: &CsrAdjacency) -> Self {
        Self::new(Wanted::Range, u64::from(range.start)..u64::from(range.end), vertices_of_claim(csr))
    }

    fn new(wanted: Wanted<'s>, range: Range<u64>, step: u64) -> Self {
        Self { wanted, next: AtomicU64::new(range.start), end: range.end, step, long: Mutex::default() }
    }

    /// Whether there is too little to share among workers: waking them takes longer, and far longer on a machine that is busy
    /// with other things. Road networks have thousands of such frontiers.
    pub(super) fn little(&self, csr: &CsrAdjacency) -> bool {
        let positions = self.end.saturating_sub(self.next.load(Relaxed));
        match self.wanted {
            Wanted::Members(set @ VertexSet::Sparse { .. }) if positions <= LITTLE_MEMBERS => {
                let mut entries = 0;
                set.for_each(|vertex| entries += u64::from(csr.index.degree(vertex)));
                entries <= LITTLE_ENTRIES
            }
            _ => positions <= CLAIM_MEMBERS / 4,
        }
    }

    /// Hands out nothing more.
    pub(super) fn stop(&self) {
        self.next.store(self.end, Relaxed);
    }

    fn claim(&self) -> Option<VertexRange> {
        let start = self.next.fetch_add(self.step, Relaxed);
        let end = start.saturating_add(self.step).min(self.end);
        (start < end).then(|| VertexRange::new(position(start), position(end)))
    }

    fn for_each<V: Visit>(&self, claim: VertexRange, visit: &V, mut with: impl FnMut(VertexId)) {
        match self.wanted {
            Wanted::Members(set) => set.for_each_in(claim, with),
            Wanted::Range => claim.iter().filter(|vertex| visit.wants(*vertex)).for_each(&mut with),
        }
    }

    fn postpone(&self, vertex: VertexId) {
        self.long.lock().unwrap_or_else(PoisonError::into_inner).push(vertex);
    }
}

fn position(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// So many vertices have about [`CLAIM_ENTRIES`] list entries.
fn vertices_of_claim(csr: &CsrAdjacency) -> u64 {
    let scaled = u128::from(CLAIM_ENTRIES) * u128::from(csr.index.vertices()) / u128::from(csr.arcs.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX).clamp(64, CLAIM_ENTRIES)
}

/// The vertices whose lists one request brings.
#[derive(Default)]
struct Task {
    units: Range<u64>,
    vertices: Vec<VertexId>,
}

/// One worker's side of a select or sweep.
pub(super) struct Gatherer<'a, V: Visit> {
    csr: &'a CsrAdjacency,
    visit: &'a V,
    claims: &'a Claims<'a>,
    admission: outcrop_io::Admission,
    planned: VecDeque<Task>,
    in_flight: Vec<Task>,
    vacant: Vec<usize>,
    spare: Vec<Vec<VertexId>>,
    pinned: Vec<(u64, PageGuard<'a>)>,
    /// Which pages of a request that has arrived lists are in.
    visited: Vec<bool>,
}

impl<'a, V: Visit> Gatherer<'a, V> {
    pub(super) fn new(
        csr: &'a CsrAdjacency,
        visit: &'a V,
        claims: &'a Claims<'a>,
        admission: outcrop_io::Admission,
    ) -> Self {
        Self {
            csr,
            visit,
            claims,
            admission,
            planned: VecDeque::new(),
            in_flight: Vec::new(),
            vacant: Vec::new(),
            spare: Vec::new(),
            pinned: Vec::new(),
            visited: Vec::new(),
        }
    }

    /// Folds what is resident and plans requests for the rest of `claim`.
    fn plan(&mut self, claim: VertexRange) {
        let (claims, visit) = (self.claims, self.visit);
        let (mut held, mut paged) = (0, 0);
        claims.for_each(claim, visit, |vertex| {
            if self.csr.fold_static(vertex, visit) {
                held += 1;
                return;
            }
            let list = self.csr.index.list(vertex);
            let units = self.csr.geometry.units(&list);
            paged += u64::from(!list.is_empty());
            if list.is_empty() {
                visit.end(vertex, visit.begin(vertex));
            } else if units.end - units.start > self.csr.requests.longest() {
                claims.postpone(vertex);
            } else if !self.fold_resident(vertex, &list, &units) {
                self.plan_read(vertex, units);
            }
        });
        self.pinned.clear();
        if self.csr.statics.is_some() {
            self.csr.statistics.count_static(held, paged);
        }
    }

    /// Folds the list of `vertex` where all its units are in the page cache.
    fn fold_resident(&mut self, vertex: VertexId, list: &Range<u64>, units: &Range<u64>) -> bool {
        let csr = self.csr;
        let Some(cache) = &csr.cache else { return false };
        // The list before may end in the unit in which this one begins; what follows is pinned in order.
        self.pinned.retain(|(unit, _)| *unit == units.start);
        let pinned = length_from(self.pinned.len());
        for unit in units.start + pinned..units.end {
            let Some(guard) = cache.get(unit) else { return false };
            self.pinned.push((unit, guard));
        }
        csr.statistics.count_hits(length_from(self.pinned.len()) - pinned);
        let pinned = &self.pinned;
        fold_list(csr, self.visit, vertex, list, |unit| {
            pinned.get(index_from(unit - units.start)).map_or(&[], |(_, guard)| guard)
        });
        true
    }

    fn plan_read(&mut self, vertex: VertexId, units: Range<u64>) {
        let (merge, requests) = (self.csr.merge, self.csr.requests);
        let units = requests.covering(&units);
        match self.planned.back_mut() {
            Some(task)
                if units.start >= task.units.start
                    && merge.joins(&requests.bytes(&task.units), &requests.bytes(&units))
                    && task.vertices.len() < TASK_VERTICES =>
            {
                task.units.end = task.units.end.max(units.end);
                task.vertices.push(vertex);
            }
            _ => {
                let mut vertices = self.spare.pop().unwrap_or_default();
                vertices.push(vertex);
                self.planned.push_back(Task { units, vertices });
            }
        }
    }

    /// Finds out and counts which pages of a request lists are in; others lie between them.
    fn note_visited(&mut self, task: &Task) {
        self.visited.clear();
        self.visited.resize(index_from(task.units.end - task.units.start), false);
        for vertex in &task.vertices {
            let units = self.csr.geometry.units(&self.csr.index.list(*vertex));
            let pages = index_from(units.start - task.units.start)..index_from(units.end - task.units.start);
            self.visited.get_mut(pages).unwrap_or_default().fill(true);
        }
        let count = self.visited.iter().filter(|visited| **visited).count();
        self.csr.statistics.count_misses(length_from(count));
    }

    fn launch(&mut self, task: Task) -> ReadRequest {
        let units = task.units.clone();
        let slot = self.vacant.pop().unwrap_or(self.in_flight.len());
        match self.in_flight.get_mut(slot) {
            Some(vacant) => *vacant = task,
            None => self.in_flight.push(task),
        }
        self.csr.requests.request(&units, length_from(slot))
    }
}

impl<V: Visit> ReadSource for Gatherer<'_, V> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        while self.planned.is_empty() {
            self.csr.workers.cancellation().check()?;
            let Some(claim) = self.claims.claim() else { return Ok(None) };
            self.plan(claim);
        }
        Ok(self.planned.pop_front().map(|task| self.launch(task)))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let slot = index_from(token);
        let Some(task) = self.in_flight.get_mut(slot).map(std::mem::take) else { return Ok(()) };
        self.vacant.push(slot);
        let csr = self.csr;
        self.note_visited(&task);
        let visited = |page: u64| self.visited.get(index_from(page - task.units.start)).copied().unwrap_or(false);
        csr.admit(task.units.start, bytes, self.admission, visited)?;
        let page_bytes = csr.geometry.page_bytes();
        for vertex in &task.vertices {
            let list = csr.index.list(*vertex);
            fold_list(csr, self.visit, *vertex, &list, |unit| unit_within(bytes, page_bytes, unit - task.units.start));
        }
        let mut vertices = task.vertices;
        vertices.clear();
        self.spare.push(vertices);
        Ok(())
    }
}

fn unit_within(bytes: &[u8], unit_bytes: usize, number: u64) -> &[u8] {
    let start = index_from(number) * unit_bytes;
    bytes.get(start..start + unit_bytes).unwrap_or_default()
}

/// Folds a whole list, unit by unit; `unit_at` gives the bytes of a unit.
fn fold_list<'u, V: Visit>(
    csr: &CsrAdjacency,
    visit: &V,
    vertex: VertexId,
    list: &Range<u64>,
    unit_at: impl Fn(u64) -> &'u [u8],
) {
    let mut fold = visit.begin(vertex);
    let mut slot = list.start;
    while slot < list.end {
        let (unit, _) = csr.geometry.place(slot);
        let Some(next) = fold_piece(csr, visit, vertex, &mut fold, slot..list.end, unit_at(unit)) else { break };
        slot = next;
    }
    visit.end(vertex, fold);
}

/// Folds the entries that begin at `rest.start` and lie in `unit`; where the next piece begins, or `None` after a break.
#[inline]
fn fold_piece<V: Visit>(
    csr: &CsrAdjacency,
    visit: &V,
    vertex: VertexId,
    fold: &mut V::Fold,
    rest: Range<u64>,
    unit: &[u8],
) -> Option<u64> {
    let (page, first) = csr.geometry.place(rest.start);
    let count = (csr.geometry.entries() - length_from(first)).min(rest.end - rest.start);
    csr.touch(page, first, index_from(count));
    let piece = csr.geometry.piece(unit.get(UNIT_HEADER_BYTES..).unwrap_or_default(), first, index_from(count));
    match visit.neighbours(vertex, fold, piece) {
        ControlFlow::Continue(()) => Some(rest.start + count),
        ControlFlow::Break(()) => None,
    }
}

/// Streams one list that is too long for a single request, piece after piece in order.
pub(super) struct LongList<'a, V: Visit> {
    csr: &'a CsrAdjacency,
    visit: &'a V,
    admission: outcrop_io::Admission,
    vertex: VertexId,
    rest: Range<u64>,
    fold: V::Fold,
}

impl<'a, V: Visit> LongList<'a, V> {
    pub(super) fn new(csr: &'a CsrAdjacency, visit: &'a V, admission: outcrop_io::Admission, vertex: VertexId) -> Self {
        let rest = csr.index.list(vertex);
        let fold = visit.begin(vertex);
        Self { csr, visit, admission, vertex, rest, fold }
    }

    pub(super) fn finish(self) {
        self.visit.end(self.vertex, self.fold);
    }

    fn fold_unit(&mut self, unit: &[u8]) {
        let next = fold_piece(self.csr, self.visit, self.vertex, &mut self.fold, self.rest.clone(), unit);
        self.rest.start = next.unwrap_or(self.rest.end);
    }
}

impl<V: Visit> ReadSource for LongList<'_, V> {
    /// One request at a time: it is asked again only after the one before has been folded.
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.csr.workers.cancellation().check()?;
        let csr = self.csr;
        while !self.rest.is_empty() {
            let units = csr.geometry.units(&self.rest);
            let Some(guard) = csr.cache.as_ref().and_then(|cache| cache.get(units.start)) else {
                let (requests, start) = (csr.requests, units.start);
                let pages = requests.covering(&(start..units.end.min(start + requests.longest())));
                return Ok(Some(requests.request(&pages, pages.start)));
            };
            csr.statistics.count_hits(1);
            self.fold_unit(&guard);
        }
        Ok(None)
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        let (csr, list) = (self.csr, self.csr.geometry.units(&self.rest));
        csr.admit(first, bytes, self.admission, |page| list.contains(&page))?;
        for (number, unit) in (first..).zip(bytes.chunks(csr.geometry.page_bytes())) {
            // The request may bring what lies before and behind the list.
            if !self.rest.is_empty() && csr.geometry.place(self.rest.start).0 == number {
                csr.statistics.count_misses(1);
                self.fold_unit(unit);
            }
        }
        Ok(())
    }
}
