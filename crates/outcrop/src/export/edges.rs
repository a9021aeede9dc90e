//! Export of the edges of a store to a file.

use crate::graph::Graph;
use crate::result::{ArcRows, NodeIds, TableSource, batch_memory};
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use outcrop_formats::edges::{EdgeFormat, EdgeSink, NewEdges, create_edges, is_standard_output};
use outcrop_store::writing::{ArcOrder, ArcRanker, IdBatch, IdKind, RankedArcs};
use outcrop_store::{OriginalIdReader, OriginalIds};
use outcrop_types::{Direction, Error, MemoryBudget, Phase, ProgressUnit, Purpose, Result, WeightType, length_from};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// Number of edges whose IDs are looked up together.
const BATCH: usize = 1 << 15;

/// IDs and order of exported edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportOrder {
    /// Original IDs, ascending.
    #[default]
    Ids,
    /// Positions in the store (0 to n - 1), ascending, for programs to be measured on the same vertex order.
    Store,
}

impl FromStr for ExportOrder {
    type Err = Error;

    /// Parses `id` or `store`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "id" => Ok(Self::Ids),
            "store" => Ok(Self::Store),
            _ => Err(Error::Usage(format!("order must be id or store, not {text:?}"))),
        }
    }
}

/// Request for an export of the edges of a graph.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// Path of the file; `-` for standard output.
    pub path: PathBuf,
    /// Format; `None` for the one of the file's extension, or text on standard output.
    pub format: Option<EdgeFormat>,
    /// IDs and order of the edges.
    pub order: ExportOrder,
    /// True to omit weights.
    pub unweighted: bool,
    /// True to overwrite an existing file.
    pub overwrite: bool,
}

impl ExportRequest {
    /// Creates a request to export to `path`, with defaults for everything else.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let order = ExportOrder::default();
        Self { path: path.into(), format: None, order, unweighted: false, overwrite: false }
    }

    /// Returns the format to write.
    pub(super) fn written_format(&self) -> Result<EdgeFormat> {
        let piped = is_standard_output(&self.path).then_some(EdgeFormat::EdgeList);
        let format = EdgeFormat::written(&self.path, self.format.or(piped))?;
        if piped.is_some() && format == EdgeFormat::Parquet {
            let message = "--format parquet needs a file; standard output supports edge-list and outcrop";
            return Err(Error::Usage(message.to_owned()));
        }
        Ok(format)
    }
}

impl Graph {
    /// Writes all edges, including updates, to a file, in ascending order of the IDs of source and target, which are
    /// original IDs or positions in the store; returns the number of edges. An undirected edge is written once, smaller
    /// ID first. A serialized graph contains whole lists, and their entries are counted.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and may not be overwritten, if the format cannot represent the graph, if the
    /// store is damaged, if the budget or disk is too small, if writing fails, or if the export is interrupted. In all
    /// cases no files remain.
    pub fn export(&self, request: &ExportRequest) -> Result<u64> {
        let format = request.written_format()?;
        let weights = self.exported_weights(format, request)?;
        let budget = self.budget();
        let ranker = self.ranker(request, weights.is_some(), false, &budget);
        let batches = 2 * batch_memory(&self.store);
        budget.require(&ranker.memory().with(Purpose::Results, batches))?;
        let _batches = budget.reserve(batches, Purpose::Results)?;
        let file = self.exported(format, weights, request)?;
        let sink = create_edges(&request.path, &file)?;
        let (order, weighted) = (request.order, weights.is_some());
        let mut export = Export { graph: self, budget: &budget, order, weighted, sink };
        for arcs in passes(format, self.store.manifest().graph.directed) {
            let arcs = ranker.sort(*arcs, &[])?;
            if arcs.count() != file.num_edges {
                return Err(Error::corrupt(self.store.folder(), "its number of edges differs from the manifest"));
            }
            export.write(arcs)?;
        }
        self.report_export_notes();
        export.sink.finish()
    }

    /// Returns the sorter of the arcs of an export, or of a salvage.
    pub(super) fn ranker<'g>(
        &'g self,
        request: &ExportRequest,
        weighted: bool,
        salvages: bool,
        budget: &'g MemoryBudget,
    ) -> ArcRanker<'g> {
        ArcRanker {
            store: &self.store,
            temporary: &self.temp_folder,
            weighted,
            ranked: request.order == ExportOrder::Ids,
            salvages,
            work: self.work(budget, &*self.observer),
        }
    }

    pub(super) fn report_export_notes(&self) {
        self.report_notes();
        if self.times().is_ok() {
            self.observer.note("the timestamps of the edges are not exported");
        }
    }

    /// Returns the type of the written weights, if any.
    pub(super) fn exported_weights(&self, format: EdgeFormat, request: &ExportRequest) -> Result<Option<WeightType>> {
        let left_out = request.unweighted || format == EdgeFormat::Sg;
        let weights = self.store.manifest().weights().filter(|_| !left_out);
        if format == EdgeFormat::Wsg && weights.is_none() {
            let (path, store) = (request.path.display(), self.store.folder().display());
            let message = format!("{path}: the format wsg needs weights, and none are exported from {store}; use .sg");
            return Err(Error::Usage(message));
        }
        Ok(weights)
    }

    pub(super) fn exported(
        &self,
        format: EdgeFormat,
        weights: Option<WeightType>,
        request: &ExportRequest,
    ) -> Result<NewEdges> {
        let manifest = self.store.manifest();
        let lists = matches!(format, EdgeFormat::Sg | EdgeFormat::Wsg).then_some(manifest.graph.directed);
        let (texts, num_vertices) = match request.order {
            ExportOrder::Ids => (manifest.numbering.ids == OriginalIds::Text, self.end_of_ids()?),
            ExportOrder::Store => (false, Some(u64::from(manifest.graph.vertices))),
        };
        // Default: a store without lists has no arcs.
        let arcs = manifest.arcs(Direction::Out).unwrap_or(0);
        Ok(NewEdges {
            ids: if texts { IdKind::Text } else { IdKind::Integer },
            weights,
            num_vertices,
            lists,
            overwrite: request.overwrite,
            ..NewEdges::new(format, if lists.is_some() { arcs } else { manifest.graph.edges })
        })
    }

    /// Returns the largest ID plus one; `None` for strings, and if it overflows.
    fn end_of_ids(&self) -> Result<Option<u64>> {
        let Some(last) = self.num_vertices().checked_sub(1) else { return Ok(Some(0)) };
        match OriginalIdReader::open(&self.store, self.io)?.ids(last..last + 1)? {
            IdBatch::Integers(ids) => Ok(ids.first().and_then(|largest| largest.checked_add(1))),
            IdBatch::Texts { .. } => Ok(None),
        }
    }
}

/// Returns the passes over the arcs that a format needs.
const fn passes(format: EdgeFormat, directed: bool) -> &'static [ArcOrder] {
    match (format, directed) {
        (EdgeFormat::Sg | EdgeFormat::Wsg, true) => &[ArcOrder::Lists, ArcOrder::Reverse],
        (EdgeFormat::Sg | EdgeFormat::Wsg, false) => &[ArcOrder::Lists],
        _ => &[ArcOrder::Edges],
    }
}

/// A running export.
pub(super) struct Export<'e> {
    pub(super) graph: &'e Graph,
    pub(super) budget: &'e MemoryBudget,
    pub(super) order: ExportOrder,
    pub(super) weighted: bool,
    pub(super) sink: Box<dyn EdgeSink>,
}

impl Export<'_> {
    pub(super) fn write(&mut self, arcs: RankedArcs) -> Result<()> {
        let Self { graph, budget, order, weighted, sink } = self;
        let cancellation = graph.cancellation();
        let source = TableSource {
            store: Arc::clone(&graph.store),
            io: graph.io,
            budget: budget.clone(),
            cancellation: cancellation.clone(),
            _kept: None,
        };
        let mut ids = (*order == ExportOrder::Ids).then(|| NodeIds::open(&source, true)).transpose()?;
        let total = Some(arcs.count());
        graph.observer.phase(&Phase { name: "writing edges", unit: ProgressUnit::Edges, total });
        let mut rows = ArcRows { ids: ids.as_mut(), batch: BATCH, weighted: *weighted, cancellation };
        let mut done = 0;
        rows.each(arcs, |rank| rank, &mut |ends, weights| {
            done += length_from(ends[0].len());
            push(&mut **sink, ends, weights)?;
            graph.observer.progress(done);
            Ok(())
        })
    }
}

fn push(sink: &mut dyn EdgeSink, [sources, targets]: [ArrayRef; 2], weights: &[f64]) -> Result<()> {
    if let Some((sources, targets)) = sources.as_string_opt::<i64>().zip(targets.as_string_opt::<i64>()) {
        return sink.push_texts([sources, targets], weights);
    }
    let [sources, targets] = [&sources, &targets].map(|ids| ids.as_primitive::<UInt64Type>().values());
    let edges: Vec<[u64; 2]> = sources.iter().zip(targets).map(|(source, target)| [*source, *target]).collect();
    sink.push(&edges, weights)
}
