//! Layouts and their settings.

use super::chunked::ChunkSettings;
use super::compact::CompactSettings;
use super::csr::CsrSettings;
use super::sliding::SlidingSettings;
use outcrop_types::Result;

/// Layout with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lists in chunks of several sizes: the default.
    Chunked(ChunkSettings),
    /// Consecutive lists, in as few bytes as their codec needs.
    Compact(CompactSettings),
    /// Consecutive lists, with four bytes per neighbor.
    Csr(CsrSettings),
    /// Arcs in blocks from one interval to another: shards.
    Sliding(SlidingSettings),
}

impl Default for Layout {
    fn default() -> Self {
        Self::Chunked(ChunkSettings::default())
    }
}

impl Layout {
    /// Returns the kind of the layout.
    pub const fn kind(&self) -> LayoutKind {
        match self {
            Self::Chunked(_) => LayoutKind::Chunked,
            Self::Compact(_) => LayoutKind::Compact,
            Self::Csr(_) => LayoutKind::Csr,
            Self::Sliding(_) => LayoutKind::Sliding,
        }
    }

    /// Rejects settings that the format does not support.
    ///
    /// # Errors
    /// Returns [`outcrop_types::Error::Usage`] with the valid values.
    pub(crate) fn validate(&self) -> Result<()> {
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
    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chunked => "chunked",
            Self::Compact => "compact",
            Self::Csr => "csr",
            Self::Sliding => "sliding",
        }
    }
}
