//! Input of a build, read in batches.

use crate::journal::{SegmentEntry, SegmentWriter};
use crate::manifest::{FileEntry, OriginalIds};
use crate::writing::checkpoint::BuildCheckpoints;
use crate::writing::context::{BuildContext, Writing};
use crate::writing::edges::{BuildInput, EdgeBatch, EdgeSource, IdBatch, IdKind, VertexSource};
use outcrop_types::{
    Error, InputSummary, MemoryBudget, Phase, ProgressUnit, Purpose, Reservation, Result, index_from, length_from,
    number_from,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Name of the phase in which the input is read.
const READING: &str = "reading edges";

/// Input of a build.
pub(in crate::writing) struct Input {
    pub(super) edges: Box<dyn EdgeSource>,
    pub(super) vertices: Option<Box<dyn VertexSource>>,
    /// Number of edges read before the build was resumed from a checkpoint.
    passed: u64,
    read: Option<ReadInput>,
    /// Reservation for the writer of the journal, made before other parts share the remaining budget.
    journal_room: Option<Reservation>,
}

/// Summary of an input that was read completely.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::writing) struct ReadInput {
    pub(in crate::writing) skipped_lines: u64,
    pub(in crate::writing) summary: InputSummary,
    /// Journal segment with all edges, if they have times.
    pub(in crate::writing) journal: Option<(SegmentEntry, [FileEntry; 2])>,
}

impl ReadInput {
    /// Returns the files of the journal.
    pub(in crate::writing) fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.journal.iter().flat_map(|(_, files)| files)
    }
}

/// Consumer of the edges and vertices of an input.
pub(super) trait InputTaker {
    /// Durable form of all consumed data.
    type Durable: Serialize;

    /// Consumes edges.
    fn take_edges(&mut self, context: &BuildContext<'_>, batch: &EdgeBatch) -> Result<()>;

    /// Consumes additional vertices.
    fn take_vertices(&mut self, context: &BuildContext<'_>, batch: &IdBatch) -> Result<()>;

    /// Makes the consumed data durable.
    fn keep(&mut self, context: &BuildContext<'_>) -> Result<Self::Durable>;
}

/// State of a build during and after reading its input.
#[derive(Serialize, Deserialize)]
struct Reading<K> {
    edges: u64,
    read: Option<ReadInput>,
    taken: K,
}

/// Vertices of a build with non-dense IDs.
pub(in crate::writing) struct MappedIds {
    pub(in crate::writing) vertices: u32,
    pub(in crate::writing) kind: OriginalIds,
    pub(in crate::writing) files: Vec<FileEntry>,
}

pub(super) fn no_numbers() -> Error {
    Error::Usage("--ids dense needs integer IDs, but the input has strings".to_owned())
}

/// Converts an ID that `vertex_count` has accepted.
pub(super) fn rank(id: u64) -> u32 {
    number_from(id)
}

pub(super) fn weight_of(batch: &EdgeBatch, edge: usize) -> f64 {
    batch.weights.get(edge).copied().unwrap_or(1.0)
}

impl Input {
    pub(in crate::writing) fn new(BuildInput { edges, vertices }: BuildInput, budget: &MemoryBudget) -> Result<Self> {
        let journal = edges.times().map(|_| SegmentWriter::memory(edges.id_kind(), true));
        let journal_room = journal.map(|bytes| budget.reserve_growing(bytes, Purpose::SortSpace)).transpose()?;
        Ok(Self { edges, vertices, passed: 0, read: None, journal_room })
    }

    /// Returns the expected number of edges.
    pub(in crate::writing) fn edges_estimate(&self) -> Option<u64> {
        self.edges.edges_estimate()
    }

    /// Returns the edges and IDs consumed before the build was resumed, if the checkpoint is of this phase.
    pub(super) fn resume<K: DeserializeOwned>(&mut self, context: &BuildContext<'_>) -> Result<Option<K>> {
        let Some(Reading { edges, read, taken }) = context.resume(READING)? else { return Ok(None) };
        (self.passed, self.read) = (edges, read);
        Ok(Some(taken))
    }

    /// Resumes after the end of an input that was read before.
    pub(super) fn resume_behind(&mut self, read: ReadInput) {
        self.read = Some(read);
    }

    /// Returns the summary of the input, which was read completely.
    pub(super) fn read_before(&self) -> Result<&ReadInput> {
        self.read.as_ref().ok_or_else(|| Error::internal("the input of a build was not read"))
    }

    /// Returns the summary of the input and drops it.
    pub(in crate::writing) fn end(self) -> Result<ReadInput> {
        self.read.ok_or_else(|| Error::internal("the input of a build was not read"))
    }

    /// Passes all edges and vertices to `taker`, except those consumed before the build was resumed.
    pub(super) fn read(&mut self, writing: &Writing<'_>, taker: &mut impl InputTaker) -> Result<()> {
        let context = writing.context;
        if self.read.is_some() {
            return Ok(());
        }
        self.journal_room = None;
        let kind = self.edges.id_kind();
        let segment = |_| SegmentWriter::new(|name| writing.component(name), 0, 0, kind, true, context.work.budget);
        let mut journal = self.edges.times().map(segment).transpose()?;
        let edges = self.read_edges(writing, &mut journal, taker)?;
        self.read_vertices(context, taker)?;
        let ids = match self.edges.id_kind() {
            IdKind::Integer => "integer",
            IdKind::Text => "text",
        };
        let vertex_files = self.vertices.as_ref().map_or_else(Vec::new, |vertices| vertices.summary());
        let read = self.read.insert(ReadInput {
            skipped_lines: self.edges.skipped(),
            summary: InputSummary { ids: ids.to_owned(), vertex_files, ..self.edges.account(edges)? },
            journal: journal.map(|journal| journal.finish_build(writing.id)).transpose()?,
        });
        let state = || Ok(Reading { edges, read: Some(read.clone()), taken: taker.keep(context)? });
        writing.checkpoint(READING, read.files(), state)
    }

    /// Passes on all edges; returns their number.
    fn read_edges(
        &mut self,
        writing: &Writing<'_>,
        journal: &mut Option<SegmentWriter>,
        taker: &mut impl InputTaker,
    ) -> Result<u64> {
        let context = writing.context;
        let total = self.edges.bytes_total();
        context.work.observer.phase(&Phase { name: READING, unit: ProgressUnit::Bytes, total });
        let (mut batch, mut edges) = (EdgeBatch::empty(self.edges.id_kind()), 0);
        while self.edges.next_batch(&mut batch)? {
            context.work.cancellation().check()?;
            if let Some(journal) = journal {
                journal.push(&batch)?;
            }
            let passed = index_from(self.passed.saturating_sub(edges).min(length_from(batch.len())));
            edges += length_from(batch.len());
            match passed {
                0 => taker.take_edges(context, &batch)?,
                passed if passed < batch.len() => taker.take_edges(context, &batch.behind(passed))?,
                _ => {}
            }
            context.work.observer.progress(self.edges.bytes_done());
            if edges > self.passed && context.options.checkpoints.is_some_and(BuildCheckpoints::is_due) {
                let state = || Ok(Reading { edges, read: None, taken: taker.keep(context)? });
                writing.checkpoint(READING, std::iter::empty(), state)?;
            }
        }
        if edges < self.passed {
            return Err(Error::Usage(format!(
                "the input has {edges} edges, but had {} before the interruption; build again without --resume",
                self.passed
            )));
        }
        Ok(edges)
    }

    fn read_vertices(&mut self, context: &BuildContext<'_>, taker: &mut impl InputTaker) -> Result<()> {
        let Some(vertices) = &mut self.vertices else { return Ok(()) };
        let mut batch = IdBatch::empty(vertices.id_kind());
        while vertices.next_batch(&mut batch)? {
            context.work.cancellation().check()?;
            taker.take_vertices(context, &batch)?;
        }
        Ok(())
    }
}
