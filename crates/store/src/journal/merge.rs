//! Writing of the journal of an updated or copied store. Merges segments on the way, so that their number stays small
//! for any number of updates.

use super::entry::{JournalEntry, SegmentEntry};
use super::reader::{SegmentReader, id_kind, shape_of};
use super::update::JournalUpdate;
use super::writer::SegmentWriter;
use crate::component::{ComponentWriter, FileEntry};
use crate::identity::Head;
use crate::store::Store;
use crate::writing::{IdBatch, IdKind};
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result};
use std::collections::HashMap;

/// Update with the IDs of its new vertices.
pub(crate) type NewUpdate<'u> = (&'u JournalUpdate, Option<&'u IdBatch>);

/// Writer of a journal.
pub(crate) struct JournalWriter<'w> {
    pub(crate) store: &'w Store,
    pub(crate) io: IoChoice,
    pub(crate) budget: &'w MemoryBudget,
    pub(crate) cancellation: &'w Cancellation,
    /// Creates a file.
    pub(crate) create: &'w mut dyn FnMut(&str) -> Result<ComponentWriter>,
    /// Keeps a segment unchanged and returns its files.
    pub(crate) keep: &'w mut dyn FnMut(&SegmentEntry) -> Result<Vec<FileEntry>>,
}

/// Written journal.
pub(crate) struct WrittenJournal {
    pub(crate) entry: JournalEntry,
    /// Complete list of the journal's files.
    pub(crate) files: Vec<FileEntry>,
    /// Written files that are not part of the list.
    pub(crate) surplus: Vec<String>,
    /// Note about segments that could not be merged.
    pub(crate) note: Option<String>,
}

impl JournalWriter<'_> {
    /// Writes `journal`, which is that of the store, with an additional `update`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if a segment is damaged or cannot be read, if writing fails, or if
    /// the run is interrupted.
    pub(crate) fn write(&mut self, journal: JournalEntry, update: Option<NewUpdate<'_>>) -> Result<WrittenJournal> {
        let edges = self.store.manifest().graph.edges;
        let (journal, weight) = with_update(journal, update, edges);
        let groups = journal.groups(weight, edges);
        self.write_groups(journal, groups, update)
    }

    /// Same as [`JournalWriter::write`] for an update in place: if a segment cannot be read, the update proceeds
    /// without the segments.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if writing fails, or if the run is interrupted.
    pub(crate) fn write_beside(&mut self, journal: JournalEntry, update: NewUpdate<'_>) -> Result<WrittenJournal> {
        let damage = match self.write(journal.clone(), Some(update)) {
            Err(error @ Error::Corrupt { .. }) => error,
            outcome => return outcome,
        };
        let (head, edges) = (journal.head, self.store.manifest().graph.edges);
        let (mut journal, _) = with_update(journal, Some(update), edges);
        let mut groups: Vec<_> = journal.segments.iter().map(|segment| vec![*segment]).collect();
        let outcome = if journal.times.is_some() {
            "its segments are kept"
        } else {
            groups.clear();
            journal.segments.clear();
            (journal.complete_after, journal.base) = (journal.generation.saturating_sub(1), head);
            "it restarts with this update, and the next incremental run computes from scratch"
        };
        groups.push(Vec::new());
        let mut written = self.write_groups(journal, groups, Some(update))?;
        written.note = Some(format!("the journal of the store cannot be merged, so {outcome}: {damage}"));
        Ok(written)
    }

    fn write_groups(
        &mut self,
        mut journal: JournalEntry,
        groups: Vec<Vec<SegmentEntry>>,
        update: Option<NewUpdate<'_>>,
    ) -> Result<WrittenJournal> {
        let heads: HashMap<u64, Head> =
            journal.segments.iter().map(|one| one.generation).zip(journal.heads()).collect();
        let (mut segments, mut files, mut surplus, last) = (Vec::new(), Vec::new(), Vec::new(), groups.len());
        for (number, group) in (1..).zip(groups) {
            let update = update.filter(|_| number == last);
            if let ([segment], None) = (&group[..], update) {
                files.extend((self.keep)(segment)?);
                segments.push(*segment);
                continue;
            }
            let (segment, written) = self.merge(&journal, &group, &heads, update)?;
            files.extend(written);
            segments.push(segment);
        }
        // Default: without an update, the head is unchanged.
        journal.head = update.and_then(|_| segments.last()?.head).unwrap_or(journal.head);
        journal.segments = segments;
        let too_large =
            |segment: &SegmentEntry| segment.weight() > JournalEntry::room(self.store.manifest().graph.edges);
        if journal.times.is_none() && update.is_some() && journal.segments.last().is_some_and(too_large) {
            surplus.extend(journal.segments.iter().flat_map(SegmentEntry::file_names));
            files.clear();
            journal.forget_all();
        }
        Ok(WrittenJournal { entry: journal, files, surplus, note: None })
    }

    /// Writes the segments of a group as one, followed by the update.
    fn merge(
        &mut self,
        journal: &JournalEntry,
        group: &[SegmentEntry],
        heads: &HashMap<u64, Head>,
        update: Option<NewUpdate<'_>>,
    ) -> Result<(SegmentEntry, [FileEntry; 2])> {
        let generation = |segment: Option<&SegmentEntry>| segment.map_or(journal.generation, |one| one.generation);
        let first = group.first().map_or(journal.generation, |one| one.first.unwrap_or(one.generation));
        let last = if update.is_some() { journal.generation } else { generation(group.last()) };
        let (kind, timed) = update
            .map_or((IdKind::Integer, false), |(update, _)| (id_kind(self.store), !update.added.times.is_empty()));
        let mut writer = SegmentWriter::new(&mut *self.create, first, last, kind, timed, self.budget)?;
        if !group.is_empty() {
            let _reading = self.budget.reserve(SegmentReader::COPYING_BYTES, Purpose::IoBuffers)?;
            for segment in group {
                let unknown = || Error::internal("a segment of a journal has no head");
                let head = *heads.get(&segment.generation).ok_or_else(unknown)?;
                let reader = SegmentReader::open(self.store, *segment, self.io)?;
                writer.append(reader, segment, head, self.cancellation)?;
            }
        }
        if let Some((update, new)) = update {
            update.require(shape_of(self.store))?;
            update.write(new, &mut writer)?;
            writer.end_update(journal.head)?;
        }
        writer.finish()
    }
}

/// Returns the journal with the number and name of another update, and room for it; also the weight of its segment.
fn with_update(mut journal: JournalEntry, update: Option<NewUpdate<'_>>, edges: u64) -> (JournalEntry, Option<u64>) {
    let Some((update, new)) = update else { return (journal, None) };
    let weight = update.weight(new);
    journal.generation = journal.generation.saturating_add(1);
    journal.remember(update.name.as_deref());
    journal.forget(weight, edges);
    (journal, Some(weight))
}
