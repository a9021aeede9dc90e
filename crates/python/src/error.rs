//! Conversion of library errors to the exceptions of `outcrop.exceptions`, one to one.

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
    let text = option_names(&error.to_string()).replace("`outcrop build`", "outcrop.build") + hint;
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

/// A text with options as Python spells them: `--max-iter` is `max_iter`, `--ids string` is `ids="string"`,
/// `--unweighted` is `weight=None`.
pub(crate) fn option_names(text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let option = word.trim_start_matches(['`', '(']);
        let (before, option) = (&word[..word.len() - option.len()], option.strip_prefix("--"));
        let Some(option) = option.filter(|option| option.starts_with(|first: char| first.is_ascii_lowercase())) else {
            found.push(word.to_owned());
            continue;
        };
        let (name, after) = option.split_at(option.trim_end_matches(MARKS).len());
        let given = words.peek().filter(|_| after.is_empty()).and_then(|next| value(next));
        found.push(match given {
            Some(value) => {
                words.next();
                format!("{before}{}={value}", argument(name))
            }
            None => format!("{before}{}{after}", flag(name)),
        });
    }
    found.join(" ")
}

/// Characters after an option or a value.
const MARKS: [char; 6] = ['`', ')', ',', '.', ';', ':'];

/// Words that are values after an option, and not part of its sentence.
const VALUES: &str = "adjacency-list async auto chunked compact csr delta dense disk edge-list edge_map f64 first gas gvs integer \
                      interval matrix-market messages metis no random skip sliding string yes";

/// `word` as the value of an argument, if it is one; with the marks after it.
fn value(word: &str) -> Option<String> {
    let (plain, after) = word.split_at(word.trim_end_matches(MARKS).len());
    let all = |is: fn(&u8) -> bool| plain.bytes().all(|byte| is(&byte));
    match plain {
        "" => None,
        _ if plain.ends_with('%') || VALUES.split_whitespace().any(|known| known == plain) => {
            Some(format!("\"{plain}\"{after}"))
        }
        _ if plain.len() > 1 && plain.starts_with('\'') && plain.ends_with('\'') => Some(word.to_owned()),
        _ if all(u8::is_ascii_digit) || all(u8::is_ascii_uppercase) => Some(word.to_owned()),
        _ => None,
    }
}

fn argument(name: &str) -> String {
    match name {
        "source-column" => "source".to_owned(),
        "target-column" => "target".to_owned(),
        "checkpoint-dir" => "checkpoint".to_owned(),
        _ => name.replace('-', "_"),
    }
}

/// An option without a value.
fn flag(name: &str) -> String {
    match name {
        "weighted" => "weight=True".to_owned(),
        "unweighted" => "weight=None".to_owned(),
        "timed" => "time=True".to_owned(),
        "undirected" => "directed=False".to_owned(),
        "source-column" | "target-column" => format!("{}=", argument(name)),
        "allow-empty" | "directed" | "overwrite" | "resume" | "verify" => format!("{}=True", argument(name)),
        _ => argument(name),
    }
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
