//! Lists of the current level: of the store, or of a graph of groups.

use super::buffer::Buffer;
use super::group_lists::GroupLists;
use super::lists::{LoadLists, VisitLists, visit};
use super::store_lists::StoreLists;
use outcrop_engine::Engine;
use outcrop_io::SpillFolder;
use outcrop_store::ArcSums;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexValues};

/// Share of the memory for lists that sorts the edges between groups: a quarter.
const SORT_SHARE: u64 = 4;

/// Lists of all levels.
pub(super) struct Levels<'r, 'g> {
    engine: &'r Engine<'g>,
    folder: &'r SpillFolder,
    store: StoreLists<'r, 'g>,
    /// True if edges have weights.
    weighted: bool,
    groups: GroupLists,
    /// Number of graphs of groups so far.
    depth: u32,
    buffer: Buffer,
    sort_bytes: u64,
}

impl<'r, 'g> Levels<'r, 'g> {
    /// Returns the memory for `vertices` vertices, without degrees and lists.
    pub(super) fn memory(vertices: u32) -> MemoryPlan {
        let lengths = VertexValues::<u32>::bytes(vertices.into());
        MemoryPlan::new().with(Purpose::VertexValues, lengths).with(Purpose::SortSpace, ArcSums::LEAST_BYTES)
    }

    /// Creates the lists of `sides` with `held` bytes for lists in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn new(
        engine: &'r Engine<'g>,
        folder: &'r SpillFolder,
        sides: Vec<(Direction, VertexValues<u32>)>,
        weighted: bool,
        held: u64,
    ) -> Result<Self> {
        let store = StoreLists::new(engine, sides);
        // With the minimum, the plan has the sort space apart.
        let sort_bytes = (held / SORT_SHARE).max(ArcSums::LEAST_BYTES);
        let more = sort_bytes - ArcSums::LEAST_BYTES;
        let buffer = Buffer::new(engine.budget(), held - more, engine.vertices(), store.all_entries(), weighted)?;
        let groups = GroupLists::new(engine.vertex_values(|_| 0)?);
        Ok(Self { engine, folder, store, weighted, groups, depth: 0, buffer, sort_bytes })
    }

    /// Returns the lists of the store.
    pub(super) const fn store(&self) -> &StoreLists<'r, 'g> {
        &self.store
    }

    /// Returns the number of graphs of groups so far.
    pub(super) const fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns how often a loop counts per entry, if the lists have loops.
    pub(super) fn loops(&self) -> Option<f64> {
        (self.depth == 0).then(|| self.store.loop_factor())
    }

    /// Visits the lists of the vertices of `set`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`visit`].
    pub(super) fn visit(&mut self, set: &BitSet, visitor: &mut impl VisitLists) -> Result<()> {
        let cancellation = self.engine.workers().cancellation();
        match self.depth {
            0 => visit(&self.store, set, &mut self.buffer, cancellation, visitor),
            _ => visit(&self.groups, set, &mut self.buffer, cancellation, visitor),
        }
    }

    /// Visits all lists.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`visit`].
    pub(super) fn visit_all(&mut self, visitor: &mut impl VisitLists) -> Result<()> {
        let vertices = if self.depth == 0 { self.store.vertices() } else { self.groups.vertices() };
        self.visit(&BitSet::full(vertices), visitor)
    }

    /// Creates a sorter of edges between groups.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn sums(&self) -> Result<ArcSums> {
        let cancellation = self.engine.workers().cancellation();
        ArcSums::new(self.folder, self.sort_bytes, self.engine.budget(), cancellation)
    }

    /// Goes on to the graph of `groups` groups with the edges `sums`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`GroupLists::replace`].
    pub(super) fn descend(&mut self, groups: u32, sums: ArcSums) -> Result<()> {
        self.depth += 1;
        self.groups.replace(groups, sums, &mut self.buffer, self.engine.budget(), self.folder)
    }

    /// Returns to the graph of the store.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn ascend(&mut self) -> Result<()> {
        self.depth = 0;
        self.buffer.reset(self.engine.budget(), self.engine.vertices(), self.store.all_entries(), self.weighted)
    }
}
