//! Requirements of a program, and options of the engine.

use super::aggregation::Aggregation;
use super::program::GasProgram;
use outcrop_engine::Directions;

/// Method of loading edges into memory (sections 3, 4.3, 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardKind {
    /// [`Self::Static`] or [`Self::Optimized`], depending on the program.
    #[default]
    Auto,
    /// Whole shards in every iteration, as in GraphChi: the baseline.
    Static,
    /// Dynamic shards, created in every iteration.
    Aggressive,
    /// Dynamic shards, created in shadow iterations.
    Optimized,
    /// Edge streams with update lists for their targets, as in X-Stream, with the edges in dynamic lists.
    EdgeList,
}

impl ShardKind {
    /// Returns the kind for a program with these requirements. If edges retain their values, dynamic shards contain the
    /// reverse edges too, and a shadow iteration reads and writes all values: it costs more than an iteration over
    /// static shards.
    pub(crate) const fn resolve(self, requirements: &GasRequirements) -> Self {
        match self {
            Self::Auto if requirements.keeps_edges || !requirements.incremental => Self::Static,
            Self::Auto => Self::Optimized,
            kind => kind,
        }
    }
}

/// Conditions for creating dynamic shards (section 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GasOptions {
    /// Method of loading edges into memory.
    pub shards: ShardKind,
    /// Dynamic shards are created if an iteration updates less than this share of the edges: `p`.
    pub updated_share: f64,
    /// A shadow iteration runs if the delayed changes exceed this number of bytes: `d`. It runs earlier if more changes
    /// are delayed than the last iteration made. With 0, every iteration with delayed changes ends with a shadow
    /// iteration, and the iterations equal those of static shards.
    pub delay_bytes: u64,
}

impl Default for GasOptions {
    fn default() -> Self {
        Self { shards: ShardKind::default(), updated_share: 0.15, delay_bytes: 100 << 10 }
    }
}

/// Requirements of a program.
#[derive(Clone, Copy, Debug)]
pub struct GasRequirements {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// `true` if vertex values are on disk.
    pub on_disk: bool,
    /// Edge directions of the program.
    pub along: Directions,
    /// `true` if the program reads weights.
    pub weighted: bool,
    /// `true` if the program reads out-degrees.
    pub degrees: bool,
    /// Bytes per vertex value.
    pub value_bytes: u64,
    /// Bytes per edge value.
    pub edge_bytes: u64,
    /// Bytes per sum.
    pub sum_bytes: u64,
    /// Bytes per change.
    pub change_bytes: u64,
    /// `true` if edges retain their values.
    pub keeps_edges: bool,
    /// `true` if the program aggregates changes and not all vertices change in every iteration: dynamic shards can omit
    /// edges.
    pub incremental: bool,
    /// Maximum number of vertices or edges per batch.
    pub batch: u64,
    /// Number of edges that arrive during the run; the engine counts those of [`crate::GasSetup::arrivals`] itself.
    pub arrivals: u64,
}

impl GasRequirements {
    /// Returns the requirements of `P`, without weights, degrees and arriving edges.
    pub const fn of<P: GasProgram>(vertices: u32, on_disk: bool, along: Directions) -> Self {
        Self {
            vertices,
            on_disk,
            along,
            weighted: false,
            degrees: false,
            value_bytes: size_of::<P::Value>() as u64,
            edge_bytes: size_of::<P::Edge>() as u64,
            sum_bytes: size_of::<Option<P::Sum>>() as u64,
            change_bytes: size_of::<P::Change>() as u64,
            keeps_edges: P::KEEPS_EDGES,
            incremental: !matches!(P::AGGREGATION, Aggregation::None),
            batch: P::BATCH as u64,
            arrivals: 0,
        }
    }
}
