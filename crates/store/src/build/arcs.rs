//! From edges between vertices to sorted arcs, and from these to the lists on disk.

use super::sort::{ArcRecord, ExternalSorter, SortedRecords};
use super::{Workshop, Writing, preflight};
use crate::layout::csr::CsrWriter;
use crate::manifest::{CsrEntry, Dedup, FileEntry};
use outcrop_types::{Direction, Error, Location, Phase, ProgressUnit, Result, VertexId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Progress is told every so many arcs.
const PROGRESS_ARCS: u64 = 1 << 20;

/// Sorts the arcs of both directions; of an undirected graph, one direction in which each edge stands at both ends.
pub(super) struct ArcSorters<A: ArcRecord> {
    out: ExternalSorter<A>,
    reverse: Option<ExternalSorter<A>>,
}

/// What was written.
pub(super) struct Lists {
    pub(super) edges: u64,
    pub(super) files: Vec<FileEntry>,
}

impl<A: ArcRecord> ArcSorters<A> {
    /// Sorters that share `bytes` of memory.
    pub(super) fn new(shop: &Workshop<'_>, bytes: u64) -> Result<Self> {
        let directed = !shop.options.undirected;
        let share = if directed { bytes / 2 } else { bytes };
        let sorter = || ExternalSorter::new(&shop.spill, share, false, shop.budget, shop.cancellation);
        Ok(Self { out: sorter()?, reverse: directed.then(sorter).transpose()? })
    }

    /// Takes an edge.
    #[inline]
    pub(super) fn push(&mut self, source: VertexId, target: VertexId, weight: f32) -> Result<()> {
        self.out.push(A::new(source, target, weight))?;
        match &mut self.reverse {
            Some(reverse) => reverse.push(A::new(target, source, weight)),
            None if source != target => self.out.push(A::new(target, source, weight)),
            None => Ok(()),
        }
    }

    /// Writes the lists, both directions at once.
    pub(super) fn write(self, writing: &Writing<'_, '_>, vertices: u32) -> Result<(Vec<CsrEntry>, Lists)> {
        let directions = if self.reverse.is_some() { 2 } else { 1 };
        preflight::require(writing.shop.storage, writing.staging.folder(), directions * 4 * u64::from(vertices))?;
        let total = self.out.len() + self.reverse.as_ref().map_or(0, ExternalSorter::len);
        writing.shop.observer.phase(&Phase { name: "writing lists", unit: ProgressUnit::Edges, total: Some(total) });
        let done = AtomicU64::new(0);
        let write = |sorter: ExternalSorter<A>, direction| {
            Direct { writing, direction, done: &done }.write(sorter.finish()?, vertices)
        };
        let reverse = self.reverse;
        let (out, reverse) = std::thread::scope(|scope| {
            let reverse = reverse.map(|sorter| scope.spawn(|| write(sorter, Direction::In)));
            let out = write(self.out, Direction::Out);
            (out, reverse.map(|thread| thread.join().unwrap_or(Err(Error::Interrupted))))
        });
        let (out, reverse) = (out?, reverse.transpose()?);
        let edges = if reverse.is_some() { out.csr.arcs } else { (out.csr.arcs + out.loops) / 2 };
        let (mut csr, mut files) = (vec![out.csr], Vec::from(out.files));
        if let Some(reverse) = reverse {
            csr.push(reverse.csr);
            files.extend(reverse.files);
        }
        Ok((csr, Lists { edges, files }))
    }
}

/// One direction as written.
struct WrittenDirection {
    csr: CsrEntry,
    loops: u64,
    files: [FileEntry; 2],
}

/// Writes one direction.
struct Direct<'w> {
    writing: &'w Writing<'w, 'w>,
    direction: Direction,
    done: &'w AtomicU64,
}

impl Direct<'_> {
    fn write<A: ArcRecord>(&self, mut arcs: SortedRecords<A>, vertices: u32) -> Result<WrittenDirection> {
        let Writing { shop, staging, id, .. } = self.writing;
        let mut writer = CsrWriter::create(
            shop.storage,
            staging.folder(),
            *id,
            self.direction,
            A::WEIGHTED,
            shop.interval_arcs,
            shop.cancellation,
        )?;
        let (mut pending, mut loops, mut taken) = (None, 0, 0_u64);
        while let Some(arc) = arcs.next()? {
            taken += 1;
            if taken.is_multiple_of(PROGRESS_ARCS) {
                self.tell_progress(PROGRESS_ARCS)?;
            }
            match pending.replace(arc) {
                Some(before) if before.key() == arc.key() && shop.options.dedup != Dedup::Keep => {
                    pending = Some(combine(shop.options.dedup, before, arc)?);
                }
                Some(before) => loops += emit(&mut writer, before)?,
                None => {}
            }
        }
        loops += pending.map_or(Ok(0), |last| emit(&mut writer, last))?;
        self.tell_progress(taken % PROGRESS_ARCS)?;
        let (csr, files) = writer.finish(vertices)?;
        Ok(WrittenDirection { csr, loops, files })
    }

    fn tell_progress(&self, arcs: u64) -> Result<()> {
        let shop = self.writing.shop;
        shop.observer.progress(self.done.fetch_add(arcs, Relaxed) + arcs);
        shop.cancellation.check()
    }
}

/// Writes an arc; 1 where it is a loop.
#[inline]
fn emit<A: ArcRecord>(writer: &mut CsrWriter, arc: A) -> Result<u64> {
    let (vertex, neighbour, weight) = arc.parts();
    writer.push(vertex, neighbour, weight)?;
    Ok(u64::from(vertex == neighbour))
}

/// One arc for two between the same vertices.
fn combine<A: ArcRecord>(dedup: Dedup, first: A, second: A) -> Result<A> {
    let (vertex, neighbour, one) = first.parts();
    let (_, _, other) = second.parts();
    let weight = match dedup {
        Dedup::Keep | Dedup::First => one,
        Dedup::Sum => one + other,
        Dedup::Min => one.min(other),
        Dedup::Max => one.max(other),
    };
    if weight.is_finite() {
        return Ok(A::new(vertex, neighbour, weight));
    }
    let message = format!(
        "the weights of a repeated edge add up to {weight}; expected a finite sum (--dedup keeps, or takes the first, least or largest)"
    );
    Err(Error::bad_input(Location::file("the input"), message))
}
