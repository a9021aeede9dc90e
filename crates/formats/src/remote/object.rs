//! Opened version of an object, with random access and streams.

use super::stream::{Ahead, RangeStream, Ranges, outcome};
use outcrop_types::length_from;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Memory needed to read a row group of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupNeed {
    pub(crate) bytes: u64,
    /// Rows per batch.
    pub(crate) rows: u64,
}

/// Object in a fixed version: fetching its bytes fails if it changes.
#[derive(Clone)]
pub(crate) struct Object {
    ranges: Arc<dyn Ranges>,
    pub(crate) bytes: u64,
    /// Entity tag and modification time.
    pub(crate) version: Arc<str>,
    /// True if the store returned an entity tag or a time.
    pub(crate) is_versioned: bool,
    ahead: Ahead,
    /// Measured row groups, for reopening.
    pub(crate) groups: Arc<OnceLock<Vec<GroupNeed>>>,
}

impl Object {
    #[cfg(feature = "remote")]
    pub(super) fn new(ranges: Arc<dyn Ranges>, bytes: u64, version: Option<Arc<str>>, ahead: Ahead) -> Self {
        let is_versioned = version.is_some();
        let version = version.unwrap_or_else(|| "without a version".into());
        Self { ranges, bytes, version, is_versioned, ahead, groups: Arc::default() }
    }

    /// Returns a sequential stream of the whole object.
    pub(crate) fn stream(&self) -> RangeStream {
        RangeStream::new(Arc::clone(&self.ranges), 0..self.bytes, self.ahead)
    }

    /// Returns the memory of a stream, in bytes.
    pub(crate) const fn stream_bytes(&self) -> u64 {
        self.ahead.bytes()
    }

    /// Returns `parts` for concurrent sequential reading; reads elsewhere take one request each.
    pub(crate) fn parts(&self, parts: &[Range<u64>]) -> ObjectParts {
        let ahead = self.ahead.shared(length_from(parts.len()));
        let stream = |part: &Range<u64>| RangeStream::new(Arc::clone(&self.ranges), part.clone(), ahead);
        let streams = parts.iter().map(|part| (part.clone(), Mutex::new(stream(part)))).collect();
        ObjectParts { object: self.clone(), streams }
    }

    /// Returns the memory of `parts` parts that are read concurrently, in bytes.
    pub(crate) fn parts_bytes(&self, parts: u64) -> u64 {
        self.ahead.shared(parts).bytes() * parts
    }
}

/// An object whose parts are streams.
#[derive(Clone)]
pub(crate) struct ObjectParts {
    pub(crate) object: Object,
    streams: Arc<[(Range<u64>, Mutex<RangeStream>)]>,
}

impl ObjectParts {
    /// Reads up to the length of `buffer` at `at`; returns 0 past the end.
    pub(crate) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        if let Some((_, stream)) = self.streams.iter().find(|(part, _)| part.contains(&at)) {
            return stream.lock().unwrap_or_else(PoisonError::into_inner).read_at(buffer, at);
        }
        let end = self.object.bytes.min(at.saturating_add(length_from(buffer.len())));
        if at >= end {
            return Ok(0);
        }
        let bytes = outcome(&self.object.ranges.request(at..end))?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}
