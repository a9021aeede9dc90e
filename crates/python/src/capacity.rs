//! Needs of graphs that are not there.

use crate::arguments::request;
use crate::error::{OrException, json};
use crate::work::run;
use outcrop::{GraphSize, Machine, Result, capacity as planned};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Size of a graph and the machine for it, from their dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CapacityArguments {
    vertices: u64,
    edges: u64,
    directed: bool,
    weighted: bool,
    profile: String,
    memory: String,
    threads: Option<usize>,
    disk_gbps: Option<f64>,
}

impl CapacityArguments {
    fn parsed(&self) -> Result<(GraphSize, Machine)> {
        let Self { vertices, edges, directed, weighted, threads, .. } = *self;
        let size = GraphSize { vertices, edges, directed, weighted, profile: self.profile.parse()? };
        let disk_bytes_a_second = self.disk_gbps.map(|speed| speed * 1e9);
        Ok((size, Machine { memory: self.memory.parse()?, threads, disk_bytes_a_second }))
    }
}

/// Estimated needs of a store, its build and a run, as JSON.
#[pyfunction]
pub(crate) fn capacity(
    py: Python<'_>,
    arguments: CapacityArguments,
    algorithm: Option<&str>,
    parameters: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let (size, machine) = arguments.parsed().or_exception(py)?;
    let request = algorithm.map(|algorithm| request(py, algorithm, parameters)).transpose()?;
    json(&run(py, None, |_| planned(&size, request.as_ref(), &machine))?)
}
