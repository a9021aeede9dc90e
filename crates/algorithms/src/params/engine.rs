//! Parameters of the engines, which affect the execution of a run.

use super::choice::choices;
use super::kind::Kind;
use super::param::{Param, ParamInfo, Preset};
use crate::spec::{Model, ModelChoice, ValuePlace};
use outcrop_engine::schedule::Schedule;
use outcrop_gas::ShardKind;
use outcrop_messages::Delivery;
use outcrop_store::layout::LayoutKind;
use std::path::PathBuf;

choices!(Schedule: "auto" => Self::Auto, "select" => Self::Select, "sweep" => Self::Sweep);
choices!(Delivery: "sync" => Self::Synchronous, "async" => Self::Asynchronous);
choices!(ShardKind:
    "auto" => Self::Auto,
    "static" => Self::Static,
    "ads" => Self::Aggressive,
    "ods" => Self::Optimized,
    "edge-list" => Self::EdgeList,
);
choices!(LayoutKind:
    "chunked" => Self::Chunked,
    "compact" => Self::Compact,
    "csr" => Self::Csr,
    "sliding" => Self::Sliding,
);
choices!(Switch: "on" => Self::On, "off" => Self::Off);

/// Switch of an optional feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Enabled.
    On,
    /// Disabled.
    Off,
}

/// Execution model.
pub static MODEL: Param<ModelChoice> = Param::word(
    "model",
    "auto",
    "Execution model; auto is the preferred model of the algorithm, or one that fits in memory",
)
.shown_as("MODEL")
.advanced();

/// Location of vertex values.
pub static VALUES: Param<ValuePlace> = Param::word(
    "values",
    "auto",
    "Location of vertex values; auto is memory if they fit, otherwise disk (models interval, messages and gas)",
)
.shown_as("LOCATION")
.advanced();

/// Layout to read.
pub static LAYOUT: Param<Option<LayoutKind>> = Param::new(
    "layout",
    Kind::Word(&["chunked", "compact", "csr", "sliding"]),
    Preset::None("the layout of the store"),
    "Layout to read; the run fails if the store has another",
)
.shown_as("LAYOUT")
.advanced();

/// Choice between selecting lists and sweeping over them.
pub static SCHEDULE: Param<Schedule> = Param::word(
    "schedule",
    "auto",
    "Read the lists of active vertices (select) or all lists (sweep); auto is the cheaper, chosen per iteration",
)
.shown_as("STRATEGY")
.advanced();

/// Time at which messages are delivered.
pub static DELIVERY: Param<Delivery> = Param::word(
    "delivery",
    "sync",
    "Deliver messages in the next superstep (sync) or, where possible, in the same (async)",
)
.shown_as("MODE")
.advanced()
.only_in(&[Model::Messages]);

/// Switch for logging lists of vertices that are likely to be active.
pub static EDGE_LOG: Param<Switch> = Param::word(
    "edge-log",
    "on",
    "Log the lists of vertices that are likely to be active, if their pages contain few others",
)
.shown_as("SWITCH")
.advanced()
.only_in(&[Model::Messages]);

/// Switch for computing small logs of adjacent intervals together.
pub static FUSE: Param<Switch> = Param::word("fuse", "on", "Compute intervals with few messages together")
    .shown_as("SWITCH")
    .advanced()
    .only_in(&[Model::Messages]);

/// Method of loading edges into memory.
pub static SHARDS: Param<ShardKind> = Param::word(
    "shards",
    "auto",
    "Read all edges (static), build shards per iteration (ads) or in shadow iterations (ods), or stream edges; auto is static for bp and for pagerank without --delta, otherwise ods",
)
.shown_as("TYPE")
.advanced()
.only_in(&[Model::Gas]);

/// Fraction of updated edges in an iteration below which dynamic shards are created.
pub static UPDATED_SHARE: Param<f64> = Param::new(
    "updated-share",
    Kind::Share,
    Preset::Number(0.15),
    "Read only changed edges (dynamic shards) once an iteration changes less than this fraction of all edges",
)
.advanced()
.only_in(&[Model::Gas]);

/// Bytes of delayed changes above which a shadow iteration processes them.
pub static DELAY_BUFFER: Param<Option<u64>> = Param::new(
    "delay-buffer",
    Kind::Size,
    Preset::None("100KiB; 0 (no delays) for heat, for pagerank without --delta, and with --iterations"),
    "Read all edges again when changes of vertices whose edges were not read exceed this size",
)
.advanced()
.only_in(&[Model::Gas]);

/// Edges that arrive during the run.
pub static ARRIVALS: Param<Option<PathBuf>> = Param::new(
    "arrivals",
    Kind::File,
    Preset::None(""),
    "Edges that arrive during bfs, sssp, wcc or pagerank --delta; the store does not change",
)
.advanced()
.only_in(&[Model::Gas]);

/// Iteration after which they arrive.
pub static ARRIVE_AFTER: Param<u32> = Param::new(
    "arrive-after",
    Kind::ANY_COUNT,
    Preset::Count(0),
    "Iteration after which the edges of --arrivals arrive; 0 is after initialization",
)
.advanced()
.only_in(&[Model::Gas])
.requires("arrivals");

/// Parameters available to users.
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

/// Parameters for measurements only.
pub static FOR_MEASUREMENTS: &[&ParamInfo] = &[&FUSE.info];
