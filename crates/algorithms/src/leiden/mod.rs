//! Communities of high modularity.
//!
//! Definition: with the sum m of the weights of all edges, the sum L of those within a community, and the sum K of the
//! weights of the edges of its vertices, in which loops count twice, the modularity of a partition is the sum of
//! L/m - r (K/2m)² over all communities, where r is the resolution (Newman and Girvan 2004; Reichardt and Bornholdt
//! 2006). The edges of a directed graph are taken as undirected; opposite and repeated edges add up.
//!
//! Papers: Blondel, Guillaume, Lambiotte and Lefebvre, Fast unfolding of communities in large networks, Journal of
//! Statistical Mechanics 2008 (Louvain); Traag, Waltman and van Eck, From Louvain to Leiden: guaranteeing
//! well-connected communities, Scientific Reports 9, 2019.
//!
//! Deviations: at first, vertices move in a few random turns, each in the order of the store, and later in that order
//! alone, not in random order, so that lists are read in the order of the disk. In the refinement, the temperature is
//! relative to the mean weight of edges. `leiden` repeats everything from the communities that it found until nothing
//! moves, as in the paper.

mod buffer;
pub mod edge_map;
mod group_lists;
mod grouping;
mod hierarchy;
mod levels;
mod lists;
mod moving;
mod partition;
mod refinement;
mod store_lists;

use crate::algorithm::Algorithm;
use crate::outcome::InMemoryListBytes;
use crate::params::shared::SEED;
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Statistic, Weights};
use crate::weights::UNWEIGHTED;
use buffer::Buffer;
use edge_map::Options;
use hierarchy::Hierarchy;
use levels::Levels;
use outcrop_engine::Engine;
use outcrop_types::{Purpose, Result, VertexValues};

/// Communities by the Leiden algorithm.
pub struct Leiden;

/// Communities by the Louvain method.
pub struct Louvain;

/// Column of communities.
const COMMUNITY: ColumnInfo =
    ColumnInfo { name: "community", meaning: "smallest original ID in the community of the vertex" };

/// Values that both algorithms share.
const SHARED: Spec = Spec {
    weights: Weights::ByDefault,
    columns: &[COMMUNITY],
    values: &[
        ScalarInfo { name: "modularity", meaning: "modularity of the communities; null without edges" },
        ScalarInfo { name: "levels", meaning: "number of levels, of which the first has the vertices of the graph" },
    ],
    statistics: &[("communities", Statistic::Groups), ("largest community", Statistic::LargestGroup)],
    ..Spec::DEFAULT
};

static LEIDEN: Spec = Spec {
    name: "leiden",
    aliases: &["leiden-communities"],
    python_name: "leiden",
    summary: "Leiden: communities of high modularity, each of them connected",
    paper: "Traag, Waltman, van Eck: From Louvain to Leiden, Scientific Reports 9, 2019",
    details: "
        The modularity of communities is the share of the edges within them, less the share expected in a random graph with the same
        degrees, which --resolution multiplies: a larger resolution gives smaller communities. Vertices move to the community of a
        neighbor as long as that increases the modularity. Each community is then divided into well-connected parts, which move together,
        and so on. All this is repeated until nothing moves, at most --max-iter times: then no move of a single vertex increases the
        modularity. Every community is connected.

        The edges of a directed graph count as undirected, and opposite or repeated edges add up. A self-loop counts twice in degrees, as
        in NetworkX. Weights of a weighted graph count unless --unweighted is given; they must be 0 or from 1e-280 to 1e270.

        Results are identical for any number of threads, amount of memory and layout. Another vertex order of the store finds other
        communities of about the same modularity.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 7), (7, 8), (8, 9), (9, 7)], "pair.outcrop", directed=False)
        >>> oc.leiden(g).to_dict()
        {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    "#,
    ..SHARED
};

static LOUVAIN: Spec = Spec {
    name: "louvain",
    aliases: &["louvain-communities"],
    python_name: "louvain",
    columns: &[
        COMMUNITY,
        ColumnInfo {
            name: "level_<id>", meaning: "community at a level (needs --hierarchy), with its number as the name: level_1 has the smallest communities",
        },
    ],
    summary: "Louvain: communities of high modularity, found by moving vertices and then whole communities",
    paper: "Blondel, Guillaume, Lambiotte, Lefebvre: Fast Unfolding of Communities in Large Networks, J. Stat. Mech. 2008",
    details: "
        The modularity of communities is the share of the edges within them, less the share expected in a random graph with the same
        degrees, which --resolution multiplies: a larger resolution gives smaller communities. Vertices move to the community of a
        neighbor as long as that increases the modularity; then communities become the vertices of a smaller graph, and so on.

        Communities may be disconnected, and leiden usually finds a higher modularity. Edges, weights and self-loops count as in leiden.

        With --hierarchy, the result also has the communities of each level that differ from those of the level before, whose unions they
        are. The last level has the communities themselves. Use --output to see them.

        Results are identical for any number of threads, amount of memory and layout. Another vertex order of the store finds other
        communities of about the same modularity.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 7), (7, 8), (8, 9), (9, 7)], "pair.outcrop", directed=False)
        >>> oc.louvain(g).to_dict()
        {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    "#,
    ..SHARED
};

static RESOLUTION: Param<f64> = Param::new(
    "resolution",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1.0),
    "Weight of the expected edges; larger values give smaller communities",
);

static MAX_ITERATIONS: Param<u32> = Param::new(
    "max-iter",
    Kind::POSITIVE_COUNT,
    Preset::Count(10),
    "Maximum number of repetitions; the run ends early if nothing moves",
);

static MAX_LEVELS: Param<Option<u32>> =
    Param::new("max-levels", Kind::POSITIVE_COUNT, Preset::None("all"), "Maximum number of levels");

static HIERARCHY: Param<bool> =
    Param::new("hierarchy", Kind::Flag, Preset::Flag(false), "Also return the communities of each level");

impl Algorithm for Leiden {
    fn spec(&self) -> &'static Spec {
        &LEIDEN
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&RESOLUTION.info, &SEED.info, &MAX_ITERATIONS.info, &UNWEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (resolution, seed, iterations) = (args.get(&RESOLUTION)?, args.get(&SEED)?, args.get(&MAX_ITERATIONS)?);
        let options = Options { resolution, seed, refines: true, iterations, levels: u32::MAX };
        Ok((model == Model::EdgeMap).then(|| plan(shape, &LEIDEN, options, false)))
    }
}

impl Algorithm for Louvain {
    fn spec(&self) -> &'static Spec {
        &LOUVAIN
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&RESOLUTION.info, &SEED.info, &MAX_LEVELS.info, &HIERARCHY.info, &UNWEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        // Default: without a limit, levels end when nothing moves.
        let levels = args.get(&MAX_LEVELS)?.unwrap_or(u32::MAX);
        let (resolution, seed) = (args.get(&RESOLUTION)?, args.get(&SEED)?);
        let options = Options { resolution, seed, refines: false, iterations: 1, levels };
        let hierarchy = args.get(&HIERARCHY)?;
        Ok((model == Model::EdgeMap).then(|| plan(shape, &LOUVAIN, options, hierarchy)))
    }
}

/// Returns the plan of a run, with the communities of each level if there is a `hierarchy`.
fn plan(shape: &Shape, spec: &'static Spec, options: Options, hierarchy: bool) -> Plan {
    let needs = Requirements::BOTH_LISTS.with_ranks();
    let entries = shape.entries_of(needs);
    let memory = edge_map::memory(shape.vertices, options.refines);
    let degrees = shape.directions(needs).count() as u64 * VertexValues::<u32>::bytes(shape.vertices.into());
    let memory = memory.with(Purpose::Degrees, degrees);
    let [more, files] =
        [Hierarchy::bytes, Hierarchy::temporary_bytes].map(|of| if hierarchy { of(shape.vertices) } else { 0 });
    let memory = memory.with(Purpose::VertexValues, more);
    let least = 256 << 10;
    let most = Buffer::bytes_for(shape.vertices, entries, true).saturating_mul(2).max(least);
    let work = EdgeMapWork {
        // The edges between groups: 16 bytes while they are sorted, and 12 once they are summed. A folder is needed
        // even without edges.
        temporary_bytes: entries.max(1).saturating_mul(16 + 12).saturating_add(files),
        ..EdgeMapWork::holding(memory, InMemoryListBytes { least, most })
    };
    let directions: Vec<_> = shape.directions(needs).collect();
    let program = move |engine: &Engine<'_>, run: Session<'_>| {
        let sides = directions.iter().map(|direction| Ok((*direction, run.graph.degrees(*direction)?)));
        let levels = Levels::new(engine, run.spill()?, sides.collect::<Result<_>>()?, run.shape.weighted, run.held)?;
        let all = hierarchy.then(|| Hierarchy::new(engine, run.spill()?, run.ranks)).transpose()?;
        edge_map::communities(engine, levels, all, run.ranks, options, &|edge| {
            run.refused_weight(edge, &spec.needs_summands())
        })
    };
    Plan::edge_map(needs, work, program).resuming().reading_few_lists()
}
