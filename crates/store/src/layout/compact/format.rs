//! Bytes of a list: segments of at most 2^14 neighbors (`docs/format/compact.md`).

use crate::access::{StoredNeighbors, StoredWeights};
use crate::codec::{Codec, Malformed, leb128};
use outcrop_types::{Direction, VertexId, WeightType, index_from, length_from, number_from};
use std::ops::ControlFlow;

/// Entries of each segment of a list except the last.
pub const SEGMENT_ENTRIES: usize = 1 << 14;
/// Maximum number of bytes before the IDs of a segment: the number of entries, and the number of ID bytes.
const HEAD_BYTES: usize = 3 + 4;

/// Returns the name of the component with the lists of `direction`.
pub fn shards_name(direction: Direction) -> String {
    format!("{}.shards", direction.name())
}

/// Returns the name of the component with the degree and list length of each vertex of `direction`.
pub(crate) fn index_name(direction: Direction) -> String {
    format!("{}.index", direction.name())
}

/// Returns the name of the component with the positions of every 4096th vertex in both files.
pub(crate) fn directory_name(direction: Direction) -> String {
    format!("{}.directory", direction.name())
}

/// Format of the lists of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListBytes {
    /// Encoding of IDs.
    pub codec: Codec,
    /// Weight type of weighted graphs.
    pub weights: Option<WeightType>,
    /// Exclusive upper bound of IDs.
    pub vertices: u32,
}

/// Header of a segment, before its IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    count: u32,
    /// Size of the header, in bytes.
    bytes: usize,
    /// Size of the whole segment in bytes, if another segment may follow.
    segment_bytes: Option<usize>,
}

/// State carried from one segment of a list to the next.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Last neighbor so far.
    last: VertexId,
}

impl ListBytes {
    /// Returns the maximum size of a segment, in bytes.
    pub(crate) const fn longest_segment(weights: Option<WeightType>) -> usize {
        HEAD_BYTES + SEGMENT_ENTRIES * (5 + index_from(WeightType::bytes_of(weights)))
    }

    /// Appends a segment of a list; a segment with fewer than [`SEGMENT_ENTRIES`] entries must be the last one of its
    /// list.
    pub(crate) fn encode_segment(self, ids: &[VertexId], weights: &[f64], into: &mut Vec<u8>) {
        leb128::encode(u64::from(number(ids.len())), into);
        let begin = into.len();
        let full = ids.len() >= SEGMENT_ENTRIES;
        if full {
            into.extend([0; 4]);
        }
        let ids_begin = into.len();
        self.codec.encode(ids, into);
        if full {
            let id_bytes = number(into.len() - ids_begin).to_le_bytes();
            into[begin..ids_begin].copy_from_slice(&id_bytes);
        }
        self.weights.iter().for_each(|kind| kind.narrow(weights, into));
    }

    /// Appends a list; `weights` is empty for unweighted graphs.
    pub(crate) fn encode(self, ids: &[VertexId], weights: &[f64], into: &mut Vec<u8>) {
        let mut weights = weights.chunks(SEGMENT_ENTRIES);
        for ids in ids.chunks(SEGMENT_ENTRIES) {
            // Default: unweighted lists have no weights.
            self.encode_segment(ids, weights.next().unwrap_or_default(), into);
        }
    }

    /// Returns the number of bytes that [`ListBytes::encode`] appends.
    pub(crate) fn encoded_len(self, ids: &[VertexId]) -> usize {
        let entry_bytes = index_from(WeightType::bytes_of(self.weights));
        let segment = |ids: &[VertexId]| {
            let head =
                leb128::encoded_len(u64::from(number(ids.len()))) + if ids.len() >= SEGMENT_ENTRIES { 4 } else { 0 };
            head + self.codec.encoded_len(ids) + entry_bytes * ids.len()
        };
        ids.chunks(SEGMENT_ENTRIES).map(segment).sum()
    }

    const fn weight_bytes(self, count: u32) -> usize {
        index_from(WeightType::bytes_of(self.weights) * count as u64)
    }

    /// Returns the header of the segment at the start of the first `length` of `bytes`, or `None` if it is incomplete.
    #[inline]
    fn head(self, bytes: &[u8], length: usize) -> Result<Option<Head>, Malformed> {
        if length == 0 {
            return Ok(None);
        }
        let (count, mut head) = leb128::decode_id(bytes)?;
        let (mut segment_bytes, entries) = (None, index_from(u64::from(count)));
        if count == 0 || entries > SEGMENT_ENTRIES {
            return Err(Malformed);
        }
        if entries == SEGMENT_ENTRIES {
            let Some(id_bytes) = bytes.get(..length).and_then(|bytes| bytes.get(head..)?.first_chunk()) else {
                return Ok(None);
            };
            head += 4;
            let id_bytes = index_from(u64::from(u32::from_le_bytes(*id_bytes)));
            let whole = head.checked_add(id_bytes).map(|bytes| bytes + self.weight_bytes(count)).ok_or(Malformed)?;
            segment_bytes = Some(whole).filter(|whole| *whole <= Self::longest_segment(self.weights));
            segment_bytes.ok_or(Malformed)?;
        }
        Ok(Some(Head { count, bytes: head, segment_bytes }))
    }

    /// Passes the entries of the complete segments in the first `length` of `bytes` to `take`, in blocks, until `take`
    /// breaks; if `ends`, the list ends there and all segments are complete. Bytes after `length` may exist and are
    /// ignored. Returns the number of bytes of these segments.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a list of ascending, existing vertices with finite weights.
    #[inline]
    pub(crate) fn decode(
        self,
        bytes: &[u8],
        length: usize,
        ends: bool,
        carried: &mut Carried,
        mut take: impl FnMut(StoredNeighbors<'_>) -> ControlFlow<()>,
    ) -> Result<(usize, ControlFlow<()>), Malformed> {
        let mut done = 0;
        while done < length {
            // Default: a segment that ends after the available bytes leaves no rest.
            let (rest, left) = (bytes.get(done..).unwrap_or_default(), length - done);
            if left < HEAD_BYTES && !ends {
                break;
            }
            let Some(head) = self.head(rest, left)? else { break };
            let segment = match head.segment_bytes {
                Some(segment) if segment <= left => segment,
                // The last segment ends with the list.
                None if ends => left,
                None if left > Self::longest_segment(self.weights) => return Err(Malformed),
                _ => break,
            };
            let flow = self.decode_segment(rest, head, segment, carried, &mut take)?;
            done += segment;
            if flow.is_break() {
                return Ok((done, flow));
            }
            // A segment that is not full must be the last.
            if head.segment_bytes.is_none() && done < length {
                return Err(Malformed);
            }
        }
        if ends && done < length { Err(Malformed) } else { Ok((done, ControlFlow::Continue(()))) }
    }

    #[inline]
    fn decode_segment(
        self,
        bytes: &[u8],
        head: Head,
        segment: usize,
        carried: &mut Carried,
        take: &mut impl FnMut(StoredNeighbors<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        let weight_bytes = self.weight_bytes(head.count);
        let id_bytes = segment.checked_sub(head.bytes + weight_bytes).ok_or(Malformed)?;
        let ids = bytes.get(head.bytes..).ok_or(Malformed)?;
        let weights = ids.get(id_bytes..id_bytes + weight_bytes).ok_or(Malformed)?;
        let mut weights = self.weights.map(|kind| StoredWeights::new(kind, weights));
        let mut right = true;
        let flow = self.codec.decode(ids, id_bytes, head.count, self.vertices, |ids| {
            // IDs ascend within a segment.
            right &= ids.first().is_none_or(|first| carried.last <= *first);
            carried.last = ids.last().copied().unwrap_or(carried.last);
            let now = weights.map(|all| {
                let (now, later) = all.split_at(ids.len());
                weights = Some(later);
                right &= now.are_finite();
                now
            });
            if right { take(StoredNeighbors::new(ids, now)) } else { ControlFlow::Break(()) }
        })?;
        if right { Ok(flow) } else { Err(Malformed) }
    }

    /// Returns the number of entries of the list in the first `length` of `bytes`, according to its headers.
    pub(crate) fn count(self, bytes: &[u8], length: usize) -> u64 {
        let (mut count, mut done) = (0, 0);
        while let Some(rest) = bytes.get(done..length)
            && let Ok(Some(head)) = self.head(rest, rest.len())
        {
            count += u64::from(head.count);
            let Some(segment) = head.segment_bytes else { break };
            done += segment;
        }
        count
    }
}

impl Carried {
    /// Starts another list.
    #[inline]
    pub(crate) const fn restart(&mut self) {
        self.last = 0;
    }
}

fn number(length: usize) -> u32 {
    number_from(length_from(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VERTICES: u32 = 1 << 20;
    const WEIGHTS: [Option<WeightType>; 4] = [None, Some(WeightType::U8), Some(WeightType::F32), Some(WeightType::F64)];

    fn formats() -> impl Iterator<Item = ListBytes> {
        let codecs = [Codec::Packed, Codec::Alternating].into_iter();
        codecs.flat_map(|codec| WEIGHTS.map(|weights| ListBytes { codec, weights, vertices: VERTICES }))
    }

    fn list(entries: u32) -> (Vec<VertexId>, Vec<f64>) {
        (
            (0..entries).map(|entry| entry * 5 + entry % 3).collect(),
            (0..entries).map(|entry| f64::from(entry % 200)).collect(),
        )
    }

    /// Returns the entries of a list that arrives in pieces of `piece` bytes, and the maximum number of buffered
    /// bytes.
    fn decoded(format: ListBytes, bytes: &[u8], piece: usize) -> Result<(Vec<VertexId>, Vec<f64>, usize), Malformed> {
        let (mut ids, mut weights, mut most) = (Vec::new(), Vec::new(), 0);
        let (mut waiting, mut carried) = (Vec::new(), Carried::default());
        let pieces = bytes.len().div_ceil(piece);
        for (number, piece) in bytes.chunks(piece).enumerate() {
            waiting.extend_from_slice(piece);
            let ends = number + 1 == pieces;
            let (done, flow) = format.decode(&waiting, waiting.len(), ends, &mut carried, |piece| {
                ids.extend_from_slice(piece.ids());
                piece.weights().into_iter().for_each(|some| some.widen(&mut weights));
                ControlFlow::Continue(())
            })?;
            assert!(flow.is_continue() && (!ends || done == waiting.len()));
            waiting.drain(..done);
            most = most.max(waiting.len());
        }
        Ok((ids, weights, most))
    }

    #[test]
    fn lists_come_back_from_pieces_of_any_size() {
        let segment = u32::try_from(SEGMENT_ENTRIES).unwrap();
        for (format, entries) in formats()
            .flat_map(|format| [1, 2, 300, segment - 1, segment, segment + 1, 3 * segment].map(|n| (format, n)))
        {
            let (ids, weights) = list(entries);
            let weights = if format.weights.is_some() { weights } else { Vec::new() };
            let mut bytes = Vec::new();
            format.encode(&ids, &weights, &mut bytes);
            assert_eq!(bytes.len(), format.encoded_len(&ids));
            assert_eq!(format.count(&bytes, bytes.len()), u64::from(entries));
            for piece in [bytes.len(), 4088, 1009] {
                let found = decoded(format, &bytes, piece).unwrap();
                assert!(found.0 == ids && found.1 == weights && found.2 < ListBytes::longest_segment(format.weights));
            }
        }
        let format = ListBytes { codec: Codec::Alternating, weights: Some(WeightType::F32), vertices: VERTICES };
        let (ids, weights) = list(700);
        let mut bytes = Vec::new();
        format.encode(&ids, &weights, &mut bytes);
        assert_eq!(decoded(format, &bytes, 1).unwrap().0, ids);
    }

    #[test]
    fn segments_that_do_not_follow_each_other_are_refused() {
        for format in formats() {
            let (ids, weights) = list(300);
            let weights = if format.weights.is_some() { weights } else { Vec::new() };
            let mut bytes = Vec::new();
            format.encode(&ids, &weights, &mut bytes);
            let twice = [&bytes[..], &bytes].concat();
            assert_eq!(decoded(format, &twice, twice.len()), Err(Malformed));
            // A full segment, followed by one whose first neighbor is less than the last of the full one.
            let (ids, weights) = list(u32::try_from(SEGMENT_ENTRIES).unwrap());
            let weights = if format.weights.is_some() { weights } else { Vec::new() };
            let mut full = Vec::new();
            format.encode(&ids, &weights, &mut full);
            assert!(decoded(format, &full, full.len()).is_ok());
            let descending = [&full[..], &bytes].concat();
            assert_eq!(decoded(format, &descending, 4088), Err(Malformed));
            let neither = [&[0][..], &full].concat();
            assert_eq!(decoded(format, &neither, neither.len()), Err(Malformed));
        }
    }

    #[test]
    fn a_list_without_an_end_does_not_wait_for_it() {
        for format in formats() {
            let endless = vec![7; 3 * ListBytes::longest_segment(Some(WeightType::F64))];
            assert_eq!(decoded(format, &endless, 4088), Err(Malformed));
            // A full segment with an excessive length.
            let full = [&[0x80, 0x80, 0x01, 0xff, 0xff, 0xff, 0x7f][..], &endless].concat();
            assert_eq!(decoded(format, &full, 4088), Err(Malformed));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_safely(
            bytes in proptest::collection::vec(any::<u8>(), 1..2000), piece in 1..700_usize, count in 0..200_u8,
        ) {
            for format in formats() {
                let with_count = [&[count][..], &bytes].concat();
                for bytes in [&bytes, &with_count] {
                    if let Ok((ids, weights, _)) = decoded(format, bytes, piece) {
                        prop_assert!(ids.is_sorted() && ids.iter().all(|id| *id < VERTICES));
                        prop_assert!(weights.iter().all(|weight| weight.is_finite()));
                    }
                    let _ = format.count(bytes, bytes.len());
                }
            }
        }
    }
}
