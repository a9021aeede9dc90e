//! Choice of vertex intervals (LOSC section 3.1: P is chosen so that the shards of an interval fit in memory).

use super::requirements::IntervalRequirements;
use crate::degrees::DegreeSource;
use crate::interval_lists::IntervalLists;
use outcrop_types::{Cancellation, Direction, Result, VertexRange};

/// Number of degrees per read.
const STRETCH: u32 = 1 << 14;

/// Intervals, and the memory of the largest in bytes.
pub(super) struct Intervals {
    pub ranges: Vec<VertexRange>,
    pub bytes: u64,
}

/// Splits the vertices so that each interval takes at most `memory`, or has one vertex that takes more. Makes one pass
/// over the degrees of the constructed `directions`.
pub(super) fn choose_intervals(
    requirements: &IntervalRequirements,
    directions: &[Direction],
    degrees: &DegreeSource<'_>,
    undirected: bool,
    memory: u64,
    cancellation: &Cancellation,
) -> Result<Intervals> {
    let mut growing = Growing::new(requirements, directions.len(), memory);
    let mut lengths = [Vec::new(), Vec::new()];
    for start in (0..requirements.vertices).step_by(STRETCH as usize) {
        cancellation.check()?;
        let range = VertexRange::new(start, start.saturating_add(STRETCH).min(requirements.vertices));
        for (direction, lengths) in directions.iter().zip(&mut lengths) {
            degrees.with_reader(*direction, undirected, |reader| reader.read(range, lengths))?;
        }
        for position in 0..range.len() {
            growing.add([0, 1].map(|way| lengths[way].get(position).copied().map_or(0, u64::from)));
        }
    }
    Ok(growing.finish())
}

/// Interval being filled, and the full ones before it.
struct Growing<'d> {
    requirements: &'d IntervalRequirements,
    directions: usize,
    memory: u64,
    done: Intervals,
    range: VertexRange,
    entries: [u64; 2],
}

impl<'d> Growing<'d> {
    const fn new(requirements: &'d IntervalRequirements, directions: usize, memory: u64) -> Self {
        let done = Intervals { ranges: Vec::new(), bytes: 0 };
        Self { requirements, directions, memory, done, range: VertexRange::new(0, 0), entries: [0; 2] }
    }

    /// Adds the next vertex, whose lists have these lengths.
    fn add(&mut self, [first, second]: [u64; 2]) {
        let whole = [self.entries[0] + first, self.entries[1] + second];
        let length = self.range.len() as u64 + 1;
        let fits = self.bytes(length, &whole) <= self.memory
            && length <= u64::from(self.requirements.longest_interval())
            && whole.iter().all(|entries| *entries <= IntervalLists::MAX_ENTRIES);
        if fits || self.range.is_empty() {
            self.entries = whole;
        } else {
            self.close();
            self.entries = [first, second];
        }
        self.range.end += 1;
    }

    fn bytes(&self, vertices: u64, entries: &[u64; 2]) -> u64 {
        self.requirements.interval_bytes(vertices, &entries[..self.directions])
    }

    fn close(&mut self) {
        self.done.bytes = self.done.bytes.max(self.bytes(self.range.len() as u64, &self.entries));
        self.done.ranges.push(self.range);
        self.range.start = self.range.end;
    }

    fn finish(mut self) -> Intervals {
        if !self.range.is_empty() {
            self.close();
        }
        self.done
    }
}
