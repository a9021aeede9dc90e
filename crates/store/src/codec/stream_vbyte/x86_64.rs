//! SSSE3 decoder of four differences at a time: one shuffle spreads their bytes, two shifted additions sum them.

use super::tail::{LEAD, MOST, ROOM, Tail, canonical};
use crate::codec::ascending::{Malformed, ascends};
use outcrop_types::VertexId;
use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8,
    _mm_shuffle_epi32, _mm_slli_si128, _mm_srli_epi32, _mm_storeu_si128,
};
use std::mem::MaybeUninit;

/// Maximum number of groups of four in a tail.
const MOST_FOURS: usize = ROOM / 4;
/// Returns the maximum number of bytes read from the first control byte on for `fours` groups of four.
const fn reach(fours: usize) -> usize {
    fours + 16 * fours
}

/// Source positions of the bytes of four differences, per control byte; 128 and above is zero.
static SHUFFLES: [[u8; 16]; 256] = shuffles();
/// Number of bytes of the four differences, per control byte.
static LENGTHS: [u8; 256] = lengths();

/// Proof that this processor supports SSSE3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel(());

/// Buffer for a list; entries that were not decoded are uninitialized.
#[repr(align(16))]
pub(super) struct Space([MaybeUninit<VertexId>; LEAD + ROOM]);

impl Space {
    /// Creates an uninitialized buffer: filling it with zeros would take as long as decoding a short list.
    #[inline]
    pub(super) const fn new() -> Self {
        Self([MaybeUninit::uninit(); LEAD + ROOM])
    }
}

impl Kernel {
    /// Returns `None` if the processor lacks the instructions. The standard library caches the detection.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("ssse3").then_some(Self(()))
    }

    /// See [`super::decode`].
    #[inline]
    pub(super) fn decode(self, tail: Tail<'_>, into: &mut [VertexId; ROOM]) -> Result<VertexId, Malformed> {
        // SAFETY: `into` has room for `ROOM` IDs.
        unsafe { self.decode_to(tail, into.as_mut_ptr()) }?;
        let ids = into.get(..tail.deltas).ok_or(Malformed)?;
        Ok(ids.last().copied().unwrap_or(tail.previous))
    }

    /// Returns the ID before the tail and those of the tail.
    #[inline]
    pub(super) fn decode_list<'s>(self, tail: Tail<'_>, space: &'s mut Space) -> Result<&'s [VertexId], Malformed> {
        space.0[LEAD - 1].write(tail.previous);
        let begin = space.0.as_mut_ptr().cast::<VertexId>();
        // SAFETY: after the first `LEAD` IDs, the space has room for `ROOM`.
        unsafe { self.decode_to(tail, begin.add(LEAD)) }?;
        // SAFETY: the ID before `LEAD` is written above; `decode_to` has written `deltas` IDs from there on and checked
        // that these are at most `ROOM`. `space` is borrowed for the lifetime of the slice.
        Ok(unsafe { std::slice::from_raw_parts(begin.add(LEAD - 1), 1 + tail.deltas) })
    }

    /// See [`super::append`].
    #[inline]
    pub(super) fn append(self, tail: Tail<'_>, into: &mut Vec<VertexId>) -> Result<(), Malformed> {
        let length = into.len();
        into.reserve(1 + ROOM);
        let [first, others @ ..] = into.spare_capacity_mut() else { return Err(Malformed) };
        first.write(tail.previous);
        // SAFETY: room for `1 + ROOM` IDs is reserved above.
        unsafe { self.decode_to(tail, others.as_mut_ptr().cast::<VertexId>()) }?;
        // SAFETY: the first ID is written above; `decode_to` has written `deltas` IDs after it, at most `ROOM`.
        unsafe { into.set_len(length + 1 + tail.deltas) };
        Ok(())
    }

    /// Decodes the tail; on success, there are at most `MOST` IDs and all of them are written.
    ///
    /// # Safety
    ///
    /// `into` must be valid for writes of `ROOM` IDs.
    #[inline]
    unsafe fn decode_to(self, tail: Tail<'_>, into: *mut VertexId) -> Result<(), Malformed> {
        let fours = tail.deltas.div_ceil(4);
        if tail.deltas > MOST {
            return Err(Malformed);
        }
        if tail.bytes.len() >= reach(fours) {
            // SAFETY: `self` proves SSSE3, `bytes` has the number of bytes to be read, and `fours` is at most
            // `ROOM / 4`.
            return unsafe { check(tail, into, sum_up(tail.bytes, fours, tail.previous, into)) };
        }
        let mut padded = [0; reach(MOST_FOURS)];
        let given = tail.bytes.get(..tail.length).ok_or(Malformed)?;
        padded.get_mut(..given.len()).ok_or(Malformed)?.copy_from_slice(given);
        let tail = Tail { bytes: &padded, ..tail };
        // SAFETY: as above; `padded` is long enough for any tail.
        unsafe { check(tail, into, sum_up(&padded, fours, tail.previous, into)) }
    }
}

/// Results of [`sum_up`].
#[derive(Clone, Copy)]
struct Seen {
    /// Number of bytes of all groups of four, counting one for each missing difference of the last.
    taken: usize,
    /// Sum of all differences, each divided by 256 and rounded down.
    coarse: u32,
}

/// Checks the tail, whose groups of four were written to `into`.
///
/// # Safety
///
/// `into` must contain one written ID per difference, at most `MOST`.
#[inline]
unsafe fn check(tail: Tail<'_>, into: *const VertexId, seen: Seen) -> Result<(), Malformed> {
    // Below this, all differences sum to less than 2^32, so that the last ID shows whether any exceeded it.
    const SMALL: u32 = (1 << 24) - 128;
    let Some(last) = tail.deltas.checked_sub(1) else {
        return if tail.length == 0 { Ok(()) } else { Err(Malformed) };
    };
    // SAFETY: guaranteed by the caller.
    let ids = unsafe { std::slice::from_raw_parts(into, tail.deltas) };
    let tidy = tail.bytes.get(last / 4).is_some_and(|control| canonical(*control, tail.deltas));
    let fits = seen.taken == tail.length + 3 - last % 4;
    let rises = ids.last().is_some_and(|last| *last >= tail.previous);
    if tidy && fits && rises && (seen.coarse < SMALL || ascends(tail.previous, ids)) { Ok(()) } else { Err(Malformed) }
}

/// Writes `previous` plus the prefix sums of the differences of `fours` groups of four.
///
/// # Safety
///
/// The processor must support SSSE3, `bytes` must have at least `reach(fours)` bytes, and `into` must be valid for
/// writes of four IDs per group.
#[target_feature(enable = "ssse3")]
unsafe fn sum_up(bytes: &[u8], fours: usize, previous: VertexId, into: *mut VertexId) -> Seen {
    let (controls, mut taken) = (bytes.as_ptr(), fours);
    let mut last = _mm_set1_epi32(previous.cast_signed());
    let mut coarse = _mm_setzero_si128();
    for four in 0..fours {
        // SAFETY: there are `fours` control bytes. Each earlier group took at most 16 bytes, so these 16 end within
        // `reach(fours)`. The table entry is 16 bytes long.
        let (control, data, shuffle) = unsafe {
            let control = usize::from(*controls.add(four));
            let data = _mm_loadu_si128(controls.add(taken).cast::<__m128i>());
            (control, data, _mm_loadu_si128(SHUFFLES[control].as_ptr().cast::<__m128i>()))
        };
        taken += usize::from(LENGTHS[control]);
        let deltas = _mm_shuffle_epi8(data, shuffle);
        coarse = _mm_add_epi32(coarse, _mm_srli_epi32::<8>(deltas));
        let pairs = _mm_add_epi32(deltas, _mm_slli_si128::<4>(deltas));
        let ids = _mm_add_epi32(last, _mm_add_epi32(pairs, _mm_slli_si128::<8>(pairs)));
        last = _mm_shuffle_epi32::<0b11_11_11_11>(ids);
        // SAFETY: guaranteed by the caller.
        unsafe { _mm_storeu_si128(into.add(4 * four).cast::<__m128i>(), ids) };
    }
    let pairs = _mm_add_epi32(coarse, _mm_shuffle_epi32::<0b00_00_11_10>(coarse));
    let sum = _mm_add_epi32(pairs, _mm_shuffle_epi32::<0b00_00_00_01>(pairs));
    Seen { taken, coarse: _mm_cvtsi128_si32(sum).cast_unsigned() }
}

const fn shuffles() -> [[u8; 16]; 256] {
    let mut shuffles = [[u8::MAX; 16]; 256];
    let mut control = 0;
    while control < shuffles.len() {
        let (mut from, mut place) = (0, 0);
        while place < 16 {
            if place % 4 <= (control >> (place / 4 * 2)) & 3 {
                shuffles[control][place] = from;
                from += 1;
            }
            place += 1;
        }
        control += 1;
    }
    shuffles
}

const fn lengths() -> [u8; 256] {
    let mut lengths = [0; 256];
    let mut control = 0;
    while control < lengths.len() {
        let mut place = 0;
        while place < 16 {
            if SHUFFLES[control][place] != u8::MAX {
                lengths[control] += 1;
            }
            place += 1;
        }
        control += 1;
    }
    lengths
}
