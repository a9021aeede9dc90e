//! Parts that gathers, propagations and updates share where values are on disk.

use super::degrees::Degrees;
use super::engine::IntervalEngine;
use super::subgraph::IntervalLists;
use outcrop_types::{Direction, Error, Result, VertexId, VertexRange, length_from};

/// Vertices whose sums of a pass are taken together, whatever the threads, the windows or the place of values.
pub(super) const BLOCK: u32 = 1 << 13;

impl IntervalEngine<'_> {
    /// Vertices whose values of `T` fill a window: at least a block.
    pub(super) fn window_length<T>(&self) -> u32 {
        self.stretch_length(self.window_bytes, size_of::<T>())
    }

    /// Vertices of which so many bytes each take `memory`, in whole blocks.
    pub(super) fn stretch_length(&self, memory: u64, vertex_bytes: usize) -> u32 {
        let fitting = memory / length_from(vertex_bytes).max(1);
        (u32::try_from(fitting).unwrap_or(u32::MAX) / BLOCK * BLOCK).max(BLOCK)
    }

    /// Loads the lists of an interval in `direction` into memory that the engine holds.
    pub(super) fn construct(
        &self,
        direction: Direction,
        interval: VertexRange,
        wants: impl Fn(VertexId) -> bool + Sync,
    ) -> Result<IntervalLists> {
        let (lists, undirected) = (self.lists(direction)?, self.undirected());
        let construct = |degrees: &mut dyn Degrees| {
            IntervalLists::construct(lists, degrees, interval, self.setup.demand.weighted, &wants)
        };
        self.note_values((interval.len() as u64 * 4, 0));
        self.setup.degrees.with_reader(direction, undirected, construct)
    }

    /// Refuses what the engine was not made for: an interval must hold the lists of `directions`, and of each vertex `copy_bytes`.
    pub(super) fn prepared(&self, directions: &[Direction], copy_bytes: usize) -> Result<()> {
        let held = |direction| match self.undirected() {
            true => !self.constructed.is_empty(),
            false => self.constructed.contains(direction),
        };
        if directions.iter().all(held) && copy_bytes as u64 <= self.setup.demand.copy_bytes {
            return Ok(());
        }
        Err(Error::Usage("the engine was made with less memory an interval than this takes".to_owned()))
    }
}
