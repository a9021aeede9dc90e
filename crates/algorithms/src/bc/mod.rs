//! Betweenness centrality.

mod batch;
mod counts;
mod distinct;
pub mod edge_map;
mod levels;
mod params;
mod single;
mod weighted;

pub use edge_map::MOST_AT_ONCE;
pub use params::BcParams;

use crate::algorithm::{Algorithm, Starts};
use crate::outcome::Outcome;
use crate::params::{Args, InPython, Kind, Param, ParamInfo, Preset};
use crate::plan::{Batch, Plan, Shape, Work};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::WEIGHTED;
use outcrop_types::{Error, Result};

/// Betweenness centrality.
pub struct Betweenness;

static SPEC: Spec = Spec {
    name: "bc",
    aliases: &["betweenness"],
    python_name: "betweenness_centrality",
    summary: "Betweenness centrality from all vertices, a sample, or given sources",
    paper: "Brandes: A Faster Algorithm for Betweenness Centrality, Journal of Mathematical Sociology 2001",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo {
        name: "betweenness_centrality",
        meaning: "the part of shortest paths between others that lead through the vertex; null for a sample's only source",
    }],
    statistics: &[("highest centrality", Statistic::Most), ("mean centrality", Statistic::Mean)],
    details: "
        For each vertex the sum, over pairs of other vertices, of the part of their shortest paths that lead through it, as NetworkX has it.
        Paths are as long as they have edges, along their direction; repeated edges count once, loops never. The sum is divided by the
        number of pairs, or with --unnormalized it is not, and in an undirected graph each pair then counts once. From a sample sums are
        scaled up.

        With --weighted paths are as long as the sum of their weights, which must be above 0; of repeated edges the smallest weight counts.
        Lengths are equal if their sums are equal in double precision. 0.1 + 0.2 is not 0.3 there, so that decimal weights may tell paths apart that are equally
        long on paper; in whole numbers they do not.

        Graphs of more than 20,000 vertices need a sample or sources; a sample of as many vertices as there are stands for all. With --batch
        several are searched from at once, which reads less and takes 9 bytes a vertex for each; values are the same but for rounding. With
        --weighted it is one after the other.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
        >>> oc.betweenness_centrality(g).to_dict()
        {1: 0.0, 2: 0.5, 3: 0.0}
    "#,
    ..Spec::DEFAULT
};

static SOURCE: Param<Vec<String>> =
    Param::new("source", Kind::Ids, Preset::None("all"), "A vertex to start from; may be given several times");

/// Number of sources.
pub static SAMPLES: Param<Option<u32>> =
    Param::new("samples", Kind::POSITIVE_COUNT, Preset::None("all"), "Start from so many vertices, which are drawn")
        .shown_as("K")
        .excludes(&["source"]);

static SEED: Param<u64> =
    Param::new("seed", Kind::SEED, Preset::Count(1), "The same seed draws the same vertices to start from")
        .shown_as("S")
        .excludes(&["source"])
        .requires("samples");

static UNNORMALIZED: Param<bool> =
    Param::new("unnormalized", Kind::Flag, Preset::Flag(false), "Do not divide by the number of pairs")
        .in_python(InPython::Inverse("normalized"));

static BATCH: Param<Option<u32>> = Param::new(
    "batch",
    Kind::Count(1, MOST_AT_ONCE as u64),
    Preset::None("what memory holds"),
    "Search from so many vertices at once",
)
.excludes(&["weighted"]);

impl Algorithm for Betweenness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCE.info, &SAMPLES.info, &SEED.info, &UNNORMALIZED.info, &WEIGHTED.info, &BATCH.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        if model != Model::EdgeMap {
            return Ok(None);
        }
        let needs = Requirements::BOTH_LISTS.with_frontiers();
        if SPEC.weights.count(args)? {
            let memory = edge_map::memory_by_weight(shape.vertices);
            return Ok(Some(Plan::edge_map(needs.with_ranks(), memory).following_frontiers().resuming()));
        }
        let sources = match self.starts(args)? {
            Starts::NONE => shape.vertices,
            starts => starts.count(shape.vertices),
        };
        let asked = args.get(&BATCH)?;
        let memory = edge_map::memory(shape.vertices, sources, asked.unwrap_or(1).min(sources));
        let mut plan = Plan::edge_map(needs, memory).following_frontiers().resuming();
        if let Work::EdgeMap(work) = &mut plan.work {
            // One of several sources at a time takes as much beside a batch as alone.
            let bytes = |vertices, batch| edge_map::memory(vertices, u32::MAX, batch).total();
            work.batch = Some(Batch { sources, asked, bytes });
        }
        Ok(Some(plan))
    }

    fn run(&self, session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let (vertices, samples) = (session.shape.vertices, args.get(&SAMPLES)?);
        let all = !args.is_given("source") && samples.is_none_or(|samples| samples >= vertices);
        if samples.is_none() && all && vertices > edge_map::MOST_UNASKED {
            let message = format!(
                "betweenness from all {vertices} vertices would take that many searches: ask for a sample, such as \
                 --samples 100, or for all with --samples {vertices}"
            );
            return Err(Error::Usage(message));
        }
        let parameters = BcParams {
            sources: (!all).then_some(session.sources),
            normalized: !args.get(&UNNORMALIZED)?,
            directed: session.shape.directed,
            batch: session.batch,
        };
        match SPEC.weights.count(args)? {
            true => {
                edge_map::by_weight(session.edge_map()?, &parameters, &|edge, what| session.refused_weight(edge, what))
            }
            false => edge_map::bc(session.edge_map()?, &parameters),
        }
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(match (args.get(&SOURCE)?, args.get(&SAMPLES)?) {
            (ids, None) if ids.is_empty() => Starts::NONE,
            (ids, None) => Starts::ids(ids).once(),
            (_, Some(samples)) => Starts::sample(samples, args.get(&SEED)?),
        })
    }
}
