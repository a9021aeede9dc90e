//! Combination of messages to the same vertex (section V.D).

use crate::program::MessageProgram;

/// Combines two messages into one. Every [`MessageProgram`] implements it.
pub trait Combine<M>: Sync {
    /// `true` if messages may be combined.
    const COMBINES: bool;

    /// Combines two messages to the same vertex; associative and commutative. Called only if [`Combine::COMBINES`].
    fn combine(&self, one: M, other: M) -> M;
}

impl<P: MessageProgram> Combine<P::Message> for P {
    const COMBINES: bool = P::COMBINES;

    #[inline(always)]
    fn combine(&self, one: P::Message, other: P::Message) -> P::Message {
        MessageProgram::combine(self, one, other)
    }
}
