use super::*;
use outcrop_types::{Error, Result};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Edges = (Vec<[u64; 2]>, Vec<f64>);

const BYTES: Option<WeightDistribution> = Some(WeightDistribution::Integers { low: 1, high: 255 });

fn all(generator: &dyn EdgeGenerator) -> Edges {
    let mut made = Edges::default();
    generator.fill(0, usize::MAX, &mut made.0, &mut made.1);
    made
}

fn in_blocks(generator: &dyn EdgeGenerator, blocks: &[usize]) -> Edges {
    let mut made = Edges::default();
    let mut first = 0;
    for block in blocks.iter().cycle() {
        generator.fill(first, *block, &mut made.0, &mut made.1);
        first += *block as u64;
        if first >= generator.num_edges() {
            return made;
        }
    }
    made
}

fn samples(seed: u64) -> Vec<Box<dyn EdgeGenerator>> {
    vec![
        Box::new(Kronecker::new(6, 4, seed, BYTES).unwrap()),
        Box::new(Kronecker::new(1, 3, seed, None).unwrap()),
        Box::new(Kronecker::new(31, 1, seed, Some(WeightDistribution::Uniform01)).unwrap()),
        Box::new(Uniform::new(50, 333, seed, BYTES).unwrap()),
        Box::new(Uniform::new(u64::MAX, 100, seed, None).unwrap()),
        Box::new(Web::new(40, 200, seed, BYTES).unwrap()),
        Box::new(Web::new(1, 3, seed, None).unwrap()),
        Box::new(Grid::new(7, 9, seed, BYTES).unwrap()),
        Box::new(Grid::new(1, 1, seed, None).unwrap()),
        Box::new(Grid::new(9, 1, seed, None).unwrap()),
    ]
}

fn refused<T>(made: Result<T>) -> bool {
    matches!(made, Err(Error::Usage(_)))
}

proptest! {
    #[test]
    fn cutting_the_work_does_not_change_the_graph(seed: u64, blocks in proptest::collection::vec(1usize..90, 1..6)) {
        for generator in samples(seed).iter().filter(|generator| generator.num_edges() < 1000) {
            prop_assert_eq!(all(generator.as_ref()), in_blocks(generator.as_ref(), &blocks));
        }
    }

    #[test]
    fn edges_and_weights_stay_in_range(seed: u64, first: u64) {
        for generator in samples(seed) {
            let (mut edges, mut weights) = Edges::default();
            let first = first % generator.num_edges().max(1);
            generator.fill(first, 100, &mut edges, &mut weights);
            prop_assert_eq!(edges.len() as u64, 100.min(generator.num_edges() - first));
            prop_assert!(edges.iter().flatten().all(|end| *end < generator.num_vertices()));
            prop_assert_eq!(weights.len(), if generator.weighted() { edges.len() } else { 0 });
            prop_assert!(weights.iter().all(|weight| *weight > 0.0 && *weight <= 255.0));
        }
    }

    #[test]
    fn a_grid_has_every_edge_once_and_in_order(rows in 1u64..12, columns in 1u64..12) {
        let (edges, _) = all(&Grid::new(rows, columns, 0, None).unwrap());
        prop_assert_eq!(edges.len() as u64, rows * (columns - 1) + columns * (rows - 1));
        prop_assert!(edges.is_sorted_by(|one, next| one < next));
        let adjacent = |[from, to]: &[u64; 2]| (from / columns == to / columns && from + 1 == *to) || from + columns == *to;
        prop_assert!(edges.iter().all(adjacent));
    }
}

#[test]
fn past_the_end_there_is_nothing() {
    for generator in samples(1) {
        let (mut edges, mut weights) = Edges::default();
        for first in [generator.num_edges(), u64::MAX] {
            generator.fill(first, 10, &mut edges, &mut weights);
        }
        assert!(edges.is_empty() && weights.is_empty());
    }
}

#[test]
fn the_seed_matters_and_other_releases_make_the_same_graph() {
    let first = |seed| in_blocks(&Kronecker::new(10, 1, seed, BYTES).unwrap(), &[1024]);
    assert_ne!(first(1), first(2));
    let (edges, weights) = first(1);
    assert_eq!((&edges[..3], &weights[..3]), (&[[727, 326], [190, 868], [136, 472]][..], &[49.0, 211.0, 230.0][..]));
}

fn degrees(graph: &Kronecker, end: usize) -> Vec<u32> {
    let mut degrees = vec![0; graph.num_vertices() as usize];
    all(graph).0.iter().for_each(|edge| degrees[edge[end] as usize] += 1);
    degrees
}

#[test]
fn kronecker_degrees_are_as_skewed_as_the_chances_say() {
    let (scale, factor) = (14, 16);
    let graph = Kronecker::new(scale, factor, 7, None).unwrap();
    for end in [0, 1] {
        let degrees = degrees(&graph, end);
        let largest = f64::from(*degrees.iter().max().unwrap());
        let expected = 0.76f64.powi(scale as i32) * graph.num_edges() as f64;
        assert!((largest / expected - 1.0).abs() < 0.1, "{largest} {expected}");
        let isolated = degrees.iter().filter(|degree| **degree == 0).count() as f64 / degrees.len() as f64;
        assert!((0.2..0.7).contains(&isolated), "{isolated}");
    }
}

#[test]
fn kronecker_edges_fall_into_each_quadrant_as_often_as_they_should() {
    let graph = Kronecker::new(1, 1 << 18, 3, None).unwrap();
    let mut counts = [0u32; 4];
    all(&graph).0.iter().for_each(|[source, target]| counts[(2 * source + target) as usize] += 1);
    counts.sort_unstable();
    let shares = counts.map(|count| f64::from(count) / graph.num_edges() as f64);
    for (share, expected) in shares.into_iter().zip([0.05, 0.19, 0.19, 0.57]) {
        assert!((share - expected).abs() < 0.003, "{shares:?}");
    }
}

#[test]
fn uniform_reaches_every_vertex() {
    let (edges, _) = all(&Uniform::new(20, 2000, 5, None).unwrap());
    assert_eq!(edges.into_iter().flatten().collect::<BTreeSet<_>>().len(), 20);
    assert!(all(&Uniform::new(0, 0, 5, None).unwrap()).0.is_empty());
}

#[test]
fn impossible_parameters_are_usage_errors() {
    assert!(refused(Kronecker::new(0, 16, 1, None)) && refused(Kronecker::new(32, 16, 1, None)));
    assert!(refused(Kronecker::new(4, 0, 1, None)));
    assert!(refused(Uniform::new(0, 1, 1, None)));
    assert!(refused(Grid::new(0, 1, 1, None)) && refused(Grid::new(1, 0, 1, None)));
    assert!(refused(Grid::new(1 << 32, 1 << 32, 1, None)) && refused(Grid::new(u64::MAX, 2, 1, None)));
    assert!(refused(Grid::new(2, 2, 1, Some(WeightDistribution::Integers { low: 2, high: 1 }))));
}

#[test]
#[ignore = "a measurement; run in release"]
fn rate_of_kronecker() {
    for weights in [None, BYTES] {
        let graph = Kronecker::new(22, 16, 1, weights).unwrap();
        let (mut edges, mut values) = Edges::default();
        let clock = outcrop_types::Stopwatch::start();
        for block in (0..graph.num_edges()).step_by(1 << 16) {
            edges.clear();
            values.clear();
            graph.fill(block, 1 << 16, &mut edges, &mut values);
            std::hint::black_box((&edges, &values));
        }
        println!(
            "kronecker 22, weights {weights:?}: {:.1} M edges/s",
            graph.num_edges() as f64 / clock.seconds() / 1e6
        );
    }
}
