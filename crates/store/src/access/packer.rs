//! Packs decoded lists into batches, and cuts long lists into pieces.

use super::neighbors::StoredNeighbors;
use super::statistics::AccessStatistics;
use super::visit::{ListBatch, Visit, VisitBatch};
use outcrop_types::{Error, Result, VertexId};
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;

/// Entries per piece of a long list. Every layout cuts pieces at multiples of this number from the start of the list,
/// so that results do not depend on the location of a list.
pub(crate) const PIECE: usize = 4096;
/// Entries of the first piece if visitors stop early: they often need no more.
const FIRST_PIECE: usize = 128;
/// Number of entries after which a batch is passed on; there is a limit for lists, too.
const FULL_ENTRIES: usize = 2048;
const FULL_LISTS: usize = 512;
/// Maximum number of entries of a batch: those of a batch that is not full, and a piece.
const MOST_ENTRIES: usize = FULL_ENTRIES + PIECE;
/// Minimum length of contiguous lists that are passed without copying; shorter if visitors stop early.
const APART: usize = 64;
/// Maximum length of lists that are copied without a function call.
const SHORT: usize = 8;
/// Packer of the lists of one worker into batches.
pub struct Packer<'v> {
    visit: &'v dyn Visit,
    /// Worker's visitor, created when the first batch is passed on.
    worker: Option<Box<dyn VisitBatch + 'v>>,
    batch: Gathered,
    /// Number of entries of the current list, including those passed on, and the number at which the pending entries
    /// are passed on.
    entries: usize,
    next_cut: usize,
    first_piece: usize,
    piece: usize,
    apart: usize,
    reads_weights: bool,
    /// True if the first list of the batch continues the last list of the previous batch.
    continues: bool,
    /// True if the visitor skips the rest of the current list.
    skips: bool,
    failed: Option<Error>,
    handed_over: HandedOver,
}

/// Counts of the data passed on.
#[derive(Clone, Copy, Debug, Default)]
struct HandedOver {
    batches: u64,
    lists: u64,
    entries: u64,
}

/// Lists of an unfinished batch. The maximum memory is allocated at once, so nothing grows.
struct Gathered {
    vertices: Vec<VertexId>,
    places: Vec<Range<usize>>,
    ids: Vec<VertexId>,
    /// Weights of the IDs; empty if there are none.
    weights: Vec<f64>,
}

/// Buffers of finished packers for reuse: a road network has a thousand rounds of a few vertices. Not thread-local,
/// since registering a thread-local destructor aborts the process if the system refuses memory for it.
static SPARE: Mutex<Vec<Gathered>> = Mutex::new(Vec::new());
/// Maximum number of buffers kept for reuse.
const MOST_SPARE: usize = 16;

impl Gathered {
    /// Takes the buffers of a finished packer, if any, or allocates new ones.
    fn spare() -> Self {
        SPARE.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_else(|| Self {
            vertices: Vec::with_capacity(FULL_LISTS),
            places: Vec::with_capacity(FULL_LISTS),
            ids: Vec::with_capacity(MOST_ENTRIES),
            weights: Vec::with_capacity(MOST_ENTRIES),
        })
    }

    /// Returns the buffers for reuse.
    fn leave(mut self) {
        self.clear();
        if let Ok(mut spare) = SPARE.lock()
            && spare.len() < MOST_SPARE
        {
            spare.push(self);
        }
    }

    /// Starts the list of `vertex`; its end is set after its entries.
    #[inline]
    fn begin(&mut self, vertex: VertexId) {
        self.vertices.push(vertex);
    }

    /// Ends the current list.
    #[inline]
    fn end(&mut self) {
        let start = self.places.last().map_or(0, |places| places.end);
        self.places.push(start..self.ids.len());
    }

    fn clear(&mut self) {
        self.vertices.clear();
        self.places.clear();
        self.ids.clear();
        self.weights.clear();
    }

    /// Appends entries with widened weights. If only some lists have weights, entries of the others weigh 1.
    #[inline]
    fn append(&mut self, list: StoredNeighbors<'_>) {
        let ids = list.ids();
        match list.weights() {
            None if self.weights.is_empty() => {}
            None => self.weights.resize(self.ids.len() + ids.len(), 1.0),
            Some(weights) => {
                self.weights.resize(self.ids.len(), 1.0);
                weights.widen(&mut self.weights);
            }
        }
        if ids.len() <= SHORT {
            ids.iter().for_each(|id| self.ids.push(*id));
        } else {
            self.ids.extend_from_slice(ids);
        }
    }
}

impl<'v> Packer<'v> {
    /// Maximum number of entries of a list that is never cut.
    pub(crate) const FEW: usize = FIRST_PIECE;

    /// Maximum memory of a packer, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = (MOST_ENTRIES * 12 + FULL_LISTS * (4 + size_of::<Range<usize>>())) as u64;

    /// Creates a packer for a new worker of `visit`.
    pub(crate) fn new(visit: &'v dyn Visit) -> Self {
        Self::in_pieces(visit, PIECE)
    }

    /// Same as [`Packer::new`] with shorter pieces, for tests of visitors.
    #[doc(hidden)]
    pub fn in_pieces(visit: &'v dyn Visit, piece: usize) -> Self {
        Self {
            visit,
            worker: None,
            batch: Gathered::spare(),
            entries: 0,
            next_cut: 0,
            first_piece: if visit.stops_early() { FIRST_PIECE.min(piece) } else { piece },
            piece,
            apart: if visit.stops_early() { SHORT } else { APART },
            reads_weights: visit.reads_weights(),
            continues: false,
            skips: false,
            failed: None,
            handed_over: HandedOver::default(),
        }
    }

    /// Starts the list of `vertex`.
    #[inline]
    pub(crate) fn begin(&mut self, vertex: VertexId) {
        self.batch.begin(vertex);
        self.entries = 0;
        self.next_cut = self.first_piece;
        self.skips = false;
    }

    /// Adds the next entries of the current list; returns `Break` if no more are requested.
    #[inline]
    pub(crate) fn piece(&mut self, piece: StoredNeighbors<'_>) -> ControlFlow<()> {
        let piece = self.as_read(piece);
        if self.entries + piece.len() > self.next_cut {
            return self.cut(piece);
        }
        self.batch.append(piece);
        self.entries += piece.len();
        ControlFlow::Continue(())
    }

    /// Ends the current list.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor, including those of earlier pieces.
    #[inline]
    pub(crate) fn end(&mut self) -> Result<()> {
        if self.skips {
            return self.failed.take().map_or(Ok(()), Err);
        }
        self.batch.end();
        self.hand_over_if_full()
    }

    /// Adds the list of `vertex`, of at most [`Packer::FEW`] entries, which `append` appends to the IDs, or nothing on
    /// error. The caller must then call [`Packer::hand_over_if_full`].
    #[inline]
    pub(crate) fn push<E>(
        &mut self,
        vertex: VertexId,
        append: impl FnOnce(&mut Vec<VertexId>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        append(&mut self.batch.ids)?;
        self.batch.begin(vertex);
        self.batch.end();
        Ok(())
    }

    /// Returns the list without weights that the visitor does not read.
    #[inline]
    fn as_read<'l>(&self, list: StoredNeighbors<'l>) -> StoredNeighbors<'l> {
        if self.reads_weights { list } else { list.without_weights() }
    }

    /// Passes the batch to the visitor if it is full.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    #[inline]
    pub(crate) fn hand_over_if_full(&mut self) -> Result<()> {
        if self.batch.ids.len() >= FULL_ENTRIES || self.batch.vertices.len() >= FULL_LISTS {
            _ = self.hand_over(false)?;
        }
        Ok(())
    }

    /// Adds the whole list of `vertex`.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    #[inline]
    pub fn list(&mut self, vertex: VertexId, list: StoredNeighbors<'_>) -> Result<()> {
        if list.len() <= SHORT && list.len() <= self.first_piece {
            self.batch.begin(vertex);
            self.batch.append(self.as_read(list));
            self.batch.end();
            return self.hand_over_if_full();
        }
        if list.len() >= self.apart && list.len() <= self.piece {
            return self.apart(vertex, self.as_read(list));
        }
        self.begin(vertex);
        _ = self.piece(list);
        self.end()
    }

    /// Passes on the batch so far, then `batch` as it is.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    pub(super) fn pass(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        if !self.batch.vertices.is_empty() {
            _ = self.hand_over(false)?;
        }
        let visit = self.visit;
        self.worker.get_or_insert_with(|| visit.worker()).lists(batch)
    }

    /// Passes the last batch to the visitor and finishes it.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    pub fn finish(self, statistics: &AccessStatistics) -> Result<()> {
        let HandedOver { batches, lists, entries } = self.hand_over_rest()?;
        statistics.count_batches(batches, lists, entries);
        Ok(())
    }

    /// Adds the data passed on so far to the statistics, so that they show the progress of reading.
    pub(crate) fn count(&mut self, statistics: &AccessStatistics) {
        let HandedOver { batches, lists, entries } = std::mem::take(&mut self.handed_over);
        statistics.count_batches(batches, lists, entries);
    }

    /// Same as [`Packer::finish`] for lists that another packer has passed on and counted.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    pub(crate) fn close(self) -> Result<()> {
        self.hand_over_rest().map(drop)
    }

    fn hand_over_rest(mut self) -> Result<HandedOver> {
        if !self.batch.vertices.is_empty() {
            _ = self.hand_over(false)?;
        }
        self.batch.leave();
        self.worker.map_or(Ok(()), |mut worker| worker.finish())?;
        Ok(self.handed_over)
    }

    /// Passes on a list as a separate batch, without copying its IDs, nor its weights unless they must be widened.
    fn apart(&mut self, vertex: VertexId, list: StoredNeighbors<'_>) -> Result<()> {
        if self.continues {
            // Pass on the pieces of the previous list first: they must be contiguous.
            _ = self.hand_over(false)?;
        }
        // Widen the weights after those of the batch, where one list fits.
        let (behind, room) = (self.batch.ids.len(), &mut self.batch.weights);
        let weights = list.weights().map(|weights| {
            weights.in_place().unwrap_or_else(|| {
                room.resize(behind, 1.0);
                weights.widen(room);
                &room[behind..]
            })
        });
        let places = 0..list.len();
        let batch = ListBatch {
            vertices: &[vertex],
            places: std::slice::from_ref(&places),
            ids: list.ids(),
            weights,
            continues: false,
            continues_after: false,
        };
        self.handed_over.count(&batch);
        let visit = self.visit;
        _ = self.worker.get_or_insert_with(|| visit.worker()).lists(&batch)?;
        self.batch.weights.truncate(behind);
        Ok(())
    }

    /// Appends entries to a list that has more entries than one piece.
    #[inline(never)]
    fn cut(&mut self, mut rest: StoredNeighbors<'_>) -> ControlFlow<()> {
        while !self.skips && self.entries + rest.len() > self.next_cut {
            let room = self.next_cut - self.entries;
            let now = rest.part(0..room);
            rest = rest.part(room..rest.len());
            self.batch.append(now);
            self.entries += room;
            self.next_cut = (self.next_cut + 1).next_multiple_of(self.piece);
            let vertex = self.batch.vertices.last().copied();
            self.batch.end();
            match self.hand_over(true) {
                Ok(ControlFlow::Continue(())) => vertex.into_iter().for_each(|vertex| self.batch.begin(vertex)),
                Ok(ControlFlow::Break(())) => (self.skips, self.continues) = (true, false),
                Err(error) => (self.skips, self.failed) = (true, Some(error)),
            }
        }
        if self.skips {
            return ControlFlow::Break(());
        }
        self.batch.append(rest);
        self.entries += rest.len();
        ControlFlow::Continue(())
    }

    #[inline(never)]
    fn hand_over(&mut self, continues_after: bool) -> Result<ControlFlow<()>> {
        let Gathered { vertices, places, ids, weights } = &mut self.batch;
        let weights = (!weights.is_empty()).then(|| {
            weights.resize(ids.len(), 1.0);
            weights.as_slice()
        });
        let batch = ListBatch { vertices, places, ids, weights, continues: self.continues, continues_after };
        self.handed_over.count(&batch);
        self.continues = continues_after;
        let visit = self.visit;
        let flow = self.worker.get_or_insert_with(|| visit.worker()).lists(&batch);
        self.batch.clear();
        flow
    }
}

impl HandedOver {
    const fn count(&mut self, batch: &ListBatch<'_>) {
        self.batches += 1;
        self.lists += batch.vertices.len() as u64;
        self.entries += batch.ids.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{FoldLists, Neighbors, StoredWeights, VisitBatch};
    use outcrop_types::WeightType;

    /// Received pieces: vertex, position of the first entry, length.
    #[derive(Default)]
    struct Cuts {
        early: bool,
        /// Number of entries after which a list is skipped.
        most: usize,
        pieces: Mutex<Vec<(VertexId, usize, usize)>>,
        weights: Mutex<Vec<f64>>,
        ended: Mutex<Vec<VertexId>>,
    }

    impl FoldLists for Cuts {
        type Fold = usize;

        fn stops_early(&self) -> bool {
            self.early
        }

        fn begin(&self, _: VertexId) -> usize {
            0
        }

        fn neighbors(&self, vertex: VertexId, seen: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
            assert!(piece.ids().iter().enumerate().all(|(place, id)| *id as usize == *seen + place));
            self.pieces.lock().unwrap().push((vertex, *seen, piece.len()));
            self.weights.lock().unwrap().extend(piece.weights().unwrap_or_default());
            *seen += piece.len();
            if *seen < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }

        fn end(&self, vertex: VertexId, _: usize) {
            self.ended.lock().unwrap().push(vertex);
        }
    }

    /// Returns the pieces of lists of these lengths that arrive in parts of `part` entries.
    fn packed(cuts: &Cuts, lengths: &[usize], part: usize) -> (Vec<(VertexId, usize, usize)>, u64) {
        let ids: Vec<VertexId> = (0..20_000).collect();
        let (statistics, mut packer) = (AccessStatistics::default(), Packer::new(cuts));
        for (vertex, length) in (0..).zip(lengths) {
            if part == usize::MAX {
                packer.list(vertex, Neighbors::new(&ids[..*length], None).into()).unwrap();
                continue;
            }
            packer.begin(vertex);
            let mut parts = ids[..*length].chunks(part);
            _ = parts.try_for_each(|ids| packer.piece(StoredNeighbors::new(ids, None)));
            packer.end().unwrap();
        }
        packer.finish(&statistics).unwrap();
        assert_eq!(cuts.ended.lock().unwrap().len(), lengths.len(), "each list is ended once");
        let mut pieces = std::mem::take(&mut *cuts.pieces.lock().unwrap());
        pieces.sort_unstable();
        let figures = statistics.figures();
        if cuts.most == usize::MAX {
            assert_eq!(figures.entries, lengths.iter().sum::<usize>() as u64);
        }
        (pieces, figures.batches)
    }

    #[test]
    fn pieces_are_cut_by_their_place_in_the_list_however_it_arrives() {
        let lengths = [0, 1, 4095, 4096, 4097, 3, 9000, 128, 129, 8192, 0, 70];
        for early in [false, true] {
            for part in [1, 7, 512, 4096, 10_000, usize::MAX] {
                let cuts = Cuts { early, most: usize::MAX, ..Cuts::default() };
                let (pieces, _) = packed(&cuts, &lengths, part);
                for (vertex, length) in (0..).zip(lengths) {
                    let own: Vec<_> =
                        pieces.iter().filter(|(of, ..)| *of == vertex).map(|(_, at, n)| (*at, *n)).collect();
                    let whole = part == usize::MAX && length <= PIECE;
                    let cuts = if early && !whole { vec![0, 128, 4096, 8192] } else { vec![0, 4096, 8192] };
                    let ends = cuts.iter().skip(1).copied().chain([usize::MAX]);
                    let pieces =
                        cuts.iter().zip(ends).map(|(start, end)| (*start, end.min(length).saturating_sub(*start)));
                    let expected: Vec<_> = pieces.filter(|(_, length)| *length > 0).collect();
                    assert_eq!(own, expected, "{length} entries in parts of {part}");
                }
            }
        }
    }

    #[test]
    fn a_list_that_is_left_is_ended_and_not_gone_on_with() {
        for (early, left) in [(true, 128), (false, 4096)] {
            let cuts = Cuts { early, most: 1, ..Cuts::default() };
            let (pieces, _) = packed(&cuts, &[9000, 5, 9000], 300);
            assert_eq!(pieces, [(0, 0, left), (1, 0, 5), (2, 0, left)]);
        }
    }

    /// Lists of all lengths with one-byte weights: each is copied, cut or passed on separately.
    #[test]
    fn weights_are_widened_for_those_who_look_at_them() {
        struct Unweighted<'c>(&'c Cuts);

        impl Visit for Unweighted<'_> {
            fn reads_weights(&self) -> bool {
                false
            }

            fn worker(&self) -> Box<dyn VisitBatch + '_> {
                self.0.worker()
            }
        }

        let ids: Vec<VertexId> = (0..5000).collect();
        let bytes: Vec<u8> = ids.iter().map(|id| (id % 251) as u8).collect();
        let lengths = [3, 70, 8, 0, 9, 4096, 1, 5000, 64, 2];
        let pack = |visit: &dyn Visit| {
            let mut packer = Packer::new(visit);
            for (vertex, length) in (0..).zip(lengths) {
                let weights = StoredWeights::new(WeightType::U8, &bytes[..length]);
                packer.list(vertex, StoredNeighbors::new(&ids[..length], Some(weights))).unwrap();
            }
            packer.close().unwrap();
        };
        let cuts = Cuts { most: usize::MAX, ..Cuts::default() };
        pack(&cuts);
        let mut seen = std::mem::take(&mut *cuts.weights.lock().unwrap());
        let mut expected: Vec<f64> =
            lengths.into_iter().flat_map(|length| bytes[..length].iter().map(|byte| f64::from(*byte))).collect();
        assert_eq!(seen.len(), expected.len());
        seen.sort_unstable_by(f64::total_cmp);
        expected.sort_unstable_by(f64::total_cmp);
        assert_eq!(seen, expected);
        pack(&Unweighted(&cuts));
        assert!(cuts.weights.lock().unwrap().is_empty());
        assert_eq!(cuts.ended.lock().unwrap().len(), 2 * lengths.len());
    }

    /// Checks that a batch continues a list exactly if the previous batch announced it.
    #[derive(Default)]
    struct InOrder {
        open: Mutex<Option<VertexId>>,
        /// Lists that were continued.
        long: Mutex<Vec<VertexId>>,
    }

    struct InOrderBatch<'v>(&'v InOrder);

    impl Visit for InOrder {
        fn worker(&self) -> Box<dyn VisitBatch + '_> {
            Box::new(InOrderBatch(self))
        }
    }

    impl VisitBatch for InOrderBatch<'_> {
        fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
            let mut open = self.0.open.lock().unwrap();
            assert_eq!(batch.continues, open.is_some());
            let vertices: Vec<VertexId> = batch.lists().map(|(vertex, _)| vertex).collect();
            if let Some(open) = open.take() {
                assert_eq!(vertices[0], open, "the pieces of a list come one after the other");
                self.0.long.lock().unwrap().push(open);
            }
            *open = vertices.last().copied().filter(|_| batch.continues_after);
            Ok(ControlFlow::Continue(()))
        }
    }

    #[test]
    fn nothing_comes_between_the_pieces_of_a_list() {
        let ids: Vec<VertexId> = (0..20_000).collect();
        let lengths = [9000, 100, 5000, 3, 10, 4097, 4096, 64, 63, 20_000, 4000];
        let visit = InOrder::default();
        let mut packer = Packer::new(&visit);
        for (vertex, length) in (0..).zip(lengths) {
            packer.list(vertex, Neighbors::new(&ids[..length], None).into()).unwrap();
        }
        packer.close().unwrap();
        let mut long = visit.long.into_inner().unwrap();
        long.dedup();
        assert_eq!((long, visit.open.into_inner().unwrap()), (vec![0, 2, 5, 9], None));
    }

    #[test]
    fn a_batch_has_many_lists() {
        let cuts = Cuts { most: usize::MAX, ..Cuts::default() };
        let (_, batches) = packed(&cuts, &[3; 10_000], usize::MAX);
        assert!(batches <= 10_000 / 400, "{batches} batches");
        let cuts = Cuts { most: usize::MAX, ..Cuts::default() };
        let (_, batches) = packed(&cuts, &[40; 10_000], 40);
        assert!(batches <= 10_000 / 40, "{batches} batches");
    }

    #[test]
    fn entries_without_weights_among_others_weigh_one() {
        let cuts = Cuts { most: usize::MAX, ..Cuts::default() };
        let mut packer = Packer::new(&cuts);
        packer.list(0, Neighbors::new(&[0], None).into()).unwrap();
        packer.list(1, Neighbors::new(&[0, 1], Some(&[2.0, 3.0])).into()).unwrap();
        packer.list(2, Neighbors::new(&[0], None).into()).unwrap();
        packer.finish(&AccessStatistics::default()).unwrap();
        assert_eq!(*cuts.weights.lock().unwrap(), [1.0, 2.0, 3.0, 1.0]);
    }
}
