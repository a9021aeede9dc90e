//! Reads lists back through the access contract.

use crate::cases::lists::Lists;
use crate::cases::model::List;
use outcrop_io::Disk;
use outcrop_io::{IoChoice, MergePolicy, Utilization};
use outcrop_store::Store;
use outcrop_store::WorkContext;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, Workers};
use outcrop_store::layout::compact::IndexResidence;
use outcrop_types::Silent;
use outcrop_types::{Cancellation, Direction, MemoryBudget, Result, VertexId, VertexRange};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Collects lists, and notices those that come twice.
pub struct Collect<'w> {
    lists: Vec<Mutex<Option<List>>>,
    wants: &'w (dyn Fn(VertexId) -> bool + Sync),
    /// Lists are left once they have so many entries.
    enough: usize,
}

impl<'w> Collect<'w> {
    pub fn new(vertices: u32, wants: &'w (dyn Fn(VertexId) -> bool + Sync)) -> Self {
        Self { lists: (0..vertices).map(|_| Mutex::new(None)).collect(), wants, enough: usize::MAX }
    }

    pub fn until(mut self, enough: usize) -> Self {
        self.enough = enough;
        self
    }

    pub fn into_lists(self) -> Vec<Option<List>> {
        self.lists.into_iter().map(|list| list.into_inner().unwrap()).collect()
    }
}

impl FoldLists for Collect<'_> {
    type Fold = List;

    fn wants(&self, vertex: VertexId) -> bool {
        (self.wants)(vertex)
    }

    fn begin(&self, _: VertexId) -> List {
        List::new()
    }

    fn neighbors(&self, _: VertexId, fold: &mut List, piece: Neighbors<'_>) -> ControlFlow<()> {
        assert!(!piece.is_empty());
        piece.try_for_each(|neighbor, weight| {
            fold.push((neighbor, weight));
            if fold.len() >= self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    fn end(&self, vertex: VertexId, list: List) {
        let before = self.lists[vertex as usize].lock().unwrap().replace(list);
        assert!(before.is_none(), "the list of {vertex} came twice");
    }
}

/// Options of reading.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub io: IoChoice,
    pub cache_bytes: u64,
    pub threads: usize,
    pub utilization: Utilization,
    /// Of compact lists.
    pub index: IndexResidence,
}

/// Silent work on files of the disk.
pub fn work<'w>(io: IoChoice, budget: &'w MemoryBudget, workers: &'w Workers) -> WorkContext<'w> {
    WorkContext { storage: &Disk, io, budget, workers, observer: &Silent }
}

impl Reading {
    pub const PLAIN: Self = Self {
        io: IoChoice::Buffered,
        cache_bytes: 0,
        threads: 1,
        utilization: Utilization::Ignored,
        index: IndexResidence::Resident,
    };

    pub fn workers(self) -> Workers {
        Workers::start(self.threads, Cancellation::new()).unwrap()
    }

    /// The lists in the layout that the store has.
    pub fn open(self, store: &Store, direction: Direction) -> Result<Lists> {
        self.open_within(store, direction, MergePolicy::default(), &MemoryBudget::new(1 << 30))
    }

    pub fn open_within(
        self,
        store: &Store,
        direction: Direction,
        merge: MergePolicy,
        budget: &MemoryBudget,
    ) -> Result<Lists> {
        Lists::open_through(
            store,
            direction,
            &crate::cases::lists::options(self, merge),
            budget,
            &self.workers(),
            |device| device,
        )
    }
}

/// All lists of a direction.
pub fn sweep_all(lists: &dyn Adjacency) -> Result<Vec<List>> {
    let collect = Collect::new(lists.num_vertices(), &|_| true);
    lists.sweep(VertexRange::new(0, lists.num_vertices()), &collect)?;
    Ok(collect.into_lists().into_iter().map(Option::unwrap).collect())
}
