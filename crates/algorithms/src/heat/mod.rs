//! Heat diffusion along edges.

pub mod gas;

use crate::algorithm::{Algorithm, VectorUse};
use crate::params::{Args, Bounds, InputVector, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::session::bad_value;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Spec, Statistic, Weights};
use outcrop_types::Result;

/// Heat diffusion along edges.
pub struct Heat;

static SPEC: Spec = Spec {
    name: "heat",
    python_name: "heat_simulation",
    summary: "Heat diffusion: explicit Euler steps of the heat equation dx/dt = -L x with the graph Laplacian L",
    paper: "Kondor, Lafferty: Diffusion Kernels on Graphs, ICML 2002; Vora, Xu, Gupta: Load the Edges You Need, USENIX ATC 2016",
    models: &[Model::Gas],
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "temperature", meaning: "temperature after the last step, in the unit of the initial values",
    }],
    statistics: &[("sum of temperatures", Statistic::Sum), ("highest temperature", Statistic::Most)],
    details: "
        In each step, the temperature of a vertex grows by --rate times the sum of the differences to its neighbors. The sum of all
        temperatures is constant. A stable rate is at most 1 / (maximum degree); larger rates are refused, and the error names the largest
        stable one. The default is 1 / (maximum degree + 1). Vertices without a value in the vector start at 0. Self-loops, repeated edges
        and directions are ignored.

        Changes are stored per edge, in temporary files if they do not fit in memory. --tol delays changes until they add up to more than
        its value, so that edges of nearly constant vertices are not read; the error of a temperature is then at most twice --tol times
        the number of steps.
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
    "Initial temperatures: .npy (one value per vertex by ascending ID), or .parquet, .csv or .tsv (ID and value)",
)
.needed(", the initial temperature per vertex");

static RATE: Param<Option<f64>> = Param::new(
    "rate",
    Kind::Number(Bounds::POSITIVE),
    Preset::None("1 / (maximum degree + 1)"),
    "Fraction of the difference between neighbors exchanged per step",
);

static ITERATIONS: Param<u32> = Param::new("iterations", Kind::ANY_COUNT, Preset::Count(100), "Number of steps");

static TOLERANCE: Param<Option<f64>> = Param::new(
    "tol",
    Kind::Number(Bounds::POSITIVE),
    Preset::None("none"),
    "Propagate a change only after it exceeds this",
);

impl Algorithm for Heat {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&VECTOR.info, &RATE.info, &ITERATIONS.info, &TOLERANCE.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let args = args.clone();
        let plan = || {
            Plan::gas(gas::work(shape.place()).from_vector().in_exact_steps(), move |engine, mut run| {
                let tolerance = args.get(&TOLERANCE)?.unwrap_or(0.0);
                let parameters = gas::HeatParams { rate: args.get(&RATE)?, steps: args.get(&ITERATIONS)?, tolerance };
                gas::heat(engine, run.take_vector()?.into_doubles()?, parameters, bad_value)
            })
        };
        Ok((model == Model::Gas).then(|| plan().reading_few_lists()))
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse {
            allows: |value| value.abs() <= gas::HOTTEST,
            refusal: "exceeds the largest temperature, 1e290",
            ..VectorUse::ANY
        }))
    }
}
