//! Scatter: writes values to the out-edges of an interval's vertices.

use super::state::{GasRun, IntervalStats};
use super::workspace::{Workspace, out_edge};
use crate::program::{EdgeBatch, GasProgram};
use crate::requirements::ShardKind;
use crate::shards::{EdgeValues, ShardSet, are_few};
use outcrop_store::access::{ArcBlock, BlockId};
use outcrop_types::{Result, VertexId};

impl<P: GasProgram> GasRun<'_, '_, P> {
    /// Writes the changes of an interval to its out-edges.
    pub(crate) fn scatter(
        &self,
        set: &ShardSet<'_>,
        from: u32,
        values: &[P::Value],
        space: &mut Workspace<P>,
        turn: &mut IntervalStats,
    ) -> Result<()> {
        let looks = self.options().shards == ShardKind::Static || P::KEEPS_EDGES && self.successor.is_some();
        if turn.scattering == 0 && !looks {
            return Ok(());
        }
        space.blocks.clear();
        space.blocks.extend(self.blocks_from(from).filter(|block| set.arcs(*block) > 0));
        if P::KEEPS_EDGES {
            return self.scatter_with_opposites(set, values, space, turn);
        }
        let blocks = std::mem::take(&mut space.blocks);
        let mut scratch = std::mem::take(&mut space.scratch);
        let outcome = set.read(&blocks, &mut scratch, &mut |position, arcs| {
            let block = blocks[position];
            if Self::KEEPS {
                set.values.get(block, &mut space.values)?;
            } else {
                space.values.clear();
            }
            self.scatter_block(set, (block, arcs), values, space, turn)
        });
        (space.blocks, space.scratch) = (blocks, scratch);
        outcome
    }

    /// Like [`Self::scatter`], for programs that read reverse edges.
    fn scatter_with_opposites(
        &self,
        set: &ShardSet<'_>,
        values: &[P::Value],
        space: &mut Workspace<P>,
        turn: &mut IntervalStats,
    ) -> Result<()> {
        let blocks = std::mem::take(&mut space.blocks);
        let mut scratch = std::mem::take(&mut space.scratch);
        for block in &blocks {
            let back = BlockId { from: block.to, to: block.from };
            let opposite = &mut space.opposite;
            opposite.arcs.clear();
            opposite.values.clear();
            if set.arcs(back) > 0 {
                set.read(&[back], &mut scratch, &mut |_, arcs| {
                    opposite.arcs.clone_from(arcs);
                    Ok(())
                })?;
                set.values.get(back, &mut opposite.values)?;
                opposite.values.resize(opposite.arcs.len(), bytemuck::Zeroable::zeroed());
            }
            opposite.begin(self.range(block.to));
            set.read(std::slice::from_ref(block), &mut scratch, &mut |_, arcs| {
                set.values.get(*block, &mut space.values)?;
                self.scatter_block(set, (*block, arcs), values, space, turn)
            })?;
        }
        (space.blocks, space.scratch) = (blocks, scratch);
        Ok(())
    }

    fn scatter_block(
        &self,
        set: &ShardSet<'_>,
        (block, arcs): (BlockId, &ArcBlock),
        values: &[P::Value],
        space: &mut Workspace<P>,
        turn: &mut IntervalStats,
    ) -> Result<()> {
        space.values.resize(arcs.len(), bytemuck::Zeroable::zeroed());
        let first = self.range(block.from).start;
        space.numbers.clear();
        space.held.clear();
        let mut updated = 0;
        for (position, source) in arcs.sources.iter().enumerate() {
            if !self.next.contains(*source) {
                continue;
            }
            let at = (*source - first) as usize;
            let target = arcs.targets[position];
            let reverse = if P::KEEPS_EDGES { space.opposite.of(*source, target, false) } else { None };
            let edge = out_edge(arcs, position, space.values[position], reverse);
            let value = self.program.scatter(self.vertex(*source), &values[at], space.changes[at], edge);
            updated += 1;
            match self.updates {
                None if P::BATCH > 0 => {
                    space.numbers.push(position as u32);
                    space.held.push(value);
                    space.reverse.extend(P::KEEPS_EDGES.then_some(reverse));
                    if space.numbers.len() == P::BATCH {
                        self.scatter_batch(arcs, space)?;
                    }
                }
                None => space.values[position] = value,
                Some(_) => {
                    space.numbers.push(target);
                    space.held.push(value);
                }
            }
        }
        if P::BATCH > 0 {
            self.scatter_batch(arcs, space)?;
        }
        turn.updated_arcs += updated;
        match (&self.updates, &self.successor) {
            (Some(updates), _) if updated > 0 => self.put_updates(updates, block, space, turn),
            (None, Some(successor)) => {
                self.succeed(successor, (block, arcs), |vertex| self.next.contains(vertex), space)
            }
            (None, None) if updated > 0 => {
                turn.written.push(block);
                let fresh = |vertex| self.next.contains(vertex);
                self.put_values(&set.values, block, &arcs.sources, fresh, updated as usize, space)
            }
            _ => Ok(()),
        }
    }

    /// Writes the values of the batch of edges in `space.numbers`, and starts the next batch.
    fn scatter_batch(&self, arcs: &ArcBlock, space: &mut Workspace<P>) -> Result<()> {
        let Workspace { numbers, held, values, reverse, .. } = space;
        if numbers.is_empty() {
            return Ok(());
        }
        let edges = EdgeBatch { arcs, positions: numbers, previous: values, reverse };
        self.program.scatter_batch(edges, held)?;
        for (position, value) in numbers.drain(..).zip(held.drain(..)) {
            values[position as usize] = value;
        }
        reverse.clear();
        Ok(())
    }

    /// Returns true if only the edges with updates are written if these are few. Static shards, the baseline, write
    /// whole blocks.
    pub(crate) fn writes_few(&self) -> bool {
        !Self::KEEPS && self.options().shards != ShardKind::Static
    }

    /// Writes the edge values of a block from `space.values`; only the `updated` values of `fresh` sources, with
    /// their positions, if these are few.
    fn put_values(
        &self,
        values: &EdgeValues<'_>,
        block: BlockId,
        sources: &[VertexId],
        fresh: impl Fn(VertexId) -> bool,
        updated: usize,
        space: &mut Workspace<P>,
    ) -> Result<()> {
        if !(self.writes_few() && are_few::<P::Edge>(updated, sources.len())) {
            return values.put(block, &space.values);
        }
        space.numbers.clear();
        space.held.clear();
        for (position, _) in sources.iter().enumerate().filter(|(_, source)| fresh(**source)) {
            space.numbers.push(position as u32);
            space.held.push(space.values[position]);
        }
        values.put_pairs(block, (&space.numbers, &space.held), &mut space.bytes)
    }

    /// Writes the update list of a block.
    pub(crate) fn put_updates(
        &self,
        updates: &EdgeValues<'_>,
        block: BlockId,
        space: &mut Workspace<P>,
        turn: &mut IntervalStats,
    ) -> Result<()> {
        turn.written.push(block);
        updates.put_pairs(block, (&space.numbers, &space.held), &mut space.bytes)
    }

    /// Writes a block of new dynamic shards from `arcs` and the edge values in `space.values`. The edges of `fresh`
    /// vertices have updates.
    pub(crate) fn succeed(
        &self,
        successor: &ShardSet<'_>,
        (block, arcs): (BlockId, &ArcBlock),
        fresh: impl Fn(VertexId) -> bool,
        space: &mut Workspace<P>,
    ) -> Result<()> {
        let wanted = successor.sources.as_ref();
        let has = |vertex: VertexId| wanted.is_none_or(|wanted| wanted.contains(vertex));
        let picked = &mut space.scratch.arcs;
        picked.clear();
        let mut chosen = 0;
        for (position, (source, target)) in arcs.sources.iter().zip(&arcs.targets).enumerate() {
            if has(*source) || P::KEEPS_EDGES && has(*target) {
                picked.sources.push(*source);
                picked.targets.push(*target);
                picked.weights.extend(arcs.weights.get(position));
                space.values[chosen] = space.values[position];
                chosen += 1;
            }
        }
        if chosen == 0 {
            return Ok(());
        }
        space.values.truncate(chosen);
        successor.fill(block, &mut space.scratch, &mut space.numbers)?;
        if self.updates.is_some() {
            return Ok(());
        }
        let scratch = std::mem::take(&mut space.scratch);
        let sources = &scratch.arcs.sources;
        let updated = sources.iter().filter(|source| fresh(**source)).count();
        if updated > 0 || !self.writes_few() {
            self.put_values(&successor.values, block, sources, fresh, updated, space)?;
            successor.values.turn(block);
        }
        space.scratch = scratch;
        Ok(())
    }
}
