//! Dangling mass of vertices without out-edges, for programs that propagate changes: it is withheld until it is large
//! enough.

use crate::AtomicFloat;
use outcrop_engine::State;
use outcrop_types::Result;
use std::sync::atomic::AtomicU64;

/// Amounts of probability that jump.
#[derive(Debug)]
pub(super) struct DanglingMass {
    /// Amount received from vertices without out-edges and not distributed by jumps yet.
    waiting: AtomicU64,
    /// Amount distributed by jumps, including the current iteration.
    jumped: AtomicU64,
    /// Amount distributed by jumps in the current iteration.
    jumping: AtomicU64,
}

impl DanglingMass {
    pub(super) fn new() -> Self {
        let [waiting, jumped, jumping] = [0.0; 3].map(AtomicFloat::new);
        Self { waiting, jumped, jumping }
    }

    /// Serializes the amounts.
    pub(super) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        let amounts = [&self.waiting, &self.jumped, &self.jumping];
        amounts.into_iter().try_for_each(|amount| state.shared(std::slice::from_ref(amount)))
    }

    /// Distributes the pending mass and the amount `handed` over now, if it exceeds `delta` of the distributed mass.
    pub(super) fn decide(&self, handed: f64, delta: f64) {
        let (waiting, jumped) = (AtomicFloat::load(&self.waiting) + handed, AtomicFloat::load(&self.jumped));
        let jumping = if waiting.abs() > delta * jumped.abs() { waiting } else { 0.0 };
        AtomicFloat::store(&self.waiting, waiting - jumping);
        AtomicFloat::store(&self.jumped, jumped + jumping);
        AtomicFloat::store(&self.jumping, jumping);
    }

    /// Returns the amount distributed in the current iteration.
    #[inline]
    pub(super) fn now(&self) -> f64 {
        AtomicFloat::load(&self.jumping)
    }

    /// Returns true if there are vertices without out-edges: then any vertex may receive jumps.
    #[inline]
    pub(super) fn may_come(&self) -> bool {
        AtomicFloat::load(&self.jumped) != 0.0 || AtomicFloat::load(&self.waiting) != 0.0
    }
}
