//! Updates stores.

use crate::build::TextArguments;
use crate::edges::{ArrayEdges, ArrowEdges, EdgeArguments};
use crate::error::{OrException, json};
use crate::work::{Failure, Listener, run};
use outcrop::{EdgeInput, EdgeSource, IdKind, MergeRule, Result, UpdateRequest};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::path::PathBuf;

/// How to update, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct UpdateArguments {
    store: PathBuf,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
    /// Whether edges that are in memory have weights.
    weighted: bool,
    merge: bool,
    merge_above: String,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
    on_error: String,
    max_errors: u64,
    separator: Option<char>,
    header: String,
    comments: String,
}

/// Edges as Python hands them over.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    /// Files.
    Files(Vec<PathBuf>),
    /// Pieces of arrays, whether ids are texts, and how many edges there are.
    Arrays(Py<PyAny>, bool, u64),
    /// An Arrow stream.
    Stream(Bound<'py, PyCapsule>),
}

type Source = Option<Box<dyn EdgeSource>>;

impl Given<'_> {
    /// The files, or the edges that are in none.
    fn open(given: Option<Self>, edges: &EdgeArguments, failure: &Failure) -> PyResult<(Vec<EdgeInput>, Source)> {
        Ok(match given {
            None => (Vec::new(), None),
            Some(Self::Files(files)) => (files.into_iter().map(EdgeInput::Path).collect(), None),
            Some(Self::Arrays(pieces, texts, count)) => {
                let kind = if texts { IdKind::Text } else { IdKind::Integer };
                (Vec::new(), Some(Box::new(ArrayEdges::new(pieces, kind, count, edges, failure.clone()))))
            }
            Some(Self::Stream(stream)) => (Vec::new(), Some(Box::new(ArrowEdges::open(&stream, edges)?))),
        })
    }
}

impl UpdateArguments {
    fn edges(&self, weighted: bool) -> EdgeArguments {
        let (source, target) = (self.source.clone(), self.target.clone());
        let weight = self.weight.clone().filter(|_| weighted);
        EdgeArguments { source, target, weight, weighted, weight_type: None, texts: false, largest: u64::MAX }
    }

    fn request(&self) -> Result<UpdateRequest> {
        let Self { separator, header, comments, on_error, max_errors, .. } = self;
        let text = TextArguments { separator: *separator, header, comments, on_error, max_errors: *max_errors };
        Ok(UpdateRequest {
            text: text.options(&self.edges(true))?,
            merge: if self.merge { MergeRule::Now } else { self.merge_above.parse()? },
            memory: self.memory.parse()?,
            threads: self.threads,
            temp_folder: self.tmp_dir.clone(),
            ..UpdateRequest::new(&self.store)
        })
    }
}

/// Removes and adds edges; what was done, as JSON.
#[pyfunction]
pub(crate) fn update(
    py: Python<'_>,
    remove: Option<Given<'_>>,
    add: Option<Given<'_>>,
    arguments: UpdateArguments,
    progress: Option<Listener>,
) -> PyResult<String> {
    let failure = Failure::default();
    let (remove, removed) = Given::open(remove, &arguments.edges(false), &failure)?;
    let (add, added) = Given::open(add, &arguments.edges(arguments.weighted), &failure)?;
    let request = UpdateRequest { remove, add, ..arguments.request().or_exception(py)? };
    let done = run(py, progress.as_ref(), |call| {
        outcrop::update_from((removed, added), &request, &call.cancellation, &*call.observer)
    });
    failure.take().map_or_else(|| json(&done?), Err)
}
