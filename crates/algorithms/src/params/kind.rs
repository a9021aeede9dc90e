//! Kinds of parameter values, and their syntax.

use super::arg::Arg;
use super::given::{InputVector, Personalization};
use outcrop_types::{parse_bytes, parse_fraction};
use std::fmt;
use std::path::PathBuf;

/// Range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    least: f64,
    /// True if the minimum is included.
    with_least: bool,
    most: f64,
    /// True if the maximum is included.
    with_most: bool,
}

impl Bounds {
    /// Positive finite numbers.
    pub const POSITIVE: Self = Self { least: 0.0, with_least: false, most: f64::INFINITY, with_most: false };
    /// Closed interval from 0 to 1.
    pub const UNIT: Self = Self { least: 0.0, with_least: true, most: 1.0, with_most: true };
    /// Closed interval from -1 to 1.
    pub const SIGNED_UNIT: Self = Self { least: -1.0, ..Self::UNIT };
    /// Interval from 0 (inclusive) to 1 (exclusive).
    pub const BELOW_ONE: Self = Self { with_most: false, ..Self::UNIT };
    /// Open interval from 0 to 1.
    pub const BETWEEN: Self = Self { with_least: false, ..Self::BELOW_ONE };

    /// Returns the range as an interval for help pages.
    pub fn range(self) -> String {
        let Self { least, with_least, most, with_most } = self;
        let from = if with_least { "" } else { "above " };
        match (most.is_finite(), with_most) {
            (false, _) => format!("above {least}"),
            (true, true) => format!("{from}{least} to {most}"),
            (true, false) => format!("{from}{least} to below {most}"),
        }
    }

    fn contains(self, number: f64) -> bool {
        let above = number > self.least || (self.with_least && number == self.least);
        above && (number < self.most || (self.with_most && number == self.most))
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, with_least, most, with_most } = self;
        match (most.is_finite(), with_least, with_most) {
            (false, ..) => write!(out, "a number above {least}"),
            (true, true, true) => write!(out, "a number from {least} to {most}"),
            (true, true, false) => write!(out, "a number at least {least} and below {most}"),
            (true, false, _) => write!(out, "a number above {least} and below {most}"),
        }
    }
}

/// Kind of the values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A boolean.
    Flag,
    /// An integer between two numbers, inclusive.
    Count(u64, u64),
    /// A number.
    Number(Bounds),
    /// A number or the word `auto`.
    NumberOrAuto(Bounds),
    /// Word from a fixed set.
    Word(&'static [&'static str]),
    /// Original ID of a vertex.
    Id,
    /// Original IDs of one or more vertices.
    Ids,
    /// Weights of vertices, in a file or by original ID.
    NodeWeights,
    /// Values of vertices, in a file, by original ID, or one per vertex.
    Vector,
    /// A fraction: `30%` or `0.3`.
    Share,
    /// A size in bytes: `100KiB`.
    Size,
    /// A file.
    File,
}

impl Kind {
    /// Any 32-bit integer.
    pub const ANY_COUNT: Self = Self::Count(0, u32::MAX as u64);
    /// Any positive 32-bit integer.
    pub const POSITIVE_COUNT: Self = Self::Count(1, u32::MAX as u64);
    /// Any 64-bit integer.
    pub const SEED: Self = Self::Count(0, u64::MAX);

    /// Returns the placeholder of a value on help pages.
    pub(super) const fn placeholder(self) -> &'static str {
        match self {
            Self::Flag => "",
            Self::Count(..) => "N",
            Self::Number(_) | Self::NumberOrAuto(_) => "NUMBER",
            Self::Word(_) => "WORD",
            Self::Id | Self::Ids => "ID",
            Self::NodeWeights | Self::Vector | Self::File => "FILE",
            Self::Share => "FRACTION",
            Self::Size => "SIZE",
        }
    }

    /// Returns a description of the expected values.
    pub fn expected(self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Count(0, most) if most >= u64::from(u32::MAX) => "an integer of at least 0".to_owned(),
            Self::Count(1, most) if most >= u64::from(u32::MAX) => "a positive integer".to_owned(),
            Self::Count(least, most) => format!("an integer from {least} to {most}"),
            Self::Number(bounds) => bounds.to_string(),
            Self::NumberOrAuto(bounds) => format!("{bounds}, or auto"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Id => "the ID of one vertex".to_owned(),
            Self::Ids => "vertex IDs".to_owned(),
            Self::NodeWeights => "a .csv or .tsv file with an ID and a weight per line, or weights by ID".to_owned(),
            Self::Vector => "a .npy, .parquet, .csv or .tsv file, or values".to_owned(),
            Self::Share => "a fraction such as 30% or 0.3".to_owned(),
            Self::Size => "a size such as 100KiB, or 0".to_owned(),
            Self::File => "a file".to_owned(),
        }
    }

    /// Parses `text`; returns `None` if it is invalid.
    fn parse(self, text: &str) -> Option<Arg> {
        Some(match self {
            Self::Flag => Arg::Flag(text.parse().ok()?),
            Self::Count(..) => Arg::Count(text.parse().ok()?),
            Self::NumberOrAuto(_) if text == "auto" => Arg::Auto,
            Self::Number(_) | Self::NumberOrAuto(_) => Arg::Number(text.parse().ok()?),
            Self::Word(words) => Arg::Word(words.iter().find(|word| **word == text)?),
            Self::Id | Self::Ids => Arg::Ids(vec![text.to_owned()]),
            Self::NodeWeights => Arg::NodeWeights(Personalization::File(PathBuf::from(text))),
            Self::Vector => Arg::Vector(InputVector::File(PathBuf::from(text))),
            Self::Share => Arg::Number(parse_fraction(text)?),
            Self::Size => Arg::Count(parse_bytes(text)?),
            Self::File => Arg::File(PathBuf::from(text)),
        })
    }

    /// Returns `arg` as a value of this kind, parsed if it is text; `None` if it is invalid.
    pub(super) fn admit(self, arg: Arg) -> Option<Arg> {
        let arg = match arg {
            Arg::Text(text) => self.parse(&text)?,
            arg => arg,
        };
        let admitted = match (self, &arg) {
            (Self::Flag, Arg::Flag(_))
            | (Self::NumberOrAuto(_), Arg::Auto)
            | (Self::Ids, Arg::Ids(_))
            | (Self::NodeWeights, Arg::NodeWeights(_))
            | (Self::Vector, Arg::Vector(_))
            | (Self::Size, Arg::Count(_))
            | (Self::File, Arg::File(_)) => true,
            (Self::Id, Arg::Ids(ids)) => ids.len() == 1,
            (Self::Count(least, most), Arg::Count(count)) => (least..=most).contains(count),
            (Self::Number(bounds) | Self::NumberOrAuto(bounds), Arg::Number(number)) => bounds.contains(*number),
            (Self::Share, Arg::Number(share)) => Bounds::UNIT.contains(*share),
            (Self::Word(words), Arg::Word(word)) => words.contains(word),
            _ => false,
        };
        admitted.then_some(arg)
    }
}
