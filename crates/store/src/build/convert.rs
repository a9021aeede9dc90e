//! Another layout for the lists of a store, or another order for its vertices: a new store of the same graph.

use super::arcs::ArcSorters;
use super::grow::{Growth, Inserted};
use super::options::{BuildOptions, BuildReport};
use super::renumber::Renumbering;
use super::sort::{Arc as PlainArc, ArcRecord, ExternalSorter, WeightedArc};
use super::staging::Staging;
use super::{Workshop, Writing, preflight};
use crate::access::{Adjacency, FoldLists, Neighbours, Packer, StoredNeighbours, Workers};
use crate::component::{Component, PAYLOAD_BYTES, StoreId};
use crate::layout::compact::IndexResidence;
use crate::layout::csr::INTERVAL_ARCS;
use crate::layout::{Layout, ListOptions, StoredLists};
use crate::manifest::{Dedup, FORMAT_VERSION, FileEntry, Manifest, SelfLoops};
use crate::original_ids::{INTEGERS_NAME, RANK_OF_VERTEX_NAME, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME};
use crate::store::Store;
use crate::updates::{EdgeChanges, with_changes};
use outcrop_io::{IoChoice, Storage};
use outcrop_types::{
    Cancellation, Direction, Error, InputSummary, MemoryBudget, MemoryPlan, Observer, Permutation, Phase, ProgressUnit,
    Purpose, Result, VertexId, VertexRange, WeightChoice, WeightRounding, index_from, length_from,
};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are copied at once.
const COPY_BYTES: usize = 64 * PAYLOAD_BYTES;

/// Options of a conversion.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// The folder that becomes the new store.
    pub target: PathBuf,
    /// Replace a store that stands there.
    pub overwrite: bool,
    /// Layout of the lists of the new store.
    pub layout: Layout,
    /// The way to read.
    pub io: IoChoice,
    /// The type of weights; `None` for that which they have.
    pub weights: Option<WeightChoice>,
    /// Folder of sorted runs; `None` for beside the target.
    pub temp_folder: Option<PathBuf>,
}

impl ConvertOptions {
    /// The options of the build that writes the new store: what was to be done with repeated edges and loops has been done.
    pub(super) fn for_writing(&self, manifest: &Manifest) -> BuildOptions<'static> {
        BuildOptions {
            target: self.target.clone(),
            overwrite: self.overwrite,
            layout: self.layout.clone(),
            undirected: !manifest.directed,
            dense_ids: true,
            num_vertices: None,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            order: None,
            weights: self.weights.unwrap_or_else(|| manifest.weights().map_or(WeightChoice::Auto, WeightChoice::As)),
            temp_folder: self.temp_folder.clone(),
        }
    }
}

/// Makes a store of the same graph, with the same ids, whose lists are laid out as `options` say; the vertices keep their order, or get
/// that of `renumbering`.
///
/// # Errors
/// The store is damaged; a budget or disk that is too small; an existing target; failures of writing; interruption. In all cases
/// nothing is left behind, and a store that was to be replaced is as it was.
pub fn convert(
    storage: &dyn Storage,
    store: &Store,
    options: &ConvertOptions,
    renumbering: Option<&Renumbering<'_>>,
    budget: &MemoryBudget,
    workers: &Workers,
    observer: &dyn Observer,
) -> Result<BuildReport> {
    convert_as(storage, (store, options), (renumbering, None), (budget, workers, observer))
}

/// [`convert`] of a store whose updates are not those that it has, but those of `growth`, with vertices that it does not have yet: in
/// original order they come in among the others, in any other order behind them.
///
/// # Errors
/// As for [`convert`]; ids that the store has, or more vertices than a store can hold.
pub fn convert_grown(
    storage: &dyn Storage,
    store: &Store,
    options: &ConvertOptions,
    growth: &Growth<'_>,
    budget: &MemoryBudget,
    workers: &Workers,
    observer: &dyn Observer,
) -> Result<BuildReport> {
    let held = length_from(growth.ids.len()) * 4;
    let _inserted = budget.reserve(held, Purpose::IdMap)?;
    convert_as(storage, (&store.as_written(), options), (None, Some(growth)), (budget, workers, observer))
}

fn convert_as(
    storage: &dyn Storage,
    (store, options): (&Store, &ConvertOptions),
    (renumbering, growth): (Option<&Renumbering<'_>>, Option<&Growth<'_>>),
    (budget, workers, observer): (&MemoryBudget, &Workers, &dyn Observer),
) -> Result<BuildReport> {
    options.layout.validate()?;
    let manifest = store.manifest();
    let build = options.for_writing(manifest);
    budget.require(&memory(store, &build, workers))?;
    let buffers = build.writer_bytes(manifest.weighted) + Component::READER_BYTES;
    if let Some(renumbering) = renumbering {
        renumbering.validate(manifest)?;
        budget.require(&Renumbering::memory(manifest).with(Purpose::IoBuffers, buffers))?;
    }
    if growth.is_some() {
        budget.require(&MemoryPlan::new().with(Purpose::IoBuffers, buffers + Growth::buffer_bytes()))?;
    }
    preflight::require(storage, &build.temp_folder(), manifest.bytes())?;
    let spill = Arc::new(storage.spill_folder(&build.temp_folder())?);
    let cancellation: &Cancellation = workers.cancellation();
    let interval_arcs = INTERVAL_ARCS;
    let shop = Workshop { storage, options: &build, budget, cancellation, observer, spill, interval_arcs };
    let conversion = Conversion { store, io: options.io, renumbering, growth, workers, shop: &shop };
    if manifest.weighted { conversion.run::<WeightedArc>() } else { conversion.run::<PlainArc>() }
}

/// Least memory that is held at the same time: the writers, two sorters and the lists that are read.
fn memory(store: &Store, build: &BuildOptions<'_>, workers: &Workers) -> MemoryPlan {
    let manifest = store.manifest();
    let lists = StoredLists::memory(store, Direction::Out, workers, IndexResidence::STREAMED);
    let sorters = 2 * ExternalSorter::<PlainArc>::LEAST_BYTES;
    lists
        .with(Purpose::SortSpace, sorters)
        .with(Purpose::IoBuffers, build.writer_bytes(manifest.weighted) + Component::READER_BYTES)
}

struct Conversion<'c> {
    store: &'c Store,
    io: IoChoice,
    renumbering: Option<&'c Renumbering<'c>>,
    growth: Option<&'c Growth<'c>>,
    workers: &'c Workers,
    shop: &'c Workshop<'c>,
}

impl Conversion<'_> {
    fn run<A: ArcRecord>(&self) -> Result<BuildReport> {
        let (shop, old) = (self.shop, self.store.manifest());
        let staging = Staging::begin(shop.storage, &shop.options.target, shop.options.overwrite)?;
        let id = StoreId::random()?;
        let buffers = shop.options.writer_bytes(A::WEIGHTED) + Component::READER_BYTES;
        let writing =
            Writing { shop, staging: &staging, id, _buffers: shop.budget.reserve(buffers, Purpose::IoBuffers)? };
        let (vertices, numbers, mut files) = self.write_tables(&writing)?;
        let lists = self.read_arcs::<A>(&numbers)?.write(&writing, vertices)?;
        files.extend(lists.files);
        let rounded = !lists.rounding.is_none();
        let mut rounding = self.growth.map_or_else(WeightRounding::default, |growth| growth.rounding.clone());
        rounding.add(lists.rounding.clone());
        let manifest = Manifest {
            format_version: FORMAT_VERSION,
            uuid: id.to_hex(),
            vertices,
            edges: lists.edges,
            arc_hash: Some(lists.arc_hash),
            weight_type: lists.weights,
            weight_rounding: old.rounding_with(&rounding),
            order: self.renumbering.map_or(old.order, |renumbering| renumbering.name),
            order_parameters: match self.renumbering {
                None => old.order_parameters,
                Some(renumbering) => renumbering.parameters.any(),
            },
            csr: lists.csr,
            chunked: lists.chunked,
            compact: lists.compact,
            sliding: lists.sliding,
            updates: None,
            files,
            ..old.clone()
        };
        if self.growth.is_none() && lists.edges != old.edges {
            return Err(Error::corrupt(self.store.folder(), "it does not have as many edges as its manifest says"));
        }
        // Other numbers, changes and weights that were rounded make other arcs.
        let same = matches!(numbers, Numbers::Kept) && old.updates.is_none() && !rounded;
        if same && old.arc_hash.is_some_and(|hash| hash != lists.arc_hash) {
            return Err(Error::corrupt(self.store.folder(), "its lists do not have the arcs that it was made of"));
        }
        staging.publish(&manifest)?;
        let (input, rounding) = (InputSummary::default(), lists.rounding);
        Ok(BuildReport { skipped_lines: 0, loops_dropped: 0, input, rounding, manifest })
    }

    /// Writes what leads from ids to vertices; how many vertices there are, and where those of the old store go.
    fn write_tables(&self, writing: &Writing<'_, '_>) -> Result<(u32, Numbers<'_>, Vec<FileEntry>)> {
        let (store, io, vertices) = (self.store, self.io, self.store.manifest().vertices);
        if let Some(growth) = self.growth {
            let (inserted, files) = growth.write_tables(store, io, writing)?;
            return Ok((inserted.vertices()?, Numbers::Shifted(inserted), files));
        }
        let Some(renumbering) = self.renumbering else {
            return Ok((vertices, Numbers::Kept, copy_ids(store, io, writing)?));
        };
        let mut files = copy_all(&[INTEGERS_NAME, TEXTS_NAME, TEXT_ENDS_NAME], store, io, writing)?;
        files.extend(renumbering.write_tables(store, io, writing)?);
        Ok((vertices, Numbers::Permuted(renumbering.numbers), files))
    }

    /// Sorters with the arcs of all out-lists.
    fn read_arcs<A: ArcRecord>(&self, numbers: &Numbers<'_>) -> Result<ArcSorters<A>> {
        let (store, shop) = (self.store, self.shop);
        let total = store.manifest().arcs(Direction::Out);
        shop.observer.phase(&Phase { name: "reading lists", unit: ProgressUnit::Edges, total });
        let lists = StoredLists::open(store, Direction::Out, &ListOptions::once(self.io), shop.budget, self.workers)?;
        let sorters = ArcSorters::new(shop, shop.budget.available())?;
        let manifest = store.manifest();
        let collect = Collect { sorters: Mutex::new((sorters, Ok(()))), undirected: !manifest.directed, numbers };
        let changes = self.growth.map(|growth| growth.changes);
        let vertices = VertexRange::new(0, manifest.vertices);
        with_changes(&collect, changes, |visit| {
            lists.sweep(vertices, visit)?;
            // Vertices that were added have the edges that were added to them.
            let mut packer = Packer::new(visit);
            let end = changes.map_or(0, EdgeChanges::vertices);
            for vertex in manifest.vertices..end.max(manifest.vertices) {
                packer.list(vertex, StoredNeighbours::EMPTY)?;
            }
            packer.finish(lists.statistics())
        })?;
        let (sorters, outcome) = collect.sorters.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.map(|()| sorters)
    }
}

/// Map from old vertices to those of the new store.
enum Numbers<'n> {
    /// The same.
    Kept,
    /// Another.
    Permuted(&'n Permutation),
    /// Others come in between.
    Shifted(Inserted),
}

impl Numbers<'_> {
    #[inline]
    fn of(&self, vertex: VertexId) -> VertexId {
        match self {
            Self::Kept => vertex,
            Self::Permuted(numbers) => numbers.apply(vertex),
            Self::Shifted(inserted) => inserted.number(vertex),
        }
    }
}

/// The files that say which id each vertex has, sealed for the new store.
pub(super) fn copy_ids(store: &Store, io: IoChoice, writing: &Writing<'_, '_>) -> Result<Vec<FileEntry>> {
    let names = [INTEGERS_NAME, TEXTS_NAME, TEXT_ENDS_NAME, VERTEX_OF_RANK_NAME, RANK_OF_VERTEX_NAME];
    copy_all(&names, store, io, writing)
}

/// Those of the files `names` that are there.
fn copy_all(names: &[&str], store: &Store, io: IoChoice, writing: &Writing<'_, '_>) -> Result<Vec<FileEntry>> {
    let there = names.iter().filter(|name| store.manifest().file(name).is_some());
    there.map(|name| copy(&store.component(name, io)?, writing, name)).collect()
}

fn copy(component: &Component, writing: &Writing<'_, '_>, name: &str) -> Result<FileEntry> {
    let (mut reader, mut writer) = (component.reader()?, writing.component(name)?);
    let payload = component.units() * length_from(PAYLOAD_BYTES);
    let mut bytes = vec![0; COPY_BYTES];
    let mut position = 0;
    while position < payload {
        writing.shop.cancellation.check()?;
        let count = index_from(payload - position).min(COPY_BYTES);
        let piece = bytes.get_mut(..count).unwrap_or_default();
        reader.read_at(position, piece)?;
        writer.write(piece)?;
        position += length_from(count);
    }
    writer.finish()
}

/// Hands arcs to the sorters. A piece of a list goes in as a whole, so that equal arcs keep their order.
struct Collect<'n, A: ArcRecord> {
    sorters: Mutex<(ArcSorters<A>, Result<()>)>,
    undirected: bool,
    numbers: &'n Numbers<'n>,
}

impl<A: ArcRecord + Send> FoldLists for Collect<'_, A> {
    type Fold = ();

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) {}

    fn neighbours(&self, vertex: VertexId, (): &mut (), piece: Neighbours<'_>) -> ControlFlow<()> {
        let mut sorters = self.sorters.lock().unwrap_or_else(PoisonError::into_inner);
        let (sorters, outcome) = &mut *sorters;
        if outcome.is_err() {
            return ControlFlow::Break(());
        }
        let vertex = self.numbers.of(vertex);
        piece.try_for_each(|neighbour, weight| {
            let neighbour = self.numbers.of(neighbour);
            let pushed = match self.undirected {
                true => sorters.push_entry(vertex, neighbour, weight),
                false => sorters.push(vertex, neighbour, weight),
            };
            match pushed {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    *outcome = Err(error);
                    ControlFlow::Break(())
                }
            }
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}
