//! Thread that drives requests; the rest of outcrop waits for it as for a disk.

use crossbeam_channel::{Receiver, bounded};
use outcrop_types::{Error, Result};
use std::future::Future;
use std::thread;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Thread that drives requests until this value is dropped.
pub(super) struct Driver {
    handle: Handle,
    _alive: oneshot::Sender<()>,
}

impl Driver {
    pub(super) fn start() -> Result<Self> {
        let failed = |source| Error::io("start a thread for", "reading objects", source);
        // The first installed provider stays, and there is no other.
        _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (_alive, dropped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("outcrop-fetch".to_owned());
        thread.spawn(move || _ = runtime.block_on(dropped)).map_err(failed)?;
        Ok(Self { handle, _alive })
    }

    /// Starts work in the background; its result arrives unless the thread has ended.
    pub(super) fn begin<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Receiver<T> {
        let (sender, receiver) = bounded(1);
        self.handle.spawn(async move { _ = sender.send(work.await) });
        receiver
    }
}
