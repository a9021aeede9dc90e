//! Options of long-running commands.

use crate::options::checkpoints::duration;
use crate::progress::ProgressMode;
use clap::Args;
use outcrop::{Cancellation, IoChoice, MemorySize, OpenOptions};
use std::path::PathBuf;
use std::time::Duration;

/// Memory, threads and progress.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct WorkOptions {
    /// Memory budget: 4GiB, 50%, or auto (half of the memory)
    #[arg(long, value_name = "SIZE", default_value = "auto")]
    pub(crate) memory: MemorySize,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

impl WorkOptions {
    /// Options to open a graph with these, everything else at its default.
    pub(crate) fn open(&self, cancellation: &Cancellation) -> OpenOptions {
        OpenOptions {
            memory: self.memory,
            threads: self.threads(),
            cancellation: cancellation.clone(),
            observer: self.progress.progress.observer(),
            ..OpenOptions::default()
        }
    }

    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

/// Lock timeout of commands that change a store.
#[derive(Debug, Args)]
pub(crate) struct WaitOption {
    /// Time to wait for other processes that use the store: 30s, 10min
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    pub(crate) wait: Duration,
}

/// Options of commands that read a store and write temporary files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct ReadOptions {
    /// Folder for temporary files [default: next to the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// I/O backend: auto, uring, pread, buffered or mmap
    #[arg(long, value_name = "BACKEND", default_value = "auto")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

impl ReadOptions {
    /// Options to open a graph with these, everything else at its default.
    pub(crate) fn open(&self, cancellation: &Cancellation) -> OpenOptions {
        OpenOptions { io: self.io, temp_folder: self.tmp_dir.clone(), ..self.work.open(cancellation) }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ProgressOption {
    /// Progress on stderr: auto, none, plain or json
    #[arg(long, value_enum, value_name = "MODE", hide_possible_values = true, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}
