//! Conversion of a store to another layout or vertex order: a new store of the same graph.

use super::each_arc::EachArc;
use super::id_tables::{tables_bytes, write_ids, write_order};
use super::permutation::VertexPermutation;
use crate::access::{Adjacency, Workers};
use crate::component::{Component, PAYLOAD_BYTES};
use crate::journal::{JournalEntry, JournalUpdate, JournalWriter, SegmentEntry, WrittenJournal};
use crate::layout::compact::IndexResidence;
use crate::layout::{Layout, ListOptions, StoredLists};
use crate::manifest::{Dedup, FileEntry, Manifest, Order, OrderParameters, SelfLoops};
use crate::original_ids::{INTEGERS_NAME, RANK_OF_VERTEX_NAME, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME};
use crate::sort::ExternalSorter;
use crate::store::Store;
use crate::updates::NewVertices;
use crate::work_context::WorkContext;
use crate::writing::arc_sorters::{ArcSorters, DurableArcs};
use crate::writing::checkpoint::BuildCheckpoints;
use crate::writing::context::{BuildContext, BuildLimits, Writing};
use crate::writing::list_files::Lists;
use crate::writing::options::{BuildOptions, BuildReport};
use crate::writing::preflight;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_types::{
    Direction, Error, InputSummary, MemoryPlan, Permutation, Phase, ProgressUnit, Purpose, Reservation, Result,
    VertexId, VertexRange, VertexValues, WeightChoice, index_from, length_from,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Name of the phase in which the arcs are in sorters.
const WRITING: &str = "writing lists";
/// Files of IDs, and of a vertex order.
const ID_NAMES: [&str; 3] = [INTEGERS_NAME, TEXTS_NAME, TEXT_ENDS_NAME];
const ORDER_NAMES: [&str; 2] = [VERTEX_OF_RANK_NAME, RANK_OF_VERTEX_NAME];
/// Bytes copied at once.
const COPY_BYTES: usize = 64 * PAYLOAD_BYTES;

/// Options of a conversion.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Folder of the new store.
    pub target: PathBuf,
    /// True to overwrite an existing store.
    pub overwrite: bool,
    /// Layout of the lists of the new store.
    pub layout: Layout,
    /// Type of the weights; `None` to keep their type.
    pub weights: Option<WeightChoice>,
    /// Folder for spill files; `None` for a folder next to the target.
    pub temp_folder: Option<PathBuf>,
    /// True if the new store replaces the old one and keeps its identity as the same graph.
    pub in_place: bool,
    /// Checkpoints from which an interrupted conversion can resume.
    pub checkpoints: Option<Arc<BuildCheckpoints>>,
}

impl ConvertOptions {
    /// Returns the options of the build that writes the new store; duplicate edges and loops have already been treated.
    pub(super) fn for_writing(&self, manifest: &Manifest) -> BuildOptions<'_> {
        BuildOptions {
            target: self.target.clone(),
            overwrite: self.overwrite,
            layout: self.layout.clone(),
            undirected: !manifest.graph.directed,
            dense_ids: true,
            num_vertices: None,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            allow_empty: true,
            order: None,
            weights: self.weights.unwrap_or_else(|| manifest.weights().map_or(WeightChoice::Auto, WeightChoice::As)),
            temp_folder: self.temp_folder.clone(),
            checkpoints: self.checkpoints.as_deref(),
        }
    }
}

/// Builds a store of the same graph and IDs with the layout given by `options`; the vertices keep their order, or are
/// renumbered by `permutation`. Pending updates are merged into the lists. Vertices that they added stay last, or are
/// inserted by ID in the original order.
///
/// # Errors
///
/// Returns an error if the store is damaged, if the budget or disk is too small, if the target exists, if writing
/// fails, or if the conversion is interrupted. In all cases no files remain, and a store that was to be overwritten is
/// unchanged.
pub fn convert(
    store: &Store,
    options: &ConvertOptions,
    permutation: Option<&VertexPermutation<'_>>,
    work: WorkContext<'_>,
) -> Result<BuildReport> {
    options.layout.validate()?;
    let manifest = store.manifest();
    let build = options.for_writing(manifest);
    work.budget.require(&memory(store, &build, work.workers))?;
    let buffers = build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES;
    if let Some(permutation) = permutation {
        permutation.validate(manifest)?;
        work.budget.require(&VertexPermutation::memory(manifest).with(Purpose::IoBuffers, buffers))?;
    }
    if !build.checkpoints.is_some_and(BuildCheckpoints::resumes) {
        preflight::require(work.storage, &build.temp_folder(), manifest.bytes())?;
    }
    let spill = build.spill_folder(work.storage)?;
    let context = BuildContext { work, options: &build, spill, limits: BuildLimits::default() };
    context.write_store(buffers, |writing| {
        let conversion = Conversion { store, in_place: options.in_place, permutation, writing };
        if manifest.graph.weighted { conversion.write::<WeightedArc>() } else { conversion.write::<PlainArc>() }
    })
}

/// Returns the minimum memory of [`convert`], including the numbers of the vertices if they are `permuted`.
pub fn convert_memory(store: &Store, options: &ConvertOptions, permuted: bool, workers: &Workers) -> MemoryPlan {
    let manifest = store.manifest();
    let build = options.for_writing(manifest);
    let lists = memory(store, &build, workers);
    if !permuted {
        return lists;
    }
    let buffers = build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES;
    let tables = VertexPermutation::memory(manifest).with(Purpose::IoBuffers, buffers);
    lists.or(tables).with(Purpose::IdMap, VertexValues::<u32>::bytes(manifest.graph.vertices.into()))
}

/// Returns the minimum memory in use at the same time: the writers, and either two sorters with the lists being read,
/// or the journal.
fn memory(store: &Store, build: &BuildOptions<'_>, workers: &Workers) -> MemoryPlan {
    let manifest = store.manifest();
    let lists = StoredLists::memory(store, Direction::Out, workers, IndexResidence::STREAMED);
    let sorting = lists.with(Purpose::SortSpace, 2 * ExternalSorter::<PlainArc>::LEAST_BYTES);
    let journal = manifest.changes.journal.as_ref().map_or(0, |_| JournalUpdate::COPYING_BYTES);
    let mut plan = sorting.or(MemoryPlan::new().with(Purpose::SortSpace, journal));
    if manifest.new_vertices() > 0 {
        plan = plan.with(Purpose::IdMap, NewVertices::bytes(manifest));
        plan = plan.or(MemoryPlan::new().with(Purpose::IoBuffers, tables_bytes(store)));
    }
    plan.with(Purpose::IoBuffers, build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES)
}

/// State of a conversion whose arcs, between the vertices of the new store, are in sorters.
#[derive(Serialize, Deserialize)]
struct SortedArcs {
    vertices: u32,
    /// True if the vertices kept their numbers.
    kept: bool,
    files: Vec<FileEntry>,
    journal: Option<JournalEntry>,
    /// New order, if any.
    order: Option<(Order, OrderParameters)>,
    /// The arcs, if they are durable.
    arcs: Option<DurableArcs>,
}

/// Conversion: the lists of one store are the source of the arcs of another.
struct Conversion<'c> {
    store: &'c Store,
    in_place: bool,
    permutation: Option<&'c VertexPermutation<'c>>,
    writing: &'c Writing<'c>,
}

impl Conversion<'_> {
    fn write<A: ArcRecord>(&self) -> Result<BuildReport> {
        let old = self.store.manifest();
        let (sorters, SortedArcs { vertices, kept, files, journal, order, .. }) = match self.resume::<A>()? {
            Some(resumed) => resumed,
            None => self.sort::<A>()?,
        };
        let lists = sorters.write(self.writing, vertices)?;
        self.check(kept, &lists)?;
        let rounding = lists.rounding.clone();
        let mut manifest = lists.manifest(self.writing, old, vertices, files);
        manifest.graph.weight_rounding = old.rounding_with(&rounding);
        manifest.changes.journal = journal;
        if let Some((order, parameters)) = order {
            (manifest.numbering.order, manifest.numbering.order_parameters) = (order, parameters.any());
        }
        let input = InputSummary::default();
        Ok(BuildReport { skipped_lines: 0, loops_dropped: 0, input, rounding, order_resumed: false, manifest })
    }

    /// Restores arcs in sorters from a checkpoint of this phase.
    fn resume<A: ArcRecord>(&self) -> Result<Option<(ArcSorters<A>, SortedArcs)>> {
        let context = self.writing.context;
        let Some(sorted) = context.resume::<SortedArcs>(WRITING)? else { return Ok(None) };
        let mut sorters = ArcSorters::new(context, context.work.budget.available(), None)?;
        sorted.arcs.iter().try_for_each(|arcs| sorters.resume(arcs))?;
        Ok(Some((sorters, sorted)))
    }

    /// Writes all files except the lists, and sorts the arcs.
    fn sort<A: ArcRecord>(&self) -> Result<(ArcSorters<A>, SortedArcs)> {
        let (numbers, mut files) = self.write_tables()?;
        let (journal, segments) = copy_journal(self.store, self.in_place, self.writing)?;
        files.extend(segments);
        let mut sorters = self.read_arcs::<A>(&numbers)?;
        let order = self.permutation.map(|permutation| (permutation.order, permutation.parameters));
        let vertices = self.store.manifest().graph.vertices;
        let kept = matches!(numbers, Numbers::Kept);
        let mut sorted = SortedArcs { vertices, kept, files: files.clone(), journal, order, arcs: None };
        self.writing.checkpoint(WRITING, files.iter(), || {
            sorted.arcs = Some(sorters.keep()?);
            Ok(&sorted)
        })?;
        Ok((sorters, sorted))
    }

    /// # Errors
    ///
    /// Returns an error if the written lists differ from those in the manifest of the old store; `kept` is true if the
    /// vertices kept their numbers.
    fn check(&self, kept: bool, lists: &Lists) -> Result<()> {
        let old = self.store.manifest();
        if lists.edges != old.graph.edges {
            return Err(Error::corrupt(self.store.folder(), "its number of edges differs from the manifest"));
        }
        // Other numbers, changes and rounded weights make other arcs.
        let same = kept && old.changes.updates.is_none() && lists.rounding.is_none();
        if same && old.graph.arc_hash.is_some_and(|hash| hash != lists.arc_hash) {
            return Err(Error::corrupt(self.store.folder(), "its lists do not contain the original arcs"));
        }
        Ok(())
    }

    /// Writes the files that map IDs to vertices; returns the new numbers of the vertices.
    fn write_tables(&self) -> Result<(Numbers<'_>, Vec<FileEntry>)> {
        let (store, writing, manifest) = (self.store, self.writing, self.store.manifest());
        let mut files = match manifest.new_vertices() {
            0 => copy_all(&ID_NAMES, store, writing)?,
            _ => write_ids(store, writing)?,
        };
        let (numbers, order) = match self.permutation {
            Some(permutation) => {
                (Numbers::Permuted(permutation.permutation), permutation.write_tables(store, writing)?)
            }
            None if manifest.new_vertices() == 0 => (Numbers::Kept, copy_all(&ORDER_NAMES, store, writing)?),
            None if manifest.numbering.order != Order::Original || manifest.is_in_rank_order() => {
                (Numbers::Kept, write_order(store, writing)?)
            }
            None => {
                let work = writing.context.work;
                let held = work.budget.reserve(NewVertices::bytes(manifest), Purpose::IdMap)?;
                (Numbers::Inserted { new: NewVertices::load(store, work.io)?, _held: held }, Vec::new())
            }
        };
        files.extend(order);
        Ok((numbers, files))
    }

    /// Returns sorters with the arcs of all out-lists.
    fn read_arcs<A: ArcRecord>(&self, numbers: &Numbers<'_>) -> Result<ArcSorters<A>> {
        let (context, manifest) = (self.writing.context, self.store.manifest());
        let total = manifest.arcs(Direction::Out);
        context.work.observer.phase(&Phase { name: "reading lists", unit: ProgressUnit::Edges, total });
        let once = ListOptions::once(context.work.io);
        let lists = StoredLists::open(self.store, Direction::Out, &once, context.work.budget, context.work.workers)?;
        let mut sorters = ArcSorters::new(context, context.work.budget.available(), Some(manifest.graph.edges))?;
        let arcs = EachArc::new(|vertex, neighbor, weight| match manifest.graph.directed {
            true => sorters.push(numbers.of(vertex), numbers.of(neighbor), weight),
            false => sorters.push_entry(numbers.of(vertex), numbers.of(neighbor), weight),
        });
        lists.sweep(VertexRange::new(0, manifest.graph.vertices), &arcs)?;
        arcs.finish()?;
        Ok(sorters)
    }
}

/// Map from old vertices to vertices of the new store.
enum Numbers<'n> {
    /// Identity.
    Kept,
    /// Permutation.
    Permuted(&'n Permutation),
    /// Original order, with new vertices inserted by ID.
    Inserted { new: NewVertices, _held: Reservation },
}

impl Numbers<'_> {
    #[inline]
    fn of(&self, vertex: VertexId) -> VertexId {
        match self {
            Self::Kept => vertex,
            Self::Permuted(numbers) => numbers.apply(vertex),
            Self::Inserted { new, .. } => new.rank_in_order(vertex),
        }
    }
}

/// Copies the files with the ID of each vertex, sealed for the new store.
pub(super) fn copy_ids(store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
    Ok([copy_all(&ID_NAMES, store, writing)?, copy_all(&ORDER_NAMES, store, writing)?].concat())
}

/// Writes the journal of a copy of `store`. The copy diverges from the store as another graph, unless it replaces the
/// store.
pub(super) fn copy_journal(
    store: &Store,
    in_place: bool,
    writing: &Writing<'_>,
) -> Result<(Option<JournalEntry>, Vec<FileEntry>)> {
    let manifest = store.manifest();
    if manifest.changes.journal.is_none() && !in_place {
        return Ok((None, Vec::new()));
    }
    let mut journal = manifest.journal_so_far();
    if !in_place {
        journal.lineage = writing.id.to_hex();
    }
    let work = writing.context.work;
    let (io, budget, cancellation) = (work.io, work.budget, work.cancellation());
    let create = &mut |name: &str| writing.component(name);
    let keep = &mut |segment: &SegmentEntry| {
        segment.file_names().iter().map(|name| copy(&store.component(name, io)?, writing, name)).collect()
    };
    let WrittenJournal { entry, files, surplus, .. } =
        JournalWriter { store, io, budget, cancellation, create, keep }.write(journal, None)?;
    for name in surplus {
        work.storage.remove_file(&writing.staging.folder().join(name))?;
    }
    Ok((Some(entry), files))
}

/// Copies the files among `names` that exist.
fn copy_all(names: &[&str], store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
    let there = names.iter().filter(|name| store.manifest().file(name).is_some());
    there.map(|name| copy(&store.component(name, writing.context.work.io)?, writing, name)).collect()
}

fn copy(component: &Component, writing: &Writing<'_>, name: &str) -> Result<FileEntry> {
    let (mut reader, mut writer) = (component.reader()?, writing.component(name)?);
    let payload = component.units() * length_from(PAYLOAD_BYTES);
    let mut bytes = vec![0; COPY_BYTES];
    let mut position = 0;
    while position < payload {
        writing.context.work.cancellation().check()?;
        let count = index_from(payload - position).min(COPY_BYTES);
        let piece = &mut bytes[..count];
        reader.read_at(position, piece)?;
        writer.write(piece)?;
        position += length_from(count);
    }
    writer.finish()
}
