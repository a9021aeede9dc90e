//! Parameters of the engines: how a run goes about its work.

use super::choice::choices;
use super::kind::Kind;
use super::param::{Param, ParamInfo, Preset};
use crate::spec::{Model, ModelChoice, ValuePlace};
use outcrop_engine::gas::ShardKind;
use outcrop_engine::messages::Delivery;
use outcrop_engine::schedule::Schedule;
use outcrop_store::layout::LayoutKind;
use std::path::PathBuf;

choices!(Schedule: "auto" => Self::Auto, "select" => Self::Select, "sweep" => Self::Sweep);
choices!(Delivery: "sync" => Self::Synchronous, "async" => Self::Asynchronous);
choices!(ShardKind:
    "static" => Self::Static,
    "ads" => Self::Aggressive,
    "ods" => Self::Optimised,
    "edge-list" => Self::EdgeList,
);
choices!(LayoutKind:
    "chunked" => Self::Chunked,
    "compact" => Self::Compact,
    "csr" => Self::Csr,
    "sliding" => Self::Sliding,
);
choices!(Switch: "on" => Self::On, "off" => Self::Off);

/// Choice to do something or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It is.
    On,
    /// It is not.
    Off,
}

/// The model to run in.
pub static MODEL: Param<ModelChoice> = Param::word(
    "model",
    "auto",
    "How values flow along edges; auto is the algorithm's own where memory holds it, else one that it does hold",
)
.shown_as("MODEL")
.advanced();

/// Place of the values of vertices.
pub static VALUES: Param<ValuePlace> = Param::word(
    "values",
    "auto",
    "Where the values of vertices are kept: in memory, on disk (in the models interval, messages and gas), or in memory where it holds \
     them",
)
.shown_as("PLACE")
.advanced();

/// The layout to read.
pub static LAYOUT: Param<Option<LayoutKind>> = Param::new(
    "layout",
    Kind::Word(&["chunked", "compact", "csr", "sliding"]),
    Preset::None("the one that the store has"),
    "The layout to read; an error where the store has another",
)
.shown_as("LAYOUT")
.advanced();

/// Choice between selecting lists and sweeping over them.
pub static SCHEDULE: Param<Schedule> = Param::word(
    "schedule",
    "auto",
    "Whether the lists of active vertices are selected, or all are swept over; auto is what is estimated to take less, in each iteration",
)
.shown_as("WAY")
.advanced();

/// Time at which messages are delivered.
pub static DELIVERY: Param<Delivery> =
    Param::word("delivery", "sync", "Deliver messages in the next superstep, or where possible in the same")
        .shown_as("WHEN")
        .advanced()
        .only_in(&[Model::Messages]);

/// Switch for logging lists of vertices that are likely to be active.
pub static EDGE_LOG: Param<Switch> =
    Param::word("edge-log", "on", "Log lists of vertices that are likely to be active, where pages hold little else")
        .shown_as("ON|OFF")
        .advanced()
        .only_in(&[Model::Messages]);

/// Switch for computing small logs of neighbouring intervals together.
pub static FUSE: Param<Switch> = Param::word("fuse", "on", "Compute intervals with few messages together")
    .shown_as("ON|OFF")
    .advanced()
    .only_in(&[Model::Messages]);

/// Way in which edges are brought into memory.
pub static SHARDS: Param<ShardKind> = Param::word(
    "shards",
    "ods",
    "Whole shards in each iteration, dynamic ones made in each (ads) or in shadow iterations (ods), or streams of edges",
)
.shown_as("KIND")
.advanced()
.only_in(&[Model::Gas]);

/// The share of the edges below which so few are updated in an iteration that dynamic shards are made.
pub static UPDATED_SHARE: Param<f64> = Param::new(
    "updated-share",
    Kind::Share,
    Preset::Number(0.3),
    "Make dynamic shards once an iteration updates less than this share of the edges: 30% or 0.3",
)
.advanced()
.only_in(&[Model::Gas]);

/// Bytes of delayed changes above which a shadow iteration takes them up.
pub static DELAY_BUFFER: Param<Option<u64>> = Param::new(
    "delay-buffer",
    Kind::Size,
    Preset::None("100KiB; 0 where each iteration counts: with --iterations, and of pagerank without --delta and heat"),
    "Let a shadow iteration take up delayed changes once they take more than this",
)
.advanced()
.only_in(&[Model::Gas]);

/// Edges that come while the run is under way.
pub static ARRIVALS: Param<Option<PathBuf>> = Param::new(
    "arrivals",
    Kind::File,
    Preset::None(""),
    "Edges between vertices of the graph that come while bfs, sssp, wcc or pagerank with --delta run; the store stays as it is",
)
.shown_as("EDGES")
.advanced()
.only_in(&[Model::Gas]);

/// The iteration after which they come.
pub static ARRIVE_AFTER: Param<u32> = Param::new(
    "arrive-after",
    Kind::ANY_COUNT,
    Preset::Count(0),
    "The iteration after which these edges come; after 0 all vertices have their first value",
)
.advanced()
.only_in(&[Model::Gas])
.requires("arrivals");

/// Those that a user is offered.
pub static PARAMS: &[&ParamInfo] = &[
    &MODEL.info,
    &VALUES.info,
    &LAYOUT.info,
    &SCHEDULE.info,
    &DELIVERY.info,
    &EDGE_LOG.info,
    &SHARDS.info,
    &UPDATED_SHARE.info,
    &DELAY_BUFFER.info,
    &ARRIVALS.info,
    &ARRIVE_AFTER.info,
];

/// Those that only measurements set.
pub static FOR_MEASUREMENTS: &[&ParamInfo] = &[&FUSE.info];
