//! From the errors of the library to the exceptions of `outcrop.exceptions`, one for one.

use outcrop::{Error, MemoryPlan};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception that mirrors `error`.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    if matches!(error, Error::Interrupted) {
        return PyKeyboardInterrupt::new_err(());
    }
    make(py, error).unwrap_or_else(|failure| failure)
}

fn make(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    let class = describe(error, &details)?;
    let class = py.import("outcrop.exceptions")?.getattr(class)?;
    let hint = match error {
        Error::InUse { .. } => "; if this process uses it, close its graphs and delete their results",
        _ => "",
    };
    let text = option_names(&error.to_string()) + hint;
    Ok(PyErr::from_value(class.call((text,), Some(&details))?))
}

/// The name of the exception; its attributes go to `details`.
fn describe(error: &Error, details: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    match error {
        Error::Usage(_) => return Ok("UsageError"),
        Error::Internal { .. } => return Ok("InternalError"),
        Error::BadInput { location, .. } => {
            details.set_item("file", &location.file)?;
            details.set_item("line", location.line)?;
            details.set_item("column", location.column)?;
            return Ok("BadInputError");
        }
        Error::BudgetTooSmall { plan, retry, .. } => {
            details.set_item("minimum", retry.is_none().then(|| plan.total()))?;
            details.set_item("plan", plan_of(details.py(), plan)?)?;
            return Ok("BudgetError");
        }
        Error::OutOfMemory { bytes, .. } => {
            details.set_item("bytes", bytes)?;
            return Ok("OutOfMemoryError");
        }
        Error::NotConverged { iterations, change, tolerance, .. } => {
            details.set_item("iterations", iterations)?;
            details.set_item("change", change)?;
            details.set_item("tolerance", tolerance)?;
            return Ok("NotConvergedError");
        }
        _ => {}
    }
    let (class, path) = match error {
        Error::AlreadyExists { path } => ("AlreadyExistsError", path),
        Error::NotFound { path, .. } => ("NotFoundError", path),
        Error::DiskFull { path, .. } => ("DiskFullError", path),
        Error::Corrupt { path, .. } => ("CorruptStoreError", path),
        Error::FormatVersion { path, .. } => ("FormatVersionError", path),
        Error::InUse { path, .. } => ("StoreInUseError", path),
        Error::Generation { path, expected, found } => {
            details.set_item("expected", expected)?;
            details.set_item("found", found)?;
            ("GenerationError", path)
        }
        Error::Io { path, source, .. } => {
            details.set_item("errno", source.raw_os_error())?;
            ("OutcropIOError", path)
        }
        _ => return Ok("OutcropError"),
    };
    details.set_item("path", path.to_string_lossy())?;
    Ok(class)
}

fn plan_of<'py>(py: Python<'py>, plan: &MemoryPlan) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for need in plan.needs() {
        dict.set_item(need.purpose.name(), need.bytes)?;
    }
    Ok(dict)
}

/// A text with options as Python spells them: `--max-iter` is `max_iter`, `--unweighted` is `weight=None`.
pub(crate) fn option_names(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let option = word.trim_start_matches(['`', '(']);
        let (before, option) = (&word[..word.len() - option.len()], option.strip_prefix("--"));
        let Some(option) = option.filter(|option| option.starts_with(|first: char| first.is_ascii_lowercase())) else {
            return word.to_owned();
        };
        let name = option.trim_end_matches(['`', ')', ',', '.', ';', ':']);
        let argument = match name {
            "weighted" => "weight=True".to_owned(),
            "unweighted" => "weight=None".to_owned(),
            "timed" => "time=True".to_owned(),
            "undirected" => "directed=False".to_owned(),
            "source-column" => "source=".to_owned(),
            "target-column" => "target=".to_owned(),
            _ => name.replace('-', "_"),
        };
        format!("{before}{argument}{}", &option[name.len()..])
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The results of the library as those of Python.
pub(crate) trait OrException<T> {
    /// # Errors
    /// The exception that mirrors the error.
    fn or_exception(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrException<T> for outcrop::Result<T> {
    fn or_exception(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// A value as JSON.
///
/// # Errors
/// It has none, which does not happen to what is passed here.
pub(crate) fn json(value: &(impl serde::Serialize + ?Sized)) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}
