//! Subset of the Thrift compact protocol, sufficient to read page headers and list lengths.

/// Unexpected end of input, or bytes that are not valid Thrift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

type Result<T> = std::result::Result<T, Unreadable>;

/// Maximum nesting depth of skipped structures.
const DEEPEST: u8 = 32;

const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Sequential reader of bytes.
pub(super) struct Compact<'b> {
    rest: &'b [u8],
}

impl<'b> Compact<'b> {
    pub(super) const fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number of unread bytes.
    pub(super) const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads a structure: `take` receives the number and type of each field, and returns true if it has read the field.
    pub(super) fn fields(&mut self, mut take: impl FnMut(&mut Self, i64, u8) -> Result<bool>) -> Result<()> {
        let mut number = 0i64;
        loop {
            let header = self.byte()?;
            let kind = header & 15;
            if kind == 0 {
                return Ok(());
            }
            let step = i64::from(header >> 4);
            number = if step == 0 { self.integer()? } else { number.saturating_add(step) };
            if !take(self, number, kind)? {
                self.pass(kind, 0)?;
            }
        }
    }

    pub(super) fn integer(&mut self) -> Result<i64> {
        let bits = self.varint()?;
        Ok((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed())
    }

    /// Reads a nonnegative number.
    pub(super) fn count(&mut self) -> Result<u64> {
        u64::try_from(self.integer()?).map_err(|_| Unreadable)
    }

    /// Reads the number of elements of a list and their type.
    pub(super) fn list(&mut self) -> Result<(u64, u8)> {
        let header = self.byte()?;
        let length = if header >> 4 == 15 { self.varint()? } else { u64::from(header >> 4) };
        Ok((length, header & 15))
    }

    /// Skips the elements of a list.
    pub(super) fn pass_elements(&mut self, count: u64, kind: u8) -> Result<()> {
        (0..count).try_for_each(|_| self.pass_element(kind, 1))
    }

    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.rest.split_first().ok_or(Unreadable)?;
        self.rest = rest;
        Ok(*first)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Unreadable)
    }

    fn pass(&mut self, kind: u8, depth: u8) -> Result<()> {
        match kind {
            // Boolean fields have no bytes of their own.
            1 | 2 => Ok(()),
            _ => self.pass_element(kind, depth),
        }
    }

    fn pass_element(&mut self, kind: u8, depth: u8) -> Result<()> {
        if depth > DEEPEST {
            return Err(Unreadable);
        }
        match kind {
            1..=3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.pass_bytes(8),
            8 => {
                let length = self.varint()?;
                self.pass_bytes(length)
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.pass_element(kind, depth + 1))
            }
            MAP => {
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.pass_element(kinds >> 4, depth + 1)?;
                    self.pass_element(kinds & 15, depth + 1)
                })
            }
            STRUCT => self.pass_struct(depth),
            _ => Err(Unreadable),
        }
    }

    fn pass_struct(&mut self, depth: u8) -> Result<()> {
        loop {
            let header = self.byte()?;
            if header & 15 == 0 {
                return Ok(());
            }
            if header >> 4 == 0 {
                self.varint()?;
            }
            self.pass(header & 15, depth + 1)?;
        }
    }

    fn pass_bytes(&mut self, count: u64) -> Result<()> {
        let count = usize::try_from(count).map_err(|_| Unreadable)?;
        self.rest = self.rest.get(count..).ok_or(Unreadable)?;
        Ok(())
    }
}
