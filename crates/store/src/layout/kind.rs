//! Layouts, with what can be chosen about each.

use super::chunked::ChunkSettings;
use super::compact::CompactSettings;
use super::csr::CsrSettings;
use super::sliding::SlidingSettings;
use outcrop_types::Result;

/// A layout, with what can be chosen about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lists in chunks of several sizes: the default.
    Chunked(ChunkSettings),
    /// Lists one after the other, in as few bytes as their codec needs.
    Compact(CompactSettings),
    /// Lists one after the other, four bytes a neighbor.
    Csr(CsrSettings),
    /// Arcs in blocks from an interval to another: shards.
    Sliding(SlidingSettings),
}

impl Default for Layout {
    fn default() -> Self {
        Self::Chunked(ChunkSettings::default())
    }
}

impl Layout {
    /// Kind of the layout.
    pub const fn kind(&self) -> LayoutKind {
        match self {
            Self::Chunked(_) => LayoutKind::Chunked,
            Self::Compact(_) => LayoutKind::Compact,
            Self::Csr(_) => LayoutKind::Csr,
            Self::Sliding(_) => LayoutKind::Sliding,
        }
    }

    /// Refuses settings that the format cannot hold.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Usage`] with what was expected.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Chunked(settings) => settings.validate(),
            Self::Compact(settings) => settings.validate(),
            Self::Csr(settings) => settings.validate(),
            Self::Sliding(settings) => settings.validate(),
        }
    }
}

/// Kind of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutKind {
    /// [`super::chunked`].
    Chunked,
    /// [`super::compact`].
    Compact,
    /// [`super::csr`].
    Csr,
    /// [`super::sliding`].
    Sliding,
}

impl LayoutKind {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chunked => "chunked",
            Self::Compact => "compact",
            Self::Csr => "csr",
            Self::Sliding => "sliding",
        }
    }
}
