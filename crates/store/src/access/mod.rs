//! The contract between layouts and models: *select or sweep*.
//!
//! No model sees a page, no layout sees an algorithm. A model hands over a visitor and says which lists it wants; the layout
//! reads them in bulk, in the order of the disk, with every worker computing while its next reads are under way.

mod batch;
mod block;
mod changing;
mod open;
mod pages;
mod shards;
mod statistics;
mod stored;
mod workers;

use outcrop_types::{Result, VertexId, VertexRange, VertexSet};
use std::ops::{ControlFlow, Range};

pub use batch::{FoldLists, ListBatch, Packer, Visit, VisitBatch};
pub(crate) use block::{BitBlock, VertexClaims};
pub use block::{keep_wanted, wanted_of};
pub use changing::{ChangeLists, Changing, TakePart, worker_of};
pub use open::{OpenLists, are_same};
pub use pages::Pages;
pub use shards::{ArcBlock, BlockId, Shards};
pub use statistics::{AccessFigures, AccessStatistics};
pub use stored::{StoredNeighbours, StoredWeights};
pub use workers::Workers;

/// A piece of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours<'l> {
    ids: &'l [VertexId],
    weights: Option<&'l [f64]>,
}

impl<'l> Neighbours<'l> {
    /// The neighbours `ids`, each with the weight at the same position where there are weights.
    #[inline]
    pub fn new(ids: &'l [VertexId], weights: Option<&'l [f64]>) -> Self {
        debug_assert!(weights.is_none_or(|weights| weights.len() == ids.len()));
        Self { ids, weights }
    }

    /// The neighbours, ascending.
    #[inline]
    pub const fn ids(self) -> &'l [VertexId] {
        self.ids
    }

    /// The weight of each neighbour, in a store with weights.
    #[inline]
    pub const fn weights(self) -> Option<&'l [f64]> {
        self.weights
    }

    /// Calls `take` with each neighbour and its weight, which is 1 in a store without weights, until it breaks.
    ///
    /// # Errors
    /// None; `Break` is handed on.
    #[inline]
    pub fn try_for_each(self, mut take: impl FnMut(VertexId, f64) -> ControlFlow<()>) -> ControlFlow<()> {
        match self.weights {
            None => self.ids.iter().try_for_each(|id| take(*id, 1.0)),
            Some(weights) => self.ids.iter().zip(weights).try_for_each(|(id, weight)| take(*id, *weight)),
        }
    }

    /// The neighbours at these positions; none where there are not so many.
    #[inline]
    pub(crate) fn part(self, positions: Range<usize>) -> Self {
        let ids = self.ids.get(positions.clone()).unwrap_or_default();
        Self { ids, weights: self.weights.map(|weights| weights.get(positions).unwrap_or_default()) }
    }

    /// Number of neighbours in this piece.
    #[inline]
    pub const fn len(self) -> usize {
        self.ids.len()
    }

    /// True if the piece is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.ids.is_empty()
    }
}

/// Cost of a read, estimated before any I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCost {
    /// List entries that would be visited.
    pub arcs: u64,
    /// Bytes that would be read from the device.
    pub bytes: u64,
    /// Read requests, after merging.
    pub requests: u64,
    /// Bytes that are in memory already.
    pub resident_bytes: u64,
}

impl std::ops::Add for IoCost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            arcs: self.arcs + other.arcs,
            bytes: self.bytes + other.bytes,
            requests: self.requests + other.requests,
            resident_bytes: self.resident_bytes + other.resident_bytes,
        }
    }
}

/// A page of a layout: what is read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPage {
    /// Its number among all of the layout.
    pub number: u64,
    /// About how many list entries it holds.
    pub entries: u64,
}

/// One direction of one layout.
pub trait Adjacency: Sync {
    /// Number of vertices.
    fn num_vertices(&self) -> u32;

    /// Number of list entries over all vertices: an undirected edge counts twice, unless it is a loop.
    fn num_arcs(&self) -> u64;

    /// Cost of [`Adjacency::select`], as near as the layout knows without reading; the same whatever the threads.
    fn cost_of(&self, set: &VertexSet) -> IoCost;

    /// Cost of a sweep over all vertices.
    fn cost_of_sweep(&self) -> IoCost;

    /// The page in which the list of `vertex` begins; `None` where the list needs no page, fills more than one, or that is not known
    /// without reading.
    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        _ = vertex;
        None
    }

    /// Visits the list of every vertex of `set` once: deep queue, merged requests, all workers, about in the order of the disk.
    ///
    /// # Errors
    /// A failed or damaged read; interruption; those of `visit`.
    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()>;

    /// Visits the list of every vertex of `range` that `visit` wants, streaming in the order of the disk.
    ///
    /// # Errors
    /// A failed or damaged read; interruption; those of `visit`.
    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()>;

    /// Counts of reads so far.
    fn statistics(&self) -> &AccessStatistics;
}
