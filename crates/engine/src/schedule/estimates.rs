//! Estimates and decisions, for the record.

use super::model::Decision;
use outcrop_store::access::IoCost;
use outcrop_types::Stopwatch;

/// Estimated costs of the ways, as iterations record them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimates {
    /// Reading the lists of the frontier only.
    pub(crate) select: IoCost,
    /// Entries that a pull over a sweep goes through, at the most.
    pub(crate) sweep_arcs: u64,
    /// Bytes of a sweep; 0 where there was nothing to decide.
    pub(crate) sweep_bytes: u64,
    /// Seconds of either; 0 where there was nothing to decide.
    pub(crate) select_seconds: f64,
    pub(crate) sweep_seconds: f64,
    /// Seconds that estimating took.
    pub(crate) seconds: f64,
}

impl Estimates {
    /// Selecting, with nothing to decide.
    pub(crate) fn of(select: IoCost) -> Self {
        Self { select, sweep_arcs: select.arcs, ..Self::default() }
    }

    /// Estimates since `watch` was started, and the decision.
    pub(crate) fn new(select: IoCost, sweep: IoCost, decision: Decision, watch: Stopwatch) -> Self {
        let Decision { select_seconds, sweep_seconds, .. } = decision;
        let (sweep_bytes, sweep_arcs, seconds) = (sweep.bytes, sweep.arcs, watch.seconds());
        Self { select, sweep_arcs, sweep_bytes, select_seconds, sweep_seconds, seconds }
    }
}
