//! String IDs in a hash table, numbered in the order of their first appearance. In the end they are sorted once, by
//! eight bytes after the prefix that all of them share.

use super::by_sorting::TextIds;
use super::in_memory::{NumberTable, REPLAYED, RankedIds};
use super::ranks::Ranks;
use crate::original_ids::{TEXT_ENDS_NAME, TEXTS_NAME};
use crate::writing::checkpoint::{kept_values, save_values};
use crate::writing::context::{BuildContext, Writing, vertex_count};
use crate::writing::edges::{IdBatch, IdKind};
use crate::writing::preflight::IdFiles;
use hashbrown::HashTable;
use outcrop_io::DurableFile;
use outcrop_types::{Error, Phase, ProgressUnit, Purpose, Result, index_from, length_from, memory, number_from};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes per ID for sorting: eight bytes of it with its number, and its rank.
const SORTED_BYTES: usize = 16 + 4;
/// Odd number with random-looking bits, to spread the stored half of a hash.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
/// Bytes by which strings are compared first.
const LOAD_BYTES: usize = 8;
/// Number of strings that are looked up together.
const TOGETHER: usize = 64;
/// Bytes of a table beyond its entries.
const GROUP_BYTES: usize = 16;

/// Number of strings for which there is room at first, and the bytes of an entry.
const LEAST_TEXTS: usize = 1 << 6;
const ENTRY_BYTES: usize = size_of::<Entry>() + 1;

/// Bytes from which arrays no longer double.
const LARGE: usize = 16 << 20;

/// Hash and number of a string.
type Entry = (u32, u32);

/// Distinct strings.
pub(super) struct TextTable {
    bytes: Vec<u8>,
    /// End of each string.
    ends: Vec<u64>,
    entries: HashTable<Entry>,
    /// Maximum memory, in bytes.
    most: usize,
}

/// Returns by how much an array of so many bytes grows: large ones by a quarter, so that more fits in the memory.
const fn growth(bytes: usize) -> usize {
    if bytes < LARGE { bytes } else { bytes / 4 }
}

fn hash_of(text: &[u8]) -> u32 {
    xxh3_64(text) as u32
}

/// Returns a hash with all bits from the stored half.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(ODD)
}

impl TextTable {
    /// Returns, for each string, the number of one with the same half of the hash. Each step fetches from memory for
    /// all strings before the next one needs it, so that the processor waits for many at once.
    fn candidates(&self, texts: &[&[u8]]) -> [Option<u32>; TOGETHER] {
        let (mut hashes, mut found) = ([0; TOGETHER], [None; TOGETHER]);
        hashes.iter_mut().zip(texts).for_each(|(hash, text)| *hash = hash_of(text));
        for (found, hash) in found.iter_mut().zip(hashes).take(texts.len()) {
            *found = self.entries.find(spread(hash), |(known, _)| *known == hash).map(|(_, number)| *number);
        }
        let first = |number: &u32| self.text(*number).first().map_or(0, |byte| *byte);
        std::hint::black_box(found.iter().flatten().map(first).fold(0_u8, |all, byte| all ^ byte));
        found
    }

    /// Returns the number of `text`, which is added if it is new; `None` if it does not fit in the memory.
    fn number_of(&mut self, new: &[u8]) -> Result<Option<u32>> {
        let hash = hash_of(new);
        let found = self.entries.find(spread(hash), |(known, number)| *known == hash && self.text(*number) == new);
        if let Some((_, number)) = found {
            return Ok(Some(*number));
        }
        IdBatch::require_storable(new)?;
        if !self.has_room_for(new)? {
            return Ok(None);
        }
        let number = number_from(length_from(self.ends.len()));
        self.bytes.extend_from_slice(new);
        self.ends.push(length_from(self.bytes.len()));
        self.entries.insert_unique(spread(hash), (hash, number), |(hash, _)| spread(*hash));
        Ok(Some(number))
    }

    /// Grows the table for one more string; returns `false` if the memory does not suffice, now or for sorting. While a
    /// part grows, its old and its new memory exist.
    fn has_room_for(&mut self, new: &[u8]) -> Result<bool> {
        let (bytes, texts) = (self.bytes.len(), self.ends.len());
        if bytes + new.len() > self.bytes.capacity() {
            let more = growth(bytes).max(new.len()).max(LEAST_TEXTS * LOAD_BYTES);
            if self.used() + bytes + more > self.most {
                return Ok(false);
            }
            memory::make_room(&mut self.bytes, more, Purpose::IdMap)?;
        }
        if texts == self.ends.capacity() {
            let more = (growth(texts * size_of::<u64>()) / size_of::<u64>()).max(LEAST_TEXTS);
            if self.used() + (texts + more) * size_of::<u64>() > self.most {
                return Ok(false);
            }
            memory::make_room(&mut self.ends, more, Purpose::IdMap)?;
        }
        if texts == self.entries.capacity() {
            let grown = (2 * self.entries.allocation_size()).max(2 * LEAST_TEXTS * ENTRY_BYTES + GROUP_BYTES);
            if self.used() + grown > self.most || texts >= index_from(u32::MAX.into()) {
                return Ok(false);
            }
            let refused = |_| Error::OutOfMemory { bytes: length_from(grown), purpose: Some(Purpose::IdMap) };
            self.entries.try_reserve(texts.max(LEAST_TEXTS), |(hash, _)| spread(*hash)).map_err(refused)?;
        }
        Ok(self.for_sorting(texts + 1) <= self.most)
    }

    /// Returns the memory in use.
    fn used(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u64>() + self.entries.allocation_size()
    }

    /// Returns the memory for sorting `texts` strings, when the entries are dropped.
    fn for_sorting(&self, texts: usize) -> usize {
        self.used() - self.entries.allocation_size() + texts * SORTED_BYTES
    }

    /// Returns the string with a number.
    fn text(&self, number: u32) -> &[u8] {
        let place = index_from(number.into());
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[index_from(start)..index_from(self.ends[place])]
    }

    /// Returns the length of the prefix that all strings share.
    fn shared_prefix(&self) -> usize {
        let first = if self.ends.is_empty() { &[][..] } else { self.text(0) };
        (0..).take(self.ends.len()).fold(first.len(), |shared, number| {
            first[..shared].iter().zip(self.text(number)).take_while(|(one, other)| one == other).count()
        })
    }
}

/// Returns the first eight bytes, the most significant first, or fewer and zeros.
fn first_bytes(text: &[u8]) -> u64 {
    let mut first = [0; LOAD_BYTES];
    let length = text.len().min(LOAD_BYTES);
    first[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(first)
}

/// Durable strings, which survive the process.
#[derive(Serialize, Deserialize)]
pub(super) struct DurableTable {
    bytes: DurableFile,
    ends: DurableFile,
}

impl NumberTable for TextTable {
    type Sorted = TextIds;
    type Durable = DurableTable;

    fn new(bytes: u64, _: Option<u64>) -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), entries: HashTable::new(), most: index_from(bytes) }
    }

    fn number(&mut self, ids: &IdBatch, numbers: &mut Vec<u32>) -> Result<bool> {
        let (mut left, mut texts) = (ids.texts(), Vec::with_capacity(TOGETHER));
        loop {
            texts.clear();
            texts.extend(left.by_ref().take(TOGETHER));
            if texts.is_empty() {
                return Ok(true);
            }
            let candidates = self.candidates(&texts);
            for (new, candidate) in texts.iter().zip(candidates) {
                let known = candidate.filter(|number| self.text(*number) == *new);
                let number = if known.is_some() { known } else { self.number_of(new)? };
                let Some(number) = number else { return Ok(false) };
                numbers.push(number);
            }
        }
    }

    fn files_of_sorting(&self, _: &IdBatch, edge_bytes: u64) -> IdFiles {
        IdFiles::Texts(edge_bytes)
    }

    fn bytes(&self) -> u64 {
        length_from(self.used().max(self.for_sorting(self.ends.len())))
    }

    fn for_each(&self, mut take: impl FnMut(IdBatch) -> Result<()>) -> Result<()> {
        let count: u32 = number_from(length_from(self.ends.len()));
        let mut numbers = Vec::with_capacity(REPLAYED);
        for start in (0..count).step_by(REPLAYED) {
            numbers.clear();
            numbers.extend((start..count).take(REPLAYED));
            take(self.ids_of(&numbers))?;
        }
        Ok(())
    }

    fn ids_of(&self, numbers: &[u32]) -> IdBatch {
        let mut ids = IdBatch::empty(IdKind::Text);
        numbers.iter().for_each(|number| ids.push_text(self.text(*number)));
        ids
    }

    fn finish(mut self, writing: &Writing<'_>) -> Result<RankedIds> {
        self.entries = HashTable::new();
        let work = writing.context.work;
        work.observer.phase(&Phase { name: "numbering vertices", unit: ProgressUnit::Vertices, total: None });
        let (vertices, shared) = (vertex_count(length_from(self.ends.len()))?, self.shared_prefix());
        let rest = |number: u32| &self.text(number)[shared..];
        let mut sorted = memory::filled(self.ends.len(), Purpose::IdMap, |place| {
            let number = number_from(length_from(place));
            (first_bytes(rest(number)), number)
        })?;
        sorted.sort_unstable_by(|(first, one), (second, other)| {
            first.cmp(second).then_with(|| rest(*one).cmp(rest(*other)))
        });
        let (mut texts, mut text_ends) = (writing.component(TEXTS_NAME)?, writing.component(TEXT_ENDS_NAME)?);
        let mut ranks = memory::filled(self.ends.len(), Purpose::IdMap, |_| 0)?;
        let mut end = 0_u64;
        for (rank, (_, number)) in (0_u32..).zip(&sorted) {
            if rank.is_multiple_of(1 << 16) {
                work.cancellation().check()?;
            }
            let text = self.text(*number);
            texts.write(text)?;
            end += length_from(text.len());
            text_ends.write(&end.to_le_bytes())?;
            ranks[index_from(u64::from(*number))] = rank;
        }
        let files = vec![texts.finish()?, text_ends.finish()?];
        let bytes = length_from(size_of_val(&*ranks));
        Ok(RankedIds { vertices, ranks: Ranks::Table(ranks), bytes, files })
    }

    fn keep(&self, context: &BuildContext<'_>) -> Result<DurableTable> {
        let bytes = save_values(&context.spill, &self.bytes)?;
        Ok(DurableTable { bytes, ends: save_values(&context.spill, &self.ends)? })
    }

    fn resume(&mut self, context: &BuildContext<'_>, kept: &DurableTable) -> Result<u64> {
        self.bytes = kept_values(&context.spill, &kept.bytes, Purpose::IdMap)?;
        self.ends = kept_values(&context.spill, &kept.ends, Purpose::IdMap)?;
        if !self.ends.is_sorted() || self.ends.last().is_some_and(|end| *end != length_from(self.bytes.len())) {
            return Err(Error::internal("the strings of a checkpoint do not match their ends"));
        }
        for number in 0..number_from(length_from(self.ends.len())) {
            let hash = hash_of(self.text(number));
            self.entries.insert_unique(spread(hash), (hash, number), |(hash, _)| spread(*hash));
        }
        Ok(self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn batch(texts: &[Vec<u8>]) -> IdBatch {
        let mut ids = IdBatch::empty(IdKind::Text);
        texts.iter().for_each(|text| ids.push_text(text));
        ids
    }

    #[test]
    fn the_first_string_stays_within_any_memory() {
        for most in 0..5000 {
            let mut table = TextTable::new(most, None);
            table.number(&batch(&[vec![97]]), &mut Vec::new()).unwrap();
            assert!(table.bytes() <= most, "{} of {most}", table.bytes());
        }
    }

    proptest! {
        #[test]
        fn strings_have_one_number_each_within_the_memory(
            texts in proptest::collection::vec(proptest::collection::vec(97u8..100, 1..6), 0..400),
            most in 0u64..400_000,
        ) {
            let (mut table, mut numbers) = (TextTable::new(most, None), Vec::new());
            let all = table.number(&batch(&texts), &mut numbers).unwrap();
            prop_assert!(all == (numbers.len() == texts.len()) && (all || most < 300_000));
            prop_assert!(table.bytes() <= most);
            let mut known = BTreeMap::new();
            for (text, number) in texts.iter().zip(&numbers) {
                let next = u32::try_from(known.len()).unwrap();
                prop_assert_eq!(known.entry(text.clone()).or_insert(next), number);
                prop_assert_eq!(table.text(*number), &**text);
            }
            prop_assert_eq!(table.ids_of(&numbers), batch(&texts[..numbers.len()]));
        }

        #[test]
        fn the_first_bytes_decide_as_far_as_they_go(
            one in proptest::collection::vec(1u8..4, 1..12),
            other in proptest::collection::vec(1u8..4, 1..12),
        ) {
            let order = first_bytes(&one).cmp(&first_bytes(&other)).then_with(|| one.cmp(&other));
            prop_assert_eq!(order, one.cmp(&other));
            let mut table = TextTable::new(u64::MAX, None);
            prop_assert!(table.number(&batch(&[one.clone(), other.clone()]), &mut Vec::new()).unwrap());
            let shared = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
            prop_assert_eq!(table.shared_prefix(), shared);
        }
    }
}
