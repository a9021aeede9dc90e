//! Permutation of the vertices.

use crate::VertexId;

/// Bijection of `0..n` from old to new numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation(Vec<VertexId>);

impl Permutation {
    /// Creates a permutation from `new_of[old]`; returns `None` if it is not a bijection of `0..new_of.len()`.
    pub fn from_new_ids(new_of: Vec<VertexId>) -> Option<Self> {
        let seen = crate::BitSet::empty(u32::try_from(new_of.len()).ok()?);
        let bijective = new_of.iter().all(|new| (*new as usize) < new_of.len() && seen.insert(*new));
        bijective.then_some(Self(new_of))
    }

    /// Creates a permutation from `new_of[old]`, which is a bijection of `0..new_of.len()`.
    pub const fn from_bijection(new_of: Vec<VertexId>) -> Self {
        Self(new_of)
    }

    /// Numbers vertices by their positions in `order`, which lists all vertices; missing vertices get number 0.
    pub fn from_order(order: &[VertexId]) -> Self {
        let mut new_of = vec![0; order.len()];
        for (new, old) in (0..).zip(order) {
            if let Some(place) = new_of.get_mut(*old as usize) {
                *place = new;
            }
        }
        Self(new_of)
    }

    /// Returns the new number of `old`.
    #[inline]
    pub fn apply(&self, old: VertexId) -> VertexId {
        self.0[old as usize]
    }

    /// Returns the new numbers, by old number.
    pub fn as_slice(&self) -> &[VertexId] {
        &self.0
    }

    /// Returns the number of vertices.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no vertices.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the inverse: old numbers by new number.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self::from_order(&self.0)
    }

    /// Fills `into` with the inverse, from new number `first` on.
    pub fn invert_from(&self, first: VertexId, into: &mut [VertexId]) {
        for (old, new) in (0..).zip(&self.0) {
            if let Some(slot) = new.checked_sub(first).and_then(|place| into.get_mut(place as usize)) {
                *slot = old;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bijections_are_taken_and_the_inverse_leads_back() {
        assert!(Permutation::from_new_ids(vec![0, 0]).is_none());
        assert!(Permutation::from_new_ids(vec![2, 0]).is_none());
        let there = Permutation::from_new_ids(vec![2, 0, 1]).unwrap();
        let back = there.inverse();
        assert!((0..3).all(|v| back.apply(there.apply(v)) == v));
        let mut part = [9; 2];
        there.invert_from(1, &mut part);
        assert_eq!(part, back.as_slice()[1..]);
    }
}
