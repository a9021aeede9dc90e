//! Progress on its way to Python: one JSON object an event.

use outcrop::{Event, Meter, Observer};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// The observer that sends what happens to the thread that runs Python; only notes if `notes_only`.
pub(crate) fn observer(sender: Sender<String>, notes_only: bool) -> Arc<dyn Observer> {
    if notes_only { Arc::new(Notes(sender)) } else { Arc::new(Meter::new(move |event| send(&sender, event))) }
}

fn send(sender: &Sender<String>, event: &Event<'_>) {
    // Nobody listens any more once the work was stopped.
    _ = sender.send(event.to_json());
}

/// Only what a user should know.
struct Notes(Sender<String>);

impl Observer for Notes {
    fn note(&self, message: &str) {
        send(&self.0, &Event::Note(message));
    }
}
