//! Requests for ranges of a file.

use std::ops::Range;

use outcrop_types::index_from;

/// Maximum size of a request, in bytes.
pub(super) const PIECE_BYTES: u64 = 128 << 10;

/// Request, and the part of it that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Start of the read.
    pub offset: u64,
    /// Length of the read.
    pub length: u64,
    /// Needed range of the file.
    pub wanted: Range<u64>,
}

impl Piece {
    /// Returns the needed part of the bytes read.
    pub(crate) fn wanted<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let place = |at: u64| index_from(at.saturating_sub(self.offset));
        &bytes[place(self.wanted.start)..place(self.wanted.end)]
    }
}

/// Splits `runs` into requests aligned to `alignment`.
pub(super) fn pieces(runs: &[Range<u64>], alignment: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for run in runs {
        let mut at = run.start;
        while at < run.end {
            let offset = at / alignment * alignment;
            let end = run.end.min(offset + PIECE_BYTES);
            pieces.push(Piece { offset, length: (end - offset).next_multiple_of(alignment), wanted: at..end });
            at = end;
        }
    }
    pieces
}
