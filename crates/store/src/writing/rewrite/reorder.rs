//! Reordering of the lists in chunks, independent of the vertex order (ChunkGraph, section 3.3): a new store of the
//! same graph.

use super::convert::{ConvertOptions, copy_ids, copy_journal};
use super::each_arc::EachArc;
use crate::access::Adjacency;
use crate::arc_hash::ArcHash;
use crate::component::{Component, FileEntry};
use crate::journal::JournalUpdate;
use crate::layout::chunked::{
    ChunkPacker, ChunkSettings, ChunkedEntry, ChunkedWriter, IndexFiles, LevelFigures, ListFormat, PlacedList,
    Placement, longest_buffered,
};
use crate::layout::{Layout, ListOptions, StoredLists, degrees};
use crate::owned::spill_folder;
use crate::sort::{ExternalSorter, SortedRecords};
use crate::store::Store;
use crate::work_context::WorkContext;
use crate::writing::context::{BuildContext, BuildLimits, Writing};
use crate::writing::list_files::Lists;
use crate::writing::options::BuildReport;
use crate::writing::preflight;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_types::{
    Direction, Error, InputSummary, MemoryPlan, Phase, ProgressUnit, Purpose, Result, VertexId, VertexRange,
    VertexValues, WeightRounding, WeightType, index_from,
};

/// Function that orders lists: given a direction and the vertices with a list in a chunk, ascending, it returns the
/// same vertices in the order in which their lists are stored.
type ListOrder<'o> = &'o mut dyn FnMut(Direction, VertexValues<VertexId>) -> Result<VertexValues<VertexId>>;

/// Builds a store of the same graph whose lists are in the order given by `order`, separately for out-lists and
/// in-lists.
///
/// # Errors
/// Returns an error if the store has no chunks or is damaged, if the budget or disk is too small, if the target exists,
/// if writing fails, or if the run is interrupted. In all cases no files remain, and a store that was to be overwritten
/// is unchanged.
pub fn reorder(
    store: &Store,
    options: &ConvertOptions,
    order: ListOrder<'_>,
    work: WorkContext<'_>,
) -> Result<BuildReport> {
    let manifest = store.manifest();
    let Layout::Chunked(settings) = &options.layout else {
        return Err(Error::Usage("only chunked lists can be reordered".to_owned()));
    };
    if manifest.lists.chunked.is_empty() {
        return Err(Error::Usage(format!(
            "{} does not have the layout chunked; convert it with --layout chunked first",
            store.folder().display()
        )));
    }
    if manifest.new_vertices() > 0 {
        return Err(Error::internal("a reordered store has vertices without lists"));
    }
    let build = options.for_writing(manifest);
    preflight::require(work.storage, &build.temp_folder(), manifest.bytes())?;
    let spill = spill_folder(work.storage, &build.temp_folder())?;
    let context = BuildContext { work, options: &build, spill, limits: BuildLimits::default() };
    let buffers = ChunkedWriter::memory(settings, manifest.weights()) + Component::READER_BYTES;
    let settings = ChunkSettings { placement: Placement::Reordered, ..settings.clone() };
    context.write_store(buffers, |writing| {
        let mut files = copy_ids(store, writing)?;
        let (journal, segments) = copy_journal(store, options.in_place, writing)?;
        files.extend(segments);
        let lists = write_lists(
            |direction| {
                let one = OneDirection { store, settings: &settings, writing, direction };
                if manifest.graph.weighted { one.write::<WeightedArc>(order) } else { one.write::<PlainArc>(order) }
            },
            store,
        )?;
        let mut manifest = lists.manifest(writing, manifest, manifest.graph.vertices, files);
        manifest.changes.journal = journal;
        let (input, rounding) = (InputSummary::default(), WeightRounding::default());
        Ok(BuildReport { skipped_lines: 0, loops_dropped: 0, input, rounding, order_resumed: false, manifest })
    })
}

/// Returns the maximum memory of [`reorder`] for `vertices` vertices; `lists` is the need of opening a direction, and
/// `ordering` that of computing an order, in bytes.
pub fn reorder_memory(
    lists: MemoryPlan,
    settings: &ChunkSettings,
    weights: Option<WeightType>,
    vertices: u32,
    ordering: u64,
) -> MemoryPlan {
    let array = VertexValues::<u32>::bytes(vertices.into());
    let spots = VertexValues::<PlacedList>::bytes(vertices.into());
    let journal = JournalUpdate::COPYING_BYTES;
    let writer = ChunkedWriter::memory(settings, weights);
    lists
        .with(Purpose::IoBuffers, writer + 2 * Component::READER_BYTES)
        .with(Purpose::Degrees, 2 * array)
        .with(Purpose::IdMap, 3 * array + spots)
        .with(Purpose::Frontier, ordering)
        .with(Purpose::SortSpace, journal.max(2 * ExternalSorter::<PlainArc>::LEAST_BYTES))
}

/// Writes the lists of all directions of `store`, each with `write`.
fn write_lists(
    mut write: impl FnMut(Direction) -> Result<(ChunkedEntry, ArcHash, Vec<FileEntry>)>,
    store: &Store,
) -> Result<Lists> {
    let manifest = store.manifest();
    let mut lists = Lists { edges: manifest.graph.edges, weights: manifest.weights(), ..Lists::default() };
    let mut expected = manifest.graph.arc_hash.filter(|_| manifest.changes.updates.is_none());
    for direction in store.stored_directions() {
        let (entry, hash, files) = write(direction)?;
        if *expected.get_or_insert(hash) != hash {
            return Err(Error::corrupt(store.folder(), "its lists do not contain the original arcs"));
        }
        lists.arc_hash = hash;
        lists.entries.chunked.push(entry);
        lists.files.extend(files);
    }
    Ok(lists)
}

/// Writes one direction.
struct OneDirection<'d> {
    store: &'d Store,
    settings: &'d ChunkSettings,
    writing: &'d Writing<'d>,
    direction: Direction,
}

/// Sorted arcs of a direction: lists in chunks by the position of the list, mini vertices by vertex.
struct Sorted<A: ArcRecord> {
    placed: SortedRecords<A>,
    minis: SortedRecords<A>,
}

impl OneDirection<'_> {
    fn write<A: ArcRecord>(&self, order: ListOrder<'_>) -> Result<(ChunkedEntry, ArcHash, Vec<FileEntry>)> {
        let context = self.writing.context;
        let degrees =
            degrees(self.store, self.direction, context.work.io, context.work.budget, context.work.cancellation())?;
        let order = order(self.direction, self.located(&degrees)?)?;
        let arcs: u64 = degrees.iter().map(|degree| u64::from(*degree)).sum();
        let (vertices, weights) = (self.store.manifest().graph.vertices, self.store.manifest().weights());
        let mut places = VertexValues::new(context.work.budget, Purpose::IdMap, degrees.len(), |_| u32::MAX)?;
        for (place, vertex) in (0_u32..).zip(order.iter()) {
            if let Some(slot) = places.get_mut(index_from(u64::from(*vertex))) {
                *slot = place;
            }
        }
        let sorted = self.sort::<A>(&places)?;
        let format = ListFormat { codec: self.settings.codec, weights, vertices };
        let target = self.writing.lists(self.direction);
        let packer = ChunkPacker::create(&target, self.settings, format)?;
        let nowhere = PlacedList::default();
        let mut spots = VertexValues::new(context.work.budget, Purpose::IdMap, order.len(), |_| nowhere)?;
        let mut hash = ArcHash::default();
        let mut count = |vertex, neighbor, weight| hash += A::new(vertex, neighbor, weight).hash(self.direction);
        let (levels, chunks) = place_lists(packer, sorted.placed, &order, &mut spots, &mut count)?;
        let mut index = IndexFiles::create(&target, self.settings, weights)?;
        write_index(&mut index, sorted.minis, &degrees, &places, &spots, &mut count)?;
        let (mini_entries, located, mut files) = index.finish()?;
        files.extend(chunks);
        let (direction, settings) = (self.direction, self.settings.clone());
        Ok((ChunkedEntry { direction, arcs, settings, levels, mini_entries, located }, hash, files))
    }

    /// Returns the vertices with lists in chunks.
    fn located(&self, degrees: &[u32]) -> Result<VertexValues<VertexId>> {
        let mini = self.settings.mini_degree;
        let count = degrees.iter().filter(|degree| **degree > mini).count();
        let mut located = VertexValues::new(self.writing.context.work.budget, Purpose::IdMap, count, |_| 0)?;
        let vertices = (0..).zip(degrees).filter(|(_, degree)| **degree > mini);
        located.iter_mut().zip(vertices).for_each(|(slot, (vertex, _))| *slot = vertex);
        Ok(located)
    }

    fn sort<A: ArcRecord>(&self, places: &[u32]) -> Result<Sorted<A>> {
        let BuildContext { spill, work, .. } = self.writing.context;
        let WorkContext { budget, observer, .. } = *work;
        let total = self.store.manifest().chunked(self.direction).map(|entry| entry.arcs);
        observer.phase(&Phase { name: "reading lists", unit: ProgressUnit::Edges, total });
        let options = ListOptions::once(work.io);
        let lists = StoredLists::open(self.store, self.direction, &options, budget, work.workers)?;
        let share = budget.available() / 4;
        let sorter = |bytes| ExternalSorter::<A>::new(spill, bytes, false, budget, work.cancellation());
        let (mut placed, mut minis) = (sorter(3 * share)?, sorter(share)?);
        let arcs = EachArc::new(|vertex, neighbor, weight| {
            match places.get(index_from(u64::from(vertex))).filter(|place| **place != u32::MAX) {
                Some(place) => placed.push(A::new(*place, neighbor, weight)),
                None => minis.push(A::new(vertex, neighbor, weight)),
            }
        });
        lists.sweep(VertexRange::new(0, self.store.manifest().graph.vertices), &arcs)?;
        drop(lists);
        arcs.finish()?;
        observer.phase(&Phase { name: "writing lists", unit: ProgressUnit::Edges, total });
        Ok(Sorted { placed: placed.finish()?, minis: minis.finish()? })
    }
}

/// Stores the lists in the given order.
fn place_lists<A: ArcRecord>(
    mut packer: ChunkPacker,
    mut arcs: SortedRecords<A>,
    order: &[VertexId],
    spots: &mut [PlacedList],
    count: &mut dyn FnMut(VertexId, VertexId, f64),
) -> Result<(Vec<LevelFigures>, [FileEntry; 2])> {
    let mut list = List::default();
    let mut next = arcs.next()?;
    for (place, (vertex, spot)) in (0_u32..).zip(order.iter().zip(spots)) {
        list.clear();
        while let Some((_, neighbor, weight)) = next.map(ArcRecord::parts).filter(|(at, _, _)| *at == place) {
            if list.ids.len() >= longest_buffered(A::WEIGHTED) {
                packer.begin_list(*vertex, &mut list.ids, &mut list.weights)?;
            }
            count(*vertex, neighbor, weight);
            list.push::<A>(neighbor, weight);
            next = arcs.next()?;
        }
        *spot = packer.end_list(*vertex, &list.ids, &list.weights)?;
    }
    packer.finish()
}

/// List, or part of one.
#[derive(Default)]
struct List {
    ids: Vec<VertexId>,
    weights: Vec<f64>,
}

impl List {
    fn clear(&mut self) {
        self.ids.clear();
        self.weights.clear();
    }

    fn push<A: ArcRecord>(&mut self, neighbor: VertexId, weight: f64) {
        self.ids.push(neighbor);
        if A::WEIGHTED {
            self.weights.push(weight);
        }
    }
}

fn write_index<A: ArcRecord>(
    index: &mut IndexFiles,
    mut minis: SortedRecords<A>,
    degrees: &[u32],
    places: &[u32],
    spots: &[PlacedList],
    count: &mut dyn FnMut(VertexId, VertexId, f64),
) -> Result<()> {
    let mut list = List::default();
    for (vertex, (degree, place)) in (0..).zip(degrees.iter().zip(places)) {
        if let Some(spot) = spots.get(index_from(u64::from(*place))) {
            index.add_located(*degree, *spot)?;
            continue;
        }
        list.clear();
        for _ in 0..*degree {
            if let Some((_, neighbor, weight)) = minis.next()?.map(ArcRecord::parts) {
                count(vertex, neighbor, weight);
                list.push::<A>(neighbor, weight);
            }
        }
        index.add_mini(&list.ids, &list.weights)?;
    }
    Ok(())
}
