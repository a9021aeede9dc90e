//! Ranks of small integer IDs, from one bit per ID.

use outcrop_types::{index_from, length_from};

/// Words per line, the unit of counting.
pub(super) const LINE_WORDS: usize = 8;

/// Bitmap with the number of bits set before each line and each word of it (Vigna, *Broadword Implementation of
/// Rank/Select Queries*, WEA 2008): a rank query reads one word, wherever it is in the line.
pub(in crate::writing) struct RankedBitmap {
    words: Vec<u64>,
    lines: Vec<RankedLine>,
    pub(super) count: u64,
}

impl RankedBitmap {
    pub(super) fn new(words: Vec<u64>) -> Self {
        let mut count = 0;
        let line = |words: &[u64]| {
            // Default: saturated; the caller that requests the count refuses more than 2^32 - 1 IDs.
            let (line, within) = RankedLine::new(u32::try_from(count).unwrap_or(u32::MAX), words);
            count += within;
            line
        };
        let lines = words.chunks(LINE_WORDS).map(line).collect();
        Self { words, lines, count }
    }

    pub(super) fn bytes(&self) -> u64 {
        length_from(self.words.capacity()) * 8
            + length_from(self.lines.capacity()) * length_from(size_of::<RankedLine>())
    }

    /// Returns a number that all IDs are less than.
    pub(in crate::writing) fn ids(&self) -> u64 {
        length_from(self.words.len()) * 64
    }

    /// Returns the number of IDs less than `id`.
    #[inline]
    pub(in crate::writing) fn rank(&self, id: u32) -> u32 {
        let id = index_from(u64::from(id));
        let word = id / 64;
        let below = !(u64::MAX << (id % 64));
        // The sum is a number of IDs, which is less than 2^32.
        self.lines[word / LINE_WORDS].before(word % LINE_WORDS).wrapping_add((self.words[word] & below).count_ones())
    }
}

/// Number of bits set before a line, and from the start of the line before each of its words except the first, in 9
/// bits each.
struct RankedLine([u32; 3]);

impl RankedLine {
    /// Creates the line of these words; also returns the number of bits set in them.
    fn new(before: u32, words: &[u64]) -> (Self, u64) {
        let (mut within, mut packed) = (0, 0_u64);
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                packed |= within << (9 * (place - 1));
            }
            within += u64::from(word.count_ones());
        }
        (Self([before, packed as u32, (packed >> 32) as u32]), within)
    }

    /// Returns the number of bits set before the given word of the line.
    #[inline]
    fn before(&self, word: usize) -> u32 {
        let [before, low, high] = self.0;
        let packed = u64::from(high) << 32 | u64::from(low);
        // For the first word, this reads the bits after those of the other words: the highest bit, which is never set.
        let within = packed >> ((word + LINE_WORDS - 1) % LINE_WORDS * 9) & 0x1ff;
        before.wrapping_add(within as u32)
    }
}
