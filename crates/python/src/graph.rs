//! An open graph.

use crate::arguments;
use crate::choices::choose;
use crate::error::{OrException, json};
use crate::fork::Owner;
use crate::result::ResultHandle;
use crate::work::{Call, Listener, run};
use outcrop::{
    CacheSize, Choice, Graph, IoChoice, MemorySize, OpenOptions, Schedule, SelectionRequest, Selector, StaticShare,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// How work on a graph is done.
struct Settings {
    folder: PathBuf,
    memory: MemorySize,
    threads: Option<usize>,
    io: IoChoice,
    page_cache: CacheSize,
    static_cache: StaticShare,
    schedule: Schedule,
    temp_folder: Option<PathBuf>,
}

impl Settings {
    /// Opens the graph for one piece of work: what stops that piece stops nothing else.
    fn open(&self, call: &Call) -> outcrop::Result<Graph> {
        let options = OpenOptions {
            memory: self.memory,
            threads: self.threads,
            io: self.io,
            page_cache: self.page_cache,
            static_cache: self.static_cache,
            temp_folder: self.temp_folder.clone(),
            cancellation: call.cancellation.clone(),
            observer: call.observer.clone(),
            ..OpenOptions::default()
        };
        Graph::open(&self.folder, options)
    }
}

/// An open graph.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct GraphHandle {
    settings: Settings,
    /// Keeps the store from being replaced; `None` once closed.
    store: Mutex<Option<Graph>>,
    owner: Owner,
}

impl GraphHandle {
    fn check_usable(&self) -> PyResult<()> {
        self.owner.check()?;
        match *self.store.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(_) => Ok(()),
            None => Err(PyValueError::new_err("the graph is closed")),
        }
    }
}

#[pymethods]
impl GraphHandle {
    #[new]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        memory: &str,
        threads: Option<usize>,
        reading: (String, String),
        caches: (String, String),
        temp_folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let ((io, schedule), (page_cache, static_cache)) = (reading, caches);
        let schedules: Vec<_> = Schedule::VALUES.iter().map(|schedule| (schedule.word(), *schedule)).collect();
        let settings = Settings {
            folder,
            memory: memory.parse().or_exception(py)?,
            threads,
            io: io.parse().or_exception(py)?,
            page_cache: page_cache.parse().or_exception(py)?,
            static_cache: static_cache.parse().or_exception(py)?,
            schedule: choose("schedule", &schedule, &schedules).or_exception(py)?,
            temp_folder,
        };
        let idle = OpenOptions { threads: Some(1), ..OpenOptions::default() };
        let store = Graph::open(&settings.folder, idle).or_exception(py)?;
        Ok(Self { settings, store: Mutex::new(Some(store)), owner: Owner::this_process() })
    }

    /// Lets go of the store.
    fn close(&self) -> PyResult<()> {
        self.owner.check()?;
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// What the store holds, as JSON.
    fn info(&self) -> PyResult<String> {
        self.check_usable()?;
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        json(&store.as_ref().map(Graph::info))
    }

    /// Verifies every byte.
    fn check(&self, py: Python<'_>, progress: Option<Listener>) -> PyResult<()> {
        self.check_usable()?;
        run(py, progress.as_ref(), |call| self.settings.open(call)?.check())
    }

    /// Selects lists for static caches; what that did, as JSON.
    fn select(
        &self,
        py: Python<'_>,
        size: &str,
        select: &str,
        rounds: Option<NonZeroU32>,
        seed: Option<u64>,
        progress: Option<Listener>,
    ) -> PyResult<String> {
        self.check_usable()?;
        let selector = Selector::named(select, rounds, seed).or_exception(py)?;
        let request = SelectionRequest { size: size.parse().or_exception(py)?, selector };
        json(&run(py, progress.as_ref(), |call| self.settings.open(call)?.select(&request))?)
    }

    /// Removes what was selected.
    fn forget_selections(&self, py: Python<'_>, progress: Option<Listener>) -> PyResult<()> {
        self.check_usable()?;
        run(py, progress.as_ref(), |call| self.settings.open(call)?.forget_selections())
    }

    /// What a run would need, as JSON.
    fn estimate(&self, py: Python<'_>, algorithm: &str, arguments: &Bound<'_, PyDict>) -> PyResult<String> {
        self.check_usable()?;
        let request = arguments::request(py, self.settings.schedule, algorithm, arguments)?;
        json(&run(py, None, |call| self.settings.open(call)?.estimate(&request))?)
    }

    /// Runs an algorithm.
    fn run(
        &self,
        py: Python<'_>,
        algorithm: &str,
        arguments: &Bound<'_, PyDict>,
        progress: Option<Listener>,
    ) -> PyResult<ResultHandle> {
        self.check_usable()?;
        let request = arguments::request(py, self.settings.schedule, algorithm, arguments)?;
        let result = run(py, progress.as_ref(), |call| self.settings.open(call)?.run(&request))?;
        Ok(ResultHandle::new(result, self.owner))
    }
}
