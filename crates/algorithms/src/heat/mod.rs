//! Temperatures that level out along edges.

pub mod gas;

use crate::algorithm::{Algorithm, VectorUse};
use crate::outcome::Outcome;
use crate::params::{Args, Bounds, InputVector, Kind, Param, ParamInfo, Preset};
use crate::plan::{Plan, Shape};
use crate::session::{Session, bad_value};
use crate::spec::{ColumnInfo, Model, Spec, Statistic, Weights};
use outcrop_types::Result;

/// Temperatures that level out along edges.
pub struct Heat;

static SPEC: Spec = Spec {
    name: "heat",
    python_name: "heat_simulation",
    summary: "Temperatures after steps of the heat equation, the graph taken as undirected and simple",
    paper: "Kondor, Lafferty: Diffusion Kernels on Graphs, ICML 2002; Vora, Xu, Gupta: Load the Edges You Need, USENIX ATC 2016",
    models: &[Model::Gas],
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "temperature",
        meaning: "the temperature after the last step, in the unit of the start",
    }],
    statistics: &[("sum of temperatures", Statistic::Sum), ("highest temperature", Statistic::Most)],
    details: "
        In each step the temperature of a vertex grows by --rate times the sum of the differences to its neighbours. The sum of all
        temperatures stays the same. A rate must be stable, at most 1 over the most neighbours of a vertex; another is refused, with the
        largest that is. If none is given, it is 1 over one more than that. Vertices that the vector does not name have 0. Loops, repeated
        edges and directions are ignored.

        Changes are on edges, in temporary files where memory does not hold them. With --tol those that are not above it are kept back until
        they add up, so that edges of vertices that hardly change are not read; a temperature is then off by at most twice that times the
        number of steps.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "rod.outcrop", directed=False)
        >>> oc.heat_simulation(g, {2: 8.0}, 1, rate=0.25).to_dict()
        {1: 2.0, 2: 4.0, 3: 2.0}
    "#,
    ..Spec::DEFAULT
};

static VECTOR: Param<Option<InputVector>> = Param::new(
    "vector",
    Kind::Vector,
    Preset::None(""),
    "The temperatures to start with: .npy with a value a vertex in ascending id, or .parquet, .csv or .tsv with an id and a value a row",
)
.needed(": the temperature of each vertex at the start");

static RATE: Param<Option<f64>> = Param::new(
    "rate",
    Kind::Number(Bounds::POSITIVE),
    Preset::None("what is stable with the most neighbours"),
    "Even out this share of the difference between neighbours in a step",
)
.shown_as("SHARE");

static ITERATIONS: Param<u32> = Param::new("iterations", Kind::ANY_COUNT, Preset::Count(100), "Do so many steps");

static TOLERANCE: Param<Option<f64>> = Param::new(
    "tol",
    Kind::Number(Bounds::POSITIVE),
    Preset::None("none"),
    "Keep changes back that are not above this",
);

impl Algorithm for Heat {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&VECTOR.info, &RATE.info, &ITERATIONS.info, &TOLERANCE.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let plan = || Plan::gas(gas::work(shape.place())).from_vector().in_exact_steps().reading_few_lists();
        Ok((model == Model::Gas).then(plan))
    }

    fn run(&self, mut session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let (engine, values) = (session.gas()?, session.take_vector()?.into_doubles()?);
        let tolerance = args.get(&TOLERANCE)?.unwrap_or(0.0);
        let parameters = gas::HeatParams { rate: args.get(&RATE)?, steps: args.get(&ITERATIONS)?, tolerance };
        gas::heat(engine, values, parameters, bad_value)
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse {
            allows: |value| value.abs() <= gas::HOTTEST,
            refusal: "is a temperature beyond 1e290",
            ..VectorUse::ANY
        }))
    }
}
