//! Components by colors that propagate along edges.

use super::search::{BLOCK, Search};
use outcrop_types::{Result, VertexId};
use std::sync::atomic::Ordering::Relaxed;

/// Location of checkpoints.
pub(super) const COLORING: &str = "colours";

/// Odd, so that multiplication by it is invertible.
const SPREAD: u32 = 0x9e37_79b1;
/// Inverse of [`SPREAD`].
const GATHER: u32 = inverse(SPREAD);

/// Returns the inverse of an odd 32-bit number, by Newton's method.
const fn inverse(odd: u32) -> u32 {
    let (mut inverse, mut step) = (odd, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// Returns the color of `vertex`: it differs in each `turn`, and is unique within a turn.
const fn color_of(vertex: VertexId, turn: u32) -> u32 {
    (vertex ^ turn.wrapping_mul(SPREAD)).wrapping_mul(SPREAD).reverse_bits().wrapping_mul(SPREAD)
}

/// Returns the vertex of a color.
const fn origin_of(color: u32, turn: u32) -> VertexId {
    color.wrapping_mul(GATHER).reverse_bits().wrapping_mul(GATHER) ^ turn.wrapping_mul(SPREAD)
}

impl Search<'_, '_> {
    /// Finds all remaining components; returns the number of iterations.
    pub(super) fn color(&mut self) -> Result<u32> {
        // The vertices reached from the largest component, and the others, are two regions; no component spans both.
        self.each_left(|search, vertex| {
            search.in_left[vertex as usize].store(u32::from(search.reached.contains(vertex)), Relaxed);
        });
        let (mut iterations, mut turn) = (0, 0);
        while self.is_unfinished() {
            self.engine.checkpoint(COLORING, |state| {
                state.number(&mut iterations)?;
                state.number(&mut turn)?;
                state.shared(&self.component)?;
                state.shared(&self.in_left)
            })?;
            self.color_once(turn)?;
            iterations = self.engine.end_iteration(None);
            turn += 1;
        }
        Ok(iterations)
    }

    fn each_left(&self, apply: impl Fn(&Self, VertexId) + Sync) {
        self.of_blocks(|left| left.for_each(|vertex| apply(self, vertex)));
    }

    fn color_at(&self, vertex: VertexId) -> u32 {
        self.out_left[vertex as usize].load(Relaxed)
    }

    fn same_region(&self, one: VertexId, other: VertexId) -> bool {
        let region = |vertex: VertexId| self.in_left[vertex as usize].load(Relaxed);
        self.is_left(other) && region(one) == region(other)
    }

    /// Finds the components of the vertices that keep their own color.
    fn color_once(&mut self, turn: u32) -> Result<()> {
        self.each_left(|search, vertex| search.out_left[vertex as usize].store(color_of(vertex, turn), Relaxed));
        let everything = self.left_that(|_, _| true)?;
        self.spread(self.out, everything, |search, source, target| {
            let color = search.color_at(source);
            search.same_region(source, target)
                && color < search.color_at(target)
                && color < search.out_left[target as usize].fetch_min(color, Relaxed)
        })?;
        let origins = self.left_that(|search, vertex| search.color_at(vertex) == color_of(vertex, turn))?;
        self.engine.vertex_map(&origins, |vertex| _ = self.reaching.insert(vertex));
        self.spread(self.into, origins, |search, target, source| {
            search.same_region(target, source)
                && search.color_at(source) == search.color_at(target)
                && search.reaching.insert(source)
        })?;
        self.name_components(turn);
        self.each_left(|search, vertex| search.in_left[vertex as usize].store(search.color_at(vertex), Relaxed));
        self.reaching.clear();
        Ok(())
    }

    /// Names the found components by their smallest ranks, which are collected at the origins of their colors.
    fn name_components(&self, turn: u32) {
        let blocks = |apply: &(dyn Fn(VertexId, VertexId) + Sync)| {
            self.engine.workers().map_blocks(self.engine.vertices(), BLOCK, |block| {
                let found = self.reaching.iter_range(block);
                found.for_each(|vertex| apply(vertex, origin_of(self.color_at(vertex), turn)));
            });
        };
        blocks(&|vertex, origin| _ = self.component[origin as usize].fetch_min(self.ranks.of(vertex), Relaxed));
        blocks(&|vertex, origin| {
            let name = self.component[origin as usize].load(Relaxed);
            self.component[vertex as usize].store(name, Relaxed);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_lead_back_to_where_they_came_from() {
        for turn in [0, 1, 2, 77] {
            for vertex in [0, 1, 2, 3, 1000, u32::MAX - 2] {
                assert_eq!(origin_of(color_of(vertex, turn), turn), vertex);
            }
        }
    }
}
