//! Progress on stderr: a bar on a terminal, JSON lines on request.

use crate::output::remark;
use indicatif::{ProgressBar, ProgressStyle};
use outcrop::{IterationRecord, Observer, Phase, ProgressUnit, Stopwatch};
use serde_json::json;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Display of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProgressMode {
    /// A bar where stderr is a terminal, else nothing.
    Auto,
    /// Nothing.
    None,
    /// One JSON object a line on stderr.
    Json,
}

impl ProgressMode {
    /// The observer that shows progress in this way.
    pub(crate) fn observer(self) -> Arc<dyn Observer> {
        match self {
            Self::Json => Arc::new(JsonLines::default()),
            Self::Auto if std::io::stderr().is_terminal() => Arc::new(Bar::default()),
            Self::Auto | Self::None => Arc::new(Notes),
        }
    }
}

/// Only what a user should know.
struct Notes;

impl Observer for Notes {
    fn note(&self, message: &str) {
        remark(&format!("outcrop: note: {message}"));
    }
}

/// A bar that is redrawn in place.
#[derive(Default)]
struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    fn lock(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Bar {
    fn phase(&self, phase: &Phase) {
        let mut bar = self.lock();
        if let Some(before) = bar.take() {
            before.finish();
        }
        let next = phase.total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        next.set_style(style(phase));
        next.set_message(phase.name);
        *bar = Some(next);
    }

    fn progress(&self, done: u64) {
        if let Some(bar) = &*self.lock() {
            bar.set_position(done);
        }
    }

    fn note(&self, message: &str) {
        match &*self.lock() {
            Some(bar) => bar.println(format!("note: {message}")),
            None => remark(&format!("outcrop: note: {message}")),
        }
    }
}

fn style(phase: &Phase) -> ProgressStyle {
    let template = match (phase.unit, phase.total.is_some()) {
        (ProgressUnit::Bytes, true) => {
            "{msg:22} {wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta}"
        }
        (ProgressUnit::Bytes, false) => "{msg:22} {spinner} {binary_bytes} {binary_bytes_per_sec}",
        (_, true) => "{msg:22} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}",
        (_, false) => "{msg:22} {spinner} {human_pos} {per_sec}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// One JSON object for each phase, iteration and note, and a few a second for progress.
#[derive(Default)]
struct JsonLines(Mutex<Option<Stopwatch>>);

impl Observer for JsonLines {
    fn phase(&self, phase: &Phase) {
        remark(&json!({ "event": "phase", "name": phase.name, "unit": phase.unit, "total": phase.total }).to_string());
    }

    fn progress(&self, done: u64) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| last.seconds() > 0.2) {
            *last = Some(Stopwatch::start());
            remark(&json!({ "event": "progress", "done": done }).to_string());
        }
    }

    fn iteration(&self, record: &IterationRecord) {
        remark(&json!({ "event": "iteration", "record": record }).to_string());
    }

    fn note(&self, message: &str) {
        remark(&json!({ "event": "note", "message": message }).to_string());
    }
}
