//! Sums over neighbors.

use crate::lists::drawn_edges;
use crate::settings::{Made, Setting, VERTICES, plain};
use outcrop_engine::interval::{IntervalProgram, Sources};
use outcrop_types::{Direction, VertexId};

/// The sum of values times weights, added to the value before.
struct Weighted;

impl IntervalProgram for Weighted {
    type Source = f64;
    type Target = f64;
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        0.0
    }

    fn gather(&self, sum: &mut f64, _: VertexId, value: f64, weight: f64) {
        *sum += value * weight;
    }

    fn gather_list(&self, sum: &mut f64, sources: &Sources<'_, f64>) {
        assert!(sources.ids().is_sorted() && !sources.is_empty());
        assert_eq!(sources.weights().unwrap().len(), sources.len());
        sources.for_each(|id, value, weight| self.gather(sum, id, value, weight));
    }

    fn apply(&self, vertex: VertexId, old: f64, sum: f64) -> f64 {
        old + sum + f64::from(vertex)
    }
}

/// The sum of values, in lanes.
struct Lanes;

impl IntervalProgram for Lanes {
    type Source = f32;
    type Target = f64;
    type Sum = f64;

    fn begin(&self, vertex: VertexId) -> f64 {
        f64::from(vertex)
    }

    fn gather(&self, sum: &mut f64, _: VertexId, value: f32, _: f64) {
        *sum += f64::from(value);
    }

    fn gather_list(&self, sum: &mut f64, sources: &Sources<'_, f32>) {
        *sum += sources.sum(f64::from);
    }

    fn apply(&self, _: VertexId, _: f64, sum: f64) -> f64 {
        sum
    }
}

fn edges() -> Vec<(u32, u32, f64)> {
    // A vertex with a list through all windows, and many without any.
    let mut edges = drawn_edges(VERTICES, 60_000);
    edges.extend((0..VERTICES).step_by(3).flat_map(|other| [(other, 77, 2.0), (78, other, 0.5)]));
    edges
}

fn gathered(made: &Made, threads: usize, direction: Direction) -> (Vec<f64>, usize) {
    let setting = Setting::new(VERTICES, edges(), threads);
    let engine = setting.engine(made);
    let sources = engine.values(|vertex| f64::from(vertex % 1000)).unwrap();
    let mut targets = engine.values(|vertex| f64::from(vertex % 7)).unwrap();
    engine.gather(&Weighted, direction, &sources, &mut targets).unwrap();
    assert_eq!(setting.files(), 0);
    assert_eq!(engine.value_traffic().0 > 0, made.on_disk);
    (plain(targets), engine.intervals().len())
}

/// By the definition; whole numbers, so that the order does not matter.
fn expected(direction: Direction) -> Vec<f64> {
    let mut values: Vec<f64> = (0..VERTICES).map(|vertex| f64::from(vertex % 7) + f64::from(vertex)).collect();
    for (source, target, weight) in edges() {
        let (of, other) = if direction == Direction::In { (target, source) } else { (source, target) };
        values[of as usize] += f64::from(other % 1000) * weight;
    }
    values
}

#[test]
fn every_vertex_gets_what_its_neighbors_have_in_memory_and_on_disk() {
    for direction in [Direction::In, Direction::Out] {
        let expected = expected(direction);
        let (in_memory, _) = gathered(&Made::new(VERTICES, false), 2, direction);
        assert!(in_memory == expected);
        let (on_disk, intervals) = gathered(&Made::new(VERTICES, true), 2, direction);
        assert!(on_disk == expected);
        assert!(intervals > 3, "{intervals}");
        let (whole, intervals) = gathered(&Made { memory: 64 << 20, ..Made::new(VERTICES, true) }, 2, direction);
        assert!(whole == expected);
        assert_eq!(intervals, 1);
    }
}

#[test]
fn sums_of_floats_do_not_depend_on_threads() {
    for on_disk in [false, true] {
        let sums = [1, 2, 3].map(|threads| {
            let setting = Setting::new(VERTICES, edges(), threads);
            let engine = setting.engine(&Made::new(VERTICES, on_disk));
            let sources = engine.values(|vertex| 1.0 / (vertex + 1) as f32);
            let mut targets = engine.values(|_| 0.0).unwrap();
            engine.gather(&Lanes, Direction::In, &sources.unwrap(), &mut targets).unwrap();
            plain(targets).into_iter().map(f64::to_bits).collect::<Vec<_>>()
        });
        assert!(sums[0] == sums[1] && sums[0] == sums[2]);
        let exact: f64 = edges().iter().filter(|edge| edge.1 == 77).map(|edge| 1.0 / f64::from(edge.0 + 1)).sum();
        assert!((f64::from_bits(sums[0][77]) - 77.0 - exact).abs() < 1e-5);
    }
}

/// [`Weighted`] for some vertices only.
struct Some(u32, u32);

impl IntervalProgram for Some {
    type Source = f64;
    type Target = f64;
    type Sum = f64;

    fn selective(&self) -> bool {
        true
    }

    fn wants(&self, vertex: VertexId) -> bool {
        vertex.is_multiple_of(self.0) && vertex < self.1
    }

    fn begin(&self, vertex: VertexId) -> f64 {
        Weighted.begin(vertex)
    }

    fn gather(&self, sum: &mut f64, id: VertexId, value: f64, weight: f64) {
        Weighted.gather(sum, id, value, weight);
    }

    fn apply(&self, vertex: VertexId, old: f64, sum: f64) -> f64 {
        assert!(self.wants(vertex));
        Weighted.apply(vertex, old, sum)
    }
}

#[test]
fn only_lists_of_vertices_that_are_wanted_are_read_and_others_keep_their_values() {
    let some = Some(11, 9000);
    let all = expected(Direction::In);
    for made in [Made::new(VERTICES, false), Made::new(VERTICES, true)] {
        let setting = Setting::new(VERTICES, edges(), 2);
        let engine = setting.engine(&made);
        let sources = engine.values(|vertex| f64::from(vertex % 1000)).unwrap();
        let mut targets = engine.values(|vertex| f64::from(vertex % 7)).unwrap();
        let (_, before) = engine.value_traffic();
        engine.gather(&some, Direction::In, &sources, &mut targets).unwrap();
        let read = setting.graph.into.take_read();
        assert!(read.into_iter().eq((0..VERTICES).filter(|vertex| some.wants(*vertex))));
        let written = engine.value_traffic().1 - before;
        assert!(written <= u64::from(VERTICES) * 8 / 2, "intervals without any of them are passed over: {written}");
        for (vertex, found) in (0..).zip(plain(targets)) {
            let expected = if some.wants(vertex) { all[vertex as usize] } else { f64::from(vertex % 7) };
            assert_eq!(found, expected, "vertex {vertex}");
        }
    }
}
