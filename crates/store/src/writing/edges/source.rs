//! Sources of the edges of a build: implemented by the readers of file formats, consumed by the build.

use outcrop_types::{Error, FileSummary, InputSummary, Location, Result, TimeRule, check_id};
use std::cmp::Ordering;

/// Kind of the IDs of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// Integers of at most 64 bits.
    Integer,
    /// Any string that passes [`check_id`].
    Text,
}

/// Batch of IDs of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdBatch {
    /// Integers.
    Integers(Vec<u64>),
    /// Concatenated strings: string `k` is `bytes[ends[k - 1]..ends[k]]`, with `ends[-1]` taken as 0.
    Texts {
        /// Bytes of all strings.
        bytes: Vec<u8>,
        /// End of each string.
        ends: Vec<usize>,
    },
}

impl IdBatch {
    /// Creates an empty batch.
    pub const fn empty(kind: IdKind) -> Self {
        match kind {
            IdKind::Integer => Self::Integers(Vec::new()),
            IdKind::Text => Self::Texts { bytes: Vec::new(), ends: Vec::new() },
        }
    }

    /// Returns the kind of the IDs.
    pub const fn kind(&self) -> IdKind {
        match self {
            Self::Integers(_) => IdKind::Integer,
            Self::Texts { .. } => IdKind::Text,
        }
    }

    /// Returns the number of IDs.
    pub const fn len(&self) -> usize {
        match self {
            Self::Integers(ids) => ids.len(),
            Self::Texts { ends, .. } => ends.len(),
        }
    }

    /// Returns true if there are no IDs.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of the string at `place`; empty if there is none.
    pub fn text(&self, place: usize) -> &[u8] {
        let Self::Texts { bytes, ends } = self else { return &[] };
        let start = place.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        // Default: empty if there is no string.
        ends.get(place).and_then(|end| bytes.get(start..*end)).unwrap_or_default()
    }

    /// Returns the strings; none if the IDs are integers.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let count = if self.kind() == IdKind::Text { self.len() } else { 0 };
        (0..count).map(|place| self.text(place))
    }

    /// Compares the ID at `place` with the one at `other_place` of `other`, whose IDs are of the same kind.
    pub fn compare(&self, place: usize, other: &Self, other_place: usize) -> Ordering {
        match (self, other) {
            (Self::Integers(ids), Self::Integers(others)) => ids.get(place).cmp(&others.get(other_place)),
            _ => self.text(place).cmp(other.text(other_place)),
        }
    }

    /// Appends the ID at `place` of `other`. Integers are converted if these IDs are strings; strings are not appended
    /// to integers.
    pub fn push_from(&mut self, other: &Self, place: usize) {
        match (self, other) {
            (Self::Integers(ids), Self::Integers(others)) => ids.extend(others.get(place)),
            (texts, Self::Texts { .. }) => texts.push_text(other.text(place)),
            (texts, Self::Integers(others)) => {
                others.get(place).iter().for_each(|id| texts.push_text(id.to_string().as_bytes()));
            }
        }
    }

    /// Appends a string, if these IDs are strings.
    pub fn push_text(&mut self, text: &[u8]) {
        if let Self::Texts { bytes, ends } = self {
            bytes.extend_from_slice(text);
            ends.push(bytes.len());
        }
    }

    /// Refuses a string that cannot be an ID. Readers of files refuse it earlier, with its place.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`].
    pub(crate) fn require_storable(text: &[u8]) -> Result<()> {
        check_id(text).map_err(|reason| Error::Usage(format!("{reason}; convert the IDs")))
    }

    /// Removes all IDs and keeps the memory.
    pub fn clear(&mut self) {
        match self {
            Self::Integers(ids) => ids.clear(),
            Self::Texts { bytes, ends } => {
                bytes.clear();
                ends.clear();
            }
        }
    }
}

/// Batch of edges in the order of the input.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeBatch {
    /// Alternating sources and targets: edge `i` has the IDs `2 i` and `2 i + 1`.
    pub endpoints: IdBatch,
    /// Finite weights, one per edge; empty if the input has no weights.
    pub weights: Vec<f64>,
    /// Times, one per edge; empty if the input has no times.
    pub times: Vec<i64>,
}

impl EdgeBatch {
    /// Creates an empty batch.
    pub const fn empty(kind: IdKind) -> Self {
        Self { endpoints: IdBatch::empty(kind), weights: Vec::new(), times: Vec::new() }
    }

    /// Returns the number of edges.
    pub const fn len(&self) -> usize {
        self.endpoints.len() / 2
    }

    /// Returns true if there are no edges.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the edges after the first `first`.
    pub(in crate::writing) fn behind(&self, first: usize) -> Self {
        let mut rest = Self::empty(self.endpoints.kind());
        (2 * first..self.endpoints.len()).for_each(|end| rest.endpoints.push_from(&self.endpoints, end));
        rest.weights.extend(self.weights.iter().skip(first));
        rest.times.extend(self.times.iter().skip(first));
        rest
    }

    /// Removes all edges and keeps the memory.
    pub fn clear(&mut self) {
        self.endpoints.clear();
        self.weights.clear();
        self.times.clear();
    }
}

/// Input of a build: edges, and vertices with or without edges.
pub struct BuildInput {
    /// Edges.
    pub edges: Box<dyn EdgeSource>,
    /// Additional vertices.
    pub vertices: Option<Box<dyn VertexSource>>,
}

/// Stream of edges, read once and sequentially.
pub trait EdgeSource: Send {
    /// Returns the kind of the IDs, the same for all batches.
    fn id_kind(&self) -> IdKind;

    /// Returns true if every edge has a weight.
    fn weighted(&self) -> bool;

    /// Returns the rule of the times, if every edge has one.
    fn times(&self) -> Option<TimeRule> {
        None
    }

    /// Replaces the content of `batch` with the next edges; returns `false` at the end of the input.
    ///
    /// # Errors
    ///
    /// Returns an error with its location if the input is invalid, or if reading fails.
    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool>;

    /// Returns the bytes of the input files consumed so far, counted as compressed on disk.
    fn bytes_done(&self) -> u64;

    /// Returns the bytes of the input files, if known (standard input has no size).
    fn bytes_total(&self) -> Option<u64>;

    /// Returns an upper bound of the number of edges: exact if the format states it, otherwise estimated from file
    /// sizes; `None` for standard input. Used only to estimate temporary space.
    fn edges_estimate(&self) -> Option<u64>;

    /// Returns the number of malformed lines that were skipped (`--on-error skip`).
    fn skipped(&self) -> u64 {
        0
    }

    /// Returns a summary of the files read completely so far.
    fn summary(&self) -> InputSummary {
        InputSummary::default()
    }

    /// Returns a summary of the input, which was read completely and yielded `edges`.
    ///
    /// # Errors
    ///
    /// Returns an error if there were no edges because all lines or rows were malformed and skipped.
    fn account(&self, edges: u64) -> Result<InputSummary> {
        let summary = self.summary();
        let Some(file) = summary.files.iter().find(|file| file.skipped > 0).filter(|_| edges == 0) else {
            return Ok(summary);
        };
        let first = file.first_skipped.first().map_or("unknown location", String::as_str);
        let message = format!("no edges: all {} lines or rows were skipped, the first one: {first}", self.skipped());
        Err(Error::bad_input(Location::file(file.name.clone()), message))
    }
}

/// Stream of vertex IDs: the `--vertices` file.
pub trait VertexSource: Send {
    /// Returns the kind of the IDs.
    fn id_kind(&self) -> IdKind;

    /// Replaces the content of `batch` with the next IDs; returns `false` at the end of the input.
    ///
    /// # Errors
    ///
    /// Returns an error with its location if the input is invalid, or if reading fails.
    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool>;

    /// Returns a summary of the files read completely.
    fn summary(&self) -> Vec<FileSummary> {
        Vec::new()
    }
}
