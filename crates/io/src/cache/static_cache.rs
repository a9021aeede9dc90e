//! Static cache: pinned byte strings that are selected beforehand, by number (BASC, section 3).

use crate::AlignedBuffer;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, index_from, length_from, memory};

/// Number of members per index block.
const BLOCK: u32 = u64::BITS;
/// Minimum alignment of records, in bytes.
const LEAST_GRANULE: u64 = 4;
/// Number of zeros after the last record: vectorized decoders read past the end of their input.
const TAIL_BYTES: u64 = 1024;

/// Members of a block, and the number of members before it.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    members: u64,
    before: u32,
}

/// Start of a record, in granules, and its length in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    start: u32,
    length: u32,
}

/// Record: the bytes from its start on, including those of later records, and its length.
pub type Record<'c> = (&'c [u8], usize);

/// Cache of pinned records, which are never evicted. A lookup of a non-member tests one bit.
#[derive(Debug)]
pub struct StaticCache {
    blocks: Vec<Block>,
    /// Entry per member, in order of number.
    entries: Vec<Entry>,
    memory: AlignedBuffer,
    granule: u64,
    _held: Reservation,
}

impl StaticCache {
    /// Returns the memory of a cache of `members` of the numbers `0..numbers` with `record_bytes` bytes of records, in
    /// bytes.
    pub const fn bytes_for(numbers: u32, members: u64, record_bytes: u64) -> u64 {
        let blocks = (numbers.div_ceil(BLOCK) as u64) * size_of::<Block>() as u64;
        let records = record_bytes.saturating_add(TAIL_BYTES).next_multiple_of(crate::ALIGNMENT as u64);
        blocks.saturating_add(members.saturating_mul(size_of::<Entry>() as u64)).saturating_add(records)
    }

    /// Returns the record of `number`, if it is a member.
    #[inline]
    pub fn get(&self, number: u32) -> Option<Record<'_>> {
        let entry = self.entries.get(self.rank(number)?)?;
        let start = index_from(u64::from(entry.start) * self.granule);
        Some((self.memory.get(start..)?, index_from(u64::from(entry.length))))
    }

    /// Returns true if `number` is a member.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        let block = self.blocks.get(index_from(u64::from(number / BLOCK)));
        block.is_some_and(|block| block.members >> (number % BLOCK) & 1 != 0)
    }

    /// Returns the number of members.
    pub const fn members(&self) -> u64 {
        length_from(self.entries.len())
    }

    /// Returns the reserved memory, in bytes.
    pub const fn bytes(&self) -> u64 {
        self._held.bytes()
    }

    /// Calls `with` with each member in `start..end`, in ascending order.
    pub fn for_each_member(&self, start: u32, end: u32, mut with: impl FnMut(u32)) {
        let mut number = start;
        let end = u64::from(end).min(length_from(self.blocks.len()) * u64::from(BLOCK)) as u32;
        while number < end {
            let block = self.blocks[index_from(u64::from(number / BLOCK))];
            let rest = block.members >> (number % BLOCK);
            if rest == 0 {
                number = (number / BLOCK + 1).saturating_mul(BLOCK);
                continue;
            }
            number += rest.trailing_zeros();
            if number < end {
                with(number);
            }
            number += 1;
        }
    }

    /// Returns the number of members less than `number`, which must be a member.
    #[inline]
    fn rank(&self, number: u32) -> Option<usize> {
        let block = self.blocks.get(index_from(u64::from(number / BLOCK)))?;
        let bit = 1_u64 << (number % BLOCK);
        let below = (block.members & (bit - 1)).count_ones();
        (block.members & bit != 0).then(|| index_from(u64::from(block.before + below)))
    }
}

/// Builder of a static cache: first all members are inserted, then their records are placed, then the bytes are filled
/// in.
#[derive(Debug)]
pub struct StaticCacheDraft {
    cache: StaticCache,
    numbers: u32,
}

impl StaticCacheDraft {
    /// Creates a cache of `members` of the numbers `0..numbers` with `record_bytes` bytes of records, aligned to
    /// `granule`, which is 4 times a power of two.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::BudgetTooSmall`] or [`outcrop_types::Error::OutOfMemory`].
    pub fn new(budget: &MemoryBudget, numbers: u32, members: u32, record_bytes: u64, granule: u64) -> Result<Self> {
        let bytes = StaticCache::bytes_for(numbers, u64::from(members), record_bytes);
        let held = budget.reserve_growing(bytes, Purpose::StaticCache)?;
        let blocks = index_from(u64::from(numbers.div_ceil(BLOCK)));
        let cache = StaticCache {
            blocks: memory::filled(blocks, Purpose::StaticCache, |_| Block::default())?,
            entries: memory::filled(index_from(u64::from(members)), Purpose::StaticCache, |_| Entry::default())?,
            memory: AlignedBuffer::new(
                index_from(record_bytes.saturating_add(TAIL_BYTES)),
                crate::ALIGNMENT,
                Purpose::StaticCache,
            )?,
            granule: granule.max(LEAST_GRANULE),
            _held: held,
        };
        Ok(Self { cache, numbers })
    }

    /// Adds `number` as a member; returns `false` if it already is one or is out of range.
    pub fn insert(&mut self, number: u32) -> bool {
        let bit = 1_u64 << (number % BLOCK);
        let block = self.cache.blocks.get_mut(index_from(u64::from(number / BLOCK)));
        let Some(block) = block.filter(|block| number < self.numbers && block.members & bit == 0) else { return false };
        block.members |= bit;
        true
    }

    /// Indexes the members after the last insert; returns true if their number is the expected one.
    pub fn count(&mut self) -> bool {
        let mut before = 0;
        for block in &mut self.cache.blocks {
            block.before = before;
            before += block.members.count_ones();
        }
        u64::from(before) == self.cache.members()
    }

    /// Places the record of `number` at the `length` bytes from `start` on, a multiple of the granule; returns `false`
    /// if it is not a member or the place is invalid.
    pub fn place(&mut self, number: u32, start: u64, length: u32) -> bool {
        let cache = &mut self.cache;
        let room = length_from(cache.memory.len()) - TAIL_BYTES;
        let inside = start.checked_add(u64::from(length)).is_some_and(|end| end <= room);
        let granules = u32::try_from(start / cache.granule).ok();
        let granules = granules.filter(|_| inside && start.is_multiple_of(cache.granule));
        let rank = cache.rank(number);
        match (granules, rank.and_then(|rank| cache.entries.get_mut(rank))) {
            (Some(start), Some(entry)) => {
                *entry = Entry { start, length };
                true
            }
            _ => false,
        }
    }

    /// Returns the bytes of the records.
    pub fn records_mut(&mut self) -> &mut [u8] {
        let end = self.cache.memory.len() - index_from(TAIL_BYTES);
        &mut self.cache.memory[..end]
    }

    /// Returns the finished cache.
    pub fn finish(self) -> StaticCache {
        self.cache
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates records of 0, 1, 2... bytes, highest number first.
    fn cache(members: &[u32], numbers: u32, granule: u64) -> StaticCache {
        let length = |number: u32| number % 37;
        let bytes: u64 = members.iter().map(|number| u64::from(length(*number)).next_multiple_of(granule)).sum();
        let budget = MemoryBudget::new(1 << 20);
        let count = members.len() as u32;
        let mut draft = StaticCacheDraft::new(&budget, numbers, count, bytes, granule).unwrap();
        assert!(members.iter().all(|number| draft.insert(*number)));
        assert!(draft.count());
        let mut start = 0;
        for number in members.iter().rev() {
            assert!(draft.place(*number, start, length(*number)));
            let own = start as usize..start as usize + length(*number) as usize;
            draft.records_mut()[own].fill(*number as u8);
            start += u64::from(length(*number)).next_multiple_of(granule);
        }
        let cache = draft.finish();
        assert_eq!(cache.bytes(), budget.limit() - budget.available());
        assert_eq!(cache.bytes(), StaticCache::bytes_for(numbers, u64::from(count), bytes));
        cache
    }

    #[test]
    fn members_have_their_records_and_others_none() {
        for granule in if cfg!(miri) { vec![8] } else { vec![4, 8, 64] } {
            for step in if cfg!(miri) { vec![64, 500] } else { vec![1, 3, 64, 500] } {
                let members: Vec<u32> = (0..1000).step_by(step).collect();
                let cache = cache(&members, 1000, granule);
                for number in 0..1100 {
                    let expected = members.contains(&number);
                    assert_eq!(cache.contains(number), expected);
                    let own = cache.get(number).map(|(bytes, length)| &bytes[..length]);
                    assert_eq!(own.is_some(), expected);
                    assert!(
                        own.is_none_or(
                            |own| own.len() == number as usize % 37 && own.iter().all(|b| *b == number as u8)
                        )
                    );
                }
                for (start, end) in [(0, 1000), (63, 65), (64, 64), (5, 999), (0, u32::MAX)] {
                    let mut found = Vec::new();
                    cache.for_each_member(start, end, |number| found.push(number));
                    let inside = members.iter().copied().filter(|number| (start..end).contains(number));
                    assert!(found.into_iter().eq(inside), "{start}..{end}");
                }
            }
        }
    }

    #[test]
    fn a_record_has_room_behind_it() {
        let cache = cache(&[5, 999], 1000, 4);
        assert!(cache.get(5).unwrap().0.len() >= 544 && cache.get(999).unwrap().0.len() >= 544);
    }

    #[test]
    fn nonsense_is_refused() {
        let budget = MemoryBudget::new(1 << 20);
        let mut draft = StaticCacheDraft::new(&budget, 100, 2, 16, 4).unwrap();
        assert!(draft.insert(7) && !draft.insert(7) && !draft.insert(100) && !draft.insert(u32::MAX));
        assert!(!draft.count());
        assert!(draft.insert(9) && draft.count());
        assert!(
            !draft.place(8, 0, 4) && !draft.place(7, 0, 17) && !draft.place(7, 2, 4) && !draft.place(7, u64::MAX, 4)
        );
        assert!(draft.place(7, 0, 16) && draft.place(9, 16, 0));
        assert!(StaticCacheDraft::new(&MemoryBudget::new(100), 100, 2, 16, 4).is_err());
    }
}
