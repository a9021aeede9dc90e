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

mod build;
mod generate;
mod graph;
mod info;
mod memory_size;
mod parameters;
mod request;
mod result;
mod run;

pub use build::{BuildOrder, BuildRequest, IdMode, build, build_from};
pub use generate::generate;
pub use graph::{Graph, OpenOptions};
pub use info::{GraphInfo, LayoutInfo};
pub use memory_size::{CacheSize, MemorySize};
pub use parameters::Personalization;
pub use request::RunRequest;
pub use result::{NodeIds, ResultTable};
pub use run::{Estimate, RunResult};

pub use outcrop_algorithms::registry::{ALGORITHMS, Algorithm, Parameter, Precision, Specification};
pub use outcrop_algorithms::wcc::Method;
pub use outcrop_formats::edges::{ColumnNames, EdgeInput, EdgeListOptions, Header, IdRule, OnError, Separator};
pub use outcrop_formats::generate::{EdgeGenerator, Grid, Kronecker, Uniform, WeightDistribution};
pub use outcrop_formats::table::TableFormat;
pub use outcrop_io::{Backend, Bandwidths, IoChoice, ProcessUsage, calibrate};
pub use outcrop_report::RunRecord;
pub use outcrop_store::build::{BuildReport, EdgeBatch, EdgeSource, IdBatch, IdKind};
pub use outcrop_store::{Dedup, Manifest, SelfLoops};
pub use outcrop_types::{
    Cancellation, Error, IterationRecord, Location, MemoryNeed, MemoryPlan, Observer, Phase, ProgressUnit, Purpose,
    Result, Silent, Stopwatch,
};
