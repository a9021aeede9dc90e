//! Passes over vertices.

use crate::lists::drawn_edges;
use crate::settings::{Made, Setting, VERTICES, plain};
use outcrop_types::Direction;

type Outcome = (Vec<f64>, Vec<u32>, [u64; 2]);

fn passed(on_disk: bool, threads: usize, memory: u64) -> Outcome {
    let setting = Setting::new(VERTICES, drawn_edges(VERTICES, 100_000), threads);
    let engine = setting.engine(&Made { memory, ..Made::new(VERTICES, on_disk) });
    let mut first = engine.values(|vertex| 1.0 / f64::from(vertex + 1)).unwrap();
    let mut second = engine.values(|vertex| vertex).unwrap();
    let mut sums = [0.0; 2];
    for _ in 0..2 {
        sums = engine
            .vertex_map(&mut first, &mut second, |vertex, first: &mut f64, second: &mut u32, degree| {
                assert_eq!(*second % VERTICES, vertex);
                *first *= f64::from(degree);
                *second += VERTICES;
                [*first, f64::from(degree)]
            })
            .unwrap();
    }
    (plain(first), plain(second), sums.map(f64::to_bits))
}

#[test]
fn a_pass_changes_both_vectors_and_sums_alike_everywhere() {
    let in_memory = passed(false, 1, 1 << 20);
    for (on_disk, threads, memory) in [(false, 2, 1 << 20), (true, 1, 1 << 20), (true, 2, 0), (true, 3, 64 << 20)] {
        assert!(passed(on_disk, threads, memory) == in_memory);
    }
    let (first, second, sums) = in_memory;
    let degrees = Setting::new(VERTICES, drawn_edges(VERTICES, 100_000), 1).degrees(Direction::Out).0;
    for vertex in 0..VERTICES {
        let degree = f64::from(degrees[vertex as usize]);
        assert_eq!(first[vertex as usize], 1.0 / f64::from(vertex + 1) * degree * degree);
        assert_eq!(second[vertex as usize], vertex + 2 * VERTICES);
    }
    assert_eq!(f64::from_bits(sums[1]), 100_000.0);
    assert!((f64::from_bits(sums[0]) - first.iter().sum::<f64>()).abs() < 1e-9);
}
