//! Nodes and their values.

/// A node's id as the user knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKey {
    /// A whole number.
    Integer(u64),
    /// A text.
    Text(String),
}

impl NodeKey {
    /// Bytes of its text.
    pub(super) const fn text_bytes(&self) -> usize {
        match self {
            Self::Integer(_) => 0,
            Self::Text(text) => text.len(),
        }
    }
}

/// A node's value.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeValue {
    /// The node.
    pub key: NodeKey,
    /// A finite number.
    pub value: f64,
    /// The line or row, from 1.
    pub place: u64,
}

/// Range of values of a vector: finite ones, and of these
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    /// those of at least 0.
    NotNegative,
    /// all.
    Any,
}

impl Range {
    pub(super) fn holds(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Any || value >= 0.0)
    }

    /// Noun for one of the values.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NotNegative => "weight",
            Self::Any => "value",
        }
    }

    pub(super) const fn expected(self) -> &'static str {
        match self {
            Self::NotNegative => "a finite weight of at least 0",
            Self::Any => "a finite number",
        }
    }
}
