//! Bytes of a block: sources, targets, weights.

use crate::access::ArcBlock;
use crate::codec::{Codec, Malformed};
use crate::component::UNIT_HEADER_BYTES;
use bitpacking::{BitPacker, BitPacker4x};
use outcrop_types::{VertexId, VertexRange, WeightType, index_from, length_from, number_from};
use std::ops::ControlFlow;

/// Targets per run, all with the same bit width.
const RUN: usize = BitPacker4x::BLOCK_LEN;
/// Size of the length of the sources, which precedes them, in bytes.
const LENGTH_BYTES: usize = 4;

/// Shape of a block, known before it is decoded.
#[derive(Clone, Copy, Debug)]
pub struct BlockShape {
    /// Interval of the sources.
    pub sources: VertexRange,
    /// Interval of the targets.
    pub targets: VertexRange,
    /// Number of arcs.
    pub arcs: u32,
    /// Weight type of weighted graphs.
    pub weights: Option<WeightType>,
}

/// Returns the maximum size of `arcs` arcs of a block, in bytes.
pub(super) const fn most_bytes(arcs: u64, weights: Option<WeightType>) -> u64 {
    // A source or a target takes at most four bytes; each run takes one more, and the first source five.
    let runs = arcs.div_ceil(length_from(RUN));
    length_from(LENGTH_BYTES) + 1 + arcs * (8 + WeightType::bytes_of(weights)) + 2 * runs + arcs.div_ceil(4)
}

/// Returns true if a block of `arcs` arcs can fit in `bytes`: a run takes at least one byte.
pub(super) const fn may_hold(bytes: u64, arcs: u64) -> bool {
    arcs.div_ceil(length_from(RUN)) <= bytes
}

/// Returns the payload of a block, after its checksum.
pub(super) fn payload(bytes: &[u8]) -> &[u8] {
    // Default: bytes without a complete checksum have no payload.
    bytes.get(UNIT_HEADER_BYTES..).unwrap_or_default()
}

/// Appends the bytes of `block`, whose source and target intervals start at `from` and `to`. `relative` is scratch
/// space.
pub fn encode(
    block: &ArcBlock,
    (from, to): (VertexId, VertexId),
    weights: Option<WeightType>,
    relative: &mut Vec<u32>,
    into: &mut Vec<u8>,
) {
    relative.clear();
    relative.extend(block.sources.iter().map(|source| source.wrapping_sub(from)));
    let begin = into.len();
    into.extend_from_slice(&[0; LENGTH_BYTES]);
    Codec::Packed.encode(relative, into);
    let length: u32 = number_from(into.len() - begin - LENGTH_BYTES);
    let place = &mut into[begin..begin + LENGTH_BYTES];
    place.copy_from_slice(&length.to_le_bytes());
    relative.clear();
    relative.extend(block.targets.iter().map(|target| target.wrapping_sub(to)));
    encode_runs(relative, into);
    weights.into_iter().for_each(|kind| kind.narrow(&block.weights, into));
}

fn encode_runs(numbers: &[u32], into: &mut Vec<u8>) {
    let packer = BitPacker4x::new();
    let runs = numbers.chunks_exact(RUN);
    let tail = runs.remainder();
    for run in runs {
        let width = packer.num_bits(run);
        into.push(width);
        let begin = into.len();
        into.resize(begin + BitPacker4x::compressed_block_size(width), 0);
        packer.compress(run, &mut into[begin..], width);
    }
    encode_tail(tail, into);
}

/// Encodes a bit width and the numbers with this width, lowest bits first.
fn encode_tail(numbers: &[u32], into: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let width = 32 - numbers.iter().fold(0, |bits, number| bits | number).leading_zeros();
    into.push(number_from(width));
    let (mut waiting, mut bits) = (0_u64, 0);
    for number in numbers {
        waiting |= u64::from(*number) << bits;
        bits += width;
        while bits >= 8 {
            into.push(waiting.to_le_bytes()[0]);
            waiting >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        into.push(waiting.to_le_bytes()[0]);
    }
}

/// Replaces `into` with the arcs in `bytes`.
///
/// # Errors
/// Returns [`Malformed`] if the bytes are not a block of the given shape: all sources and targets must be in their
/// intervals, sources ascending, and weights finite.
pub fn decode(bytes: &[u8], shape: BlockShape, into: &mut ArcBlock) -> Result<(), Malformed> {
    into.clear();
    if !may_hold(length_from(bytes.len()), u64::from(shape.arcs)) {
        return Err(Malformed);
    }
    let (length, bytes) = bytes.split_first_chunk::<LENGTH_BYTES>().ok_or(Malformed)?;
    let length = index_from(u64::from(u32::from_le_bytes(*length)));
    decode_sources(bytes, length, shape, &mut into.sources)?;
    let bytes = bytes.get(length..).ok_or(Malformed)?;
    let weights = decode_runs(bytes, shape, &mut into.targets)?;
    decode_weights(weights, shape, &mut into.weights)
}

fn decode_sources(bytes: &[u8], length: usize, shape: BlockShape, into: &mut Vec<VertexId>) -> Result<(), Malformed> {
    let (base, width) = base_and_width(shape.sources);
    into.reserve_exact(index_from(u64::from(shape.arcs)));
    let flow = Codec::Packed.decode(bytes, length, shape.arcs, width, |ids| {
        into.extend(ids.iter().map(|id| base + id));
        ControlFlow::Continue(())
    })?;
    debug_assert!(flow.is_continue());
    Ok(())
}

fn base_and_width(range: VertexRange) -> (u32, u32) {
    (range.start, range.end.saturating_sub(range.start))
}

/// Decodes the targets; returns the remaining bytes.
fn decode_runs<'b>(mut bytes: &'b [u8], shape: BlockShape, into: &mut Vec<VertexId>) -> Result<&'b [u8], Malformed> {
    let (base, width) = base_and_width(shape.targets);
    let packer = BitPacker4x::new();
    into.reserve_exact(index_from(u64::from(shape.arcs)));
    into.resize(index_from(u64::from(shape.arcs)), 0);
    let (runs, tail) = into.as_chunks_mut::<RUN>();
    let mut most = 0;
    for run in runs {
        let (bits, rest) = split_width(bytes)?;
        let packed = rest.get(..BitPacker4x::compressed_block_size(bits)).ok_or(Malformed)?;
        packer.decompress(packed, run, bits);
        bytes = &rest[packed.len()..];
        most = run.iter().fold(most, |most: u32, number| most.max(*number));
        run.iter_mut().for_each(|number| *number = base.wrapping_add(*number));
    }
    bytes = decode_tail(bytes, base, &mut most, tail)?;
    if most < width { Ok(bytes) } else { Err(Malformed) }
}

fn split_width(bytes: &[u8]) -> Result<(u8, &[u8]), Malformed> {
    let (width, rest) = bytes.split_first().ok_or(Malformed)?;
    if *width > 32 { Err(Malformed) } else { Ok((*width, rest)) }
}

fn decode_tail<'b>(bytes: &'b [u8], base: u32, most: &mut u32, into: &mut [u32]) -> Result<&'b [u8], Malformed> {
    if into.is_empty() {
        return Ok(bytes);
    }
    let (width, bytes) = split_width(bytes)?;
    let length = (into.len() * usize::from(width)).div_ceil(8);
    let mut packed = bytes.get(..length).ok_or(Malformed)?.iter();
    let (mut waiting, mut bits, width) = (0_u64, 0, u32::from(width));
    for number in into {
        while bits < width {
            waiting |= u64::from(*packed.next().ok_or(Malformed)?) << bits;
            bits += 8;
        }
        let low = u32::try_from(waiting & ((1 << width) - 1)).map_err(|_| Malformed)?;
        waiting >>= width;
        bits -= width;
        *most = low.max(*most);
        *number = base.wrapping_add(low);
    }
    bytes.get(length..).ok_or(Malformed)
}

fn decode_weights(bytes: &[u8], shape: BlockShape, into: &mut Vec<f64>) -> Result<(), Malformed> {
    if length_from(bytes.len()) != u64::from(shape.arcs) * WeightType::bytes_of(shape.weights) {
        return Err(Malformed);
    }
    let Some(kind) = shape.weights else { return Ok(()) };
    into.reserve_exact(index_from(u64::from(shape.arcs)));
    kind.widen(bytes, into);
    if kind.are_finite(bytes) { Ok(()) } else { Err(Malformed) }
}
