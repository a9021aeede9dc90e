//! Descending degree: the most frequently read vertices are stored together.

use outcrop_types::{Permutation, VertexId};
use std::cmp::Reverse;

/// Degree from which vertices are rare enough to be sorted by comparison.
const COUNTED: usize = 1 << 16;

/// Orders vertices by descending degree, ties by lower number. The numbers replace the degrees. Degrees are counted;
/// only the few high ones are compared.
pub fn by_degree(mut degrees: Vec<u32>) -> Permutation {
    let class = |degree: u32| COUNTED - (degree as usize).min(COUNTED);
    let mut places: Vec<VertexId> = vec![0; COUNTED + 1];
    degrees.iter().for_each(|degree| places[class(*degree)] += 1);
    let vertices = (0..).zip(&degrees).filter(|(_, degree)| class(**degree) == 0);
    let mut high: Vec<(Reverse<u32>, VertexId)> = vertices.map(|(vertex, degree)| (Reverse(*degree), vertex)).collect();
    high.sort_unstable();
    let mut sum = 0;
    places.iter_mut().for_each(|place| sum += std::mem::replace(place, sum));
    for degree in &mut degrees {
        let place = &mut places[class(*degree)];
        *degree = *place;
        *place += 1;
    }
    for (number, (_, vertex)) in (0..).zip(high) {
        degrees[vertex as usize] = number;
    }
    Permutation::from_bijection(degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_degrees_come_first_and_ties_keep_their_order() {
        assert_eq!(by_degree(vec![1, 5, 0, 5, 2]).as_slice(), [3, 0, 4, 1, 2]);
        assert_eq!(by_degree(vec![1 << 16, 65_535, u32::MAX, 1 << 16, 1 << 17]).as_slice(), [2, 4, 0, 3, 1]);
        assert!(by_degree(Vec::new()).is_empty());
    }
}
