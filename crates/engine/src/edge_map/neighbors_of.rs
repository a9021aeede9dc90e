//! Vertices whose values depend on changed ones.

use super::program::{EdgeMap, EdgeMapOutput};
use super::runner::Engine;
use outcrop_types::{BitSet, Direction, Result, VertexId, VertexSet};

/// Fraction of the list entries, as a divisor, that may be read to find neighbors.
const SHARE: u64 = 8;

impl Engine<'_> {
    /// Returns the memory of a set of changed vertices, their neighbors, and bits of either, in bytes.
    pub const fn changed_bytes(vertices: u32) -> u64 {
        2 * VertexSet::bytes(vertices) + BitSet::bytes(vertices)
    }

    /// Returns the vertices with a neighbor in `set` over the open lists: those whose values change if they are
    /// functions of the values of neighbors. Returns all vertices if the lists of `set` have more than an eighth of the
    /// entries: then reading them costs more than it saves.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn neighbors_of(&self, set: &VertexSet) -> Result<VertexSet> {
        let all = || Ok(VertexSet::all(self.vertices()));
        if self.reads_everything() || set.len() as u64 > u64::from(self.vertices()) / 2 {
            return all();
        }
        let open = [Direction::Out, Direction::In].map(|direction| (direction, self.open_lists().of(direction)));
        let once = if self.undirected() { &open[..1] } else { &open };
        let lists = || once.iter().filter_map(|(direction, lists)| Some((*direction, (*lists)?)));
        let entries: u64 = lists().map(|(_, lists)| lists.cost_of(set).arcs).sum();
        if entries > lists().map(|(_, lists)| lists.num_arcs()).sum::<u64>() / SHARE {
            return all();
        }
        let found = Found(BitSet::empty(self.vertices()));
        for (direction, _) in lists() {
            let options = super::EdgeMapOptions { along: direction, large: 0, ..EdgeMapOutput::Nothing.into() };
            self.edge_map(set, &found, options)?;
        }
        Ok(VertexSet::from_bits(found.0))
    }
}

/// Marks targets.
struct Found(BitSet);

impl EdgeMap for Found {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.0.insert(target)
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        !self.0.contains(target)
    }
}
