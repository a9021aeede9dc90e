//! Numbers of list entries, counted while edges are spooled.

use crate::manifest::SelfLoops;
use crate::writing::context::BuildContext;
use crate::writing::options::BuildOptions;
use crate::writing::record::ArcRecord;
use outcrop_types::{Purpose, Reservation, VertexValues, index_from, length_from};

/// Maximum number of counters per edge: sparse IDs do not take memory proportional to the largest one.
const COUNTERS_AN_EDGE: u64 = 4;
/// Number of counters that is always worthwhile.
const LEAST_COUNTERS: u64 = 1 << 16;

/// Rule for the ends of an edge that are list entries, before repeated edges are combined.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryRule {
    undirected: bool,
    loops: bool,
}

impl EntryRule {
    pub(super) fn of(options: &BuildOptions<'_>) -> Self {
        Self { undirected: options.undirected, loops: options.self_loops != SelfLoops::Drop }
    }

    /// Counts the entries of `edges`: both ends of every edge, but an undirected loop is one entry, and a loop that is
    /// dropped none.
    pub(super) fn count<A: ArcRecord>(self, edges: &[A], counts: &mut [u32]) {
        let mut count = |end| {
            if let Some(count) = counts.get_mut(index_from(u64::from(end))) {
                *count = count.saturating_add(1);
            }
        };
        for (source, target, _) in edges.iter().map(|edge| edge.parts()) {
            if source != target {
                count(source);
                count(target);
            } else if self.loops {
                count(source);
                if !self.undirected {
                    count(target);
                }
            }
        }
    }
}

/// Number of list entries of each number that the ends of spooled edges have, while these numbers are small.
pub(in crate::writing) struct EntryCounts {
    counts: Vec<u32>,
    rule: EntryRule,
    /// Exclusive upper bound of the numbers.
    end: usize,
    held: Reservation,
}

impl EntryCounts {
    /// Creates counters in a half of the free memory at most, of which only pages with counts are resident; `None` if
    /// the vertices keep their order, or if the system has no such memory.
    pub(super) fn new(context: &BuildContext<'_>, edges: Option<u64>) -> Option<Self> {
        context.options.order?;
        let worthwhile = edges.map_or(u64::MAX, |edges| edges.saturating_mul(COUNTERS_AN_EDGE).max(LEAST_COUNTERS));
        let bytes = (context.work.budget.available() / 2).min(context.limits.table_bytes);
        let most = index_from((bytes / 4).min(worthwhile).min(1 << 32));
        let counts = VertexValues::zeroes(context.work.budget, Purpose::Degrees, most).ok()?;
        let (counts, held) = counts.into_parts();
        Some(Self { counts, rule: EntryRule::of(context.options), end: 0, held })
    }

    /// Counts the entries of `edges`; returns `None` if one of their numbers has no counter.
    pub(super) fn with<A: ArcRecord>(mut self, edges: &[A]) -> Option<Self> {
        let ends = edges.iter().map(|edge| edge.parts()).map(|(source, target, _)| source.max(target));
        self.end = self.end.max(ends.max().map_or(0, |end| index_from(u64::from(end)) + 1));
        if self.end > self.counts.len() {
            return None;
        }
        self.rule.count(edges, &mut self.counts);
        Some(self)
    }

    /// Ends counting, and returns the memory of counters that were not needed.
    pub(super) fn finish(mut self) -> Self {
        self.counts.truncate(self.end);
        // Pages of the others were never touched.
        self.held.shrink_to(4 * length_from(self.counts.len()));
        self
    }

    /// Passes on each number and its count.
    pub(super) fn for_each(&self, mut take: impl FnMut(u32, u32)) {
        for (number, count) in (0..).zip(&self.counts) {
            take(number, *count);
        }
    }

    /// Replaces each count by `value` of its number.
    pub(super) fn replace(self, value: impl Fn(u32) -> u32) -> (Vec<u32>, Reservation) {
        let Self { mut counts, held, .. } = self;
        for (number, count) in (0..).zip(&mut counts) {
            *count = value(number);
        }
        (counts, held)
    }
}
