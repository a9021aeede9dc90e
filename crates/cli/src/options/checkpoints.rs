//! Checkpoint options.

use crate::options::headings::CHECKPOINTS;
use clap::Args;
use outcrop::CheckpointOptions;
use std::path::PathBuf;
use std::time::Duration;

/// Checkpoints of a run or a build.
#[derive(Debug, Args)]
#[command(next_help_heading = CHECKPOINTS)]
pub(crate) struct CheckpointArguments {
    /// Write periodic checkpoints to this folder; they are removed at the end
    #[arg(long, value_name = "DIR")]
    checkpoint_dir: Option<PathBuf>,
    /// Time between checkpoints: 90s, 10min, 2h
    #[arg(long, value_name = "TIME", default_value = "10min", value_parser = duration, requires = "checkpoint_dir")]
    checkpoint_every: Duration,
    /// Resume from the checkpoint in the folder, if there is one
    #[arg(long, requires = "checkpoint_dir")]
    resume: bool,
}

impl CheckpointArguments {
    /// True if checkpoints are saved.
    pub(crate) const fn are_given(&self) -> bool {
        self.checkpoint_dir.is_some()
    }

    /// The options, where checkpoints are saved.
    pub(crate) fn options(&self) -> Option<CheckpointOptions> {
        let (every, resume) = (self.checkpoint_every, self.resume);
        self.checkpoint_dir.clone().map(|folder| CheckpointOptions { folder, every, resume })
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
