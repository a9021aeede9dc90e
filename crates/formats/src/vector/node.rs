//! Nodes and their values.

/// Original ID of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKey {
    /// An integer.
    Integer(u64),
    /// A string.
    Text(String),
}

impl NodeKey {
    /// Returns the number of bytes of its text.
    pub(super) const fn text_bytes(&self) -> usize {
        match self {
            Self::Integer(_) => 0,
            Self::Text(text) => text.len(),
        }
    }
}

/// Node with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeValue {
    /// The node.
    pub key: NodeKey,
    /// Value, a finite number.
    pub value: f64,
    /// Line or row number, starting at 1.
    pub place: u64,
}

/// Permitted range of the finite values of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    /// Values of at least 0.
    NotNegative,
    /// Any finite value.
    Any,
}

impl Range {
    pub(super) fn holds(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Any || value >= 0.0)
    }

    /// Returns a noun for one of the values.
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
