//! Small integer IDs as bits: the rank of an ID is the number of bits set before it.

use super::by_sorting::IntegerIds;
use super::in_memory::{NumberTable, REPLAYED, RankedIds};
use super::input::no_numbers;
use super::ranked_bitmap::{LINE_WORDS, RankedBitmap};
use super::ranks::Ranks;
use crate::original_ids::INTEGERS_NAME;
use crate::writing::checkpoint::{kept_values, save_values};
use crate::writing::context::{BuildContext, Writing, vertex_count};
use crate::writing::edges::IdBatch;
use crate::writing::preflight::{IdFiles, bits};
use outcrop_io::DurableFile;
use outcrop_types::{Purpose, Result, index_from, length_from, memory, number_from};

/// Bits of a line, the unit of counting.
const LINE_BITS: u64 = 512;
/// Maximum number of bits per edge: a large ID in a small file does not allocate memory proportional to its value.
const BITS_AN_EDGE: u64 = 256;
/// Number of bits that is always available.
const LEAST_BITS: u64 = 1 << 23;

/// Set of the IDs that occurred.
pub(super) struct IdBitmap {
    words: Vec<u64>,
    /// Exclusive upper bound of the IDs.
    most: u64,
}

impl NumberTable for IdBitmap {
    type Sorted = IntegerIds;
    type Durable = DurableFile;

    fn new(bytes: u64, edges: Option<u64>) -> Self {
        let worthwhile = edges.map_or(u64::MAX, |edges| edges.saturating_mul(BITS_AN_EDGE).max(LEAST_BITS));
        // A growing vector holds its old and its new words at once; counts come on top.
        let most = (bytes / 18 * u64::from(u64::BITS)).min(1 << 32).min(worthwhile);
        Self { words: Vec::new(), most }
    }

    fn number(&mut self, ids: &IdBatch, numbers: &mut Vec<u32>) -> Result<bool> {
        let IdBatch::Integers(ids) = ids else { return Err(no_numbers()) };
        let fits = self.mark(ids)?;
        if fits {
            numbers.extend(ids.iter().map(|id| small(*id)));
        }
        Ok(fits)
    }

    fn files_of_sorting(&self, ids: &IdBatch, _: u64) -> IdFiles {
        let largest = if let IdBatch::Integers(ids) = ids { ids.iter().max() } else { None };
        IdFiles::Sorted(largest.map_or(1, |largest| bits(largest.saturating_add(1))))
    }

    fn bytes(&self) -> u64 {
        length_from(self.words.capacity()) * 8
    }

    fn for_each(&self, mut take: impl FnMut(IdBatch) -> Result<()>) -> Result<()> {
        let mut ids = Vec::with_capacity(REPLAYED);
        self.for_each_id(|id| {
            ids.push(id);
            if ids.len() < REPLAYED {
                return Ok(());
            }
            take(IdBatch::Integers(std::mem::replace(&mut ids, Vec::with_capacity(REPLAYED))))
        })?;
        take(IdBatch::Integers(ids))
    }

    fn ids_of(&self, numbers: &[u32]) -> IdBatch {
        IdBatch::Integers(numbers.iter().map(|number| u64::from(*number)).collect())
    }

    fn finish(self, writing: &Writing<'_>) -> Result<RankedIds> {
        let mut file = writing.component(INTEGERS_NAME)?;
        self.for_each_id(|id| file.write(&id.to_le_bytes()))?;
        let files = vec![file.finish()?];
        let ranks = RankedBitmap::new(self.words);
        let vertices = vertex_count(ranks.count)?;
        Ok(RankedIds { vertices, bytes: ranks.bytes(), ranks: Ranks::Bitmap(ranks), files })
    }

    fn keep(&self, context: &BuildContext<'_>) -> Result<DurableFile> {
        save_values(&context.spill, &self.words)
    }

    fn resume(&mut self, context: &BuildContext<'_>, kept: &DurableFile) -> Result<u64> {
        self.words = kept_values(&context.spill, kept, Purpose::IdMap)?;
        Ok(length_from(self.words.len()) * 18)
    }
}

/// Converts an ID that the bitmap has accepted.
fn small(id: u64) -> u32 {
    number_from(id)
}

impl IdBitmap {
    fn mark(&mut self, ids: &[u64]) -> Result<bool> {
        let Some(largest) = ids.iter().max() else { return Ok(true) };
        if *largest >= self.most {
            return Ok(false);
        }
        let words = index_from(largest / LINE_BITS + 1) * LINE_WORDS;
        if words > self.words.capacity() {
            // Double the size, so that ascending IDs do not copy the words each time.
            let most = words.max((2 * self.words.len()).min(index_from(self.most / 64)));
            let more = most - self.words.len();
            memory::make_room(&mut self.words, more, Purpose::IdMap)?;
        }
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
        for id in ids {
            self.words[index_from(id / 64)] |= 1 << (id % 64);
        }
        Ok(true)
    }

    /// Calls `take` with the IDs, in ascending order.
    fn for_each_id(&self, mut take: impl FnMut(u64) -> Result<()>) -> Result<()> {
        for (number, word) in (0_u64..).zip(&self.words) {
            let mut rest = *word;
            while rest != 0 {
                take(number * 64 + u64::from(rest.trailing_zeros()))?;
                rest &= rest - 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn ranks_count_the_ids_below(ids in proptest::collection::vec(0u64..5000, 1..300)) {
            let mut bitmap = IdBitmap { words: Vec::new(), most: 5000 };
            prop_assert!(bitmap.mark(&ids).unwrap());
            prop_assert!(!bitmap.mark(&[5000]).unwrap());
            let model: BTreeSet<u64> = ids.into_iter().collect();
            let mut listed = Vec::new();
            bitmap.for_each_id(|id| { listed.push(id); Ok(()) }).unwrap();
            prop_assert!(listed.iter().eq(&model));
            let ranks = RankedBitmap::new(bitmap.words);
            prop_assert!((0_u32..).zip(&model).all(|(rank, id)| ranks.rank(small(*id)) == rank));
            prop_assert_eq!(ranks.count, length_from(model.len()));
        }
    }
}
