//! Setup that a graph is opened with for a run.

use outcrop::{
    Arg, Bandwidths, CacheSize, Estimate, Graph, IoChoice, MemorySize, Model, OpenOptions, Result, RunRequest,
    RunResult,
};
use std::path::Path;

/// A request of an algorithm with these arguments, which have to be as its parameters say.
macro_rules! request {
    ($algorithm:expr $(, $name:literal = $value:expr)* $(,)?) => {
        outcrop::RunRequest::new($algorithm).unwrap()$(.with($name, $value).unwrap())*
    };
}
pub(crate) use request;

/// `request` with `value` for `name`, where there is one.
pub fn with_some<'a>(request: RunRequest<'a>, name: &str, value: Option<impl Into<Arg>>) -> RunRequest<'a> {
    match value {
        Some(value) => request.with(name, value).unwrap(),
        None => request,
    }
}

/// `request` with `value` for `name`, in place of what it had.
pub fn with<'a>(request: &RunRequest<'a>, name: &str, value: impl Into<Arg>) -> RunRequest<'a> {
    request.clone().with(name, value).unwrap()
}

/// The model that `request` asks for.
pub fn model_of(request: &RunRequest<'_>) -> Option<Model> {
    let asked = given(request, "model");
    Model::ALL.into_iter().find(|model| asked == Some(&Arg::Word(model.name())))
}

/// Argument that `request` gives for `name`.
pub fn given<'r>(request: &'r RunRequest<'_>, name: &str) -> Option<&'r Arg> {
    request.args().given().find_map(|(info, arg)| (info.name == name).then_some(arg))
}

/// Memory of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Memory that the estimate and the page cache that is asked for take.
    Minimum,
    /// 64 KiB more.
    Little,
    /// Room for all lists.
    Ample,
}

/// Part of it that the page cache gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    Nothing,
    OnePage,
    Rest,
}

impl Cache {
    /// Bytes that are asked for, whether they help or not.
    pub const fn asked(self) -> u64 {
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
            // What this machine's user measured must not decide what the tests see.
            bandwidths: Some(Bandwidths::assumed()),
            ..OpenOptions::default()
        }
    }

    /// Opens the store with `memory` bytes.
    pub fn open_with(self, store: &Path, memory: u64) -> Graph {
        let options = OpenOptions { memory: MemorySize::Bytes(memory), ..self.options() };
        Graph::open(store, options).unwrap()
    }

    /// Runs `request` on the store.
    pub fn run(self, store: &Path, request: &RunRequest<'_>) -> Result<RunResult> {
        self.open_for(store, request).0.run(request)
    }

    /// Opens the store with the memory that `request` gets.
    pub fn open_for(self, store: &Path, request: &RunRequest<'_>) -> (Graph, Estimate, u64) {
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
