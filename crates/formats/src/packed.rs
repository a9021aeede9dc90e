//! Files that are compressed on the fly, depending on their names.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::path::Path;

/// Writer with optional gzip or Zstandard compression.
pub(crate) enum Packed<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Packed<W> {
    /// Compresses if `path` ends in `.gz` or `.zst`.
    pub(crate) fn new(writer: W, path: &Path) -> io::Result<Self> {
        Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Self::Gzip(GzEncoder::new(writer, Compression::default())),
            Some("zst") => Self::Zstd(zstd::stream::write::Encoder::new(writer, 0)?),
            _ => Self::Plain(writer),
        })
    }

    /// Finishes compression and returns the inner writer.
    pub(crate) fn into_inner(self) -> io::Result<W> {
        match self {
            Self::Plain(writer) => Ok(writer),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }

    /// Finishes compression; nothing can be written afterwards.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(writer) => writer.flush(),
            Self::Gzip(encoder) => encoder.try_finish().and_then(|()| encoder.get_mut().flush()),
            Self::Zstd(encoder) => encoder.do_finish().and_then(|()| encoder.get_mut().flush()),
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(writer) => writer.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(writer) => writer.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}
