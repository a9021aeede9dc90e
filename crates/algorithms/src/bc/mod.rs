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
use crate::params::{Args, InPython, Kind, Param, ParamInfo, Preset};
use crate::plan::{Batch, EdgeMapWork, Plan};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::WEIGHTED;
use outcrop_types::{Error, Result};

/// Betweenness centrality.
pub struct Betweenness;

static SPEC: Spec = Spec {
    name: "bc",
    aliases: &["betweenness"],
    python_name: "betweenness_centrality",
    summary: "Betweenness centrality: the fraction of shortest paths through a vertex, averaged over all pairs of endpoints",
    paper: "Brandes: A Faster Algorithm for Betweenness Centrality, Journal of Mathematical Sociology 2001",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo {
        name: "betweenness_centrality", meaning: "fraction of the shortest paths between other vertices that pass through the vertex; null for the only source of a sample",
    }],
    statistics: &[("highest centrality", Statistic::Most), ("mean centrality", Statistic::Mean)],
    cost: Some(Cost { entry: 7.0, waits: 0.06, value_bytes: 8, passes: 1.1 }),
    details: "
        For each vertex, the sum over all pairs of other vertices of the fraction of their shortest paths that pass through it, as in
        NetworkX. The length of a path is its number of directed edges; repeated edges count once, self-loops are ignored. The sum is
        divided by the number of pairs. --unnormalized omits this division and counts each pair of an undirected graph once. Sums over a
        sample of sources are scaled up.

        With --weighted, the length of a path is the sum of its weights, which must be positive and at most 1e270; a repeated edge has its
        smallest weight. Two paths have equal length if their sums are equal in double precision. Rounding can break ties between decimal
        weights (0.1 + 0.2 is not 0.3), but not between integers.

        Graphs with more than 20,000 vertices need a sample or explicit sources; a sample as large as the graph uses every vertex. --batch
        searches from several sources at once, which reads less and takes 9 bytes per vertex and source; values agree up to rounding.
        Weighted searches run one after the other.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
        >>> oc.betweenness_centrality(g).to_dict()
        {1: 0.0, 2: 0.5, 3: 0.0}
    "#,
    ..Spec::DEFAULT
};

static SOURCE: Param<Vec<String>> = Param::new("source", Kind::Ids, Preset::None("all"), "Source vertex (repeatable)");

static SAMPLES: Param<Option<u32>> =
    Param::new("samples", Kind::POSITIVE_COUNT, Preset::None("all"), "Number of randomly chosen source vertices")
        .excludes(&["source"]);

static SEED: Param<u64> =
    Param::new("seed", Kind::SEED, Preset::Count(1), "Random seed").excludes(&["source"]).requires("samples");

static UNNORMALIZED: Param<bool> =
    Param::new("unnormalized", Kind::Flag, Preset::Flag(false), "Do not divide by the number of pairs")
        .in_python(InPython::Inverse("normalized"));

static BATCH: Param<Option<u32>> = Param::new(
    "batch",
    Kind::Count(1, MOST_AT_ONCE as u64),
    Preset::None("by memory"),
    "Number of sources searched at once",
)
.excludes(&["weighted"]);

/// Returns the parameters of a run, which searches from all vertices unless some are given or sampled.
fn parameters<'s>(run: &Session<'s>, samples: Option<u32>, is_given: bool, normalized: bool) -> Result<BcParams<'s>> {
    let vertices = run.shape.vertices;
    let all = !is_given && samples.is_none_or(|samples| samples >= vertices);
    if samples.is_none() && all && vertices > edge_map::MOST_UNASKED {
        let message = format!(
            "`bc` from all {vertices} vertices needs one search per vertex; use a sample, such as --samples 100, or pass \
             --samples {vertices} to search from all"
        );
        return Err(Error::Usage(message));
    }
    let sources = (!all).then_some(run.sources);
    Ok(BcParams { sources, normalized, directed: run.shape.directed, batch: run.batch })
}

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
        let (samples, is_given) = (args.get(&SAMPLES)?, args.is_given("source"));
        let normalized = !args.get(&UNNORMALIZED)?;
        let needs = Requirements::BOTH_LISTS.with_frontiers();
        let plan = if SPEC.weights.count(args)? {
            let memory = edge_map::memory_by_weight(shape.vertices);
            Plan::edge_map(needs.with_ranks(), memory, move |engine, run| {
                let parameters = parameters(&run, samples, is_given, normalized)?;
                edge_map::by_weight(engine, &parameters, &|edge, what| run.refused_weight(edge, what))
            })
        } else {
            let sources = match self.starts(args)? {
                Starts::NONE => shape.vertices,
                starts => starts.count(shape.vertices),
            };
            let requested = args.get(&BATCH)?;
            let memory = edge_map::memory(shape.vertices, sources, requested.unwrap_or(1).min(sources));
            // One of several sources at a time needs the same memory in a batch as alone.
            let bytes = |vertices, batch| edge_map::memory(vertices, u32::MAX, batch).total();
            let work = EdgeMapWork { batch: Some(Batch { sources, requested, bytes }), ..memory.into() };
            Plan::edge_map(needs, work, move |engine, run| {
                edge_map::bc(engine, &parameters(&run, samples, is_given, normalized)?)
            })
        };
        Ok(Some(plan.following_frontiers().resuming()))
    }

    fn rounds(&self, args: &Args) -> Result<u32> {
        Ok(args.get(&SAMPLES)?.unwrap_or(1))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(match (args.get(&SOURCE)?, args.get(&SAMPLES)?) {
            (ids, None) if ids.is_empty() => Starts::NONE,
            (ids, None) => Starts::ids(ids).once(),
            (_, Some(samples)) => Starts::sample(samples, args.get(&SEED)?),
        })
    }
}
