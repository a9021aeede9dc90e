//! Spool of edges on disk until their ends have final numbers.

use super::entry_counts::EntryCounts;
use crate::sort::{Packer, Spiller, Unpacker, in_order, items};
use crate::writing::context::BuildContext;
use crate::writing::options::SPOOL_EDGES;
use crate::writing::preflight::SpoolSize;
use crate::writing::record::ArcRecord;
use outcrop_io::{DurableFile, SpillFile, SpillFolder};
use outcrop_types::{Phase, ProgressUnit, Purpose, Result, length_from, memory};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::sync::Arc;

/// Edges per batch that is written: one is filled while another is written.
const BATCH_EDGES: usize = SPOOL_EDGES / 2;
/// Maximum number of threads that prepare batches.
const MOST_WORKERS: usize = 4;
/// Buffer for reading, in bytes.
const READ_BYTES: usize = 256 << 10;

/// Writer of spooled edges, with a separate thread.
pub(in crate::writing) struct EdgeSpoolWriter<A: ArcRecord> {
    folder: Arc<SpillFolder>,
    /// Durable files, and the thread that writes the current one.
    kept: Vec<SpillFile>,
    thread: Spiller<A, Written>,
    batch: Vec<A>,
    edges: u64,
}

/// A file of edges, and the counts of their entries and those of earlier files, if there are counters.
type Written = (SpillFile, Option<EntryCounts>);

/// Durable edges of a spool, which survive the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::writing) struct DurableSpool {
    files: Vec<DurableFile>,
    edges: u64,
}

impl<A: ArcRecord> EdgeSpoolWriter<A> {
    /// Creates a spool for an expected number of edges.
    pub(in crate::writing) fn create(context: &BuildContext<'_>, edges: Option<u64>) -> Result<Self> {
        Self::counting(context, EntryCounts::new(context, edges))
    }

    fn counting(context: &BuildContext<'_>, counts: Option<EntryCounts>) -> Result<Self> {
        let folder = Arc::clone(&context.spill);
        let (thread, batch) = (start(&folder, counts)?, Vec::with_capacity(BATCH_EDGES));
        Ok(Self { kept: Vec::new(), thread, folder, batch, edges: 0 })
    }

    /// Makes the spooled edges durable.
    pub(in crate::writing) fn keep(&mut self) -> Result<DurableSpool> {
        self.flush()?;
        let (file, counts) = self.thread.end()?;
        self.kept.push(file);
        self.thread = start(&self.folder, counts)?;
        let files = self.kept.iter().map(SpillFile::keep).collect::<Result<_>>()?;
        Ok(DurableSpool { files, edges: self.edges })
    }

    /// Resumes spooling after durable edges, whose entries were not counted.
    pub(in crate::writing) fn resume(context: &BuildContext<'_>, kept: &DurableSpool) -> Result<Self> {
        let files = kept.files.iter().map(|file| context.spill.reopen(file)).collect::<Result<_>>()?;
        Ok(Self { kept: files, edges: kept.edges, ..Self::counting(context, None)? })
    }

    #[inline]
    pub(in crate::writing) fn push(&mut self, source: u32, target: u32, weight: f64) -> Result<()> {
        self.batch.push(A::new(source, target, weight));
        self.edges += 1;
        if self.batch.len() == BATCH_EDGES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.batch = self.thread.exchange(std::mem::take(&mut self.batch))?;
        self.batch.reserve(BATCH_EDGES);
        Ok(())
    }

    pub(in crate::writing) fn finish(mut self) -> Result<EdgeSpool<A>> {
        self.flush()?;
        let (file, counts) = self.thread.finish()?;
        self.kept.push(file);
        let counts = counts.map(EntryCounts::finish);
        Ok(EdgeSpool { files: self.kept, edges: self.edges, counts, record: PhantomData })
    }
}

/// Starts the thread that writes a file of edges and counts their entries.
fn start<A: ArcRecord>(folder: &SpillFolder, mut counts: Option<EntryCounts>) -> Result<Spiller<A, Written>> {
    let mut file = folder.create()?;
    Spiller::start(move |buffers| {
        let mut packer = Packer::new();
        buffers.for_each(|edges| {
            counts = counts.take().and_then(|counts| counts.with(edges));
            packer.write(edges, &mut file)
        })?;
        packer.flush(&mut file)?;
        Ok((file.finish()?, counts))
    })
}

/// Spooled edges, in the order of writing.
pub(in crate::writing) struct EdgeSpool<A> {
    files: Vec<SpillFile>,
    edges: u64,
    /// Counts of the entries of all edges, if there are.
    pub(super) counts: Option<EntryCounts>,
    record: PhantomData<A>,
}

/// Pass over spooled edges.
#[derive(Clone, Copy, Debug)]
pub(in crate::writing) struct Pass {
    /// Name of the phase.
    name: &'static str,
    /// True if the space of the edges is freed as they are read.
    last: bool,
}

impl Pass {
    /// Creates a pass that another one follows.
    pub(in crate::writing) const fn early(name: &'static str) -> Self {
        Self { name, last: false }
    }

    /// Creates the last pass.
    pub(in crate::writing) const fn last(name: &'static str) -> Self {
        Self { name, last: true }
    }
}

impl<A: ArcRecord> EdgeSpool<A> {
    /// Drops the counts and their memory.
    pub(in crate::writing) fn without_counts(self) -> Self {
        Self { counts: None, ..self }
    }

    /// Returns the number of edges.
    pub(in crate::writing) const fn len(&self) -> u64 {
        self.edges
    }

    /// Returns the size, if IDs are less than `ids`.
    pub(in crate::writing) fn size(&self, ids: u64) -> SpoolSize {
        SpoolSize::new(self.edges, self.files.iter().map(SpillFile::length).sum(), ids, A::WEIGHTED)
    }

    /// Passes on batches of the edges in the order of writing, after `prepare` has processed them. A thread reads
    /// ahead, and others prepare whole batches, so that lookups in tables overlap.
    pub(in crate::writing) fn for_each(
        &self,
        context: &BuildContext<'_>,
        pass: Pass,
        prepare: impl Fn(&mut [A]) + Sync,
        mut take: impl FnMut(&[A]) -> Result<()>,
    ) -> Result<()> {
        context.work.observer.phase(&Phase { name: pass.name, unit: ProgressUnit::Edges, total: Some(self.edges) });
        let mut files = self.files.iter();
        let mut reader = None;
        let workers = (context.work.workers.threads() / 4).clamp(1, MOST_WORKERS);
        let most = SPOOL_EDGES / items(workers);
        let read = |batch: &mut Vec<A>| {
            batch.clear();
            memory::make_room(batch, most, Purpose::SortSpace)?;
            while batch.len() < most {
                match &mut reader {
                    Some(edges) => {
                        if Unpacker::read(edges, most - batch.len(), batch)? == 0 {
                            reader = None;
                        }
                    }
                    None => match files.next() {
                        Some(file) => reader = Some(open(file, pass)?),
                        None => break,
                    },
                }
            }
            Ok(!batch.is_empty())
        };
        let prepare = |batch: &mut Vec<A>| {
            prepare(batch);
            Ok(())
        };
        in_order(workers, read, prepare, |batches| {
            let mut done = 0;
            while let Some(batch) = batches.next()? {
                context.work.cancellation().check()?;
                take(batch)?;
                done += length_from(batch.len());
                context.work.observer.progress(done);
            }
            Ok(())
        })
    }
}

/// Opens a file of edges.
fn open<A: ArcRecord>(file: &SpillFile, pass: Pass) -> Result<Unpacker<A>> {
    let reader = file.open()?;
    let reader = if pass.last { reader.freeing() } else { reader };
    Unpacker::new(reader, file.length(), READ_BYTES)
}
