//! Unrolled sums over pieces of lists, in independent lanes.

use outcrop_types::VertexId;

/// Returns the sum of `term` of each position and vertex of a piece of a list; bitwise reproducible for the same piece.
#[inline]
pub fn unrolled_sum(ids: &[VertexId], term: impl Fn(usize, VertexId) -> f64) -> f64 {
    const LANES: usize = 8;
    let (blocks, rest) = ids.as_chunks::<LANES>();
    // Most pieces are short.
    if blocks.is_empty() {
        return rest.iter().enumerate().map(|(position, id)| term(position, *id)).sum();
    }
    let mut lanes = [0.0; LANES];
    for (number, block) in blocks.iter().enumerate() {
        for (lane, (sum, id)) in lanes.iter_mut().zip(block).enumerate() {
            *sum += term(number * LANES + lane, *id);
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let begin = blocks.len() * LANES;
    let tail: f64 = rest.iter().enumerate().map(|(position, id)| term(begin + position, *id)).sum();
    ((a + b) + (c + d)) + ((e + f) + (g + h)) + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_counts_once_whatever_the_length() {
        for length in 0..40 {
            let vertices: Vec<u32> = (0..length).collect();
            let weights: Vec<f64> = vertices.iter().map(|vertex| *vertex as f64 - 3.0).collect();
            let squares: i64 = (0..i64::from(length)).map(|n| n * n).sum();
            let numbers: i64 = (0..i64::from(length)).sum();
            assert_eq!(unrolled_sum(&vertices, |_, vertex| f64::from(vertex)), numbers as f64);
            let weighted = |place: usize, vertex| weights[place] * f64::from(vertex);
            assert_eq!(unrolled_sum(&vertices, weighted), (squares - 3 * numbers) as f64);
        }
    }
}
