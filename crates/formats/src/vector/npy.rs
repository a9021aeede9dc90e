//! NumPy array file with one value per vertex, versions 1 to 3:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use crate::edges::input::open_file;
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, length_from};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes of the magic number, the version, and the longest header length.
const PREFIX: u64 = 12;

/// Maximum length of a header, in bytes; typical headers have about a hundred.
const LONGEST_HEADER: u32 = 1 << 16;

/// Bytes read at once.
const PIECE: usize = 256 << 10;

/// Values of a one-dimensional array of numbers, read by position.
pub struct NpyValues {
    file: File,
    path: PathBuf,
    element: Element,
    /// Offset of the values, in bytes.
    start: u64,
    length: u64,
    buffer: Vec<u8>,
    _held: Reservation,
}

impl NpyValues {
    /// Opens the array; reserves the memory for reading it from `budget`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BadInput`] if the file is not such an array or its length contradicts its header,
    /// [`Error::BudgetTooSmall`], or an error if reading fails.
    pub fn open(path: &Path, budget: &MemoryBudget) -> Result<Self> {
        let held = budget.reserve(length_from(PIECE) + u64::from(LONGEST_HEADER), Purpose::InputBuffers)?;
        let file = open_file(path)?;
        let bytes = file.metadata().map_err(|source| Error::io("read", path, source))?.len();
        let header = Header::read(&file, path, bytes)?;
        let expected = header.length.saturating_mul(header.element.size());
        if bytes - header.end != expected {
            let found = bytes - header.end;
            let message = format!("it has {found} bytes of values, but its header says {expected}");
            return Err(bad(path, message));
        }
        let Header { element, length, end } = header;
        Ok(Self { file, path: path.into(), element, start: end, length, buffer: vec![0; PIECE], _held: held })
    }

    /// Returns the number of values.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Fills `into` with the values starting at position `first`; integers beyond 2^53 are rounded.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails.
    pub fn read(&mut self, first: u64, into: &mut [f64]) -> Result<()> {
        let (size, per_piece) = (self.element.size(), PIECE / 8);
        for (piece, values) in (0..).zip(into.chunks_mut(per_piece)) {
            let position = first + piece * length_from(per_piece);
            let bytes = &mut self.buffer[..values.len() * self.element.width];
            let read = self.file.read_exact_at(bytes, self.start + position * size);
            read.map_err(|source| Error::io("read", &self.path, source))?;
            (self.element.decode)(bytes, self.element.big_endian, values);
        }
        Ok(())
    }
}

fn bad(path: &Path, message: impl Into<String>) -> Error {
    Error::bad_input(Location::file(path.display().to_string()), message)
}

/// Header before the values.
struct Header {
    element: Element,
    length: u64,
    /// End of the header, in bytes.
    end: u64,
}

impl Header {
    fn read(file: &File, path: &Path, bytes: u64) -> Result<Self> {
        let mut prefix = [0; PREFIX as usize];
        let no_array = || bad(path, "expected a NumPy array, which starts with the byte 0x93 and NUMPY");
        if bytes < PREFIX {
            return Err(no_array());
        }
        file.read_exact_at(&mut prefix, 0).map_err(|source| Error::io("read", path, source))?;
        let [a, b, c, d] = [prefix[8], prefix[9], prefix[10], prefix[11]];
        let (start, length) = match (prefix.strip_prefix(MAGIC), prefix[6]) {
            (None, _) => return Err(no_array()),
            (_, 1) => (PREFIX - 2, u32::from(u16::from_le_bytes([a, b]))),
            (_, 2 | 3) => (PREFIX, u32::from_le_bytes([a, b, c, d])),
            (_, version) => return Err(bad(path, format!("it has version {version}, expected 1, 2 or 3"))),
        };
        let end = start + u64::from(length);
        if end > bytes || length > LONGEST_HEADER {
            return Err(bad(
                path,
                format!("its header of {length} bytes is truncated, or longer than {LONGEST_HEADER}"),
            ));
        }
        let mut header = vec![0; length as usize];
        file.read_exact_at(&mut header, start).map_err(|source| Error::io("read", path, source))?;
        let (element, length) = parse(&String::from_utf8_lossy(&header)).map_err(|message| bad(path, message))?;
        Ok(Self { element, length, end })
    }
}

/// Returns the type and number of the values described by a header.
fn parse(header: &str) -> Result<(Element, u64), String> {
    let description = field(header, "descr").ok_or("its header has no type")?;
    let element = Element::parse(description).ok_or_else(|| {
        let found: String = description.chars().take_while(|letter| *letter != ',').take(20).collect();
        format!("its values have the type {found}; expected integers, or floats of 4 or 8 bytes, in a plain array")
    })?;
    let shape = field(header, "shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
    let (shape, _) = shape.ok_or("its header has no shape")?;
    let lengths: Vec<&str> = shape.split(',').map(str::trim).filter(|length| !length.is_empty()).collect();
    match lengths[..] {
        [length] => Ok((element, length.parse().map_err(|_| format!("its header has the shape ({shape})"))?)),
        _ => Err(format!("it has the shape ({shape}), expected one dimension")),
    }
}

/// Returns the text that follows the key `name` in a Python dictionary.
fn field<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let (_, rest) = header.split_once(&format!("'{name}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

/// NumPy element type.
#[derive(Clone, Copy)]
struct Element {
    width: usize,
    decode: Decode,
    big_endian: bool,
}

/// Function that converts the bytes of values to numbers; the flag is true for big-endian order.
type Decode = fn(&[u8], bool, &mut [f64]);

impl Element {
    fn parse(description: &str) -> Option<Self> {
        let (name, _) = description.strip_prefix('\'')?.split_once('\'')?;
        let (order, kind) = name.split_at_checked(1)?;
        let (width, decode): (_, Decode) = match kind {
            "i1" => (1, |from, big, into| decode(from, big, into, |[byte]| f64::from(byte.cast_signed()))),
            "u1" => (1, |from, big, into| decode(from, big, into, |[byte]| f64::from(byte))),
            "i2" => (2, |from, big, into| decode(from, big, into, |bytes| f64::from(i16::from_le_bytes(bytes)))),
            "u2" => (2, |from, big, into| decode(from, big, into, |bytes| f64::from(u16::from_le_bytes(bytes)))),
            "i4" => (4, |from, big, into| decode(from, big, into, |bytes| f64::from(i32::from_le_bytes(bytes)))),
            "u4" => (4, |from, big, into| decode(from, big, into, |bytes| f64::from(u32::from_le_bytes(bytes)))),
            "f4" => (4, |from, big, into| decode(from, big, into, |bytes| f64::from(f32::from_le_bytes(bytes)))),
            "i8" => (8, |from, big, into| decode(from, big, into, |bytes| i64::from_le_bytes(bytes) as f64)),
            "u8" => (8, |from, big, into| decode(from, big, into, |bytes| u64::from_le_bytes(bytes) as f64)),
            "f8" => (8, |from, big, into| decode(from, big, into, f64::from_le_bytes)),
            _ => return None,
        };
        matches!(order, "<" | ">" | "|").then_some(Self { width, decode, big_endian: order == ">" })
    }

    const fn size(self) -> u64 {
        length_from(self.width)
    }
}

fn decode<const N: usize>(from: &[u8], big_endian: bool, into: &mut [f64], number: impl Fn([u8; N]) -> f64) {
    for (value, bytes) in into.iter_mut().zip(from.as_chunks().0) {
        let mut bytes = *bytes;
        if big_endian {
            bytes.reverse();
        }
        *value = number(bytes);
    }
}
