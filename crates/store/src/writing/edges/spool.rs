//! Spool of edges on disk until their ends have final numbers.

use crate::sort::{Packer, Spiller, Unpacker};
use crate::writing::context::BuildContext;
use crate::writing::options::SPOOL_EDGES;
use crate::writing::preflight::SpoolSize;
use crate::writing::record::ArcRecord;
use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_io::{DurableFile, SpillFile, SpillFolder};
use outcrop_types::{Error, Phase, ProgressUnit, Result, length_from};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::sync::Arc;

/// Number of batches: one being filled, one in transit, one being emptied.
const BATCHES: usize = 3;
/// Edges per batch.
const BATCH_EDGES: usize = SPOOL_EDGES / BATCHES;
/// Buffer for reading, in bytes.
const READ_BYTES: usize = 256 << 10;

/// Writer of spooled edges, with a separate thread.
pub(in crate::writing) struct EdgeSpoolWriter<A: ArcRecord> {
    folder: Arc<SpillFolder>,
    /// Durable files, and the thread that writes the current one.
    kept: Vec<SpillFile>,
    thread: Spiller<A, SpillFile>,
    batch: Vec<A>,
    edges: u64,
}

/// Durable edges of a spool, which survive the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::writing) struct DurableSpool {
    files: Vec<DurableFile>,
    edges: u64,
}

impl<A: ArcRecord> EdgeSpoolWriter<A> {
    pub(in crate::writing) fn create(context: &BuildContext<'_>) -> Result<Self> {
        let folder = Arc::clone(&context.spill);
        Ok(Self { kept: Vec::new(), thread: start(&folder)?, folder, batch: Vec::with_capacity(BATCH_EDGES), edges: 0 })
    }

    /// Makes the spooled edges durable.
    pub(in crate::writing) fn keep(&mut self) -> Result<DurableSpool> {
        self.flush()?;
        let thread = std::mem::replace(&mut self.thread, start(&self.folder)?);
        self.kept.push(thread.finish()?);
        let files = self.kept.iter().map(SpillFile::keep).collect::<Result<_>>()?;
        Ok(DurableSpool { files, edges: self.edges })
    }

    /// Resumes spooling after durable edges.
    pub(in crate::writing) fn resume(context: &BuildContext<'_>, kept: &DurableSpool) -> Result<Self> {
        let files = kept.files.iter().map(|file| context.spill.reopen(file)).collect::<Result<_>>()?;
        Ok(Self { kept: files, edges: kept.edges, ..Self::create(context)? })
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
        self.kept.push(self.thread.finish()?);
        Ok(EdgeSpool { files: self.kept, edges: self.edges, record: PhantomData })
    }
}

/// Starts the thread that writes a file of edges.
fn start<A: ArcRecord>(folder: &SpillFolder) -> Result<Spiller<A, SpillFile>> {
    let mut file = folder.create()?;
    Spiller::start(move |buffers| {
        let mut packer = Packer::new();
        buffers.for_each(|edges| packer.write(edges, &mut file))?;
        packer.flush(&mut file)?;
        file.finish()
    })
}

/// Spooled edges, in the order of writing.
pub(in crate::writing) struct EdgeSpool<A> {
    files: Vec<SpillFile>,
    edges: u64,
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
    /// Returns the size, if IDs are less than `ids`.
    pub(in crate::writing) fn size(&self, ids: u64) -> SpoolSize {
        SpoolSize::new(self.edges, self.files.iter().map(SpillFile::length).sum(), ids, A::WEIGHTED)
    }

    /// Passes on the edges in the order of writing, after `prepare` has processed them; `name` is shown to the user. A
    /// thread reads ahead and prepares whole batches, so that lookups in tables overlap.
    pub(in crate::writing) fn for_each(
        &self,
        context: &BuildContext<'_>,
        pass: Pass,
        prepare: impl FnMut(&mut [A]) + Send,
        mut take: impl FnMut(u32, u32, f64) -> Result<()>,
    ) -> Result<()> {
        context.work.observer.phase(&Phase { name: pass.name, unit: ProgressUnit::Edges, total: Some(self.edges) });
        let ((full, incoming), (outgoing, empty)) = (bounded(1), bounded(BATCHES));
        (0..BATCHES).try_for_each(|_| outgoing.send(Vec::with_capacity(BATCH_EDGES))).map_err(|_| lost())?;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("outcrop-edges".to_owned());
            let read = move || self.read_ahead(pass, &full, &empty, prepare);
            let thread =
                thread.spawn_scoped(scope, read).map_err(|source| Error::io("start", "a reading thread", source))?;
            let mut done = 0;
            let taken = incoming.iter().try_for_each(|batch: Vec<A>| {
                context.work.cancellation().check()?;
                batch
                    .iter()
                    .map(|edge| edge.parts())
                    .try_for_each(|(source, target, weight)| take(source, target, weight))?;
                done += length_from(batch.len());
                context.work.observer.progress(done);
                _ = outgoing.send(batch);
                Ok(())
            });
            drop((incoming, outgoing));
            let read =
                thread.join().unwrap_or_else(|payload| Err(Error::panicked("the thread that reads edges", &*payload)));
            taken.and(read)
        })
    }

    /// Fills batches until there are no more edges or the receiver is dropped.
    fn read_ahead(
        &self,
        pass: Pass,
        full: &Sender<Vec<A>>,
        empty: &Receiver<Vec<A>>,
        mut prepare: impl FnMut(&mut [A]),
    ) -> Result<()> {
        let mut readers = self.files.iter().map(|file| {
            let reader = file.open()?;
            let reader = if pass.last { reader.freeing() } else { reader };
            Unpacker::new(reader, file.length(), READ_BYTES)
        });
        let mut reader = readers.next().transpose()?;
        for mut batch in empty {
            batch.clear();
            while batch.len() < BATCH_EDGES {
                let Some(edges) = &mut reader else { break };
                if edges.read(BATCH_EDGES - batch.len(), &mut batch)? == 0 {
                    reader = readers.next().transpose()?;
                }
            }
            if batch.is_empty() {
                return Ok(());
            }
            prepare(&mut batch);
            if full.send(batch).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn lost() -> Error {
    Error::internal("the reading thread ended before its input")
}
