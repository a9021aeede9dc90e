//! What can be typed about shards.

use clap::{Args, ValueEnum};
use outcrop::{ArrivingEdges, DelayBuffer, GasChoices, ShardKind, UpdatedShare};
use std::path::PathBuf;

/// How the model gas goes about edges; nothing here is a parameter of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct GasArguments {
    /// In the model gas: whole shards in each iteration, dynamic ones made in each (ads) or in shadow iterations (ods), or streams of
    /// edges [default: ods]
    #[arg(long, value_enum, value_name = "KIND")]
    shards: Option<ShardOption>,
    /// In the model gas: make dynamic shards once an iteration updates less than this share of the edges: 30% or 0.3 [default: 30%]
    #[arg(long, value_name = "SHARE")]
    updated_share: Option<UpdatedShare>,
    /// In the model gas: let a shadow iteration take up delayed changes once they take more than this [default: 100KiB; 0 where each
    /// iteration counts: with --iterations, and of pagerank without --delta and heat]
    #[arg(long, value_name = "SIZE")]
    delay_buffer: Option<DelayBuffer>,
    /// In the model gas: edges between vertices of the graph that come while bfs, sssp, wcc or pagerank with --delta run; the store stays
    /// as it is
    #[arg(long, value_name = "EDGES")]
    arrivals: Option<PathBuf>,
    /// The iteration after which these edges come; after 0 all vertices have their first value [default: 0]
    #[arg(long, value_name = "N", requires = "arrivals")]
    arrive_after: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShardOption {
    Static,
    Ads,
    Ods,
    EdgeList,
}

impl ShardOption {
    const fn kind(self) -> ShardKind {
        match self {
            Self::Static => ShardKind::Static,
            Self::Ads => ShardKind::Aggressive,
            Self::Ods => ShardKind::Optimised,
            Self::EdgeList => ShardKind::EdgeList,
        }
    }
}

impl GasArguments {
    /// The edges that come.
    pub(crate) fn arrivals(&self) -> Option<ArrivingEdges> {
        let file = self.arrivals.clone()?;
        Some(ArrivingEdges { file, after: self.arrive_after.unwrap_or(0) })
    }

    /// What was typed.
    pub(crate) fn choices(&self) -> GasChoices {
        GasChoices {
            shards: self.shards.map(ShardOption::kind),
            updated_share: self.updated_share.map(|share| share.0),
            delay_bytes: self.delay_buffer.map(|buffer| buffer.0),
        }
    }
}
