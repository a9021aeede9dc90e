//! Bit set of small numbers, which several threads may fill concurrently.

use crate::sync::{AtomicU64, zeros};
use crate::{VertexId, VertexRange};
use std::sync::atomic::Ordering::Relaxed;

const WORD: usize = u64::BITS as usize;

/// Bit set over `0..universe`.
#[derive(Debug, Default)]
pub struct BitSet {
    words: Vec<AtomicU64>,
    universe: u32,
}

impl BitSet {
    /// Creates an empty subset of `0..universe`.
    pub fn empty(universe: u32) -> Self {
        Self { words: zeros((universe as usize).div_ceil(WORD)), universe }
    }

    /// Creates the set of all of `0..universe`.
    pub fn full(universe: u32) -> Self {
        let mut set = Self::empty(universe);
        set.words.iter_mut().for_each(|word| *word = AtomicU64::new(u64::MAX));
        let spare = set.words.len() * WORD - universe as usize;
        if let Some(last) = set.words.last_mut() {
            *last = AtomicU64::new(u64::MAX >> spare);
        }
        set
    }

    /// Returns a set with the same members.
    #[must_use]
    pub fn copy(&self) -> Self {
        let words = self.words.iter().map(|word| AtomicU64::new(word.load(Relaxed))).collect();
        Self { words, universe: self.universe }
    }

    /// Returns the members less than `end`, as a subset of `0..end`.
    #[must_use]
    pub fn below(&self, end: u32) -> Self {
        let words = self.words.iter().take((end as usize).div_ceil(WORD));
        let mut below = Self { words: words.map(|word| AtomicU64::new(word.load(Relaxed))).collect(), universe: end };
        if let Some(last) = below.words.get_mut(end as usize / WORD) {
            *last = AtomicU64::new(last.load(Relaxed) & ((1 << (end as usize % WORD)) - 1));
        }
        below
    }

    /// Returns the memory of the bits of `0..universe`, in bytes.
    pub const fn bytes(universe: u32) -> u64 {
        (universe as u64).div_ceil(u64::BITS as u64) * 8
    }

    /// Returns the exclusive upper bound of members.
    pub const fn universe(&self) -> u32 {
        self.universe
    }

    /// Returns true if `member` is in the set.
    #[inline]
    pub fn contains(&self, member: u32) -> bool {
        let (word, bit) = place(member);
        self.words[word].load(Relaxed) & bit != 0
    }

    /// Adds `member`; returns true if it was not in the set before. If several threads add the same member, one of them
    /// gets `true`.
    #[inline]
    pub fn insert(&self, member: u32) -> bool {
        let (word, bit) = place(member);
        let word = &self.words[word];
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// Same as [`BitSet::insert`] without atomic read-modify-write, while no other thread changes the set.
    #[inline]
    pub fn insert_alone(&self, member: u32) -> bool {
        let (word, bit) = place(member);
        let word = &self.words[word];
        let bits = word.load(Relaxed);
        word.store(bits | bit, Relaxed);
        bits & bit == 0
    }

    /// Removes `member`; returns true if it was in the set.
    #[inline]
    pub fn take(&mut self, member: u32) -> bool {
        let (word, bit) = place(member);
        let word = &self.words[word];
        let bits = word.load(Relaxed);
        word.store(bits & !bit, Relaxed);
        bits & bit != 0
    }

    /// Adds the members whose bits are set in `words`; the first bit is `first`, a multiple of 64.
    pub fn insert_words(&self, first: u32, words: &[u64]) {
        for (place, bits) in self.words.iter().skip(first as usize / WORD).zip(words) {
            place.fetch_or(*bits, Relaxed);
        }
    }

    /// Returns the words starting at `first`, a multiple of 64, which is their first bit.
    pub fn words_from(&self, first: u32) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().skip(first as usize / WORD).map(|word| word.load(Relaxed))
    }

    /// Removes `member`.
    #[inline]
    pub fn remove(&self, member: u32) {
        let (word, bit) = place(member);
        self.words[word].fetch_and(!bit, Relaxed);
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.words.iter_mut().for_each(|word| *word = AtomicU64::new(0));
    }

    /// Returns the number of members.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.load(Relaxed).count_ones()).sum()
    }

    /// Iterates over the members in `range`, ascending.
    pub fn iter_range(&self, range: VertexRange) -> impl Iterator<Item = VertexId> + '_ {
        let end = range.end.min(self.universe);
        let words = if range.start >= end { 0..0 } else { range.start as usize / WORD..(end as usize).div_ceil(WORD) };
        words.flat_map(move |number| {
            let base = (number * WORD) as u32;
            let mut word = self.words[number].load(Relaxed);
            if base < range.start {
                word &= u64::MAX << (range.start - base);
            }
            if end - base < u64::BITS {
                word &= (1 << (end - base)) - 1;
            }
            Ones { word, base }
        })
    }

    /// Iterates over the members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = VertexId> + '_ {
        self.iter_range(VertexRange::new(0, self.universe))
    }
}

#[inline]
const fn place(member: u32) -> (usize, u64) {
    (member as usize / WORD, 1 << (member as usize % WORD))
}

struct Ones {
    word: u64,
    base: u32,
}

impl Iterator for Ones {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.word == 0 {
            return None;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_an_ordered_set(members in proptest::collection::vec(0u32..300, 0..80), start in 0u32..310, end in 0u32..310) {
            let set = BitSet::empty(300);
            let mut model = BTreeSet::new();
            for member in members {
                prop_assert_eq!(set.insert(member), model.insert(member));
            }
            prop_assert_eq!(set.count() as usize, model.len());
            prop_assert!(set.iter().eq(model.iter().copied()));
            let inside: Vec<u32> = model.iter().copied().filter(|m| (start..end).contains(m)).collect();
            prop_assert_eq!(set.iter_range(VertexRange::new(start, end)).collect::<Vec<_>>(), inside);
        }
    }

    #[test]
    fn words_add_the_members_whose_bits_they_have() {
        let set = BitSet::empty(300);
        set.insert_words(64, &[1, u64::MAX, 0, 1 << 43]);
        assert!(set.iter().eq([64].into_iter().chain(128..192).chain([299])));
    }

    #[test]
    fn full_holds_exactly_the_universe() {
        for universe in [0, 1, 63, 64, 65, 128] {
            let mut set = BitSet::full(universe);
            assert!(set.iter().eq(0..universe));
            set.clear();
            assert_eq!(set.count(), 0);
        }
    }
}

#[cfg(test)]
#[cfg(loom)]
mod models {
    use super::*;
    use loom::sync::Arc;

    #[test]
    fn one_of_several_threads_adds_a_member() {
        loom::model(|| {
            let set = Arc::new(BitSet::empty(64));
            let others = [(); 2].map(|()| {
                let set = Arc::clone(&set);
                loom::thread::spawn(move || u32::from(set.insert(3)))
            });
            let added = u32::from(set.insert(3)) + others.into_iter().map(|other| other.join().unwrap()).sum::<u32>();
            assert_eq!((added, set.count()), (1, 1));
        });
    }

    #[test]
    fn threads_that_change_one_word_lose_no_bit() {
        loom::model(|| {
            let set = Arc::new(BitSet::empty(64));
            set.insert(1);
            let other = loom::thread::spawn({
                let set = Arc::clone(&set);
                move || {
                    set.remove(1);
                    set.insert_words(0, &[1 << 9]);
                }
            });
            set.insert(2);
            other.join().unwrap();
            assert!(set.iter().eq([2, 9]));
        });
    }
}
