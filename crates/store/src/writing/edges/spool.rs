//! Edges that are set aside on disk until their ends have their final numbers.

use crate::writing::context::BuildContext;
use crate::writing::record::ArcRecord;
use outcrop_io::{SpillFile, SpillWriter};
use outcrop_types::{Error, Phase, ProgressUnit, Result, length_from};
use std::marker::PhantomData;

/// Edges are set aside and read back in batches of so many.
const BATCH_EDGES: usize = 1 << 15;

/// Sets edges aside.
pub(in crate::writing) struct EdgeSpoolWriter<A: ArcRecord> {
    file: SpillWriter,
    batch: Vec<A>,
}

impl<A: ArcRecord> EdgeSpoolWriter<A> {
    pub(in crate::writing) fn create(context: &BuildContext<'_>) -> Result<Self> {
        Ok(Self { file: context.spill.create()?, batch: Vec::with_capacity(BATCH_EDGES) })
    }

    #[inline]
    pub(in crate::writing) fn push(&mut self, source: u32, target: u32, weight: f64) -> Result<()> {
        self.batch.push(A::new(source, target, weight));
        if self.batch.len() == BATCH_EDGES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(bytemuck::cast_slice(&self.batch))?;
        self.batch.clear();
        Ok(())
    }

    pub(in crate::writing) fn finish(mut self) -> Result<EdgeSpool<A>> {
        self.flush()?;
        Ok(EdgeSpool { file: self.file.finish()?, record: PhantomData })
    }
}

/// Edges in the order in which they were set aside.
pub(in crate::writing) struct EdgeSpool<A> {
    file: SpillFile,
    record: PhantomData<A>,
}

impl<A: ArcRecord> EdgeSpool<A> {
    /// Hands over the edges in the order in which they came, their ends renamed by `rename`; `name` is what the user sees. A batch is
    /// renamed as a whole, so that reads of tables overlap.
    pub(in crate::writing) fn for_each(
        &self,
        context: &BuildContext<'_>,
        name: &'static str,
        rename: impl Fn(u32) -> u32,
        mut take: impl FnMut(u32, u32, f64) -> Result<()>,
    ) -> Result<()> {
        let total = self.file.len() / length_from(size_of::<A>());
        context.observer.phase(&Phase { name, unit: ProgressUnit::Edges, total: Some(total) });
        let mut reader = self.file.open()?;
        let mut batch = vec![A::zeroed(); BATCH_EDGES];
        let mut done = 0;
        loop {
            context.cancellation.check()?;
            let count = reader.read(bytemuck::cast_slice_mut(&mut batch))? / size_of::<A>();
            let edges = batch.get_mut(..count).ok_or_else(|| Error::internal("a batch is longer than its room"))?;
            for edge in &mut *edges {
                let (source, target, weight) = edge.parts();
                *edge = A::new(rename(source), rename(target), weight);
            }
            for edge in edges {
                let (source, target, weight) = edge.parts();
                take(source, target, weight)?;
            }
            done += length_from(count);
            context.observer.progress(done);
            if count < BATCH_EDGES {
                return Ok(());
            }
        }
    }
}
