//! An interval's part of an iteration: gather, apply, scatter.

use super::state::{ActiveSet, IntervalStats, Run};
use super::workspace::{Workspace, out_edge};
use crate::gas::demand::ShardKind;
use crate::gas::program::{GasProgram, GasVertex, TOTALS, Totals};
use crate::gas::shards::{EdgeValues, ShardSet, are_few, pairs};
use outcrop_store::access::{ArcBlock, BlockId};
use outcrop_types::{Result, VertexId, VertexRange};

impl<P: GasProgram> Run<'_, '_, P> {
    /// Gathers what came to an interval.
    pub(crate) fn gather(
        &self,
        set: &ShardSet<'_>,
        to: u32,
        values: &[P::Value],
        space: &mut Workspace<P>,
    ) -> Result<()> {
        let range = self.range(to);
        space.sums.clear();
        space.sums.resize(range.len(), None);
        space.touched.clear();
        space.touched.resize(if Self::SHOWS_ALL { range.len() } else { 0 }, false);
        space.blocks.clear();
        let all = Self::SHOWS_ALL || self.options().shards == ShardKind::Static;
        let brings = |block: &BlockId| all || self.fresh_counts[block.from as usize] > 0;
        space.blocks.extend(self.blocks_into(to).filter(|block| brings(block) && set.arcs(*block) > 0));
        if let Some(updates) = &self.updates {
            self.gather_updates(updates, range, values, space)?;
            self.gather_arrivals(range, values, &mut space.sums);
            return Ok(());
        }
        space.blocks.iter().for_each(|block| set.values.prefetch(*block));
        let Workspace { blocks, scratch, held, bytes, sums, touched, .. } = space;
        set.read(blocks, scratch, &mut |position, arcs| {
            let block = blocks[position];
            set.values.get_all(block, arcs.len(), held, bytes)?;
            let everything = self.fresh_counts[block.from as usize] as usize == self.range(block.from).len();
            if held.len() == arcs.len() {
                self.gather_block((arcs, held), (range, values), everything, (sums, touched));
            }
            Ok(())
        })?;
        self.gather_arrivals(range, values, &mut space.sums);
        Ok(())
    }

    /// Gathers what edges bring that have come while the program runs.
    fn gather_arrivals(&self, range: VertexRange, values: &[P::Value], sums: &mut [Option<P::Sum>]) {
        self.arrivals.for_each_into(range, |target, edge| {
            let at = (target - range.start) as usize;
            self.add(&mut sums[at], target, &values[at], edge);
        });
    }

    fn gather_block(
        &self,
        (arcs, held): (&ArcBlock, &[P::Edge]),
        (range, values): (VertexRange, &[P::Value]),
        everything: bool,
        (sums, touched): (&mut [Option<P::Sum>], &mut [bool]),
    ) {
        for ((source, target), edge) in arcs.sources.iter().zip(&arcs.targets).zip(held) {
            let fresh = everything || self.fresh.contains(*source);
            if !fresh && !Self::SHOWS_ALL {
                continue;
            }
            let at = (*target - range.start) as usize;
            self.add(&mut sums[at], *target, &values[at], *edge);
            if Self::SHOWS_ALL && fresh {
                touched[at] = true;
            }
        }
    }

    #[inline]
    fn add(&self, sum: &mut Option<P::Sum>, target: VertexId, value: &P::Value, edge: P::Edge) {
        let so_far = sum.or_else(|| self.program.extract(self.vertex(target), value));
        *sum = Some(self.program.gather(so_far, edge));
    }

    /// Gathers lists of updates.
    fn gather_updates(
        &self,
        updates: &EdgeValues<'_>,
        range: VertexRange,
        values: &[P::Value],
        space: &mut Workspace<P>,
    ) -> Result<()> {
        space.blocks.iter().for_each(|block| updates.prefetch(*block));
        for block in &space.blocks {
            if !self.is_recent(*block) {
                continue;
            }
            updates.get(*block, &mut space.bytes)?;
            for (target, edge) in pairs(&space.bytes) {
                let at = (target - range.start) as usize;
                self.add(&mut space.sums[at], target, &values[at], edge);
            }
        }
        Ok(())
    }

    /// Applies what was gathered, and notes which vertices scatter and which are delayed.
    pub(crate) fn apply(
        &self,
        set: &ShardSet<'_>,
        interval: u32,
        which: ActiveSet,
        values: &mut [P::Value],
        space: &mut Workspace<P>,
    ) -> Result<IntervalStats> {
        let range = self.range(interval);
        let mut turn = IntervalStats { totals: [0.0; TOTALS], ..IntervalStats::default() };
        space.changes.clear();
        space.changes.resize(range.len(), bytemuck::Zeroable::zeroed());
        for (at, value) in values.iter_mut().enumerate() {
            let id = range.start + at as VertexId;
            let mut change = self.apply_one((id, at), which, value, space, &mut turn.totals);
            if !self.arrivals.is_empty() {
                change = self.hand_to_arrivals(id, value, change, &mut turn.totals);
            }
            let Some(change) = change else { continue };
            turn.changed += 1;
            if P::CONTINUES {
                self.next_active.insert(id);
            }
            if self.degrees.is_some() && self.vertex(id).out_degree == 0 {
                // Known to have no edge that could bring it anywhere.
                continue;
            }
            if set.has_all_of(id) {
                turn.scattering += 1;
                self.next.insert(id);
                space.changes[at] = change;
            } else {
                space.delayed.vertices.push(id);
                space.delayed.changes.push(change);
            }
        }
        self.delays.append(interval as usize, &mut space.delayed)?;
        Ok(turn)
    }

    /// A vertex without the edges that have just come.
    fn vertex_before(&self, id: VertexId) -> GasVertex {
        let vertex = self.vertex(id);
        if self.arrivals.is_empty() || self.degrees.is_none() {
            return vertex;
        }
        GasVertex { out_degree: vertex.out_degree - self.arrivals.degrees(id).1, ..vertex }
    }

    /// Puts on the edges of a vertex that have come what it hands on: its change, or everything on those that have just come. Returns
    /// what it hands on along all others.
    fn hand_to_arrivals(
        &self,
        id: VertexId,
        value: &P::Value,
        change: Option<P::Change>,
        totals: &mut Totals,
    ) -> Option<P::Change> {
        let (vertex, before) = (self.vertex(id), self.vertex_before(id).out_degree);
        let (_, new) = self.arrivals.degrees(id);
        let change = if new > 0 { self.program.regrown(vertex, before, value, change, totals) } else { change };
        self.arrivals.post(self.arrivals.of(id), |edge, new| {
            let change = if new { self.program.whole(vertex, value) } else { change };
            change.map(|change| self.program.scatter(vertex, value, change, edge))
        });
        change
    }

    fn apply_one(
        &self,
        (id, at): (VertexId, usize),
        which: ActiveSet,
        value: &mut P::Value,
        space: &Workspace<P>,
        totals: &mut Totals,
    ) -> Option<P::Change> {
        let (vertex, program) = (self.vertex_before(id), self.program);
        if which == ActiveSet::Beginning {
            let (first, change) = program.begin(vertex, totals);
            *value = first;
            return change;
        }
        let gathered = space.sums[at];
        let touched = if Self::SHOWS_ALL { space.touched[at] } else { gathered.is_some() };
        let goes_on = P::CONTINUES && self.active.contains(id);
        if !(touched || goes_on || which == ActiveSet::All) {
            return None;
        }
        let sum = gathered.or_else(|| program.extract(vertex, value));
        let mut new = program.apply(vertex, value, sum);
        let change = program.change(vertex, value, &mut new, totals);
        *value = new;
        change
    }

    /// Puts the changes of an interval on its out-edges.
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

    /// The same where a program looks at the edges in the other direction.
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
        let (mut updated, few) = (0, self.writes_few());
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
            if self.updates.is_none() {
                space.values[position] = value;
            }
            // Where there are too many pairs, none is needed.
            if self.updates.is_some() || few && are_few::<P::Edge>(space.numbers.len(), arcs.len()) {
                space.numbers.push(if self.updates.is_some() { target } else { position as u32 });
                space.held.push(value);
            }
        }
        turn.updated_arcs += updated;
        match (&self.updates, &self.successor) {
            (Some(updates), _) if updated > 0 => self.put_updates(updates, block, space, turn),
            (None, Some(successor)) => {
                self.succeed(successor, (block, arcs), |vertex| self.next.contains(vertex), space)
            }
            (None, None) if updated > 0 => {
                turn.written.push(block);
                self.put_values(&set.values, block, space)
            }
            _ => Ok(()),
        }
    }

    /// True if no more is written of a block than what edges hold that bring something, where these are few: static shards, the baseline,
    /// write blocks whole.
    pub(crate) fn writes_few(&self) -> bool {
        !Self::KEEPS && self.options().shards != ShardKind::Static
    }

    /// Writes what the edges of a block hold, `space.values`: only the pairs in `space.numbers` and `space.held`, where these are few.
    fn put_values(&self, values: &EdgeValues<'_>, block: BlockId, space: &mut Workspace<P>) -> Result<()> {
        match self.writes_few() && are_few::<P::Edge>(space.numbers.len(), space.values.len()) {
            true => values.put_pairs(block, (&space.numbers, &space.held), &mut space.bytes),
            false => values.put(block, &space.values),
        }
    }

    /// Writes the list of updates of a block.
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

    /// Writes a block of the dynamic shards that are made of `arcs` with what `space.values` says they hold; `fresh` are the vertices whose
    /// edges bring something.
    pub(crate) fn succeed(
        &self,
        successor: &ShardSet<'_>,
        (block, arcs): (BlockId, &ArcBlock),
        fresh: impl Fn(VertexId) -> bool,
        space: &mut Workspace<P>,
    ) -> Result<()> {
        let wanted = successor.sources.as_ref();
        let has = |vertex: VertexId| wanted.is_none_or(|wanted| wanted.contains(vertex));
        space.chosen.clear();
        let mut chosen = 0;
        for (position, (source, target)) in arcs.sources.iter().zip(&arcs.targets).enumerate() {
            if has(*source) || P::KEEPS_EDGES && has(*target) {
                space.chosen.sources.push(*source);
                space.chosen.targets.push(*target);
                space.chosen.weights.extend(arcs.weights.get(position));
                space.values[chosen] = space.values[position];
                chosen += 1;
            }
        }
        if chosen == 0 {
            return Ok(());
        }
        space.values.truncate(chosen);
        successor.fill(block, &space.chosen, &mut space.numbers, &mut space.bytes)?;
        if self.updates.is_some() {
            return Ok(());
        }
        space.numbers.clear();
        space.held.clear();
        if self.writes_few() {
            for (position, (source, value)) in (0..).zip(space.chosen.sources.iter().zip(&space.values)) {
                if fresh(*source) {
                    space.numbers.push(position);
                    space.held.push(*value);
                }
            }
            if space.numbers.is_empty() {
                return Ok(());
            }
        }
        self.put_values(&successor.values, block, space)?;
        successor.values.turn(block);
        Ok(())
    }
}
