//! Gather-apply-scatter programs on arrays, as an algorithm.

use super::functions::Functions;
use super::gas_program::ArrayProgram;
use crate::arguments::choose;
use outcrop::engine::{Column, Directions, GasEngine, GasRequirements, GasWork, Outcome, Plan, RunEnd, Session, Shape};
use outcrop::{
    Algorithm, Args, ColumnInfo, InputVector, Kind, Model, Param, ParamInfo, Preset, Result, Spec, VectorUse, Weights,
};

/// Program as an algorithm with one column of values.
#[derive(Clone)]
pub(crate) struct ArrayGas {
    functions: Functions,
    along: Directions,
    /// `true` if the program reads the values of reverse edges.
    reverse: bool,
    limit: u32,
    tolerance: f64,
}

impl ArrayGas {
    /// Creates a program along edges of `direction` that ends after `limit` iterations, or when no value changes by
    /// more than `tolerance`.
    pub(crate) fn new(
        functions: Functions,
        direction: &str,
        reverse: bool,
        limit: u32,
        tolerance: f64,
    ) -> Result<Self> {
        let directions = [("in", Directions::Out), ("out", Directions::In), ("both", Directions::Both)];
        Ok(Self { functions, along: choose("direction", direction, &directions)?, reverse, limit, tolerance })
    }

    fn planned<const REVERSE: bool>(&self, shape: &Shape) -> Plan {
        let (vertices, on_disk) = (shape.vertices, shape.on_disk);
        let requirements = GasRequirements::of::<ArrayProgram<'_, REVERSE>>(vertices, on_disk, self.along);
        let work = GasWork::new(GasRequirements { weighted: shape.weighted, ..requirements }, 8).from_vector();
        let program = self.clone();
        Plan::gas(work, move |engine, session| program.drive::<REVERSE>(engine, session)).with_ranks()
    }

    fn drive<const REVERSE: bool>(&self, engine: &GasEngine<'_>, mut session: Session<'_>) -> Result<Outcome> {
        let initial = session.take_vector()?.into_doubles()?;
        engine.set_end(RunEnd::Iterations { most: self.limit.saturating_add(1), tolerance: Some(self.tolerance) });
        let program = ArrayProgram::<REVERSE>::new(&self.functions, session.ranks, &initial, self.tolerance);
        let ran = engine.run(&program, self.limit)?;
        drop(initial);
        // In a result, both infinities are null. The package restores them.
        let values = engine.project(&ran.values, |value| value.max(f64::MIN))?;
        Ok(Outcome::new(vec![Column::new("value", values.into())], ran.iterations))
    }
}

static SPEC: Spec = Spec {
    name: "gas",
    python_name: "gas",
    summary: "Gather-apply-scatter program on arrays, with values on edges",
    models: &[Model::Gas],
    weights: Weights::Used,
    columns: &[ColumnInfo { name: "value", meaning: "value of the vertex" }],
    ..Spec::DEFAULT
};

static VECTOR: Param<Option<InputVector>> =
    Param::new("vector", Kind::Vector, Preset::None("ones"), "Initial value per vertex by ascending ID");

impl Algorithm for ArrayGas {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&VECTOR.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let planned = || if self.reverse { self.planned::<true>(shape) } else { self.planned::<false>(shape) };
        Ok((model == Model::Gas).then(planned))
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse { infinite: true, ..VectorUse::ANY }))
    }
}
