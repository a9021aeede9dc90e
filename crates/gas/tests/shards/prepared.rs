//! Blocks of prepared shards hold the edges of the graph.

use crate::blocks::{Arcs, all_blocks, arcs_of, read_all};
use crate::lists::{Edge, drawn_edges};
use crate::settings::Setting;
use outcrop_engine::{DegreeSource, Directions};
use outcrop_gas::{Preparation, prepare_shards};
use outcrop_io::SpillFolder;
use outcrop_store::access::{AccessFigures, BlockId, Shards};
use outcrop_store::layout::sliding::PreparedShards;
use outcrop_types::{Direction, Error, MemoryBudget, Result, VertexId, WeightType};
use std::sync::Mutex;
use std::time::Duration;

const VERTICES: u32 = 500;
/// Memory that holds everything, and memory for some blocks at a time.
const MEMORY: [u64; 2] = [8 << 20, 120 << 10];

struct Case {
    setting: Setting,
    directed: bool,
    along: Directions,
    weighted: bool,
}

impl Case {
    fn new(edges: &[Edge], directed: bool, along: Directions, weighted: bool) -> Self {
        let setting =
            if directed { Setting::new(VERTICES, edges.to_vec(), 2) } else { Setting::undirected(VERTICES, edges, 2) };
        Self { setting, directed, along, weighted }
    }

    fn prepare(&self, intervals: u32, memory: u64, budget: &MemoryBudget) -> Result<PreparedShards> {
        let folder = tempfile::tempdir().unwrap();
        let degrees = DegreeSource::default().with(Direction::Out, self.setting.degrees(Direction::Out));
        let degrees = match self.directed {
            true => degrees.with(Direction::In, self.setting.degrees(Direction::In)),
            false => degrees,
        };
        let (graph, spill) = (&self.setting.graph, SpillFolder::new(folder.path()).unwrap());
        prepare_shards(&Preparation {
            out: Some(&graph.out),
            into: self.directed.then_some(&graph.into as &dyn outcrop_store::access::Adjacency),
            degrees: &degrees,
            directed: self.directed,
            along: self.along,
            weights: self.weighted.then_some(WeightType::F64),
            intervals: Some(intervals),
            memory,
            folder: &spill,
            workers: &graph.workers,
            budget,
        })
    }

    fn expected(&self) -> Arcs {
        arcs_of(&self.setting.edges, self.along)
    }
}

#[test]
fn blocks_hold_the_arcs_of_the_graph_however_little_memory_there_is() {
    let edges = drawn_edges(VERTICES, 6000);
    for (directed, along, weighted) in [
        (true, Directions::Out, true),
        (true, Directions::Out, false),
        (true, Directions::Both, true),
        (true, Directions::Both, false),
        (false, Directions::Out, true),
        (false, Directions::Both, true),
    ] {
        let case = Case::new(&edges, directed, along, weighted);
        let mut expected = case.expected();
        if !weighted {
            expected.values_mut().for_each(|weights| weights.fill(1.0));
        }
        for (memory, intervals) in [(MEMORY[0], 1), (MEMORY[0], 7), (MEMORY[1], 7), (MEMORY[1], 40)] {
            let budget = MemoryBudget::new(16 << 20);
            let shards = case.prepare(intervals, memory, &budget).unwrap();
            assert_eq!(shards.bounds().len() as u32, intervals + 1);
            assert_eq!((shards.bounds()[0], *shards.bounds().last().unwrap()), (0, VERTICES));
            assert_eq!(read_all(&shards, &all_blocks(&shards)), expected);
            assert_eq!(shards.total_arcs(), expected.values().map(|weights| weights.len() as u64).sum::<u64>());
            assert!(shards.written_bytes() >= shards.total_bytes());
            assert!(budget.peak() <= memory + ShardsBudget::beside(intervals));
            drop(shards);
            assert_eq!(budget.available(), budget.limit());
        }
    }
}

/// Memory that is reserved beside that for collecting.
struct ShardsBudget;

impl ShardsBudget {
    const fn beside(intervals: u32) -> u64 {
        PreparedShards::bytes(intervals) + outcrop_store::layout::sliding::ShardPreparation::BUFFER_BYTES
    }
}

#[test]
fn blocks_are_read_in_any_order_and_by_several_threads() {
    let case = Case::new(&drawn_edges(VERTICES, 6000), true, Directions::Out, true);
    let shards = case.prepare(9, MEMORY[0], &MemoryBudget::new(16 << 20)).unwrap();
    let mut blocks = all_blocks(&shards);
    blocks.reverse();
    blocks.retain(|block| block.from % 3 != 1 || block.to % 4 == 2);
    let expected = case.expected();
    let found = Mutex::new(Vec::new());
    case.setting
        .graph
        .workers
        .run(false, &|_| {
            found.lock().unwrap().push(read_all(&shards, &blocks));
            Ok(())
        })
        .unwrap();
    let interval = |vertex: VertexId| shards.bounds().partition_point(|bound| *bound <= vertex) as u32 - 1;
    let among = |(ends, _): &(&(VertexId, VertexId), &Vec<f64>)| {
        blocks.contains(&BlockId { from: interval(ends.0), to: interval(ends.1) })
    };
    let expected: Arcs = expected.iter().filter(among).map(|(ends, weights)| (*ends, weights.clone())).collect();
    for found in found.into_inner().unwrap() {
        assert_eq!(found, expected);
    }
}

#[test]
fn blocks_that_are_held_are_not_read_again() {
    let case = Case::new(&drawn_edges(VERTICES, 6000), true, Directions::Out, true);
    let budget = MemoryBudget::new(16 << 20);
    let mut shards = case.prepare(9, MEMORY[0], &budget).unwrap();
    let blocks = all_blocks(&shards);
    let expected = case.expected();
    let read = |shards: &PreparedShards| {
        let before = shards.statistics().figures();
        assert_eq!(read_all(shards, &blocks), expected);
        // How long reads wait is another matter.
        AccessFigures { waiting: Duration::ZERO, ..shards.statistics().figures() - before }
    };
    let (first, again) = (read(&shards), read(&shards));
    assert_eq!((first.bytes_read, first.cache_hits), (again.bytes_read, 0));
    let some = shards.whole_bytes() - shards.total_bytes() / 2;
    for (bytes, all) in [(100, 0), (some, 1), (shards.whole_bytes(), 2)] {
        shards.keep_resident(bytes, &budget).unwrap();
        let (first, second) = (read(&shards), read(&shards));
        assert_eq!(first.bytes_read, again.bytes_read);
        match all {
            0 => assert_eq!((second, shards.resident_bytes()), (again, 0)),
            1 => assert!(second.cache_hits > 20 && second.cache_misses > 20 && second.bytes_read < again.bytes_read),
            _ => assert_eq!((second.bytes_read, second.cache_misses), (0, 0)),
        }
    }
    shards.keep_resident(1 << 30, &budget).unwrap();
    assert_eq!(shards.resident_bytes(), shards.whole_bytes());
    assert!(matches!(shards.keep_resident(1 << 30, &MemoryBudget::new(1000)), Err(Error::BudgetTooSmall { .. })));
}

#[test]
fn what_cannot_be_prepared_is_told() {
    let edges = drawn_edges(VERTICES, 6000);
    let case = Case::new(&edges, true, Directions::Out, true);
    let budget = MemoryBudget::new(600 << 10);
    assert!(matches!(case.prepare(1, 100 << 10, &budget), Err(Error::BudgetTooSmall { .. })));
    assert_eq!(budget.available(), budget.limit());
    let more = MemoryBudget::new(16 << 20);
    let many = case.prepare(900, MEMORY[0], &more).unwrap();
    assert!((300..=501).contains(&many.bounds().len()));
    drop(many);
    case.setting.graph.into.fail.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(case.prepare(3, MEMORY[0], &more), Err(Error::Usage(_) | Error::Corrupt { .. })));
    assert_eq!(more.available(), more.limit());
}

#[test]
fn graphs_without_edges_or_vertices_have_shards() {
    for vertices in [0, 1, 5] {
        let setting = Setting::new(vertices, Vec::new(), 2);
        let case = Case { setting, directed: true, along: Directions::Both, weighted: true };
        let shards = case.prepare(3, MEMORY[0], &MemoryBudget::new(16 << 20)).unwrap();
        assert_eq!(*shards.bounds().last().unwrap(), vertices);
        assert!(read_all(&shards, &all_blocks(&shards)).is_empty());
        assert_eq!(shards.statistics().figures().requests, 0);
    }
}
