//! Sorted runs on disk.

use outcrop_io::{KeptFile, SpillFile, SpillFolder, SpillWriter};
use outcrop_types::Result;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A sorted run: its file, and where in it.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) file: SpillFile,
    pub(super) place: Range<u64>,
}

/// Sorted runs, one after the other in a file, and where each lies.
pub(super) struct Runs {
    file: SpillFile,
    places: Vec<Range<u64>>,
}

/// Description of [`Runs`] that outlive their process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptRuns {
    file: KeptFile,
    places: Vec<Range<u64>>,
}

impl Runs {
    /// Makes them outlive the process.
    ///
    /// # Errors
    /// They cannot be made durable.
    pub(super) fn keep(&self) -> Result<KeptRuns> {
        Ok(KeptRuns { file: self.file.keep()?, places: self.places.clone() })
    }

    /// Runs that were kept.
    ///
    /// # Errors
    /// The file is not as it was.
    pub(super) fn reopen(folder: &SpillFolder, kept: &KeptRuns) -> Result<Self> {
        Ok(Self { file: folder.reopen(&kept.file)?, places: kept.places.clone() })
    }

    /// Each by itself.
    pub(super) fn each(&self) -> impl Iterator<Item = Run> {
        self.places.iter().map(|place| Run { file: self.file.clone(), place: place.clone() })
    }
}

/// Merges neighbouring runs, at most `most` into one by `merge`, until there are no more than these.
///
/// # Errors
/// A run cannot be written or read.
pub(super) fn reduce(
    mut runs: Vec<Run>,
    folder: &SpillFolder,
    most: usize,
    mut merge: impl FnMut(&[Run], &mut SpillWriter) -> Result<()>,
) -> Result<Vec<Run>> {
    while runs.len() > most {
        let mut merged = RunsWriter::create(folder)?;
        for group in runs.chunks(most) {
            merged.run(|writer| merge(group, writer))?;
        }
        runs = merged.finish()?.each().collect();
    }
    Ok(runs)
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
