//! Cost model of traversals, and the choice between two of them.

use super::options::Schedule;
use outcrop_io::Bandwidths;
use outcrop_store::access::IoCost;
use outcrop_types::AccessMode;
use std::cmp::Ordering;

/// Seconds per vertex in which one thread scans vertices in order, or tests a bit: an assumption, since processors
/// differ far less than disks.
const SECONDS_A_VERTEX: f64 = 12e-9;
/// Relative difference up to which estimates are considered equal.
const ABOUT: f64 = 0.1;
/// Approximate bytes of values per vertex, accessed at random.
const VALUE_BYTES: u64 = 8;
/// Seconds per list in which one thread finds, verifies and decodes a list, without its entries.
const SECONDS_A_LIST: f64 = 15e-9;
/// Seconds per entry in which one thread verifies and decodes an entry.
const SECONDS_AN_ENTRY: f64 = 1e-9;

/// Work of one option for traversing the edges in an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessWork {
    /// Reads of lists.
    pub lists: IoCost,
    /// Bytes of other sequential reads and writes, such as vertex values on disk (`2|V|N` and `|V|N` in the paper).
    pub streamed_bytes: u64,
    /// Number of vertices scanned in order.
    pub vertices: u64,
    /// Number of list entries traversed, with random accesses to values.
    pub entries: u64,
    /// Number of lists found and decoded, if anything must be read.
    pub decoded: u64,
}

/// Decision with its basis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Select or sweep.
    pub access: AccessMode,
    /// Estimated seconds of a select.
    pub select_seconds: f64,
    /// Estimated seconds of a sweep.
    pub sweep_seconds: f64,
}

/// Speeds of this disk and these workers.
#[derive(Clone, Debug, PartialEq)]
pub struct CostModel {
    /// Bytes of a random read, and its seconds with a deep queue; sizes and seconds ascend, and seconds per byte
    /// descend, whatever was measured.
    points: Vec<(f64, f64)>,
    /// Sequential bandwidth in bytes per second, an upper bound for random reads.
    sequential: f64,
    /// Seconds of a single read at queue depth 1.
    latency: f64,
    /// Seconds per entry in which one thread accesses the value at its end.
    seconds_an_update: f64,
    threads: f64,
}

impl CostModel {
    /// Creates a model of a machine with these `bandwidths` and `threads` threads, for a graph of `vertices`.
    pub fn new(bandwidths: &Bandwidths, threads: usize, vertices: u32) -> Self {
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(bandwidths.random_read.len());
        let mut sequential = bandwidths.sequential_read;
        for (size, speed) in &bandwidths.random_read {
            let size = f64::from(*size);
            let seconds = match points.last() {
                None => size / speed,
                // Measurement noise must not make large reads faster than small ones, or slower per byte.
                Some((before, seconds)) => (size / speed).clamp(*seconds, seconds * size / before),
            };
            sequential = sequential.max(size / seconds);
            points.push((size, seconds));
        }
        let latency = 1.0 / bandwidths.random_read_depth_1;
        let threads = threads.max(1) as f64;
        let seconds_an_update = bandwidths.seconds_an_update(u64::from(vertices) * VALUE_BYTES).max(SECONDS_A_VERTEX);
        Self { points, sequential, latency, seconds_an_update, threads }
    }

    /// Returns the seconds of random reads: requests of the mean size with a deep queue, but at least the latency of
    /// one. This is `T_rr` of the paper as a function of the request size, since merged requests approach the
    /// sequential bandwidth. Resident data is free.
    pub fn select_seconds(&self, cost: &IoCost) -> f64 {
        if cost.bytes == 0 {
            return 0.0;
        }
        let requests = cost.requests.max(1) as f64;
        (requests * self.request_seconds(cost.bytes as f64 / requests)).max(self.latency)
    }

    /// Returns the seconds of reading in disk order. Resident data is free.
    pub fn sweep_seconds(&self, cost: &IoCost) -> f64 {
        if cost.bytes == 0 { 0.0 } else { (cost.bytes as f64 / self.sequential).max(self.latency) }
    }

    /// Returns the seconds in which the workers do `work`: scanning its vertices and list entries, but at least the
    /// time for decoding the read data.
    pub fn cpu_seconds(&self, work: &AccessWork) -> f64 {
        let walking = work.vertices as f64 * SECONDS_A_VERTEX + work.entries as f64 * self.seconds_an_update;
        let decoding = work.decoded as f64 * SECONDS_A_LIST + work.lists.arcs as f64 * SECONDS_AN_ENTRY;
        walking.max(if work.lists.bytes == 0 { 0.0 } else { decoding }) / self.threads
    }

    /// Seconds per request of `bytes` bytes, interpolated linearly between measured sizes; constant below the smallest.
    fn request_seconds(&self, bytes: f64) -> f64 {
        let above = self.points.partition_point(|(size, _)| *size < bytes);
        match (above.checked_sub(1).and_then(|below| self.points.get(below)), self.points.get(above)) {
            (None, Some((_, seconds))) => *seconds,
            (Some((small, quick)), Some((large, slow))) => quick + (bytes - small) / (large - small) * (slow - quick),
            (Some((size, seconds)), None) => bytes * seconds / size,
            (None, None) => bytes / self.sequential,
        }
    }

    /// Returns the cost of a select: `C_LOSC'` of section 3.6.
    pub(crate) fn select(&self, work: &AccessWork) -> Seconds {
        self.seconds(self.select_seconds(&work.lists), work)
    }

    /// Returns the cost of a sweep: `C_LOSC` of section 3.5.
    pub(crate) fn sweep(&self, work: &AccessWork) -> Seconds {
        self.seconds(self.sweep_seconds(&work.lists), work)
    }

    fn seconds(&self, lists: f64, work: &AccessWork) -> Seconds {
        let streamed = work.streamed_bytes as f64 / self.sequential;
        Seconds { io: lists + streamed, cpu: self.cpu_seconds(work) }
    }
}

impl Decision {
    /// Chooses a select if it takes no longer than a sweep (section 3.6), or follows `schedule`.
    pub(crate) fn between(schedule: Schedule, select: Seconds, sweep: Seconds) -> Self {
        let access = match schedule {
            Schedule::Auto if select.compare(&sweep).is_gt() => AccessMode::Sweep,
            Schedule::Auto | Schedule::Select => AccessMode::Select,
            Schedule::Sweep => AccessMode::Sweep,
        };
        Self { access, select_seconds: select.total(), sweep_seconds: sweep.total() }
    }
}

/// Seconds of waiting for the disk, and of computing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seconds {
    pub(crate) io: f64,
    pub(crate) cpu: f64,
}

impl Seconds {
    /// Returns the larger of the two, since workers compute while reads are in flight.
    pub(crate) const fn total(&self) -> f64 {
        self.io.max(self.cpu)
    }

    /// Compares two durations; if they are about equal, the one that leaves the other resource idle is less.
    fn compare(&self, other: &Self) -> Ordering {
        let (one, two) = (self.total(), other.total());
        let sums = (self.io + self.cpu).total_cmp(&(other.io + other.cpu));
        if (one - two).abs() <= ABOUT * one.max(two) { sums } else { one.total_cmp(&two) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> CostModel {
        CostModel::new(&Bandwidths::assumed(), 2, 1 << 20)
    }

    fn choose(model: &CostModel, schedule: Schedule, select: &AccessWork, sweep: &AccessWork) -> Decision {
        Decision::between(schedule, model.select(select), model.sweep(sweep))
    }

    const fn reading(bytes: u64, requests: u64) -> IoCost {
        IoCost { arcs: 0, bytes, requests, resident_bytes: 0 }
    }

    #[test]
    fn measured_sizes_take_what_was_measured() {
        let near = |one: f64, other: f64| assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
        for (size, speed) in Bandwidths::assumed().random_read {
            let (size, count) = (u64::from(size), 1 << 20);
            near(model().select_seconds(&reading(size * count, count)), (size * count) as f64 / speed);
        }
        near(model().sweep_seconds(&reading(1 << 30, 1)), f64::from(1 << 30) / 2e9);
        near(model().select_seconds(&reading(4096, 1)), 1.0 / 15_000.0);
        near(model().select_seconds(&reading(512, 1)), 1.0 / 15_000.0);
        near(model().select_seconds(&reading(1 << 40, 1 << 10)), (1_u64 << 40) as f64 / 2e9);
        // A request smaller than the smallest measured size takes as long as that size.
        near(
            model().select_seconds(&reading(512 << 20, 1 << 20)),
            model().select_seconds(&reading(4096 << 20, 1 << 20)),
        );
    }

    #[test]
    fn more_bytes_or_requests_never_take_less_whatever_was_measured() {
        let noisy = Bandwidths {
            random_read: vec![(4096, 1e9), (16_384, 5e9), (65_536, 1e8), (1 << 20, 3e9)],
            ..Bandwidths::assumed()
        };
        for model in [model(), CostModel::new(&noisy, 1, 1)] {
            for requests in [1, 7, 300, 20_000] {
                let bytes = (0..40).map(|power| (1.7_f64.powi(power) * 512.0) as u64);
                let seconds: Vec<_> = bytes.clone().map(|b| model.select_seconds(&reading(b, requests))).collect();
                assert!(seconds.is_sorted(), "{seconds:?}");
                for bytes in bytes {
                    let (few, many) = (reading(bytes, requests), reading(bytes, requests * 2));
                    assert!(model.select_seconds(&few) <= model.select_seconds(&many) * (1.0 + 1e-12));
                    assert!(model.sweep_seconds(&few) <= model.select_seconds(&few) * (1.0 + 1e-12));
                }
            }
        }
    }

    #[test]
    fn what_is_in_memory_is_free() {
        let resident = IoCost { arcs: 1 << 40, bytes: 0, requests: 0, resident_bytes: 1 << 50 };
        assert_eq!((model().select_seconds(&resident), model().sweep_seconds(&resident)), (0.0, 0.0));
    }

    #[test]
    fn the_cheaper_way_is_taken_unless_another_is_asked_for() {
        let few = AccessWork { lists: reading(4096 * 100, 100), ..AccessWork::default() };
        let many = AccessWork { lists: reading(4096 * 100_000, 100_000), ..AccessWork::default() };
        let all = AccessWork { lists: reading(1 << 28, 1 << 10), ..AccessWork::default() };
        let access = |schedule, select| choose(&model(), schedule, select, &all).access;
        assert_eq!(access(Schedule::Auto, &few), AccessMode::Select);
        assert_eq!(access(Schedule::Auto, &many), AccessMode::Sweep);
        assert_eq!(access(Schedule::Select, &many), AccessMode::Select);
        assert_eq!(access(Schedule::Sweep, &few), AccessMode::Sweep);
        // The formulas of sections 3.5 and 3.6 with equal costs: the paper selects.
        let free = AccessWork { entries: 7, ..AccessWork::default() };
        let same = choose(&model(), Schedule::Auto, &free, &free);
        assert_eq!(same.access, AccessMode::Select);
        // The costs of values are equal, and too large to distinguish the options by the rest.
        let valued = |work: AccessWork| AccessWork { streamed_bytes: 2_000_000_000, ..work };
        let decision = choose(&model(), Schedule::Auto, &valued(many), &valued(all));
        assert!(decision.access == AccessMode::Sweep && (1.0..2.0).contains(&decision.sweep_seconds), "{decision:?}");
    }

    /// The third level of a search on Kronecker 23 in the order of its IDs, as recorded by a run: both options wait for
    /// the disk for about the same time, and a push of 17 million edges took 2.2 s.
    #[test]
    fn a_large_frontier_is_pulled_where_reading_takes_about_the_same() {
        let (vertices, edges) = (4_607_186, 131_163_533);
        let model = CostModel::new(&Bandwidths::assumed(), 2, vertices);
        let lists = |seconds: f64, arcs| IoCost { arcs, ..reading((seconds * 2e9) as u64, 1) };
        let push = AccessWork {
            lists: lists(0.1481, 17_000_000),
            vertices: 153_000,
            entries: 17_000_000,
            ..AccessWork::default()
        };
        let pull = AccessWork { lists: lists(0.1485, edges), vertices: edges / 20, ..AccessWork::default() };
        assert_eq!(choose(&model, Schedule::Auto, &push, &pull).access, AccessMode::Sweep);
        let few =
            AccessWork { lists: lists(0.0371, 100_000), vertices: 1000, entries: 100_000, ..AccessWork::default() };
        assert_eq!(choose(&model, Schedule::Auto, &few, &pull).access, AccessMode::Select);
        // Equal within a tenth, but without less computation.
        let hardly_less = AccessWork { lists: lists(0.0702, 100_000), ..few };
        assert_eq!(choose(&model, Schedule::Auto, &hardly_less, &pull).access, AccessMode::Select);
    }

    #[test]
    fn what_is_read_is_decoded_however_few_steps_are_made() {
        let lists = IoCost { arcs: 2_000_000_000, ..reading(4096, 1) };
        let read = AccessWork { lists, entries: 1, decoded: 1_000_000, ..AccessWork::default() };
        assert!((model().cpu_seconds(&read) - (2.0 + 15e-3) / 2.0).abs() < 1e-9);
        let resident = AccessWork { lists: IoCost { bytes: 0, ..lists }, ..read };
        assert!(model().cpu_seconds(&resident) < 1e-8);
    }

    #[test]
    fn computing_hides_reading_or_is_hidden() {
        let work = |bytes, vertices| AccessWork { lists: reading(bytes, 1), vertices, ..AccessWork::default() };
        let total = |work: AccessWork| choose(&model(), Schedule::Auto, &work, &work).sweep_seconds;
        assert!((total(work(2_000_000_000, 1)) - 1.0).abs() < 1e-6);
        assert!((total(work(4096, 1_000_000_000)) - 6.0).abs() < 1e-6);
    }
}
