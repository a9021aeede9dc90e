//! Reader of addressable bytes.

use super::super::contract::{ReadRequest, ReadSource, Reader};
use super::super::queue::{MAX_DEPTH, check_shape};
use outcrop_types::{Error, Result, index_from};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Named bytes.
pub(super) trait Bytes: Send + Sync {
    fn bytes(&self) -> &[u8];
    fn name(&self) -> &PathBuf;
    /// Returns the unit of offsets and lengths of requests.
    fn alignment(&self) -> usize;
}

/// Reader that passes on slices, with up to `depth` pending at a time, in an unspecified order.
pub(super) struct SliceReader<B> {
    bytes: Arc<B>,
    buffer_bytes: usize,
    waiting: Vec<ReadRequest>,
    delivered: usize,
}

impl<B: Bytes> SliceReader<B> {
    pub(super) fn new(bytes: Arc<B>, buffer_bytes: usize) -> Self {
        Self { bytes, buffer_bytes, waiting: Vec::new(), delivered: 0 }
    }

    fn fill(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<()> {
        let mut bytes: usize = self.waiting.iter().map(|request| request.length).sum();
        while self.waiting.len() < depth && (bytes < self.buffer_bytes || self.waiting.is_empty()) {
            let Some(request) = source.next()? else { break };
            check_shape(&request, self.bytes.alignment(), self.buffer_bytes)
                .map_err(|error| Error::io("read", self.bytes.name(), error))?;
            bytes += request.length;
            self.waiting.push(request);
        }
        Ok(())
    }

    fn deliver(&mut self, source: &mut dyn ReadSource) -> Result<()> {
        let position = self.delivered.wrapping_mul(7919) % self.waiting.len();
        self.delivered = self.delivered.wrapping_add(1);
        let request = self.waiting.swap_remove(position);
        let start = index_from(request.offset);
        let end = start.checked_add(request.length);
        let bytes = end.and_then(|end| self.bytes.bytes().get(start..end)).ok_or_else(|| self.ends_early(&request))?;
        source.ready(request.token, bytes)
    }

    fn ends_early(&self, request: &ReadRequest) -> Error {
        let (length, wanted, offset) = (self.bytes.bytes().len(), request.length, request.offset);
        Error::corrupt(
            self.bytes.name(),
            format!("it has {length} bytes; {wanted} bytes were requested at offset {offset}"),
        )
    }

    fn run(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<()> {
        loop {
            self.fill(depth, source)?;
            if self.waiting.is_empty() {
                return Ok(());
            }
            self.deliver(source)?;
        }
    }
}

impl<B: Bytes> Reader for SliceReader<B> {
    fn read_many(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration> {
        self.waiting.clear();
        self.run(depth.clamp(1, MAX_DEPTH), source)?;
        Ok(Duration::ZERO)
    }
}
