//! Sorted runs on disk.

use outcrop_io::{DurableFile, SpillFile, SpillFolder, SpillWriter};
use outcrop_types::Result;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Sorted run: its file, and its position in the file.
#[derive(Clone)]
pub(super) struct SortedRun {
    pub(super) file: SpillFile,
    pub(super) place: Range<u64>,
}

/// Sorted runs, concatenated in a file, and their positions.
pub(super) struct SortedRuns {
    file: SpillFile,
    places: Vec<Range<u64>>,
}

/// Durable description of [`SortedRuns`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DurableRuns {
    file: DurableFile,
    places: Vec<Range<u64>>,
}

impl SortedRuns {
    /// Makes the runs durable.
    ///
    /// # Errors
    ///
    /// Returns an error if that fails.
    pub(super) fn keep(&self) -> Result<DurableRuns> {
        Ok(DurableRuns { file: self.file.keep()?, places: self.places.clone() })
    }

    /// Reopens durable runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the file has changed.
    pub(super) fn reopen(folder: &SpillFolder, kept: &DurableRuns) -> Result<Self> {
        Ok(Self { file: folder.reopen(&kept.file)?, places: kept.places.clone() })
    }

    /// Returns the run at `place`, if there is one.
    fn at(&self, place: usize) -> Option<SortedRun> {
        self.places.get(place).map(|place| SortedRun { file: self.file.clone(), place: place.clone() })
    }
}

/// Returns the runs of several files, to which they were written in turn.
pub(super) fn in_turn(files: &[SortedRuns]) -> impl Iterator<Item = SortedRun> {
    let most = files.iter().map(|runs| runs.places.len()).max().unwrap_or(0);
    (0..most).flat_map(|place| files.iter().filter_map(move |runs| runs.at(place)))
}

/// Merges groups of up to `most` adjacent runs with `merge`, until there are at most `most` runs.
///
/// # Errors
///
/// Returns an error if a run cannot be written or read.
pub(super) fn reduce(
    mut runs: Vec<SortedRun>,
    folder: &SpillFolder,
    most: usize,
    mut merge: impl FnMut(&[SortedRun], &mut SpillWriter) -> Result<()>,
) -> Result<Vec<SortedRun>> {
    while runs.len() > most {
        let mut merged = RunsWriter::create(folder)?;
        for group in runs.chunks(most) {
            merged.run(|writer| merge(group, writer))?;
        }
        runs = in_turn(&[merged.finish()?]).collect();
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
        let start = self.file.length();
        write(&mut self.file)?;
        self.places.push(start..self.file.length());
        Ok(())
    }

    pub(super) fn finish(self) -> Result<SortedRuns> {
        Ok(SortedRuns { file: self.file.finish()?, places: self.places })
    }
}
