//! Blocks of consecutive vertices that are computed together, with values and messages in memory.

use super::worker::WorkerOutbox;
use crate::lists::{Batch, Loaded, WordsPart};
use crate::log::BlockMessages;
use crate::program::{MessageProgram, Next, Superstep, TOTALS, Vertex};
use outcrop_types::{BitSet, Result, VertexId, VertexRange};

/// Values of the vertices of a block.
pub(crate) enum BlockValues<'v, V> {
    /// Slice of the values in memory, if all values are there.
    Held(&'v mut [V]),
    /// Values read from disk, to be written back.
    Read(Vec<V>),
}

impl<V> BlockValues<'_, V> {
    fn get_mut(&mut self, position: usize) -> Option<&mut V> {
        match self {
            Self::Held(values) => values.get_mut(position),
            Self::Read(values) => values.get_mut(position),
        }
    }
}

/// Vertices that one thread computes in order.
pub(crate) struct Block<'b, P: MessageProgram> {
    pub range: VertexRange,
    pub values: BlockValues<'b, P::Value>,
    pub messages: Option<BlockMessages<'b, P::Message>>,
}

/// Vertex sets of a superstep.
pub(crate) struct Sets<'s> {
    /// Vertices active in this superstep.
    pub active: &'s BitSet,
    /// Vertices active in the next superstep even without a message.
    pub next: &'s BitSet,
    /// Vertices to be computed with their lists.
    pub wanted: &'s BitSet,
    /// Nonexistent vertices.
    pub absent: Option<&'s BitSet>,
}

impl<'b, P: MessageProgram> Block<'b, P> {
    /// Lets the active vertices receive their messages, with their edge words; returns their number.
    ///
    /// # Errors
    /// Returns the errors of [`WordsPart::with`].
    pub(crate) fn receive(
        &mut self,
        program: &P,
        superstep: Superstep,
        sets: &Sets<'_>,
        mut words: Option<WordsPart<'_, '_, '_>>,
        outbox: &mut WorkerOutbox<'_, P>,
    ) -> Result<u64> {
        let mut received = 0;
        for id in sets.active.iter_range(self.range) {
            if sets.absent.is_some_and(|absent| absent.contains(id)) || outbox.has_failed() {
                continue;
            }
            received += 1;
            let mut receive = |words: &mut [u32]| {
                let Some(mut vertex) = self.vertex(id, superstep, words, outbox) else { return };
                if program.receive(&mut vertex) == Next::Compute {
                    sets.wanted.insert(id);
                }
                if vertex.stays_active() {
                    sets.next.insert(id);
                }
            };
            match &mut words {
                None => receive(&mut []),
                Some(words) => words.with(id, receive)?,
            }
        }
        Ok(received)
    }

    /// Computes the vertices of `batch` in this block.
    pub(crate) fn compute(
        &mut self,
        program: &P,
        superstep: Superstep,
        sets: &Sets<'_>,
        (batch, loaded): (&Batch, &Loaded),
        outbox: &mut WorkerOutbox<'_, P>,
    ) {
        let positions = batch.within(self.range);
        let members = &batch.members()[positions.clone()];
        for (position, id) in positions.zip(members) {
            if outbox.has_failed() {
                return;
            }
            let edges = loaded.edges(batch, position);
            let Some(mut vertex) = self.vertex(*id, superstep, &mut [], outbox) else { continue };
            program.compute(&mut vertex, &edges);
            if !vertex.stays_active() {
                sets.next.remove(*id);
            }
        }
    }

    fn vertex<'v>(
        &'v mut self,
        id: VertexId,
        superstep: Superstep,
        words: &'v mut [u32],
        outbox: &'v mut WorkerOutbox<'_, P>,
    ) -> Option<Vertex<'v, P>> {
        let value = self.values.get_mut((id - self.range.start) as usize)?;
        let messages = self.messages.as_mut().map_or(&mut [][..], |messages| messages.of(id));
        Some(Vertex::new(id, superstep, (value, messages, words), outbox))
    }
}

/// Sums the contributions of blocks in block order.
pub(crate) fn sum(mut parts: Vec<(usize, [f64; TOTALS])>) -> [f64; TOTALS] {
    parts.sort_unstable_by_key(|(number, _)| *number);
    parts.into_iter().fold([0.0; TOTALS], |mut sum, (_, part)| {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        sum
    })
}
