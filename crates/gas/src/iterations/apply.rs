//! Apply: computes the new values of an interval's vertices, and selects those that scatter.

use super::state::{ActiveSet, GasRun, IntervalStats};
use super::workspace::Workspace;
use crate::program::{GasProgram, GasVertex, TOTALS, Totals};
use crate::shards::ShardSet;
use outcrop_types::{Result, VertexId, VertexRange};

impl<P: GasProgram> GasRun<'_, '_, P> {
    /// Applies the gathered sums, and records which vertices scatter and which are delayed.
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
        if P::BATCH > 0 && which != ActiveSet::Beginning {
            self.apply_batches(range, which, values, space)?;
        }
        for (at, value) in values.iter_mut().enumerate() {
            let id = range.start + at as VertexId;
            let mut change = self.apply_one(id, at, which, value, space, &mut turn.totals);
            if !self.arrivals.is_empty() {
                change = self.hand_to_arrivals(id, value, change, &mut turn.totals);
            }
            let Some(change) = change else { continue };
            turn.changed += 1;
            if P::CONTINUES {
                self.next_active.insert(id);
            }
            if self.degrees.is_some() && self.vertex(id).out_degree == 0 {
                // No edge can propagate this change.
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

    /// Transforms the sums of the vertices to apply, batch by batch.
    fn apply_batches(
        &self,
        range: VertexRange,
        which: ActiveSet,
        values: &[P::Value],
        space: &mut Workspace<P>,
    ) -> Result<()> {
        let mut next = 0;
        while next < range.len() {
            space.numbers.clear();
            while next < range.len() && space.numbers.len() < P::BATCH {
                if self.is_applied(range.start + next as VertexId, next, which, space) {
                    space.numbers.push(next as u32);
                }
                next += 1;
            }
            self.program.apply_batch(range, &space.numbers, values, &mut space.sums)?;
        }
        Ok(())
    }

    /// Returns true if the vertex at position `at` of its interval is applied.
    fn is_applied(&self, id: VertexId, at: usize, which: ActiveSet, space: &Workspace<P>) -> bool {
        let touched = if Self::SHOWS_ALL { space.touched[at] } else { space.sums[at].is_some() };
        touched || which == ActiveSet::All || P::CONTINUES && self.active.contains(id)
    }

    /// Returns a vertex without its newly arrived edges.
    fn vertex_before(&self, id: VertexId) -> GasVertex {
        let vertex = self.vertex(id);
        if self.arrivals.is_empty() || self.degrees.is_none() {
            return vertex;
        }
        GasVertex { out_degree: vertex.out_degree - self.arrivals.degrees(id).1, ..vertex }
    }

    /// Puts a vertex's change on its arrived edges, or its total change on those that arrived just now. Returns the
    /// change for all other edges.
    fn hand_to_arrivals(
        &self,
        id: VertexId,
        value: &P::Value,
        change: Option<P::Change>,
        totals: &mut Totals,
    ) -> Option<P::Change> {
        let (vertex, before) = (self.vertex(id), self.vertex_before(id).out_degree);
        let (_, new) = self.arrivals.degrees(id);
        let change =
            if new > 0 { self.program.on_degree_change(vertex, before, value, change, totals) } else { change };
        self.arrivals.post(self.arrivals.of(id), |edge, new| {
            let change = if new { self.program.initial_change(vertex, value) } else { change };
            change.map(|change| self.program.scatter(vertex, value, change, edge))
        });
        change
    }

    fn apply_one(
        &self,
        id: VertexId,
        at: usize,
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
        if !self.is_applied(id, at, which, space) {
            return None;
        }
        let sum = space.sums[at].or_else(|| program.extract(vertex, value));
        let mut new = program.apply(vertex, value, sum);
        let change = program.change(vertex, value, &mut new, totals);
        *value = new;
        change
    }
}
