//! Gather: sums the edge values of an interval's vertices.

use super::state::GasRun;
use super::workspace::Workspace;
use crate::program::GasProgram;
use crate::requirements::ShardKind;
use crate::shards::{EdgeValues, ShardSet, pairs};
use outcrop_store::access::{ArcBlock, BlockId};
use outcrop_types::{Result, VertexId, VertexRange};

impl<P: GasProgram> GasRun<'_, '_, P> {
    /// Gathers the updates of an interval.
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
            if set.values.get_stored(block, arcs.len(), held, bytes)? {
                self.gather_pairs((arcs, bytes), (range, values), sums);
            } else if held.len() == arcs.len() {
                let everything = self.fresh_counts[block.from as usize] as usize == self.range(block.from).len();
                self.gather_block((arcs, held), (range, values), everything, (sums, touched));
            }
            Ok(())
        })?;
        self.gather_arrivals(range, values, &mut space.sums);
        Ok(())
    }

    /// Gathers the updates on edges that arrived during the run.
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

    /// Gathers the values of few edges of a block, stored in `bytes` with their positions.
    fn gather_pairs(
        &self,
        (arcs, bytes): (&ArcBlock, &[u8]),
        (range, values): (VertexRange, &[P::Value]),
        sums: &mut [Option<P::Sum>],
    ) {
        for (position, edge) in pairs(bytes) {
            let (source, target) = (arcs.sources[position as usize], arcs.targets[position as usize]);
            if self.fresh.contains(source) {
                let at = (target - range.start) as usize;
                self.add(&mut sums[at], target, &values[at], edge);
            }
        }
    }

    #[inline]
    fn add(&self, sum: &mut Option<P::Sum>, target: VertexId, value: &P::Value, edge: P::Edge) {
        let so_far = sum.or_else(|| self.program.extract(self.vertex(target), value));
        *sum = Some(self.program.gather(so_far, edge));
    }

    /// Gathers update lists.
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
}
