//! Stretches of a file as requests.

use std::ops::Range;

use outcrop_types::index_from;

/// The longest request.
pub(super) const PIECE_BYTES: u64 = 128 << 10;

/// A request, and the bytes of it that are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte that is read.
    pub offset: u64,
    /// Bytes that are read.
    pub length: u64,
    /// Range of the file that is wanted.
    pub wanted: Range<u64>,
}

impl Piece {
    /// Wanted part of the bytes that were read.
    pub(crate) fn wanted<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let place = |at: u64| index_from(at.saturating_sub(self.offset));
        &bytes[place(self.wanted.start)..place(self.wanted.end)]
    }
}

/// Cuts `runs` into requests of whole `alignment`s.
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
