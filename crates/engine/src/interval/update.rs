//! Whole-vertex updates on the constructed subgraph (LOSC, Algorithm 1 and section 3.7).

use super::disk::BLOCK;
use super::engine::IntervalEngine;
use super::program::VertexProgram;
use super::sources::Sources;
use super::subgraph::{IntervalLists, Subgraph};
use super::value::IntervalValue;
use super::values::{IntervalValues, Place};
use super::windows::{Cursors, read};
use crate::edge_map::FrontierBuilder;
use crate::schedule::{Estimates, Plan};
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
    pub fn update<P: VertexProgram>(&self, program: &P, values: &mut IntervalValues<P::Value>) -> Result<VertexSet> {
        self.prepared(&[Direction::Out, Direction::In], size_of::<P::Value>())?;
        let place = self.fitting(values)?.place();
        if matches!(place, Place::Disk(_)) && !self.setup.demand.beside {
            return Err(Error::Usage("the engine was made without room for values beside edges".to_owned()));
        }
        let mut cost = self.lists(Direction::In)?.cost_of_sweep();
        if !self.undirected() {
            cost = cost + self.lists(Direction::Out)?.cost_of_sweep();
        }
        let plan = Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep };
        self.log().note_map(plan, u64::from(self.vertices()), Estimates::of(cost));
        self.counting(values, || {
            self.collecting(|changed| {
                self.intervals.iter().try_for_each(|interval| self.update_interval(program, *interval, place, changed))
            })
        })
    }

    /// The four steps of section 3.8: load and construct, update, synchronise.
    fn update_interval<P: VertexProgram>(
        &self,
        program: &P,
        interval: VertexRange,
        place: &Place<P::Value>,
        changed: &FrontierBuilder,
    ) -> Result<()> {
        self.workers().cancellation().check()?;
        let subgraph = self.subgraph(interval)?;
        let mut latest = Vec::new();
        match place {
            Place::Memory(cells) => {
                let old = &cells[interval.start as usize..interval.end as usize];
                latest.extend(old.iter().map(P::Value::load));
                let edges = |way, vertex| Sources::all(subgraph.lists(way).list(vertex), cells);
                self.update_latest(program, interval, &mut latest, edges, changed);
                latest.into_iter().zip(old).for_each(|(latest, cell)| latest.store(cell));
            }
            Place::Disk(file) => {
                let into = self.values_beside(subgraph.lists(Direction::In), file)?;
                let apart = (!self.undirected()).then(|| self.values_beside(subgraph.lists(Direction::Out), file));
                let out = apart.transpose()?;
                read(file, interval, &mut latest)?;
                let edges = |way, vertex| {
                    let lists = subgraph.lists(way);
                    let beside = out.as_ref().filter(|_| way == Direction::Out).unwrap_or(&into);
                    Sources::beside(lists.list(vertex), &beside[lists.places(vertex)])
                };
                self.update_latest(program, interval, &mut latest, edges, changed);
                file.write(u64::from(interval.start), &latest)?;
            }
        }
        Ok(())
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
        let into = self.construct(Direction::In, interval, |_| true)?;
        if self.undirected() {
            return Ok(Subgraph::undirected(into));
        }
        Ok(Subgraph::new(into, self.construct(Direction::Out, interval, |_| true)?))
    }

    /// The value of every neighbour, beside its entry, from one pass over all values.
    fn values_beside<T: IntervalValue>(&self, lists: &IntervalLists, file: &ValueFile<T>) -> Result<Vec<T::Cell>> {
        let beside: Vec<T::Cell> = vec![T::zeroed(); lists.entries()].into_iter().map(T::into_cell).collect();
        let cursors = Cursors::new(lists, self.workers());
        self.stream(
            file,
            |_| true,
            |window, values| {
                let of_block = |block: VertexRange| {
                    for position in block.iter() {
                        let Some((begin, stretch)) = cursors.advance(position as usize, window) else { continue };
                        for (id, cell) in stretch.ids().iter().zip(&beside[begin..]) {
                            values[(id - window.start) as usize].store(cell);
                        }
                    }
                };
                self.workers().map_blocks(lists.range().len() as u32, BLOCK, of_block);
                Ok(())
            },
        )?;
        Ok(beside)
    }
}
