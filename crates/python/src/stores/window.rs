//! Stores of the edges of a stretch of time.

use crate::error::OrException;
use crate::work::{Listener, run};
use outcrop::{BuildRequest, BuildResources, MemorySize, OpenOptions, Result, Window};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Options of a window, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct WindowArguments {
    store: PathBuf,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
}

impl WindowArguments {
    fn request(&self) -> Result<BuildRequest> {
        Ok(BuildRequest {
            resources: BuildResources {
                memory: self.memory.parse::<MemorySize>()?,
                threads: self.threads,
                temp_folder: self.tmp_dir.clone(),
            },
            ..BuildRequest::new(Vec::new(), &self.store)
        })
    }
}

/// Builds a store of the edges of another from the start of `window` on and before its end; false, with nothing built,
/// if there are none.
#[pyfunction]
pub(crate) fn build_window(
    py: Python<'_>,
    source: PathBuf,
    window: (String, String),
    arguments: &Bound<'_, PyAny>,
    progress: Option<Listener>,
) -> PyResult<bool> {
    let request = arguments.extract::<WindowArguments>()?.request().or_exception(py)?;
    run(py, progress.as_ref(), |call| {
        let window = Window::parse(outcrop::times_of(&source)?.kind, &window.0, &window.1)?;
        let (cancellation, observer) = (call.cancellation.clone(), call.observer.clone());
        let options = OpenOptions { cancellation, observer, ..OpenOptions::default() };
        outcrop::build_window(&source, window, &request, &options).map(|built| built.is_some())
    })
}

/// Starts and ends of a series of windows of the store, in its times.
#[pyfunction]
pub(crate) fn windows(py: Python<'_>, source: PathBuf, length: &str, step: &str) -> PyResult<Vec<(String, String)>> {
    let series = || {
        let times = outcrop::times_of(&source)?;
        let show = |window: Window| (times.kind.show(window.start), times.kind.show(window.end));
        Ok(Window::series(&times, length, step)?.map(show).collect())
    };
    series().or_exception(py)
}
