//! Lists of one direction of a store: cost, select and sweep.

use super::statistics::AccessStatistics;
use super::visit::Visit;
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};

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

/// Adjacency lists of one direction in one layout.
pub trait Adjacency: Sync {
    /// Number of vertices.
    fn num_vertices(&self) -> u32;

    /// Number of list entries over all vertices: an undirected edge counts twice, unless it is a loop.
    fn num_arcs(&self) -> u64;

    /// Cost of [`Adjacency::select`], as near as the layout knows without reading; the same whatever the threads.
    fn cost_of(&self, set: &VertexSet) -> IoCost;

    /// Cost of a sweep over all vertices.
    fn cost_of_sweep(&self) -> IoCost;

    /// True if a sweep shows first neighbours to a visitor without reading lists, so that it reads little
    /// ([`Visit::peek`]).
    fn shows_first_neighbours(&self) -> bool {
        false
    }

    /// The page in which the list of `vertex` begins; `None` where the list needs no page, fills more than one, or that
    /// is not known without reading.
    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        _ = vertex;
        None
    }

    /// Visits the list of every vertex of `set` once: deep queue, merged requests, all workers, about in the order of
    /// the disk.
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

/// A layout whose lists lie in pages, each of which is read and cached as a whole: for those who choose what lies
/// beside what, and what stays in memory. No model asks.
pub trait Pages: Adjacency {
    /// Number of pages.
    fn num_pages(&self) -> u32;

    /// The page in which the list of `vertex` begins; `None` where it has no list in a page, or one that is read apart
    /// from all others.
    fn page_of(&self, vertex: VertexId) -> Option<u32>;
}
