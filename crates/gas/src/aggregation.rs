//! Aggregation of several changes of a vertex into one (section 4.2, table 1).

use outcrop_engine::Number;

/// The functions that a program can choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// Both: such as sets that become smaller.
    And,
    /// Either: such as sets that become larger.
    Or,
    /// Their sum, such as PageRank.
    Sum,
    /// Their product, such as beliefs.
    Product,
    /// The smaller one, such as distances.
    Min,
    /// The larger one.
    Max,
    /// The earlier one.
    First,
    /// The later one.
    Last,
    /// Custom function: the method `aggregate` of the program.
    Own,
    /// There is none: a value depends on all in-edges together, such as a color. Such a program cannot go by
    /// increments.
    None,
}

impl Aggregation {
    /// Combines two changes into one. [`Aggregation::Own`] and [`Aggregation::None`], unused here, give the later one.
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
