//! Time windows: the edges of a journal whose times are within a range.

use super::block::{BlockKind, BlockRecord};
use super::reader::{SegmentReader, id_kind};
use crate::store::Store;
use crate::writing::{EdgeBatch, EdgeSource, IdBatch, IdKind};
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Reservation, Result, length_from};
use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Memory per removed edge, in bytes: its hash and generation, in a table that is at least half full.
const REMOVED_BYTES: u64 = 2 * 33;

/// Edges of a store whose times are within a range, as given by the user. An edge that was removed excludes all earlier
/// additions of it.
pub struct EdgesBetween {
    store: Arc<Store>,
    io: IoChoice,
    between: (i64, i64),
    kind: IdKind,
    weighted: bool,
    /// Position of the next segment.
    segment: usize,
    current: Option<SegmentReader>,
    block: EdgeBatch,
    /// Generation that last removed an edge, by the hash of the edge.
    removed: HashMap<u128, u64>,
    /// Edges to be returned next; empty at the end.
    next: EdgeBatch,
    done: u64,
    total: u64,
    _held: Vec<Reservation>,
}

impl EdgesBetween {
    /// Opens the edges of `store` with `between.0` <= time < `between.1`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if the journal is damaged, or if the run is interrupted, or
    /// [`Error::Internal`] if the edges have no times.
    pub fn open(
        store: &Arc<Store>,
        between: (i64, i64),
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let mut edges = Self::begin(store, between, io, budget, cancellation)?;
        edges.next = edges.pick(EdgeBatch::empty(edges.kind))?;
        Ok(edges)
    }

    /// Returns for each of `windows`, whose starts and ends ascend, whether `store` has edges in it. Reads only blocks
    /// that may contain the first edge of a window.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`EdgesBetween::open`].
    pub fn of_windows(
        store: &Arc<Store>,
        windows: &[(i64, i64)],
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Vec<bool>> {
        let (Some((start, _)), Some((_, end))) = (windows.first(), windows.last()) else { return Ok(Vec::new()) };
        let mut edges = Self::begin(store, (*start, *end), io, budget, cancellation)?;
        let mut found = vec![false; windows.len()];
        while edges.open_next()? {
            while let Some(mut reader) = edges.current.take() {
                cancellation.check()?;
                let unknown = |record: &BlockRecord| meeting(windows, record).any(|window| !found[window]);
                let wanted = |kind, record: &BlockRecord| kind == BlockKind::Added && record.timed() && unknown(record);
                let Some((_, record)) = reader.next_block(wanted, &mut edges.block)? else { break };
                edges.current = Some(reader);
                let live = |(place, _): &(usize, &i64)| !edges.is_removed(*place, record.generation);
                let mut times: Vec<i64> =
                    edges.block.times.iter().enumerate().filter(live).map(|(_, time)| *time).collect();
                times.sort_unstable();
                for window in meeting(windows, &record) {
                    let (start, end) = windows[window];
                    let first = times.get(times.partition_point(|time| *time < start));
                    found[window] |= first.is_some_and(|time| *time < end);
                }
            }
        }
        Ok(found)
    }

    fn begin(
        store: &Arc<Store>,
        between: (i64, i64),
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let manifest = store.manifest();
        let journal = manifest.changes.journal.as_ref().filter(|journal| journal.times.is_some());
        let journal = journal.ok_or_else(|| Error::internal("a window of edges without times"))?;
        let kind = id_kind(store);
        let mut held = vec![budget.reserve(SegmentReader::memory(kind), Purpose::InputBuffers)?];
        let removals = journal.segments.iter().map(|segment| segment.removed).sum::<u64>();
        held.push(budget.reserve(removals * REMOVED_BYTES, Purpose::Updates)?);
        let total = journal.segments.iter().map(|segment| segment.bytes).sum();
        Ok(Self {
            store: Arc::clone(store),
            io,
            between,
            kind,
            weighted: manifest.graph.weighted,
            segment: 0,
            current: None,
            block: EdgeBatch::empty(kind),
            removed: removed(store, io, cancellation)?,
            next: EdgeBatch::empty(kind),
            done: 0,
            total,
            _held: held,
        })
    }

    /// Returns true if there are no edges left.
    pub const fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// Opens the next segment that may have edges in the range; returns `false` if there is none.
    fn open_next(&mut self) -> Result<bool> {
        let journal = self.store.manifest().changes.journal.as_ref();
        let segments = journal.map_or(&[][..], |journal| &journal.segments);
        let (start, end) = self.between;
        while let Some(segment) = segments.get(self.segment).copied() {
            self.segment += 1;
            if segment.times.is_some_and(|(first, last)| first < end && last >= start) {
                self.current = Some(SegmentReader::open(&self.store, segment, self.io)?);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the edges of the next nonempty block, in the memory of `batch`; empty at the end.
    fn pick(&mut self, mut batch: EdgeBatch) -> Result<EdgeBatch> {
        batch.clear();
        let (start, end) = self.between;
        while batch.is_empty() {
            let Some(reader) = &mut self.current else {
                if self.open_next()? {
                    continue;
                }
                break;
            };
            let wanted =
                |kind, record: &BlockRecord| kind == BlockKind::Added && record.timed() && record.meets(start, end);
            match reader.next_block(wanted, &mut self.block)? {
                None => self.current = None,
                Some((_, record)) => {
                    self.done += reader.block_bytes();
                    self.pick_of_block(record.generation, &mut batch);
                }
            }
        }
        Ok(batch)
    }

    /// Returns true if the edge at this place of the block, added by `generation`, was removed later.
    fn is_removed(&self, place: usize, generation: u64) -> bool {
        let gone = || {
            let edge = hash(&self.block.endpoints, place, self.store.manifest().graph.directed);
            self.removed.get(&edge).is_some_and(|by| *by > generation)
        };
        !self.removed.is_empty() && gone()
    }

    /// Appends the edges of the block in the time range that no generation after `generation` removed.
    fn pick_of_block(&self, generation: u64, batch: &mut EdgeBatch) {
        let (start, end) = self.between;
        for (place, time) in self.block.times.iter().enumerate() {
            if (start..end).contains(time) && !self.is_removed(place, generation) {
                batch.endpoints.push_from(&self.block.endpoints, 2 * place);
                batch.endpoints.push_from(&self.block.endpoints, 2 * place + 1);
                batch.weights.extend(self.block.weights.get(place));
            }
        }
    }
}

/// Places of the windows that meet the times of a block.
fn meeting(windows: &[(i64, i64)], record: &BlockRecord) -> std::ops::Range<usize> {
    let (first, last) = record.span();
    windows.partition_point(|(_, end)| *end <= first)..windows.partition_point(|(start, _)| *start <= last)
}

/// Returns the edges that updates of `store` removed, by their hashes, and the last generation that did.
fn removed(store: &Store, io: IoChoice, cancellation: &Cancellation) -> Result<HashMap<u128, u64>> {
    let manifest = store.manifest();
    let segments = manifest.changes.journal.iter().flat_map(|journal| &journal.segments);
    let (mut removed, mut batch) = (HashMap::new(), EdgeBatch::empty(IdKind::Integer));
    for segment in segments.filter(|segment| segment.removed > 0) {
        let mut reader = SegmentReader::open(store, *segment, io)?;
        let mut left = segment.removed;
        while let Some((_, record)) = reader.next_block(|kind, _| kind == BlockKind::Removed, &mut batch)? {
            cancellation.check()?;
            // The reservation is for the number in the manifest.
            left = left.checked_sub(length_from(batch.len())).ok_or_else(|| reader.damaged())?;
            let edges = (0..batch.len()).map(|place| hash(&batch.endpoints, place, manifest.graph.directed));
            removed.extend(edges.map(|edge| (edge, record.generation)));
        }
    }
    Ok(removed)
}

/// Returns the hash of an edge from the IDs of its ends; their order matters if the graph is directed.
fn hash(ids: &IdBatch, edge: usize, directed: bool) -> u128 {
    let (mut source, mut target) = (2 * edge, 2 * edge + 1);
    if !directed && ids.compare(source, ids, target).is_gt() {
        std::mem::swap(&mut source, &mut target);
    }
    let mut bytes = Vec::with_capacity(32);
    for place in [source, target] {
        match ids {
            // Default: places are those of existing edges.
            IdBatch::Integers(ids) => bytes.extend(ids.get(place).copied().unwrap_or_default().to_le_bytes()),
            texts @ IdBatch::Texts { .. } => {
                let text = texts.text(place);
                bytes.extend(length_from(text.len()).to_le_bytes());
                bytes.extend_from_slice(text);
            }
        }
    }
    xxh3_128(&bytes)
}

impl EdgeSource for EdgesBetween {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn weighted(&self) -> bool {
        self.weighted
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        let spare = std::mem::replace(batch, std::mem::replace(&mut self.next, EdgeBatch::empty(self.kind)));
        if batch.is_empty() {
            return Ok(false);
        }
        let spare = if spare.endpoints.kind() == self.kind { spare } else { EdgeBatch::empty(self.kind) };
        self.next = self.pick(spare)?;
        Ok(true)
    }

    fn bytes_done(&self) -> u64 {
        self.done
    }

    fn bytes_total(&self) -> Option<u64> {
        Some(self.total)
    }

    fn edges_estimate(&self) -> Option<u64> {
        None
    }
}
