//! Descending degree: the vertices that are read most often lie together.

use outcrop_types::{Permutation, VertexId};

/// Puts vertices of high degree first; of equal degrees, the one with the lower number. 4 bytes a vertex beside the degrees.
pub fn by_degree(degrees: &[u32]) -> Permutation {
    let mut vertices: Vec<VertexId> = (0..).take(degrees.len()).collect();
    vertices.sort_unstable_by_key(|vertex| (std::cmp::Reverse(degrees[*vertex as usize]), *vertex));
    Permutation::from_order(&vertices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_degrees_come_first_and_ties_keep_their_order() {
        assert_eq!(by_degree(&[1, 5, 0, 5, 2]).as_slice(), [3, 0, 4, 1, 2]);
        assert!(by_degree(&[]).is_empty());
    }
}
