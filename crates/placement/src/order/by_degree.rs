//! Descending degree: the most frequently read vertices are stored together.

use outcrop_types::{Permutation, VertexId};

/// Degree from which vertices are rare enough to be sorted by comparison.
const COUNTED: usize = 1 << 16;

/// Orders vertices by descending degree, ties by lower number. Takes 4 bytes per vertex in addition to the degrees.
/// Degrees are counted; only the few high ones are compared.
pub fn by_degree(degrees: &[u32]) -> Permutation {
    let class = |degree: u32| COUNTED - (degree as usize).min(COUNTED);
    let mut places = vec![0_usize; COUNTED + 1];
    degrees.iter().for_each(|degree| places[class(*degree)] += 1);
    let high = places[0];
    let mut sum = 0;
    places.iter_mut().for_each(|place| sum += std::mem::replace(place, sum));
    let mut vertices: Vec<VertexId> = vec![0; degrees.len()];
    for (vertex, degree) in (0..).zip(degrees) {
        let place = &mut places[class(*degree)];
        vertices[*place] = vertex;
        *place += 1;
    }
    vertices[..high].sort_by_key(|vertex| std::cmp::Reverse(degrees[*vertex as usize]));
    Permutation::from_order(&vertices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_degrees_come_first_and_ties_keep_their_order() {
        assert_eq!(by_degree(&[1, 5, 0, 5, 2]).as_slice(), [3, 0, 4, 1, 2]);
        assert_eq!(by_degree(&[1 << 16, 65_535, u32::MAX, 1 << 16, 1 << 17]).as_slice(), [2, 4, 0, 3, 1]);
        assert!(by_degree(&[]).is_empty());
    }
}
