//! How the model of values on edges goes about its shards, as it is asked for.

use super::RunRequest;
use crate::memory_size::MemorySize;
use outcrop_algorithms::registry::{Algorithm, Model};
use outcrop_engine::gas::{GasOptions, ShardKind};
use outcrop_types::{Error, Result};
use std::path::PathBuf;
use std::str::FromStr;

/// Choices of the model [`Model::Gas`]; what is not given is at its default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GasChoices {
    /// How edges are brought into memory; in dynamic shards that are made in shadow iterations.
    pub shards: Option<ShardKind>,
    /// The share of the edges, from 0 to 1, below which so few are updated in an iteration that dynamic shards are made; 0.3.
    pub updated_share: Option<f64>,
    /// Bytes of delayed changes above which a shadow iteration takes them up; 100 KiB. In runs of a fixed number of steps, and where every
    /// value is computed anew in each, 0: then one follows every iteration in which a change was delayed.
    pub delay_bytes: Option<u64>,
}

/// Edges that come while a run is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivingEdges {
    /// A file of edges between vertices of the graph, of any format that edges are built from.
    pub file: PathBuf,
    /// The iteration after which they come; after 0 all vertices have their first value.
    pub after: u32,
}

/// All kinds of shards, with their names on the command line, in Python and in records.
pub const SHARD_KINDS: [(&str, ShardKind); 4] = [
    ("static", ShardKind::Static),
    ("ads", ShardKind::Aggressive),
    ("ods", ShardKind::Optimised),
    ("edge-list", ShardKind::EdgeList),
];

/// The word for a kind of shards.
pub(crate) fn shard_name(kind: ShardKind) -> &'static str {
    SHARD_KINDS.into_iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name)
}

/// A share of the edges as it is typed: `30%` or `0.3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpdatedShare(pub f64);

impl FromStr for UpdatedShare {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        let share = match trimmed.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => trimmed.parse(),
        };
        let refusal = || Error::Usage(format!("{text:?} is no share of the edges; expected one like 30% or 0.3"));
        share.ok().filter(|share| (0.0..=1.0).contains(share)).map(Self).ok_or_else(refusal)
    }
}

/// The size of a delay buffer as it is typed: `100KiB`, `0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayBuffer(pub u64);

impl FromStr for DelayBuffer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.parse() {
            Ok(MemorySize::Bytes(bytes)) => Ok(Self(bytes)),
            _ => Err(Error::Usage(format!("{text:?} is no size of a buffer; expected one like 100KiB, or 0"))),
        }
    }
}

impl GasChoices {
    /// The first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.shards.is_some(), "shards"),
            (self.updated_share.is_some(), "updated-share"),
            (self.delay_bytes.is_some(), "delay-buffer"),
        ];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }

    /// What an engine is told; where delays would change what a step is, there are none unless they are asked for.
    pub(crate) fn options(&self, exact_steps: bool) -> GasOptions {
        let usual = GasOptions::default();
        GasOptions {
            shards: self.shards.unwrap_or(usual.shards),
            updated_share: self.updated_share.unwrap_or(usual.updated_share),
            delay_bytes: self.delay_bytes.unwrap_or(if exact_steps { 0 } else { usual.delay_bytes }),
        }
    }
}

impl RunRequest {
    /// What an engine of the model [`Model::Gas`] is told.
    pub(crate) fn gas_options(&self) -> GasOptions {
        let by_power = self.algorithm == Algorithm::PageRank && self.delta.is_none();
        self.gas.options(by_power || self.iterations.is_some() || self.algorithm == Algorithm::Heat)
    }

    /// Makes sure that the algorithm takes the choices about shards.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the option, or saying why the algorithm is not written in the model.
    pub(super) fn validate_gas(&self) -> Result<()> {
        let row = self.algorithm.specification();
        let refuse = |message: String| Err(Error::Usage(message));
        if let Some(why) = self.without_increments() {
            return refuse(why);
        }
        match self.gas.given() {
            Some(option) if !row.models.contains(&Model::Gas) => {
                let model = Model::Gas.name();
                return refuse(format!("{} takes no --{option}, which is of the model {model}", row.name));
            }
            _ => {}
        }
        self.validate_arrivals()?;
        self.validate_shards()
    }

    fn validate_shards(&self) -> Result<()> {
        let looks_back = self.algorithm == Algorithm::Beliefs;
        let message = match self.gas {
            GasChoices { shards: Some(ShardKind::EdgeList), .. } if looks_back => {
                "bp takes no --shards edge-list: a message depends on the one in the other direction, which a stream of edges does not \
                 bring; use ods, ads or static"
            }
            GasChoices { updated_share: Some(share), .. } if !(0.0..=1.0).contains(&share) => {
                "--updated-share is a share of the edges: from 0% to 100%"
            }
            _ => return Ok(()),
        };
        Err(Error::Usage(message.to_owned()))
    }

    /// Makes sure that the run can go on where edges come.
    fn validate_arrivals(&self) -> Result<()> {
        let incremental = match self.algorithm {
            Algorithm::Bfs | Algorithm::Sssp | Algorithm::Wcc => true,
            Algorithm::PageRank => self.delta.is_some(),
            _ => false,
        };
        match (&self.arrivals, self.model) {
            (Some(_), _) if !incremental => Err(Error::Usage(
                "edges can come (--arrivals) while bfs, sssp, wcc or pagerank with --delta run; add them to the store before other runs \
                 (outcrop update)"
                    .to_owned(),
            )),
            (Some(_), model) if model != Some(Model::Gas) => {
                Err(Error::Usage("--arrivals is of the model gas: say --model gas".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Why there is no program of the algorithm in the model [`Model::Gas`], and what to use, where that is asked for.
    fn without_increments(&self) -> Option<String> {
        let (row, reason) = (self.algorithm.specification(), self.algorithm.needs_all_neighbours()?);
        let names: Vec<_> = row.models.iter().map(|model| format!("--model {}", model.name())).collect();
        (self.model == Some(Model::Gas) || self.gas.given().is_some()).then(|| {
            format!(
                "{} is not written in the model {}: {reason}, so there is no aggregation function by which it could go on from changes \
                 alone (Vora, Xu, Gupta, USENIX ATC 2016, table 1); use {}",
                row.name,
                Model::Gas.name(),
                names.join(" or ")
            )
        })
    }
}
