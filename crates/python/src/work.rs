//! Runs work on a thread of its own, without the interpreter's lock, while the calling thread listens for Ctrl-C and
//! hands progress to Python.

use crate::error::{OrException, exception};
use crate::events;
use outcrop::{Cancellation, Error, HugePageAllocator, Observer, Result, Silent};
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{ScopedJoinHandle, scope};
use std::time::Duration;

/// Time between two looks of the calling thread for signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Cancellation and observer of a call.
pub(crate) struct Call {
    pub(crate) cancellation: Cancellation,
    pub(crate) observer: Arc<dyn Observer>,
}

/// Function that is called with events as JSON; true if with notes only.
#[derive(FromPyObject)]
pub(crate) struct Listener(Py<PyAny>, bool);

/// Exception of Python code that work has called.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    pub(crate) fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Does `work`; `progress` is called with events as JSON, on this thread.
///
/// # Errors
/// `KeyboardInterrupt` and whatever else a signal handler or `progress` raises, which also stop the work; what the work
/// returns.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Listener>,
    work: impl FnOnce(&Call) -> Result<T> + Send,
) -> PyResult<T> {
    HugePageAllocator::allocate_reserve().or_exception(py)?;
    let (sender, receiver) = channel();
    let cancellation = Cancellation::new();
    let observer: Arc<dyn Observer> = match progress {
        Some(Listener(_, notes_only)) => events::observer(sender.clone(), *notes_only),
        None => Arc::new(Silent),
    };
    let call = Call { cancellation: cancellation.clone(), observer };
    let (outcome, stopped) = py.detach(move || {
        scope(|scope| {
            let thread = std::thread::Builder::new().name("outcrop-call".to_owned());
            let worker = thread.spawn_scoped(scope, move || {
                // Closes the channel when the work is done.
                let _sender = sender;
                let call = call;
                work(&call)
            });
            match worker {
                Ok(worker) => {
                    let stopped = listen(&receiver, &worker, &cancellation, progress);
                    (worker.join(), stopped)
                }
                Err(source) => (Ok(Err(Error::io("start", "the thread of the call", source))), None),
            }
        })
    });
    match (stopped, outcome) {
        (Some(stopped), _) => Err(stopped),
        (None, Ok(outcome)) => outcome.or_exception(py),
        (None, Err(panic)) => Err(exception(py, &Error::panicked("the thread of the call", &*panic))),
    }
}

/// Waits for the end of the work; the exception that stopped it.
fn listen<T>(
    events: &Receiver<String>,
    worker: &ScopedJoinHandle<'_, T>,
    cancellation: &Cancellation,
    progress: Option<&Listener>,
) -> Option<PyErr> {
    let mut stopped = None;
    loop {
        let event = match events.recv_timeout(INTERVAL) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) if !worker.is_finished() => None,
            Err(_) => return stopped,
        };
        if stopped.is_none() {
            stopped = Python::attach(|py| tell(py, progress, event)).err();
        }
        if stopped.is_some() {
            cancellation.cancel();
        }
    }
}

fn tell(py: Python<'_>, progress: Option<&Listener>, event: Option<String>) -> PyResult<()> {
    if let (Some(Listener(listener, _)), Some(event)) = (progress, event) {
        listener.call1(py, (event,))?;
    }
    py.check_signals()
}
