//! Files with random access, on disk or in an object store.

use crate::remote::{Object, ObjectParts};
use bytes::Bytes;
use outcrop_types::length_from;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Bytes of a typical page header.
const HEADER: usize = 512;

/// File, or object of an object store.
#[derive(Clone)]
pub(crate) enum InputFile {
    Disk(Arc<File>),
    Object(ObjectParts),
}

impl InputFile {
    /// Reads up to the length of `buffer` at offset `at`; returns 0 past the end.
    pub(crate) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read_at(buffer, at),
            Self::Object(parts) => parts.read_at(buffer, at),
        }
    }

    /// Fills `buffer` from offset `at`.
    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.reader_at(at).read_exact(buffer)
    }

    /// Returns the object, if it is one.
    pub(crate) const fn object(&self) -> Option<&Object> {
        match self {
            Self::Disk(_) => None,
            Self::Object(parts) => Some(&parts.object),
        }
    }

    /// Returns the same file for reading `parts` together, each sequentially; parts of an object are read ahead.
    pub(crate) fn in_parts(&self, parts: &[Range<u64>]) -> Self {
        self.object().map_or_else(|| self.clone(), |object| Self::Object(object.parts(parts)))
    }

    fn reader_at(&self, at: u64) -> Place {
        Place { file: self.clone(), at }
    }
}

/// Position in a file, advanced by reads.
pub(crate) struct Place {
    file: InputFile,
    at: u64,
}

impl Read for Place {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += length_from(count);
        Ok(count)
    }
}

impl Length for InputFile {
    fn len(&self) -> u64 {
        match self {
            Self::Disk(file) => file.len(),
            Self::Object(parts) => parts.object.bytes,
        }
    }
}

impl ChunkReader for InputFile {
    type T = BufReader<Place>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<BufReader<Place>> {
        Ok(BufReader::with_capacity(HEADER, self.reader_at(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let mut bytes = vec![0; length];
        self.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}
