//! Aggregation of several changes of a vertex into one (section 4.2, table 1).

use outcrop_engine::Number;

/// Aggregation functions for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// Intersection, such as shrinking sets.
    And,
    /// Union, such as growing sets.
    Or,
    /// Sum, such as PageRank.
    Sum,
    /// Product, such as beliefs.
    Product,
    /// Minimum, such as distances.
    Min,
    /// Maximum.
    Max,
    /// Earlier change.
    First,
    /// Later change.
    Last,
    /// Custom function: the method `aggregate` of the program.
    Own,
    /// No aggregation: a value depends on all in-edges together, such as a color. Such a program cannot run
    /// incrementally.
    None,
}

impl Aggregation {
    /// Combines two changes into one. [`Aggregation::Own`] and [`Aggregation::None`], unused here, return the later
    /// one.
    #[inline]
    pub fn of<C: Number>(self, earlier: C, later: C) -> C {
        match self {
            Self::And => earlier.and(later),
            Self::Or => earlier.or(later),
            Self::Sum => earlier.sum(later),
            Self::Product => earlier.product(later),
            Self::Min => earlier.smaller(later),
            Self::Max => earlier.larger(later),
            Self::First => earlier,
            Self::Last | Self::Own | Self::None => later,
        }
    }
}
