//! Progress on its way to Python: one JSON object an event.

use outcrop::{IterationRecord, Observer, Phase, Stopwatch};
use serde_json::{Value, json};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

/// Seconds between two reports of how far a phase has come.
const PAUSE: f64 = 0.1;

/// Sends what happens to the thread that runs Python.
pub(crate) struct Events {
    sender: Sender<String>,
    /// True if only notes are sent.
    notes_only: bool,
    last: Mutex<Option<Stopwatch>>,
}

impl Events {
    pub(crate) const fn new(sender: Sender<String>, notes_only: bool) -> Self {
        Self { sender, notes_only, last: Mutex::new(None) }
    }

    fn send(&self, event: &Value) {
        // Nobody listens any more once the work was stopped.
        _ = self.sender.send(event.to_string());
    }
}

impl Observer for Events {
    fn phase(&self, phase: &Phase) {
        if !self.notes_only {
            self.send(&json!({ "event": "phase", "name": phase.name, "unit": phase.unit, "total": phase.total }));
        }
    }

    fn progress(&self, done: u64) {
        if self.notes_only {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| last.seconds() > PAUSE) {
            *last = Some(Stopwatch::start());
            self.send(&json!({ "event": "progress", "done": done }));
        }
    }

    fn iteration(&self, record: &IterationRecord) {
        if !self.notes_only {
            self.send(&json!({ "event": "iteration", "record": record }));
        }
    }

    fn note(&self, message: &str) {
        self.send(&json!({ "event": "note", "message": message }));
    }
}
