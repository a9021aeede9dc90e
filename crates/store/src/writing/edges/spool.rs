//! Edges that are set aside on disk until their ends have their final numbers.

use crate::sort::Spiller;
use crate::writing::context::BuildContext;
use crate::writing::options::SPOOL_EDGES;
use crate::writing::record::ArcRecord;
use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_io::SpillFile;
use outcrop_types::{Error, Phase, ProgressUnit, Result, length_from};
use std::marker::PhantomData;

/// Batches at once: one that is filled, one on its way, one that is emptied.
const BATCHES: usize = 3;
/// Edges of a batch.
const BATCH_EDGES: usize = SPOOL_EDGES / BATCHES;

/// Sets edges aside, on a thread of its own.
pub(in crate::writing) struct EdgeSpoolWriter<A: ArcRecord> {
    thread: Spiller<A, SpillFile>,
    batch: Vec<A>,
}

impl<A: ArcRecord> EdgeSpoolWriter<A> {
    pub(in crate::writing) fn create(context: &BuildContext<'_>) -> Result<Self> {
        let mut file = context.spill.create()?;
        let thread = Spiller::start(move |buffers| {
            buffers.for_each(|edges| file.write(bytemuck::cast_slice(edges)))?;
            file.finish()
        })?;
        Ok(Self { thread, batch: Vec::with_capacity(BATCH_EDGES) })
    }

    #[inline]
    pub(in crate::writing) fn push(&mut self, source: u32, target: u32, weight: f64) -> Result<()> {
        self.batch.push(A::new(source, target, weight));
        if self.batch.len() == BATCH_EDGES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.batch = self.thread.exchange(std::mem::take(&mut self.batch))?;
        self.batch.reserve(BATCH_EDGES);
        Ok(())
    }

    pub(in crate::writing) fn finish(mut self) -> Result<EdgeSpool<A>> {
        self.flush()?;
        Ok(EdgeSpool { file: self.thread.finish()?, record: PhantomData })
    }
}

/// Edges in the order in which they were set aside.
pub(in crate::writing) struct EdgeSpool<A> {
    file: SpillFile,
    record: PhantomData<A>,
}

impl<A: ArcRecord> EdgeSpool<A> {
    /// Hands over the edges in the order in which they came, once `prepare` has had them; `name` is what the user sees. A thread reads
    /// ahead and prepares, a batch as a whole, so that reads of tables overlap.
    pub(in crate::writing) fn for_each(
        &self,
        context: &BuildContext<'_>,
        name: &'static str,
        prepare: impl FnMut(&mut [A]) + Send,
        mut take: impl FnMut(u32, u32, f64) -> Result<()>,
    ) -> Result<()> {
        let total = self.file.len() / length_from(size_of::<A>());
        context.observer.phase(&Phase { name, unit: ProgressUnit::Edges, total: Some(total) });
        let ((full, incoming), (outgoing, empty)) = (bounded(1), bounded(BATCHES));
        (0..BATCHES).try_for_each(|_| outgoing.send(vec![A::zeroed(); BATCH_EDGES])).map_err(|_| lost())?;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("outcrop-edges".to_owned());
            let read = move || self.read_ahead(&full, &empty, prepare);
            let thread =
                thread.spawn_scoped(scope, read).map_err(|source| Error::io("start", "a reading thread", source))?;
            let mut done = 0;
            let taken = incoming.iter().try_for_each(|batch: Vec<A>| {
                context.cancellation.check()?;
                batch
                    .iter()
                    .map(|edge| edge.parts())
                    .try_for_each(|(source, target, weight)| take(source, target, weight))?;
                done += length_from(batch.len());
                context.observer.progress(done);
                _ = outgoing.send(batch);
                Ok(())
            });
            drop((incoming, outgoing));
            let read =
                thread.join().unwrap_or_else(|payload| Err(Error::panicked("the thread that reads edges", &*payload)));
            taken.and(read)
        })
    }

    /// Fills batch after batch, until there are no more edges or nobody takes them.
    fn read_ahead(
        &self,
        full: &Sender<Vec<A>>,
        empty: &Receiver<Vec<A>>,
        mut prepare: impl FnMut(&mut [A]),
    ) -> Result<()> {
        let mut reader = self.file.open()?;
        for mut batch in empty {
            let count = reader.read(bytemuck::cast_slice_mut(&mut batch))? / size_of::<A>();
            batch.truncate(count);
            prepare(&mut batch);
            if full.send(batch).is_err() || count < BATCH_EDGES {
                break;
            }
        }
        Ok(())
    }
}

fn lost() -> Error {
    Error::internal("the thread that reads edges has ended before they did")
}
