//! An open graph.

use crate::choices::choose;
use crate::error::{OrException, json};
use crate::fork::Owner;
use crate::result::ResultHandle;
use crate::work::{Call, Listener, run};
use outcrop::{
    BucketWidth, CacheSize, DelayBuffer, Delivery, GasChoices, Graph, InputVector, IoChoice, MemorySize,
    MessageChoices, Method, Model, OpenOptions, Personalization, Precision, RunRequest, SHARD_KINDS, Schedule,
    SelectionRequest, Selector, StaticShare, UpdatedShare, ValuePlace,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An algorithm and its parameters, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunArguments {
    algorithm: String,
    sources: Vec<String>,
    alpha: Option<f64>,
    tol: Option<f64>,
    max_iter: Option<u32>,
    iterations: Option<u32>,
    exact: Option<bool>,
    personalization: Option<Vec<(String, f64)>>,
    personalization_file: Option<PathBuf>,
    precision: Option<String>,
    source_count: Option<u32>,
    samples: Option<u32>,
    seed: Option<u64>,
    batch: Option<u32>,
    normalized: Option<bool>,
    delta: Option<f64>,
    k: Option<u32>,
    method: Option<String>,
    bucket_width: Option<f64>,
    vector_file: Option<PathBuf>,
    /// Numbers of double precision.
    vector_values: Option<PyBackedBytes>,
    vector_entries: Option<Vec<(String, f64)>>,
    transpose: Option<bool>,
    weighted: Option<bool>,
    length: Option<u32>,
    every: Option<u32>,
    restart: Option<f64>,
    p: Option<f64>,
    q: Option<f64>,
    model: Option<String>,
    values: Option<String>,
    delivery: Option<String>,
    coupling: Option<f64>,
    damping: Option<f64>,
    rate: Option<f64>,
    shards: Option<String>,
    updated_share: Option<String>,
    delay_buffer: Option<String>,
}

impl RunArguments {
    fn request(self) -> outcrop::Result<RunRequest> {
        let precision =
            |name: String| choose("precision", &name, &[("f64", Precision::Double), ("f32", Precision::Single)]);
        let method = |name: String| choose("method", &name, &Method::ALL.map(|method| (method.name(), method)));
        let model = |name: String| choose("model", &name, &Model::ALL.map(|model| (model.name(), model)));
        let delivery = |name: String| {
            choose("delivery", &name, &[("sync", Delivery::Synchronous), ("async", Delivery::Asynchronous)])
        };
        let shards = |name: String| choose("shards", &name, &SHARD_KINDS);
        let share = |text: String| text.parse().map(|UpdatedShare(share)| share);
        let buffer = |text: String| text.parse().map(|DelayBuffer(bytes)| bytes);
        let weights = self.personalization.map(Personalization::Weights);
        Ok(RunRequest {
            sources: self.sources,
            alpha: self.alpha,
            tolerance: self.tol,
            max_iterations: self.max_iter,
            iterations: self.iterations,
            exact: self.exact,
            personalization: weights.or(self.personalization_file.map(Personalization::File)),
            precision: self.precision.map(precision).transpose()?,
            source_count: self.source_count,
            samples: self.samples,
            seed: self.seed,
            batch: self.batch,
            normalized: self.normalized,
            delta: self.delta,
            k: self.k,
            method: self.method.map(method).transpose()?,
            bucket_width: self.bucket_width.map(BucketWidth::Exactly),
            vector: vector(self.vector_file, self.vector_values, self.vector_entries),
            transpose: self.transpose,
            weighted: self.weighted,
            length: self.length,
            every: self.every,
            restart: self.restart,
            return_parameter: self.p,
            in_out_parameter: self.q,
            coupling: self.coupling,
            damping: self.damping,
            rate: self.rate,
            model: self.model.map(model).transpose()?,
            values: self.values.map_or(Ok(ValuePlace::Auto), |place| place.parse())?,
            messages: MessageChoices {
                delivery: self.delivery.map(delivery).transpose()?,
                ..MessageChoices::default()
            },
            gas: GasChoices {
                shards: self.shards.map(shards).transpose()?,
                updated_share: self.updated_share.map(share).transpose()?,
                delay_bytes: self.delay_buffer.map(buffer).transpose()?,
            },
            ..RunRequest::new(&self.algorithm)?
        })
    }
}

/// The vector that is given in one of three ways.
fn vector(
    file: Option<PathBuf>,
    values: Option<PyBackedBytes>,
    entries: Option<Vec<(String, f64)>>,
) -> Option<InputVector> {
    let doubles = |bytes: PyBackedBytes| bytes.as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
    let values = values.map(|bytes| InputVector::Values(doubles(bytes)));
    file.map(InputVector::File).or(values).or(entries.map(|entries| InputVector::Entries(entries.into())))
}

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
        let settings = Settings {
            folder,
            memory: memory.parse().or_exception(py)?,
            threads,
            io: io.parse().or_exception(py)?,
            page_cache: page_cache.parse().or_exception(py)?,
            static_cache: static_cache.parse().or_exception(py)?,
            schedule: choose("schedule", &schedule, &Schedule::ALL.map(|way| (way.name(), way))).or_exception(py)?,
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
    fn estimate(&self, py: Python<'_>, arguments: RunArguments) -> PyResult<String> {
        self.check_usable()?;
        let request = arguments.request().or_exception(py)?;
        json(&run(py, None, |call| self.settings.open(call)?.estimate(&request))?)
    }

    /// Runs an algorithm.
    fn run(&self, py: Python<'_>, arguments: RunArguments, progress: Option<Listener>) -> PyResult<ResultHandle> {
        self.check_usable()?;
        let request = RunRequest { schedule: self.settings.schedule, ..arguments.request().or_exception(py)? };
        let result = run(py, progress.as_ref(), |call| self.settings.open(call)?.run(&request))?;
        Ok(ResultHandle::new(result, self.owner))
    }
}
