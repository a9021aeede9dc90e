//! Iterations until values converge.

use crate::outcome::{Convergence, Outcome};
use crate::params::Args;
use crate::params::shared::{MAX_ITERATIONS, TOLERANCE};
use crate::plan::Plan;
use crate::session::Session;
use crate::spec::{Model, Requirements};
use outcrop_engine::Engine;
use outcrop_types::{MemoryPlan, Result, RunEnd};
use std::sync::atomic::AtomicU64;

/// Condition that ends the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Change below which it has converged.
    pub(super) tolerance: f64,
    /// Maximum number of iterations.
    pub(super) at_most: u32,
}

impl Limits {
    /// Returns the limits in the parameters [`TOLERANCE`] and [`MAX_ITERATIONS`].
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Internal`] if the algorithm does not declare them.
    pub(super) fn of(args: &Args) -> Result<Self> {
        Ok(Self { tolerance: args.get(&TOLERANCE)?, at_most: args.get(&MAX_ITERATIONS)? })
    }
}

/// Replaces `values` by `step`, which returns the change, until it converges, diverges, or reaches the limit. Returns
/// the result without columns.
///
/// # Errors
///
/// Returns the error of `step`, or an error if the run is interrupted.
pub(super) fn iterate(
    engine: &Engine<'_>,
    limits: Limits,
    values: &[AtomicU64],
    mut step: impl FnMut() -> Result<f64>,
) -> Result<Outcome> {
    let Limits { tolerance, at_most } = limits;
    let (mut iterations, mut change) = (0, f64::INFINITY);
    engine.set_end(RunEnd::Iterations { most: at_most, tolerance: Some(tolerance) });
    while iterations < at_most && change >= tolerance {
        engine.checkpoint("values", |state| {
            state.number(&mut iterations)?;
            state.number(&mut change)?;
            state.shared(values)
        })?;
        change = step()?;
        let finite = change.is_finite();
        change = if finite { change } else { f64::MAX };
        iterations = engine.end_iteration(Some(change));
        if !finite {
            break;
        }
    }
    Ok(Outcome { convergence: Some(Convergence { change, tolerance }), ..Outcome::new(Vec::new(), iterations) })
}

/// Returns the plan of an iteration with edge maps; `None` in other models.
pub(super) fn planned(
    model: Model,
    needs: Requirements,
    memory: MemoryPlan,
    program: impl Fn(&Engine<'_>, &Session<'_>) -> Result<Outcome> + 'static,
) -> Result<Option<Plan>> {
    let plan = || Plan::edge_map(needs, memory, move |engine, run| program(engine, &run)).resuming();
    Ok((model == Model::EdgeMap).then(plan))
}
