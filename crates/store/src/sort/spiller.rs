//! Thread that processes full buffers of another thread.

use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_types::{Error, Result};
use std::thread::JoinHandle;

/// Thread, with its result once there are no more buffers.
pub(crate) struct Spiller<R, T> {
    full: Option<Sender<Vec<R>>>,
    empty: Receiver<Vec<R>>,
    thread: Option<JoinHandle<Result<T>>>,
}

/// Full buffers sent to the thread.
pub(crate) struct FullBuffers<R> {
    incoming: Receiver<Vec<R>>,
    outgoing: Sender<Vec<R>>,
}

impl<R> FullBuffers<R> {
    /// Passes on each buffer, and returns it emptied.
    ///
    /// # Errors
    ///
    /// Returns the error of `take`.
    pub(crate) fn for_each(self, mut take: impl FnMut(&mut Vec<R>) -> Result<()>) -> Result<()> {
        _ = self.outgoing.send(Vec::new());
        for mut records in self.incoming {
            take(&mut records)?;
            records.clear();
            _ = self.outgoing.send(records);
        }
        Ok(())
    }
}

impl<R: Send + 'static, T: Send + 'static> Spiller<R, T> {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the thread cannot be started.
    pub(crate) fn start(work: impl FnOnce(FullBuffers<R>) -> Result<T> + Send + 'static) -> Result<Self> {
        let (full, incoming) = bounded::<Vec<R>>(0);
        let (outgoing, empty) = bounded(2);
        let thread = std::thread::Builder::new()
            .name("outcrop-spill".to_owned())
            .spawn(move || work(FullBuffers { incoming, outgoing }))
            .map_err(|source| Error::io("start", "a spilling thread", source))?;
        Ok(Self { full: Some(full), empty, thread: Some(thread) })
    }
}

impl<R, T> Spiller<R, T> {
    /// Sends a full buffer and receives an empty one.
    ///
    /// # Errors
    ///
    /// Returns the error of the thread, if it has ended.
    pub(crate) fn exchange(&mut self, records: Vec<R>) -> Result<Vec<R>> {
        let sent = self.full.as_ref().is_some_and(|full| full.send(records).is_ok());
        match self.empty.recv() {
            Ok(empty) if sent => Ok(empty),
            _ => Err(self.end().err().unwrap_or_else(lost)),
        }
    }

    /// Lets the thread finish. The last returned buffer stays in the channel until this value is dropped.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`exchange`](Self::exchange).
    pub(crate) fn end(&mut self) -> Result<T> {
        self.full = None;
        let thread = self.thread.take().ok_or_else(lost)?;
        thread.join().unwrap_or_else(|payload| Err(Error::panicked("the thread that spills", &*payload)))
    }

    /// Lets the thread finish and returns its result.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`exchange`](Self::exchange).
    pub(crate) fn finish(mut self) -> Result<T> {
        self.end()
    }
}

/// Waits for the thread of an abandoned spiller, so that it does not write to a removed folder.
impl<R, T> Drop for Spiller<R, T> {
    fn drop(&mut self) {
        self.full = None;
        // The result of the thread no longer matters.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

fn lost() -> Error {
    Error::internal("the spilling thread ended before its input")
}
