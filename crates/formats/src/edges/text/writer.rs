//! Writer of text edge lists: `u v` or `u v w` per line.

use crate::edges::sink::{EdgeSink, check_weights};
use crate::edges::target_file::TargetFile;
use crate::packed::Packed;
use outcrop_types::{Error, Result, length_from};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writer of a text edge list, compressed if the name ends in `.gz` or `.zst`. Uses less than 2 MiB.
pub struct EdgeListWriter {
    packed: Packed<TargetFile>,
    path: PathBuf,
    separator: char,
    weighted: bool,
    written: u64,
    text: Vec<u8>,
}

impl EdgeListWriter {
    /// Creates a file. Fields are separated by commas in a `.csv`, by tabs in a `.tsv`, otherwise by spaces.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, or if writing fails.
    pub(crate) fn create(path: &Path, weighted: bool, overwrite: bool) -> Result<Self> {
        let file = TargetFile::create(path, overwrite)?;
        let packed = Packed::new(file, path).map_err(|source| Error::io("write", path, source))?;
        let separator = match crate::edges::format::text_extension(path) {
            Some("csv") => ',',
            Some("tsv") => '\t',
            _ => ' ',
        };
        Ok(Self { packed, path: path.to_owned(), separator, weighted, written: 0, text: Vec::new() })
    }

    fn write_lines(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> io::Result<()> {
        let separator = self.separator;
        self.text.clear();
        for (place, [source, target]) in edges.iter().enumerate() {
            write!(self.text, "{source}{separator}{target}")?;
            if let Some(weight) = weights.get(place) {
                write!(self.text, "{separator}{weight}")?;
            }
            self.text.push(b'\n');
        }
        self.packed.write_all(&self.text)
    }
}

impl EdgeSink for EdgeListWriter {
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()> {
        const AT_ONCE: usize = 4096;
        check_weights(edges.len(), weights, self.weighted)?;
        for (place, part) in edges.chunks(AT_ONCE).enumerate() {
            // Default: edges of an unweighted file have no weights.
            let weights = weights.chunks(AT_ONCE).nth(place).unwrap_or_default();
            self.write_lines(part, weights).map_err(|source| Error::io("write", &self.path, source))?;
        }
        self.written += length_from(edges.len());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let file = self.packed.into_inner().map_err(|source| Error::io("write", &self.path, source))?;
        file.publish()?;
        Ok(self.written)
    }
}
