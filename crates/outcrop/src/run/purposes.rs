//! Arithmetic of memory plans by purpose.

use crate::result::BATCH_MEMORY;
use outcrop_types::{MemoryPlan, Purpose};

/// Returns the memory of `plan` for `purpose`, in bytes.
pub(super) fn bytes_of(plan: &MemoryPlan, purpose: Purpose) -> u64 {
    plan.needs().iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
}

/// Returns `plan` with `bytes` for `purpose`, or without the purpose if there are none.
pub(super) fn with_some(plan: MemoryPlan, purpose: Purpose, bytes: u64) -> MemoryPlan {
    if bytes > 0 { plan.with(purpose, bytes) } else { plan }
}

/// Returns `plan` without empty purposes.
pub(super) fn positive(plan: &MemoryPlan) -> MemoryPlan {
    plan.needs().iter().fold(MemoryPlan::new(), |plan, need| with_some(plan, need.purpose, need.bytes))
}

/// Returns the maximum of both plans per purpose: enough to run one after the other.
pub(super) fn one_after_the_other(one: &MemoryPlan, other: &MemoryPlan) -> MemoryPlan {
    let larger = |purpose| bytes_of(one, purpose).max(bytes_of(other, purpose));
    Purpose::ALL.into_iter().fold(MemoryPlan::new(), |plan, purpose| with_some(plan, purpose, larger(purpose)))
}

/// Returns `plan` with the memory for writing a result, and `kept` bytes for its largest rows. The read buffers are
/// released before, so that only the excess counts.
pub(super) fn with_results(plan: MemoryPlan, kept: u64) -> MemoryPlan {
    let more = (BATCH_MEMORY + kept).saturating_sub(bytes_of(&plan, Purpose::IoBuffers));
    with_some(plan, Purpose::Results, more)
}
