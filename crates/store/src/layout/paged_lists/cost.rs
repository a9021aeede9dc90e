//! Cost of a select: counts the requests that [`super::task`] plans, without making them; an estimate for an index on
//! disk.

use super::format::PageFormat;
use super::index::ListIndex;
use super::lists::PagedLists;
use super::windows::{Index, WindowedIndex, rest_of};
use crate::access::IoCost;
use outcrop_io::PageCache;
use outcrop_types::{VertexRange, VertexSet, length_from};
use std::ops::Range;

/// Threshold, sample size and block size of the estimate for large sets, in vertices.
const SAMPLED_FROM: u32 = 1 << 17;
const SAMPLED_BITS: u32 = 1 << 15;
const SAMPLE_VERTICES: u32 = 1 << 10;
/// Vertices per block of work of a worker.
const BLOCK: u32 = 1 << 16;

/// Returns the cost of selecting the members of `set`. For a large set, it samples blocks: examining every list would
/// take a large part of the time for reading them.
pub(super) fn of_set<F: PageFormat>(lists: &PagedLists<F>, index: &ListIndex, set: &VertexSet) -> IoCost {
    let one_in = set.positions() / SAMPLED_BITS;
    let (cost, length) = match set {
        VertexSet::Dense { .. } if set.positions() >= SAMPLED_FROM => sampled(lists, index, set, one_in),
        _ => whole(lists, index, set, VertexRange::new(0, set.positions())),
    };
    IoCost { arcs: cost.arcs + lists.arcs_of(length), ..cost }
}

/// Returns the sum of [`cost_of_part`] over blocks of `positions`.
fn whole<F: PageFormat>(
    lists: &PagedLists<F>,
    index: &ListIndex,
    set: &VertexSet,
    positions: VertexRange,
) -> (IoCost, u64) {
    let part = |block: VertexRange| {
        let block = VertexRange::new(positions.start + block.start, positions.start + block.end);
        cost_of_part(lists, index, set, block)
    };
    sum(lists.file.workers.map_blocks(positions.end - positions.start, BLOCK, part))
}

fn sum(parts: impl IntoIterator<Item = (IoCost, u64)>) -> (IoCost, u64) {
    parts.into_iter().fold((IoCost::default(), 0), |(cost, length), (part, more)| (cost + part, length + more))
}

/// Estimates [`cost_of_part`] of the whole set from one block in `one_in`, at irregular positions to avoid a
/// correlation with periods of the graph. The first blocks are examined whole: in degree order, most entries belong to
/// them, and none of them is typical of the others.
fn sampled<F: PageFormat>(lists: &PagedLists<F>, index: &ListIndex, set: &VertexSet, one_in: u32) -> (IoCost, u64) {
    let group = one_in * SAMPLE_VERTICES;
    let first = VertexRange::new(0, group.min(set.positions()));
    let blocks = lists.file.workers.map_blocks(set.positions() - first.end, group, |group| {
        let (start, end) = (first.end + group.start, first.end + group.end);
        let drawn = start.wrapping_mul(0x9E37_79B1).rotate_left(7) % one_in;
        let start = start + drawn * SAMPLE_VERTICES;
        let block = VertexRange::new(start.min(end), end.min(start.saturating_add(SAMPLE_VERTICES)));
        cost_of_part(lists, index, set, block)
    });
    let (some, length) = sum(blocks);
    let times = u64::from(one_in);
    let rest = IoCost {
        arcs: some.arcs * times,
        bytes: some.bytes * times,
        requests: some.requests * times,
        resident_bytes: some.resident_bytes * times,
    };
    sum([whole(lists, index, set, first), (rest, length * times)])
}

/// Returns the cost of selecting the members at `positions` of `set`, and the number of positions of their lists in
/// pages.
fn cost_of_part<F: PageFormat>(
    lists: &PagedLists<F>,
    index: &ListIndex,
    set: &VertexSet,
    positions: VertexRange,
) -> (IoCost, u64) {
    let mut counter = Counter { lists, cost: IoCost::default(), request: 0..0, resident_until: 0 };
    let mut length = 0;
    set.for_each_in(positions, |vertex| {
        if let Some((arcs, bytes)) = lists.file.static_size(vertex) {
            counter.cost.arcs += arcs;
            counter.cost.resident_bytes += bytes;
            return;
        }
        let list = index.list(vertex);
        let units = lists.format.units(&list);
        length += list.end - list.start;
        if units.end - units.start > lists.requests.longest() {
            counter.long_list(units);
        } else {
            counter.short_list(units);
        }
    });
    (counter.cost, length)
}

struct Counter<'c, F: PageFormat> {
    lists: &'c PagedLists<F>,
    cost: IoCost,
    /// Units of the last request, which may still grow.
    request: Range<u64>,
    /// End of the resident units counted so far.
    resident_until: u64,
}

impl<F: PageFormat> Counter<'_, F> {
    fn resident(&self, unit: u64) -> bool {
        self.lists.cache.as_ref().is_some_and(|cache| cache.contains(unit))
    }

    /// Counts a list that is read whole, unless all of it is resident.
    fn short_list(&mut self, units: Range<u64>) {
        if units.clone().all(|unit| self.resident(unit)) {
            self.cost.resident_bytes += self.bytes(units.end.saturating_sub(units.start.max(self.resident_until)));
            self.resident_until = self.resident_until.max(units.end);
        } else {
            self.read(self.lists.requests.covering(&units));
        }
    }

    fn read(&mut self, units: Range<u64>) {
        let requests = self.lists.requests;
        let grows = !self.request.is_empty()
            && units.start >= self.request.start
            && self.lists.file.merge.joins(&requests.bytes(&self.request), &requests.bytes(&units));
        if grows {
            self.cost.bytes += self.bytes(units.end.saturating_sub(self.request.end));
            self.request.end = self.request.end.max(units.end);
        } else {
            self.cost.requests += 1;
            self.cost.bytes += self.bytes(units.end - units.start);
            self.request = units;
        }
    }

    /// Returns the bytes of `units` units.
    fn bytes(&self, units: u64) -> u64 {
        units * length_from(self.lists.format.page_bytes())
    }

    /// Counts a list that is streamed, one request at a time, each starting at a unit that is not resident.
    fn long_list(&mut self, units: Range<u64>) {
        let mut unit = units.start;
        while unit < units.end {
            if self.resident(unit) {
                self.cost.resident_bytes += self.bytes(1);
                unit += 1;
            } else {
                let requests = self.lists.requests;
                let read = requests.covering(&(unit..units.end.min(unit + requests.longest())));
                self.cost.requests += 1;
                self.cost.bytes += self.bytes(read.end - read.start);
                unit = read.end;
            }
        }
    }
}

/// Returns the cost of reading the windows of an index for all of `range`; zero for an index in memory.
pub(super) fn of_index(index: &Index, range: VertexRange) -> IoCost {
    let Index::Streamed(windows) = index else { return IoCost::default() };
    let mut cost = IoCost::default();
    let mut start = range.start;
    while start < range.end {
        let window = windows.window(VertexRange::new(start, range.end));
        cost = cost + of_window(&**windows, window);
        start = window.end;
    }
    cost
}

fn of_window(windows: &dyn WindowedIndex, window: VertexRange) -> IoCost {
    let reads = windows.reads(window);
    IoCost { bytes: reads.bytes, requests: reads.requests, ..IoCost::default() }
}

/// Estimates the cost of selecting the members of `set`, from the combined extent of the lists of each neighborhood.
pub(super) fn estimate<F: PageFormat>(lists: &PagedLists<F>, windows: &dyn WindowedIndex, set: &VertexSet) -> IoCost {
    let (mut cost, mut start, mut read_until) = (IoCost::default(), 0, 0);
    while let Some(wanted) = rest_of(set, start) {
        let window = windows.window(wanted);
        cost = cost + of_window(windows, window);
        start = wanted.end.min(window.end);
        let mut vertex = wanted.start;
        while vertex < start {
            let (vertices, positions) = windows.neighborhood(vertex);
            let here = VertexRange::new(vertex, vertices.end.min(start));
            cost = cost + estimate_here(lists, set, here, (vertices.len(), positions), &mut read_until);
            vertex = here.end;
        }
    }
    cost
}

/// Estimates the cost of the members in `here`, which is in a neighborhood of `vertices` vertices whose lists are at
/// `positions`. Pages before `read_until` are already read.
fn estimate_here<F: PageFormat>(
    lists: &PagedLists<F>,
    set: &VertexSet,
    here: VertexRange,
    (vertices, positions): (usize, Range<u64>),
    read_until: &mut u64,
) -> IoCost {
    let (mut cost, mut members) = (IoCost::default(), 0);
    set.for_each_in(set.positions_in(here), |vertex| match lists.file.static_size(vertex) {
        None => members += 1,
        Some((arcs, bytes)) => {
            cost.arcs += arcs;
            cost.resident_bytes += bytes;
        }
    });
    let share = u128::from(positions.end - positions.start) * members / u128::from(length_from(vertices.max(1)));
    // Default: saturates the estimate.
    let share = u64::try_from(share).unwrap_or(u64::MAX);
    // Default: saturates the estimate.
    let members = u64::try_from(members).unwrap_or(u64::MAX);
    cost.arcs += lists.arcs_of(share);
    if share == 0 {
        return cost;
    }
    let page_bytes = length_from(lists.format.page_bytes());
    let units = lists.format.units(&positions);
    let all = units.end.saturating_sub(units.start.max(*read_until));
    *read_until = units.end;
    // Each list is in as many pages as it fills, plus one, up to the total number of pages.
    let touched = (share.div_ceil(lists.format.capacity()) + members).min(all);
    let gap = (all - touched) * page_bytes / members;
    let (units, requests) = match gap <= lists.file.merge.gap_bytes {
        true => (all, all.div_ceil(lists.requests.longest())),
        false => (touched, members.min(touched)),
    };
    // Assumes a uniform distribution of the pages in the page cache.
    let resident = lists.cache.as_ref().map_or(0, PageCache::resident_pages).min(lists.paged_units);
    let missing = |count: u64| {
        let count = u128::from(count) * u128::from(lists.paged_units - resident);
        // Default: saturates the estimate.
        u64::try_from(count.div_ceil(u128::from(lists.paged_units.max(1)))).unwrap_or(u64::MAX)
    };
    cost.bytes += missing(units) * page_bytes;
    cost.requests += missing(requests);
    cost.resident_bytes += (units - missing(units)) * page_bytes;
    cost
}
