//! Updates stores.

use super::account::notes;
use crate::edges::{EdgeArguments, Given, TextArguments};
use crate::error::{OrException, json};
use crate::work::{Failure, Listener, run};
use outcrop::{EdgeListOptions, InputSummary, MergeRule, Result, UpdateRequest};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of an update, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct UpdateArguments {
    store: PathBuf,
    format: Option<String>,
    id: Option<String>,
    if_generation: Option<u64>,
    wait: Duration,
    merge: bool,
    merge_above: String,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
}

impl UpdateArguments {
    fn request(&self, text: &TextArguments) -> Result<UpdateRequest> {
        Ok(UpdateRequest {
            text: EdgeListOptions {
                weighted: true,
                format: self.format.as_deref().map(str::parse).transpose()?,
                ..text.options()?
            },
            name: self.id.clone(),
            if_generation: self.if_generation,
            wait: self.wait,
            merge: if self.merge { MergeRule::Now } else { self.merge_above.parse()? },
            memory: self.memory.parse()?,
            threads: self.threads,
            temp_folder: self.tmp_dir.clone(),
            ..UpdateRequest::new(&self.store)
        })
    }
}

/// Edges in memory with the columns of `text`, and with weights and times where they are `added` to `store`, whose unit
/// integer times have unless they state another.
fn edges_of(text: &TextArguments, store: &Path, added: bool) -> Result<EdgeArguments> {
    let (mut columns, weighted) = (text.columns(), added && text.weighted);
    columns.weight = columns.weight.filter(|_| weighted);
    columns.time = columns.time.filter(|_| added);
    let times = match text.times()? {
        _ if !added => (false, None),
        (true, None) => (true, outcrop::times_of(store).ok().and_then(|times| times.unit)),
        stated => stated,
    };
    Ok(EdgeArguments {
        columns,
        weighted,
        times,
        weight_type: None,
        ids: None,
        largest: u64::MAX,
        on_error: text.on_error()?,
    })
}

/// Removes and adds edges; its record as JSON, with notes on what was read.
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
    let edges_of = |added| edges_of(&text, &arguments.store, added).or_exception(py);
    let (remove, removed) = Given::open(remove, &edges_of(false)?, &failure)?;
    let (add, added) = Given::open(add, &edges_of(true)?, &failure)?;
    let request = UpdateRequest { remove, add, ..arguments.request(&text).or_exception(py)? };
    let done = run(py, progress.as_ref(), |call| {
        outcrop::update_from((removed, added), &request, &call.cancellation, &*call.observer)
    });
    if let Some(failure) = failure.take() {
        return Err(failure);
    }
    let record = done?;
    let files = record.removed_from.iter().chain(&record.added_from).cloned().collect();
    let notes = notes(&InputSummary { files, ..InputSummary::default() });
    json(&serde_json::json!({ "notes": notes, "record": record }))
}
