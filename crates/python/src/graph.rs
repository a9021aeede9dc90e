//! An open graph.

use crate::arguments::{self, choose};
use crate::batches::Batches;
use crate::edges::Ids;
use crate::error::{OrException, json};
use crate::fork::Owner;
use crate::programs::{ArrayGas, Functions};
use crate::queries::{AnswerStream, Lists, Sweep, batches};
use crate::result::ResultHandle;
use crate::work::{Failure, Listener, run};
use numpy::{IntoPyArray, PyReadonlyArray1};
use outcrop::engine::Direction;
use outcrop::{
    Arg, CheckpointOptions, ExportRequest, Graph, Handle, InputVector, ListVertices, NeighborsRequest, OpenOptions,
    ProfileRequest, Pull, Rounds, RunRequest, SampleRequest, SelectionRequest, Selector, SubgraphRequest,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Folder of checkpoints, whether the run goes on from there, and the folder of the last result.
type Saved = (Option<PathBuf>, bool, Option<PathBuf>);

/// An open graph.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct GraphHandle {
    /// `None` once closed.
    open: Mutex<Option<Arc<Handle>>>,
    owner: Owner,
}

impl GraphHandle {
    fn handle(&self) -> PyResult<Arc<Handle>> {
        self.owner.check()?;
        self.lock().clone().ok_or_else(|| PyValueError::new_err("the graph is closed"))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Handle>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the direction with this name.
fn direction_of(name: &str) -> outcrop::Result<Direction> {
    choose("direction", name, &[Direction::In, Direction::Out].map(|direction| (direction.name(), direction)))
}

/// Returns the request to write edges to `path` in a format and order.
fn export_request(
    path: PathBuf,
    form: (Option<&str>, &str),
    weights: bool,
    overwrite: bool,
) -> outcrop::Result<ExportRequest> {
    let (format, order) = (form.0.map(str::parse).transpose()?, form.1.parse()?);
    Ok(ExportRequest { format, order, unweighted: !weights, overwrite, ..ExportRequest::new(path) })
}

/// Does `work` on the graph; an interruption of it stops nothing else.
fn call<T: Send>(
    py: Python<'_>,
    handle: &Handle,
    progress: Option<&Listener>,
    work: impl FnOnce(&Graph) -> outcrop::Result<T> + Send,
) -> PyResult<T> {
    run(py, progress, |call| handle.call(&call.cancellation, Arc::clone(&call.observer), work))
}

impl Drop for GraphHandle {
    fn drop(&mut self) {
        // After a fork there are no threads that could be ended.
        if !self.owner.is_here() {
            std::mem::forget(self.lock().take());
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
        io: &str,
        caches: (String, String),
        temp_folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (page_cache, static_cache) = caches;
        let options = OpenOptions {
            memory: memory.parse().or_exception(py)?,
            threads,
            io: io.parse().or_exception(py)?,
            page_cache: page_cache.parse().or_exception(py)?,
            static_cache: static_cache.parse().or_exception(py)?,
            temp_folder,
            history: outcrop::history_wanted(),
            ..OpenOptions::default()
        };
        let handle = Handle::open(&folder, options).or_exception(py)?;
        Ok(Self { open: Mutex::new(Some(Arc::new(handle))), owner: Owner::this_process() })
    }

    /// Lets go of the store, and of what is kept of the last run.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.owner.check()?;
        py.detach(|| drop(self.lock().take()));
        Ok(())
    }

    /// Contents of the store, as JSON.
    fn info(&self) -> PyResult<String> {
        json(&self.handle()?.info())
    }

    /// The runs in the history of the store, as JSON.
    fn runs(&self, py: Python<'_>) -> PyResult<String> {
        let store = self.handle()?.info().store;
        json(&py.detach(|| outcrop::runs(store.as_ref())).or_exception(py)?)
    }

    /// Profile of the graph, as JSON.
    fn profile(
        &self,
        py: Python<'_>,
        sources: u32,
        wedges: u32,
        seed: u64,
        progress: Option<Listener>,
    ) -> PyResult<String> {
        let request = ProfileRequest { sources, wedges, seed };
        json(&call(py, &*self.handle()?, progress.as_ref(), |graph| graph.profile(&request))?)
    }

    /// Verifies every byte.
    fn check(&self, py: Python<'_>, progress: Option<Listener>) -> PyResult<()> {
        call(py, &*self.handle()?, progress.as_ref(), Graph::check)
    }

    /// Selects lists for static caches, with rounds or a seed as `parameters`; its record as JSON.
    fn select(
        &self,
        py: Python<'_>,
        size: &str,
        select: &str,
        parameters: (Option<NonZeroU32>, Option<u64>),
        keep: bool,
        progress: Option<Listener>,
    ) -> PyResult<String> {
        let handle = self.handle()?;
        let (rounds, seed) = parameters;
        let selector = Selector::named(select, rounds.map(Rounds::Of), seed).or_exception(py)?;
        let request = SelectionRequest { size: size.parse().or_exception(py)?, selector, keep };
        json(&call(py, &handle, progress.as_ref(), |graph| graph.select(&request))?)
    }

    /// Removes the selections.
    fn forget_selections(&self, py: Python<'_>, progress: Option<Listener>) -> PyResult<()> {
        call(py, &*self.handle()?, progress.as_ref(), Graph::forget_selections)
    }

    /// Writes the edges to a file in a format and order; how many there were.
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        form: (Option<&str>, &str),
        weights: bool,
        overwrite: bool,
        progress: Option<Listener>,
    ) -> PyResult<u64> {
        let request = export_request(path, form, weights, overwrite).or_exception(py)?;
        call(py, &*self.handle()?, progress.as_ref(), |graph| graph.export(&request))
    }

    /// Writes the edges of all lists that verify to a file; a record as JSON.
    fn salvage(
        &self,
        py: Python<'_>,
        path: PathBuf,
        form: (Option<&str>, &str),
        weights: bool,
        overwrite: bool,
        progress: Option<Listener>,
    ) -> PyResult<String> {
        let request = export_request(path, form, weights, overwrite).or_exception(py)?;
        json(&call(py, &*self.handle()?, progress.as_ref(), |graph| graph.salvage(&request))?)
    }

    /// True for each id that is one of a vertex.
    fn contains(&self, py: Python<'_>, ids: Ids) -> PyResult<Vec<bool>> {
        let ids = ids.into();
        call(py, &*self.handle()?, None, |graph| graph.contains(&ids))
    }

    /// True for each source that has an edge to the target at its position.
    fn has_edges(&self, py: Python<'_>, sources: Ids, targets: Ids) -> PyResult<Vec<bool>> {
        let (sources, targets) = (sources.into(), targets.into());
        call(py, &*self.handle()?, None, |graph| graph.has_edges(&sources, &targets))
    }

    /// Neighbors of vertices.
    fn neighbors(&self, py: Python<'_>, ids: Ids, direction: &str, weights: bool) -> PyResult<Batches> {
        let request = NeighborsRequest { nodes: ids.into(), sides: direction.parse().or_exception(py)?, weights };
        call(py, &*self.handle()?, None, |graph| batches(graph.neighbors(&request)?))
    }

    /// Degrees of vertices, or of all.
    fn degrees(&self, py: Python<'_>, ids: Option<Ids>, direction: &str) -> PyResult<Batches> {
        let (ids, sides) = (ids.map(Into::into), direction.parse().or_exception(py)?);
        call(py, &*self.handle()?, None, |graph| batches(graph.degrees(ids.as_ref(), sides)?))
    }

    /// Returns all vertices.
    fn nodes(&self, py: Python<'_>) -> PyResult<AnswerStream> {
        call(py, &*self.handle()?, None, |graph| AnswerStream::start(graph.nodes()?))
    }

    /// Streams all edges in batches of `batch_size`.
    fn edges(
        &self,
        py: Python<'_>,
        weights: bool,
        batch_size: NonZeroU32,
        progress: Option<Listener>,
    ) -> PyResult<AnswerStream> {
        call(py, &*self.handle()?, progress.as_ref(), |graph| {
            AnswerStream::start(graph.edges(weights)?.in_batches_of(batch_size))
        })
    }

    /// Starts a pass over all lists, or those of the vertices in some rows, whose batches [`GraphHandle::next_lists`]
    /// returns; `sides` stay open between them.
    fn sweep(
        &self,
        py: Python<'_>,
        directions: (String, String),
        weights: bool,
        batch: Option<NonZeroU32>,
        rows: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Sweep> {
        let direction = direction_of(&directions.0).or_exception(py)?;
        let sides = directions.1.parse().or_exception(py)?;
        let vertices = match &rows {
            None => ListVertices::All,
            Some(rows) => ListVertices::Ranks(rows.as_slice()?),
        };
        let start = |graph: &Graph| graph.sweep(direction, sides, weights, batch, vertices);
        Ok(Sweep(Mutex::new(call(py, &*self.handle()?, None, start)?)))
    }

    /// Makes a pass over the lists of a frontier that has not begun read the lists of the vertices in other rows, if
    /// they take less time or `always`; only up to the `first` neighbor in the frontier. True if so.
    fn sweep_instead(
        &self,
        py: Python<'_>,
        sweep: &Sweep,
        direction: &str,
        rows: PyReadonlyArray1<'_, u32>,
        first: bool,
        always: bool,
    ) -> PyResult<bool> {
        let direction = direction_of(direction).or_exception(py)?;
        let pull = Pull { direction, ranks: rows.as_slice()?, first, always };
        call(py, &*self.handle()?, None, |graph| graph.sweep_instead(&mut sweep.lock(), pull))
    }

    /// Vertices, offsets, neighbors and weights of the next lists.
    fn next_lists<'py>(&self, py: Python<'py>, sweep: &Sweep) -> PyResult<Option<Lists<'py>>> {
        let lists = call(py, &*self.handle()?, None, |graph| graph.next_lists(&mut sweep.lock()))?;
        Ok(lists.map(|lists| {
            let weights = lists.weights.map(|weights| weights.into_pyarray(py));
            let (vertices, offsets) = (lists.vertices.into_pyarray(py), lists.offsets.into_pyarray(py));
            (vertices, offsets, lists.neighbors.into_pyarray(py), weights)
        }))
    }

    /// The edges among vertices, or around them.
    fn subgraph(
        &self,
        py: Python<'_>,
        ids: Ids,
        radius: u32,
        direction: &str,
        weights: bool,
    ) -> PyResult<AnswerStream> {
        let sides = direction.parse().or_exception(py)?;
        let request = SubgraphRequest { nodes: ids.into(), radius, sides, weights };
        call(py, &*self.handle()?, None, |graph| AnswerStream::start(graph.subgraph(&request)?))
    }

    /// A sample of neighbors, layer by layer.
    fn sample(
        &self,
        py: Python<'_>,
        ids: Ids,
        fanouts: Vec<u32>,
        direction: &str,
        draws: (bool, bool),
        seed: u64,
    ) -> PyResult<Batches> {
        let (replace, weighted) = draws;
        let sides = direction.parse().or_exception(py)?;
        let request = SampleRequest { sides, replace, weighted, seed, ..SampleRequest::new(ids.into(), fanouts) };
        call(py, &*self.handle()?, None, |graph| batches(graph.sample_neighbors(&request)?))
    }

    /// Estimated needs of a run, as JSON.
    fn estimate(&self, py: Python<'_>, algorithm: &str, arguments: &Bound<'_, PyDict>) -> PyResult<String> {
        let handle = self.handle()?;
        let request = arguments::request(py, algorithm, arguments)?;
        json(&call(py, &handle, None, |graph| graph.estimate(&request))?)
    }

    /// Runs a program on arrays; the result has one column of values.
    fn gas(
        &self,
        py: Python<'_>,
        initial: PyReadonlyArray1<'_, f64>,
        functions: (String, Py<PyAny>, Py<PyAny>),
        edges: (String, bool),
        end: (u32, f64),
        progress: Option<Listener>,
    ) -> PyResult<ResultHandle> {
        let (handle, failure) = (self.handle()?, Failure::default());
        let (gather, apply, scatter) = functions;
        let functions = Functions::new(&gather, apply, scatter, failure.clone()).or_exception(py)?;
        let ((direction, reverse), (limit, tolerance)) = (edges, end);
        let program = ArrayGas::new(functions, &direction, reverse, limit, tolerance).or_exception(py)?;
        let vector = Arg::Vector(InputVector::Values(initial.as_slice()?.into()));
        let request = RunRequest::of(&program).with("vector", vector).or_exception(py)?;
        let result = call(py, &handle, progress.as_ref(), |graph| graph.run(&request));
        failure.take().map_or_else(|| Ok(ResultHandle::new(result?, self.owner)), Err)
    }

    /// Runs an algorithm.
    fn run(
        &self,
        py: Python<'_>,
        algorithm: &str,
        arguments: &Bound<'_, PyDict>,
        saved: Saved,
        progress: Option<Listener>,
    ) -> PyResult<ResultHandle> {
        let handle = self.handle()?;
        let request = arguments::request(py, algorithm, arguments)?;
        let (checkpoint, resume, incremental) = saved;
        let checkpoints = checkpoint.map(|folder| CheckpointOptions { resume, ..CheckpointOptions::new(folder) });
        let request = checkpoints.into_iter().fold(request, RunRequest::with_checkpoints);
        let request = incremental.into_iter().fold(request, RunRequest::with_incremental);
        let result = call(py, &handle, progress.as_ref(), |graph| graph.run(&request))?;
        Ok(ResultHandle::new(result, self.owner))
    }
}
