//! Programs on engines of all kinds give what loops over the edges give.

use crate::engines::{Bench, Gossip, LITTLE, Made, Smallest, gossip};
use outcrop_engine::Directions;
use outcrop_messages::{Delivery, Edges, MessageOptions, MessageProgram, Vertex};
use outcrop_types::{Error, VertexSet};
use proptest::prelude::*;

const VERTICES: u32 = 30_000;

fn options(fuse: bool, edge_log: bool) -> MessageOptions {
    MessageOptions { fuse, edge_log, ..MessageOptions::default() }
}

#[test]
fn every_message_arrives_once_in_the_next_superstep() {
    let (expected, counts) = gossip(VERTICES, &Bench::drawn(VERTICES, 250_000, 1, 3).edges, 5);
    for (threads, on_disk, fuse, edge_log) in
        [(1, false, true, true), (2, true, true, true), (3, false, false, true), (2, true, false, false)]
    {
        let bench = Bench::drawn(VERTICES, 250_000, threads, 3);
        let made = Made { options: options(fuse, edge_log), ..Made::of::<Gossip>(VERTICES, on_disk) };
        let (values, ran) = bench.run(&made, &Gossip, 5, u64::from);
        assert_eq!(ran.supersteps, 5);
        assert!(values == expected, "{threads} threads, on disk {on_disk}, fuse {fuse}, edge log {edge_log}");
        assert_eq!(bench.files(), 0);
        let records = bench.graph.records.take();
        let seen: Vec<u32> = records.iter().map(|record| record.active_vertices as u32).collect();
        assert_eq!(seen, counts);
    }
}

#[test]
fn intervals_follow_from_memory_and_few_messages_are_fused() {
    let bench = Bench::drawn(VERTICES, 400_000, 2, 5);
    let made = Made::of::<Gossip>(VERTICES, false);
    let (little, much) = (bench.engine(&made), bench.engine(&Made { memory: 64 << 20, ..made }));
    assert!(little.intervals().len() > 3, "{}", little.intervals().len());
    assert_eq!(much.intervals().len(), 1);
    let mut values = little.values(u64::from).unwrap();
    let one = outcrop_types::VertexSet::from_members(vec![17], VERTICES);
    little.run(&Gossip, &mut values, &one, 2).unwrap();
    let figures = little.message_figures();
    assert!(figures.fused > 0 && figures.sent > 0, "{figures:?}");
    assert_eq!((figures.log_bytes_written, figures.log_bytes_read), (0, 0), "few messages stay in memory");
}

#[test]
fn more_messages_than_memory_go_to_disk_and_come_back() {
    let bench = Bench::drawn(VERTICES, 1_500_000, 2, 9);
    let made = Made::of::<Gossip>(VERTICES, false);
    let engine = bench.engine(&made);
    let mut values = engine.values(u64::from).unwrap();
    let all = outcrop_types::VertexSet::all(VERTICES);
    engine.run(&Gossip, &mut values, &all, 3).unwrap();
    let figures = engine.message_figures();
    // 8 bytes and 4 of the destination.
    assert!(figures.sent * 12 > 2 * LITTLE, "{figures:?}");
    assert!(figures.log_bytes_written > LITTLE && figures.log_bytes_read <= figures.log_bytes_written, "{figures:?}");
    assert_eq!(crate::engines::plain(values), gossip(VERTICES, &bench.edges, 3).0);
}

#[test]
fn either_delivery_ends_with_the_same_components() {
    let bench = Bench::drawn(VERTICES, 28_000, 2, 11);
    let mut labels: Vec<u32> = (0..VERTICES).collect();
    while bench.edges.iter().fold(false, |changed, (one, other, _)| {
        let least = labels[*one as usize].min(labels[*other as usize]);
        let was = (labels[*one as usize], labels[*other as usize]);
        (labels[*one as usize], labels[*other as usize]) = (least, least);
        changed | (was != (least, least))
    }) {}
    let mut supersteps = Vec::new();
    for delivery in [Delivery::Synchronous, Delivery::Asynchronous] {
        for on_disk in [false, true] {
            let mut made = Made::of::<Smallest>(VERTICES, on_disk);
            made.options = MessageOptions { delivery, ..options(false, true) };
            made.requirements.sides = Directions::Both;
            made.requirements.along = Directions::Both;
            let (values, ran) = bench.run(&made, &Smallest, u32::MAX, |vertex| vertex);
            assert!(values == labels, "{delivery:?}");
            supersteps.push(ran.supersteps);
        }
    }
    assert!(supersteps[2] <= supersteps[0], "{supersteps:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_graph_any_engine(
        vertices in 1_u32..400,
        edges in proptest::collection::vec((0_u32..400, 0_u32..400), 0..1200),
        threads in 1_usize..4,
        (on_disk, fuse, edge_log) in any::<(bool, bool, bool)>(),
        memory in 0_u64..(2 << 20),
        supersteps in 1_u32..7,
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(one, other)| (one % vertices, other % vertices, 1.0)).collect();
        let bench = Bench::new(vertices, edges, threads);
        let made = Made { memory, options: options(fuse, edge_log), ..Made::of::<Gossip>(vertices, on_disk) };
        let (values, _) = bench.run(&made, &Gossip, supersteps, u64::from);
        prop_assert_eq!(values, gossip(vertices, &bench.edges, supersteps).0);
    }
}

/// Sends to all neighbors; messages cannot be loaded by the thread that does so while others compute.
struct Unloadable;

impl MessageProgram for Unloadable {
    type Value = u32;
    type Message = u32;
    type Record = ();

    const COMBINES: bool = true;

    fn combine(&self, one: u32, other: u32) -> u32 {
        assert!(std::thread::current().name() != Some("outcrop-messages"), "these cannot be combined");
        one.min(other)
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        vertex.send_to_all(edges.out.ids(), 1);
    }
}

#[test]
fn a_panic_while_messages_are_loaded_is_an_error_and_no_partial_answer() {
    let bench = Bench::drawn(20 * VERTICES, 1_200_000, 2, 5);
    let engine = bench.engine(&Made { options: options(false, false), ..Made::of::<Unloadable>(20 * VERTICES, false) });
    assert!(engine.intervals().len() > 1);
    let mut values = engine.values(|vertex| vertex).unwrap();
    let ran = engine.run(&Unloadable, &mut values, &VertexSet::all(20 * VERTICES), 5);
    let error = ran.map(|ran| ran.supersteps).unwrap_err();
    assert!(matches!(&error, Error::Internal { message } if message.ends_with("these cannot be combined")), "{error}");
}
