//! Vertex IDs, edge indexes, and lossless conversions between counts and slice positions.

use serde::{Deserialize, Serialize};

/// Internal vertex ID: dense, `0..n`. Original IDs are stored separately and appear in results.
pub type VertexId = u32;

/// Position among the edges of a graph.
pub type EdgeIndex = u64;

/// Maximum number of vertices of one store: the two highest IDs are reserved as markers.
pub const MAX_VERTICES: u64 = u32::MAX as u64 - 1;

/// Maximum length of a string ID, in bytes.
pub const LONGEST_ID: usize = 1 << 16;

/// Checks that a string can be an ID, that is, that edge lists and results can contain it: UTF-8 of 1 to
/// [`LONGEST_ID`] bytes, without line breaks and NUL. Returns the reason if it cannot.
///
/// # Errors
///
/// Returns what was found and what was expected.
pub fn check_id(text: &[u8]) -> Result<(), String> {
    const SHOWN: usize = 40;
    let no_line_breaks = !text.iter().any(|byte| matches!(byte, b'\0' | b'\n' | b'\r'));
    if no_line_breaks && (1..=LONGEST_ID).contains(&text.len()) && str::from_utf8(text).is_ok() {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(text));
    let found = match text.len() {
        0 => "an empty ID".to_owned(),
        1..=SHOWN => format!("the ID {shown:?}"),
        length => format!("an ID of {length} bytes that starts with {shown:?}"),
    };
    Err(format!("found {found}, expected UTF-8 of 1 to {LONGEST_ID} bytes without line breaks and NUL"))
}

/// Direction of adjacency lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Lists contain the targets of outgoing edges.
    Out,
    /// Lists contain the sources of incoming edges.
    In,
}

impl Direction {
    /// Returns `out` or `in`, as used in file names and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
        }
    }

    /// Returns the opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
        }
    }
}

/// The vertices `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct VertexRange {
    /// First vertex of the range.
    pub start: VertexId,
    /// First vertex after the range.
    pub end: VertexId,
}

impl VertexRange {
    /// Creates the range `start..end`; empty if `end <= start`.
    pub const fn new(start: VertexId, end: VertexId) -> Self {
        Self { start, end }
    }

    /// Returns the number of vertices in the range.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Returns true if the range is empty.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns true if `vertex` is in the range.
    pub const fn contains(self, vertex: VertexId) -> bool {
        self.start <= vertex && vertex < self.end
    }

    /// Iterates over the vertices in ascending order.
    pub fn iter(self) -> std::ops::Range<VertexId> {
        self.start..self.end
    }

    /// Splits the range into ranges of `length` vertices, the last of which may be shorter.
    pub fn split(self, length: u32) -> impl Iterator<Item = Self> + Clone {
        let stretch = move |start: VertexId| Self::new(start, start.saturating_add(length).min(self.end));
        self.iter().step_by(length.max(1) as usize).map(stretch)
    }
}

/// Converts a count or ID to a slice position; lossless on the 64-bit targets that this crate requires.
#[inline]
pub const fn index_from(count: u64) -> usize {
    count as usize
}

/// Converts a slice length to a count; lossless on the 64-bit targets that this crate requires.
#[inline]
pub const fn length_from(length: usize) -> u64 {
    length as u64
}

/// Converts a number to a narrower type that is known to represent it, such as a position among vertices.
///
/// # Panics
///
/// Panics if it does not fit, which is a bug of the caller: a truncated number would yield a wrong result.
#[inline]
pub fn number_from<N>(number: impl TryInto<N>) -> N {
    number.try_into().unwrap_or_else(|_| unreachable!("a number does not fit its type"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_lines_of_text() {
        for good in ["a", " ", "\u{b}", "é", &"x".repeat(LONGEST_ID)] {
            assert_eq!(check_id(good.as_bytes()), Ok(()));
        }
        let long = "x".repeat(LONGEST_ID + 1);
        for (bad, found) in [
            (&b""[..], "an empty ID"),
            (b"a\0", r#"the ID "a\0""#),
            (b"a\nb", r#"the ID "a\nb""#),
            (b"a\rb", r#"the ID "a\rb""#),
            (b"\xff", "the ID \"\u{fffd}\""),
            (long.as_bytes(), "an ID of 65537 bytes that starts with \"xxx"),
        ] {
            let reason = check_id(bad).unwrap_err();
            assert!(reason.starts_with(&format!("found {found}")), "{reason}");
        }
    }
}
