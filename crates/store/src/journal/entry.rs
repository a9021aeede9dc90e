//! The journal in the manifest.

use super::block::BlockKind;
use crate::component::StoreId;
use crate::writing::IdBatch;
use outcrop_types::{TimeRule, length_from};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Names of updates that are remembered: the newest.
const REMEMBERED: usize = 1000;
/// Edges of updates that are always kept, and the share of the graph's edges that are kept beside.
const ALWAYS_KEPT: u64 = 1 << 16;
const SHARE_KEPT: u64 = 4;

/// The journal of a store: which edges came and went, update by update, and when its edges were there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEntry {
    /// Identity of the graph over all stores that took each other's place: that of the first of them.
    pub lineage: String,
    /// Number of updates of the graph.
    pub generation: u64,
    /// Generation after which all that was updated is in the segments.
    pub complete_after: u64,
    /// Names of updates, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<NamedUpdate>,
    /// Rule of the times of edges, where they have times. Then all edges are in the segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<TimeRule>,
    /// The segments, the oldest first.
    pub segments: Vec<SegmentEntry>,
}

/// Name of an update that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedUpdate {
    /// Its name.
    pub name: String,
    /// The generation that it made.
    pub generation: u64,
}

/// A segment of a journal: what one update, or the build, was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentEntry {
    /// The generation that the update made; 0 for the build.
    pub generation: u64,
    /// Edges that were given to be added.
    pub added: u64,
    /// Edges that were given to be removed.
    pub removed: u64,
    /// Vertices that came in, of those that have ids of their own.
    pub vertices: u64,
    /// Blocks of the file.
    pub blocks: u64,
    /// Payload bytes of the blocks.
    pub bytes: u64,
    /// Hash of the records of the index and of the blocks, which is the same in every store that has the segment.
    pub digest: u64,
    /// The least and the greatest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<(i64, i64)>,
}

impl SegmentEntry {
    /// The components of the segment: its blocks, and their index.
    pub fn file_names(&self) -> [String; 2] {
        let blocks = format!("journal-{:04}", self.generation);
        let index = format!("{blocks}.index");
        [blocks, index]
    }

    /// Counts what a block, or a part of one, tells of.
    pub(super) fn count(&mut self, kind: BlockKind, ids: &IdBatch, times: &[i64]) {
        let counted = match kind {
            BlockKind::Added => &mut self.added,
            BlockKind::Removed => &mut self.removed,
            BlockKind::Vertices => &mut self.vertices,
        };
        *counted += length_from(ids.len() / kind.ends());
        for time in times {
            let (first, last) = self.times.unwrap_or((*time, *time));
            self.times = Some((first.min(*time), last.max(*time)));
        }
    }

    const fn edges(&self) -> u64 {
        self.added.saturating_add(self.removed)
    }
}

impl JournalEntry {
    /// The journal of a graph that was built, and of which nothing is known but its `lineage` and the number of its updates.
    pub fn new(lineage: &str, generation: u64) -> Self {
        let (named, segments) = (Vec::new(), Vec::new());
        Self { lineage: lineage.to_owned(), generation, complete_after: generation, named, times: None, segments }
    }

    /// The generation that the update called `name` made.
    pub fn made_by(&self, name: &str) -> Option<u64> {
        self.named.iter().rev().find(|update| update.name == name).map(|update| update.generation)
    }

    /// Takes in the next generation, with the segment that it left, of a graph of `edges`; the segments that are kept no longer.
    pub(crate) fn push(&mut self, name: Option<&str>, segment: SegmentEntry, edges: u64) -> Vec<SegmentEntry> {
        self.generation = segment.generation;
        if let Some(name) = name {
            self.named.push(NamedUpdate { name: name.to_owned(), generation: segment.generation });
            self.named.drain(..self.named.len().saturating_sub(REMEMBERED));
        }
        self.segments.push(segment);
        let mut dropped = Vec::new();
        while self.times.is_none()
            && self.segments.iter().map(SegmentEntry::edges).sum::<u64>() > ALWAYS_KEPT.max(edges / SHARE_KEPT)
        {
            let oldest = self.segments.remove(0);
            self.complete_after = oldest.generation;
            dropped.push(oldest);
        }
        dropped
    }

    /// The least and the greatest time of all edges.
    pub fn span(&self) -> Option<(i64, i64)> {
        let times = self.segments.iter().filter_map(|segment| segment.times);
        times.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
    }

    /// Refuses figures that contradict each other; `journals` are the names of the files of segments.
    pub(crate) fn validate<'n>(&self, journals: impl Iterator<Item = &'n str>) -> Result<(), String> {
        let ascend = self.segments.is_sorted_by(|one, other| one.generation < other.generation);
        let known = |segment: &SegmentEntry| segment.generation <= self.generation;
        let complete = |segment: &&SegmentEntry| segment.generation > 0 && segment.generation <= self.complete_after;
        let named = self.named.iter().all(|update| update.generation <= self.generation);
        let timed = |segment: &SegmentEntry| {
            let ordered = segment.times.is_none_or(|(first, last)| first <= last);
            ordered && segment.times.is_some() == (self.times.is_some() && segment.added > 0)
        };
        let right = StoreId::from_hex(&self.lineage).is_some()
            && self.complete_after <= self.generation
            && ascend
            && named
            && self.segments.iter().all(|segment| known(segment) && timed(segment))
            && !self.segments.iter().any(|segment| complete(&segment));
        if !right {
            return Err("the figures of its journal contradict each other".to_owned());
        }
        let expected: BTreeSet<String> = self.segments.iter().flat_map(SegmentEntry::file_names).collect();
        let found: BTreeSet<String> = journals.map(str::to_owned).collect();
        match expected.symmetric_difference(&found).next() {
            Some(name) => Err(format!("its journal and its files do not agree on {name}")),
            None => Ok(()),
        }
    }
}

/// True if a file is called as segments of journals are.
pub(crate) fn is_journal_name(name: &str) -> bool {
    let number = name.strip_prefix("journal-").map(|number| number.strip_suffix(".index").unwrap_or(number));
    number.is_some_and(|number| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}
