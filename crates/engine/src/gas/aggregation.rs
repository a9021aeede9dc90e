//! Aggregation of several changes of a vertex into one (section 4.2, table 1).

use crate::messages::Plain;

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
    /// As the program's `aggregate` says.
    Own,
    /// There is none: a value depends on all in-edges together, such as a colour. Such a program cannot go by increments.
    None,
}

/// Value that can be aggregated.
pub trait Amount: Plain {
    /// Bits of both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Bits of either.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The sum.
    #[must_use]
    fn sum(self, other: Self) -> Self;
    /// The product.
    #[must_use]
    fn product(self, other: Self) -> Self;
    /// The smaller one.
    #[must_use]
    fn smaller(self, other: Self) -> Self;
    /// The larger one.
    #[must_use]
    fn larger(self, other: Self) -> Self;
}

macro_rules! amount {
    ($kind:ty, $bits:expr, $number:expr, $sum:expr, $product:expr) => {
        impl Amount for $kind {
            fn and(self, other: Self) -> Self {
                $number($bits(self) & $bits(other))
            }
            fn or(self, other: Self) -> Self {
                $number($bits(self) | $bits(other))
            }
            fn sum(self, other: Self) -> Self {
                $sum(self, other)
            }
            fn product(self, other: Self) -> Self {
                $product(self, other)
            }
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    };
}

amount!(u32, std::convert::identity, std::convert::identity, u32::wrapping_add, u32::wrapping_mul);
amount!(u64, std::convert::identity, std::convert::identity, u64::wrapping_add, u64::wrapping_mul);
amount!(i64, std::convert::identity, std::convert::identity, i64::wrapping_add, i64::wrapping_mul);
amount!(f32, f32::to_bits, f32::from_bits, |one: f32, other| one + other, |one: f32, other| one * other);
amount!(f64, f64::to_bits, f64::from_bits, |one: f64, other| one + other, |one: f64, other| one * other);

impl Aggregation {
    /// One change for two. Of [`Aggregation::Own`] and [`Aggregation::None`] the later one, which no engine asks for.
    #[inline]
    pub fn of<C: Amount>(self, earlier: C, later: C) -> C {
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
