//! Estimates and decisions for run records.

use super::cost_model::Decision;
use outcrop_store::access::IoCost;
use outcrop_types::Stopwatch;

/// Estimated costs of selecting and sweeping, as iterations record them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimates {
    /// Cost of reading the lists of the frontier only.
    pub select: IoCost,
    /// Maximum number of entries that a pull over a sweep visits.
    pub sweep_arcs: u64,
    /// Bytes of a sweep; 0 if there was no choice.
    pub sweep_bytes: u64,
    /// Seconds of a select; 0 if there was no choice.
    pub select_seconds: f64,
    /// Seconds of a sweep; 0 if there was no choice.
    pub sweep_seconds: f64,
    /// Seconds that estimating took.
    pub seconds: f64,
}

impl Estimates {
    /// Estimates of a select without a choice.
    pub fn of(select: IoCost) -> Self {
        Self { select, sweep_arcs: select.arcs, ..Self::default() }
    }

    /// Estimates since the start of `watch`, and the decision.
    pub(crate) fn new(select: IoCost, sweep: IoCost, decision: Decision, watch: Stopwatch) -> Self {
        let Decision { select_seconds, sweep_seconds, .. } = decision;
        let (sweep_bytes, sweep_arcs, seconds) = (sweep.bytes, sweep.arcs, watch.seconds());
        Self { select, sweep_arcs, sweep_bytes, select_seconds, sweep_seconds, seconds }
    }
}
