//! outcrop: graph analytics on graphs larger than memory, on one machine with an SSD.
//!
//! ```no_run
//! use outcrop::{Graph, OpenOptions, RunRequest};
//! # fn main() -> outcrop::Result<()> {
//! let graph = Graph::open("web.outcrop".as_ref(), OpenOptions::default())?;
//! let ranks = graph.run(&RunRequest::new("pagerank")?)?;
//! ranks.table().write("ranks.parquet".as_ref(), false)?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod build;
mod capacity;
mod checkpoints;
mod convert;
mod export;
mod generate;
mod graph;
mod history;
mod incremental;
mod info;
mod lists;
mod locality;
mod memory_size;
mod order;
mod output_file;
mod profile;
mod queries;
mod request;
mod result;
mod run;
mod selection;
mod update;
mod vector;

pub use build::{
    BuildRequest, BuildResources, GraphOptions, IdMode, InputOptions, Publishing, StoreForm, build, build_from, explain,
};
pub use capacity::{BuildNeeds, Capacity, GraphSize, Machine, Profile, capacity};
pub use convert::{ConvertRequest, convert};
pub use export::{ExportOrder, ExportRequest, LostVertices, SalvageRecord, SalvagedLists};
pub use generate::generate;
pub use graph::{Graph, Handle, OpenOptions, Window, WindowGraph, build_window, times_of};
pub use history::{history_wanted, run_entry, runs};
pub use info::{ChunkInfo, GraphInfo, LayoutInfo, LocalityInfo, StaticCacheInfo, TimesInfo, UpdatesInfo};
pub use memory_size::{CacheSize, MemorySize, StaticShare};
pub use order::{BuildOrder, GivenOrder};
pub use outcrop_placement::locality::Locality;
pub use outcrop_placement::selection::Rounds;
pub use output_file::{WindowFolder, calibrate, create_output, write_report};
pub use profile::ProfileRequest;
pub use queries::{
    Answer, ListArrays, ListSweep, ListVertices, NeighborsRequest, Pull, SampleRequest, Sides, SubgraphRequest,
    read_ids,
};
pub use request::{CheckpointOptions, RunRequest};
pub use result::{NodeIds, ResultTable};
pub use run::{Alternative, Estimate, MachineShortage, RunResult, RunTime, Shortage};
pub use selection::{GivenSelection, SelectionGain, SelectionRecord, SelectionRequest, SelectionsRecord, Selector};
pub use update::{MergeRule, UpdateRecord, UpdateRequest, UpdateSources, update, update_from};

/// Items for writing algorithms: see [`Algorithm`].
pub mod engine {
    pub use outcrop_algorithms::models::{GasWork, IntervalWork, MessageWork, Place, Real, gas, interval, messages};
    pub use outcrop_algorithms::{
        Column, GraphTables, IdOrder, ModelWork, Outcome, Plan, Requirements, Session, Shape, Starts, UNREACHED,
        Values, VertexVector,
    };
    pub use outcrop_engine::interval::{Constructs, IntervalEngine, IntervalProgram, IntervalRequirements, Sources};
    pub use outcrop_engine::{
        Dense, Directions, EdgeMap, EdgeMapData, EdgeMapOptions, EdgeMapOutput, Engine, Gather, Number, Plain,
        Residence, SharedBits, State, VertexArray, VertexData,
    };
    pub use outcrop_gas::{
        Aggregation, EdgeBatch, GasEngine, GasProgram, GasRequirements, GasStep, GasVertex, OutEdge, Reverse, Totals,
    };
    pub use outcrop_messages::{
        Edges, MessageEngine, MessageProgram, MessageRequirements, Mutation, Next, Outbox, Superstep, TOTALS, Vertex,
    };
    pub use outcrop_store::access::{Adjacency, ArcBlock, Neighbors};
    pub use outcrop_types::{Direction, ProgressUnit, RunEnd, VertexId, VertexRange, VertexSet, VertexValues};
}

pub use outcrop_algorithms::params::{
    self, Arg, Args, Bounds, Choice, FromArg, Group, InPython, InputVector, Kind, Param, ParamInfo, Personalization,
    Preset,
};
pub use outcrop_algorithms::{
    ALGORITHMS, Algorithm, ColumnInfo, EACH_SOURCE, Model, Precision, ScalarInfo, Spec, Starts, ValuePlace, VectorUse,
    Weights, find_algorithm, option_here, relatives,
};
pub use outcrop_engine::schedule::Schedule;
pub use outcrop_formats::edges::{
    ColumnError, ColumnNames, EdgeColumns, EdgeFormat, EdgeInput, EdgeListOptions, EdgeRows, ExplainedFile, Header,
    IdRule, OnError, Separator, weight_as,
};
pub use outcrop_formats::generate::{EdgeGenerator, Grid, Kronecker, Uniform, Web, WeightDistribution};
pub use outcrop_formats::table::TableFormat;
pub use outcrop_formats::{InputPath, PendingFile, redacted};
pub use outcrop_gas::ShardKind;
pub use outcrop_io::{
    Backend, Bandwidths, HugePageAllocator, IoChoice, ProcessUsage, TemporaryFolder, Utilization,
    fail_writes_beyond_the_file_limit,
};
pub use outcrop_messages::{Delivery, log::LogBackend};
pub use outcrop_report::{
    AnswerRecord, Bin, BuildCost, BuildRecord, BuiltGraph, CacheRecord, CheckpointRecord, ClusteringRecord,
    ComponentsRecord, ConvergenceRecord, Date, DegreeRecord, DegreesRecord, DistancesRecord, EnvironmentRecord, Event,
    FileRecord, FilesRecord, GasRecord, GraphRecord, Histogram, IncrementalRecord, InputRecord, LocalityRecord,
    MemoryRecord, MessageRecord, Meter, OptionalRecords, PhaseRecord, PinnedRecord, PowerLawRecord, ProfileRecord,
    RangeCount, ReadingRecord, Record, RunEntry, RunExit, RunRecord, TaskRecord, TimeRecord, TopRows, TrafficRecord,
    WindowRecord,
};
pub use outcrop_store::layout::chunked::{ChunkLevel, ChunkSettings, DenseAccess, IndexKind, Placement};
pub use outcrop_store::layout::compact::CompactSettings;
pub use outcrop_store::layout::csr::CsrSettings;
pub use outcrop_store::layout::sliding::SlidingSettings;
pub use outcrop_store::layout::{Layout, LayoutKind};
pub use outcrop_store::updates::UpdateCounts;
pub use outcrop_store::writing::{EdgeBatch, EdgeSource, IdBatch, IdKind};
pub use outcrop_store::{
    Codec, Dedup, LevelFigures, Order, OrderParameters, OriginalId, SelectionInfo, SelfLoops, while_in_use,
};
pub use outcrop_store::{require_apart, require_own_place};
pub use outcrop_types::{
    AccessMode, Cancellation, Error, FileSummary, GasFigures, GasStepFigures, HeaderLine, InputSummary,
    IterationRecord, Location, MemoryNeed, MemoryPlan, MessageFigures, Observer, Permutation, Phase, Progress,
    ProgressUnit, Purpose, Result, RunEnd, RunProgress, Silent, Stopwatch, TimeKind, TimeRule, TimeUnit, WeightChoice,
    WeightRounding, WeightType, check_id, counted, thousands,
};
