//! Lists without their repeats.

use outcrop_store::access::Neighbours;
use outcrop_types::VertexId;

/// Tells repeats in the pieces of a list, whose neighbours ascend.
pub(super) struct Distinct(Option<VertexId>);

impl Distinct {
    /// Nothing has come yet.
    pub(super) const NONE: Self = Self(None);

    /// Calls `take` with each neighbour of the next piece that has not come before.
    #[inline]
    pub(super) fn each(&mut self, piece: Neighbours<'_>, mut take: impl FnMut(VertexId)) {
        for neighbour in piece.ids() {
            if self.0.replace(*neighbour) != Some(*neighbour) {
                take(*neighbour);
            }
        }
    }
}
