//! Levels of pending changes. A newer level replaces the changes of a neighbor in all older ones; levels are merged by
//! size, as in a log-structured merge tree (O'Neil et al., Acta Informatica 33, 1996).

use super::changes::{ChangeCounts, ChangedVertex, ChangesBuilder, EdgeChange, EdgeChanges};
use super::entry::{ChangedLists, MOST_LEVELS};
use super::level::LevelReader;
use crate::component::PAYLOAD_BYTES;
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexValues,
    index_from, length_from,
};

use std::path::PathBuf;

/// Minimum ratio of the sizes of a level and the next newer one.
const RATIO: u64 = 4;
/// Number of changes between two checks for cancellation.
const CHECKED: u32 = 1 << 16;

/// Returns the number of the oldest levels that stay as they are, given the changes of each of them; all newer ones are
/// merged with the `changes` of an update.
pub(super) fn levels_to_keep(levels: &[ChangeCounts], changes: ChangeCounts) -> usize {
    let (mut kept, mut merged) = (levels.len(), changes.bytes());
    while let Some(newest) = levels[..kept].last()
        && (kept >= MOST_LEVELS || newest.bytes() < (RATIO * merged).max(length_from(PAYLOAD_BYTES)))
    {
        merged += newest.bytes();
        kept -= 1;
    }
    kept
}

/// Changes of the lists of one direction, read from some adjacent levels.
pub(super) struct Levels<'b> {
    /// Levels in files, oldest first.
    files: Vec<LevelReader>,
    /// Newest level, in memory.
    newest: &'b [EdgeChange],
    /// True if there are no older levels.
    lowest: bool,
    lists: ChangedLists,
    /// Folder of the store, for messages.
    folder: PathBuf,
}

impl<'b> Levels<'b> {
    /// Opens the changes of the lists of `direction`, without the `skipped` oldest levels and with a `newest` one;
    /// returns `None` if the store has none. Reads with [`crate::component::Component::READER_BYTES`], which the caller
    /// reserves.
    ///
    /// # Errors
    ///
    /// Returns an error if a component is missing or damaged, or if its length differs from that in the manifest.
    pub(super) fn open(
        store: &Store,
        direction: Direction,
        io: IoChoice,
        skipped: usize,
        newest: &'b [EdgeChange],
    ) -> Result<Option<Self>> {
        let (manifest, direction) = (store.manifest(), store.stored(direction));
        let Some(entry) = &manifest.changes.updates else { return Ok(None) };
        let Some(lists) = entry.lists(direction).copied() else { return Ok(None) };
        let mut files = Vec::new();
        for (place, level) in entry.levels().iter().enumerate().skip(skipped) {
            let component = store.component(&level.file_name(direction), io)?;
            files.push(LevelReader::open(&component, level.counts(direction), manifest, place == 0)?);
        }
        Ok(Some(Self { files, newest, lowest: skipped == 0, lists, folder: store.folder().to_owned() }))
    }

    /// Passes the changes to `take`, in the order of vertex and neighbor, removals first.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is damaged or cannot be read, if the run is interrupted, or the error of `take`.
    pub(super) fn for_each(
        &mut self,
        cancellation: &Cancellation,
        mut take: impl FnMut(&EdgeChange) -> Result<()>,
    ) -> Result<()> {
        let mut until_check = 0;
        while let Some(key) = self.next_key() {
            if until_check == 0 {
                cancellation.check()?;
                until_check = CHECKED;
            }
            until_check -= 1;
            self.take_newest(key, &mut take)?;
        }
        Ok(())
    }

    fn next_key(&self) -> Option<(VertexId, VertexId)> {
        let files = self.files.iter().filter_map(LevelReader::current);
        files.chain(self.newest.first().copied()).map(|change| change.key()).min()
    }

    /// Takes the changes of a vertex and neighbor from the newest level that has any, and skips those of the others.
    fn take_newest(
        &mut self,
        key: (VertexId, VertexId),
        take: &mut impl FnMut(&EdgeChange) -> Result<()>,
    ) -> Result<()> {
        let own = self.newest.iter().take_while(|change| change.key() == key).count();
        let (now, later) = self.newest.split_at(own);
        self.newest = later;
        let mut found = own > 0;
        let mut pass = |change: &EdgeChange| if self.lowest && change.is_reset() { Ok(()) } else { take(change) };
        now.iter().try_for_each(&mut pass)?;
        for level in self.files.iter_mut().rev() {
            let hidden = found;
            while let Some(change) = level.current().filter(|change| change.key() == key) {
                found = true;
                if !hidden {
                    pass(&change)?;
                }
                level.advance()?;
            }
        }
        Ok(())
    }

    /// Passes each vertex whose list changes to `take`, in ascending order.
    fn for_each_vertex(&mut self, cancellation: &Cancellation, mut take: impl FnMut(&ChangedVertex)) -> Result<()> {
        let mut list: Option<ChangedVertex> = None;
        self.for_each(cancellation, |change| {
            let next = list.filter(|list| list.vertex == change.vertex);
            if next.is_none() {
                list.iter().for_each(&mut take);
            }
            list.insert(next.unwrap_or(ChangedVertex::of(change.vertex))).count(change.change);
            Ok(())
        })?;
        list.iter().for_each(take);
        Ok(())
    }

    /// Loads all changes.
    fn load(mut self, store: &Store, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<EdgeChanges> {
        let graph = &store.manifest().graph;
        let mut built = ChangesBuilder::new(graph.vertices, graph.weighted, self.lists.counts(), budget)?;
        self.for_each(cancellation, |change| {
            built.push(change);
            Ok(())
        })?;
        let changes = built.finish().filter(|changes| changes.arcs().0 == self.lists.removed_arcs);
        changes.ok_or_else(|| self.damaged())
    }

    fn damaged(&self) -> Error {
        Error::corrupt(&self.folder, "its pending changes are not those of its manifest")
    }
}

/// Returns the memory for the changes of the lists of `direction`: the changes, and the part that a reader of degrees
/// uses.
pub(crate) fn updates_memory(store: &Store, direction: Direction) -> MemoryPlan {
    let manifest = store.manifest();
    let lists = manifest.changes.updates.as_ref().and_then(|entry| entry.lists(store.stored(direction)));
    lists.map_or_else(MemoryPlan::new, |lists| {
        let changes = EdgeChanges::bytes(manifest.graph.vertices, manifest.graph.weighted, lists.counts());
        MemoryPlan::new().with(Purpose::Updates, changes + ChangedDegrees::bytes(lists))
    })
}

/// Returns the memory of a reader of the degrees of `direction` for their changes.
pub fn degrees_memory(store: &Store, direction: Direction) -> MemoryPlan {
    let lists = store.manifest().changes.updates.as_ref().and_then(|entry| entry.lists(store.stored(direction)));
    let bytes = lists.map(ChangedDegrees::bytes);
    bytes.map_or_else(MemoryPlan::new, |bytes| MemoryPlan::new().with(Purpose::Updates, bytes))
}

/// Loads the changes of the lists of `direction`, if there are any; reads with
/// [`crate::component::Component::READER_BYTES`], which the caller reserves.
///
/// # Errors
///
/// Returns an error if the budget is too small, if a file is damaged or cannot be read, or if the run is interrupted.
pub(crate) fn load_changes(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<Option<EdgeChanges>> {
    let levels = Levels::open(store, direction, io, 0, &[])?;
    let loaded = levels.map(|levels| levels.load(store, budget, cancellation)).transpose();
    loaded.map_err(|error| error.hinting(Some(MERGE_HINT)))
}

/// Advice if changes do not fit in memory.
pub const MERGE_HINT: &str = "`outcrop update STORE --merge` merges pending updates, which then need no memory";

/// Changes of degrees, in memory: 16 bytes per vertex with a changed list.
pub(crate) struct ChangedDegrees(VertexValues<ChangedVertex>);

impl ChangedDegrees {
    fn bytes(lists: &ChangedLists) -> u64 {
        VertexValues::<ChangedVertex>::bytes(u64::from(lists.changed))
    }

    /// Loads the changed degrees of `direction`; returns `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`load_changes`].
    pub(crate) fn load(
        store: &Store,
        direction: Direction,
        io: IoChoice,
        budget: &MemoryBudget,
    ) -> Result<Option<Self>> {
        let Some(mut levels) = Levels::open(store, direction, io, 0, &[])? else { return Ok(None) };
        let length = index_from(u64::from(levels.lists.changed));
        let mut held = VertexValues::new(budget, Purpose::Updates, length, |_| ChangedVertex::default())?;
        let (mut slots, mut missing) = (held.iter_mut(), 0_u64);
        levels.for_each_vertex(&Cancellation::new(), |changed| match slots.next() {
            Some(slot) => *slot = *changed,
            None => missing += 1,
        })?;
        if slots.next().is_some() || missing > 0 {
            return Err(levels.damaged());
        }
        Ok(Some(Self(held)))
    }

    /// Updates `degrees`, which are those of the vertices of `range`.
    pub(crate) fn apply(&self, range: VertexRange, degrees: &mut [u32]) {
        let first = self.0.partition_point(|changed| changed.vertex < range.start);
        let rest = &self.0[first..];
        for changed in rest.iter().take_while(|changed| changed.vertex < range.end) {
            change(changed, range.start, degrees);
        }
    }
}

/// Updates the degrees of all vertices; reads with [`crate::component::Component::READER_BYTES`], which the caller
/// reserves.
///
/// # Errors
///
/// Returns an error if a file is damaged or cannot be read, or if the run is interrupted.
pub(crate) fn change_degrees(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    degrees: &mut [u32],
    cancellation: &Cancellation,
) -> Result<()> {
    let Some(mut levels) = Levels::open(store, direction, io, 0, &[])? else { return Ok(()) };
    levels.for_each_vertex(cancellation, |changed| change(changed, 0, degrees))
}

fn change(changed: &ChangedVertex, first: VertexId, degrees: &mut [u32]) {
    if let Some(degree) = degrees.get_mut(index_from(u64::from(changed.vertex - first))) {
        *degree = changed.degree(*degree);
    }
}
