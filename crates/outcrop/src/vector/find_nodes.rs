//! Lookup of the vertices of many IDs: IDs in ascending order need one pass over those of the store.

use outcrop_formats::vector::NodeKey;
use outcrop_io::IoChoice;
use outcrop_store::writing::IdBatch;
use outcrop_store::{OriginalIdReader, OriginalIds, PAYLOAD_BYTES, Store};
use outcrop_types::{Result, VertexId};
use std::cmp::Ordering;
use std::ops::Range;

/// Number of ranks read together: the minimum, which is the number of integer IDs per unit of their component, and the
/// maximum, for many IDs in ascending order.
const SHORTEST_STRETCH: u32 = PAYLOAD_BYTES as u32 / 8;
const LONGEST_STRETCH: u32 = 8 * SHORTEST_STRETCH;

/// Bytes of texts read together.
const STRETCH_TEXT: u64 = 256 << 10;

/// Returns the message for an ID that is not in the graph of `store`.
pub(crate) fn no_vertex(id: &str, store: &Store) -> String {
    let is_integer = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    if store.manifest().numbering.ids == OriginalIds::Text {
        format!("the graph has no vertex {id:?}")
    } else if is_integer {
        format!("the graph has no vertex {id}")
    } else {
        format!("the graph has no vertex {id:?}; its IDs are integers")
    }
}

/// Finder of vertices by ID, fastest in ascending order of IDs.
pub(crate) struct NodeFinder<'s> {
    kind: OriginalIds,
    vertices: u32,
    reader: OriginalIdReader<'s>,
    /// IDs of the ranks starting at `first`.
    ids: IdBatch,
    first: u32,
    /// Number of ranks that are read together.
    step: u32,
    /// Vertices of the ranks starting at `first_vertex`.
    stretch: Vec<VertexId>,
    first_vertex: u32,
}

impl<'s> NodeFinder<'s> {
    /// Returns the memory of a finder in `store`, in bytes.
    pub(crate) fn memory(store: &Store) -> u64 {
        OriginalIdReader::memory(store.manifest()) + 2 * STRETCH_TEXT
    }

    pub(crate) fn open(store: &'s Store, io: IoChoice) -> Result<Self> {
        let (kind, vertices) = (store.manifest().numbering.ids, store.manifest().graph.vertices);
        let reader = OriginalIdReader::open(store, io)?;
        Ok(Self {
            kind,
            vertices,
            reader,
            ids: IdBatch::Integers(Vec::new()),
            first: 0,
            step: SHORTEST_STRETCH,
            stretch: Vec::new(),
            first_vertex: 0,
        })
    }

    /// Returns the rank and the vertex with the ID `key`; `None` if there is none.
    pub(crate) fn find(&mut self, key: &NodeKey) -> Result<Option<(u32, VertexId)>> {
        let Some(rank) = self.rank(key)? else { return Ok(None) };
        let loaded = |finder: &Self| {
            let place = rank.checked_sub(finder.first_vertex)?;
            finder.stretch.get(place as usize).copied()
        };
        if loaded(self).is_none() {
            let first = rank - rank % SHORTEST_STRETCH;
            self.stretch = self.reader.vertices(first..first.saturating_add(self.step).min(self.vertices))?;
            self.first_vertex = first;
        }
        Ok(loaded(self).map(|vertex| (rank, vertex)))
    }

    fn rank(&mut self, key: &NodeKey) -> Result<Option<u32>> {
        if let (OriginalIds::Dense, NodeKey::Integer(id)) = (self.kind, key) {
            return Ok(u32::try_from(*id).ok().filter(|id| *id < self.vertices));
        }
        if !self.reaches(key) {
            self.load_stretch_of(key)?;
        }
        Ok(place_of(&self.ids, key).and_then(|place| Some(self.first + u32::try_from(place).ok()?)))
    }

    /// Returns true if the loaded IDs range from one that is at most `key` to one that is at least `key`.
    fn reaches(&self, key: &NodeKey) -> bool {
        let Some(last) = self.ids.len().checked_sub(1) else { return false };
        compare(&self.ids, 0, key).is_le() && compare(&self.ids, last, key).is_ge()
    }

    /// Loads the IDs around `key`: gallops forward from the loaded ones, if any, then uses binary search.
    fn load_stretch_of(&mut self, key: &NodeKey) -> Result<()> {
        let last = self.ids.len().checked_sub(1).filter(|last| compare(&self.ids, *last, key).is_lt());
        let behind = last.and_then(|last| u32::try_from(last + 1).ok()).map(|count| self.first + count);
        let (mut low, mut high) = match behind {
            Some(behind) => self.gallop(behind, key)?,
            None => (0, self.vertices),
        };
        while high.saturating_sub(low) > self.step {
            let half = low + (high - low) / 2;
            let aligned = half - half % SHORTEST_STRETCH;
            let middle = if aligned > low { aligned } else { half };
            *(if self.is_at_most(middle, key)? { &mut low } else { &mut high }) = middle;
        }
        self.load_some(low..high, key)
    }

    /// Returns ranks from `behind` on that contain `key` if it is in the graph. Reads more ranks together next time if
    /// they are the next ones.
    fn gallop(&mut self, behind: u32, key: &NodeKey) -> Result<(u32, u32)> {
        let (mut low, mut step) = (behind, self.step);
        while low.checked_add(step).is_some_and(|next| next < self.vertices) && self.is_at_most(low + step, key)? {
            low += step;
            step = step.saturating_mul(2);
        }
        self.step = if low == behind { (2 * self.step).min(LONGEST_STRETCH) } else { SHORTEST_STRETCH };
        Ok((low, low.saturating_add(step).min(self.vertices)))
    }

    /// Loads the first of `ranks` whose texts fit, and then the next ones until they reach `key`.
    fn load_some(&mut self, mut ranks: Range<u32>, key: &NodeKey) -> Result<()> {
        loop {
            let end = self.reader.batch_end(ranks.clone(), STRETCH_TEXT)?;
            (self.ids, self.first) = (self.reader.ids(ranks.start..end)?, ranks.start);
            if end >= ranks.end || self.reaches(key) {
                return Ok(());
            }
            ranks.start = end;
        }
    }

    fn is_at_most(&mut self, rank: u32, key: &NodeKey) -> Result<bool> {
        let id = self.reader.ids(rank..rank + 1)?;
        Ok(compare(&id, 0, key).is_le())
    }
}

/// Returns the position of `key` among the ascending `ids`.
fn place_of(ids: &IdBatch, key: &NodeKey) -> Option<usize> {
    let (mut low, mut high) = (0, ids.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(ids, middle, key) {
            Ordering::Equal => return Some(middle),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    None
}

/// Compares the ID at `place` with `key`; IDs of the other kind are greater.
fn compare(ids: &IdBatch, place: usize, key: &NodeKey) -> Ordering {
    match (ids, key) {
        (IdBatch::Integers(ids), NodeKey::Integer(key)) => ids.get(place).map_or(Ordering::Greater, |id| id.cmp(key)),
        (IdBatch::Texts { .. }, NodeKey::Text(key)) => ids.text(place).cmp(key.as_bytes()),
        _ => Ordering::Greater,
    }
}
