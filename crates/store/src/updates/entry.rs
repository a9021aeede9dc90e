//! Updates entry in the manifest.

use super::changes::{ChangeCounts, ChangedVertex, EdgeChange, EdgeChanges};
use crate::journal::is_journal_name;
use outcrop_types::{Direction, EdgeIndex, number_from};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Maximum number of levels.
pub(super) const MOST_LEVELS: usize = 8;

/// Pending changes of the lists of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdatesEntry {
    /// Number of updates since the lists were written, including this one: part of the names of its files.
    pub generation: u64,
    /// Stored directions with changed lists: the changes of all levels together.
    pub lists: Vec<ChangedLists>,
    /// Levels of changes, oldest first; absent before version 12, and if there is only that of this generation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) levels: Vec<LevelEntry>,
    /// Vertices without a list in the files; absent before version 11, and without such vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) new_vertices: Option<NewVerticesEntry>,
}

/// Level of changes: one file per stored direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LevelEntry {
    /// Update that wrote the level: part of the names of its files.
    pub(crate) generation: u64,
    /// Numbers of changes of each stored direction.
    pub(crate) lists: Vec<ChangeCounts>,
}

impl LevelEntry {
    /// Returns the name of the component with the changes of the lists of `direction`.
    pub(crate) fn file_name(&self, direction: Direction) -> String {
        format!("{}.updates-{:04}", direction.name(), self.generation)
    }

    /// Returns the changes of the lists of a stored `direction`: out-lists come first.
    pub(super) fn counts(&self, direction: Direction) -> ChangeCounts {
        let place = usize::from(direction == Direction::In);
        // Default: the manifest was validated, so the level has all stored directions.
        self.lists.get(place).copied().unwrap_or_default()
    }
}

/// Vertices that pending updates added. They have the numbers after those with lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewVerticesEntry {
    /// Number of new vertices.
    pub(crate) count: u32,
    /// Bytes of their IDs, if these are strings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text_bytes: Option<u64>,
    /// True if their IDs follow those of the vertices with lists, in the order of their numbers.
    pub(crate) appended: bool,
}

/// Numbers of changes of the lists of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedLists {
    /// Direction of the lists.
    pub direction: Direction,
    /// Number of vertices with changed lists.
    pub changed: u32,
    /// Number of removed neighbors, not counting multiplicity.
    pub removed: u32,
    /// Number of added entries.
    pub added: u32,
    /// Number of removed entries.
    pub removed_arcs: EdgeIndex,
}

impl ChangedLists {
    /// Returns the numbers of no changes.
    pub(super) const fn none(direction: Direction) -> Self {
        Self { direction, changed: 0, removed: 0, added: 0, removed_arcs: 0 }
    }

    /// Returns the counts that determine memory.
    pub(crate) const fn counts(&self) -> ChangeCounts {
        ChangeCounts { changed: self.changed, removed: self.removed, added: self.added }
    }

    /// Returns the number of entries of all lists, given the number `written` in the files of the lists.
    pub(crate) const fn arcs(&self, written: EdgeIndex) -> EdgeIndex {
        written.saturating_sub(self.removed_arcs).saturating_add(self.added as u64)
    }

    /// Returns the numbers of the changes `before` after those of `level` replaced some of them.
    pub(super) fn after(self, level: &[EdgeChange], before: Option<&EdgeChanges>) -> Self {
        let mut all = self;
        for changes in level.chunk_by(|one, other| one.vertex == other.vertex) {
            let old = before.and_then(|before| before.of(changes[0].vertex));
            let (mut own, mut hidden) = (ChangedVertex::of(changes[0].vertex), ChangedVertex::of(changes[0].vertex));
            for group in changes.chunk_by(|one, other| one.key() == other.key()) {
                group.iter().filter(|change| !change.is_reset()).for_each(|change| own.count(change.change));
                let replaced = old.into_iter().flat_map(|old| old.of_neighbor(group[0].neighbor).changes(own.vertex));
                replaced.for_each(|change| hidden.count(change.change));
            }
            let (count, gone) = (own.removed + own.added, hidden.removed + hidden.added);
            let had = old.map_or(0, |old| number_from(old.len()));
            all.changed =
                all.changed + u32::from(had == 0 && count > 0) - u32::from(had > 0 && had - gone + count == 0);
            all.removed = all.removed - hidden.removed + own.removed;
            all.added = all.added - hidden.added + own.added;
            all.removed_arcs = all.removed_arcs - u64::from(hidden.removed_arcs) + u64::from(own.removed_arcs);
        }
        all
    }

    fn plausible(&self, vertices: u32, written: EdgeIndex) -> bool {
        self.counts().plausible(vertices)
            && u64::from(self.removed) <= self.removed_arcs
            && self.removed_arcs <= written
    }
}

impl UpdatesEntry {
    /// Returns all levels, oldest first.
    pub(crate) fn levels(&self) -> Cow<'_, [LevelEntry]> {
        if !self.levels.is_empty() {
            return Cow::Borrowed(&self.levels);
        }
        let lists = self.lists.iter().map(ChangedLists::counts).collect();
        Cow::Owned(vec![LevelEntry { generation: self.generation, lists }])
    }

    /// Returns the name of the component with the IDs of the new vertices.
    pub(crate) fn ids_name(&self) -> String {
        format!("ids.updates-{:04}", self.generation)
    }

    /// Returns the names of all components, in a store whose IDs are `dense` or not.
    pub(crate) fn file_names(&self, dense: bool) -> impl Iterator<Item = String> {
        let ids = self.new_vertices.filter(|_| !dense).map(|_| self.ids_name());
        let names =
            |level: &LevelEntry| self.lists.iter().map(|lists| level.file_name(lists.direction)).collect::<Vec<_>>();
        self.levels().iter().flat_map(names).chain(ids).collect::<Vec<_>>().into_iter()
    }

    /// Returns the changes of the lists of a stored `direction`.
    pub(crate) fn lists(&self, direction: Direction) -> Option<&ChangedLists> {
        self.lists.iter().find(|lists| lists.direction == direction)
    }

    /// Refuses inconsistent counts; `written` returns the number of entries in the files of a direction.
    pub(crate) fn validate(
        &self,
        vertices: u32,
        text_ids: bool,
        directed: bool,
        written: impl Fn(Direction) -> Option<EdgeIndex>,
    ) -> Result<(), String> {
        let directions: Vec<Direction> = self.lists.iter().map(|lists| lists.direction).collect();
        let expected: &[Direction] = if directed { &[Direction::Out, Direction::In] } else { &[Direction::Out] };
        let plausible =
            |lists: &ChangedLists| written(lists.direction).is_some_and(|written| lists.plausible(vertices, written));
        let arcs = self.lists.iter().map(|lists| written(lists.direction).map(|written| lists.arcs(written)));
        let mut arcs: Vec<_> = arcs.collect();
        arcs.dedup();
        let new = self
            .new_vertices
            .is_none_or(|new| new.count > 0 && new.count <= vertices && new.text_bytes.is_some() == text_ids);
        let right =
            self.generation > 0 && directions == expected && self.lists.iter().all(plausible) && arcs.len() == 1 && new;
        let right = right && self.levels_plausible(vertices);
        if right { Ok(()) } else { Err("the numbers of its updates are inconsistent".to_owned()) }
    }
}

impl UpdatesEntry {
    fn levels_plausible(&self, vertices: u32) -> bool {
        let levels = self.levels();
        let ascending = levels.is_sorted_by(|one, other| one.generation < other.generation)
            && levels.first().is_some_and(|first| first.generation > 0)
            && levels.last().is_some_and(|last| last.generation == self.generation);
        let counts = |level: &LevelEntry| {
            let possible = level.lists.iter().all(|counts| counts.plausible(vertices));
            possible && level.lists.len() == self.lists.len()
        };
        ascending && levels.len() <= MOST_LEVELS && levels.iter().all(counts)
    }
}

/// Name of the manifest while an update writes it.
pub(crate) const DRAFT_NAME: &str = "manifest.json.new";

/// Returns true if an unlisted file with this name may be a leftover of a killed update.
pub(crate) fn is_left_over(name: &str) -> bool {
    name == DRAFT_NAME || is_update_name(name) || is_journal_name(name)
}

/// Returns true for the names of files of pending updates, of any generation.
pub(crate) fn is_update_name(name: &str) -> bool {
    let mark = ["out.", "in.", "ids."].iter().find_map(|part| name.strip_prefix(part)?.strip_prefix("updates-"));
    mark.is_some_and(|mark| mark.len() >= 4 && mark.bytes().all(|byte| byte.is_ascii_digit()))
}
