//! Updates entry in the manifest.

use super::changes::ChangeCounts;
use crate::journal::is_journal_name;
use outcrop_types::{Direction, EdgeIndex};
use serde::{Deserialize, Serialize};

/// Pending changes of the lists of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdatesEntry {
    /// Number of updates since the lists were written, including this one: part of the names of its files.
    pub generation: u64,
    /// Stored directions with changed lists.
    pub lists: Vec<ChangedLists>,
    /// Vertices without a list in the files; absent before version 11, and without such vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) new_vertices: Option<NewVerticesEntry>,
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
    /// Returns the counts that determine memory.
    pub(crate) const fn counts(&self) -> ChangeCounts {
        ChangeCounts { changed: self.changed, removed: self.removed, added: self.added }
    }

    /// Returns the number of entries of all lists, given the number `written` in the files of the lists.
    pub(crate) const fn arcs(&self, written: EdgeIndex) -> EdgeIndex {
        written.saturating_sub(self.removed_arcs).saturating_add(self.added as u64)
    }

    fn plausible(&self, vertices: u32, written: EdgeIndex) -> bool {
        let changes = u64::from(self.removed) + u64::from(self.added);
        self.changed <= vertices
            && u64::from(self.changed) <= changes
            && (self.changed > 0 || changes == 0)
            && u64::from(self.removed) <= self.removed_arcs
            && self.removed_arcs <= written
    }
}

impl UpdatesEntry {
    /// Returns the name of the component with the changes of the lists of `direction`.
    pub(crate) fn file_name(&self, direction: Direction) -> String {
        format!("{}.updates-{:04}", direction.name(), self.generation)
    }

    /// Returns the name of the component with the IDs of the new vertices.
    pub(crate) fn ids_name(&self) -> String {
        format!("ids.updates-{:04}", self.generation)
    }

    /// Returns the names of all components, in a store whose IDs are `dense` or not.
    pub(crate) fn file_names(&self, dense: bool) -> impl Iterator<Item = String> {
        let ids = self.new_vertices.filter(|_| !dense).map(|_| self.ids_name());
        self.lists.iter().map(|lists| self.file_name(lists.direction)).chain(ids)
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
        if right { Ok(()) } else { Err("the numbers of its updates are inconsistent".to_owned()) }
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
