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

/// Number of edges in memory while edges are spooled or read back.
pub(super) const SPOOL_EDGES: usize = 2 << 16;

/// Vertex order other than the original, computed from counts and, for its condition, a sample of lists.
#[derive(Clone, Copy)]
pub struct VertexOrder<'o> {
    /// Name in the manifest.
    pub name: Order,
    /// Parameters of the order.
    pub parameters: OrderParameters,
    /// New place of each rank.
    pub permutation: PermutationFrom<'o>,
    /// Condition for using this order, evaluated on sampled lists. If it does not hold, or if the order exceeds the
    /// budget, the vertices keep the original order.
    pub condition: Option<&'o (dyn Fn(&SampledLists) -> bool + Sync)>,
}

/// Function that computes the permutation of the ranks.
#[derive(Clone, Copy)]
pub enum PermutationFrom<'o> {
    /// Function that replaces the number of list entries of each rank.
    Degrees(&'o (dyn Fn(Vec<u32>) -> Permutation + Sync)),
    /// Function of the number of ranks, which takes 8 bytes per rank.
    Count(&'o (dyn Fn(u32) -> Permutation + Sync)),
}

impl VertexOrder<'_> {
    /// Returns the memory of computing and writing the order, in bytes.
    pub(super) fn bytes(&self, vertices: u32) -> u64 {
        let each = match self.permutation {
            PermutationFrom::Degrees(_) => 5,
            PermutationFrom::Count(_) => 8,
        };
        each * u64::from(vertices)
    }
}

/// Options of a build.
#[derive(Clone)]
pub struct BuildOptions<'o> {
    /// Folder of the new store.
    pub target: PathBuf,
    /// True to overwrite an existing store.
    pub overwrite: bool,
    /// Layout of the lists.
    pub layout: Layout,
    /// True if edges are undirected.
    pub undirected: bool,
    /// True if IDs are the vertices `0..n` themselves.
    pub dense_ids: bool,
    /// Minimum number of vertices, with dense IDs.
    pub num_vertices: Option<u64>,
    /// Treatment of duplicate edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// True to build a store from an input without edges and vertices.
    pub allow_empty: bool,
    /// Order of the vertices; `None` for ascending original IDs.
    pub order: Option<VertexOrder<'o>>,
    /// Type of the weights, if there are weights.
    pub weights: WeightChoice,
    /// Folder for spill files; `None` for the folder of the checkpoints, or next to the target.
    pub temp_folder: Option<PathBuf>,
    /// Checkpoints from which an interrupted build can resume.
    pub checkpoints: Option<&'o BuildCheckpoints>,
}

impl BuildOptions<'_> {
    /// Returns the memory for writing files concurrently: those of both directions, or of the IDs.
    pub(super) fn writer_bytes(&self, weighted: bool) -> u64 {
        // The widest type, if the type is not known yet.
        let weights = weighted.then(|| self.weights.requested().unwrap_or(WeightType::F64));
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

    /// Returns the buffer size of a build from edges, in bytes.
    pub(super) fn buffer_bytes(&self, weighted: bool) -> u64 {
        let edge = if weighted { size_of::<WeightedArc>() } else { size_of::<PlainArc>() };
        self.writer_bytes(weighted) + length_from(SPOOL_EDGES * edge)
    }

    /// Returns the parent folder of the store.
    pub(super) fn target_folder(&self) -> PathBuf {
        parent_of(&place_of(&self.target)).to_owned()
    }

    /// Returns the folder of temporary files.
    pub(super) fn temp_folder(&self) -> PathBuf {
        let kept = self.checkpoints.map(|checkpoints| checkpoints.path().to_owned());
        kept.or_else(|| self.temp_folder.clone()).unwrap_or_else(|| self.target_folder())
    }

    /// Returns the folder of temporary files, which have names if there are checkpoints.
    pub(super) fn spill_folder(&self, storage: &dyn Storage) -> Result<Arc<SpillFolder>> {
        match self.checkpoints {
            Some(checkpoints) => Ok(checkpoints.spill_folder()),
            None => spill_folder(storage, &self.temp_folder()),
        }
    }

    /// Returns the minimum memory of a build, without the buffers of its input and, for an order other than the
    /// original, 12 bytes per vertex: the number of vertices is known only after the input is read.
    pub fn memory(&self, input: &BuildInput) -> MemoryPlan {
        let least = ExternalSorter::<PlainArc>::LEAST_BYTES;
        let sorting = match (self.dense_ids, input.edges.id_kind()) {
            (true, _) => 2 * least,
            (false, IdKind::Integer) => 3 * least,
            // Three sorters have equal shares, one of them with strings.
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
    /// Number of malformed input lines that were skipped.
    pub skipped_lines: u64,
    /// Number of loops dropped.
    pub loops_dropped: u64,
    /// Summary of the input.
    pub input: InputSummary,
    /// Weights rounded while the store was written, in addition to those reported by the input.
    pub rounding: WeightRounding,
    /// True if the vertex order was computed before the build was resumed from a checkpoint.
    pub order_resumed: bool,
}
