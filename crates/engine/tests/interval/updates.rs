//! Whole-vertex updates.

use crate::lists::{Edge, drawn_edges, members};
use crate::settings::{LITTLE, Made, Setting, VERTICES, plain};
use outcrop_engine::interval::{Sources, VertexProgram};
use outcrop_types::{VertexId, VertexRange};

/// Mixes a value with those along both kinds of edges.
struct Mix;

fn mix(sum: u64, id: VertexId, value: u64, weight: f64) -> u64 {
    sum.wrapping_add(value.wrapping_mul(weight.to_bits()).rotate_left(id % 64))
}

impl VertexProgram for Mix {
    type Value = u64;

    fn update(&self, vertex: VertexId, value: u64, into: &Sources<'_, u64>, out: &Sources<'_, u64>) -> u64 {
        // Some stay as they are.
        if vertex.is_multiple_of(5) {
            return value;
        }
        let mut sum = value;
        into.for_each(|id, value, weight| sum = mix(sum, id, value, weight));
        out.for_each(|id, value, weight| sum ^= mix(1, id, value, weight));
        for position in 0..out.len() {
            sum = sum.wrapping_sub(out.value_at(position) ^ u64::from(out.ids()[position]));
        }
        sum
    }
}

/// By the definition: the values of an interval are replaced once all its vertices have theirs.
fn expected(edges: &[Edge], intervals: &[VertexRange]) -> Vec<u64> {
    let mut values: Vec<u64> = (0..VERTICES).map(|vertex| u64::from(vertex) << 20).collect();
    for interval in intervals {
        let mut latest = values.clone();
        for (source, target, weight) in edges {
            let value = values[*source as usize];
            if interval.contains(*target) && target % 5 > 0 {
                latest[*target as usize] = mix(latest[*target as usize], *source, value, *weight);
            }
        }
        for (source, target, weight) in edges {
            let value = values[*target as usize];
            if interval.contains(*source) && source % 5 > 0 {
                latest[*source as usize] ^= mix(1, *target, value, *weight);
            }
        }
        for (source, target, _) in edges {
            if interval.contains(*source) && source % 5 > 0 {
                let kept = &mut latest[*source as usize];
                *kept = kept.wrapping_sub(values[*target as usize] ^ u64::from(*target));
            }
        }
        values = latest;
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
fn a_vertex_sees_both_kinds_of_edges_with_the_values_of_neighbours() {
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
