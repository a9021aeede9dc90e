//! Checkpoint options.

use crate::options::headings::CHECKPOINTS;
use clap::Args;
use outcrop::CheckpointOptions;
use std::path::PathBuf;
use std::time::Duration;

/// Folder of the checkpoints of a conversion, a build or a run.
#[derive(Debug, Args)]
#[command(next_help_heading = CHECKPOINTS)]
pub(crate) struct CheckpointFolder {
    /// Write checkpoints to this folder; they are removed at the end
    #[arg(long, value_name = "DIR")]
    checkpoint_dir: Option<PathBuf>,
    /// Resume from the checkpoint in the folder, if there is one
    #[arg(long, requires = "checkpoint_dir")]
    resume: bool,
}

impl CheckpointFolder {
    /// The options, where checkpoints are saved.
    pub(crate) fn options(&self) -> Option<CheckpointOptions> {
        let folder = self.checkpoint_dir.as_ref()?;
        Some(CheckpointOptions { resume: self.resume, ..CheckpointOptions::new(folder) })
    }
}

/// Periodic checkpoints of a run or a build.
#[derive(Debug, Args)]
#[command(next_help_heading = CHECKPOINTS)]
pub(crate) struct CheckpointArguments {
    #[command(flatten)]
    folder: CheckpointFolder,
    /// Time between checkpoints: 90s, 10min, 2h
    #[arg(long, value_name = "TIME", default_value = "10min", value_parser = duration, requires = "checkpoint_dir")]
    checkpoint_every: Duration,
}

impl CheckpointArguments {
    /// True if checkpoints are saved.
    pub(crate) const fn are_given(&self) -> bool {
        self.folder.checkpoint_dir.is_some()
    }

    /// The options, where checkpoints are saved.
    pub(crate) fn options(&self) -> Option<CheckpointOptions> {
        let every = self.checkpoint_every;
        self.folder.options().map(|options| CheckpointOptions { every, ..options })
    }
}

/// A time, as it is typed.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 4] = [("min", 60), ("s", 1), ("h", 3600), ("d", 86400)];
    let expected = || "expected an integer and a unit (s, min, h or d), such as 10min".to_owned();
    let unit = UNITS.into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let (number, seconds) = unit.ok_or_else(expected)?;
    let number: u64 = number.parse().map_err(|_| expected())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(expected)
}
