//! Conversion of stores to another layout or vertex order.

use crate::build::BuildLog;
use crate::checkpoints::{Saving, facts_of_source, facts_of_target, open_saving, require_saving};
use crate::graph::threads_or_cores;
use crate::memory_size::MemorySize;
use crate::order::{BuildOrder, GivenOrder, StepStore, Steps};
use crate::request::CheckpointOptions;
use outcrop_io::IoChoice;
use outcrop_report::BuildRecord;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_store::layout::Layout;
use outcrop_types::{Cancellation, Error, Observer, Result, WeightChoice};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Request for a conversion.
#[derive(Clone, Debug)]
pub struct ConvertRequest {
    /// Path of the source store.
    pub source: PathBuf,
    /// Path of the new store.
    pub store: PathBuf,
    /// Layout of its lists.
    pub layout: Layout,
    /// Order of the vertices; `None` to keep the order.
    pub order: Option<BuildOrder>,
    /// Order computed by the caller, in place of `order`; without checkpoints.
    pub given_order: Option<GivenOrder>,
    /// Memory of the conversion.
    pub memory: MemorySize,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// I/O backend for reading.
    pub io: IoChoice,
    /// Type of the weights; `None` to keep their type.
    pub weights: Option<WeightChoice>,
    /// Folder for temporary files; `None` for a folder next to the store.
    pub temp_folder: Option<PathBuf>,
    /// True to overwrite an existing store.
    pub overwrite: bool,
    /// Time to wait until an overwritten store is no longer in use.
    pub wait: Duration,
    /// True to verify the whole store before it is published.
    pub verify: bool,
    /// Checkpoints from which an interrupted conversion resumes.
    pub checkpoints: Option<CheckpointOptions>,
}

impl ConvertRequest {
    /// Creates a request to convert `source` to `store` with `layout`, with defaults for everything else.
    pub fn new(source: impl Into<PathBuf>, store: impl Into<PathBuf>, layout: Layout) -> Self {
        Self {
            source: source.into(),
            store: store.into(),
            layout,
            order: None,
            given_order: None,
            memory: MemorySize::Auto,
            threads: None,
            io: IoChoice::Auto,
            weights: None,
            temp_folder: None,
            overwrite: false,
            wait: Duration::ZERO,
            verify: false,
            checkpoints: None,
        }
    }

    /// Opens the requested checkpoints, and the source store, which remains the same one while it is open.
    fn open(&self, options: &CheckpointOptions, log: &BuildLog<'_>) -> Result<(Store, Saving)> {
        require_saving("conversion", &self.store, options, &self.layout, self.verify, self.temp_folder.as_deref())?;
        let mut facts = facts_of_target(
            &self.store,
            [("--weight-type", &self.weights), ("the layout", &self.layout), ("--order", &self.order)],
        )?;
        let source = Store::open(&self.source)?;
        facts.extend(facts_of_source("the source store", &source));
        Ok((source, open_saving("conversion", &self.store, options, &facts, &log.recorder)?))
    }
}

/// Builds a store of the same graph and IDs, with another layout or vertex order.
///
/// # Errors
///
/// Returns an error if the store does not exist or is damaged, if the budget or disk is too small, if the target
/// exists, if writing fails, or if the conversion is interrupted. In all cases no files remain, and a store that was to
/// be overwritten is unchanged.
pub fn convert(request: &ConvertRequest, cancellation: &Cancellation, observer: &dyn Observer) -> Result<BuildRecord> {
    let same = |path: &Path| path.canonicalize().ok();
    if request.overwrite && same(&request.source).is_some_and(|source| same(&request.store) == Some(source)) {
        let path = request.store.display();
        return Err(Error::Usage(format!("{path} is both input and output; choose another output path")));
    }
    if request.given_order.is_some() && (request.order.is_some() || request.checkpoints.is_some()) {
        return Err(Error::Usage("a given order excludes another order and checkpoints".to_owned()));
    }
    let log = BuildLog::begin(request.memory, observer);
    let opened = request.checkpoints.as_ref().map(|options| request.open(options, &log)).transpose()?;
    let (_source, saving) = opened.unzip();
    let (checkpoints, finished) = saving.unzip();
    let workers = Workers::start(threads_or_cores(request.threads), cancellation.clone())?;
    let steps = Steps {
        target: &request.store,
        overwrite: request.overwrite,
        wait: request.wait,
        in_place: false,
        layout: &request.layout,
        given_order: request.given_order.as_ref(),
        temp_folder: request.temp_folder.as_deref(),
        checkpoints: checkpoints.as_ref(),
        weights: request.weights,
        work: log.work(request.io, &workers),
    };
    let convert = |steps: &Steps<'_>| steps.convert(StepStore::given(&request.source), request.order);
    let made = if let Some(finished) = finished.flatten() {
        finished
    } else {
        // The source stays open: then it is no leftover, whatever its name.
        let _source = Store::open(&request.source)?;
        steps.require_target()?;
        if request.verify { steps.verified(convert)? } else { convert(&steps)? }
    };
    checkpoints.map_or(Ok(()), |checkpoints| checkpoints.clear())?;
    Ok(log.end(&request.store, made))
}
