//! Pages of lists on disk: for those who choose what lies beside what, and what stays in memory. No model asks.

use super::Adjacency;
use outcrop_types::VertexId;

/// A layout whose lists lie in pages, each of which is read and cached as a whole.
pub trait Pages: Adjacency {
    /// Number of pages.
    fn num_pages(&self) -> u32;

    /// The page in which the list of `vertex` begins; `None` where it has no list in a page, or one that is read apart from all others.
    fn page_of(&self, vertex: VertexId) -> Option<u32>;
}
