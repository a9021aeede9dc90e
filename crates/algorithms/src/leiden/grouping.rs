//! Graph of groups: its vertices are groups of vertices, and its edges sums of edges between them.

use super::buffer::Part;
use super::lists::VisitLists;
use super::partition::Partition;
use outcrop_store::ArcSums;
use outcrop_types::{Result, VertexId};

/// Marker for a number that was not given yet.
const NONE: u32 = u32::MAX;

/// Replaces equal ones of `names` by equal numbers, which are given from 0 on in the order of their first occurrence.
/// Returns how many there are; then `numbers` has that of each name.
fn number(names: &mut [u32], numbers: &mut [u32]) -> u32 {
    numbers.fill(NONE);
    let mut count = 0;
    for name in names {
        let number = &mut numbers[*name as usize];
        if *number == NONE {
            *number = count;
            count += 1;
        }
        *name = *number;
    }
    count
}

impl Partition {
    /// Numbers the groups in `other` in the order of their first members. Returns their number.
    pub(super) fn number_groups(&mut self) -> u32 {
        let vertices = self.vertices as usize;
        number(&mut self.other[..vertices], &mut self.tally.numbers()[..vertices])
    }

    /// Returns the number of communities; numbers them in the order of their first members.
    pub(super) fn number_communities(&mut self) -> u32 {
        let vertices = self.vertices as usize;
        let count = number(&mut self.community[..vertices], &mut self.tally.numbers()[..vertices]);
        self.tally.permute(&mut self.totals[..vertices]);
        count
    }

    /// Makes the `groups` groups in `other` the vertices; each is in one community.
    pub(super) fn become_groups(&mut self, groups: u32) {
        // The number of a group is at most its first member, so that nothing is overwritten before it is read.
        let mut next = 0;
        for vertex in 0..self.vertices as usize {
            let group = self.other[vertex] as usize;
            if group == next {
                self.community[group] = self.community[vertex];
                self.weights[group] = self.weights[vertex];
                next += 1;
            } else {
                self.weights[group] += self.weights[vertex];
            }
        }
        self.vertices = groups;
        self.count_sizes();
    }
}

/// Visitor that sums the edges between groups.
pub(super) struct Grouping<'g> {
    partition: &'g mut Partition,
    sums: ArcSums,
}

impl<'g> Grouping<'g> {
    /// Creates the visitor; the groups are in `other` of the partition.
    pub(super) const fn new(partition: &'g mut Partition, sums: ArcSums) -> Self {
        Self { partition, sums }
    }

    /// Returns the sums.
    pub(super) fn finish(self) -> ArcSums {
        self.sums
    }
}

impl VisitLists for Grouping<'_> {
    #[inline]
    fn part(&mut self, vertex: VertexId, part: Part<'_>) {
        let Partition { other: groups, tally, .. } = &mut *self.partition;
        let own = groups[vertex as usize];
        part.for_each(|neighbor, weight| {
            let group = groups[neighbor as usize];
            if group != own {
                tally.add(group, weight);
            }
        });
    }

    #[inline]
    fn end(&mut self, vertex: VertexId) -> Result<bool> {
        let Partition { other: groups, tally, .. } = &mut *self.partition;
        let own = groups[vertex as usize];
        tally.iter().try_for_each(|(group, weight)| self.sums.push(own, group, weight))?;
        tally.clear();
        Ok(false)
    }
}

/// Visitor that sums the weights of edges between communities.
pub(super) struct Between<'b> {
    partition: &'b Partition,
    sum: f64,
}

impl<'b> Between<'b> {
    /// Creates the visitor.
    pub(super) const fn new(partition: &'b Partition) -> Self {
        Self { partition, sum: 0.0 }
    }

    /// Returns the sum, in which each edge counts once per list entry.
    pub(super) const fn sum(&self) -> f64 {
        self.sum
    }
}

impl VisitLists for Between<'_> {
    fn part(&mut self, vertex: VertexId, part: Part<'_>) {
        let own = self.partition.community[vertex as usize];
        part.for_each(|neighbor, weight| {
            if self.partition.community[neighbor as usize] != own {
                self.sum += weight;
            }
        });
    }

    fn end(&mut self, _: VertexId) -> Result<bool> {
        Ok(false)
    }
}
