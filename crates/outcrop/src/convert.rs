//! Stores with another layout.

use crate::build::BuildLog;
use crate::graph::threads_or_cores;
use crate::memory_size::MemorySize;
use outcrop_io::{Disk, IoChoice};
use outcrop_report::BuildRecord;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_store::build::ConvertOptions;
use outcrop_store::layout::Layout;
use outcrop_types::{Cancellation, Observer, Result};
use std::path::PathBuf;

/// What to convert, and to what.
#[derive(Clone, Debug)]
pub struct ConvertRequest {
    /// The store to read.
    pub source: PathBuf,
    /// The store to make.
    pub store: PathBuf,
    /// How its lists are laid out.
    pub layout: Layout,
    /// Memory of the conversion.
    pub memory: MemorySize,
    /// Threads that read; `None` for one a core.
    pub threads: Option<usize>,
    /// The way to read.
    pub io: IoChoice,
    /// Where temporary files go; `None` for beside the store.
    pub temp_folder: Option<PathBuf>,
    /// Replace a store that stands there.
    pub overwrite: bool,
}

impl ConvertRequest {
    /// Makes `store` from `source` with `layout`, everything else at its default.
    pub fn new(source: impl Into<PathBuf>, store: impl Into<PathBuf>, layout: Layout) -> Self {
        Self {
            source: source.into(),
            store: store.into(),
            layout,
            memory: MemorySize::Auto,
            threads: None,
            io: IoChoice::Auto,
            temp_folder: None,
            overwrite: false,
        }
    }
}

/// Makes a store of the same graph, with the same ids in the same order, whose lists are laid out in another way.
///
/// # Errors
/// There is no store, or it is damaged; a budget or disk that is too small; an existing target; failures of writing; interruption.
/// In all cases nothing is left behind, and a store that was to be replaced is as it was.
pub fn convert(request: &ConvertRequest, cancellation: &Cancellation, observer: &dyn Observer) -> Result<BuildRecord> {
    let log = BuildLog::begin(request.memory, observer);
    let store = Store::open(&request.source)?;
    let workers = Workers::start(threads_or_cores(request.threads), cancellation.clone())?;
    let options = ConvertOptions {
        target: request.store.clone(),
        overwrite: request.overwrite,
        layout: request.layout.clone(),
        io: request.io,
        temp_folder: request.temp_folder.clone(),
    };
    let report = outcrop_store::build::convert(&Disk, &store, &options, &log.budget, &workers, &log.recorder)?;
    Ok(log.end(&request.store, report))
}
