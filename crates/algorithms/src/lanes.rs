//! Sums over pieces of lists, in lanes that do not wait for each other.

use outcrop_types::VertexId;

const LANES: usize = 8;

/// The sum of the values of `vertices`, each times its weight where there are weights; the same pieces give the same sum, to the last
/// bit.
#[inline]
pub(crate) fn sum(vertices: &[VertexId], weights: Option<&[f32]>, value: impl Fn(VertexId) -> f64) -> f64 {
    match weights {
        None => unweighted(vertices, value),
        Some(weights) => weighted(vertices, weights, value),
    }
}

#[inline]
fn unweighted(vertices: &[VertexId], value: impl Fn(VertexId) -> f64) -> f64 {
    let (blocks, rest) = vertices.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for block in blocks {
        for (lane, vertex) in lanes.iter_mut().zip(block) {
            *lane += value(*vertex);
        }
    }
    total(lanes) + rest.iter().map(|vertex| value(*vertex)).sum::<f64>()
}

#[inline]
fn weighted(vertices: &[VertexId], weights: &[f32], value: impl Fn(VertexId) -> f64) -> f64 {
    let term = |(vertex, weight): (&VertexId, &f32)| f64::from(*weight) * value(*vertex);
    let (blocks, rest) = vertices.as_chunks::<LANES>();
    let (blocks_of_weights, rest_of_weights) = weights.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (block, weights) in blocks.iter().zip(blocks_of_weights) {
        for (lane, pair) in lanes.iter_mut().zip(block.iter().zip(weights)) {
            *lane += term(pair);
        }
    }
    total(lanes) + rest.iter().zip(rest_of_weights).map(term).sum::<f64>()
}

const fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_counts_once_whatever_the_length() {
        for length in 0..40 {
            let vertices: Vec<u32> = (0..length).collect();
            let weights: Vec<f32> = vertices.iter().map(|vertex| *vertex as f32 - 3.0).collect();
            let squares: i64 = (0..i64::from(length)).map(|n| n * n).sum();
            let numbers: i64 = (0..i64::from(length)).sum();
            assert_eq!(sum(&vertices, None, f64::from), numbers as f64);
            assert_eq!(sum(&vertices, Some(&weights), f64::from), (squares - 3 * numbers) as f64);
        }
    }
}
