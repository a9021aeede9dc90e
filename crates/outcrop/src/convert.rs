//! Stores with another layout.

use crate::build::BuildLog;
use crate::graph::threads_or_cores;
use crate::memory_size::MemorySize;
use outcrop_io::{Disk, IoChoice, MergePolicy, Utilisation};
use outcrop_placement::order::{two_level, two_level_bytes};
use outcrop_report::BuildRecord;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_store::build::{BuildReport, ConvertOptions};
use outcrop_store::layout::chunked::{ChunkedAdjacency, ChunkedOptions, DenseAccess, Placement};
use outcrop_store::layout::{Layout, degrees};
use outcrop_types::{
    Cancellation, Direction, MemoryBudget, Observer, Phase, ProgressUnit, Result, VertexId, VertexValues,
};
use std::cmp::Reverse;
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
    let report = convert_within(request, &log.budget, cancellation, &log.recorder)?;
    Ok(log.end(&request.store, report))
}

pub(crate) fn convert_within(
    request: &ConvertRequest,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<BuildReport> {
    let store = Store::open(&request.source)?;
    let workers = Workers::start(threads_or_cores(request.threads), cancellation.clone())?;
    let options = ConvertOptions {
        target: request.store.clone(),
        overwrite: request.overwrite,
        layout: request.layout.clone(),
        io: request.io,
        temp_folder: request.temp_folder.clone(),
    };
    match &request.layout {
        Layout::Chunked(settings) if settings.placement == Placement::Reordered => {
            let places = Places { store: &store, io: request.io, budget, workers: &workers, observer };
            let mut order = |direction, located| places.order(direction, located);
            outcrop_store::build::reorder(&Disk, &store, &options, &mut order, budget, &workers, observer)
        }
        _ => outcrop_store::build::convert(&Disk, &store, &options, budget, &workers, observer),
    }
}

/// The part of the vertices that search places, the paper's R.
const SHARE: f64 = 0.95;

/// Finds out which lists are to lie together.
struct Places<'p> {
    store: &'p Store,
    io: IoChoice,
    budget: &'p MemoryBudget,
    workers: &'p Workers,
    observer: &'p dyn Observer,
}

impl Places<'_> {
    /// The located vertices in the order in which their lists are to lie: those that many lists of the other direction name are roots
    /// first.
    fn order(&self, direction: Direction, mut located: VertexValues<VertexId>) -> Result<VertexValues<VertexId>> {
        let total = Some(located.len() as u64);
        self.observer.phase(&Phase { name: "ordering lists", unit: ProgressUnit::Vertices, total });
        let other = if direction == Direction::Out { Direction::In } else { Direction::Out };
        let degrees = degrees(self.store, other, self.io, self.budget, self.workers.cancellation())?;
        located.sort_unstable_by_key(|vertex| (Reverse(degrees[*vertex as usize]), *vertex));
        drop(degrees);
        let needed = two_level_bytes(self.store.manifest().vertices, located.len() as u64) + 4 * located.len() as u64;
        let lists = ChunkedAdjacency::memory(self.store, direction, self.workers).total();
        let cache = self.budget.available().saturating_sub(needed + lists);
        let utilisation = Utilisation::Ignored;
        let cache_bytes = cache.min(ChunkedAdjacency::cache_bytes_for_all(self.store, direction, utilisation));
        let options = ChunkedOptions {
            io: self.io,
            cache_bytes,
            utilisation,
            merge: MergePolicy::default(),
            dense_access: DenseAccess::default(),
        };
        let lists = ChunkedAdjacency::open(self.store, direction, &options, self.budget, self.workers)?;
        two_level(&lists, &located, SHARE, self.workers, self.budget)
    }
}
