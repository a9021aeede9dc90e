//! Adjacency in memory, visited by several threads, each list in pieces.

use outcrop_engine::Engine;
use outcrop_store::access::{
    AccessStatistics, Adjacency, IoCost, ListPage, Neighbors, Packer, Visit, Workers, requested_vertices,
};
use outcrop_types::{
    Cancellation, Direction, Error, IterationRecord, MemoryBudget, Observer, Result, VertexId, VertexRange, VertexSet,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// An edge: source, target, weight.
pub type Edge = (VertexId, VertexId, f64);

/// Entries of a piece; lists are often longer.
const PIECE: usize = 3;

/// Place that lists are said to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On disk, a byte an entry.
    Disk,
    Memory,
    /// On disk, scattered over pages of 4 KiB, sixteen lists a page.
    Pages,
}

/// The lists of one direction.
pub struct Lists {
    /// Place that costs are told by.
    pub place: Place,
    /// Number of lists that costs were asked of.
    pub looked_at: AtomicUsize,
    lists: Vec<(Vec<VertexId>, Vec<f64>)>,
    workers: Workers,
    statistics: AccessStatistics,
    /// The next map visits half of its lists, then fails.
    pub fail: AtomicBool,
    /// True if pages are known: sixteen lists a page, with room for a thousand entries.
    pub paged: AtomicBool,
    /// Owners of lists that were visited.
    read: Mutex<Vec<VertexId>>,
}

impl Lists {
    fn degree(&self, vertex: VertexId) -> u32 {
        self.lists[vertex as usize].0.len() as u32
    }

    pub fn new(vertices: u32, edges: &[Edge], direction: Direction, workers: &Workers) -> Self {
        let mut sorted: Vec<Edge> = edges.to_vec();
        sorted.sort_by_key(|(source, target, _)| (*source, *target));
        let mut lists = vec![(Vec::new(), Vec::new()); vertices as usize];
        for (source, target, weight) in sorted {
            let (owner, other) = if direction == Direction::Out { (source, target) } else { (target, source) };
            lists[owner as usize].0.push(other);
            lists[owner as usize].1.push(weight);
        }
        Self {
            place: Place::Disk,
            looked_at: AtomicUsize::new(0),
            lists,
            workers: workers.clone(),
            statistics: AccessStatistics::default(),
            fail: AtomicBool::new(false),
            paged: AtomicBool::new(false),
            read: Mutex::default(),
        }
    }

    /// Owners of lists visited since this was last asked, ascending.
    pub fn take_read(&self) -> Vec<VertexId> {
        let mut read = std::mem::take(&mut *self.read.lock().unwrap());
        read.sort_unstable();
        read
    }

    fn visit_all(&self, vertices: &[VertexId], visit: &dyn Visit) -> Result<()> {
        let fails = self.fail.load(Relaxed);
        let vertices = if fails { &vertices[..vertices.len() / 2] } else { vertices };
        let next = AtomicUsize::new(0);
        self.workers.run(false, &|_| {
            let mut packer = Packer::in_pieces(visit, PIECE);
            while let Some(vertex) = vertices.get(next.fetch_add(1, Relaxed)) {
                self.read.lock().unwrap().push(*vertex);
                let (ids, weights) = &self.lists[*vertex as usize];
                packer.list(*vertex, Neighbors::new(ids, Some(weights)).into())?;
            }
            packer.finish(&self.statistics)
        })?;
        if fails { Err(Error::Usage("no more".to_owned())) } else { Ok(()) }
    }
}

impl Adjacency for Lists {
    fn num_vertices(&self) -> u32 {
        self.lists.len() as u32
    }

    fn num_arcs(&self) -> u64 {
        self.lists.iter().map(|(ids, _)| ids.len() as u64).sum()
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        let mut arcs = 0;
        self.looked_at.fetch_add(set.len(), Relaxed);
        set.for_each(|vertex| arcs += u64::from(self.degree(vertex)));
        match self.place {
            Place::Disk => IoCost { arcs, bytes: arcs, ..IoCost::default() },
            Place::Memory => IoCost { arcs, resident_bytes: arcs, ..IoCost::default() },
            Place::Pages => {
                IoCost { arcs, bytes: 4096 * set.len() as u64, requests: set.len() as u64, resident_bytes: 0 }
            }
        }
    }

    fn cost_of_sweep(&self) -> IoCost {
        let all = self.cost_of(&VertexSet::all(self.num_vertices()));
        match self.place {
            Place::Disk | Place::Memory => all,
            Place::Pages => IoCost { bytes: all.bytes / 16, requests: all.bytes.div_ceil(256 << 10), ..all },
        }
    }

    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        self.paged.load(Relaxed).then(|| ListPage { number: u64::from(vertex / 16), entries: 1000 })
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        let mut members = Vec::new();
        set.for_each(|vertex| members.push(vertex));
        self.visit_all(&members, visit)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        self.visit_all(&requested_vertices(range, visit), visit)
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

/// A graph with lists in both directions, and what an engine needs besides.
pub struct Graph {
    pub out: Lists,
    pub into: Lists,
    pub workers: Workers,
    pub budget: MemoryBudget,
    pub records: Records,
}

impl Graph {
    pub fn new(vertices: u32, edges: &[Edge], threads: usize) -> Self {
        let workers = Workers::start(threads, Cancellation::new()).unwrap();
        let of = |direction| Lists::new(vertices, edges, direction, &workers);
        let (out, into) = (of(Direction::Out), of(Direction::In));
        Self { out, into, workers, budget: MemoryBudget::new(1 << 30), records: Records::default() }
    }

    /// The same graph, its lists in another place.
    pub fn at(mut self, place: Place) -> Self {
        (self.out.place, self.into.place) = (place, place);
        self
    }

    /// An engine that pushes.
    pub fn pushing(&self) -> Engine<'_> {
        self.engine(Some(&self.out), None)
    }

    /// An engine that pulls where the frontier is large.
    pub fn both_ways(&self) -> Engine<'_> {
        self.engine(Some(&self.out), Some(&self.into))
    }

    pub fn engine<'g>(&'g self, out: Option<&'g dyn Adjacency>, into: Option<&'g dyn Adjacency>) -> Engine<'g> {
        Engine::new(self.out.num_vertices(), out, into, &self.workers, &self.budget, &self.records)
    }
}

/// Keeps the records of iterations.
#[derive(Default)]
pub struct Records(Mutex<Vec<IterationRecord>>);

impl Records {
    pub fn take(&self) -> Vec<IterationRecord> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Observer for Records {
    fn iteration(&self, record: &IterationRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

/// The members of a set, ascending.
pub fn members(set: &VertexSet) -> Vec<VertexId> {
    let mut members = Vec::new();
    set.for_each(|vertex| members.push(vertex));
    members
}

/// Edges from a fixed sequence of numbers.
pub fn drawn_edges(vertices: u32, count: usize) -> Vec<Edge> {
    let mut state = 7_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(vertices)) as u32
    };
    (0..count).map(|_| (draw(), draw(), draw() as f64)).collect()
}
