//! What a select would read: the requests that [`super::task`] plans, counted instead of made.

use super::adjacency::CsrAdjacency;
use crate::access::IoCost;
use outcrop_types::{VertexRange, VertexSet, length_from};
use std::ops::Range;

/// Sets of so many bits are sampled: one block in so many, of so many vertices.
const SAMPLED_BITS: u32 = 1 << 17;
const SAMPLED: u32 = 16;
const SAMPLE_VERTICES: u32 = 1 << 10;
/// Vertices that a worker takes at once.
const BLOCK: u32 = 1 << 16;

/// What selecting `set` would read. Looking at every list of a large set would take a good part of the time of reading them.
pub(super) fn cost_of(csr: &CsrAdjacency, set: &VertexSet) -> IoCost {
    let sampled = matches!(set, VertexSet::Dense { .. }) && set.positions() >= SAMPLED_BITS;
    let parts = csr.workers.map_blocks(set.positions(), BLOCK, |positions| {
        if sampled { sampled_part(csr, set, positions) } else { cost_of_part(csr, set, positions) }
    });
    parts.into_iter().fold(IoCost::default(), |sum, part| sum + part)
}

/// About the same as [`cost_of_part`], from blocks without a pattern, so that no period of the graph meets theirs.
fn sampled_part(csr: &CsrAdjacency, set: &VertexSet, positions: VertexRange) -> IoCost {
    let groups = (positions.start..positions.end).step_by((SAMPLED * SAMPLE_VERTICES) as usize);
    let blocks = groups.filter_map(|group| {
        let drawn = group.wrapping_mul(0x9E37_79B1).rotate_left(7) % SAMPLED;
        let start = group + drawn * SAMPLE_VERTICES;
        (start < positions.end).then(|| VertexRange::new(start, positions.end.min(start + SAMPLE_VERTICES)))
    });
    let some = blocks.map(|block| cost_of_part(csr, set, block)).fold(IoCost::default(), |sum, part| sum + part);
    let times = u64::from(SAMPLED);
    IoCost {
        arcs: some.arcs * times,
        bytes: some.bytes * times,
        requests: some.requests * times,
        resident_bytes: some.resident_bytes * times,
    }
}

/// What selecting the members at `positions` of `set` would read.
fn cost_of_part(csr: &CsrAdjacency, set: &VertexSet, positions: VertexRange) -> IoCost {
    let mut counter = Counter { csr, cost: IoCost::default(), request: 0..0, resident_until: 0 };
    set.for_each_in(positions, |vertex| {
        if let Some((arcs, bytes)) = csr.statics.as_ref().and_then(|statics| statics.size_of(vertex)) {
            counter.cost.arcs += arcs;
            counter.cost.resident_bytes += bytes;
            return;
        }
        let list = csr.index.list(vertex);
        let units = csr.geometry.units(&list);
        counter.cost.arcs += list.end - list.start;
        if units.end - units.start > csr.requests.longest() {
            counter.long_list(units);
        } else {
            counter.short_list(units);
        }
    });
    counter.cost
}

struct Counter<'c> {
    csr: &'c CsrAdjacency,
    cost: IoCost,
    /// The units of the request that may still grow.
    request: Range<u64>,
    /// Resident units before this one are counted.
    resident_until: u64,
}

impl Counter<'_> {
    fn resident(&self, unit: u64) -> bool {
        self.csr.cache.as_ref().is_some_and(|cache| cache.contains(unit))
    }

    /// A list is read whole unless all of it is resident.
    fn short_list(&mut self, units: Range<u64>) {
        if units.clone().all(|unit| self.resident(unit)) {
            self.cost.resident_bytes += self.bytes(units.end.saturating_sub(units.start.max(self.resident_until)));
            self.resident_until = self.resident_until.max(units.end);
        } else {
            self.read(self.csr.requests.covering(&units));
        }
    }

    fn read(&mut self, units: Range<u64>) {
        let requests = self.csr.requests;
        let grows = !self.request.is_empty()
            && units.start >= self.request.start
            && self.csr.merge.joins(&requests.bytes(&self.request), &requests.bytes(&units));
        if grows {
            self.cost.bytes += self.bytes(units.end.saturating_sub(self.request.end));
            self.request.end = self.request.end.max(units.end);
        } else {
            self.cost.requests += 1;
            self.cost.bytes += self.bytes(units.end - units.start);
            self.request = units;
        }
    }

    /// Bytes of so many units.
    fn bytes(&self, units: u64) -> u64 {
        units * length_from(self.csr.geometry.page_bytes())
    }

    /// Streamed by itself, request after request, each beginning at a unit that is not resident.
    fn long_list(&mut self, units: Range<u64>) {
        let mut unit = units.start;
        while unit < units.end {
            if self.resident(unit) {
                self.cost.resident_bytes += self.bytes(1);
                unit += 1;
            } else {
                let requests = self.csr.requests;
                let read = requests.covering(&(unit..units.end.min(unit + requests.longest())));
                self.cost.requests += 1;
                self.cost.bytes += self.bytes(read.end - read.start);
                unit = read.end;
            }
        }
    }
}
