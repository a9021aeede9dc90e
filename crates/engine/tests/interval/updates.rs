//! Whole-vertex updates.

use crate::lists::{Edge, drawn_edges, members};
use crate::settings::{LITTLE, Made, Setting, VERTICES, plain};
use outcrop_engine::interval::{IntervalProgram, Sources};
use outcrop_types::{Direction, VertexId, VertexRange};

/// Mixes a value with those along both kinds of edges.
struct Mix;

fn mix(sum: u64, id: VertexId, value: u64, weight: f64) -> u64 {
    sum.wrapping_add(value.wrapping_mul(weight.to_bits()).rotate_left(id % 64))
}

/// What in-edges and out-edges make of the values at their other ends, each in its own way.
type Mixed = (u64, u64);

impl IntervalProgram for Mix {
    type Source = u64;
    type Target = u64;
    type Sum = Mixed;

    fn begin(&self, _: VertexId) -> Mixed {
        (0, 0)
    }

    fn gather(&self, _: &mut Mixed, _: VertexId, _: u64, _: f64) {
        unreachable!("lists are gathered");
    }

    fn gather_list(&self, (into, out): &mut Mixed, sources: &Sources<'_, u64>) {
        match sources.direction() {
            Direction::In => sources.for_each(|id, value, weight| *into = mix(*into, id, value, weight)),
            Direction::Out => sources.for_each(|id, value, weight| *out ^= mix(1, id, value, weight)),
        }
        for position in 0..sources.len() {
            *into = into.wrapping_sub(sources.value_at(position) ^ u64::from(sources.ids()[position]));
        }
    }

    fn apply(&self, vertex: VertexId, value: u64, (into, out): Mixed) -> u64 {
        // Some stay as they are.
        if vertex.is_multiple_of(5) { value } else { value.wrapping_add(into) ^ out }
    }
}

/// By the definition: the values of an interval are replaced once all its vertices have theirs.
fn expected(edges: &[Edge], intervals: &[VertexRange]) -> Vec<u64> {
    let mut values: Vec<u64> = (0..VERTICES).map(|vertex| u64::from(vertex) << 20).collect();
    for interval in intervals {
        let mut mixed = vec![(0_u64, 0_u64); VERTICES as usize];
        for (source, target, weight) in edges {
            let (into, out) = (values[*source as usize], values[*target as usize]);
            let sums = &mut mixed[*target as usize];
            sums.0 = mix(sums.0, *source, into, *weight).wrapping_sub(into ^ u64::from(*source));
            let sums = &mut mixed[*source as usize];
            sums.1 ^= mix(1, *target, out, *weight);
            sums.0 = sums.0.wrapping_sub(out ^ u64::from(*target));
        }
        for vertex in interval.iter().filter(|vertex| vertex % 5 > 0) {
            let (into, out) = mixed[vertex as usize];
            values[vertex as usize] = values[vertex as usize].wrapping_add(into) ^ out;
        }
    }
    values
}

fn check(setting: &Setting, made: &Made, at_least: usize) {
    let engine = setting.engine(made);
    assert!(engine.intervals().len() >= at_least);
    let mut values = engine.values(|vertex| u64::from(vertex) << 20).unwrap();
    let changed = engine.update(&Mix, &mut values).unwrap();
    let (values, expected) = (plain(values), expected(&setting.edges, engine.intervals()));
    assert!(values == expected);
    let moved: Vec<VertexId> =
        (0..VERTICES).filter(|vertex| expected[*vertex as usize] != u64::from(*vertex) << 20).collect();
    assert!(members(&changed) == moved);
}

#[test]
fn a_vertex_sees_both_kinds_of_edges_with_the_values_of_neighbors() {
    for (on_disk, threads, memory, at_least) in [
        (false, 2, LITTLE, 3),
        (false, 1, 64 << 20, 1),
        (true, 1, LITTLE, 3),
        (true, 2, LITTLE, 3),
        (true, 2, 64 << 20, 1),
    ] {
        let setting = Setting::new(VERTICES, drawn_edges(VERTICES, 60_000), threads);
        check(&setting, &Made { memory, ..Made::updating(VERTICES, on_disk) }, at_least);
    }
}

#[test]
fn lists_of_an_undirected_graph_serve_as_both() {
    for on_disk in [false, true] {
        let setting = Setting::undirected(VERTICES, &drawn_edges(VERTICES, 30_000), 2);
        check(&setting, &Made { undirected: true, ..Made::updating(VERTICES, on_disk) }, 2);
    }
}
