//! Access to the adjacency lists of one direction of a store: cost, select and sweep.

use super::statistics::AccessStatistics;
use super::visit::Visit;
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};

/// Cost of a read, estimated before any I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCost {
    /// Number of list entries to visit.
    pub arcs: u64,
    /// Number of bytes to read from the device.
    pub bytes: u64,
    /// Number of read requests, after merging.
    pub requests: u64,
    /// Number of bytes that are already in memory.
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

/// Page of a layout: the unit of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPage {
    /// Number of the page in the layout.
    pub number: u64,
    /// Approximate number of list entries on the page.
    pub entries: u64,
}

/// Adjacency lists of one direction in one layout.
pub trait Adjacency: Sync {
    /// Returns the number of vertices.
    fn num_vertices(&self) -> u32;

    /// Returns the number of list entries of all vertices: an undirected edge counts twice, unless it is a loop.
    fn num_arcs(&self) -> u64;

    /// Returns the cost of [`Adjacency::select`], as precisely as the layout knows it without I/O; independent of the
    /// number of threads.
    fn cost_of(&self, set: &VertexSet) -> IoCost;

    /// Returns the cost of a sweep over all vertices.
    fn cost_of_sweep(&self) -> IoCost;

    /// Returns true if a sweep can show first neighbors to a visitor without reading lists, so that it reads little
    /// ([`Visit::peek`]).
    fn can_peek_first_neighbors(&self) -> bool {
        false
    }

    /// Returns the page in which the list of `vertex` starts; `None` if the list needs no page, spans several, or the
    /// page is unknown without I/O.
    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        _ = vertex;
        None
    }

    /// Returns true if [`Adjacency::select`] visits the lists of `set` on the calling thread only.
    fn selects_alone(&self, set: &VertexSet) -> bool {
        _ = set;
        false
    }

    /// Visits the list of every vertex in `set` once, approximately in disk order, with a deep queue, merged requests
    /// and all workers.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the run is interrupted, or if `visit` fails.
    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()>;

    /// Visits the list of every vertex in `range` that `visit` requests, streaming in disk order.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the run is interrupted, or if `visit` fails.
    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()>;

    /// Returns the read counters.
    fn statistics(&self) -> &AccessStatistics;
}

/// Layout whose lists are in pages, each of which is read and cached as a unit. Used to choose list orders and pinned
/// lists, not by execution models.
pub trait Pages: Adjacency {
    /// Returns the number of pages.
    fn num_pages(&self) -> u32;

    /// Returns the page in which the list of `vertex` starts; `None` if the list is in no page, or in one that is read
    /// separately.
    fn page_of(&self, vertex: VertexId) -> Option<u32>;
}
