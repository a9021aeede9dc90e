//! Passes decoded lists to a visitor without copying them.

use crate::access::{AccessStatistics, ListBatch, PIECE, Visit, VisitBatch};
use outcrop_types::{Result, VertexId, VertexRange};
use std::ops::Range;

/// Number of lists after which a batch is passed on.
const FULL_LISTS: usize = 512;

/// Batches of slices of decoded lists for one worker.
pub(super) struct ListSlices<'l> {
    ids: &'l [VertexId],
    weights: Option<&'l [f64]>,
    /// Worker's visitor.
    worker: Box<dyn VisitBatch + 'l>,
    vertices: Vec<VertexId>,
    places: Vec<Range<usize>>,
    /// Counts of the data passed on: batches, lists and entries.
    passed: (u64, u64, u64),
}

impl<'l> ListSlices<'l> {
    /// Creates batches for a new worker of `visit`, of lists with their entries in `ids` and `weights`.
    pub(super) fn new(visit: &'l dyn Visit, ids: &'l [VertexId], weights: Option<&'l [f64]>) -> Self {
        let (vertices, places) = (Vec::with_capacity(FULL_LISTS), Vec::with_capacity(FULL_LISTS));
        Self { ids, weights, worker: visit.worker(), vertices, places, passed: (0, 0, 0) }
    }

    /// Adds the list of `vertex`, whose entries are at `places`.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    #[inline]
    pub(super) fn list(&mut self, vertex: VertexId, places: Range<usize>) -> Result<()> {
        if places.len() > PIECE {
            return self.pieces(vertex, places);
        }
        self.passed.2 += places.len() as u64;
        self.vertices.push(vertex);
        self.places.push(places);
        if self.vertices.len() == FULL_LISTS { self.pass() } else { Ok(()) }
    }

    /// Adds the lists of consecutive vertices, whose entries are between `starts` (one more than vertices).
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    pub(super) fn lists(&mut self, vertices: VertexRange, starts: &[u64]) -> Result<()> {
        for (vertices, starts) in
            vertices.split(FULL_LISTS as u32).zip((0..).step_by(FULL_LISTS).map(|at| &starts[at..]))
        {
            let ends = starts.iter().skip(1).take(vertices.len());
            let places = starts.iter().zip(ends).map(|(start, end)| *start as usize..*end as usize);
            if places.clone().any(|places| places.len() > PIECE) {
                vertices.iter().zip(places).try_for_each(|(vertex, places)| self.list(vertex, places))?;
                continue;
            }
            self.pass()?;
            self.vertices.extend(vertices.iter());
            self.places.extend(places);
            self.passed.2 += starts[vertices.len()] - starts[0];
            self.pass()?;
        }
        Ok(())
    }

    /// Passes on the lists so far, then a long list in pieces.
    #[inline(never)]
    fn pieces(&mut self, vertex: VertexId, places: Range<usize>) -> Result<()> {
        self.pass()?;
        let Self { ids, weights, .. } = *self;
        for start in places.clone().step_by(PIECE) {
            let piece = start..places.end.min(start + PIECE);
            let (continues, continues_after) = (start > places.start, piece.end < places.end);
            self.passed = (self.passed.0 + 1, self.passed.1 + 1, self.passed.2 + piece.len() as u64);
            let places = &[piece];
            let batch = ListBatch { vertices: &[vertex], places, ids, weights, continues, continues_after };
            if self.worker.lists(&batch)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn pass(&mut self) -> Result<()> {
        let Self { ids, weights, vertices, places, .. } = self;
        if vertices.is_empty() {
            return Ok(());
        }
        let (ids, weights) = (*ids, *weights);
        self.passed = (self.passed.0 + 1, self.passed.1 + vertices.len() as u64, self.passed.2);
        let batch = ListBatch { vertices, places, ids, weights, continues: false, continues_after: false };
        _ = self.worker.lists(&batch)?;
        self.vertices.clear();
        self.places.clear();
        Ok(())
    }

    /// Adds the data passed on so far to the statistics, so that they show the progress of reading.
    pub(super) fn count(&mut self, statistics: &AccessStatistics) {
        // Entries are counted before their batch.
        if self.passed.0 > 0 {
            let (batches, lists, entries) = std::mem::take(&mut self.passed);
            statistics.count_batches(batches, lists, entries);
        }
    }

    /// Passes the last batch to the visitor and finishes it.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    pub(super) fn finish(mut self, statistics: &AccessStatistics) -> Result<()> {
        self.pass()?;
        self.count(statistics);
        self.worker.finish()
    }
}
