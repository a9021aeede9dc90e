//! Free places in the file. Places of pages that were read are reused, so that the file does not grow beyond the
//! maximum number of pending pages.

use std::ops::Range;

/// Bits of the places in the file, set for those with a page.
#[derive(Debug, Default)]
pub(super) struct Places {
    words: Vec<u64>,
    /// Number of places in the file.
    length: u32,
    free: u32,
    /// Next place to examine. Freed places merge into longer runs until the cursor reaches the end of the file.
    cursor: u32,
}

impl Places {
    /// Takes up to `most` consecutive places. The file grows only if no place is free. Returns `None` at its size
    /// limit.
    pub(super) fn take(&mut self, most: u32) -> Option<Range<u32>> {
        match self.free {
            0 => self.grow(most),
            _ => Some(self.reuse(most)),
        }
    }

    fn grow(&mut self, most: u32) -> Option<Range<u32>> {
        let places = self.length..self.length.saturating_add(most);
        self.length = places.end;
        self.words.resize(self.length.div_ceil(64) as usize, 0);
        places.clone().for_each(|place| self.set(place, true));
        (!places.is_empty()).then_some(places)
    }

    fn reuse(&mut self, most: u32) -> Range<u32> {
        let first = self.next_free();
        let longest = first.saturating_add(most).min(self.length);
        let end = (first..longest).find(|place| self.is_taken(*place)).unwrap_or(longest);
        (first..end).for_each(|place| self.set(place, true));
        self.free -= end - first;
        self.cursor = end;
        first..end
    }

    /// Returns the first free place from the cursor on, or from the beginning. There must be one.
    fn next_free(&self) -> u32 {
        let from = |start: u32| {
            let (word, bit) = ((start / 64) as usize, start % 64);
            let first = self.words.get(word).map(|word| word | ((1 << bit) - 1));
            let rest = self.words.iter().skip(word + 1).copied();
            let full = first.into_iter().chain(rest).take_while(|word| *word == u64::MAX).count();
            let at = word + full;
            let bits = if full == 0 { first } else { self.words.get(at).copied() };
            bits.map(|bits| at as u32 * 64 + bits.trailing_ones()).filter(|place| *place < self.length)
        };
        from(self.cursor).or_else(|| from(0)).unwrap_or(0)
    }

    /// Frees a place.
    pub(super) fn release(&mut self, place: u32) {
        debug_assert!(self.is_taken(place));
        self.set(place, false);
        self.free += 1;
    }

    /// Returns the number of places with a page.
    pub(super) const fn taken(&self) -> u64 {
        (self.length - self.free) as u64
    }

    fn is_taken(&self, place: u32) -> bool {
        self.words[(place / 64) as usize] >> (place % 64) & 1 == 1
    }

    fn set(&mut self, place: u32, taken: bool) {
        let word = &mut self.words[(place / 64) as usize];
        *word = *word & !(1 << (place % 64)) | u64::from(taken) << (place % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn no_place_is_given_twice_and_the_file_is_as_long_as_it_must_be(steps in proptest::collection::vec((any::<bool>(), 1_u32..90), 1..200)) {
            let (mut places, mut taken, mut most) = (Places::default(), BTreeSet::new(), 0);
            for (take, number) in steps {
                if take {
                    let mut left = number;
                    while left > 0 {
                        let some = places.take(left).unwrap();
                        left -= some.len() as u32;
                        some.for_each(|place| assert!(taken.insert(place)));
                    }
                } else {
                    let some: Vec<u32> = taken.iter().copied().skip(number as usize % 7).step_by(3).take(number as usize).collect();
                    some.iter().for_each(|place| { taken.remove(place); places.release(*place); });
                }
                most = most.max(taken.len());
                prop_assert_eq!(places.taken(), taken.len() as u64);
                prop_assert_eq!(places.length as usize, most);
            }
        }
    }
}
