//! Options for memory, threads, I/O and progress.

use crate::options::checkpoints::duration;
use crate::progress::ProgressMode;
use clap::Args;
use outcrop::{Cancellation, IoChoice, MemorySize, Observer, OpenOptions};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Memory and threads.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct Resources {
    /// Memory budget: 4GiB, 50%, or auto (half of the memory)
    #[arg(long, value_name = "SIZE", default_value = "auto")]
    pub(crate) memory: MemorySize,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Resources {
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

/// Memory, threads and progress.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct WorkOptions {
    #[command(flatten)]
    pub(crate) resources: Resources,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct IoOption {
    /// I/O backend: auto, uring, pread, buffered or mmap
    #[arg(long, value_name = "BACKEND", default_value = "auto")]
    pub(crate) io: IoChoice,
}

/// Options of commands that read a store.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct DeviceOptions {
    #[command(flatten)]
    io: IoOption,
    #[command(flatten)]
    work: WorkOptions,
}

impl DeviceOptions {
    /// Options to open a graph with these, everything else at its default.
    pub(crate) fn open(&self, cancellation: &Cancellation) -> OpenOptions {
        let WorkOptions { resources, progress } = &self.work;
        OpenOptions {
            memory: resources.memory,
            threads: resources.threads(),
            io: self.io.io,
            cancellation: cancellation.clone(),
            observer: progress.observer(),
            ..OpenOptions::default()
        }
    }
}

/// Options of commands that read a store and write temporary files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct ReadOptions {
    #[command(flatten)]
    pub(crate) temporary: TemporaryOption,
    #[command(flatten)]
    device: DeviceOptions,
}

impl ReadOptions {
    /// Options to open a graph with these, everything else at its default.
    pub(crate) fn open(&self, cancellation: &Cancellation) -> OpenOptions {
        OpenOptions { temp_folder: self.temporary.tmp_dir.clone(), ..self.device.open(cancellation) }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct TemporaryOption {
    /// Folder for temporary files [default: next to the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
}

/// Lock timeout of commands that change a store.
#[derive(Debug, Args)]
pub(crate) struct WaitOption {
    /// Time to wait for other processes that lock the store: 30s, 10min
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    pub(crate) wait: Duration,
}

#[derive(Debug, Args)]
pub(crate) struct ProgressOption {
    /// Progress on stderr: auto, none, plain or json
    #[arg(long, value_enum, value_name = "MODE", hide_possible_values = true, default_value_t = ProgressMode::Auto)]
    progress: ProgressMode,
}

impl ProgressOption {
    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        self.progress.observer()
    }
}
