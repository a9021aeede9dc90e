//! DanglingMass from vertices without out-edges, where ranks go by changes: what such vertices hand on waits until it
//! is enough.

use crate::AtomicFloat;
use outcrop_engine::State;
use outcrop_types::Result;
use std::sync::atomic::AtomicU64;

/// Amounts of probability that jump.
#[derive(Debug)]
pub(super) struct DanglingMass {
    /// Amount that vertices without out-edges have handed on and jumps have not.
    waiting: AtomicU64,
    /// Amount that jumps have handed on, with that of the iteration that begins.
    jumped: AtomicU64,
    /// Amount that jumps hand on in the iteration that begins.
    jumping: AtomicU64,
}

impl DanglingMass {
    pub(super) fn new() -> Self {
        let [waiting, jumped, jumping] = [0.0; 3].map(AtomicFloat::new);
        Self { waiting, jumped, jumping }
    }

    /// Shows the amounts.
    pub(super) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        let amounts = [&self.waiting, &self.jumped, &self.jumping];
        amounts.into_iter().try_for_each(|amount| state.shared(std::slice::from_ref(amount)))
    }

    /// Lets what waits jump, with what was `handed` on now, once it is more than `delta` of what has jumped.
    pub(super) fn decide(&self, handed: f64, delta: f64) {
        let (waiting, jumped) = (AtomicFloat::load(&self.waiting) + handed, AtomicFloat::load(&self.jumped));
        let jumping = if waiting.abs() > delta * jumped.abs() { waiting } else { 0.0 };
        AtomicFloat::store(&self.waiting, waiting - jumping);
        AtomicFloat::store(&self.jumped, jumped + jumping);
        AtomicFloat::store(&self.jumping, jumping);
    }

    /// Amount that jumps in the iteration that begins.
    #[inline]
    pub(super) fn now(&self) -> f64 {
        AtomicFloat::load(&self.jumping)
    }

    /// True if there are vertices without out-edges: then jumps may come to any vertex.
    #[inline]
    pub(super) fn may_come(&self) -> bool {
        AtomicFloat::load(&self.jumped) != 0.0 || AtomicFloat::load(&self.waiting) != 0.0
    }
}
