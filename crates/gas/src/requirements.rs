//! Requirements on an engine, and its options.

use super::program::GasProgram;
use outcrop_engine::Directions;

/// Way in which edges are brought into memory (sections 3, 4.3, 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardKind {
    /// Whole shards in every iteration, as in GraphChi: the baseline.
    Static,
    /// Dynamic shards that are made anew in every iteration.
    Aggressive,
    /// Dynamic shards that are made in shadow iterations.
    #[default]
    Optimized,
    /// Streams of edges with lists of updates for their targets, as in X-Stream; the edges in dynamic lists.
    EdgeList,
}

/// Conditions for making dynamic shards (section 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GasOptions {
    /// Way in which edges are brought into memory.
    pub shards: ShardKind,
    /// The share of the edges below which so few are updated in an iteration that dynamic shards are made: `p`.
    pub updated_share: f64,
    /// Bytes of delayed changes above which a shadow iteration takes them up: `d`. One does so earlier where more
    /// changes wait than were made in the last iteration. With 0 every iteration ends with one where a change was
    /// delayed, and the iterations are those of static shards.
    pub delay_bytes: u64,
}

impl Default for GasOptions {
    fn default() -> Self {
        Self { shards: ShardKind::default(), updated_share: 0.3, delay_bytes: 100 << 10 }
    }
}

/// Requirements of a program on the engine.
#[derive(Clone, Copy, Debug)]
pub struct GasRequirements {
    /// Vertices of the graph.
    pub vertices: u32,
    /// True if values of vertices live on disk.
    pub on_disk: bool,
    /// Along which edges it goes.
    pub along: Directions,
    /// True if it looks at weights.
    pub weighted: bool,
    /// True if it looks at out-degrees.
    pub degrees: bool,
    /// Bytes of the value of a vertex.
    pub value_bytes: u64,
    /// Bytes of what an edge holds.
    pub edge_bytes: u64,
    /// Bytes of a sum.
    pub sum_bytes: u64,
    /// Bytes of a change.
    pub change_bytes: u64,
    /// True if edges keep their values.
    pub keeps_edges: bool,
}

impl GasRequirements {
    /// The requirements of `P`, which looks neither at weights nor at degrees.
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
        }
    }
}
