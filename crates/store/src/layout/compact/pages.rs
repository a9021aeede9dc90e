//! Lists of this layout as positions in pages: a position is a byte.

use super::format::{Carried, ListBytes};
use crate::access::Packer;
use crate::codec::Malformed;
use crate::component::{PAYLOAD_BYTES, UNIT_BYTES, UNIT_HEADER_BYTES};
use crate::layout::paged_lists::{PageFormat, Stretch};
use outcrop_types::{Result, WeightType, index_from, length_from};
use std::ops::{ControlFlow, Range};

/// Number of bytes after a list with which decoding is fastest.
const SLACK_BYTES: usize = 544;

/// Buffered part of a list that straddles pages.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Bytes that are not a complete segment yet.
    bytes: Vec<u8>,
    carried: Carried,
}

impl Part {
    /// Returns the maximum memory, in bytes: a segment and a page, in a vector that grew by doubling.
    pub(crate) const fn memory(weights: Option<WeightType>) -> u64 {
        2 * length_from(ListBytes::longest_segment(weights) + UNIT_BYTES + SLACK_BYTES)
    }

    /// Resets the part and keeps its memory.
    fn clear(&mut self) {
        self.bytes.clear();
        self.carried.restart();
    }
}

impl ListBytes {
    /// Packs the complete segments of a list that arrived in pieces.
    fn pack_joined(self, packer: &mut Packer<'_>, part: &mut Part, ends: bool) -> Result<ControlFlow<()>, Malformed> {
        let length = part.bytes.len();
        part.bytes.resize(length + SLACK_BYTES, 0);
        let (done, flow) = self.decode(&part.bytes, length, ends, &mut part.carried, |piece| packer.piece(piece))?;
        part.bytes.truncate(length);
        part.bytes.drain(..done);
        Ok(flow)
    }
}

impl PageFormat for ListBytes {
    const COUNTS_ENTRIES: bool = false;
    type Part = Part;

    #[inline]
    fn page_bytes(self) -> usize {
        UNIT_BYTES
    }

    #[inline]
    fn capacity(self) -> u64 {
        length_from(PAYLOAD_BYTES)
    }

    #[inline]
    fn place(self, position: u64) -> (u64, usize) {
        let payload = length_from(PAYLOAD_BYTES);
        (position / payload, index_from(position % payload))
    }

    #[inline]
    fn bytes(self, first: usize, count: usize) -> [Range<usize>; 2] {
        let first = UNIT_HEADER_BYTES + first;
        [first..first + count, 0..0]
    }

    /// Lists are validated by the decoder.
    fn plausible(self, payload: &[u8], _: u32) -> bool {
        payload.len() == PAYLOAD_BYTES
    }

    #[inline]
    fn pack(
        self,
        packer: &mut Packer<'_>,
        stretch: Stretch<'_>,
        part: &mut Part,
    ) -> Result<ControlFlow<()>, Malformed> {
        let Stretch { payload, first, count, last } = stretch;
        let bytes = payload.get(first..).filter(|bytes| count <= bytes.len()).ok_or(Malformed)?;
        let flow = if last && part.bytes.is_empty() {
            self.decode(bytes, count, true, &mut part.carried, |piece| packer.piece(piece))?.1
        } else {
            part.bytes.extend_from_slice(&bytes[..count]);
            self.pack_joined(packer, part, last)?
        };
        if last || flow.is_break() {
            part.clear();
        }
        Ok(flow)
    }
}
