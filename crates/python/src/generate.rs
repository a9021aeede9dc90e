//! Edges of generated graphs, and the measuring of disks.

use crate::error::{OrException, json};
use crate::work::{Listener, run};
use outcrop::{EdgeGenerator, Error, Grid, Kronecker, MemorySize, Result, Uniform, Web, WeightDistribution};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Kind and size of a generated graph, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GenerateArguments {
    kind: String,
    scale: Option<u32>,
    edge_factor: u32,
    vertices: Option<u64>,
    edges: Option<u64>,
    rows: Option<u64>,
    columns: Option<u64>,
    seed: u64,
    weights: Option<String>,
}

impl GenerateArguments {
    fn generator(&self) -> Result<Box<dyn EdgeGenerator + Send>> {
        let weights = self.weights.as_deref().map(str::parse::<WeightDistribution>).transpose()?;
        match self.kind.as_str() {
            "kronecker" => {
                let scale = self.need("scale", self.scale)?;
                Ok(Box::new(Kronecker::new(scale, self.edge_factor, self.seed, weights)?))
            }
            kind @ ("uniform" | "web") => {
                let (vertices, edges) = (self.need("vertices", self.vertices)?, self.need("edges", self.edges)?);
                Ok(match kind {
                    "web" => Box::new(Web::new(vertices, edges, self.seed, weights)?),
                    _ => Box::new(Uniform::new(vertices, edges, self.seed, weights)?),
                })
            }
            "grid" => {
                let (rows, columns) = (self.need("rows", self.rows)?, self.need("columns", self.columns)?);
                Ok(Box::new(Grid::new(rows, columns, self.seed, weights)?))
            }
            other => Err(Error::Usage(format!(
                "kind must be \"kronecker\", \"uniform\", \"web\" or \"grid\", not {other:?}"
            ))),
        }
    }

    fn need<T>(&self, name: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| Error::Usage(format!("a graph of kind {:?} needs {name}", self.kind)))
    }
}

/// Writes the edges of a generated graph to a file; their number.
#[pyfunction]
pub(crate) fn generate(
    py: Python<'_>,
    arguments: GenerateArguments,
    path: PathBuf,
    overwrite: bool,
    progress: Option<Listener>,
) -> PyResult<u64> {
    let generator = arguments.generator().or_exception(py)?;
    run(py, progress.as_ref(), |call| {
        outcrop::generate(&*generator, &path, overwrite, &call.cancellation, &*call.observer)
    })
}

/// Measures the disk that `folder` is on, keeps the figures, and returns them as JSON.
#[pyfunction]
pub(crate) fn calibrate(py: Python<'_>, folder: PathBuf, size: &str, progress: Option<Listener>) -> PyResult<String> {
    let size: MemorySize = size.parse().or_exception(py)?;
    json(&run(py, progress.as_ref(), |call| {
        let measured = outcrop::calibrate(&folder, size.bytes(), &*call.observer, &call.cancellation)?;
        measured.save()?;
        Ok(measured)
    })?)
}
