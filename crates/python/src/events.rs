//! Progress on its way to Python: one JSON object an event.

use crate::error::option_names;
use outcrop::{Event, Meter, Observer};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// The observer that sends what happens to the thread that runs Python; only notes if `notes_only`.
pub(crate) fn observer(sender: Sender<String>, notes_only: bool) -> Arc<dyn Observer> {
    if notes_only { Arc::new(Notes(sender)) } else { Arc::new(Meter::new(move |event| send(&sender, event))) }
}

fn send(sender: &Sender<String>, event: &Event<'_>) {
    let event = match event {
        Event::Note(message) => Event::Note(&option_names(message)).to_json(),
        event => event.to_json(),
    };
    // Nobody listens any more once the work was stopped.
    _ = sender.send(event);
}

/// Only what a user should know.
struct Notes(Sender<String>);

impl Observer for Notes {
    fn note(&self, message: &str) {
        send(&self.0, &Event::Note(message));
    }
}
