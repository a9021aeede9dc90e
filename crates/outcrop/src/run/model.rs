//! Memory, temporary files and degrees of a run, shared by all models.

use super::context::index_residence;
use crate::graph::Graph;
use crate::lists;
use outcrop_algorithms::Requirements;
use outcrop_engine::{DegreeSource, longest_list};
use outcrop_io::SpillFolder;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{Direction, MemoryBudget, MemoryPlan, Result, SpaceShortage};

/// Work of a request in one model, as passed to its engine, and the graph.
pub(super) struct Planned<'g, W, D> {
    pub(super) graph: &'g Graph,
    pub(super) needs: Requirements,
    /// True if vertex values are in temporary files.
    pub(super) on_disk: bool,
    pub(super) work: W,
    pub(super) driver: D,
}

impl<W, D> Planned<'_, W, D> {
    /// Returns `plan` with the memory of open lists.
    pub(super) fn with_lists(&self, plan: MemoryPlan) -> MemoryPlan {
        let index = index_residence(self.on_disk);
        let directions = self.graph.directions(self.needs).into_iter();
        directions.fold(plan, |plan, direction| plan.and(&lists::memory_with_index(self.graph, direction, index)))
    }

    /// Returns the number of entries in all lists that are read.
    pub(super) fn arcs(&self) -> u64 {
        self.graph.directions(self.needs).into_iter().map(|direction| lists::arcs(self.graph, direction)).sum()
    }

    /// Returns the space for temporary files with vertex values, in bytes: `vectors` vectors, and a reordered result
    /// column.
    pub(super) fn value_room(&self, vectors: u64, column_bytes: u64) -> u64 {
        let reordered = if self.graph.store.manifest().is_in_rank_order() { 0 } else { column_bytes };
        if self.on_disk { vectors + u64::from(self.graph.num_vertices()) * reordered } else { 0 }
    }

    /// Returns the folder for temporary files, which has `needed` bytes of free space. Unless values are on
    /// disk, it need not be writable until a file is written.
    ///
    /// # Errors
    /// Returns [`outcrop_types::Error::DiskFull`] with the required and the free space, or an error if the folder must
    /// be writable and is not.
    pub(super) fn folder_with_room(&self, needed: u64) -> Result<SpillFolder> {
        let path = &self.graph.temp_folder;
        let folder = if self.on_disk { SpillFolder::new(path)? } else { SpillFolder::when_needed(path)? };
        SpaceShortage::check(path, needed, folder.free_bytes()?, SpaceShortage::MOVE_TEMPORARY_FILES)?;
        Ok(folder)
    }

    /// Returns readers for the degrees of the `wanted` directions.
    pub(super) fn degrees<'d>(
        &self,
        budget: &MemoryBudget,
        wanted: impl Fn(Direction) -> bool,
    ) -> Result<DegreeSource<'d>> {
        let mut degrees = DegreeSource::default();
        for direction in [Direction::Out, Direction::In].into_iter().filter(|direction| wanted(*direction)) {
            let reader = DegreeReader::open(&self.graph.store, direction, self.graph.io, budget)?;
            degrees = degrees.with(direction, reader);
        }
        Ok(degrees)
    }

    /// Returns `plan` with the memory for reading the degrees of the `wanted` directions while lists are open.
    pub(super) fn with_degrees(&self, plan: MemoryPlan, wanted: impl Fn(Direction) -> bool) -> MemoryPlan {
        let store = &self.graph.store;
        // The plan of open lists has the memory of one reader per stored direction; undirected stores have two readers.
        let mut planned: Vec<_> = self.graph.directions(self.needs).iter().map(|side| store.stored(*side)).collect();
        planned.dedup();
        let directions = [Direction::Out, Direction::In].into_iter().filter(|direction| wanted(*direction));
        directions.map(|direction| store.stored(direction)).fold(plan, |plan, stored| {
            match planned.iter().position(|planned| *planned == stored) {
                Some(place) => {
                    planned.remove(place);
                    plan
                }
                None => plan.and(&outcrop_store::updates::degrees_memory(store, stored)),
            }
        })
    }

    /// Returns the number of entries in the longest list of `direction`, from one pass over the degrees. The pass uses
    /// less memory than any plan that needs the result, even before the plan is checked against the graph's memory.
    pub(super) fn longest_list(&self, direction: Direction) -> Result<u64> {
        let Graph { store, io, memory, .. } = self.graph;
        let least = outcrop_store::updates::degrees_memory(store, store.stored(direction)).total();
        let mut reader = DegreeReader::open(store, direction, *io, &MemoryBudget::new((*memory).max(least)))?;
        longest_list(&mut reader, self.graph.num_vertices(), self.graph.cancellation()).map(u64::from)
    }
}
