//! Choice of the way, by its cost.

use crate::lists::{Graph, Place, drawn_edges, members};
use outcrop_engine::schedule::{Schedule, Scheduler};
use outcrop_engine::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{AccessMode, Direction, EdgeDirection, IterationRecord, VertexId, VertexSet};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const SELECT: (EdgeDirection, AccessMode) = (EdgeDirection::Push, AccessMode::Select);
const SWEEP: (EdgeDirection, AccessMode) = (EdgeDirection::Push, AccessMode::Sweep);
const PULL: (EdgeDirection, AccessMode) = (EdgeDirection::Pull, AccessMode::Sweep);

/// Counts the edges to vertices below a limit.
struct Below {
    limit: VertexId,
    edges: AtomicU32,
}

impl EdgeMap for Below {
    fn update_atomic(&self, _: VertexId, _: VertexId, _: f64) -> bool {
        self.edges.fetch_add(1, Relaxed);
        true
    }

    fn cond(&self, target: VertexId) -> bool {
        target < self.limit
    }

    fn settled(&self, _: VertexId) -> bool {
        false
    }
}

fn usual() -> EdgeMapOptions {
    EdgeMapOutput::Frontier.into()
}

fn scheduled(engine: Engine<'_>, schedule: Schedule) -> Engine<'_> {
    engine.scheduled_by(Scheduler { schedule, ..Scheduler::default() })
}

/// The record of one map, and the edges that it went along.
fn mapped(graph: &Graph, engine: &Engine<'_>, set: &VertexSet, options: EdgeMapOptions) -> IterationRecord {
    let program = Below { limit: VertexId::MAX, edges: AtomicU32::new(0) };
    engine.edge_map(set, &program, options).unwrap();
    engine.end_iteration(None);
    let record = graph.records.take().remove(0);
    assert_eq!(u64::from(program.edges.into_inner()), record.active_edges);
    record
}

const fn way(record: &IterationRecord) -> (EdgeDirection, AccessMode) {
    (record.direction, record.access)
}

fn every(step: usize, vertices: u32) -> VertexSet {
    VertexSet::from_members((0..vertices).step_by(step).collect(), vertices)
}

#[test]
fn with_everything_in_memory_ligras_rule_decides() {
    const VERTICES: u32 = 200;
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 2000), 2).at(Place::Memory);
    let mut ways = [0, 0];
    for (count, large) in (1..VERTICES).step_by(4).flat_map(|count| [1, 20, 300].map(|large| (count, large))) {
        let set = VertexSet::from_members((0..count).collect(), VERTICES);
        for (options, sweep) in
            [(usual(), PULL), (EdgeMapOptions { dense: Dense::PushSweep, ..usual() }, SWEEP), (usual(), SELECT)]
        {
            let engine = if sweep == SELECT { graph.pushing() } else { graph.both_ways() };
            let record = mapped(&graph, &engine, &set, EdgeMapOptions { large, ..options });
            let is_large = u64::from(count) + record.active_edges > 2000 / u64::from(large);
            assert_eq!(way(&record), if is_large { sweep } else { SELECT }, "{count} {large} {record:?}");
            assert_eq!((record.select_bytes, record.sweep_bytes), (0, 0));
            ways[usize::from(is_large)] += 1;
        }
    }
    assert!(ways[0] > 30 && ways[1] > 30, "{ways:?}");
}

#[test]
fn what_has_to_be_read_decides_where_reading_takes_longer() {
    const VERTICES: u32 = 60_000;
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 60_000), 2).at(Place::Pages);
    let engine = graph.both_ways();
    // By Ligra's rule even one vertex would be many here, and nine tenths would be few there.
    let (eager, shy) = (EdgeMapOptions { large: u32::MAX, ..usual() }, EdgeMapOptions { large: 1, ..usual() });
    let (few, many) = (every(3000, VERTICES), every(4, VERTICES));
    let (few, many) = (mapped(&graph, &engine, &few, eager), mapped(&graph, &engine, &many, shy));
    assert_eq!((way(&few), way(&many)), (SELECT, PULL));
    assert_eq!((few.select_bytes, few.sweep_bytes), (20 * 4096, 4096 * u64::from(VERTICES) / 16));
    assert!(few.select_seconds < few.sweep_seconds && many.select_seconds > many.sweep_seconds);
    assert!(few.seconds_scheduling > 0.0 && few.seconds_scheduling < few.seconds);
    // Where there are no in-lists, or they would not help, the same lists are read in sequence.
    for (engine, options) in [(graph.pushing(), shy), (engine, EdgeMapOptions { dense: Dense::PushSweep, ..shy })] {
        assert_eq!(way(&mapped(&graph, &engine, &every(4, VERTICES), options)), SWEEP);
        assert_eq!(way(&mapped(&graph, &engine, &every(3000, VERTICES), options)), SELECT);
    }
    let never = EdgeMapOptions { large: 0, ..usual() };
    assert_eq!(way(&mapped(&graph, &graph.both_ways(), &every(4, VERTICES), never)), SELECT);
}

#[test]
fn a_sample_is_enough_where_it_leaves_no_doubt() {
    const VERTICES: u32 = 20_000;
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 200_000), 2).at(Place::Memory);
    let engine = graph.both_ways();
    let looked_at = |step: usize, large: u32| {
        let set = every(step, VERTICES);
        let program = Below { limit: VertexId::MAX, edges: AtomicU32::new(0) };
        graph.out.looked_at.store(0, Relaxed);
        engine.edge_map(&set, &program, EdgeMapOptions { large, ..usual() }).unwrap();
        let looked_at = graph.out.looked_at.load(Relaxed);
        engine.end_iteration(None);
        let record = graph.records.take().remove(0);
        let edges = u64::from(program.edges.into_inner());
        assert!(record.active_edges.abs_diff(edges) <= edges / 4, "{edges} {record:?}");
        (looked_at, set.len(), way(&record))
    };
    let (few, all, way) = looked_at(40, 1);
    assert!((60..=80).contains(&few) && all == 500 && way == SELECT, "{few}");
    // About 5500 of at most 10,000: near enough for a look at all.
    let (few, all, way) = looked_at(40, 20);
    assert!(few > all && all == 500 && way == SELECT, "{few}");
    let (few, all, _) = looked_at(200, 1);
    assert_eq!((few, all), (100, 100));
}

#[test]
fn a_pull_counts_by_the_vertices_that_are_still_open() {
    const VERTICES: u32 = 200_000;
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 1000), 2).at(Place::Pages);
    let frontier = every(100, VERTICES);
    let sweep_bytes = |limit| {
        let engine = graph.both_ways();
        engine.edge_map(&frontier, &Below { limit, edges: AtomicU32::new(0) }, usual()).unwrap();
        engine.end_iteration(None);
        let record = graph.records.take().remove(0);
        (record.sweep_bytes, record.direction)
    };
    let (everything, page) = (4096 * u64::from(VERTICES) / 16, 4096);
    assert_eq!(sweep_bytes(VERTICES), (everything, EdgeDirection::Push));
    let (few, direction) = sweep_bytes(1556);
    // The first run begins at 1552: four of it are open, of 64 runs of sixteen.
    assert!((page * 1000 / 4..=page * 1000 * 5).contains(&few) && few < everything, "{few} {everything}");
    assert_eq!(direction, EdgeDirection::Pull);
    // None of those that are looked at: a page for each run of which none was.
    let (none, direction) = sweep_bytes(0);
    assert!(none > page && none < few && direction == EdgeDirection::Pull, "{none} {few} {direction:?}");
}

#[test]
fn a_forced_sweep_visits_every_list_and_a_forced_select_never_sweeps() {
    const VERTICES: u32 = 400;
    for place in [Place::Memory, Place::Disk, Place::Pages] {
        let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 4000), 2).at(place);
        let never = EdgeMapOptions { large: 0, ..usual() };
        let forward = EdgeMapOptions { dense: Dense::PushSweep, ..usual() };
        for (step, options) in
            [1, 3, 399].into_iter().flat_map(|step| [(step, usual()), (step, never), (step, forward)])
        {
            let set = every(step, VERTICES);
            let ways = |schedule| {
                let both = mapped(&graph, &scheduled(graph.both_ways(), schedule), &set, options);
                let read = (graph.out.take_read(), graph.into.take_read());
                let pushed = mapped(&graph, &scheduled(graph.pushing(), schedule), &set, options);
                (way(&both), read, way(&pushed), graph.out.take_read())
            };
            let (everyone, nobody) = (members(&VertexSet::all(VERTICES)), Vec::new());
            let selected = (SELECT, (members(&set), nobody.clone()), SELECT, members(&set));
            assert_eq!(ways(Schedule::Select), selected);
            let swept = if options.dense == Dense::Pull {
                (PULL, (nobody, everyone.clone()), SWEEP, everyone)
            } else {
                (SWEEP, (everyone.clone(), nobody), SWEEP, everyone)
            };
            assert_eq!(ways(Schedule::Sweep), swept, "{step} {options:?}");
        }
    }
}

/// Counts the lists that were folded, and their entries.
#[derive(Default)]
struct Folded(AtomicU32, AtomicU32);

impl Gather for Folded {
    type Sum = u32;

    fn begin(&self, _: VertexId) -> u32 {
        0
    }

    fn gather(&self, sum: &mut u32, piece: Neighbors<'_>) {
        *sum += piece.len() as u32;
    }

    fn apply(&self, _: VertexId, sum: u32) {
        self.0.fetch_add(1, Relaxed);
        self.1.fetch_add(sum, Relaxed);
    }
}

#[test]
fn a_gather_over_a_set_selects_or_sweeps() {
    const VERTICES: u32 = 60_000;
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 60_000), 2).at(Place::Pages);
    let gathered = |schedule, step: usize| {
        let (engine, folded, set) = (scheduled(graph.both_ways(), schedule), Folded::default(), every(step, VERTICES));
        engine.gather_over(&set, Direction::In, &folded).unwrap();
        engine.end_iteration(None);
        let record = graph.records.take().remove(0);
        let Folded(lists, entries) = folded;
        assert_eq!((lists.into_inner() as usize, u64::from(entries.into_inner())), (set.len(), record.active_edges));
        (record.access, graph.into.take_read().len())
    };
    assert_eq!(gathered(Schedule::Auto, 3000), (AccessMode::Select, 20));
    assert_eq!(gathered(Schedule::Auto, 4), (AccessMode::Sweep, 15_000));
    assert_eq!(gathered(Schedule::Select, 4), (AccessMode::Select, 15_000));
    assert_eq!(gathered(Schedule::Sweep, 3000), (AccessMode::Sweep, 60_000));
    assert_eq!(gathered(Schedule::Select, 1), (AccessMode::Select, 60_000));
}
