//! Building of stores in bounded memory: endpoints become ranks, ranks become vertices, arcs are sorted and written,
//! and the store appears atomically. A store is built from edges, or from another store with another vertex order or
//! layout.

mod arc_sorters;
mod build;
mod checkpoint;
mod context;
mod edges;
mod id_map;
mod list_files;
mod options;
mod preflight;
pub(crate) mod record;
mod rewrite;
mod staging;

pub use build::{build, build_with_limits};
pub use checkpoint::BuildCheckpoints;
#[doc(hidden)]
pub use context::BuildLimits;
pub use edges::{BuildInput, EdgeBatch, EdgeSource, IdBatch, IdKind, SampledLists, VertexSource};
pub use options::{BuildOptions, BuildReport, PermutationFrom, VertexOrder};
pub use preflight::{BuildSize, IdFiles};
pub use rewrite::{
    ArcGatherer, ArcOrder, ArcRanker, ConvertOptions, GatherSettings, RankedArcs, VertexPermutation, convert,
    convert_memory, look_up_ranks, reorder, reorder_memory,
};
pub use staging::{publish, publish_over, remove_left_over, remove_unpublished, temporary_sibling};
