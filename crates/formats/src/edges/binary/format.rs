//! Layout of the binary edge file: see `docs/format/edges.md`.

use crate::edges::format::BINARY;
use outcrop_types::{Error, Location, Result, WeightType, index_from};
use std::path::Path;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Size of the header, in bytes.
pub(crate) const HEADER_BYTES: usize = 4096;

/// Number of edges per block, except the last.
pub(crate) const BLOCK_EDGES: usize = 1 << 16;

/// Newest version, written if weights have double precision.
const VERSION: u32 = 2;
const CHECKED: usize = 32;

/// Width of an id, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdWidth {
    /// Ids below 2^32.
    Four,
    /// Any id.
    Eight,
}

impl IdWidth {
    /// Returns the narrowest width for IDs below `num_vertices`.
    pub(crate) const fn for_vertices(num_vertices: Option<u64>) -> Self {
        match num_vertices {
            Some(count) if count <= 1 << 32 => Self::Four,
            _ => Self::Eight,
        }
    }

    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// Header of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BinaryHeader {
    /// Precision of the weights; `None` if edges have no weights.
    pub(crate) weights: Option<WeightType>,
    pub(crate) width: IdWidth,
    pub(crate) num_vertices: Option<u64>,
    pub(crate) num_edges: u64,
}

impl BinaryHeader {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = BINARY.to_vec();
        let (version, weights): (u32, u8) = match self.weights {
            None => (1, 0),
            Some(WeightType::F64) => (VERSION, 2),
            Some(_) => (1, 1),
        };
        bytes.extend(version.to_le_bytes());
        bytes.extend([weights, if self.width == IdWidth::Four { 4 } else { 8 }, 0, 0]);
        // Default: the header's value for an unknown number of vertices.
        bytes.extend(self.num_vertices.unwrap_or(u64::MAX).to_le_bytes());
        bytes.extend(self.num_edges.to_le_bytes());
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes.resize(HEADER_BYTES, 0);
        bytes
    }

    /// Reads and checks a header.
    pub(crate) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        let damaged = |what: &str| bad_file(path, format!("its header {what}"));
        let checked = bytes.get(..CHECKED).ok_or_else(|| damaged("is truncated"))?;
        let field = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map(|raw| u64::from_le_bytes(*raw));
        let (Some(num_vertices), Some(num_edges), Some(sum)) = (field(16), field(24), field(32)) else {
            return Err(damaged("is truncated"));
        };
        if !checked.starts_with(BINARY) || sum != xxh3_64(checked) {
            return Err(damaged("fails its checksum"));
        }
        let found = checked[8..].first_chunk().map_or(0, |raw| u32::from_le_bytes(*raw));
        if !(1..=VERSION).contains(&found) {
            return Err(Error::FormatVersion { path: path.to_owned(), found, supported: VERSION });
        }
        let foreign = || damaged("has unknown flags");
        let width = match (checked[13], checked[14..16] == [0, 0]) {
            (4, true) => IdWidth::Four,
            (8, true) => IdWidth::Eight,
            _ => return Err(foreign()),
        };
        let weights = match (found, checked[12]) {
            (1, 0) => None,
            (1, 1) => Some(WeightType::F32),
            (VERSION, 2) => Some(WeightType::F64),
            _ => return Err(foreign()),
        };
        if bytes.len() != HEADER_BYTES || bytes[CHECKED + 8..].iter().any(|byte| *byte != 0) {
            return Err(damaged("is truncated or has bytes in place of zeros"));
        }
        let num_vertices = (num_vertices != u64::MAX).then_some(num_vertices);
        Ok(Self { weights, width, num_vertices, num_edges })
    }

    /// Returns the number of bytes of a block of `edges` edges without its checksum.
    pub(crate) const fn block_bytes(&self, edges: usize) -> usize {
        edges * (2 * self.width.bytes() + index_from(WeightType::bytes_of(self.weights)))
    }

    /// Returns the number of bytes of the whole file; `None` if it exceeds the possible length of a file.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        let blocks = self.num_edges.div_ceil(BLOCK_EDGES as u64);
        let content = self.num_edges.checked_mul(self.block_bytes(1) as u64)?;
        content.checked_add(blocks.checked_mul(8)?)?.checked_add(HEADER_BYTES as u64)
    }
}

/// Returns the error for a damaged edge file; a build treats it like any other invalid input.
pub(super) fn bad_file(path: &Path, message: impl Into<String>) -> Error {
    Error::bad_input(Location::file(path.display().to_string()), message)
}

/// Returns the checksum of a block's content.
pub(crate) fn block_checksum(number: u64, content: &[u8]) -> u64 {
    xxh3_64_with_seed(content, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_every_changed_byte_is_noticed() {
        let path = Path::new("x.bin");
        let header =
            |weights| BinaryHeader { weights, width: IdWidth::Four, num_vertices: Some(7), num_edges: 1 << 40 };
        for weights in [None, Some(WeightType::F32), Some(WeightType::F64)] {
            let again = BinaryHeader::from_bytes(&header(weights).to_bytes(), path).unwrap();
            assert_eq!(again, header(weights));
        }
        let bytes = header(Some(WeightType::F64)).to_bytes();
        for position in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1;
            assert!(BinaryHeader::from_bytes(&damaged, path).is_err(), "byte {position}");
            assert!(BinaryHeader::from_bytes(&bytes[..position], path).is_err(), "cut at {position}");
        }
    }
}
