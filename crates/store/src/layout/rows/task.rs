//! One worker's share of a select or sweep: plans reads, keeps them in flight, folds the lists that have arrived.

use super::adjacency::RowAdjacency;
use super::format::{ListFold, RowFormat, Stretch};
use super::index::RowIndex;
use crate::access::Visit;
use crate::component::UNIT_HEADER_BYTES;
use outcrop_io::{Admission, PageGuard, ReadRequest, ReadSource};
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

/// What all workers of a select or sweep share, or of a window of one.
pub(super) struct Pass<'p, F: RowFormat, V> {
    pub(super) rows: &'p RowAdjacency<F>,
    pub(super) index: &'p RowIndex,
    pub(super) visit: &'p V,
    pub(super) admission: Admission,
}

impl<F: RowFormat, V> Clone for Pass<'_, F, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: RowFormat, V> Copy for Pass<'_, F, V> {}

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
    pub(super) fn of_set<F: RowFormat>(set: &'s VertexSet, positions: VertexRange, rows: &RowAdjacency<F>) -> Self {
        let step = match set {
            VertexSet::Sparse { .. } => CLAIM_MEMBERS,
            VertexSet::Dense { .. } => vertices_of_claim(rows),
        };
        Self::new(Wanted::Members(set), u64::from(positions.start)..u64::from(positions.end), step)
    }

    pub(super) fn of_range<F: RowFormat>(range: VertexRange, rows: &RowAdjacency<F>) -> Self {
        Self::new(Wanted::Range, u64::from(range.start)..u64::from(range.end), vertices_of_claim(rows))
    }

    fn new(wanted: Wanted<'s>, range: Range<u64>, step: u64) -> Self {
        Self { wanted, next: AtomicU64::new(range.start), end: range.end, step, long: Mutex::default() }
    }

    /// Whether there is too little to share among workers: waking them takes longer, and far longer on a machine that is busy
    /// with other things. Road networks have thousands of such frontiers.
    pub(super) fn little<F: RowFormat, V>(&self, pass: Pass<'_, F, V>) -> bool {
        let next = self.next.load(Relaxed);
        let positions = self.end.saturating_sub(next);
        match self.wanted {
            Wanted::Members(set @ VertexSet::Sparse { .. }) if positions <= LITTLE_MEMBERS => {
                let mut length = 0;
                let members = VertexRange::new(position(next), position(self.end));
                set.for_each_in(members, |vertex| length += u64::from(pass.index.length(vertex)));
                pass.rows.arcs_of(length) <= LITTLE_ENTRIES
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
fn vertices_of_claim<F: RowFormat>(rows: &RowAdjacency<F>) -> u64 {
    let scaled = u128::from(CLAIM_ENTRIES) * u128::from(rows.index.vertices()) / u128::from(rows.arcs.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX).clamp(64, CLAIM_ENTRIES)
}

/// The vertices whose lists one request brings.
#[derive(Default)]
struct Task {
    units: Range<u64>,
    vertices: Vec<VertexId>,
}

/// One worker's side of a select or sweep.
pub(super) struct Gatherer<'a, F: RowFormat, V: Visit> {
    pass: Pass<'a, F, V>,
    claims: &'a Claims<'a>,
    planned: VecDeque<Task>,
    in_flight: Vec<Task>,
    vacant: Vec<usize>,
    spare: Vec<Vec<VertexId>>,
    pinned: Vec<(u64, PageGuard<'a>)>,
    /// Which pages of a request that has arrived lists are in.
    visited: Vec<bool>,
    /// Of a list that is being folded; as new between lists.
    part: F::Part,
}

impl<'a, F: RowFormat, V: Visit> Gatherer<'a, F, V> {
    pub(super) fn new(pass: Pass<'a, F, V>, claims: &'a Claims<'a>) -> Self {
        Self {
            pass,
            claims,
            planned: VecDeque::new(),
            in_flight: Vec::new(),
            vacant: Vec::new(),
            spare: Vec::new(),
            pinned: Vec::new(),
            visited: Vec::new(),
            part: F::Part::default(),
        }
    }

    /// Folds what is resident and plans requests for the rest of `claim`.
    fn plan(&mut self, claim: VertexRange) -> Result<()> {
        let (claims, visit, rows) = (self.claims, self.pass.visit, self.pass.rows);
        let (mut held, mut paged) = (0, 0);
        let mut outcome = Ok(());
        claims.for_each(claim, visit, |vertex| match self.plan_list(vertex) {
            _ if outcome.is_err() => {}
            Ok(Planned::Held) => held += 1,
            Ok(Planned::Empty) => {}
            Ok(Planned::Paged) => paged += 1,
            Err(error) => outcome = Err(error),
        });
        self.pinned.clear();
        if rows.statics.is_some() {
            rows.statistics.count_static(held, paged);
        }
        outcome
    }

    #[inline]
    fn plan_list(&mut self, vertex: VertexId) -> Result<Planned> {
        let Pass { rows, index, visit, .. } = self.pass;
        let list = index.list(vertex);
        if rows.fold_static(vertex, list.clone(), visit)? {
            return Ok(Planned::Held);
        }
        if list.is_empty() {
            visit.end(vertex, visit.begin(vertex));
            return Ok(Planned::Empty);
        }
        let units = rows.format.units(&list);
        if units.end - units.start > rows.requests.longest() {
            self.claims.postpone(vertex);
        } else if !self.fold_resident(vertex, &list, &units)? {
            self.plan_read(vertex, units);
        }
        Ok(Planned::Paged)
    }

    /// Folds the list of `vertex` where all its units are in the page cache.
    fn fold_resident(&mut self, vertex: VertexId, list: &Range<u64>, units: &Range<u64>) -> Result<bool> {
        let rows = self.pass.rows;
        let Some(cache) = &rows.cache else { return Ok(false) };
        // The list before may end in the unit in which this one begins; what follows is pinned in order.
        self.pinned.retain(|(unit, _)| *unit == units.start);
        let pinned = length_from(self.pinned.len());
        for unit in units.start + pinned..units.end {
            let Some(guard) = cache.get(unit) else { return Ok(false) };
            self.pinned.push((unit, guard));
        }
        rows.statistics.count_hits(length_from(self.pinned.len()) - pinned);
        let pinned = &self.pinned;
        let unit_at = |unit| pinned.get(index_from(unit - units.start)).map_or(&[][..], |(_, guard)| guard);
        fold_list(self.pass, vertex, list, &mut self.part, unit_at)?;
        Ok(true)
    }

    fn plan_read(&mut self, vertex: VertexId, units: Range<u64>) {
        let (merge, requests) = (self.pass.rows.merge, self.pass.rows.requests);
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
        let Pass { rows, index, .. } = self.pass;
        self.visited.clear();
        self.visited.resize(index_from(task.units.end - task.units.start), false);
        for vertex in &task.vertices {
            let units = rows.format.units(&index.list(*vertex));
            let pages = index_from(units.start - task.units.start)..index_from(units.end - task.units.start);
            self.visited.get_mut(pages).unwrap_or_default().fill(true);
        }
        let count = self.visited.iter().filter(|visited| **visited).count();
        rows.statistics.count_misses(length_from(count));
    }

    fn launch(&mut self, task: Task) -> ReadRequest {
        let units = task.units.clone();
        let slot = self.vacant.pop().unwrap_or(self.in_flight.len());
        match self.in_flight.get_mut(slot) {
            Some(vacant) => *vacant = task,
            None => self.in_flight.push(task),
        }
        self.pass.rows.requests.request(&units, length_from(slot))
    }
}

/// Where a list comes from.
enum Planned {
    /// The static cache.
    Held,
    /// Nowhere: it is empty.
    Empty,
    /// Pages, cached or not.
    Paged,
}

impl<F: RowFormat, V: Visit> ReadSource for Gatherer<'_, F, V> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        while self.planned.is_empty() {
            self.pass.rows.workers.cancellation().check()?;
            let Some(claim) = self.claims.claim() else { return Ok(None) };
            self.plan(claim)?;
        }
        Ok(self.planned.pop_front().map(|task| self.launch(task)))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let slot = index_from(token);
        let Some(task) = self.in_flight.get_mut(slot).map(std::mem::take) else { return Ok(()) };
        self.vacant.push(slot);
        self.note_visited(&task);
        let Pass { rows, index, admission, .. } = self.pass;
        let visited = |page: u64| self.visited.get(index_from(page - task.units.start)).copied().unwrap_or(false);
        rows.admit(task.units.start, bytes, admission, visited)?;
        let page_bytes = rows.format.page_bytes();
        for vertex in &task.vertices {
            let unit_at = |unit| unit_within(bytes, page_bytes, unit - task.units.start);
            fold_list(self.pass, *vertex, &index.list(*vertex), &mut self.part, unit_at)?;
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
#[inline]
fn fold_list<'u, F: RowFormat, V: Visit>(
    pass: Pass<'_, F, V>,
    vertex: VertexId,
    list: &Range<u64>,
    part: &mut F::Part,
    unit_at: impl Fn(u64) -> &'u [u8],
) -> Result<()> {
    let mut fold = ListFold::begin(pass.visit, vertex);
    let mut position = list.start;
    while position < list.end {
        let (unit, _) = pass.rows.format.place(position);
        position = fold_piece(pass.rows, &mut fold, position..list.end, part, unit_at(unit))?;
    }
    fold.end();
    Ok(())
}

/// Folds what of the list lies in `unit` and begins at `rest.start`; where the rest begins, or the end of the list after a break.
#[inline]
fn fold_piece<F: RowFormat, V: Visit>(
    rows: &RowAdjacency<F>,
    fold: &mut ListFold<'_, V>,
    rest: Range<u64>,
    part: &mut F::Part,
    unit: &[u8],
) -> Result<u64> {
    let (page, first) = rows.format.place(rest.start);
    let count = (rows.format.capacity() - length_from(first)).min(rest.end - rest.start);
    rows.touch(page, first, index_from(count));
    let payload = unit.get(UNIT_HEADER_BYTES..).unwrap_or_default();
    let last = rest.start + count == rest.end;
    let stretch = Stretch { payload, first, count: index_from(count), last };
    match rows.format.fold(fold, stretch, part) {
        Ok(ControlFlow::Continue(())) => Ok(rest.start + count),
        Ok(ControlFlow::Break(())) => Ok(rest.end),
        Err(_) => Err(rows.damaged(fold.vertex())),
    }
}

/// Streams one list that is too long for a single request, piece after piece in order.
pub(super) struct LongList<'a, F: RowFormat, V: Visit> {
    pass: Pass<'a, F, V>,
    rest: Range<u64>,
    fold: ListFold<'a, V>,
    part: F::Part,
}

impl<'a, F: RowFormat, V: Visit> LongList<'a, F, V> {
    pub(super) fn new(pass: Pass<'a, F, V>, vertex: VertexId) -> Self {
        let fold = ListFold::begin(pass.visit, vertex);
        Self { pass, rest: pass.index.list(vertex), fold, part: F::Part::default() }
    }

    pub(super) fn finish(self) {
        self.fold.end();
    }

    fn fold_unit(&mut self, unit: &[u8]) -> Result<()> {
        let rest = self.rest.clone();
        self.rest.start = fold_piece(self.pass.rows, &mut self.fold, rest, &mut self.part, unit)?;
        Ok(())
    }
}

impl<F: RowFormat, V: Visit> ReadSource for LongList<'_, F, V> {
    /// One request at a time: it is asked again only after the one before has been folded.
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let rows = self.pass.rows;
        rows.workers.cancellation().check()?;
        while !self.rest.is_empty() {
            let units = rows.format.units(&self.rest);
            let Some(guard) = rows.cache.as_ref().and_then(|cache| cache.get(units.start)) else {
                let (requests, start) = (rows.requests, units.start);
                let pages = requests.covering(&(start..units.end.min(start + requests.longest())));
                return Ok(Some(requests.request(&pages, pages.start)));
            };
            rows.statistics.count_hits(1);
            self.fold_unit(&guard)?;
        }
        Ok(None)
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        let (rows, list) = (self.pass.rows, self.pass.rows.format.units(&self.rest));
        rows.admit(first, bytes, self.pass.admission, |page| list.contains(&page))?;
        for (number, unit) in (first..).zip(bytes.chunks(rows.format.page_bytes())) {
            // The request may bring what lies before and behind the list.
            if !self.rest.is_empty() && rows.format.place(self.rest.start).0 == number {
                rows.statistics.count_misses(1);
                self.fold_unit(unit)?;
            }
        }
        Ok(())
    }
}
