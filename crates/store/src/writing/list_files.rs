//! Writing of the list files of a new store, from sorted arcs.

use super::context::{BuildContext, Writing};
use super::record::ArcRecord;
use crate::arc_hash::ArcHash;
use crate::layout::Layout;
use crate::layout::chunked::ChunkedWriter;
use crate::layout::compact::{CompactWriter, ListBytes};
use crate::layout::csr::{CsrWriter, ListGeometry};
use crate::layout::list_writer::{ArcWriter, ListWriter};
use crate::layout::sliding::{ListSpiller, SlidingSettings, SpilledLists, Target, write_shards};
use crate::manifest::{
    ChangeEntries, ChunkedEntry, CompactEntry, CsrEntry, Dedup, FORMAT_VERSION, FileEntry, GraphEntry, ListEntries,
    Manifest,
};
use crate::sort::{ExternalSorter, SortedRecords};
use outcrop_types::{
    Direction, Error, Location, Phase, ProgressUnit, Result, VertexId, WeightRounding, WeightType, short_number,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Interval of progress reports, in arcs.
const PROGRESS_ARCS: u64 = 1 << 20;

/// Written lists.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) edges: u64,
    /// Number of edges with the same ends as an earlier one, merged or not.
    pub(super) repeated: u64,
    pub(super) arc_hash: ArcHash,
    /// Type of the written weights, and the weights that were rounded.
    pub(super) weights: Option<WeightType>,
    pub(super) rounding: WeightRounding,
    /// True if every edge of an undirected graph was listed in both directions.
    pub(super) both_directions: bool,
    pub(super) entries: ListEntries,
    pub(super) files: Vec<FileEntry>,
}

impl Lists {
    /// The manifest of a store like that of `old`, with these lists in place of its own.
    pub(super) fn manifest(
        self,
        writing: &Writing<'_>,
        old: &Manifest,
        vertices: u32,
        mut files: Vec<FileEntry>,
    ) -> Manifest {
        files.extend(self.files);
        Manifest {
            format_version: FORMAT_VERSION,
            uuid: writing.id.to_hex(),
            graph: GraphEntry {
                vertices,
                edges: self.edges,
                arc_hash: Some(self.arc_hash),
                weight_type: self.weights,
                ..old.graph.clone()
            },
            lists: self.entries,
            changes: ChangeEntries { updates: None, ..old.changes.clone() },
            built: None,
            files,
            ..old.clone()
        }
    }

    /// Writes shards from spilled lists.
    fn add_shards(
        &mut self,
        writing: &Writing<'_>,
        settings: SlidingSettings,
        vertices: u32,
        spilled: &[SpilledLists],
    ) -> Result<()> {
        let Writing { context, staging, id } = writing;
        let Some(lists) = spilled.iter().find(|lists| lists.has_lists()) else { return Ok(()) };
        let out = spilled.iter().find(|lists| !lists.has_lists());
        let (storage, folder, budget, cancellation) =
            (context.work.storage, staging.folder(), context.work.budget, context.work.cancellation());
        let target = Target { storage, folder, id: *id, settings, vertices, budget, cancellation };
        let total = Some(lists.arcs());
        context.work.observer.phase(&Phase { name: "writing shards", unit: ProgressUnit::Edges, total });
        let mut done = 0;
        let (entry, files) = write_shards(&target, lists, out, &mut |arcs| {
            done += arcs;
            context.work.observer.progress(done);
        })?;
        self.entries.sliding = Some(entry);
        self.files.extend(files);
        Ok(())
    }
}

/// Result of writing one direction.
struct WrittenDirection {
    entry: Entry,
    arcs: u64,
    loops: u64,
    /// Number of entries with the same ends as the previous one, merged or not, and the number of loops among them.
    repeats: u64,
    repeated_loops: u64,
    /// Hashes of all arcs from the sorter, and of the written arcs.
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

/// Writer of the lists of both directions.
pub(super) struct ListFiles<'w> {
    writing: &'w Writing<'w>,
    vertices: u32,
    weights: Option<WeightType>,
    /// Number of arcs written.
    done: AtomicU64,
}

impl<'w> ListFiles<'w> {
    pub(super) const fn new(writing: &'w Writing<'w>, vertices: u32, weights: Option<WeightType>) -> Self {
        Self { writing, vertices, weights, done: AtomicU64::new(0) }
    }

    /// Writes out-lists and in-lists concurrently; `hash` is the hash of all arcs if out-lists and in-lists do not
    /// verify each other.
    pub(super) fn write<A: ArcRecord>(
        &self,
        out: ExternalSorter<A>,
        reverse: Option<ExternalSorter<A>>,
        hash: Option<ArcHash>,
    ) -> Result<Lists> {
        let (out, reverse) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("outcrop-in-lists".to_owned());
            let write = |sorter| self.write_direction::<A>(sorter, Direction::In);
            let reverse = reverse.map(|sorter| thread.spawn_scoped(scope, move || write(sorter))).transpose();
            let reverse = match reverse {
                Ok(reverse) => reverse,
                Err(source) => return (Err(Error::io("start", "a writing thread", source)), None),
            };
            let out = self.write_direction(out, Direction::Out);
            let panicked = |payload: Box<_>| Err(Error::panicked("the thread that writes in-lists", &*payload));
            (out, reverse.map(|thread| thread.join().unwrap_or_else(panicked)))
        });
        let (out, reverse) = (out?, reverse.transpose()?);
        let taken = hash.unwrap_or(out.taken);
        for direction in std::iter::once(&out).chain(&reverse) {
            if direction.taken != taken || direction.written != out.written {
                return Err(Error::internal("the sorted arcs differ from the edges"));
            }
        }
        let edges = if reverse.is_some() { out.arcs } else { (out.arcs + out.loops) / 2 };
        // An undirected edge is in two lists, and a loop in one.
        let repeated = if reverse.is_some() { out.repeats } else { (out.repeats + out.repeated_loops) / 2 };
        let lists = Lists { edges, repeated, arc_hash: out.written, ..Lists::default() };
        self.collect(lists, std::iter::once(out).chain(reverse))
    }

    fn collect(&self, mut lists: Lists, directions: impl Iterator<Item = WrittenDirection>) -> Result<Lists> {
        let mut spilled = Vec::new();
        for written in directions {
            match written.entry {
                Entry::Csr(entry) => lists.entries.csr.push(entry),
                Entry::Chunked(entry) => lists.entries.chunked.push(entry),
                Entry::Compact(entry) => lists.entries.compact.push(entry),
                Entry::Spilled(lists) => spilled.push(lists),
            }
            lists.files.extend(written.files);
        }
        if let Layout::Sliding(settings) = self.writing.context.options.layout {
            lists.add_shards(self.writing, settings, self.vertices, &spilled)?;
        }
        Ok(lists)
    }

    fn write_direction<A: ArcRecord>(
        &self,
        sorter: ExternalSorter<A>,
        direction: Direction,
    ) -> Result<WrittenDirection> {
        let (arcs, context) = (sorter.finish()?, self.writing.context);
        let (target, weights, vertices) = (&self.writing.lists(direction), self.weights, self.vertices);
        match &context.options.layout {
            Layout::Csr(settings) => {
                let geometry = ListGeometry::new(weights, *settings);
                let writer = CsrWriter::create(target, geometry, context.limits.interval_arcs)?;
                self.write_with(writer, arcs, direction, Entry::Csr)
            }
            Layout::Compact(settings) => {
                let writer = CompactWriter::create(target, ListBytes { codec: settings.codec, weights, vertices })?;
                self.write_with(writer, arcs, direction, Entry::Compact)
            }
            Layout::Sliding(_) => {
                // Shards are built from in-lists, which are the only lists of an undirected graph.
                let keeps_lists = direction == Direction::In || context.options.undirected;
                let writer = ListSpiller::create(target, &context.spill, (keeps_lists, weights))?;
                self.write_with(writer, arcs, direction, Entry::Spilled)
            }
            Layout::Chunked(settings) => {
                let writer = ChunkedWriter::create(target, settings, (vertices, weights))?;
                self.write_with(writer, arcs, direction, Entry::Chunked)
            }
        }
    }

    fn write_with<A: ArcRecord, W: ListWriter>(
        &self,
        writer: W,
        arcs: SortedRecords<A>,
        direction: Direction,
        entry: impl FnOnce(W::Entry) -> Entry,
    ) -> Result<WrittenDirection> {
        let BuildContext { options, work, .. } = self.writing.context;
        let mut writer = ArcWriter::new(writer, work.cancellation());
        let mut tally = Tally::of(direction, self.weights);
        let (mut pending, mut taken): (Option<A>, _) = (None, 0_u64);
        // This thread is one of those of the direction.
        arcs.for_each(self.writing.context.threads_of_direction() - 1, |arc| {
            taken += 1;
            if taken.is_multiple_of(PROGRESS_ARCS) {
                self.report_progress(PROGRESS_ARCS)?;
            }
            match pending.replace(arc) {
                Some(before) if before.key() > arc.key() => return Err(misplaced()),
                Some(before) if before.key() == arc.key() => {
                    tally.repeat(arc);
                    match options.dedup {
                        Dedup::Keep => tally.emit(&mut writer, before)?,
                        dedup => pending = Some(tally.combine(dedup, before, arc)?),
                    }
                }
                Some(before) => tally.emit(&mut writer, before)?,
                None => {}
            }
            Ok(())
        })?;
        if let Some(last) = pending {
            // The last vertex is the largest.
            if last.parts().0 >= self.vertices || tally.greatest.max(last.parts().1) >= self.vertices {
                return Err(misplaced());
            }
            tally.emit(&mut writer, last)?;
        }
        self.report_progress(taken % PROGRESS_ARCS)?;
        let (lists, arcs, files) = writer.finish(self.vertices)?;
        let Tally { loops, repeats, repeated_loops, taken, written, .. } = tally;
        Ok(WrittenDirection { entry: entry(lists), arcs, loops, repeats, repeated_loops, taken, written, files })
    }

    fn report_progress(&self, arcs: u64) -> Result<()> {
        let context = self.writing.context;
        context.work.observer.progress(self.done.fetch_add(arcs, Relaxed) + arcs);
        context.work.cancellation().check()
    }
}

#[cold]
fn misplaced() -> Error {
    Error::internal("a sorted arc is out of order, or has a vertex that is not in the graph")
}

/// Counts of arcs between a sorter and a writer.
struct Tally {
    direction: Direction,
    weights: Option<WeightType>,
    loops: u64,
    repeats: u64,
    repeated_loops: u64,
    taken: ArcHash,
    written: ArcHash,
    /// Largest neighbor.
    greatest: VertexId,
}

impl Tally {
    const fn of(direction: Direction, weights: Option<WeightType>) -> Self {
        let none = ArcHash::from_sum(0);
        Self { direction, weights, loops: 0, repeats: 0, repeated_loops: 0, taken: none, written: none, greatest: 0 }
    }

    /// Counts an arc with the same ends as the previous one.
    #[inline]
    fn repeat<A: ArcRecord>(&mut self, arc: A) {
        let (vertex, neighbor, _) = arc.parts();
        self.repeats += 1;
        self.repeated_loops += u64::from(vertex == neighbor);
    }

    /// Writes an arc.
    #[inline]
    fn emit<A: ArcRecord, W: ListWriter>(&mut self, writer: &mut ArcWriter<W>, arc: A) -> Result<()> {
        let (vertex, neighbor, weight) = arc.parts();
        writer.push(vertex, neighbor, weight)?;
        let hash = arc.hash(self.direction);
        self.taken += hash;
        self.written += hash;
        self.loops += u64::from(vertex == neighbor);
        self.greatest = self.greatest.max(neighbor);
        Ok(())
    }

    /// Combines two arcs between the same vertices into one, which replaces them.
    fn combine<A: ArcRecord>(&mut self, dedup: Dedup, first: A, second: A) -> Result<A> {
        let combined = combine(dedup, self.weights, first, second)?;
        self.taken += first.hash(self.direction);
        self.taken += second.hash(self.direction);
        self.taken -= combined.hash(self.direction);
        Ok(combined)
    }
}

/// Combines two arcs between the same vertices into one.
fn combine<A: ArcRecord>(dedup: Dedup, weights: Option<WeightType>, first: A, second: A) -> Result<A> {
    let (vertex, neighbor, one) = first.parts();
    let (_, _, other) = second.parts();
    let weight = match dedup {
        Dedup::Keep | Dedup::First => one,
        Dedup::Sum => one + other,
        Dedup::Min => one.min(other),
        Dedup::Max => one.max(other),
    };
    let kind = weights.unwrap_or(WeightType::F64);
    if let Some(weight) = kind.kept(weight) {
        return Ok(A::new(vertex, neighbor, weight));
    }
    let name = kind.name();
    let message = format!(
        "the weights of a repeated edge sum to {}, which does not fit {name}; use another \
         --dedup rule or --weight-type",
        short_number(weight)
    );
    Err(Error::bad_input(Location::file("the input"), message))
}
