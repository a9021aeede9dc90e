//! Arguments from Python: those of runs, as `parameters.py` hands them over, converted by the kinds of their
//! parameters, and words.

use crate::error::{OrException, option_names};
use outcrop::{Arg, Error, InPython, InputVector, Kind, ParamInfo, Personalization, Result, RunRequest, params};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The request for `algorithm` with what is `given` by the names of Python.
pub(crate) fn request(py: Python<'_>, algorithm: &str, given: &Bound<'_, PyDict>) -> PyResult<RunRequest<'static>> {
    let mut request = RunRequest::new(algorithm).or_exception(py)?;
    for (name, value) in given {
        let name = name.extract::<String>()?;
        // What is not a parameter of it is refused when it is set.
        let arg = match declared(&request).find(|info| info.python_name() == name) {
            Some(info) => converted(info, &value)?,
            None => Arg::Flag(true),
        };
        request.args_mut().set_in_python(&name, arg).or_exception(py)?;
    }
    Ok(request)
}

/// Kinds of the arguments of `algorithm` that `parameters.py` converts, by the names of Python: `ids`, `weights` or
/// `vector` of vertices, or `weight`.
#[pyfunction]
pub(crate) fn vertex_arguments(py: Python<'_>, algorithm: &str) -> PyResult<BTreeMap<String, &'static str>> {
    let request = RunRequest::new(algorithm).or_exception(py)?;
    let named = declared(&request).filter_map(|info| {
        let what = match info.kind {
            Kind::Id | Kind::Ids => "ids",
            Kind::NodeWeights => "weights",
            Kind::Vector => "vector",
            _ if matches!(info.in_python, InPython::Weight { .. }) => "weight",
            _ => return None,
        };
        Some((info.python_name(), what))
    });
    Ok(named.collect())
}

/// True if the first value column of `algorithm` names groups of vertices, of which the top rows are the largest with
/// their sizes.
#[pyfunction]
pub(crate) fn names_groups(algorithm: &str) -> bool {
    outcrop::ALGORITHMS.iter().any(|one| one.spec().is_called(algorithm) && one.spec().names_groups())
}

/// Functions of the package that answer the question of `name`, a name in this or in another system, each with what it
/// computes.
#[pyfunction]
pub(crate) fn relatives(name: &str) -> Vec<(&'static str, &'static str)> {
    outcrop::relatives(name).into_iter().map(|(spec, what)| (spec.python_name, what)).collect()
}

/// The argument, or the argument and its value, for `name`, an option of the command or the name of an argument in
/// another system.
#[pyfunction]
pub(crate) fn argument_here(name: &str) -> String {
    let option = outcrop::option_here(name).map_or_else(|| name.replace('_', "-"), str::to_owned);
    option_names(&format!("--{option}"))
}

/// The parameters of the algorithm and of the engines.
fn declared(request: &RunRequest<'static>) -> impl Iterator<Item = &'static ParamInfo> {
    request.algorithm().params().iter().chain(params::engine::PARAMS).copied()
}

fn converted(info: &ParamInfo, value: &Bound<'_, PyAny>) -> PyResult<Arg> {
    let py = value.py();
    if matches!(info.in_python, InPython::Weight { .. }) && value.is_instance_of::<PyString>() {
        return Ok(Arg::Text(value.extract()?));
    }
    arg(info.kind, value).map_err(|error| {
        let name = info.python_name();
        if error.is_instance_of::<PyOverflowError>(py) {
            let message = format!("{name} must be {}, not {value}", info.kind.expected());
            return crate::error::exception(py, &Error::Usage(message));
        }
        if error.is_instance_of::<PyTypeError>(py) {
            return PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)));
        }
        error
    })
}

/// A value of this kind; a text is read when it is set.
fn arg(kind: Kind, value: &Bound<'_, PyAny>) -> PyResult<Arg> {
    Ok(match kind {
        Kind::Count(..) | Kind::Number(_) | Kind::NumberOrAuto(_) | Kind::Share | Kind::Size
            if value.is_instance_of::<PyString>() =>
        {
            Arg::Text(value.extract()?)
        }
        Kind::Flag => Arg::Flag(value.extract()?),
        Kind::Count(..) | Kind::Size => Arg::Count(value.extract()?),
        Kind::Number(_) | Kind::NumberOrAuto(_) | Kind::Share => Arg::Number(value.extract()?),
        Kind::Word(_) => Arg::Text(value.extract()?),
        Kind::Id | Kind::Ids => Arg::Ids(value.extract()?),
        Kind::NodeWeights => Arg::NodeWeights(match entries(value)? {
            Some(weights) => Personalization::Weights(weights),
            None => Personalization::File(value.extract()?),
        }),
        Kind::Vector => Arg::Vector(match entries(value)? {
            Some(entries) => InputVector::Entries(entries.into()),
            None if value.is_instance_of::<PyBytes>() => InputVector::Values(doubles(&value.extract()?).into()),
            None => InputVector::File(value.extract()?),
        }),
        Kind::File => Arg::File(value.extract::<PathBuf>()?),
    })
}

/// Ids and their values, where that is what is given.
fn entries(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<(String, f64)>>> {
    if value.is_instance_of::<PyList>() { value.extract().map(Some) } else { Ok(None) }
}

fn doubles(bytes: &PyBackedBytes) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect()
}

/// Choice of the word `given` among `choices`.
///
/// # Errors
/// It is none of them.
pub(crate) fn choose<T: Copy>(option: &str, given: &str, choices: &[(&str, T)]) -> Result<T> {
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
        Error::Usage(format!("{option} must be one of {}, not {given:?}", names.join(", ")))
    })
}
