//! Whole-vertex updates on the constructed subgraph (LOSC, Algorithm 1 and section 3.7).

use super::cursors::Cursors;
use super::engine::IntervalEngine;
use super::program::VertexProgram;
use super::sources::Sources;
use super::windows::BLOCK;
use crate::frontier::FrontierBuilder;
use crate::interval_lists::{IntervalLists, Subgraph};
use crate::schedule::{Estimates, Plan};
use crate::values::{Number, VertexArray, read};
use outcrop_io::ValueFile;
use outcrop_types::{AccessMode, Direction, EdgeDirection, Error, Result, VertexId, VertexRange, VertexSet};

impl IntervalEngine<'_> {
    /// Updates every vertex, interval by interval: the in- and out-edges of an interval are constructed, all its vertices are updated at
    /// once from the values before (the Old-copy), and then their values are replaced. The vertices whose values changed. The answer
    /// depends on the intervals, and so on memory, but not on threads.
    ///
    /// # Errors
    /// Lists of either direction are not open, `values` are of another length than the engine's, or its demand was less than this; a
    /// failed or damaged read, a full disk, interruption.
    pub fn update<P: VertexProgram>(&self, program: &P, values: &mut VertexArray<P::Value>) -> Result<VertexSet> {
        self.prepared(&[Direction::Out, Direction::In], size_of::<P::Value>())?;
        self.check(values)?;
        if values.is_on_disk() && !self.demand.interleaved {
            return Err(Error::internal("an engine was made without memory for values interleaved with edges"));
        }
        let mut cost = self.lists(Direction::In)?.cost_of_sweep();
        if !self.undirected() {
            cost = cost + self.lists(Direction::Out)?.cost_of_sweep();
        }
        let plan = Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep };
        self.note_map(plan, u64::from(self.vertices()), Estimates::of(cost));
        self.collecting(|changed| match values {
            VertexArray::Memory(values) => self
                .intervals
                .iter()
                .try_for_each(|interval| self.update_in_memory(program, *interval, values, changed)),
            VertexArray::Disk(file) => self.counting(file, || {
                self.intervals.iter().try_for_each(|interval| self.update_on_disk(program, *interval, file, changed))
            }),
        })
    }

    /// The four steps of section 3.8: load and construct, update, synchronise.
    fn update_in_memory<P: VertexProgram>(
        &self,
        program: &P,
        interval: VertexRange,
        values: &mut [P::Value],
        changed: &FrontierBuilder,
    ) -> Result<()> {
        let subgraph = self.subgraph(interval)?;
        let own = interval.start as usize..interval.end as usize;
        let mut latest = values[own.clone()].to_vec();
        let edges = |way, vertex| Sources::window(subgraph.lists(way).list(vertex), 0, values);
        self.update_latest(program, interval, &mut latest, edges, changed);
        values[own].copy_from_slice(&latest);
        Ok(())
    }

    /// The same with values on disk: those of neighbours are brought to their entries first.
    fn update_on_disk<P: VertexProgram>(
        &self,
        program: &P,
        interval: VertexRange,
        file: &ValueFile<P::Value>,
        changed: &FrontierBuilder,
    ) -> Result<()> {
        let subgraph = self.subgraph(interval)?;
        let into = self.interleaved(subgraph.lists(Direction::In), file)?;
        let apart = (!self.undirected()).then(|| self.interleaved(subgraph.lists(Direction::Out), file));
        let out = apart.transpose()?;
        let mut latest = Vec::new();
        read(file, interval, &mut latest)?;
        let edges = |way, vertex| {
            let lists = subgraph.lists(way);
            let values = out.as_ref().filter(|_| way == Direction::Out).unwrap_or(&into);
            Sources::interleaved(lists.list(vertex), &values[lists.places(vertex)])
        };
        self.update_latest(program, interval, &mut latest, edges, changed);
        file.write(u64::from(interval.start), &latest)
    }

    /// Updates the Latest-copy of an interval, all vertices at once.
    fn update_latest<'e, P: VertexProgram>(
        &self,
        program: &P,
        interval: VertexRange,
        latest: &mut [P::Value],
        edges: impl Fn(Direction, VertexId) -> Sources<'e, P::Value> + Sync,
        changed: &FrontierBuilder,
    ) {
        self.workers().for_each_value(latest, |position, value| {
            let vertex = interval.start + position;
            let (into, out) = (edges(Direction::In, vertex), edges(Direction::Out, vertex));
            let new = program.update(vertex, *value, &into, &out);
            if new != *value {
                changed.add(vertex);
                *value = new;
            }
        });
    }

    /// Constructs the in-edges and out-edges of an interval.
    fn subgraph(&self, interval: VertexRange) -> Result<Subgraph> {
        self.workers().cancellation().check()?;
        let into = self.construct(Direction::In, interval, |_| true)?;
        if self.undirected() {
            return Ok(Subgraph::undirected(into));
        }
        Ok(Subgraph::new(into, self.construct(Direction::Out, interval, |_| true)?))
    }

    /// The value of every neighbour, at the place of its entry, from one scan of all values.
    fn interleaved<T: Number>(&self, lists: &IntervalLists, file: &ValueFile<T>) -> Result<Vec<T>> {
        let interleaved: Vec<T::Atomic> = vec![T::zeroed(); lists.entries()].into_iter().map(T::into_atomic).collect();
        let cursors = Cursors::new(lists, self.workers());
        self.stream(
            file,
            |_| true,
            |window, values| {
                let of_block = |block: VertexRange| {
                    for position in block.iter() {
                        let Some((begin, stretch)) = cursors.advance(position as usize, window) else { continue };
                        for (id, cell) in stretch.ids().iter().zip(&interleaved[begin..]) {
                            values[(id - window.start) as usize].store(cell);
                        }
                    }
                };
                self.workers().map_blocks(lists.range().len() as u32, BLOCK, of_block);
                Ok(())
            },
        )?;
        Ok(interleaved.into_iter().map(T::from_atomic).collect())
    }
}
