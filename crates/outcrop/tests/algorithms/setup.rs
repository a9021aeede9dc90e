//! How a graph is opened for a run.

use outcrop::{CacheSize, Estimate, Graph, IoChoice, MemorySize, OpenOptions, Result, RunRequest, RunResult};
use std::path::Path;

/// How much memory there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// What the estimate and the page cache that is asked for take.
    Minimum,
    /// 64 KiB more.
    Little,
    /// Room for all lists.
    Ample,
}

/// How much of it the page cache gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    Nothing,
    OnePage,
    Rest,
}

impl Cache {
    /// Bytes that are asked for, whether they help or not.
    const fn asked(self) -> u64 {
        match self {
            Self::OnePage => 4096,
            Self::Nothing | Self::Rest => 0,
        }
    }

    const fn size(self) -> CacheSize {
        match self {
            Self::Nothing | Self::OnePage => CacheSize::Bytes(self.asked()),
            Self::Rest => CacheSize::Rest,
        }
    }
}

/// A way to open a graph.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub memory: Memory,
    pub cache: Cache,
    pub threads: usize,
    pub io: IoChoice,
}

impl Setup {
    pub const PLAIN: Self = Self { memory: Memory::Ample, cache: Cache::Rest, threads: 2, io: IoChoice::Buffered };
    /// With one thread, whose buffers are all that there is.
    pub const LEAST: Self = Self { memory: Memory::Minimum, threads: 1, ..Self::PLAIN };

    /// The options that [`Setup::open_with`] takes, but for the memory.
    pub fn options(self) -> OpenOptions {
        OpenOptions {
            threads: Some(self.threads),
            io: self.io,
            page_cache: self.cache.size(),
            ..OpenOptions::default()
        }
    }

    /// Opens the store with `memory` bytes.
    pub fn open_with(self, store: &Path, memory: u64) -> Graph {
        let options = OpenOptions { memory: MemorySize::Bytes(memory), ..self.options() };
        Graph::open(store, options).unwrap()
    }

    /// Runs `request` on the store.
    pub fn run(self, store: &Path, request: &RunRequest) -> Result<RunResult> {
        self.open_for(store, request).0.run(request)
    }

    /// Opens the store with the memory that `request` gets.
    pub fn open_for(self, store: &Path, request: &RunRequest) -> (Graph, Estimate, u64) {
        let estimate = self.open_with(store, 0).estimate(request).unwrap();
        let budget = self.cache.asked()
            + match self.memory {
                Memory::Minimum => estimate.minimum,
                Memory::Little => estimate.minimum + (64 << 10),
                Memory::Ample => estimate.all_in_memory + (64 << 20),
            };
        (self.open_with(store, budget), estimate, budget)
    }
}
