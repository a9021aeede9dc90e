//! Sources of the edges of a build: implemented by the readers of file formats, consumed by the build.

use outcrop_types::{Error, FileSummary, InputSummary, Location, Result, TimeRule};
use std::cmp::Ordering;

/// Kind of the ids of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// Whole numbers of at most 64 bits.
    Integer,
    /// Any text without line breaks.
    Text,
}

/// A run of ids of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdBatch {
    /// Whole numbers.
    Integers(Vec<u64>),
    /// Texts, one after the other: text `k` is `bytes[ends[k - 1]..ends[k]]`, with `ends[-1]` taken as 0.
    Texts {
        /// The bytes of all texts.
        bytes: Vec<u8>,
        /// End of each text.
        ends: Vec<usize>,
    },
}

impl IdBatch {
    /// No ids.
    pub const fn empty(kind: IdKind) -> Self {
        match kind {
            IdKind::Integer => Self::Integers(Vec::new()),
            IdKind::Text => Self::Texts { bytes: Vec::new(), ends: Vec::new() },
        }
    }

    /// Kind of the ids.
    pub const fn kind(&self) -> IdKind {
        match self {
            Self::Integers(_) => IdKind::Integer,
            Self::Texts { .. } => IdKind::Text,
        }
    }

    /// Number of ids.
    pub const fn len(&self) -> usize {
        match self {
            Self::Integers(ids) => ids.len(),
            Self::Texts { ends, .. } => ends.len(),
        }
    }

    /// True if there is no id.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the text at `place`; none where there is no text.
    pub fn text(&self, place: usize) -> &[u8] {
        let Self::Texts { bytes, ends } = self else { return &[] };
        let start = place.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        // Default: none where there is no text.
        ends.get(place).and_then(|end| bytes.get(start..*end)).unwrap_or_default()
    }

    /// Compares the id at `place` with the one at `other_place` of `other`, whose ids are of the same kind.
    pub fn compare(&self, place: usize, other: &Self, other_place: usize) -> Ordering {
        match (self, other) {
            (Self::Integers(ids), Self::Integers(others)) => ids.get(place).cmp(&others.get(other_place)),
            _ => self.text(place).cmp(other.text(other_place)),
        }
    }

    /// Appends the id at `place` of `other`; integers become texts where these are texts, and texts are not appended to
    /// integers.
    pub fn push_from(&mut self, other: &Self, place: usize) {
        match (self, other) {
            (Self::Integers(ids), Self::Integers(others)) => ids.extend(others.get(place)),
            (texts, Self::Texts { .. }) => texts.push_text(other.text(place)),
            (texts, Self::Integers(others)) => {
                others.get(place).iter().for_each(|id| texts.push_text(id.to_string().as_bytes()));
            }
        }
    }

    /// Appends a text, if these are texts.
    pub fn push_text(&mut self, text: &[u8]) {
        if let Self::Texts { bytes, ends } = self {
            bytes.extend_from_slice(text);
            ends.push(bytes.len());
        }
    }

    /// Takes all ids out and keeps the memory.
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

/// A run of edges in the order of the input.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeBatch {
    /// Source and target of each edge in turn: edge `i` has the ids `2 i` and `2 i + 1`.
    pub endpoints: IdBatch,
    /// Weights, finite, one per edge; empty if the input has no weights.
    pub weights: Vec<f64>,
    /// Times, one per edge; empty if the input has no times.
    pub times: Vec<i64>,
}

impl EdgeBatch {
    /// No edges.
    pub const fn empty(kind: IdKind) -> Self {
        Self { endpoints: IdBatch::empty(kind), weights: Vec::new(), times: Vec::new() }
    }

    /// Number of edges.
    pub const fn len(&self) -> usize {
        self.endpoints.len() / 2
    }

    /// True if there is no edge.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edges behind the first so many.
    pub(in crate::writing) fn behind(&self, first: usize) -> Self {
        let mut rest = Self::empty(self.endpoints.kind());
        (2 * first..self.endpoints.len()).for_each(|end| rest.endpoints.push_from(&self.endpoints, end));
        rest.weights.extend(self.weights.iter().skip(first));
        rest.times.extend(self.times.iter().skip(first));
        rest
    }

    /// Takes all edges out and keeps the memory.
    pub fn clear(&mut self) {
        self.endpoints.clear();
        self.weights.clear();
        self.times.clear();
    }
}

/// Input of a build: edges, and vertices that may have none.
pub struct BuildInput {
    /// The edges.
    pub edges: Box<dyn EdgeSource>,
    /// Further vertices.
    pub vertices: Option<Box<dyn VertexSource>>,
}

/// A stream of edges, read once from front to back.
pub trait EdgeSource: Send {
    /// Kind of the ids; the same for all batches.
    fn id_kind(&self) -> IdKind;

    /// True if every edge has a weight.
    fn weighted(&self) -> bool;

    /// Rule of the times, where every edge has one.
    fn times(&self) -> Option<TimeRule> {
        None
    }

    /// Replaces the content of `batch` with the next edges; `false` at the end of the input.
    ///
    /// # Errors
    /// Input that cannot be understood, with its place; failures of reading.
    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool>;

    /// Bytes of the input files consumed so far, compressed ones as they lie on disk.
    fn bytes_done(&self) -> u64;

    /// Bytes of the input files, where known (standard input is not).
    fn bytes_total(&self) -> Option<u64>;

    /// Greatest number of edges to come: exact where the format says it, an estimate from file sizes where it does not,
    /// `None` for standard input. For estimates of temporary space only.
    fn edges_estimate(&self) -> Option<u64>;

    /// Lines that were skipped because they could not be understood (`--on-error skip`).
    fn skipped(&self) -> u64 {
        0
    }

    /// Account of the files that were read to their end so far.
    fn summary(&self) -> InputSummary {
        InputSummary::default()
    }

    /// Account of what was read to its end, and gave `edges`.
    ///
    /// # Errors
    /// No edge was taken, because all lines or rows were skipped as not understood.
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

/// A stream of vertex ids: the `--vertices` file.
pub trait VertexSource: Send {
    /// Kind of the ids.
    fn id_kind(&self) -> IdKind;

    /// Replaces the content of `batch` with the next ids; `false` at the end of the input.
    ///
    /// # Errors
    /// Input that cannot be understood, with its place; failures of reading.
    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool>;

    /// Account of the files that were read to their end.
    fn summary(&self) -> Vec<FileSummary> {
        Vec::new()
    }
}
