//! Builds stores.

use super::account::account;
use super::lists::ListArguments;
use crate::arguments::choose;
use crate::edges::{EdgeArguments, Given, TextArguments};
use crate::error::{OrException, json};
use crate::work::{Failure, Listener, run};
use outcrop::{
    BuildOrder, BuildRequest, BuildResources, CheckpointOptions, Dedup, EdgeInput, EdgeListOptions, GraphOptions,
    IdKind, IdMode, InputOptions, Publishing, Result, SelfLoops, StoreForm, WeightChoice,
};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Options of a build, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BuildArguments {
    store: PathBuf,
    weight_type: String,
    directed: Option<bool>,
    format: Option<String>,
    ids: String,
    num_vertices: Option<u64>,
    vertices: Option<PathBuf>,
    dedup: String,
    self_loops: String,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
    overwrite: bool,
    allow_empty: bool,
    verify: bool,
    checkpoint: Option<PathBuf>,
    resume: bool,
}

impl BuildArguments {
    fn request(&self, lists: &ListArguments, text: &TextArguments) -> Result<BuildRequest> {
        let dedups = [
            ("keep", Dedup::Keep),
            ("first", Dedup::First),
            ("sum", Dedup::Sum),
            ("min", Dedup::Min),
            ("max", Dedup::Max),
        ];
        let ids =
            [("auto", IdMode::Auto), ("dense", IdMode::Dense), ("integer", IdMode::Integer), ("string", IdMode::Text)];
        let loops = [("keep", SelfLoops::Keep), ("drop", SelfLoops::Drop)];
        Ok(BuildRequest {
            input: InputOptions {
                vertices: self.vertices.clone().map(EdgeInput::from),
                text: EdgeListOptions {
                    format: self.format.as_deref().map(str::parse).transpose()?,
                    ..text.options()?
                },
                ids: choose("ids", &self.ids, &ids)?,
                num_vertices: self.num_vertices,
            },
            graph: GraphOptions {
                directed: self.directed,
                dedup: choose("dedup", &self.dedup, &dedups)?,
                self_loops: choose("self_loops", &self.self_loops, &loops)?,
                weights: self.weights()?,
                allow_empty: self.allow_empty,
            },
            form: StoreForm { order: lists.order()?.unwrap_or(BuildOrder::Auto), layout: lists.layout()? },
            resources: BuildResources {
                memory: self.memory.parse()?,
                threads: self.threads,
                temp_folder: self.tmp_dir.clone(),
            },
            publishing: Publishing {
                overwrite: self.overwrite,
                verify: self.verify,
                checkpoints: checkpoints(self.checkpoint.as_ref(), self.resume),
                ..Publishing::default()
            },
            ..BuildRequest::new(Vec::new(), &self.store)
        })
    }

    fn weights(&self) -> Result<WeightChoice> {
        self.weight_type.parse()
    }

    fn edges(&self, text: &TextArguments) -> Result<EdgeArguments> {
        let vertices = self.num_vertices.filter(|_| self.ids == "dense");
        Ok(EdgeArguments {
            columns: text.columns(),
            weighted: text.weighted,
            times: text.times()?,
            weight_type: self.weights()?.requested(),
            ids: match self.ids.as_str() {
                "string" => Some(IdKind::Text),
                "integer" => Some(IdKind::Integer),
                _ => None,
            },
            largest: vertices.map_or(u64::MAX, |vertices| vertices.saturating_sub(1)),
            on_error: text.on_error()?,
        })
    }
}

/// Checkpoints in the folder `checkpoint`.
pub(super) fn checkpoints(checkpoint: Option<&PathBuf>, resume: bool) -> Option<CheckpointOptions> {
    checkpoint.map(|folder| CheckpointOptions { resume, ..CheckpointOptions::new(folder) })
}

/// Builds a store; an account of its input as JSON.
#[pyfunction]
pub(crate) fn build(
    py: Python<'_>,
    edges: Given<'_>,
    arguments: &Bound<'_, PyAny>,
    progress: Option<Listener>,
) -> PyResult<String> {
    let (text, lists): (TextArguments, ListArguments) = (arguments.extract()?, arguments.extract()?);
    let (arguments, failure): (BuildArguments, _) = (arguments.extract()?, Failure::default());
    let request = arguments.request(&lists, &text).or_exception(py)?;
    let (edges, source) = Given::open(Some(edges), &arguments.edges(&text).or_exception(py)?, &failure)?;
    let request = BuildRequest { edges, ..request };
    let built = run(py, progress.as_ref(), |call| match source {
        None => outcrop::build(&request, &call.cancellation, &*call.observer),
        Some(source) => outcrop::build_from(source, &request, &call.cancellation, &*call.observer),
    });
    failure.take().map_or_else(|| json(&account(&built?.input.summary)), Err)
}
