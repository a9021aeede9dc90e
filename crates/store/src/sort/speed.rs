//! Benchmark of sorting arcs to lists: `cargo test --release -p outcrop-store speed -- --ignored --nocapture`.

use super::ExternalSorter;
use crate::arc_hash::ArcHash;
use crate::component::StoreId;
use crate::layout::csr::{CsrSettings, CsrWriter, INTERVAL_ARCS, ListGeometry};
use crate::layout::list_writer::{ArcWriter, ListTarget};
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_io::{Disk, SpillFolder};
use outcrop_types::{Cancellation, Direction, MemoryBudget, Stopwatch, WeightType};
use std::sync::Arc;

const ARCS: u64 = 64 << 20;
const SCALE: u32 = 22;
const MEMORY: u64 = 128 << 20;

fn measure<A: ArcRecord>(name: &str) {
    let place = tempfile::tempdir().unwrap();
    let spill = Arc::new(SpillFolder::new(place.path()).unwrap());
    let budget = MemoryBudget::new(MEMORY);
    let mut sorter = ExternalSorter::<A>::new(&spill, MEMORY, false, &budget, &Cancellation::new()).unwrap();
    let mut state = 1_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(state >> (64 - SCALE)).unwrap()
    };
    let watch = Stopwatch::start();
    let mut hash = ArcHash::default();
    (0..ARCS).for_each(|_| {
        let arc = A::new(draw(), draw(), 0.5);
        hash += arc.hash(Direction::Out);
        sorter.push(arc).unwrap();
    });
    let mut arcs = sorter.finish().unwrap();
    let sorted = watch.seconds();
    let id = StoreId::random().unwrap();
    let geometry = ListGeometry::new(A::WEIGHTED.then_some(WeightType::F32), CsrSettings::default());
    let target = ListTarget { storage: &Disk, folder: place.path(), id, direction: Direction::Out };
    let writer = CsrWriter::create(&target, geometry, INTERVAL_ARCS).unwrap();
    let mut writer = ArcWriter::new(writer, &Cancellation::new());
    while let Some(arc) = arcs.next().unwrap() {
        let (vertex, neighbor, weight) = arc.parts();
        hash -= arc.hash(Direction::Out);
        writer.push(vertex, neighbor, weight).unwrap();
    }
    let merged = watch.seconds();
    assert_eq!(hash, ArcHash::default());
    assert_eq!(writer.finish(1 << SCALE).unwrap().1, ARCS);
    let (all, nanos) = (watch.seconds(), 1e9 / ARCS as f64);
    println!(
        "{name}: sort and spill {:.1} ns/arc, merge and write {:.1}, finish {:.1}",
        sorted * nanos,
        (merged - sorted) * nanos,
        (all - merged) * nanos
    );
}

#[test]
#[ignore = "a measurement of some seconds"]
fn speed_of_sorting_and_writing() {
    measure::<PlainArc>("plain");
    measure::<WeightedArc>("weighted");
}
