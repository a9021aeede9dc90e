//! An object as it was when it was opened, in any place and in streams.

use super::stream::{Ahead, RangeStream, Ranges, outcome};
use outcrop_types::length_from;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Memory of reading a row group of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupNeed {
    pub(crate) bytes: u64,
    /// Rows of a batch.
    pub(crate) rows: u64,
}

/// An object that does not change: whoever fetches its bytes notices if it does.
#[derive(Clone)]
pub(crate) struct Object {
    ranges: Arc<dyn Ranges>,
    pub(crate) bytes: u64,
    /// Entity tag and time of the last change.
    pub(crate) version: Arc<str>,
    /// True if the store gave an entity tag or a time.
    pub(crate) is_versioned: bool,
    ahead: Ahead,
    /// Row groups that were measured, for when it is opened again.
    pub(crate) groups: Arc<OnceLock<Vec<GroupNeed>>>,
}

impl Object {
    #[cfg(feature = "remote")]
    pub(super) fn new(ranges: Arc<dyn Ranges>, (bytes, version): (u64, Option<Arc<str>>), ahead: Ahead) -> Self {
        let is_versioned = version.is_some();
        let version = version.unwrap_or_else(|| "without a version".into());
        Self { ranges, bytes, version, is_versioned, ahead, groups: Arc::default() }
    }

    /// Returns a stream of the whole object, front to back.
    pub(crate) fn stream(&self) -> RangeStream {
        RangeStream::new(Arc::clone(&self.ranges), 0..self.bytes, self.ahead)
    }

    /// Memory of a stream, in bytes.
    pub(crate) const fn stream_bytes(&self) -> u64 {
        self.ahead.bytes()
    }

    /// Parts that are read together, each from front to back; beside them any place, by a request each.
    pub(crate) fn parts(&self, parts: &[Range<u64>]) -> ObjectParts {
        let ahead = self.ahead.shared(length_from(parts.len()));
        let stream = |part: &Range<u64>| RangeStream::new(Arc::clone(&self.ranges), part.clone(), ahead);
        let streams = parts.iter().map(|part| (part.clone(), Mutex::new(stream(part)))).collect();
        ObjectParts { object: self.clone(), streams }
    }

    /// Memory of `parts` parts that are read together, in bytes.
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
    /// Fills the start of `buffer` from `at`; 0 behind the end.
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
