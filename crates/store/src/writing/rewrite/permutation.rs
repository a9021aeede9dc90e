//! Permutation of the vertices of a store, and the tables that map the new numbers to original IDs.

use crate::manifest::{FileEntry, Manifest, Order, OrderParameters};
use crate::original_ids::{OriginalIdReader, RANK_OF_VERTEX_NAME, VERTEX_OF_RANK_NAME};
use crate::store::Store;
use crate::writing::context::Writing;
use outcrop_types::{Error, MemoryPlan, Permutation, Purpose, Result, VertexId, VertexValues, index_from, length_from};

/// Number of ranks whose vertices are read at once.
const BATCH_RANKS: u32 = 1 << 16;

/// New order of the vertices of a store.
#[derive(Clone, Copy, Debug)]
pub struct VertexPermutation<'r> {
    /// Name of the order in the manifest.
    pub order: Order,
    /// Parameters of the order.
    pub parameters: OrderParameters,
    /// New position of each vertex of the store; the caller reserves its memory. For the original order, this is the
    /// rank of each vertex.
    pub permutation: &'r Permutation,
}

impl VertexPermutation<'_> {
    /// Returns the memory for writing the tables, without the writer; both are released before lists are read.
    pub(super) fn memory(manifest: &Manifest) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::IdMap, VertexValues::<u32>::bytes(u64::from(manifest.graph.vertices)))
            .with(Purpose::IoBuffers, OriginalIdReader::memory(manifest))
    }

    /// # Errors
    ///
    /// Returns an error unless there is one number per vertex of the store.
    pub(super) fn validate(&self, manifest: &Manifest) -> Result<()> {
        if length_from(self.permutation.len()) == u64::from(manifest.graph.vertices) {
            return Ok(());
        }
        let (numbers, vertices) = (self.permutation.len(), manifest.graph.vertices);
        Err(Error::internal(format!("{numbers} numbers for {vertices} vertices")))
    }

    /// Writes the tables from ranks to new numbers and back, by composing the old tables with the new numbers. Writes
    /// none for the original order.
    ///
    /// # Errors
    /// Returns an error if the old tables are damaged, if the numbers do not yield the original order although they
    /// should, if the budget is too small, if reading or writing fails, or if the conversion is interrupted.
    pub(super) fn write_tables(&self, store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
        let (budget, vertices) = (writing.context.work.budget, store.manifest().graph.vertices);
        let _buffers = budget.reserve(OriginalIdReader::memory(store.manifest()), Purpose::IoBuffers)?;
        let mut old = OriginalIdReader::open(store, writing.context.work.io)?;
        if self.order == Order::Original {
            self.for_each(&mut old, writing, vertices, |rank, vertex| match rank == vertex {
                true => Ok(()),
                false => Err(Error::internal("the permutation does not lead to the original order")),
            })?;
            return Ok(Vec::new());
        }
        let mut ranks = VertexValues::new(budget, Purpose::IdMap, index_from(u64::from(vertices)), |_| u32::MAX)?;
        let mut table = writing.component(VERTEX_OF_RANK_NAME)?;
        self.for_each(&mut old, writing, vertices, |rank, vertex| {
            let slot = ranks.get_mut(index_from(u64::from(vertex))).filter(|slot| **slot == u32::MAX);
            let twice = || Error::corrupt(store.folder().join(VERTEX_OF_RANK_NAME), "it contains a vertex twice");
            *slot.ok_or_else(twice)? = rank;
            table.write(&vertex.to_le_bytes())
        })?;
        let vertices = table.finish()?;
        let mut table = writing.component(RANK_OF_VERTEX_NAME)?;
        table.write(bytemuck::cast_slice(&ranks))?;
        Ok(vec![vertices, table.finish()?])
    }

    /// Passes on every rank with its new vertex.
    fn for_each(
        &self,
        old: &mut OriginalIdReader<'_>,
        writing: &Writing<'_>,
        vertices: u32,
        mut take: impl FnMut(u32, VertexId) -> Result<()>,
    ) -> Result<()> {
        for start in (0..vertices).step_by(index_from(u64::from(BATCH_RANKS))) {
            writing.context.work.cancellation().check()?;
            let batch = start..start.saturating_add(BATCH_RANKS).min(vertices);
            for (rank, vertex) in batch.clone().zip(old.vertices(batch)?) {
                take(rank, self.permutation.apply(vertex))?;
            }
        }
        Ok(())
    }
}
