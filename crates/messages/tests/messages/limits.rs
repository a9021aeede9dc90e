//! Reservations of engines, as they say, and lists of the edge log, as the store's.

use crate::engines::{Bench, Gossip, Made, gossip, plain};
use outcrop_types::{MemoryBudget, VertexSet};

const VERTICES: u32 = 20_000;

#[test]
fn the_least_that_an_engine_says_is_enough() {
    for on_disk in [false, true] {
        let mut bench = Bench::drawn(VERTICES, 300_000, 2, 21);
        let mut made = Made::of::<Gossip>(VERTICES, on_disk);
        let values = if on_disk { 0 } else { 8 * u64::from(VERTICES) };
        let longest = 2_000;
        let least = made.requirements.least().total() + values + made.requirements.list_bytes(longest);
        bench.graph.budget = MemoryBudget::new(least);
        made.memory = least - values;
        let (found, _) = bench.run(&made, &Gossip, 3, u64::from);
        assert!(found == gossip(VERTICES, &bench.edges, 3).0);
        assert!(bench.graph.budget.peak() <= least);
        assert_eq!(bench.graph.budget.available(), least);
    }
}

#[test]
fn lists_of_vertices_that_stay_active_come_from_the_edge_log() {
    let bench = Bench::drawn(VERTICES, 60_000, 2, 23);
    bench.graph.out.paged.store(true, std::sync::atomic::Ordering::Relaxed);
    let few: Vec<u32> = (0..VERTICES).step_by(97).collect();
    let mut read = Vec::new();
    for edge_log in [false, true] {
        let mut made = Made::of::<Stays>(VERTICES, false);
        made.options.edge_log = edge_log;
        let engine = bench.engine(&made);
        let mut values = engine.values(|_| 0_u64).unwrap();
        let active = VertexSet::from_members(few.clone(), VERTICES);
        engine.run(&Stays, &mut values, &active, 6).unwrap();
        read.push((bench.graph.out.take_read().len(), plain(values)));
        let figures = engine.message_figures();
        assert_eq!(figures.lists_from_log > 0, edge_log, "{figures:?}");
        assert!(figures.pages > 0 && figures.thin_pages > 0, "{figures:?}");
        assert!(figures.predicted_pages <= figures.thin_pages);
        // Active in two supersteps before they are read from the log, which is for four more.
        assert_eq!(figures.lists_from_log, if edge_log { 4 * few.len() as u64 } else { 0 });
    }
    assert!(read[0].1 == read[1].1, "lists from the log are those of the store");
    assert_eq!((read[0].0, read[1].0), (6 * few.len(), 2 * few.len()));
}

/// Sums up the numbers of its neighbors, again and again.
struct Stays;

impl outcrop_messages::MessageProgram for Stays {
    type Value = u64;
    type Message = u32;
    type Record = ();

    fn compute(&self, vertex: &mut outcrop_messages::Vertex<'_, Self>, edges: &outcrop_messages::Edges<'_>) {
        *vertex.value_mut() += edges.out.ids().iter().map(|id| u64::from(*id)).sum::<u64>();
    }
}
