//! Salvage of a damaged store: the edges of all lists that verify, and a record of what is lost.

use super::edges::{Export, ExportOrder, ExportRequest};
use crate::graph::Graph;
use crate::output_file::create_output;
use crate::result::{batch_memory, name_of};
use outcrop_formats::edges::{EdgeFormat, NewEdges, create_edges, is_standard_output};
use outcrop_store::writing::{ArcOrder, IdBatch};
use outcrop_store::{OriginalId, OriginalIdReader, SoundLists, ranks};
use outcrop_types::{BitSet, Direction, Error, MemoryBudget, Purpose, Result, index_from};
use serde::Serialize;
use std::io::ErrorKind;

/// Maximum number of ranges of lost lists in a record, per direction.
const MOST_RANGES: usize = 100;

/// Record of a salvage.
#[derive(Clone, Debug, Serialize)]
pub struct SalvageRecord {
    /// Folder of the store.
    pub store: String,
    /// Number of edges of the store.
    pub edges: u64,
    /// Number of edges written.
    pub edges_written: u64,
    /// Number of edges lost: each was only in lists that are lost.
    pub edges_lost: u64,
    /// Lists that were read: out-lists and, if a directed store has lost some, in-lists.
    pub lists: Vec<SalvagedLists>,
}

impl SalvageRecord {
    /// Returns true if there is an output: not if all edges are lost.
    pub const fn is_written(&self) -> bool {
        self.edges_written > 0 || self.edges == 0
    }
}

/// Lists of one direction in a salvage.
#[derive(Clone, Debug, Serialize)]
pub struct SalvagedLists {
    /// Direction: `out`, `in`, or `both` in an undirected store.
    pub direction: &'static str,
    /// Number of lists that verify, empty ones included.
    pub intact: u32,
    /// Number of lost lists.
    pub lost: u32,
    /// Vertices of lost lists, in ranges; the first ones if there are many.
    pub ranges: Vec<LostVertices>,
    /// Number of further ranges.
    pub more_ranges: u64,
    /// Damaged files and parts; the first ones if there are many.
    pub faults: Vec<String>,
}

/// Range of vertices whose lists are lost: all vertices of the store with IDs from `first` to `last`.
#[derive(Clone, Debug, Serialize)]
pub struct LostVertices {
    /// First ID.
    pub first: OriginalId,
    /// Last ID.
    pub last: OriginalId,
}

impl Graph {
    /// Writes the edges of all lists that verify to a file, like [`Graph::export`]; returns a record of written and
    /// lost edges. An edge of a damaged list is taken from the list of its other end. Nothing is written if all edges
    /// are lost.
    ///
    /// # Errors
    ///
    /// Returns an error under the conditions of [`Graph::export`], except for damaged lists. Damaged IDs are an error
    /// unless the request is for positions in the store.
    pub fn salvage(&self, request: &ExportRequest) -> Result<SalvageRecord> {
        let format = request.written_format()?;
        if matches!(format, EdgeFormat::Sg | EdgeFormat::Wsg) {
            let path = request.path.display();
            let message =
                format!("{path}: `salvage` does not support .sg and .wsg; use .parquet, and build a store from it");
            return Err(Error::Usage(message));
        }
        if !is_standard_output(&request.path) {
            // A file that cannot be written is reported before the work.
            drop(create_output(&request.path, request.overwrite)?);
        }
        self.salvage_as(format, request).map_err(with_id_remedy)
    }

    fn salvage_as(&self, format: EdgeFormat, request: &ExportRequest) -> Result<SalvageRecord> {
        let weights = self.exported_weights(format, request)?;
        let budget = self.budget();
        let ranker = self.ranker(request, weights.is_some(), true, &budget);
        let batches = 2 * batch_memory(&self.store);
        budget.require(&ranker.memory().with(Purpose::Results, batches))?;
        let _batches = budget.reserve(batches, Purpose::Results)?;
        let sound = SoundLists::find(&self.store, self.work(&budget, &*self.observer))?;
        let lists = self.salvaged(&sound, request.order, &budget)?;
        let arcs = ranker.sort(ArcOrder::Edges, &sound)?;
        let (edges, edges_written) = (self.num_edges(), arcs.count());
        let is_lossless = lists.iter().any(|lists| lists.lost == 0);
        let edges_lost = edges
            .checked_sub(edges_written)
            .filter(|lost| *lost == 0 || !is_lossless)
            .ok_or_else(|| Error::corrupt(self.store.folder(), "its number of edges differs from the manifest"))?;
        let store = self.store.folder().display().to_string();
        let record = SalvageRecord { store, edges, edges_written, edges_lost, lists };
        if record.is_written() {
            let file = NewEdges { num_edges: edges_written, ..self.exported(format, weights, request)? };
            let sink = create_edges(&request.path, &file)?;
            let (order, weighted) = (request.order, weights.is_some());
            let mut export = Export { graph: self, budget: &budget, order, weighted, sink };
            match export.write(arcs).and_then(|()| export.sink.finish()) {
                // A reader of standard output that exits early (`| head`) needs no more edges.
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => {}
                written => _ = written?,
            }
        }
        self.report_export_notes();
        Ok(record)
    }

    /// Describes the lists of each direction.
    fn salvaged(&self, sound: &[SoundLists], order: ExportOrder, budget: &MemoryBudget) -> Result<Vec<SalvagedLists>> {
        let vertices = self.num_vertices();
        let directed = self.store.manifest().graph.directed;
        let of_direction = |(direction, sound): (Direction, &SoundLists)| {
            let intact = sound.vertices.count();
            let mut lists = SalvagedLists {
                direction: if directed { direction.name() } else { "both" },
                intact,
                lost: vertices - intact,
                ranges: Vec::new(),
                more_ranges: 0,
                faults: sound.faults.iter().map(described).collect(),
            };
            if lists.lost > 0 {
                self.fill_ranges(&mut lists, sound, order, budget)?;
            }
            Ok(lists)
        };
        [Direction::Out, Direction::In].into_iter().zip(sound).map(of_direction).collect()
    }

    /// Fills in the vertices of lost lists.
    fn fill_ranges(
        &self,
        lists: &mut SalvagedLists,
        sound: &SoundLists,
        order: ExportOrder,
        budget: &MemoryBudget,
    ) -> Result<()> {
        let vertices = self.num_vertices();
        let _held = budget.reserve(BitSet::bytes(vertices), Purpose::Frontier)?;
        let lost = BitSet::empty(vertices);
        let ranks = match order {
            ExportOrder::Ids => ranks(&self.store, self.io, budget, self.cancellation())?,
            ExportOrder::Store => None,
        };
        for vertex in (0..vertices).filter(|vertex| !sound.vertices.contains(*vertex)) {
            let place = ranks.as_ref().map_or(vertex, |ranks| ranks[index_from(u64::from(vertex))]);
            _ = lost.insert(place);
        }
        let mut ids = match order {
            ExportOrder::Ids => Some(OriginalIdReader::open(&self.store, self.io)?),
            ExportOrder::Store => None,
        };
        let mut id = |place: u32| match &mut ids {
            Some(ids) => original_id(&ids.ids(place..place + 1)?),
            None => Ok(OriginalId::Integer(place.into())),
        };
        let mut rest = lost.iter().peekable();
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if(|next| *next == last + 1) {
                last = next;
            }
            match lists.ranges.len() < MOST_RANGES {
                true => lists.ranges.push(LostVertices { first: id(first)?, last: id(last)? }),
                false => lists.more_ranges += 1,
            }
        }
        Ok(())
    }
}

/// Returns the first ID of `ids`.
fn original_id(ids: &IdBatch) -> Result<OriginalId> {
    match ids {
        IdBatch::Integers(ids) if !ids.is_empty() => Ok(OriginalId::Integer(ids[0])),
        _ => name_of(ids).map(OriginalId::Text),
    }
}

/// Describes damage by file and part, without a remedy unless nothing is lost.
fn described(fault: &Error) -> String {
    match fault {
        Error::Corrupt { path, message, remedy } if *remedy == Error::CREATE_EMPTY => {
            format!("{}: {message}; {remedy}, and salvage again", path.display())
        }
        Error::Corrupt { path, message, .. } => format!("{}: {message}", path.display()),
        other => other.to_string(),
    }
}

/// Replaces the remedy for damaged IDs.
fn with_id_remedy(error: Error) -> Error {
    let is_of_ids = |name: &str| name.starts_with("ids.") || name.starts_with("order.");
    let of_ids = match &error {
        Error::Corrupt { path, .. } => path.file_name().and_then(|name| name.to_str()).is_some_and(is_of_ids),
        _ => false,
    };
    if !of_ids {
        return error;
    }
    error.with_remedy("no edge can be written with original IDs; `--order store` writes positions in the store instead")
}
