//! Degree queries.

use super::answer::Answer;
use super::reading::Sides;
use super::requested_vertices::RequestedVertices;
use crate::graph::Graph;
use crate::result::{TableSource, batch_memory};
use outcrop_algorithms::{Column, Values};
use outcrop_store::Store;
use outcrop_store::layout::{DegreeReader, all_degrees_memory, degrees};
use outcrop_store::updates::degrees_memory;
use outcrop_store::writing::IdBatch;
use outcrop_types::{
    Direction, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexValues, index_from,
};

/// Maximum gap between vertices that are read together, and maximum span of one read.
const GAP: u32 = 1 << 10;
const SPAN: u32 = 1 << 15;

impl Graph {
    /// Returns the columns `node` and `degree`: the number of list entries of `nodes`, in order, or of all vertices, in
    /// ascending order of original ID. An undirected loop is one entry.
    ///
    /// # Errors
    ///
    /// Returns an error if an ID is not in the graph, if the budget is too small, if the store is damaged, or if the
    /// query is interrupted.
    pub fn degrees(&self, nodes: Option<&IdBatch>, sides: Sides) -> Result<Answer> {
        self.within_memory(|budget| match nodes {
            Some(nodes) => self.some_degrees(nodes, sides, budget),
            None => {
                let column = Column { name: "degree".into(), values: Values::Count(self.all_degrees(sides, budget)?) };
                Ok(Answer::all(TableSource::new(self, budget.clone())?, vec![column]))
            }
        })
    }

    fn some_degrees(&self, nodes: &IdBatch, sides: Sides, budget: &MemoryBudget) -> Result<Answer> {
        let reading = sides.directions(self).iter().map(|direction| {
            let reader = MemoryPlan::new().with(Purpose::IoBuffers, DegreeReader::MEMORY_BYTES);
            reader.and(&degrees_memory(&self.store, *direction))
        });
        budget
            .require(&RequestedVertices::held(nodes).and(&reading.fold(rows_of_result(&self.store), MemoryPlan::or)))?;
        let asked = RequestedVertices::find(self, nodes, budget)?;
        let mut found = vec![0_u32; nodes.len()];
        for direction in sides.directions(self) {
            let _reader = budget.reserve(DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
            let mut reader = DegreeReader::open(&self.store, *direction, self.io, budget)?;
            read_some(&mut reader, asked.ascending(), |place, degree| {
                found[place as usize] = found[place as usize].saturating_add(degree);
            })?;
        }
        self.report_notes();
        let (ranks, held) = asked.into_ranks();
        Ok(Answer::numbers(TableSource::new(self, budget.clone())?, "degree", ranks, found, vec![held]))
    }

    fn all_degrees(&self, sides: Sides, budget: &MemoryBudget) -> Result<VertexValues<u32>> {
        let array = MemoryPlan::new().with(Purpose::Degrees, VertexValues::<u32>::bytes(self.num_vertices().into()));
        let reading = sides.directions(self).iter().enumerate().map(|(place, direction)| {
            let before = if place > 0 { array.clone() } else { MemoryPlan::new() };
            before.and(&all_degrees_memory(&self.store, *direction))
        });
        budget.require(&reading.fold(array.clone().and(&rows_of_result(&self.store)), MemoryPlan::or))?;
        let of = |direction: &Direction| degrees(&self.store, *direction, self.io, budget, self.cancellation());
        let mut directions = sides.directions(self).iter();
        let first = directions.next().map_or(Direction::Out, |first| *first);
        let mut sums = of(&first)?;
        for direction in directions {
            let more = of(direction)?;
            sums.iter_mut().zip(more.iter()).for_each(|(sum, degree)| *sum = sum.saturating_add(*degree));
        }
        Ok(sums)
    }
}

/// Returns the memory for passing on the rows of an answer.
fn rows_of_result(store: &Store) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::Results, batch_memory(store))
}

/// Calls `found` with each place and the degree of its vertex, in ascending order of vertices, as in `wanted`.
pub(super) fn read_some(
    reader: &mut DegreeReader,
    mut wanted: &[(VertexId, u32)],
    mut found: impl FnMut(u32, u32),
) -> Result<()> {
    let mut degrees = Vec::new();
    while let Some((first, _)) = wanted.first().copied() {
        let near = |pair: &[(VertexId, u32)]| pair[1].0 - pair[0].0 <= GAP && pair[1].0 - first < SPAN;
        let (now, later) = wanted.split_at(1 + wanted.windows(2).take_while(|pair| near(pair)).count());
        let last = now.last().map_or(first, |(vertex, _)| *vertex);
        reader.read(VertexRange::new(first, last + 1), &mut degrees)?;
        now.iter().for_each(|(vertex, place)| found(*place, degrees[index_from(u64::from(vertex - first))]));
        wanted = later;
    }
    Ok(())
}
