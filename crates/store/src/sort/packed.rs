//! Records on disk, in blocks. Each 32-bit word of the records of a block takes as many bits as its values need above
//! their minimum, without the low bits that they share: frame of reference (Zukowski, Héman, Nes, Boncz: *Super-Scalar
//! RAM-CPU Cache Compression*, ICDE 2006). Sorted groups of list entries shrink by a third to a half.
//!
//! ```text
//! number of records (4 bytes) | base, shift and width of each word (6 bytes) | the codes, record by record
//! ```

use super::key::Record;
use outcrop_io::{SpillReader, SpillWriter};
use outcrop_types::{Error, Purpose, Result, index_from, length_from, memory, number_from};
use std::marker::PhantomData;

/// Maximum number of records per block.
const BLOCK: usize = 1 << 12;
/// Bytes that are written at once, approximately.
const WRITTEN: usize = 128 << 10;
/// Bytes of a word, and of the description of its codes.
const WORD: usize = 4;
const COLUMN: usize = 6;
const MOST_WORDS: usize = 10;
/// Bytes that a code is loaded from, and the bits that it may have wherever it begins in the first of them.
const LOAD: usize = 8;
const TOGETHER: u32 = 57;

/// Codes of one word: a value is `base + (code << shift)`, and a code has `width` bits.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// Byte offset of the word in a record.
    offset: usize,
    base: u32,
    shift: u32,
    width: u32,
}

const fn words<R>() -> usize {
    const { assert!(size_of::<R>().is_multiple_of(WORD) && size_of::<R>() <= MOST_WORDS * WORD) };
    size_of::<R>() / WORD
}

#[inline]
fn word<R: Record>(record: &R, offset: usize) -> u32 {
    number_at(&bytemuck::bytes_of(record)[offset..])
}

/// Columns of a block that vary, and the bits of a record in them.
struct Columns {
    all: [Column; MOST_WORDS],
    varying: usize,
    width: u32,
}

impl Columns {
    const NONE: Self =
        Self { all: [Column { offset: 0, base: 0, shift: 0, width: 0 }; MOST_WORDS], varying: 0, width: 0 };

    fn push(&mut self, column: Column) {
        if column.width > 0 {
            self.all[self.varying] = column;
            self.varying += 1;
            self.width += column.width;
        }
    }

    fn as_slice(&self) -> &[Column] {
        &self.all[..self.varying]
    }

    /// Returns the columns if there are `N` of them, and a code of all together can be loaded at once.
    fn together<const N: usize>(&self) -> Option<&[Column; N]> {
        self.as_slice().try_into().ok().filter(|_| self.width <= TOGETHER)
    }
}

/// Returns the codes of each word of `records`, at least one.
fn columns_of<R: Record>(records: &[R]) -> impl Iterator<Item = Column> {
    let ranges = match bytemuck::try_cast_slice::<R, u32>(records) {
        Ok(all) if LANES.is_multiple_of(words::<R>()) => ranges_of(all, words::<R>()),
        _ => {
            let mut ranges = [WordRange::NONE; MOST_WORDS];
            for record in records {
                (0..words::<R>()).for_each(|place| ranges[place].take(word(record, place * WORD)));
            }
            ranges
        }
    };
    (0..words::<R>()).map(move |place| ranges[place].column(place * WORD))
}

/// Values of a word: the least, the largest, and the bits that are set in all and in any.
#[derive(Clone, Copy)]
struct WordRange {
    least: u32,
    most: u32,
    all: u32,
    any: u32,
}

impl WordRange {
    const NONE: Self = Self { least: u32::MAX, most: 0, all: u32::MAX, any: 0 };

    #[inline]
    fn take(&mut self, value: u32) {
        *self = self.with(Self { least: value, most: value, all: value, any: value });
    }

    #[inline]
    fn with(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            all: self.all & other.all,
            any: self.any | other.any,
        }
    }

    fn column(self, offset: usize) -> Column {
        let differing = self.any & !self.all;
        let shift = if differing == 0 { 0 } else { differing.trailing_zeros() };
        let width = u32::BITS - (self.most.saturating_sub(self.least) >> shift).leading_zeros();
        Column { offset, base: self.least, shift, width }
    }
}

/// Words processed at once, so that one instruction does.
const LANES: usize = 8;

/// Returns the range of each of the `words` of a record, of which there are all in `values`.
fn ranges_of(values: &[u32], words: usize) -> [WordRange; MOST_WORDS] {
    let (mut least, mut most, mut all, mut any) = ([u32::MAX; LANES], [0; LANES], [u32::MAX; LANES], [0; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            least[lane] = least[lane].min(chunk[lane]);
            most[lane] = most[lane].max(chunk[lane]);
            all[lane] &= chunk[lane];
            any[lane] |= chunk[lane];
        }
    }
    let mut ranges = [WordRange::NONE; MOST_WORDS];
    for lane in 0..LANES {
        let range = WordRange { least: least[lane], most: most[lane], all: all[lane], any: any[lane] };
        ranges[lane % words] = ranges[lane % words].with(range);
    }
    rest.iter().enumerate().for_each(|(lane, value)| ranges[lane % words].take(*value));
    ranges
}

/// Writer of blocks.
pub(crate) struct Packer<R> {
    bytes: Vec<u8>,
    record: PhantomData<R>,
}

impl<R: Record> Packer<R> {
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), record: PhantomData }
    }

    /// Appends `records` to the blocks, and writes blocks once there are enough.
    ///
    /// # Errors
    ///
    /// Returns an error if memory is refused or writing fails.
    pub(crate) fn write(&mut self, records: &[R], writer: &mut SpillWriter) -> Result<()> {
        for block in records.chunks(BLOCK) {
            self.pack(block)?;
            if self.bytes.len() >= WRITTEN {
                self.flush(writer)?;
            }
        }
        Ok(())
    }

    /// Writes all blocks.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(crate) fn flush(&mut self, writer: &mut SpillWriter) -> Result<()> {
        writer.write(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Appends a block.
    fn pack(&mut self, records: &[R]) -> Result<()> {
        let most = WORD + words::<R>() * COLUMN + size_of_val(records) + LOAD;
        memory::make_room(&mut self.bytes, most, Purpose::SortSpace)?;
        let count: u32 = number_from(length_from(records.len()));
        self.bytes.extend_from_slice(&count.to_le_bytes());
        let (mut columns, mut base) = (Columns::NONE, R::zeroed());
        for column in columns_of(records) {
            self.bytes.extend_from_slice(&column.base.to_le_bytes());
            self.bytes.extend_from_slice(&[column.shift as u8, column.width as u8]);
            set(&mut base, column.offset, column.base);
            columns.push(column);
        }
        let start = self.bytes.len();
        self.bytes.resize(start + size_of_val(records) + LOAD, 0);
        let into = &mut self.bytes[start..];
        let length = if let Some(columns) = columns.together::<1>() {
            write_together(records, base, columns, into)
        } else if let Some(columns) = columns.together::<2>() {
            write_together(records, base, columns, into)
        } else if let Some(columns) = columns.together::<3>() {
            write_together(records, base, columns, into)
        } else {
            write_each(records, columns.as_slice(), into)
        };
        self.bytes.truncate(start + length);
        Ok(())
    }
}

/// Returns true if records are numbers of 64 bits, which need no detour through memory.
const fn are_numbers<R>() -> bool {
    size_of::<R>() == size_of::<u64>()
}

/// Writes records whose codes fit [`TOGETHER`]; returns their length in bytes.
fn write_together<R: Record, const N: usize>(records: &[R], base: R, columns: &[Column; N], into: &mut [u8]) -> usize {
    if are_numbers::<R>() {
        let base: u64 = bytemuck::cast(base);
        let places = columns.map(|column| u8::BITS * column.offset as u32 + column.shift);
        let masks = columns.map(|column| (1_u64 << column.width) - 1);
        return write_codes(records, columns, into, |record| {
            // No word is less than its base.
            let above = bytemuck::cast::<R, u64>(*record).wrapping_sub(base);
            let (mut code, mut filled) = (0, 0);
            for (column, (place, mask)) in columns.iter().zip(places.iter().zip(masks)) {
                code |= (above >> place & mask) << filled;
                filled += column.width;
            }
            code
        });
    }
    write_codes(records, columns, into, |record| {
        let (mut code, mut filled) = (0, 0);
        for column in columns {
            code |= u64::from((word(record, column.offset) - column.base) >> column.shift) << filled;
            filled += column.width;
        }
        code
    })
}

/// Writes the code of each record, which has the width of all `columns`.
#[inline]
fn write_codes<R>(records: &[R], columns: &[Column], into: &mut [u8], code: impl Fn(&R) -> u64) -> usize {
    let width: u32 = columns.iter().map(|column| column.width).sum();
    let (mut bits, mut filled, mut at) = (0_u64, 0, 0);
    for record in records {
        bits |= code(record) << filled;
        filled += width;
        into[at..at + LOAD].copy_from_slice(&bits.to_le_bytes());
        let whole = filled / u8::BITS;
        at += whole as usize;
        // Up to 64 bits are whole bytes.
        bits = bits.checked_shr(whole * u8::BITS).unwrap_or(0);
        filled %= u8::BITS;
    }
    at + usize::from(filled > 0)
}

/// Writes records with codes of any number; returns their length in bytes.
fn write_each<R: Record>(records: &[R], columns: &[Column], into: &mut [u8]) -> usize {
    let (mut bits, mut filled, mut at) = (0_u64, 0, 0);
    for record in records {
        for column in columns {
            bits |= u64::from((word(record, column.offset) - column.base) >> column.shift) << filled;
            filled += column.width;
            if filled >= u32::BITS {
                into[at..at + WORD].copy_from_slice(&(bits as u32).to_le_bytes());
                at += WORD;
                bits >>= u32::BITS;
                filled -= u32::BITS;
            }
        }
    }
    into[at..at + WORD].copy_from_slice(&(bits as u32).to_le_bytes());
    at + index_from(filled.div_ceil(u8::BITS).into())
}

/// Reader of the blocks of one run.
pub(crate) struct Unpacker<R> {
    file: SpillReader,
    /// Bytes of the run not yet in the buffer.
    left: u64,
    /// Bytes read, followed by zeros so that codes can be loaded anywhere; the next bit, and the end.
    buffer: Vec<u8>,
    bit: usize,
    end: usize,
    /// Record of the bases, the words that vary, and the number of records not yet read of the current block.
    base: R,
    columns: Columns,
    records: usize,
}

impl<R: Record> Unpacker<R> {
    /// Minimum size of the buffer, in bytes.
    const LEAST_BYTES: usize = 1 << 10;

    /// Reads the next `length` bytes of `file` through a buffer of `bytes`.
    ///
    /// # Errors
    ///
    /// Returns an error if memory is refused.
    pub(crate) fn new(file: SpillReader, length: u64, bytes: usize) -> Result<Self> {
        let room = bytes.min(index_from(length)).max(Self::LEAST_BYTES) + LOAD;
        let buffer = memory::filled(room, Purpose::SortSpace, |_| 0)?;
        let (base, columns) = (R::zeroed(), Columns::NONE);
        Ok(Self { file, left: length, buffer, bit: 0, end: 0, base, columns, records: 0 })
    }

    /// Appends up to `most` records to `into`; returns their number, which is 0 at the end of the run.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails or a block is damaged.
    pub(crate) fn read(&mut self, most: usize, into: &mut Vec<R>) -> Result<usize> {
        if self.records == 0 && !self.begin()? {
            return Ok(0);
        }
        let width = index_from(self.columns.width.into());
        if width > 0 && (self.end * 8).saturating_sub(self.bit) < width {
            // The first record may begin within a byte.
            self.fill((self.bit % 8 + width).div_ceil(8))?;
        }
        // Default: records without bits are all here.
        let here = (self.end * 8).saturating_sub(self.bit).checked_div(width).unwrap_or(usize::MAX);
        let count = most.min(self.records).min(here);
        let (bytes, bit, base) = (&*self.buffer, self.bit, self.base);
        if let Some(columns) = self.columns.together::<1>() {
            read_together(bytes, bit, count, base, columns, into);
        } else if let Some(columns) = self.columns.together::<2>() {
            read_together(bytes, bit, count, base, columns, into);
        } else if let Some(columns) = self.columns.together::<3>() {
            read_together(bytes, bit, count, base, columns, into);
        } else {
            read_each(bytes, bit, count, base, self.columns.as_slice(), into);
        }
        self.bit += count * width;
        self.records -= count;
        Ok(count)
    }

    /// Reads the start of the next block; returns false at the end.
    fn begin(&mut self) -> Result<bool> {
        self.bit = self.bit.next_multiple_of(8);
        let length = WORD + words::<R>() * COLUMN;
        if self.end * 8 < self.bit + length * 8 {
            if self.left == 0 && self.bit == self.end * 8 {
                return Ok(false);
            }
            self.fill(length)?;
        }
        let start = self.bit / 8;
        let (count, columns) = self.buffer[start..start + length].split_at(WORD);
        self.records = index_from(u64::from(number_at(count)));
        (self.columns, self.base) = (Columns::NONE, R::zeroed());
        for (place, bytes) in columns.chunks_exact(COLUMN).enumerate() {
            let (base, shift, width) = (number_at(bytes), u32::from(bytes[WORD]), u32::from(bytes[WORD + 1]));
            if shift >= u32::BITS || width > u32::BITS {
                return Err(Error::internal("a block of a sorted run has codes of more than 32 bits"));
            }
            let offset = place * WORD;
            set(&mut self.base, offset, base);
            self.columns.push(Column { offset, base, shift, width });
        }
        self.bit += length * 8;
        if self.records > 0 { Ok(true) } else { Err(ends_early()) }
    }

    /// Moves the rest of the buffer to its start and reads more, so that at least `least` bytes are in it.
    fn fill(&mut self, least: usize) -> Result<()> {
        let start = (self.bit / 8).min(self.end);
        self.buffer.copy_within(start..self.end, 0);
        (self.bit, self.end) = (self.bit - start * 8, self.end - start);
        while self.end < least {
            let room = length_from(self.buffer.len() - LOAD - self.end).min(self.left);
            if room == 0 {
                return Err(ends_early());
            }
            // Blocks are checksummed as a whole.
            let over = (self.file.position() + room) % SpillReader::BLOCK_BYTES;
            let count = if over < room && room < self.left { room - over } else { room };
            let into = self.end..self.end + index_from(count);
            self.file.read_exact(&mut self.buffer[into.clone()])?;
            (self.end, self.left) = (into.end, self.left - count);
        }
        Ok(())
    }
}

/// Returns the bits of `bytes` from `bit` on, at least [`TOGETHER`].
#[inline]
fn load(bytes: &[u8], bit: usize) -> u64 {
    let mut load = [0; LOAD];
    load.copy_from_slice(&bytes[bit / 8..][..LOAD]);
    u64::from_le_bytes(load) >> (bit % 8)
}

#[inline]
fn set<R: Record>(record: &mut R, offset: usize, value: u32) {
    bytemuck::bytes_of_mut(record)[offset..offset + WORD].copy_from_slice(&value.to_le_bytes());
}

/// Reads `count` records whose codes fit [`TOGETHER`], starting at `bit`.
fn read_together<R: Record, const N: usize>(
    bytes: &[u8],
    bit: usize,
    count: usize,
    base: R,
    columns: &[Column; N],
    into: &mut Vec<R>,
) {
    let masks = columns.map(|column| (1_u64 << column.width) - 1);
    let width: u32 = columns.iter().map(|column| column.width).sum();
    let codes = (0..count).map(|place| load(bytes, bit + place * width as usize));
    if are_numbers::<R>() {
        let base: u64 = bytemuck::cast(base);
        let places = columns.map(|column| u8::BITS * column.offset as u32 + column.shift);
        into.extend(codes.map(|mut code| {
            let mut number = base;
            for (column, (place, mask)) in columns.iter().zip(places.iter().zip(masks)) {
                number = number.wrapping_add((code & mask) << place);
                code >>= column.width;
            }
            bytemuck::cast::<u64, R>(number)
        }));
        return;
    }
    into.extend(codes.map(|mut code| {
        let mut record = base;
        for (column, mask) in columns.iter().zip(masks) {
            let value = column.base.wrapping_add(((code & mask) as u32) << column.shift);
            set(&mut record, column.offset, value);
            code >>= column.width;
        }
        record
    }));
}

/// Reads `count` records with codes of any number, starting at `bit`.
fn read_each<R: Record>(bytes: &[u8], mut bit: usize, count: usize, base: R, columns: &[Column], into: &mut Vec<R>) {
    into.extend((0..count).map(|_| {
        let mut record = base;
        for column in columns {
            let code = load(bytes, bit) & ((1 << column.width) - 1);
            set(&mut record, column.offset, column.base.wrapping_add((code as u32) << column.shift));
            bit += column.width as usize;
        }
        record
    }));
}

#[inline]
fn number_at(bytes: &[u8]) -> u32 {
    let mut number = [0; WORD];
    number.copy_from_slice(&bytes[..WORD]);
    u32::from_le_bytes(number)
}

fn ends_early() -> Error {
    Error::internal("a sorted run ends within a block")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::record::{Arc, ArcRecord, KeyedEdge, KeyedRank, WeightedArc};
    use outcrop_io::SpillFolder;
    use proptest::prelude::*;

    /// Writes `records` in pieces and reads them in others, through a buffer of `bytes`.
    fn round_trip<R: Record>(records: &[R], piece: usize, bytes: usize) -> (Vec<R>, u64) {
        let place = tempfile::tempdir().unwrap();
        let (mut writer, mut packer) = (SpillFolder::new(place.path()).unwrap().create().unwrap(), Packer::new());
        records.chunks(piece).for_each(|records| packer.write(records, &mut writer).unwrap());
        packer.flush(&mut writer).unwrap();
        let file = writer.finish().unwrap();
        let mut reader = Unpacker::new(file.open().unwrap(), file.length(), bytes).unwrap();
        let mut found = Vec::new();
        while reader.read(piece / 2 + 1, &mut found).unwrap() > 0 {}
        (found, file.length())
    }

    fn check<R: Record>(records: &[R], piece: usize, bytes: usize) {
        let (found, _) = round_trip(records, piece, bytes);
        assert!(bytemuck::cast_slice::<R, u8>(&found) == bytemuck::cast_slice::<R, u8>(records));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn records_of_any_kind_come_back(
            keys in proptest::collection::vec((any::<u64>(), any::<u64>()), 0..9000),
            bits in 0u32..65,
            piece in 1usize..9000,
            bytes in 0usize..100_000,
        ) {
            let cut = |key: u64| key.checked_shr(bits).unwrap_or(0);
            let arcs: Vec<_> = keys.iter().map(|(a, b)| Arc::new(cut(*a) as u32, *b as u32, 1.0)).collect();
            check(&arcs, piece, bytes);
            let weight = |key: u64| if bits % 2 == 0 { (key % 255) as f64 } else { f64::from_bits(key) };
            let weighted: Vec<_> =
                keys.iter().map(|(a, b)| WeightedArc::new(*b as u32, cut(*a) as u32, weight(*b))).collect();
            check(&weighted, piece, bytes);
            let wide = |key: u64| u128::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
            let ranks: Vec<_> = keys.iter().map(|(a, b)| KeyedRank { key: wide(*a), rank: cut(*b) as u32 }).collect();
            check(&ranks, piece, bytes);
            let edges: Vec<_> = keys
                .iter()
                .map(|(a, b)| KeyedEdge { key: wide(*b), other: u128::from(cut(*a)), weight: weight(*a) })
                .collect();
            check(&edges, piece, bytes);
        }
    }

    #[test]
    fn words_take_the_bits_of_their_range_without_those_that_are_equal() {
        // 20 bits of neighbors, 3 of vertices, and 10 for the weights from 1 to 255.
        let arc = |number: u32| (1000 + number % 8, number.wrapping_mul(0x9E37_79B9) >> 12);
        let plain: Vec<_> = (0..4096).map(|number| Arc::new(arc(number).0, arc(number).1, 1.0)).collect();
        let weight = |number: u32| f64::from(1 + number % 255);
        let weighted: Vec<_> =
            (0..4096).map(|number| WeightedArc::new(arc(number).0, arc(number).1, weight(number))).collect();
        assert_eq!(round_trip(&plain, 4096, 1 << 16).1, 4 + 2 * 6 + 512 * 23);
        assert_eq!(round_trip(&weighted, 4096, 1 << 16).1, 4 + 4 * 6 + 512 * 33);
        // All alike: no bits.
        assert_eq!(round_trip(&[Arc::new(7, 9, 1.0); 4000], 4096, 1 << 16), (vec![Arc::new(7, 9, 1.0); 4000], 16));
    }

    #[test]
    fn a_run_that_ends_within_a_block_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let (mut writer, mut packer) = (SpillFolder::new(place.path()).unwrap().create().unwrap(), Packer::new());
        let records: Vec<_> = (0..1000).map(|number| Arc::new(number, number * 7, 1.0)).collect();
        packer.write(&records, &mut writer).unwrap();
        packer.flush(&mut writer).unwrap();
        let file = writer.finish().unwrap();
        for length in [1, 15, 17, 700, file.length() - 1] {
            let mut reader = Unpacker::<Arc>::new(file.open().unwrap(), length, 0).unwrap();
            let mut found = Vec::new();
            let outcome = std::iter::repeat_with(|| reader.read(100, &mut found)).find(|read| !matches!(read, Ok(1..)));
            assert!(matches!(outcome, Some(Err(Error::Internal { .. }))), "{length}");
            assert!(records.starts_with(&found));
        }
    }
}
