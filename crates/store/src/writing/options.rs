//! Options of a build, and its report.

use super::checkpoint::BuildCheckpoints;
use super::edges::{BuildInput, IdKind, SampledLists};
use super::record::{Arc as PlainArc, WeightedArc};
use super::staging::{parent_of, place_of};
use crate::component::ComponentWriter;
use crate::journal::SegmentWriter;
use crate::layout::Layout;
use crate::layout::chunked::ChunkedWriter;
use crate::layout::compact::CompactWriter;
use crate::layout::csr::CsrWriter;
use crate::layout::sliding::ListSpiller;
use crate::manifest::{Dedup, Manifest, Order, OrderParameters, SelfLoops};
use crate::owned::spill_folder;
use crate::sort::{ExternalSorter, TextSorter};
use outcrop_io::{SpillFolder, Storage};
use outcrop_types::{
    InputSummary, MemoryPlan, Permutation, Purpose, Result, WeightChoice, WeightRounding, WeightType, length_from,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Edges in memory while edges are set aside on disk or read back.
pub(super) const SPOOL_EDGES: usize = 3 << 14;

/// An order of the vertices other than the original that needs no more lists than a sample.
#[derive(Clone, Copy)]
pub struct VertexOrder<'o> {
    /// Name in the manifest.
    pub name: Order,
    /// Parameters of the order.
    pub parameters: OrderParameters,
    /// New place of each rank.
    pub permutation: PermutationFrom<'o>,
    /// Condition under which vertices get this order, asked of lists that were drawn from the edges; otherwise, and
    /// where the budget does not hold the order, they keep the original one.
    pub condition: Option<&'o (dyn Fn(&SampledLists) -> bool + Sync)>,
}

/// Function that computes the permutation of the ranks.
#[derive(Clone, Copy)]
pub enum PermutationFrom<'o> {
    /// Function of the number of list entries per rank.
    Degrees(&'o (dyn Fn(&[u32]) -> Permutation + Sync)),
    /// Function of the number of ranks.
    Count(&'o (dyn Fn(u32) -> Permutation + Sync)),
}

/// Options of a build.
#[derive(Clone)]
pub struct BuildOptions<'o> {
    /// The folder that becomes the store.
    pub target: PathBuf,
    /// Replace a store that stands there.
    pub overwrite: bool,
    /// Layout of the lists.
    pub layout: Layout,
    /// Edges have no direction.
    pub undirected: bool,
    /// Ids are the vertices `0..n` themselves.
    pub dense_ids: bool,
    /// Minimum number of vertices, with dense IDs.
    pub num_vertices: Option<u64>,
    /// Treatment of repeated edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// Make a store of an input without edges and vertices.
    pub allow_empty: bool,
    /// The order of the vertices; `None` for ascending original ids.
    pub order: Option<VertexOrder<'o>>,
    /// The type of weights, where there are weights.
    pub weights: WeightChoice,
    /// Folder of sorted runs while building; `None` for that of the checkpoints, or beside the target.
    pub temp_folder: Option<PathBuf>,
    /// Checkpoints, from which the build goes on after a kill.
    pub checkpoints: Option<&'o BuildCheckpoints>,
}

impl BuildOptions<'_> {
    /// Memory of writing files at the same time: both directions, or the ids.
    pub(super) fn writer_bytes(&self, weighted: bool) -> u64 {
        // The widest, where the type is not known yet.
        let weights = weighted.then(|| self.weights.asked().unwrap_or(WeightType::F64));
        let direction = match &self.layout {
            Layout::Csr(settings) => CsrWriter::memory(*settings),
            Layout::Compact(_) => CompactWriter::memory(weights),
            Layout::Sliding(_) => ListSpiller::MEMORY_BYTES,
            Layout::Chunked(settings) => ChunkedWriter::memory(settings, weights),
        };
        let directions = if self.undirected { 1 } else { 2 };
        let checkpoint = self.checkpoints.map_or(0, |_| BuildCheckpoints::MEMORY_BYTES);
        directions * direction + 2 * ComponentWriter::MEMORY_BYTES + checkpoint
    }

    /// Bytes of the buffers of a build from edges.
    pub(super) fn buffer_bytes(&self, weighted: bool) -> u64 {
        let edge = if weighted { size_of::<WeightedArc>() } else { size_of::<PlainArc>() };
        self.writer_bytes(weighted) + length_from(SPOOL_EDGES * edge)
    }

    /// The folder that the store will lie in.
    pub(super) fn target_folder(&self) -> PathBuf {
        parent_of(&place_of(&self.target)).to_owned()
    }

    /// Folder of temporary files.
    pub(super) fn temp_folder(&self) -> PathBuf {
        let kept = self.checkpoints.map(|checkpoints| checkpoints.path().to_owned());
        kept.or_else(|| self.temp_folder.clone()).unwrap_or_else(|| self.target_folder())
    }

    /// Folder of temporary files, which have names where there are checkpoints.
    pub(super) fn spill_folder(&self, storage: &dyn Storage) -> Result<Arc<SpillFolder>> {
        match self.checkpoints {
            Some(checkpoints) => Ok(checkpoints.spill_folder()),
            None => spill_folder(storage, &self.temp_folder()),
        }
    }

    /// The least that a build needs, but for the buffers of its input and, in an order other than the original, 12
    /// bytes a vertex: how many vertices there are is known only once the input has been read.
    pub fn memory(&self, input: &BuildInput) -> MemoryPlan {
        let least = ExternalSorter::<PlainArc>::LEAST_BYTES;
        let sorting = match (self.dense_ids, input.edges.id_kind()) {
            (true, _) => 2 * least,
            (false, IdKind::Integer) => 3 * least,
            // Three sorters share alike, one of them of texts.
            (false, IdKind::Text) => 3 * TextSorter::LEAST_BYTES,
        };
        let journal = input.edges.times().map_or(0, |_| SegmentWriter::memory(input.edges.id_kind(), true));
        MemoryPlan::new()
            .with(Purpose::IoBuffers, self.buffer_bytes(input.edges.weighted()))
            .with(Purpose::SortSpace, sorting + journal)
    }
}

/// Report of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildReport {
    /// Manifest of the store.
    pub manifest: Manifest,
    /// Lines of the input that were skipped as not understood.
    pub skipped_lines: u64,
    /// Loops that were left out.
    pub loops_dropped: u64,
    /// Account of the input.
    pub input: InputSummary,
    /// Weights that were rounded while the store was written, beside those that the input tells of.
    pub rounding: WeightRounding,
    /// True if the order of the vertices was found before the build went on from a checkpoint.
    pub order_resumed: bool,
}
