//! Memory for computing orders, including those of stores that do not exist yet.

use super::build_order::BuildOrder;
use outcrop_algorithms::pagerank::edge_map as pagerank;
use outcrop_placement::order::{Sample, norder_bytes, two_level_bytes};
use outcrop_store::OriginalIdReader;
use outcrop_store::access::Workers;
use outcrop_store::layout::chunked::Placement;
use outcrop_store::layout::{DegreeReader, Layout, StoredLists};
use outcrop_store::writing::reorder_memory;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, VertexValues, WeightType};
use std::sync::atomic::AtomicU32;

/// Returns the minimum memory in use at the same time for computing `order` of `vertices` vertices: `ranks` is the
/// memory of their ranks, `lists` that of opening a direction, and `degrees` that of reading the degrees of one, in
/// bytes.
pub(super) fn order_memory(
    order: BuildOrder,
    vertices: u32,
    ranks: u64,
    lists: impl Fn(Direction) -> MemoryPlan,
    degrees: u64,
) -> MemoryPlan {
    let arrays = |count: u64| count * VertexValues::<u32>::bytes(u64::from(vertices));
    let ranks = MemoryPlan::new().with(Purpose::IdMap, ranks);
    match order {
        BuildOrder::Original => ranks.with(Purpose::IdMap, BitSet::bytes(vertices)),
        BuildOrder::Degree => {
            // Those of both directions, or in both orders; the numbers replace them.
            ranks.with(Purpose::Degrees, arrays(2)).with(Purpose::IoBuffers, degrees)
        }
        BuildOrder::Random { .. } => ranks.with(Purpose::IdMap, arrays(2)),
        BuildOrder::PageRank => lists(Direction::In)
            .and(&pagerank::memory::<AtomicU32>(vertices, false, false, false))
            .with(Purpose::IoBuffers, degrees),
        BuildOrder::Norder => {
            let reading = lists(Direction::Out).with(Purpose::Frontier, norder_bytes(vertices));
            reading.with(Purpose::IoBuffers, degrees)
        }
        BuildOrder::Auto => lists(Direction::Out).and(&ranks).with(Purpose::Frontier, Sample::bytes(vertices)),
    }
}

/// Upper bound of a store that does not exist yet.
#[derive(Clone, Copy)]
pub(crate) struct MostStore<'s> {
    pub(crate) layout: &'s Layout,
    pub(crate) weights: Option<WeightType>,
    pub(crate) vertices: u32,
    /// Number of list entries per direction.
    pub(crate) arcs: u64,
    pub(crate) workers: &'s Workers,
}

impl MostStore<'_> {
    fn lists(self) -> MemoryPlan {
        StoredLists::most_memory(self.layout, self.vertices, self.arcs, self.weights, self.workers)
    }

    /// Returns the maximum memory of placing lists in a separate order; empty if they are in vertex order.
    pub(crate) fn placing(self) -> MemoryPlan {
        match self.layout {
            Layout::Chunked(settings) if settings.placement == Placement::Reordered => {
                let vertices = u64::from(self.vertices);
                let ordering = two_level_bytes(self.vertices, vertices) + VertexValues::<u32>::bytes(vertices);
                // The lists of both directions are open while some of one are placed.
                let lists = self.lists().and(&self.lists());
                reorder_memory(lists, settings, self.weights, self.vertices, ordering)
            }
            _ => MemoryPlan::new(),
        }
    }

    /// Returns the maximum memory of a build that needs `reading` until its arcs are in lists, and then sets the vertex
    /// `order`.
    pub(crate) fn building(self, reading: &MemoryPlan, order: BuildOrder) -> MemoryPlan {
        let array = VertexValues::<u32>::bytes(self.vertices.into());
        let build = match order {
            BuildOrder::Original | BuildOrder::Auto => reading.clone(),
            order if !order.needs_lists() => {
                let sorting = reading.bytes_for(Purpose::SortSpace);
                // In addition to the buffers: the order, then numbers and sorters; the bitmap of IDs uses up to a
                // quarter.
                let ordering = u64::from(self.vertices) * if order == BuildOrder::Degree { 5 } else { 8 };
                let held = ordering.max(array + sorting / 3 * 2).div_ceil(3) * 4;
                let rest = reading.needs().iter().filter(|need| need.purpose != Purpose::SortSpace);
                let rest = rest.fold(MemoryPlan::new(), |plan, need| plan.with(need.purpose, need.bytes));
                reading.clone().or(rest.with(Purpose::IdMap, held))
            }
            order => {
                let ordering = order_memory(order, self.vertices, 0, |_| self.lists(), DegreeReader::MEMORY_BYTES);
                let buffers = reading.bytes_for(Purpose::IoBuffers) + OriginalIdReader::LISTED_BYTES;
                let writing = self.lists().with(Purpose::IoBuffers, buffers).with(Purpose::IdMap, 3 * array);
                let writing = writing.with(Purpose::SortSpace, reading.bytes_for(Purpose::SortSpace));
                reading.clone().or(ordering.with(Purpose::IdMap, 2 * array)).or(writing)
            }
        };
        build.or(self.placing())
    }
}
