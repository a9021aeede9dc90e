//! The graphs of the matrix.

use crate::graph::Shape;
use proptest::prelude::*;

fn shape(keys: u32, edges: impl IntoIterator<Item = (u32, u32, f64)>) -> Shape {
    Shape { keys, edges: edges.into_iter().collect() }
}

/// Small graphs, each with something that goes wrong easily.
pub fn small() -> Vec<(&'static str, Shape)> {
    let duplicates =
        [(0, 1, 3.0), (0, 1, 1.0), (1, 0, 0.5), (0, 1, 1.0), (1, 1, 2.0), (1, 1, 2.0), (2, 0, 1.5), (1, 2, 0.1)];
    let two_components = (1..40).map(|key| (key - 1, key, 0.1)).chain((41..80).map(|key| (40, key, 1.0)));
    vec![
        ("empty", shape(0, [])),
        ("one vertex", shape(1, [])),
        ("one loop", shape(1, [(0, 0, 0.5)])),
        ("duplicates", shape(3, duplicates)),
        ("isolated", shape(50, [(0, 49, 1.0), (49, 7, 2.0)])),
        ("two components", shape(80, two_components)),
        ("zero cycle", zero_cycle()),
        ("ties", ties(40, 130)),
    ]
}

/// A cycle of edges of weight 0 that is entered at two places, with ways out and a weight that is lost in rounding.
fn zero_cycle() -> Shape {
    let cycle = (0..6).map(|key| (key, (key + 1) % 6, 0.0));
    let ways_in = [(6, 2, 1.0), (6, 4, 1.0), (7, 6, 0.0), (6, 7, 0.0), (0, 0, 0.0)];
    let ways_out = [(3, 8, 1e8), (8, 9, 1e-30), (9, 10, 1e-30), (10, 8, 1e-30), (5, 11, 0.25)];
    shape(12, cycle.chain(ways_in).chain(ways_out))
}

/// 300 iterations with a single vertex each.
pub fn path() -> Shape {
    shape(300, (1..300).map(|key| (key - 1, key, 0.1 * key as f64)))
}

/// A list that does not fit one request: 64 units have 65,408 entries, half of that with weights.
pub fn star(from_hub: bool, weighted: bool) -> Shape {
    let leaves = if weighted { 33_000 } else { 66_000 };
    let ends = |leaf: u32| if from_hub { (0, leaf) } else { (leaf, 0) };
    let edge = |leaf: u32| (ends(leaf).0, ends(leaf).1, 0.1 + (leaf % 7) as f64);
    shape(leaves + 1, (1..=leaves).map(edge))
}

/// A tree, each vertex being the predecessor of two.
pub fn tree(keys: u32) -> Shape {
    shape(keys, (1..keys).map(|key| ((key - 1) / 2, key, 1.0)))
}

/// A chain of a few vertices, each with many leaves.
pub fn hubs(keys: u32) -> Shape {
    shape(keys, (1..keys).map(|key| if key < 4 { (key - 1, key, 1.0) } else { (key % 4, key, 1.0) }))
}

/// Edges from a fixed sequence of numbers, few ends more often than others.
pub fn mixed(keys: u32, edges: usize) -> Shape {
    drawn(keys, edges, |draw| draw(20) as f64 * 0.3)
}

/// The same with weights of which sums are often equal: 1, 2 and 3.
pub fn ties(keys: u32, edges: usize) -> Shape {
    drawn(keys, edges, |draw| (draw(3) + 1) as f64)
}

/// The same with weights of which sums are rarely equal, 0.05 and more.
pub fn distinct(keys: u32, edges: usize) -> Shape {
    drawn(keys, edges, |draw| 0.05 + draw(1 << 30) as f64 * 1e-8)
}

fn drawn(keys: u32, edges: usize, weight: impl Fn(&mut dyn FnMut(u32) -> u32) -> f64) -> Shape {
    let mut state = u64::from(keys) + 99;
    let mut draw = move |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(below)) as u32
    };
    let edge = |_| {
        let popular = draw(keys) + 1;
        (draw(keys), draw(popular), weight(&mut draw))
    };
    shape(keys, (0..edges).map(edge))
}

/// From each vertex to so many after it, around a circle.
pub fn band(keys: u32, width: u32) -> Shape {
    shape(keys, (0..keys).flat_map(|from| (1..=width).map(move |step| (from, (from + step) % keys, 1.0))))
}

/// Any small graph.
pub fn any() -> impl Strategy<Value = Shape> {
    (1u32..120).prop_flat_map(|keys| {
        let weight = prop_oneof![Just(0.0), Just(1.0), 0.0f64..10.0];
        proptest::collection::vec((0..keys, 0..keys, weight), 0..400).prop_map(move |edges| shape(keys, edges))
    })
}
