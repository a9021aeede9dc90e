//! Heat diffusion along edges.

pub mod edge_map;
pub mod gas;

use crate::algorithm::{Algorithm, VectorUse};
use crate::outcome::InMemoryListBytes;
use crate::params::{Args, Bounds, InputVector, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::session::{Session, bad_value};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use gas::HeatParams;
use outcrop_engine::Engine;
use outcrop_gas::GasEngine;
use outcrop_types::{Error, Result};

/// Heat diffusion along edges.
pub struct Heat;

static SPEC: Spec = Spec {
    name: "heat",
    python_name: "heat_simulation",
    summary: "Heat diffusion: explicit Euler steps of the heat equation dx/dt = -L x with the graph Laplacian L",
    paper: "Kondor, Lafferty: Diffusion Kernels on Graphs, ICML 2002; Vora, Xu, Gupta: Load the Edges You Need, USENIX ATC 2016",
    models: &[Model::EdgeMap, Model::Gas],
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
        let (rate, steps) = (args.get(&RATE)?, args.get(&ITERATIONS)?);
        let parameters = HeatParams { rate, steps, tolerance: args.get(&TOLERANCE)?.unwrap_or(0.0) };
        Ok(match model {
            Model::EdgeMap => Some(edge_map_plan(shape, parameters)),
            Model::Gas => {
                let work = gas::work(shape.place()).from_vector().in_exact_steps();
                let program = move |engine: &GasEngine<'_>, mut run: Session<'_>| {
                    gas::heat(engine, run.take_vector()?.into_doubles()?, parameters, bad_value)
                };
                Some(Plan::gas(work, program).reading_few_lists())
            }
            Model::Interval | Model::Messages => None,
        })
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse {
            allows: |value| value.abs() <= gas::HOTTEST,
            refusal: "exceeds the largest temperature, 1e290",
            ..VectorUse::ANY
        }))
    }
}

/// Returns the plan with edge maps.
fn edge_map_plan(shape: &Shape, parameters: HeatParams) -> Plan {
    let needs = if shape.directed { Requirements::BOTH_LISTS } else { Requirements::OUT_LISTS };
    let memory = shape.with_added_degrees(edge_map::memory(shape.vertices, parameters.tolerance), needs);
    let program = move |engine: &Engine<'_>, mut run: Session<'_>| {
        let start = run.take_vector()?.doubles().ok_or_else(|| Error::internal("the vector is not in memory"))?;
        let directed = run.shape.directed.then(|| run.batched_lists(engine)).transpose()?;
        edge_map::heat(engine, directed, start, parameters)
    };
    let work = match shape.directed {
        true => EdgeMapWork::holding(memory, InMemoryListBytes::of_batches(shape.entries_of(needs), shape.slots)),
        false => memory.into(),
    };
    Plan::edge_map(needs, work, program).resuming()
}
