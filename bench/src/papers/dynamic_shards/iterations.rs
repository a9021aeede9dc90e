//! Iterations of a run on shards.

use outcrop::GasStepFigures;

/// Text of a cell without a figure.
pub(super) const NOTHING: &str = "-";

/// An iteration with the shadow iterations that follow it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Iteration {
    /// Arcs of the shards that it went over, without those of shadow iterations.
    pub(super) arcs: u64,
    /// Arcs that were given a value.
    pub(super) updated: u64,
    pub(super) seconds: f64,
}

impl Iteration {
    /// The iterations of a run, from the one in which vertices begin on.
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

/// Edges that iteration `number` goes over, and those of them that bring something new, as in ideal shards. `None` for
/// the first.
pub(super) fn loaded_and_needed(run: &[Iteration], number: usize) -> Option<(u64, u64)> {
    Some((run.get(number)?.arcs, run.get(number.checked_sub(1)?)?.updated))
}

/// Positions of about 25 out of `count` rows, the first and the last among them: those that are printed of long runs.
pub(super) fn sampled(count: usize) -> impl Iterator<Item = usize> {
    const ROWS: usize = 25;
    let each = count.div_ceil(ROWS).max(1);
    (0..count).filter(move |position| position % each == 0 || position + 1 == count)
}
