//! Open graph.

use crate::info::GraphInfo;
use crate::lists::LastRun;
use crate::memory_size::{CacheSize, MemorySize, StaticShare, note_above_limit};
use outcrop_io::{Bandwidths, Disk, IoChoice, SpillFolder, Storage, Utilization};
use outcrop_store::WorkContext;
use outcrop_store::access::Workers;
use outcrop_store::layout::chunked::DenseAccess;
use outcrop_store::layout::{Layout, LayoutKind};
use outcrop_store::{Store, check, require_own_place};
use outcrop_types::{Cancellation, Error, MemoryBudget, Observer, Result, Silent};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Options for opening a graph.
#[derive(Clone)]
pub struct OpenOptions {
    /// Memory of a run, page cache and I/O buffers included.
    pub memory: MemorySize,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// I/O backend.
    pub io: IoChoice,
    /// Memory of the page cache, within the budget.
    pub page_cache: CacheSize,
    /// Share of the page cache memory for pinned lists, which are the store's selections.
    pub static_cache: StaticShare,
    /// Order in which sweeps read chunked lists, for measurements.
    pub dense_access: DenseAccess,
    /// Tracking of the accessed parts of cached pages, for measurements.
    pub utilization: Utilization,
    /// Bandwidths of the store's disk; `None` for the measured ones, or typical ones if it was not measured.
    pub bandwidths: Option<Bandwidths>,
    /// Folder for messages and vertex values on disk; `None` for next to the store.
    pub temp_folder: Option<PathBuf>,
    /// Command line, for the records of runs; empty without one.
    pub command: String,
    /// Keep runs in the run history of the store.
    pub history: bool,
    /// Cancels running operations.
    pub cancellation: Cancellation,
    /// Receiver of progress.
    pub observer: Arc<dyn Observer>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            memory: MemorySize::default(),
            threads: None,
            io: IoChoice::Auto,
            page_cache: CacheSize::default(),
            static_cache: StaticShare::default(),
            dense_access: DenseAccess::default(),
            utilization: Utilization::default(),
            bandwidths: None,
            temp_folder: None,
            command: String::new(),
            history: false,
            cancellation: Cancellation::new(),
            observer: Arc::new(Silent),
        }
    }
}

/// Store open for reading, with its own threads.
pub struct Graph {
    pub(crate) store: Arc<Store>,
    pub(crate) workers: Workers,
    pub(crate) memory: u64,
    pub(crate) io: IoChoice,
    pub(crate) page_cache: CacheSize,
    pub(crate) static_cache: StaticShare,
    pub(crate) dense_access: DenseAccess,
    pub(crate) utilization: Utilization,
    pub(crate) temp_folder: PathBuf,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) command: String,
    /// True if runs are stored in the run history, and whether a note was issued that they are not.
    pub(crate) history: bool,
    pub(crate) forgetful: AtomicBool,
    /// Disk bandwidths of the options, and the ones that were loaded, once requested.
    given_bandwidths: Option<Bandwidths>,
    pub(crate) bandwidths: OnceLock<Bandwidths>,
    /// Folder for spill files of queries, once one was needed.
    pub(crate) spill: OnceLock<Arc<SpillFolder>>,
    /// Lists that the last run left open, if any.
    pub(crate) last_run: Option<LastRun>,
}

/// Returns `threads`, or one thread per core.
pub(crate) fn threads_or_cores(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// Returns the folder that contains `store`.
fn parent_folder(store: &Path) -> PathBuf {
    let parent = store.canonicalize().ok().and_then(|store| store.parent().map(Path::to_owned));
    parent.unwrap_or_else(|| PathBuf::from("."))
}

impl Graph {
    /// Opens the store in `folder`.
    ///
    /// # Errors
    /// Returns an error if there is no store, or if it is damaged, of a newer format or being replaced.
    pub fn open(folder: &Path, options: OpenOptions) -> Result<Self> {
        Self::over(Arc::new(Store::open(folder)?), options)
    }

    /// Creates the graph of an open store.
    pub(crate) fn over(store: Arc<Store>, options: OpenOptions) -> Result<Self> {
        let workers = Workers::start(threads_or_cores(options.threads), options.cancellation.clone())?;
        Self::with_workers(store, workers, options)
    }

    /// Creates the graph of an open store, with shared threads.
    pub(crate) fn with_workers(store: Arc<Store>, workers: Workers, options: OpenOptions) -> Result<Self> {
        let folder = store.folder().to_owned();
        options.temp_folder.as_deref().map_or(Ok(()), require_own_place)?;
        let memory = options.memory.bytes();
        note_above_limit(memory).iter().for_each(|note| options.observer.note(note));
        Ok(Self {
            store,
            workers,
            memory,
            io: options.io,
            page_cache: options.page_cache,
            static_cache: options.static_cache,
            dense_access: options.dense_access,
            utilization: options.utilization,
            temp_folder: options.temp_folder.unwrap_or_else(|| parent_folder(&folder)),
            observer: options.observer,
            command: options.command,
            history: options.history,
            forgetful: AtomicBool::new(false),
            given_bandwidths: options.bandwidths,
            bandwidths: OnceLock::new(),
            spill: OnceLock::new(),
            last_run: None,
        })
    }

    /// Returns the cancellation of all operations on this graph.
    pub fn cancellation(&self) -> &Cancellation {
        self.workers.cancellation()
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u32 {
        self.store.manifest().graph.vertices
    }

    /// Returns the number of edges; an undirected edge counts once.
    pub fn num_edges(&self) -> u64 {
        self.store.manifest().graph.edges
    }

    /// Returns the description of the store.
    pub fn info(&self) -> GraphInfo {
        GraphInfo::of(&self.store)
    }

    /// Verifies every unit of every file, and the consistency of the parts.
    ///
    /// # Errors
    /// Returns [`outcrop_types::Error::Corrupt`] with the first damage found, or an error if the budget is too small or
    /// on interruption.
    pub fn check(&self) -> Result<()> {
        check(&self.store, self.work(&self.budget(), &*self.observer))?;
        self.report_notes();
        Ok(())
    }

    pub(crate) fn report_notes(&self) {
        self.store.take_notes().iter().for_each(|note| self.observer.note(note));
    }

    /// Returns the resources of store operations within `budget`.
    pub(crate) fn work<'w>(&'w self, budget: &'w MemoryBudget, observer: &'w dyn Observer) -> WorkContext<'w> {
        WorkContext { storage: &Disk, io: self.io, budget, workers: &self.workers, observer }
    }

    /// Returns a budget for operations other than runs; first releases the memory of a handle's last run.
    pub(crate) fn budget(&self) -> MemoryBudget {
        self.last_run.iter().for_each(|last| drop(last.release()));
        MemoryBudget::new(self.memory)
    }

    /// Returns the bandwidths of the store's disk: given, measured or assumed.
    pub(crate) fn bandwidths(&self) -> Result<Bandwidths> {
        if let Some(known) = self.given_bandwidths.as_ref().or_else(|| self.bandwidths.get()) {
            return Ok(known.clone());
        }
        let found = Bandwidths::load(self.store.folder())?.unwrap_or_else(Bandwidths::assumed);
        Ok(self.bandwidths.get_or_init(|| found).clone())
    }

    /// Returns the folder for spill files of queries, which the first call checks.
    ///
    /// # Errors
    /// Returns an error if it is missing or in a folder of outcrop.
    pub(crate) fn spill_folder(&self) -> Result<&Arc<SpillFolder>> {
        if let Some(known) = self.spill.get() {
            return Ok(known);
        }
        require_own_place(&self.temp_folder)?;
        let found = Arc::new(Disk.spill_folder_when_needed(&self.temp_folder)?);
        Ok(self.spill.get_or_init(|| found))
    }

    /// Returns the layout of the store's lists.
    pub fn layout(&self) -> LayoutKind {
        self.store.manifest().layout()
    }

    /// Returns the layout of the store's lists, with its settings.
    pub fn layout_settings(&self) -> Layout {
        let manifest = self.store.manifest();
        let chunked = manifest.lists.chunked.first().map(|entry| Layout::Chunked(entry.settings.clone()));
        let compact = || manifest.lists.compact.first().map(|entry| Layout::Compact(entry.settings()));
        let csr = || manifest.lists.csr.first().map(|entry| Layout::Csr(entry.settings()));
        let sliding = || manifest.lists.sliding.as_ref().map(|entry| Layout::Sliding(entry.settings()));
        // Default: a store without lists has no settings of its own.
        chunked.or_else(compact).or_else(sliding).or_else(csr).unwrap_or_default()
    }

    /// # Errors
    /// Returns an error if the store does not have the `wanted` layout.
    pub(crate) fn require_layout(&self, wanted: Option<LayoutKind>) -> Result<()> {
        match wanted {
            Some(wanted) if wanted != self.layout() => Err(Error::Usage(format!(
                "{} has the layout {}, not {}; use `outcrop convert` to change the layout",
                self.store.folder().display(),
                self.layout().name(),
                wanted.name()
            ))),
            _ => Ok(()),
        }
    }
}
