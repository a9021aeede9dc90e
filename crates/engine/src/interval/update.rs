//! Updates on the constructed subgraph (LOSC, Algorithm 1 and section 3.7).

use super::engine::IntervalEngine;
use super::fold::Constructed;
use super::program::IntervalProgram;
use super::sources::Sources;
use crate::directions::Directions;
use crate::frontier::FrontierBuilder;
use crate::schedule::{Estimates, Plan};
use crate::values::{Number, VertexArray};
use outcrop_io::ValueFile;
use outcrop_types::{AccessMode, Direction, EdgeDirection, Result, VertexId, VertexRange, VertexSet};

impl IntervalEngine<'_> {
    /// Updates every vertex, interval by interval: constructs the in- and out-edges of an interval, updates all its
    /// vertices from the previous values (the Old-copy), and then replaces their values. Returns the vertices whose
    /// values changed. The result depends on the intervals, and so on memory, but not on threads.
    /// [`Sources::direction`] distinguishes in-edges from out-edges; an undirected edge appears as both.
    ///
    /// # Errors
    /// Returns an error if the lists of a direction are not open, if `values` differs from the engine's in length, if
    /// the engine's requirements do not cover updates, if a read fails or is damaged, if the disk is full, or on
    /// interruption.
    pub fn update<P, V: Number>(&self, program: &P, values: &mut VertexArray<V>) -> Result<VertexSet>
    where
        P: IntervalProgram<Source = V, Target = V>,
    {
        let ways = [Direction::In, Direction::Out];
        self.prepared(&ways, size_of::<P::Sum>().max(size_of::<V>()))?;
        self.check(values)?;
        let cost = self.sum_of(Directions::Both.lists(self.undirected()), |lists| lists.cost_of_sweep())?;
        let plan = Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep };
        self.note_map(plan, u64::from(self.vertices()), Estimates::of(cost));
        self.collecting(|changed| match values {
            VertexArray::Memory(values) => self
                .intervals
                .iter()
                .try_for_each(|interval| self.update_in_memory(program, &ways, *interval, values, changed)),
            VertexArray::Disk(file) => self.counting(file, || {
                self.intervals
                    .iter()
                    .try_for_each(|interval| self.update_on_disk(program, &ways, *interval, file, changed))
            }),
        })
    }

    /// Runs the four steps of section 3.8: load and construct, update, synchronize.
    fn update_in_memory<P: IntervalProgram<Source = V, Target = V>, V: Number>(
        &self,
        program: &P,
        ways: &[Direction],
        interval: VertexRange,
        values: &mut [V],
        changed: &FrontierBuilder,
    ) -> Result<()> {
        let lists = self.construct_all(ways, interval, |vertex| program.wants(vertex))?;
        let own = interval.start as usize..interval.end as usize;
        let mut latest = values[own.clone()].to_vec();
        self.workers().for_each_value(&mut latest, |position, value| {
            let vertex = interval.start + position;
            let new = program.apply(vertex, *value, sum(program, vertex, &lists, values));
            if program.wants(vertex) && new != *value {
                changed.add(vertex);
                *value = new;
            }
        });
        values[own].copy_from_slice(&latest);
        Ok(())
    }

    /// Like [`Self::update_in_memory`], with values on disk: the neighbors' values stream by.
    fn update_on_disk<P: IntervalProgram<Source = V, Target = V>, V: Number>(
        &self,
        program: &P,
        ways: &[Direction],
        interval: VertexRange,
        file: &ValueFile<V>,
        changed: &FrontierBuilder,
    ) -> Result<()> {
        let lists = self.construct_all(ways, interval, |vertex| program.wants(vertex))?;
        let mut sums: Vec<P::Sum> = interval.iter().map(|vertex| program.begin(vertex)).collect();
        self.fold(program, &lists, file, None, &mut sums)?;
        drop(lists);
        self.apply(program, interval, &sums, file, &|vertex| changed.add(vertex))
    }
}

/// Returns the sum of all neighbors of a vertex, with values in memory.
fn sum<P: IntervalProgram>(program: &P, vertex: VertexId, lists: &Constructed, values: &[P::Source]) -> P::Sum {
    let mut sum = program.begin(vertex);
    for (way, lists) in lists {
        program.gather_list(&mut sum, &Sources::new(*way, lists.list(vertex), 0, values));
    }
    sum
}
