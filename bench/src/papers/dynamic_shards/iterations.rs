//! Iterations of a run on shards.

use outcrop::GasStepFigures;

/// Text of a cell without a figure.
pub(super) const NOTHING: &str = "-";

/// Iteration, including the shadow iterations after it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Iteration {
    /// Arcs of the processed shards, without those of shadow iterations.
    pub(super) arcs: u64,
    /// Arcs that received a value.
    pub(super) updated: u64,
    pub(super) seconds: f64,
}

impl Iteration {
    /// Returns the iterations of a run, starting with the initialization of vertices.
    pub(super) fn all(steps: &[GasStepFigures]) -> Vec<Self> {
        let mut iterations: Vec<Self> = Vec::new();
        for step in steps {
            match iterations.last_mut() {
                Some(last) if step.shadow => {
                    last.updated += step.updated_arcs;
                    last.seconds += step.seconds;
                }
                _ => iterations.push(Self { arcs: step.arcs, updated: step.updated_arcs, seconds: step.seconds }),
            }
        }
        iterations
    }
}

/// Returns the number of edges processed in iteration `number`, and of those with new values, as in ideal shards;
/// `None` for the first.
pub(super) fn loaded_and_needed(run: &[Iteration], number: usize) -> Option<(u64, u64)> {
    Some((run.get(number)?.arcs, run.get(number.checked_sub(1)?)?.updated))
}

/// Returns the positions of about 25 of `count` rows, including the first and the last: the printed rows of long runs.
pub(super) fn sampled(count: usize) -> impl Iterator<Item = usize> {
    const ROWS: usize = 25;
    let each = count.div_ceil(ROWS).max(1);
    (0..count).filter(move |position| position % each == 0 || position + 1 == count)
}
