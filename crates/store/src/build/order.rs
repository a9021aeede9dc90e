//! Where edges between ranks go: straight to the sorters, or first aside until the order of the vertices is known.

use super::arcs::ArcSorters;
use super::options::VertexOrder;
use super::sort::ArcRecord;
use super::{Workshop, Writing};
use crate::manifest::FileEntry;
use crate::original_ids::{RANK_OF_VERTEX_NAME, VERTEX_OF_RANK_NAME};
use outcrop_io::{SpillFile, SpillWriter};
use outcrop_types::{Permutation, Phase, ProgressUnit, Purpose, Result, VertexId, index_from, length_from};

/// Edges are set aside and read back in batches of so many.
const BATCH_EDGES: usize = 1 << 15;

/// Takes edges between ranks.
pub(super) enum EdgeSink<A: ArcRecord> {
    /// The ranks are the vertices; the sorters are made when the first edge comes.
    Direct(Option<ArcSorters<A>>),
    /// The edges wait for the order.
    Aside { file: SpillWriter, batch: Vec<A> },
}

/// The sorters with all arcs, and the files that translate between ranks and vertices.
pub(super) struct OrderTables<A: ArcRecord> {
    pub(super) sorters: ArcSorters<A>,
    pub(super) files: Vec<FileEntry>,
}

impl<A: ArcRecord> EdgeSink<A> {
    pub(super) fn new(shop: &Workshop<'_>) -> Result<Self> {
        match shop.options.order {
            None => Ok(Self::Direct(None)),
            Some(_) => Ok(Self::Aside { file: shop.spill.create()?, batch: Vec::with_capacity(BATCH_EDGES) }),
        }
    }

    /// Takes an edge between ranks.
    #[inline]
    pub(super) fn push(&mut self, shop: &Workshop<'_>, source: u32, target: u32, weight: f32) -> Result<()> {
        match self {
            Self::Direct(Some(sorters)) => sorters.push(source, target, weight),
            Self::Direct(vacant) => {
                vacant.insert(ArcSorters::new(shop, shop.budget.available())?).push(source, target, weight)
            }
            Self::Aside { file, batch } => {
                batch.push(A::new(source, target, weight));
                if batch.len() == BATCH_EDGES {
                    file.write(bytemuck::cast_slice(batch))?;
                    batch.clear();
                }
                Ok(())
            }
        }
    }

    /// Ends the taking: with an order other than the original, computes it and renumbers the edges.
    pub(super) fn finish(self, writing: &Writing<'_, '_>, vertices: u32) -> Result<OrderTables<A>> {
        let shop = writing.shop;
        let no_edges = || ArcSorters::new(shop, shop.budget.available());
        match (self, shop.options.order) {
            (Self::Aside { mut file, batch }, Some(order)) => {
                file.write(bytemuck::cast_slice(&batch))?;
                Aside { writing, file: file.finish()? }.renumber(order, vertices)
            }
            (Self::Direct(sorters), _) => {
                Ok(OrderTables { sorters: sorters.map_or_else(no_edges, Ok)?, files: Vec::new() })
            }
            (Self::Aside { .. }, None) => Ok(OrderTables { sorters: no_edges()?, files: Vec::new() }),
        }
    }
}

/// Edges that waited for the order.
struct Aside<'w> {
    writing: &'w Writing<'w, 'w>,
    file: SpillFile,
}

impl Aside<'_> {
    fn renumber<A: ArcRecord>(&self, order: VertexOrder<'_>, vertices: u32) -> Result<OrderTables<A>> {
        let shop = self.writing.shop;
        // Degrees, the permutation and its inverse; the order's own work is no larger.
        let held = shop.budget.reserve(3 * 4 * u64::from(vertices), Purpose::IdMap)?;
        let permutation = (order.from_degrees)(&self.degrees::<A>(vertices)?);
        let files = write_tables(self.writing, &permutation)?;
        let mut sorters = ArcSorters::<A>::new(shop, shop.budget.available())?;
        self.for_each::<A>("renumbering", |source, target, weight| {
            sorters.push(permutation.apply(source), permutation.apply(target), weight)
        })?;
        drop(held);
        Ok(OrderTables { sorters, files })
    }

    /// How many list entries each rank has: both ends of every edge.
    fn degrees<A: ArcRecord>(&self, vertices: u32) -> Result<Vec<u32>> {
        let mut degrees = vec![0_u32; index_from(u64::from(vertices))];
        let mut count = |rank: u32| {
            if let Some(degree) = degrees.get_mut(rank as usize) {
                *degree = degree.saturating_add(1);
            }
        };
        self.for_each::<A>("counting degrees", |source, target, _| {
            count(source);
            count(target);
            Ok(())
        })?;
        Ok(degrees)
    }

    fn for_each<A: ArcRecord>(
        &self,
        name: &'static str,
        mut take: impl FnMut(u32, u32, f32) -> Result<()>,
    ) -> Result<()> {
        let record = length_from(size_of::<A>());
        let shop = self.writing.shop;
        shop.observer.phase(&Phase { name, unit: ProgressUnit::Edges, total: Some(self.file.len() / record) });
        let mut reader = self.file.open()?;
        let mut batch = vec![A::zeroed(); BATCH_EDGES];
        let mut done = 0;
        loop {
            shop.cancellation.check()?;
            let count = reader.read(bytemuck::cast_slice_mut(&mut batch))? / size_of::<A>();
            for edge in batch.iter().take(count) {
                let (source, target, weight) = edge.parts();
                take(source, target, weight)?;
            }
            done += length_from(count);
            shop.observer.progress(done);
            if count < BATCH_EDGES {
                return Ok(());
            }
        }
    }
}

fn write_tables(writing: &Writing<'_, '_>, vertex_of_rank: &Permutation) -> Result<Vec<FileEntry>> {
    let write = |name: &str, numbers: &[VertexId]| {
        let mut writer = writing.component(name)?;
        writer.write(bytemuck::cast_slice(numbers))?;
        writer.finish()
    };
    let vertices = write(VERTEX_OF_RANK_NAME, vertex_of_rank.as_slice())?;
    Ok(vec![vertices, write(RANK_OF_VERTEX_NAME, vertex_of_rank.inverse().as_slice())?])
}
