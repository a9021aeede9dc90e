//! Settings of the `compact` layout.

use crate::codec::Codec;
use outcrop_types::{Error, Result};

/// Settings of the `compact` layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactSettings {
    /// Encoding of neighbors: any codec except [`Codec::Raw32`], whose IDs are read in place and would need alignment.
    pub codec: Codec,
}

impl Default for CompactSettings {
    fn default() -> Self {
        Self { codec: Codec::Runs }
    }
}

impl CompactSettings {
    /// Rejects settings that the format does not support.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with the supported values.
    pub fn validate(&self) -> Result<()> {
        match self.codec {
            Codec::Packed | Codec::Runs | Codec::Alternating => Ok(()),
            Codec::Raw32 => Err(Error::Usage(
                "the compact layout does not support --codec raw32; use packed or alternating".to_owned(),
            )),
        }
    }
}

/// Location of the index while lists are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexResidence {
    /// Index in memory: 4.25 bytes per vertex.
    #[default]
    Resident,
    /// Index on disk. Each select and sweep reads it window by window, 4.25 bytes per vertex; the cost of a select is
    /// then an estimate.
    Streamed {
        /// Minimum number of vertices per window, rounded up to a multiple of 4096.
        window: u32,
    },
}

impl IndexResidence {
    /// Streamed in windows of 2^17 vertices, which take half a megabyte.
    pub const STREAMED: Self = Self::Streamed { window: 1 << 17 };
}
