//! Arithmetic of memory plans, purpose by purpose.

use crate::result::BATCH_MEMORY;
use outcrop_types::{MemoryPlan, Purpose};

/// Memory that `plan` has for `purpose`, in bytes.
pub(super) fn bytes_of(plan: &MemoryPlan, purpose: Purpose) -> u64 {
    plan.needs().iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
}

/// `plan` with `bytes` for `purpose`, which it does not name where there are none.
pub(super) fn with_some(plan: MemoryPlan, purpose: Purpose, bytes: u64) -> MemoryPlan {
    if bytes > 0 { plan.with(purpose, bytes) } else { plan }
}

/// `plan` without purposes that take nothing.
pub(super) fn positive(plan: &MemoryPlan) -> MemoryPlan {
    plan.needs().iter().fold(MemoryPlan::new(), |plan, need| with_some(plan, need.purpose, need.bytes))
}

/// The larger of both for every purpose: what is enough for one after the other.
pub(super) fn one_after_the_other(one: &MemoryPlan, other: &MemoryPlan) -> MemoryPlan {
    let larger = |purpose| bytes_of(one, purpose).max(bytes_of(other, purpose));
    Purpose::ALL.into_iter().fold(MemoryPlan::new(), |plan, purpose| with_some(plan, purpose, larger(purpose)))
}

/// `plan` with what writing a result takes, and `kept` bytes for its largest rows, once the read buffers are given
/// back: only what it takes beyond these counts.
pub(super) fn with_results(plan: MemoryPlan, kept: u64) -> MemoryPlan {
    let more = (BATCH_MEMORY + kept).saturating_sub(bytes_of(&plan, Purpose::IoBuffers));
    with_some(plan, Purpose::Results, more)
}
