//! Edges as Python hands them over: files, arrays or a stream.

use super::arguments::EdgeArguments;
use super::arrays::ArrayEdges;
use super::arrow_stream::ArrowEdges;
use crate::work::Failure;
use outcrop::{EdgeInput, EdgeSource, IdKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::path::PathBuf;

/// Edges as Python hands them over.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    /// Files.
    Files(Vec<PathBuf>),
    /// Pieces of arrays, true if ids are texts (`None` if there are no edges), the number of edges, and notes.
    Arrays(Py<PyAny>, Option<bool>, u64, Vec<String>),
    /// An Arrow stream.
    Stream(Bound<'py, PyCapsule>),
}

/// Edges that are in no file.
type Source = Option<Box<dyn EdgeSource>>;

impl Given<'_> {
    /// The files, or the edges that are in none.
    pub(crate) fn open(
        given: Option<Self>,
        edges: &EdgeArguments,
        failure: &Failure,
    ) -> PyResult<(Vec<EdgeInput>, Source)> {
        Ok(match given {
            None => (Vec::new(), None),
            Some(Self::Files(files)) => (files.into_iter().map(EdgeInput::from).collect(), None),
            Some(Self::Arrays(..)) if edges.times.0 => {
                let message = "arrays, rows and graphs have no timestamps; pass a table (data frame) or files";
                return Err(PyTypeError::new_err(message));
            }
            Some(Self::Arrays(pieces, texts, count, notes)) => {
                let stated = texts.map(|texts| if texts { IdKind::Text } else { IdKind::Integer });
                // Default: without edges, IDs have the required type.
                let kind = stated.or(edges.ids).unwrap_or(IdKind::Integer);
                edges.require_kind(kind)?;
                (Vec::new(), Some(Box::new(ArrayEdges::new(pieces, kind, count, notes, edges, failure.clone()))))
            }
            Some(Self::Stream(stream)) => (Vec::new(), Some(Box::new(ArrowEdges::open(&stream, edges)?))),
        })
    }
}
