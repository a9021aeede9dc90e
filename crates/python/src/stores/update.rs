//! Updates stores.

use crate::edges::{EdgeArguments, Given, TextArguments};
use crate::error::{OrException, json};
use crate::work::{Failure, Listener, run};
use outcrop::{EdgeListOptions, MergeRule, Result, UpdateRequest};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Options of an update, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct UpdateArguments {
    store: PathBuf,
    merge: bool,
    merge_above: String,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
}

impl UpdateArguments {
    fn request(&self, text: &TextArguments) -> Result<UpdateRequest> {
        Ok(UpdateRequest {
            text: EdgeListOptions { weighted: true, ..text.options()? },
            merge: if self.merge { MergeRule::Now } else { self.merge_above.parse()? },
            memory: self.memory.parse()?,
            threads: self.threads,
            temp_folder: self.tmp_dir.clone(),
            ..UpdateRequest::new(&self.store)
        })
    }
}

/// Edges in memory with the columns of `text`, and with weights where they are `weighted`.
fn edges_of(text: &TextArguments, weighted: bool) -> EdgeArguments {
    let mut columns = text.columns();
    columns.weight = columns.weight.filter(|_| weighted);
    EdgeArguments { columns, weighted, weight_type: None, texts: false, largest: u64::MAX }
}

/// Removes and adds edges; its record as JSON.
#[pyfunction]
pub(crate) fn update(
    py: Python<'_>,
    remove: Option<Given<'_>>,
    add: Option<Given<'_>>,
    arguments: &Bound<'_, PyAny>,
    progress: Option<Listener>,
) -> PyResult<String> {
    let (text, arguments): (TextArguments, UpdateArguments) = (arguments.extract()?, arguments.extract()?);
    let failure = Failure::default();
    let (remove, removed) = Given::open(remove, &edges_of(&text, false), &failure)?;
    let (add, added) = Given::open(add, &edges_of(&text, text.weighted), &failure)?;
    let request = UpdateRequest { remove, add, ..arguments.request(&text).or_exception(py)? };
    let done = run(py, progress.as_ref(), |call| {
        outcrop::update_from((removed, added), &request, &call.cancellation, &*call.observer)
    });
    failure.take().map_or_else(|| json(&done?), Err)
}
