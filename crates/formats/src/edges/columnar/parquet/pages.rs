//! Sizes of the pages of a column, read from their headers before anything is decompressed.
//!
//! The decoder trusts the sizes in these headers: a damaged header would make it allocate any amount.

use super::thrift::{Compact, Unreadable};
use crate::edges::columnar::rows::ROWS;
use crate::edges::input::InputFile;
use flate2::bufread::MultiGzDecoder;
use lz4_flex::frame::FrameDecoder;
use outcrop_types::index_from;
use parquet::basic::{Compression, Type};
use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::ops::Range;

/// Bytes of a typical header, and the maximum for any header.
const HEADER_BYTES: (usize, usize) = (512, 8 << 20);

const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_V2: i64 = 3;

const DELTA_LENGTHS: i64 = 6;
const DELTA_TEXTS: i64 = 7;

/// Approximate maximum of bytes of delta-encoded texts that are decoded at once.
const DIFFERENCES_BYTES: u64 = 4 << 20;

/// Reason why a column cannot be read.
#[derive(Debug)]
pub(super) enum PageError {
    Io(io::Error),
    Damaged(String),
}

impl From<io::Error> for PageError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged("a page extends beyond the end of the file".to_owned()),
            _ => Self::Io(error),
        }
    }
}

/// Column of a row group, as the metadata of the file describes it.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) bytes: Range<u64>,
    pub(super) rows: u64,
    pub(super) codec: Compression,
    pub(super) values: Type,
}

impl Chunk {
    /// Returns true if its pages can exceed their declared length, unless they are decompressed beforehand.
    pub(super) const fn is_unpacked_to_measure(&self) -> bool {
        matches!(self.codec, Compression::GZIP(_) | Compression::LZ4)
    }
}

/// Memory needed to read a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ColumnNeed {
    /// Bytes, independent of the number of rows per batch.
    pub(super) bytes: u64,
    /// Additional bytes per row of a batch.
    pub(super) row_bytes: u64,
}

impl ColumnNeed {
    /// Returns the number of rows per batch.
    pub(super) fn rows(self) -> u64 {
        match DIFFERENCES_BYTES.checked_div(self.row_bytes) {
            Some(rows) => rows.clamp(16, ROWS as u64),
            None => ROWS as u64,
        }
    }
}

/// Fields of a page header that determine sizes.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    kind: i64,
    packed: u64,
    unpacked: u64,
    values: u64,
    encoding: i64,
    /// Bytes before the compressed part.
    levels: u64,
    plain: bool,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<(Self, usize), Unreadable> {
        let mut header = Self::default();
        let mut reader = Compact::new(bytes);
        reader.fields(|reader, number, _| {
            match number {
                1 => header.kind = reader.integer()?,
                2 => header.unpacked = reader.count()?,
                3 => header.packed = reader.count()?,
                5 | 7 => header.parse_content(reader, 2)?,
                8 => header.parse_content(reader, 4)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok((header, bytes.len() - reader.left()))
    }

    /// Reads the part that is specific to the kind of the page; its field `encoding` is the encoding of the values.
    fn parse_content(&mut self, reader: &mut Compact<'_>, encoding: i64) -> Result<(), Unreadable> {
        reader.fields(|reader, number, kind| {
            match number {
                1 => self.values = reader.count()?,
                _ if number == encoding => self.encoding = reader.integer()?,
                5 | 6 if encoding == 4 => self.levels = self.levels.saturating_add(reader.count()?),
                7 if encoding == 4 => {
                    self.plain = kind == 2;
                    return Ok(false);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

/// Reads the headers of all pages of a column and returns the memory needed to read it. `thorough` decompresses pages
/// that could exceed the length in their header.
pub(super) fn measure(file: &InputFile, chunk: &Chunk, thorough: bool) -> Result<ColumnNeed, PageError> {
    let mut pages =
        Pages { window: Window::default(), need: ColumnNeed::default(), packed: 0, values: 0, dictionary: 0 };
    let mut at = chunk.bytes.start;
    while at < chunk.bytes.end {
        let (header, length) = read_header(file, at..chunk.bytes.end)?;
        let content = at + length as u64;
        let end = content.checked_add(header.packed).filter(|end| *end <= chunk.bytes.end);
        let end = end.ok_or_else(|| PageError::Damaged(format!("the page at byte {at} extends beyond its column")))?;
        pages.add(&header, chunk, at)?;
        if thorough && chunk.is_unpacked_to_measure() && !header.plain {
            check_unpacked(file, content..end, chunk.codec, &header).then_some(()).ok_or_else(|| {
                PageError::Damaged(format!("the page at byte {at} differs in length from its header"))
            })?;
        }
        at = end;
    }
    if pages.values != chunk.rows {
        let message = format!("a column has {} values in a group of {} rows", pages.values, chunk.rows);
        return Err(PageError::Damaged(message));
    }
    Ok(pages.need())
}

/// Totals over the pages of a column.
struct Pages {
    window: Window,
    need: ColumnNeed,
    packed: u64,
    values: u64,
    dictionary: u64,
}

impl Pages {
    fn add(&mut self, header: &Header, chunk: &Chunk, at: u64) -> Result<(), PageError> {
        let damaged = |what: &str| PageError::Damaged(format!("the page at byte {at} {what}"));
        if chunk.codec == Compression::UNCOMPRESSED && header.packed != header.unpacked {
            return Err(damaged("is not compressed and has two lengths"));
        }
        self.packed = self.packed.max(header.packed);
        match header.kind {
            DATA | DATA_V2 => {
                self.values = self.values.saturating_add(header.values);
                if self.values > chunk.rows {
                    return Err(damaged("has more values than its column has rows"));
                }
                // The lengths of texts are unpacked all at once.
                let lengths = if header.encoding >= DELTA_LENGTHS { 8 * header.values } else { 0 };
                self.window.push(header.values, header.unpacked.saturating_add(lengths));
                if header.encoding == DELTA_TEXTS {
                    self.need.row_bytes = self.need.row_bytes.max(header.unpacked);
                }
            }
            DICTIONARY => {
                let width = match chunk.values {
                    Type::INT64 | Type::DOUBLE => 8,
                    Type::FIXED_LEN_BYTE_ARRAY => 1,
                    _ => 4,
                };
                if header.values.saturating_mul(width) > header.unpacked {
                    return Err(damaged("is a dictionary with too many values"));
                }
                // The page, and a view or number of at most 16 bytes per value.
                let bytes = header.unpacked.saturating_add(header.values.saturating_mul(16));
                self.dictionary = self.dictionary.max(bytes);
            }
            _ => {}
        }
        Ok(())
    }

    fn need(&self) -> ColumnNeed {
        // Views or numbers of at most 16 bytes, twice if they are converted, and levels.
        let batch = ROWS as u64 * 48;
        let pages = self.packed.saturating_add(self.window.largest).saturating_add(self.dictionary);
        ColumnNeed { bytes: pages.saturating_add(batch), row_bytes: self.need.row_bytes }
    }
}

/// Pages that contain the rows of one batch.
#[derive(Default)]
struct Window {
    pages: VecDeque<(u64, u64)>,
    values: u64,
    bytes: u64,
    largest: u64,
}

impl Window {
    /// Adds a page and removes the pages that share no batch with it.
    fn push(&mut self, values: u64, bytes: u64) {
        self.pages.push_back((values.max(1), bytes));
        self.values = self.values.saturating_add(values.max(1));
        self.bytes = self.bytes.saturating_add(bytes);
        while let (Some(first), Some(last)) = (self.pages.front(), self.pages.back()) {
            let between = self.values.saturating_sub(first.0).saturating_sub(last.0);
            if self.pages.len() < 3 || between < ROWS as u64 {
                break;
            }
            self.values -= first.0;
            self.bytes = self.bytes.saturating_sub(first.1);
            self.pages.pop_front();
        }
        self.largest = self.largest.max(self.bytes);
    }
}

/// Reads the header at the start of `bytes`; also returns its length.
fn read_header(file: &InputFile, bytes: Range<u64>) -> Result<(Header, usize), PageError> {
    let left = index_from(bytes.end - bytes.start);
    let mut length = HEADER_BYTES.0;
    loop {
        let mut buffer = vec![0; length.min(left)];
        file.read_exact_at(&mut buffer, bytes.start)?;
        match Header::parse(&buffer) {
            Ok(parsed) => return Ok(parsed),
            Err(Unreadable) if length < left && length < HEADER_BYTES.1 => length *= 16,
            Err(Unreadable) => {
                return Err(PageError::Damaged(format!(
                    "the header of the page at byte {} cannot be read",
                    bytes.start
                )));
            }
        }
    }
}

/// Decompresses a page and discards the result; returns true if it does not exceed the length in its header. Gzip
/// writes beyond that length. The LZ4 decoder treats data that is not in Hadoop's form as a frame, and also writes
/// beyond it.
fn check_unpacked(file: &InputFile, bytes: Range<u64>, codec: Compression, header: &Header) -> bool {
    let start = bytes.start + header.levels.min(bytes.end - bytes.start);
    let packed = BufReader::new(Piece { file, bytes: start..bytes.end });
    let expected = header.unpacked.saturating_sub(header.levels);
    let most = expected.saturating_add(1);
    match codec {
        // Data that is not a frame has another form, whose decoders check the length.
        Compression::LZ4 => {
            let unpacked = io::copy(&mut FrameDecoder::new(packed).take(most), &mut io::sink());
            unpacked.map_or(true, |length| length <= expected)
        }
        _ => {
            let unpacked = io::copy(&mut MultiGzDecoder::new(packed).take(most), &mut io::sink());
            unpacked.is_ok_and(|length| length == expected) || bytes.end == start
        }
    }
}

/// Part of a file.
struct Piece<'f> {
    file: &'f InputFile,
    bytes: Range<u64>,
}

impl Read for Piece<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = index_from(self.bytes.end - self.bytes.start);
        let length = buffer.len().min(left);
        let count = self.file.read_at(&mut buffer[..length], self.bytes.start)?;
        self.bytes.start += count as u64;
        Ok(count)
    }
}
