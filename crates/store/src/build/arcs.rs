//! From edges between vertices to sorted arcs, and from these to the lists on disk.

use super::sort::{ArcRecord, ExternalSorter, SortedRecords};
use super::{Workshop, Writing, preflight};
use crate::arc_hash::ArcHash;
use crate::layout::Layout;
use crate::layout::chunked::ChunkedWriter;
use crate::layout::compact::{CompactWriter, ListBytes};
use crate::layout::csr::{CsrWriter, ListGeometry};
use crate::layout::sliding::{ListSpiller, SlidingSettings, SpilledLists, Target, write_shards};
use crate::manifest::{ChunkedEntry, CompactEntry, CsrEntry, Dedup, FileEntry, SlidingEntry};
use outcrop_types::{
    Direction, Error, Location, Phase, ProgressUnit, Result, VertexId, WeightRounding, WeightType, WeightTypes,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Progress is told every so many arcs.
const PROGRESS_ARCS: u64 = 1 << 20;

/// Sorts the arcs of both directions; of an undirected graph, one direction in which each edge stands at both ends.
pub(super) struct ArcSorters<A: ArcRecord> {
    out: ExternalSorter<A>,
    reverse: Option<ExternalSorter<A>>,
    /// Of all arcs that were taken; of a directed graph none, as its two directions tell on each other.
    hash: Option<ArcHash>,
    weights: TakenWeights,
}

/// Weights on their way to the sorters.
#[derive(Default)]
struct TakenWeights {
    asked: Option<WeightType>,
    /// Of those that were taken, where no type was asked for.
    types: WeightTypes,
    rounding: WeightRounding,
}

impl TakenWeights {
    /// The weight as it is kept; that of an edge without direction may be taken twice, and is noted once.
    #[inline]
    fn take(&mut self, source: VertexId, target: VertexId, weight: f64, noted: bool) -> Result<f64> {
        let Some(kind) = self.asked else {
            self.types.take(weight);
            return Ok(weight);
        };
        let kept = kind.kept(weight).ok_or_else(|| not_kept(weight, kind))?;
        if noted {
            self.rounding.note(weight, kept, || format!("the edge from vertex number {source} to {target}"));
        }
        Ok(kept)
    }

    fn decide(&self, dedup: Dedup) -> WeightType {
        self.asked.unwrap_or_else(|| match dedup {
            Dedup::Sum => self.types.narrowest_of_sums(),
            Dedup::Keep | Dedup::First | Dedup::Min | Dedup::Max => self.types.narrowest(),
        })
    }
}

#[cold]
fn not_kept(weight: f64, kind: WeightType) -> Error {
    let message = format!(
        "an edge has the weight {weight}, which {} does not hold; leave --weight-type out, or ask for a wider one",
        kind.name()
    );
    Error::bad_input(Location::file("the input"), message)
}

/// Written lists.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) edges: u64,
    pub(super) arc_hash: ArcHash,
    /// The type of the weights that were written, and which of them were rounded.
    pub(super) weights: Option<WeightType>,
    pub(super) rounding: WeightRounding,
    pub(super) csr: Vec<CsrEntry>,
    pub(super) chunked: Vec<ChunkedEntry>,
    pub(super) compact: Vec<CompactEntry>,
    pub(super) sliding: Option<SlidingEntry>,
    pub(super) files: Vec<FileEntry>,
}

impl<A: ArcRecord> ArcSorters<A> {
    /// Sorters that share `bytes` of memory.
    pub(super) fn new(shop: &Workshop<'_>, bytes: u64) -> Result<Self> {
        let directed = !shop.options.undirected;
        let share = if directed { bytes / 2 } else { bytes };
        let sorter = || ExternalSorter::new(&shop.spill, share, false, shop.budget, shop.cancellation);
        Ok(Self {
            out: sorter()?,
            reverse: directed.then(sorter).transpose()?,
            hash: (!directed).then(ArcHash::default),
            weights: TakenWeights { asked: shop.options.weights.asked(), ..TakenWeights::default() },
        })
    }

    /// Takes an edge.
    #[inline]
    pub(super) fn push(&mut self, source: VertexId, target: VertexId, weight: f64) -> Result<()> {
        let weight = if A::WEIGHTED { self.weights.take(source, target, weight, true)? } else { weight };
        self.push_kept(source, target, weight)?;
        match &mut self.reverse {
            Some(reverse) => reverse.push(A::new(target, source, weight)),
            None if source != target => self.push_kept(target, source, weight),
            None => Ok(()),
        }
    }

    /// Takes an entry of a list of an undirected graph, which stands in the list of its other end too.
    #[inline]
    pub(super) fn push_entry(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        let noted = vertex <= neighbour;
        let weight = if A::WEIGHTED { self.weights.take(vertex, neighbour, weight, noted)? } else { weight };
        self.push_kept(vertex, neighbour, weight)
    }

    #[inline]
    fn push_kept(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        let entry = A::new(vertex, neighbour, weight);
        if let Some(hash) = &mut self.hash {
            *hash += entry.hash(Direction::Out);
        }
        self.out.push(entry)
    }

    /// Writes the lists, both directions at once.
    pub(super) fn write(self, writing: &Writing<'_, '_>, vertices: u32) -> Result<Lists> {
        let weights = A::WEIGHTED.then(|| self.weights.decide(writing.shop.options.dedup));
        let directions = if self.reverse.is_some() { 2 } else { 1 };
        preflight::require(writing.shop.storage, writing.staging.folder(), directions * 4 * u64::from(vertices))?;
        let total = self.out.len() + self.reverse.as_ref().map_or(0, ExternalSorter::len);
        writing.shop.observer.phase(&Phase { name: "writing lists", unit: ProgressUnit::Edges, total: Some(total) });
        let done = AtomicU64::new(0);
        let write = |sorter: ExternalSorter<A>, direction| {
            OneDirection { writing, direction, weights, done: &done }.write(sorter.finish()?, vertices)
        };
        let reverse = self.reverse;
        let (out, reverse) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("outcrop-in-lists".to_owned());
            let reverse = reverse.map(|sorter| thread.spawn_scoped(scope, || write(sorter, Direction::In))).transpose();
            let reverse = match reverse {
                Ok(reverse) => reverse,
                Err(source) => return (Err(Error::io("start", "a writing thread", source)), None),
            };
            let out = write(self.out, Direction::Out);
            let panicked = |payload: Box<_>| Err(Error::panicked("the thread that writes in-lists", &*payload));
            (out, reverse.map(|thread| thread.join().unwrap_or_else(panicked)))
        });
        let (out, reverse) = (out?, reverse.transpose()?);
        let taken = self.hash.unwrap_or(out.taken);
        for direction in std::iter::once(&out).chain(&reverse) {
            if direction.taken != taken || direction.written != out.written {
                return Err(Error::internal("the sorted arcs are not those of the edges"));
            }
        }
        let edges = if reverse.is_some() { out.arcs } else { (out.arcs + out.loops) / 2 };
        let rounding = self.weights.rounding;
        let mut lists = Lists { edges, arc_hash: out.written, weights, rounding, ..Lists::default() };
        let mut spilled = Vec::new();
        for written in std::iter::once(out).chain(reverse) {
            match written.entry {
                Entry::Csr(entry) => lists.csr.push(entry),
                Entry::Chunked(entry) => lists.chunked.push(entry),
                Entry::Compact(entry) => lists.compact.push(entry),
                Entry::Spilled(lists) => spilled.push(lists),
            }
            lists.files.extend(written.files);
        }
        if let Layout::Sliding(settings) = writing.shop.options.layout {
            lists.add_shards(writing, settings, vertices, &spilled)?;
        }
        Ok(lists)
    }
}

impl Lists {
    /// Writes shards from lists that were set aside.
    fn add_shards(
        &mut self,
        writing: &Writing<'_, '_>,
        settings: SlidingSettings,
        vertices: u32,
        spilled: &[SpilledLists],
    ) -> Result<()> {
        let Writing { shop, staging, id, .. } = writing;
        let Some(lists) = spilled.iter().find(|lists| lists.has_lists()) else { return Ok(()) };
        let out = spilled.iter().find(|lists| !lists.has_lists());
        let (storage, folder, budget, cancellation) = (shop.storage, staging.folder(), shop.budget, shop.cancellation);
        let target = Target { storage, folder, id: *id, settings, vertices, budget, cancellation };
        let total = Some(lists.arcs());
        shop.observer.phase(&Phase { name: "writing shards", unit: ProgressUnit::Edges, total });
        let mut done = 0;
        let (entry, files) = write_shards(&target, lists, out, &mut |arcs| {
            done += arcs;
            shop.observer.progress(done);
        })?;
        self.sliding = Some(entry);
        self.files.extend(files);
        Ok(())
    }
}

/// One direction as written.
struct WrittenDirection {
    entry: Entry,
    arcs: u64,
    loops: u64,
    /// Of all arcs that the sorter gave back, and of those that were written.
    taken: ArcHash,
    written: ArcHash,
    files: Vec<FileEntry>,
}

enum Entry {
    Csr(CsrEntry),
    Chunked(ChunkedEntry),
    Compact(CompactEntry),
    Spilled(SpilledLists),
}

/// Receiver of the arcs of one direction in order: the writer of a layout.
trait ListWriter: Sized {
    fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()>;

    /// Entry of the lists in the manifest, number of arcs, and the files.
    fn finish(self, vertices: u32) -> Result<(Entry, u64, Vec<FileEntry>)>;
}

impl ListWriter for CsrWriter {
    #[inline]
    fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        Self::push(self, vertex, neighbour, weight)
    }

    fn finish(self, vertices: u32) -> Result<(Entry, u64, Vec<FileEntry>)> {
        let (entry, files) = Self::finish(self, vertices)?;
        let arcs = entry.arcs;
        Ok((Entry::Csr(entry), arcs, Vec::from(files)))
    }
}

impl ListWriter for ChunkedWriter {
    #[inline]
    fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        Self::push(self, vertex, neighbour, weight)
    }

    fn finish(self, vertices: u32) -> Result<(Entry, u64, Vec<FileEntry>)> {
        let (entry, files) = Self::finish(self, vertices)?;
        let arcs = entry.arcs;
        Ok((Entry::Chunked(entry), arcs, files))
    }
}

impl ListWriter for CompactWriter {
    #[inline]
    fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        Self::push(self, vertex, neighbour, weight)
    }

    fn finish(self, vertices: u32) -> Result<(Entry, u64, Vec<FileEntry>)> {
        let (entry, files) = Self::finish(self, vertices)?;
        let arcs = entry.arcs;
        Ok((Entry::Compact(entry), arcs, Vec::from(files)))
    }
}

impl ListWriter for ListSpiller {
    #[inline]
    fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        Self::push(self, vertex, neighbour, weight)
    }

    fn finish(self, vertices: u32) -> Result<(Entry, u64, Vec<FileEntry>)> {
        let (lists, arcs, degrees) = Self::finish(self, vertices)?;
        Ok((Entry::Spilled(lists), arcs, vec![degrees]))
    }
}

/// Writes one direction.
struct OneDirection<'w> {
    writing: &'w Writing<'w, 'w>,
    direction: Direction,
    weights: Option<WeightType>,
    done: &'w AtomicU64,
}

impl OneDirection<'_> {
    fn write<A: ArcRecord>(&self, arcs: SortedRecords<A>, vertices: u32) -> Result<WrittenDirection> {
        let Writing { shop, staging, id, .. } = self.writing;
        let (storage, folder, direction, cancellation) =
            (shop.storage, staging.folder(), self.direction, shop.cancellation);
        let weights = self.weights;
        match &shop.options.layout {
            Layout::Csr(settings) => {
                let (geometry, intervals) = (ListGeometry::new(weights, *settings), shop.interval_arcs);
                let writer = CsrWriter::create(storage, folder, *id, direction, geometry, intervals, cancellation)?;
                self.write_with(writer, arcs, vertices)
            }
            Layout::Compact(settings) => {
                let format = ListBytes { codec: settings.codec, weights, vertices };
                let writer = CompactWriter::create(storage, folder, *id, direction, format, cancellation)?;
                self.write_with(writer, arcs, vertices)
            }
            Layout::Sliding(_) => {
                // Shards are made of in-lists, which are all lists of an undirected graph.
                let keeps_lists = direction == Direction::In || shop.options.undirected;
                let to = (storage, folder, *id);
                let kept = (keeps_lists, weights);
                let writer = ListSpiller::create(to, direction, &shop.spill, kept, cancellation)?;
                self.write_with(writer, arcs, vertices)
            }
            Layout::Chunked(settings) => {
                let graph = (vertices, weights);
                let writer = ChunkedWriter::create(storage, folder, *id, direction, settings, graph, cancellation)?;
                self.write_with(writer, arcs, vertices)
            }
        }
    }

    fn write_with<A: ArcRecord, W: ListWriter>(
        &self,
        mut writer: W,
        mut arcs: SortedRecords<A>,
        vertices: u32,
    ) -> Result<WrittenDirection> {
        let dedup = self.writing.shop.options.dedup;
        let mut tally = Tally::of(self.direction, self.weights);
        let (mut pending, mut taken): (Option<A>, _) = (None, 0_u64);
        while let Some(arc) = arcs.next()? {
            taken += 1;
            if taken.is_multiple_of(PROGRESS_ARCS) {
                self.tell_progress(PROGRESS_ARCS)?;
            }
            match pending.replace(arc) {
                Some(before) if before.key() > arc.key() => return Err(misplaced()),
                Some(before) if before.key() == arc.key() && dedup != Dedup::Keep => {
                    pending = Some(tally.combine(dedup, before, arc)?);
                }
                Some(before) => tally.emit(&mut writer, before)?,
                None => {}
            }
        }
        if let Some(last) = pending {
            // The last vertex is the greatest.
            if last.parts().0 >= vertices || tally.greatest.max(last.parts().1) >= vertices {
                return Err(misplaced());
            }
            tally.emit(&mut writer, last)?;
        }
        self.tell_progress(taken % PROGRESS_ARCS)?;
        let (entry, arcs, files) = writer.finish(vertices)?;
        let Tally { loops, taken, written, .. } = tally;
        Ok(WrittenDirection { entry, arcs, loops, taken, written, files })
    }

    fn tell_progress(&self, arcs: u64) -> Result<()> {
        let shop = self.writing.shop;
        shop.observer.progress(self.done.fetch_add(arcs, Relaxed) + arcs);
        shop.cancellation.check()
    }
}

#[cold]
fn misplaced() -> Error {
    Error::internal("a sorted arc is out of order, or of a vertex that is not in the graph")
}

/// Counts of arcs on their way from a sorter to a writer.
struct Tally {
    direction: Direction,
    weights: Option<WeightType>,
    loops: u64,
    taken: ArcHash,
    written: ArcHash,
    /// The greatest neighbour.
    greatest: VertexId,
}

impl Tally {
    const fn of(direction: Direction, weights: Option<WeightType>) -> Self {
        let none = ArcHash::from_sum(0);
        Self { direction, weights, loops: 0, taken: none, written: none, greatest: 0 }
    }

    /// Writes an arc.
    #[inline]
    fn emit<A: ArcRecord, W: ListWriter>(&mut self, writer: &mut W, arc: A) -> Result<()> {
        let (vertex, neighbour, weight) = arc.parts();
        writer.push(vertex, neighbour, weight)?;
        let hash = arc.hash(self.direction);
        self.taken += hash;
        self.written += hash;
        self.loops += u64::from(vertex == neighbour);
        self.greatest = self.greatest.max(neighbour);
        Ok(())
    }

    /// One arc for two between the same vertices, which will be written in their place.
    fn combine<A: ArcRecord>(&mut self, dedup: Dedup, first: A, second: A) -> Result<A> {
        let combined = combine(dedup, self.weights, first, second)?;
        self.taken += first.hash(self.direction);
        self.taken += second.hash(self.direction);
        self.taken -= combined.hash(self.direction);
        Ok(combined)
    }
}

/// One arc for two between the same vertices.
fn combine<A: ArcRecord>(dedup: Dedup, weights: Option<WeightType>, first: A, second: A) -> Result<A> {
    let (vertex, neighbour, one) = first.parts();
    let (_, _, other) = second.parts();
    let weight = match dedup {
        Dedup::Keep | Dedup::First => one,
        Dedup::Sum => one + other,
        Dedup::Min => one.min(other),
        Dedup::Max => one.max(other),
    };
    let kind = weights.unwrap_or(WeightType::F64);
    if let Some(weight) = kind.kept(weight) {
        return Ok(A::new(vertex, neighbour, weight));
    }
    let name = kind.name();
    let message = format!(
        "the weights of a repeated edge add up to {weight}; expected a finite sum that {name} holds (--dedup keeps, or takes the first, \
         least or largest)"
    );
    Err(Error::bad_input(Location::file("the input"), message))
}
