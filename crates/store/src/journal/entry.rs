//! Journal entry in the manifest.

use super::block::{BlockKind, BlockRecord, OldRecord};
use crate::component::{FileEntry, StoreId, UNIT_BYTES, units_for};
use crate::identity::Head;
use crate::writing::IdBatch;
use outcrop_types::{TimeRule, length_from};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of remembered update names: the newest.
const REMEMBERED: usize = 1000;
/// Number of updated edges that is always kept, in addition to the share of the graph's edges.
const ALWAYS_KEPT: u64 = 1 << 16;
const SHARE_KEPT: u64 = 4;
/// A segment with more than this fraction (as a divisor) of all kept edges is not merged with others, so that old
/// updates are dropped in small parts.
const LARGEST_SHARE: u64 = 8;
/// Exclusive upper bound of the numbers of edges, blocks and bytes of a journal, so that sums and products fit in 64
/// bits.
const MOST: u64 = 1 << 50;

/// Journal of a store: the edges added and removed by each update, and the times of edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEntry {
    /// Identity of the graph in all stores that replaced each other: that of the first.
    pub lineage: String,
    /// Number of updates of the graph.
    pub generation: u64,
    /// Generation after which all updates are in the segments.
    pub complete_after: u64,
    /// Hash of all updates up to `complete_after`; not written before version 10, and then taken from the manifest.
    #[serde(default)]
    pub base: Head,
    /// Hash of all updates.
    #[serde(default)]
    pub head: Head,
    /// Names of updates, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<NamedUpdate>,
    /// Rule of the times, if edges have times. Then all edges are in the segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<TimeRule>,
    /// Segments, the oldest first.
    pub segments: Vec<SegmentEntry>,
}

/// Name of an applied update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedUpdate {
    /// Name.
    pub name: String,
    /// Generation produced by the update.
    pub generation: u64,
}

/// Segment of a journal: the input of consecutive updates, or of the build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentEntry {
    /// Generation produced by the first of the updates, or 0 for the build; `None` in segments of version 9, which
    /// contain one update and have records without generations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Generation produced by the last of the updates; 0 for the build.
    pub generation: u64,
    /// Number of edges to be added.
    pub added: u64,
    /// Number of edges to be removed.
    pub removed: u64,
    /// Number of inserted vertices, in graphs with explicit IDs.
    pub vertices: u64,
    /// Number of index records: one per block, and one for the end of each update.
    pub blocks: u64,
    /// Payload bytes of the blocks.
    pub bytes: u64,
    /// Hash of all updates of the graph up to the last of the segment; `None` in segments of version 9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// Hash of the index records and of the blocks, in segments of version 9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<u64>,
    /// Minimum and maximum time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<(i64, i64)>,
}

impl SegmentEntry {
    /// Returns the components of the segment: its blocks, and their index.
    pub(crate) fn file_names(&self) -> [String; 2] {
        let last = self.generation;
        let blocks =
            self.first.map_or_else(|| format!("journal-{last:04}"), |first| format!("journal-{first:04}-{last:04}"));
        let index = format!("{blocks}.index");
        [blocks, index]
    }

    /// Adds the content of a block, or a part of one, to the counts.
    pub(super) fn count(&mut self, kind: BlockKind, ids: &IdBatch, times: &[i64]) {
        let counted = match kind {
            BlockKind::Added => &mut self.added,
            BlockKind::Removed => &mut self.removed,
            BlockKind::Vertices => &mut self.vertices,
            BlockKind::Update => return,
        };
        *counted += length_from(ids.len() / kind.ends());
        for time in times {
            let (first, last) = self.times.unwrap_or((*time, *time));
            self.times = Some((first.min(*time), last.max(*time)));
        }
    }

    /// Adds the counts of another segment, whose blocks are appended.
    pub(super) fn append(&mut self, other: &Self) {
        self.added += other.added;
        self.removed += other.removed;
        self.vertices += other.vertices;
        let both = self.times.into_iter().chain(other.times);
        self.times = both.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)));
    }

    const fn edges(&self) -> u64 {
        self.added.saturating_add(self.removed)
    }

    /// Returns the size that determines merges: the number of edges, or of updates if larger.
    pub(super) fn weight(&self) -> u64 {
        let updates = self.generation.saturating_sub(self.first.unwrap_or(self.generation)) + 1;
        self.edges().saturating_add(self.vertices).max(updates)
    }

    /// Returns the head after the last of its updates, given the head `before` the first.
    pub(super) fn head_after(&self, before: Head) -> Head {
        let of_version_9 =
            || self.digest.filter(|_| self.generation > 0).map(|digest| before.after(self.generation, digest));
        self.head.or_else(of_version_9).unwrap_or(before)
    }

    /// Returns the number of bytes of an index record.
    pub(super) const fn record_bytes(&self) -> usize {
        if self.first.is_some() { size_of::<BlockRecord>() } else { size_of::<OldRecord>() }
    }

    /// Returns the lengths of its files.
    fn file_bytes(&self) -> [u64; 2] {
        let index = self.blocks.saturating_mul(length_from(self.record_bytes()));
        [self.bytes, index].map(|bytes| units_for(bytes).saturating_mul(length_from(UNIT_BYTES)))
    }

    /// Returns true if the counts are consistent.
    fn is_plausible(&self, timed: bool) -> bool {
        let figures = [self.generation, self.added, self.removed, self.vertices, self.blocks, self.bytes];
        figures.iter().all(|figure| *figure < MOST)
            && self.first.is_none_or(|first| first <= self.generation)
            && self.first.is_some() == self.head.is_some()
            && self.first.is_none() == self.digest.is_some()
            && self.times.is_none_or(|(first, last)| first <= last)
            && self.times.is_some() == (timed && self.added > 0)
    }
}

impl JournalEntry {
    /// Creates the journal of a graph of which only the `lineage`, the number of updates and their `head` are known.
    pub(crate) fn new(lineage: &str, generation: u64, head: Head) -> Self {
        let (lineage, named, segments) = (lineage.to_owned(), Vec::new(), Vec::new());
        Self { lineage, generation, complete_after: generation, base: head, head, named, times: None, segments }
    }

    /// Creates the journal of a graph that is built as the store `id`.
    pub(crate) fn built(id: StoreId) -> Self {
        Self::new(&id.to_hex(), 0, Head::start(&id.to_hex()))
    }

    /// Returns the generation that the update `name` produced.
    pub fn made_by(&self, name: &str) -> Option<u64> {
        self.named.iter().rev().find(|update| update.name == name).map(|update| update.generation)
    }

    /// Remembers the name of the update that produced the newest generation.
    pub(super) fn remember(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.named.push(NamedUpdate { name: name.to_owned(), generation: self.generation });
            self.named.drain(..self.named.len().saturating_sub(REMEMBERED));
        }
    }

    /// Returns the maximum weight of kept updates of a graph of `edges` edges without times.
    pub(super) fn room(edges: u64) -> u64 {
        ALWAYS_KEPT.max(edges / SHARE_KEPT)
    }

    /// Drops the oldest segments that exceed the room left by an update of `weight`; keeps all segments of a graph with
    /// times.
    pub(super) fn forget(&mut self, weight: u64, edges: u64) {
        let room = Self::room(edges);
        let mut total = self.segments.iter().fold(weight, |sum, segment| sum.saturating_add(segment.weight()));
        let heads: Vec<Head> = self.heads().collect();
        let mut surplus = 0;
        for (segment, head) in self.segments.iter().zip(heads) {
            if self.times.is_some() || total <= room {
                break;
            }
            total = total.saturating_sub(segment.weight());
            surplus += 1;
            (self.complete_after, self.base) = (segment.generation, head);
        }
        self.segments.drain(..surplus);
    }

    /// Drops all segments, whose updates are then known only by their hash.
    pub(super) fn forget_all(&mut self) {
        self.segments.clear();
        (self.complete_after, self.base) = (self.generation, self.head);
    }

    /// Returns groups of adjacent segments to be merged, so that afterwards each segment has at least twice the weight
    /// of the next younger one: their number is at most logarithmic in their content. The last group includes an update
    /// of `weight`.
    pub(super) fn groups(&self, weight: Option<u64>, edges: u64) -> Vec<Vec<SegmentEntry>> {
        let most = if self.times.is_some() { u64::MAX } else { Self::room(edges) / LARGEST_SHARE };
        let mut groups: Vec<(Vec<SegmentEntry>, u64)> = Vec::new();
        let segments = self.segments.iter().map(|segment| (vec![*segment], segment.weight()));
        for group in segments.chain(weight.map(|weight| (Vec::new(), weight))) {
            groups.push(group);
            while let [.., (_, older), (_, younger)] = &groups[..] {
                let both = older.saturating_add(*younger);
                if *older >= younger.saturating_mul(2) || both > most {
                    break;
                }
                let younger = groups.pop();
                if let (Some((segments, total)), Some((more, _))) = (groups.last_mut(), younger) {
                    segments.extend(more);
                    *total = both;
                }
            }
        }
        groups.into_iter().map(|(segments, _)| segments).collect()
    }

    /// Returns the heads after the segments.
    pub(super) fn heads(&self) -> impl Iterator<Item = Head> {
        self.segments.iter().scan(self.base, |head, segment| {
            *head = segment.head_after(*head);
            Some(*head)
        })
    }

    /// Adds heads to a journal written by version 9, starting with that of its manifest.
    pub(crate) fn with_heads(mut self, base: Head) -> Self {
        self.base = base;
        self.head = self.heads().last().unwrap_or(base);
        self
    }

    /// Returns the minimum and maximum time of all edges.
    pub fn span(&self) -> Option<(i64, i64)> {
        let times = self.segments.iter().filter_map(|segment| segment.times);
        times.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
    }

    /// Refuses inconsistent counts; `files` are the files of segments.
    pub(crate) fn validate<'f>(&self, files: impl Iterator<Item = &'f FileEntry>) -> Result<(), String> {
        let first = |segment: &SegmentEntry| segment.first.unwrap_or(segment.generation);
        let ascend = self.segments.is_sorted_by(|one, other| one.generation < first(other));
        let known = |segment: &SegmentEntry| segment.generation <= self.generation;
        let complete = |segment: &&SegmentEntry| segment.generation > 0 && first(segment) <= self.complete_after;
        let named = self.named.iter().all(|update| update.generation <= self.generation);
        let timed = self.times.is_some();
        let total =
            |of: fn(&SegmentEntry) -> u64| self.segments.iter().fold(0, |sum: u64, one| sum.saturating_add(of(one)));
        let right = StoreId::from_hex(&self.lineage).is_some()
            && self.complete_after <= self.generation
            && self.generation < MOST
            && ascend
            && named
            && self.segments.iter().all(|segment| known(segment) && segment.is_plausible(timed))
            && [total(SegmentEntry::edges), total(|one| one.vertices), total(|one| one.bytes)]
                .iter()
                .all(|sum| *sum < MOST)
            && if timed { self.complete_after == 0 } else { !self.segments.iter().any(|segment| complete(&segment)) }
            && self.heads().last().unwrap_or(self.base) == self.head;
        if !right {
            return Err("the numbers of its journal are inconsistent".to_owned());
        }
        let lengths =
            self.segments.iter().flat_map(|segment| segment.file_names().into_iter().zip(segment.file_bytes()));
        let mut expected: BTreeMap<String, u64> = lengths.collect();
        for file in files {
            if expected.remove(&file.name) != Some(file.bytes) {
                return Err(format!("its journal and its list of files differ in {}", file.name));
            }
        }
        match expected.pop_first() {
            Some((name, _)) => Err(format!("its journal and its list of files differ in {name}")),
            None => Ok(()),
        }
    }
}

/// Returns true if the name is that of a journal segment file.
pub(crate) fn is_journal_name(name: &str) -> bool {
    let numbers = name.strip_prefix("journal-").map(|numbers| numbers.strip_suffix(".index").unwrap_or(numbers));
    let is_number = |number: &str| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|numbers| {
        let mut parts = numbers.split('-');
        parts.by_ref().take(2).all(is_number) && parts.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::TimeKind;

    fn journal(timed: bool) -> JournalEntry {
        let times = timed.then_some(TimeRule { kind: TimeKind::Number, unit: None });
        JournalEntry { times, ..JournalEntry::new(&"0".repeat(32), 0, Head::start("graph")) }
    }

    /// Applies an update of a number of edges to the journal, as [`super::super::merge`] writes it.
    fn update(journal: &mut JournalEntry, added: u64, edges: u64) -> u64 {
        journal.generation += 1;
        journal.head = journal.head.after(journal.generation, added);
        journal.forget(added.max(1), edges);
        let (mut segments, mut rewritten) = (Vec::new(), 0);
        let groups = journal.groups(Some(added.max(1)), edges);
        let heads: BTreeMap<u64, Head> =
            journal.segments.iter().map(|one| one.generation).zip(journal.heads()).collect();
        for (number, group) in (1..).zip(&groups) {
            let last = number == groups.len();
            if group.len() == 1 && !last {
                segments.push(group[0]);
                continue;
            }
            let end = group.last().map_or(journal.generation, |one| one.generation);
            let generation = if last { journal.generation } else { end };
            let first = group.first().map_or(generation, |one| one.first.unwrap_or(one.generation));
            let head = if last { journal.head } else { heads[&end] };
            let mut merged =
                SegmentEntry { first: Some(first), generation, head: Some(head), ..SegmentEntry::default() };
            group.iter().for_each(|one| merged.append(one));
            rewritten += merged.weight();
            merged.added += if last { added } else { 0 };
            segments.push(merged);
        }
        journal.segments = segments;
        rewritten
    }

    #[test]
    fn there_are_few_segments_however_many_updates_there_were() {
        for (timed, edges, sizes) in [(true, 1000, [1, 1, 1]), (false, 1000, [1, 0, 3]), (false, 1 << 30, [900, 1, 7])]
        {
            let (mut journal, mut rewritten, mut given) = (journal(timed), 0, 0);
            for number in 0..20_000_usize {
                let added = sizes[number % sizes.len()];
                rewritten += update(&mut journal, added, edges);
                given += added.max(1);
                assert!(journal.segments.len() <= 40, "{} segments", journal.segments.len());
            }
            assert!(rewritten < given * 20, "{rewritten} rewritten of {given}");
            assert_eq!(journal.heads().last(), Some(journal.head));
            let kept: u64 = journal.segments.iter().map(SegmentEntry::weight).sum();
            let room = JournalEntry::room(edges);
            assert!(timed || kept <= room && (given < room || kept > room / 4 * 3), "{kept} of {room}");
        }
    }

    #[test]
    fn segments_that_older_versions_left_are_merged_at_once() {
        let mut journal = journal(false);
        for generation in 1..=60_000 {
            // One of them is large.
            let added = if generation == 30_000 { 3000 } else { 1 };
            let old = SegmentEntry { generation, added, digest: Some(generation), ..SegmentEntry::default() };
            journal.segments.push(old);
        }
        let base = journal.base;
        let mut journal = JournalEntry { generation: 60_000, ..journal }.with_heads(base);
        let before = journal.heads().last();
        assert_eq!(Some(journal.head), before);
        update(&mut journal, 1, 100);
        assert!(journal.segments.len() <= 40, "{} segments", journal.segments.len());
        assert_eq!(journal.heads().last(), Some(journal.head));
    }

    #[test]
    fn only_the_names_of_segments_are_theirs() {
        let new = SegmentEntry { first: Some(3), generation: 12, ..SegmentEntry::default() };
        assert_eq!(new.file_names(), ["journal-0003-0012", "journal-0003-0012.index"]);
        let old = SegmentEntry { generation: 12, ..SegmentEntry::default() };
        assert_eq!(old.file_names()[0], "journal-0012");
        new.file_names().iter().chain(&old.file_names()).for_each(|name| assert!(is_journal_name(name), "{name}"));
        for name in ["journal-", "journal-12", "journal-0001-0002-0003", "journal-0001-", "journal-0001.old"] {
            assert!(!is_journal_name(name), "{name}");
        }
    }

    /// A journal of a build and two updates with times, and the files of its segments.
    fn complete() -> (JournalEntry, Vec<FileEntry>) {
        let mut journal = journal(true);
        let heads = [journal.head, journal.head.after(1, 5).after(2, 6)];
        let build = SegmentEntry {
            first: Some(0),
            added: 3,
            blocks: 2,
            bytes: 90,
            head: Some(heads[0]),
            ..SegmentEntry::default()
        };
        let updates = SegmentEntry {
            first: Some(1),
            generation: 2,
            added: 1,
            removed: 4,
            vertices: 2,
            blocks: 5,
            bytes: 5000,
            head: Some(heads[1]),
            times: Some((-7, -7)),
            ..SegmentEntry::default()
        };
        journal.segments = vec![SegmentEntry { times: Some((1, 5)), ..build }, updates];
        (journal.generation, journal.head) = (2, heads[1]);
        journal.remember(Some("a"));
        // An index record has 56 bytes, and a unit of a file 4096.
        let names = journal.segments.iter().flat_map(SegmentEntry::file_names);
        let file = |(name, bytes)| FileEntry { name, bytes, checksum: String::new() };
        let files = names.zip([4096, 4096, 8192, 4096]).map(file).collect();
        (journal, files)
    }

    #[test]
    fn every_inconsistent_number_of_a_journal_is_refused() {
        let (journal, files) = complete();
        journal.validate(files.iter()).unwrap();
        assert_eq!((journal.span(), journal.segments[1].edges()), (Some((-7, 5)), 5));
        let changes: [fn(&mut JournalEntry); 19] = [
            |journal| journal.lineage.push('0'),
            |journal| journal.complete_after = 3,
            |journal| journal.complete_after = 1,
            |journal| journal.generation = 1,
            |journal| journal.generation = MOST,
            |journal| journal.named[0].generation = 3,
            |journal| journal.head = journal.base,
            |journal| journal.times = None,
            |journal| journal.segments[1].first = Some(0),
            |journal| journal.segments[1].first = Some(3),
            |journal| journal.segments[1].first = None,
            |journal| journal.segments[0].head = None,
            |journal| journal.segments[0].digest = Some(1),
            |journal| journal.segments[0].times = Some((5, 1)),
            |journal| journal.segments[0].times = None,
            |journal| journal.segments[0].added = 0,
            |journal| journal.segments[0].added = MOST,
            |journal| journal.segments[1].vertices = MOST,
            |journal| journal.segments[1].removed = MOST,
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut other = journal.clone();
            change(&mut other);
            assert!(other.validate(files.iter()).is_err(), "change {number}");
        }
        // Each figure is below the limit, but not their sum.
        let figures: [fn(&mut SegmentEntry) -> &mut u64; 3] =
            [|segment| &mut segment.added, |segment| &mut segment.vertices, |segment| &mut segment.bytes];
        for figure in figures {
            let mut other = journal.clone();
            other.segments.iter_mut().for_each(|segment| *figure(segment) = MOST / 2);
            assert!(other.validate(files.iter()).unwrap_err().contains("numbers"));
        }
        // An update with edges but no times, and one of a graph without times, are no contradiction.
        let mut other = journal.clone();
        (other.segments[1].added, other.segments[1].times) = (0, None);
        other.validate(files.iter()).unwrap();
    }

    #[test]
    fn segments_without_times_are_later_than_what_is_forgotten() {
        let (mut journal, files) = complete();
        journal.times = None;
        journal.segments.iter_mut().for_each(|segment| segment.times = None);
        journal.validate(files.iter()).unwrap();
        let forgotten = JournalEntry { complete_after: 1, ..journal.clone() };
        assert!(forgotten.validate(files.iter()).is_err());
        // Only the edges of the build are left, which are no update.
        journal.segments.truncate(1);
        (journal.complete_after, journal.head) = (1, journal.segments[0].head.unwrap());
        journal.validate(files[..2].iter()).unwrap();
        assert_eq!((journal.groups(None, 100).concat(), journal.segments.len()), (journal.segments.clone(), 1));
    }

    #[test]
    fn the_files_of_a_journal_are_those_of_its_segments() {
        let (journal, files) = complete();
        let without_one = [&files[..1], &files[2..]].concat();
        let twice = [&files[..], &files[..1]].concat();
        for wrong in [without_one, twice] {
            assert!(journal.validate(wrong.iter()).unwrap_err().contains("list of files"));
        }
        for place in 0..files.len() {
            let mut wrong = files.clone();
            wrong[place].bytes += 4096;
            assert!(journal.validate(wrong.iter()).unwrap_err().contains(&files[place].name));
        }
        let old = SegmentEntry { blocks: 100, ..SegmentEntry::default() };
        assert_eq!((old.record_bytes(), journal.segments[0].record_bytes()), (48, 56));
    }

    #[test]
    fn what_a_segment_has_is_counted_and_added_up() {
        let mut segment = SegmentEntry::default();
        let ids = IdBatch::Integers(vec![1, 2, 3, 4]);
        segment.count(BlockKind::Added, &ids, &[5, -2]);
        segment.count(BlockKind::Added, &ids, &[9, 0]);
        segment.count(BlockKind::Removed, &ids, &[]);
        segment.count(BlockKind::Vertices, &ids, &[]);
        segment.count(BlockKind::Update, &ids, &[]);
        let figures = |segment: &SegmentEntry| (segment.added, segment.removed, segment.vertices, segment.times);
        assert_eq!(figures(&segment), (4, 2, 4, Some((-2, 9))));
        let mut sum = SegmentEntry { added: 1, removed: 1, vertices: 1, times: Some((-3, 4)), ..segment };
        sum.append(&segment);
        assert_eq!(figures(&sum), (5, 3, 5, Some((-3, 9))));
        sum.append(&SegmentEntry::default());
        assert_eq!(figures(&sum), (5, 3, 5, Some((-3, 9))));
        // Edges and vertices, but at least one per update.
        assert_eq!(sum.weight(), 13);
        assert_eq!(SegmentEntry { first: Some(3), generation: 12, ..SegmentEntry::default() }.weight(), 10);
        assert_eq!(SegmentEntry { generation: 12, ..SegmentEntry::default() }.weight(), 1);
    }

    #[test]
    fn the_newest_update_names_are_remembered() {
        let mut journal = journal(false);
        for generation in 1..=1002 {
            journal.generation = generation;
            journal.remember(Some(if generation == 5 { "same" } else { "other" }));
            journal.remember(None);
        }
        assert_eq!((journal.named.len(), journal.made_by("same"), journal.made_by("none")), (1000, Some(5), None));
        assert_eq!((journal.named[0].generation, journal.made_by("other")), (3, Some(1002)));
    }

    #[test]
    fn old_updates_are_dropped_with_their_heads_but_not_those_with_times() {
        for timed in [false, true] {
            let (mut journal, _) = complete();
            journal.times = journal.times.filter(|_| timed);
            let (first, last) = (journal.segments[0], journal.segments[1]);
            // Room for 65,536 changes: those of the update, and of the last segment.
            let room = JournalEntry::room(100);
            assert_eq!((room, JournalEntry::room(4_000_000)), (1 << 16, 1_000_000));
            journal.forget(room - first.weight() - last.weight(), 100);
            assert_eq!(journal.segments.len(), 2);
            journal.forget(room - last.weight(), 100);
            assert_eq!(journal.segments, if timed { vec![first, last] } else { vec![last] });
            if !timed {
                assert_eq!((journal.complete_after, Some(journal.base)), (0, first.head));
            }
            journal.forget_all();
            assert_eq!((journal.segments.len(), journal.complete_after, journal.base), (0, 2, journal.head));
        }
    }

    #[test]
    fn heads_of_version_9_are_those_of_its_updates() {
        let before = Head::start("graph");
        let old = SegmentEntry { generation: 4, digest: Some(8), ..SegmentEntry::default() };
        assert_eq!(old.head_after(before), before.after(4, 8));
        // The edges of a build are no update.
        assert_eq!(SegmentEntry { generation: 0, ..old }.head_after(before), before);
    }
}
