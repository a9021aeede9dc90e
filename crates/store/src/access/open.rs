//! Open lists of a run.

use super::adjacency::Adjacency;
use super::statistics::AccessFigures;
use outcrop_types::{Direction, Error, Result};

/// Open out-lists and in-lists, which are the same for an undirected graph.
#[derive(Clone, Copy)]
pub struct OpenLists<'g> {
    out: Option<&'g dyn Adjacency>,
    into: Option<&'g dyn Adjacency>,
}

impl<'g> OpenLists<'g> {
    /// Creates the pair of out-lists and in-lists.
    pub const fn new(out: Option<&'g dyn Adjacency>, into: Option<&'g dyn Adjacency>) -> Self {
        Self { out, into }
    }

    /// Returns the lists of `direction`.
    pub const fn of(&self, direction: Direction) -> Option<&'g dyn Adjacency> {
        match direction {
            Direction::Out => self.out,
            Direction::In => self.into,
        }
    }

    /// Returns the lists of `direction`, which must be open.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if they are not open.
    pub fn require(&self, direction: Direction) -> Result<&'g dyn Adjacency> {
        self.of(direction).ok_or_else(|| Error::internal(format!("the {}-lists are not open", direction.name())))
    }

    /// Returns true if out-lists and in-lists are the same.
    pub fn undirected(&self) -> bool {
        matches!((self.out, self.into), (Some(out), Some(into)) if are_same(out, into))
    }

    /// Returns the number of list entries of one direction.
    pub fn arcs(&self) -> u64 {
        self.out.or(self.into).map_or(0, Adjacency::num_arcs)
    }

    /// Returns the read counters of both directions.
    pub fn figures(&self) -> AccessFigures {
        // Default: a direction without lists is not read.
        let of = |lists: Option<&dyn Adjacency>| lists.map(|lists| lists.statistics().figures()).unwrap_or_default();
        if self.undirected() { of(self.out) } else { of(self.out) + of(self.into) }
    }
}

/// Returns true if both are the same lists.
pub fn are_same(out: &dyn Adjacency, into: &dyn Adjacency) -> bool {
    std::ptr::addr_eq(out, into)
}
