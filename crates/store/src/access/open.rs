//! The lists that a run has open.

use super::adjacency::Adjacency;
use super::statistics::AccessFigures;
use outcrop_types::{Direction, Error, Result};

/// Out-lists and in-lists, where they are open; of an undirected graph they are the same.
#[derive(Clone, Copy)]
pub struct OpenLists<'g> {
    out: Option<&'g dyn Adjacency>,
    into: Option<&'g dyn Adjacency>,
}

impl<'g> OpenLists<'g> {
    /// The out-lists and the in-lists.
    pub const fn new(out: Option<&'g dyn Adjacency>, into: Option<&'g dyn Adjacency>) -> Self {
        Self { out, into }
    }

    /// The lists of `direction`.
    pub const fn of(&self, direction: Direction) -> Option<&'g dyn Adjacency> {
        match direction {
            Direction::Out => self.out,
            Direction::In => self.into,
        }
    }

    /// The lists of `direction`, which are needed.
    ///
    /// # Errors
    /// [`Error::Internal`] where they are not open.
    pub fn require(&self, direction: Direction) -> Result<&'g dyn Adjacency> {
        self.of(direction).ok_or_else(|| Error::internal(format!("the {}-lists are not open", direction.name())))
    }

    /// True if out- and in-lists are the same.
    pub fn undirected(&self) -> bool {
        matches!((self.out, self.into), (Some(out), Some(into)) if are_same(out, into))
    }

    /// Entries of all lists of a direction.
    pub fn arcs(&self) -> u64 {
        self.out.or(self.into).map_or(0, Adjacency::num_arcs)
    }

    /// Counts of all reads so far.
    pub fn figures(&self) -> AccessFigures {
        // Default: a direction without lists is not read.
        let of = |lists: Option<&dyn Adjacency>| lists.map(|lists| lists.statistics().figures()).unwrap_or_default();
        if self.undirected() { of(self.out) } else { of(self.out) + of(self.into) }
    }
}

/// True if both are the same lists.
pub fn are_same(out: &dyn Adjacency, into: &dyn Adjacency) -> bool {
    std::ptr::addr_eq(out, into)
}
