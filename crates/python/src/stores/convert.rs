//! Converts stores.

use super::build::checkpoints;
use super::lists::ListArguments;
use crate::error::OrException;
use crate::work::{Listener, run};
use outcrop::{ConvertRequest, Result};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Options of a conversion, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ConvertArguments {
    store: PathBuf,
    weight_type: Option<String>,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
    overwrite: bool,
    verify: bool,
    checkpoint: Option<PathBuf>,
    resume: bool,
}

impl ConvertArguments {
    fn request(&self, source: PathBuf, lists: &ListArguments) -> Result<ConvertRequest> {
        Ok(ConvertRequest {
            order: lists.order()?,
            memory: self.memory.parse()?,
            threads: self.threads,
            weights: self.weight_type.as_deref().map(str::parse).transpose()?,
            temp_folder: self.tmp_dir.clone(),
            overwrite: self.overwrite,
            verify: self.verify,
            checkpoints: checkpoints(self.checkpoint.as_ref(), self.resume),
            ..ConvertRequest::new(source, &self.store, lists.layout()?)
        })
    }
}

/// Makes a store of the same graph with another layout or order.
#[pyfunction]
pub(crate) fn convert(
    py: Python<'_>,
    source: PathBuf,
    arguments: &Bound<'_, PyAny>,
    progress: Option<Listener>,
) -> PyResult<()> {
    let (lists, arguments): (ListArguments, ConvertArguments) = (arguments.extract()?, arguments.extract()?);
    let request = arguments.request(source, &lists).or_exception(py)?;
    run(py, progress.as_ref(), |call| outcrop::convert(&request, &call.cancellation, &*call.observer).map(drop))
}
