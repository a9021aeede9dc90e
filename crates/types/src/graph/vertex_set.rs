//! Vertex set with a representation that depends on its size.

use crate::{BitSet, VertexId, VertexRange};

/// A set of vertices: a sorted list if small, otherwise one bit per vertex (Ligra's `vertexSubset`).
///
/// Neither form takes more than one bit per vertex of the graph: see [`VertexSet::sparse_limit`].
#[derive(Debug)]
pub enum VertexSet {
    /// Distinct vertices in ascending order.
    Sparse {
        /// Members.
        members: Vec<VertexId>,
        /// Number of vertices of the graph.
        universe: u32,
    },
    /// Bit set with one bit per vertex.
    Dense {
        /// Members.
        bits: BitSet,
        /// Number of members.
        count: u32,
    },
}

impl VertexSet {
    /// Creates the empty set for a graph with `universe` vertices.
    pub const fn empty(universe: u32) -> Self {
        Self::Sparse { members: Vec::new(), universe }
    }

    /// Creates the set of all vertices of a graph with `universe` vertices.
    pub fn all(universe: u32) -> Self {
        Self::Dense { bits: BitSet::full(universe), count: universe }
    }

    /// Creates a set of the given vertices, in any order and with duplicates; they must be vertices of the graph.
    pub fn from_members(mut members: Vec<VertexId>, universe: u32) -> Self {
        members.sort_unstable();
        members.dedup();
        debug_assert!(members.last().is_none_or(|last| *last < universe));
        if members.len() <= Self::sparse_limit(universe) {
            return Self::Sparse { members, universe };
        }
        let bits = BitSet::empty(universe);
        members.iter().for_each(|member| _ = bits.insert(*member));
        Self::from_bits(bits)
    }

    /// Creates a set of the members of `bits`, as a list if they are few.
    pub fn from_bits(bits: BitSet) -> Self {
        let count = bits.count();
        if count as usize <= Self::sparse_limit(bits.universe()) {
            return Self::Sparse { members: bits.iter().collect(), universe: bits.universe() };
        }
        Self::Dense { bits, count }
    }

    /// Returns the maximum length of a list that needs no more memory than one bit per vertex (but at least 64
    /// vertices, so that a source always fits).
    pub const fn sparse_limit(universe: u32) -> usize {
        let limit = universe as usize / 32;
        if limit < 64 { 64 } else { limit }
    }

    /// Returns the maximum memory of a set of a graph with `universe` vertices, in bytes.
    pub const fn bytes(universe: u32) -> u64 {
        let list = Self::sparse_limit(universe) as u64 * 4;
        let bits = BitSet::bytes(universe);
        if list > bits { list } else { bits }
    }

    /// Returns the number of vertices in the set.
    pub const fn len(&self) -> usize {
        match self {
            Self::Sparse { members, .. } => members.len(),
            Self::Dense { count, .. } => *count as usize,
        }
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of vertices of the graph.
    pub const fn universe(&self) -> u32 {
        match self {
            Self::Sparse { universe, .. } => *universe,
            Self::Dense { bits, .. } => bits.universe(),
        }
    }

    /// Returns true if `vertex` is in the set; takes logarithmic time in a list, constant time in bits.
    #[inline]
    pub fn contains(&self, vertex: VertexId) -> bool {
        match self {
            Self::Sparse { members, .. } => members.binary_search(&vertex).is_ok(),
            Self::Dense { bits, .. } => bits.contains(vertex),
        }
    }

    /// Calls `visit` with the members in ascending order.
    pub fn for_each(&self, visit: impl FnMut(VertexId)) {
        match self {
            Self::Sparse { members, .. } => members.iter().copied().for_each(visit),
            Self::Dense { bits, .. } => bits.iter().for_each(visit),
        }
    }

    /// Returns the number of positions for [`VertexSet::for_each_in`]: members of a list, or vertices of a bit set.
    pub const fn positions(&self) -> u32 {
        match self {
            Self::Sparse { members, .. } => members.len() as u32,
            Self::Dense { bits, .. } => bits.universe(),
        }
    }

    /// Calls `visit` with the members at `positions`, in ascending order: splits a set among workers without copying
    /// it.
    pub fn for_each_in(&self, positions: VertexRange, visit: impl FnMut(VertexId)) {
        match self {
            Self::Sparse { members, .. } => {
                members[positions.start as usize..positions.end as usize].iter().copied().for_each(visit);
            }
            Self::Dense { bits, .. } => bits.iter_range(positions).for_each(visit),
        }
    }

    /// Returns the positions of the members in `range`.
    pub fn positions_in(&self, range: VertexRange) -> VertexRange {
        match self {
            Self::Sparse { members, .. } => {
                let before = |end: VertexId| members.partition_point(|member| *member < end) as u32;
                VertexRange::new(before(range.start), before(range.end))
            }
            Self::Dense { .. } => range,
        }
    }

    /// Returns the members less than `end`, as a set of a graph with `end` vertices.
    #[must_use]
    pub fn below(&self, end: u32) -> Self {
        match self {
            Self::Sparse { members, .. } => {
                let first = members.partition_point(|member| *member < end);
                Self::from_members(members[..first].to_vec(), end)
            }
            Self::Dense { bits, .. } => Self::from_bits(bits.below(end)),
        }
    }

    /// Returns the union of two sets of one graph.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let (bits, rest) = match (self, other) {
            (Self::Dense { bits, .. }, rest) | (rest, Self::Dense { bits, .. }) => (bits, rest),
            (Self::Sparse { mut members, universe }, Self::Sparse { members: more, .. }) => {
                members.extend(more);
                return Self::from_members(members, universe);
            }
        };
        rest.for_each(|member| _ = bits.insert(member));
        Self::from_bits(bits)
    }

    /// Returns the members as bits, without copying a bit set.
    pub fn into_bits(self) -> BitSet {
        match self {
            Self::Dense { bits, .. } => bits,
            sparse @ Self::Sparse { .. } => sparse.to_bits(),
        }
    }

    /// Returns a copy of the members as bits.
    pub fn to_bits(&self) -> BitSet {
        match self {
            Self::Dense { bits, .. } => bits.copy(),
            Self::Sparse { members, universe } => {
                let bits = BitSet::empty(*universe);
                members.iter().for_each(|vertex| _ = bits.insert(*vertex));
                bits
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn both_forms_hold_the_same_vertices(members in proptest::collection::vec(0u32..4000, 0..300), cut in 0u32..300) {
            let model: BTreeSet<u32> = members.iter().copied().collect();
            let set = VertexSet::from_members(members, 4000);
            prop_assert_eq!(set.len(), model.len());
            prop_assert!((0..4000).all(|v| set.contains(v) == model.contains(&v)));
            prop_assert!(set.to_bits().iter().eq(model.iter().copied()));
            let cut = cut.min(set.positions());
            let mut seen = Vec::new();
            set.for_each_in(VertexRange::new(0, cut), |v| seen.push(v));
            set.for_each_in(VertexRange::new(cut, set.positions()), |v| seen.push(v));
            prop_assert!(seen.into_iter().eq(model));
        }
    }

    #[test]
    fn a_union_holds_the_members_of_both() {
        let by = |step: usize| VertexSet::from_members((0..5000).step_by(step).collect(), 5000);
        for (one, other) in [(2, 3), (2, 700), (700, 2), (700, 900), (5001, 900)] {
            let union = by(one).union(by(other));
            let holds = |v: u32| (v as usize).is_multiple_of(one) || (v as usize).is_multiple_of(other);
            assert!((0..5000).all(|v| union.contains(v) == holds(v)));
            assert_eq!(union.len(), (0..5000).filter(|v| holds(*v)).count());
        }
    }

    #[test]
    fn no_set_takes_more_than_promised() {
        for universe in [0u32, 1, 100, 5000, 1 << 20] {
            let limit = VertexSet::sparse_limit(universe) as u64;
            assert!(limit * 4 <= VertexSet::bytes(universe) && BitSet::bytes(universe) <= VertexSet::bytes(universe));
        }
    }
}
