//! Folds of values on disk: the lists of an interval are constructed in memory, and the values of all vertices stream
//! by.

use super::cursors::Cursors;
use super::engine::IntervalEngine;
use super::program::IntervalProgram;
use super::sources::Sources;
use crate::interval_lists::IntervalLists;
use crate::values::read;
use bytemuck::Zeroable;
use outcrop_io::ValueFile;
use outcrop_types::{BitSet, Direction, Result, VertexId, VertexRange};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Lists of an interval in some directions.
pub(super) type Constructed = Vec<(Direction, IntervalLists)>;

impl IntervalEngine<'_> {
    /// Constructs the lists in the directions of `ways` for the vertices of an interval selected by `wants`.
    pub(super) fn construct_all(
        &self,
        ways: &[Direction],
        interval: VertexRange,
        wants: impl Fn(VertexId) -> bool + Sync,
    ) -> Result<Constructed> {
        self.workers().cancellation().check()?;
        ways.iter().map(|way| Ok((*way, self.construct(*way, interval, &wants)?))).collect()
    }

    /// Adds the neighbors in `lists` to the sums of an interval. If only some vertices are `offering`, windows without
    /// an offering vertex are not read.
    pub(super) fn fold<P: IntervalProgram>(
        &self,
        program: &P,
        lists: &Constructed,
        sources: &ValueFile<P::Source>,
        offering: Option<&BitSet>,
        sums: &mut [P::Sum],
    ) -> Result<()> {
        let cursors: Vec<_> = lists.iter().map(|(way, lists)| (*way, Cursors::new(lists, self.workers()))).collect();
        let offers = |window: &VertexRange| offering.is_none_or(|bits| bits.iter_range(*window).next().is_some());
        self.stream(sources, offers, |window, values| {
            self.workers().for_each_value(sums, |position, sum| {
                for (way, cursors) in &cursors {
                    if let Some(stretch) = cursors.advance(position as usize, window) {
                        let sources = Sources::new(*way, stretch, window.start, values);
                        program.gather_list(sum, &sources.offering(offering));
                    }
                }
            });
            Ok(())
        })
    }

    /// Applies the sums of an interval to its values, and calls `changed` with each vertex whose value changed.
    pub(super) fn apply<P: IntervalProgram>(
        &self,
        program: &P,
        interval: VertexRange,
        sums: &[P::Sum],
        targets: &ValueFile<P::Target>,
        changed: &(impl Fn(VertexId) + Sync),
    ) -> Result<()> {
        let (mut values, length) = (Vec::new(), self.window_length::<P::Target>());
        let reads = program.looks_at_targets() || program.selective();
        for (stretch, sums) in interval.split(length).zip(sums.chunks(length as usize)) {
            match reads {
                true => read(targets, stretch, &mut values)?,
                false => values.resize(stretch.len(), P::Target::zeroed()),
            }
            let differs = AtomicBool::new(!reads);
            self.workers().for_each_value(&mut values, |position, value| {
                let vertex = stretch.start + position;
                if program.wants(vertex) {
                    let new = program.apply(vertex, *value, sums[position as usize]);
                    if new != *value {
                        *value = new;
                        differs.store(true, Relaxed);
                        changed(vertex);
                    }
                }
            });
            if differs.into_inner() {
                targets.write(u64::from(stretch.start), &values)?;
            }
        }
        Ok(())
    }
}
