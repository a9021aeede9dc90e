//! Sorted runs on disk.

use outcrop_io::{SpillFile, SpillFolder, SpillWriter};
use outcrop_types::Result;
use std::ops::Range;

/// Sorted runs, one after the other in a file, and where each lies.
pub(super) struct Runs {
    pub(super) file: SpillFile,
    pub(super) places: Vec<Range<u64>>,
}

impl Runs {
    /// Merges neighbouring runs, at most `most` into one by `merge`, until there are no more than these.
    ///
    /// # Errors
    /// A run cannot be written or read.
    pub(super) fn reduce(
        mut self,
        folder: &SpillFolder,
        most: usize,
        mut merge: impl FnMut(&SpillFile, &[Range<u64>], &mut SpillWriter) -> Result<()>,
    ) -> Result<Self> {
        while self.places.len() > most {
            let mut merged = RunsWriter::create(folder)?;
            for group in self.places.chunks(most) {
                merged.run(|writer| merge(&self.file, group, writer))?;
            }
            self = merged.finish()?;
        }
        Ok(self)
    }
}

/// Writer of runs.
pub(super) struct RunsWriter {
    file: SpillWriter,
    pub(super) places: Vec<Range<u64>>,
}

impl RunsWriter {
    pub(super) fn create(folder: &SpillFolder) -> Result<Self> {
        Ok(Self { file: folder.create()?, places: Vec::new() })
    }

    /// Writes one run.
    pub(super) fn run(&mut self, write: impl FnOnce(&mut SpillWriter) -> Result<()>) -> Result<()> {
        let start = self.file.len();
        write(&mut self.file)?;
        self.places.push(start..self.file.len());
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Runs> {
        Ok(Runs { file: self.file.finish()?, places: self.places })
    }
}
