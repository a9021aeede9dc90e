//! Device wrapper that counts reads.

use super::contract::{Backend, Device, ReadRequest, ReadSource, Reader};
use outcrop_types::{Result, length_from};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Counts of the requests to a device.
#[derive(Debug, Default)]
pub struct IoCounters {
    /// Requests submitted.
    pub requests: AtomicU64,
    /// Total bytes of these requests.
    pub bytes: AtomicU64,
}

/// Device whose requests are counted.
pub struct CountingDevice {
    inner: Arc<dyn Device>,
    counters: Arc<IoCounters>,
}

impl CountingDevice {
    /// Wraps `inner` to count its requests.
    pub fn new(inner: Arc<dyn Device>) -> Self {
        Self { inner, counters: Arc::default() }
    }

    /// Returns the counters, which all readers of this device share.
    pub fn counters(&self) -> &Arc<IoCounters> {
        &self.counters
    }
}

impl Device for CountingDevice {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn alignment(&self) -> u64 {
        self.inner.alignment()
    }

    fn backend(&self) -> Backend {
        self.inner.backend()
    }

    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>> {
        let inner = self.inner.reader(buffer_bytes)?;
        Ok(Box::new(CountingReader { inner, counters: Arc::clone(&self.counters) }))
    }
}

struct CountingReader {
    inner: Box<dyn Reader>,
    counters: Arc<IoCounters>,
}

impl Reader for CountingReader {
    fn read_many(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration> {
        self.inner.read_many(depth, &mut CountingSource { source, counters: &self.counters })
    }
}

struct CountingSource<'a> {
    source: &'a mut dyn ReadSource,
    counters: &'a IoCounters,
}

impl ReadSource for CountingSource<'_> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let next = self.source.next()?;
        if let Some(request) = &next {
            self.counters.requests.fetch_add(1, Relaxed);
            self.counters.bytes.fetch_add(length_from(request.length), Relaxed);
        }
        Ok(next)
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        self.source.ready(token, bytes)
    }
}
