//! Levels of a search: some large ones as bit sets, the others as a chain through their vertices.

use outcrop_engine::{Engine, FrontierBuilder};
use outcrop_types::{BitSet, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Stack of levels.
pub(super) struct Levels<'s> {
    /// Number of levels.
    count: u32,
    /// Large levels outside of the chain, at most [`KEPT`], with the number of levels before each.
    kept: Vec<(u32, VertexSet)>,
    before: Before<'s>,
    /// Vertex that was reached last.
    last: VertexId,
    /// First vertex of each level in the chain.
    firsts: BitSet,
    /// Buffer of the popped level.
    taken: FrontierBuilder,
    _held: Reservation,
}

/// Predecessor of each vertex in the order of discovery.
enum Before<'s> {
    /// Borrowed numbers, which are 0 and unused until the level of the vertex is popped.
    Lent(&'s [AtomicU64]),
    Own(VertexValues<AtomicU32>),
}

/// Number of levels kept as bit sets: graphs with short distances have few more large levels.
const KEPT: usize = 4;

/// Predecessor of the first vertex.
const NOBODY: VertexId = VertexId::MAX;

impl Before<'_> {
    fn set(&self, vertex: VertexId, before: VertexId) {
        match self {
            Self::Lent(numbers) => numbers[vertex as usize].store(u64::from(before), Relaxed),
            Self::Own(numbers) => numbers[vertex as usize].store(before, Relaxed),
        }
    }

    fn take(&self, vertex: VertexId) -> VertexId {
        match self {
            // The number was stored from 32 bits.
            Self::Lent(numbers) => numbers[vertex as usize].swap(0, Relaxed) as VertexId,
            Self::Own(numbers) => numbers[vertex as usize].load(Relaxed),
        }
    }
}

impl<'s> Levels<'s> {
    /// Returns the memory for `vertices` vertices: 7 bits each, and 4 bytes unless numbers are `lent`.
    pub(super) fn memory(vertices: u32, lent: bool) -> MemoryPlan {
        let plan = MemoryPlan::new().with(Purpose::Frontier, Self::set_bytes(vertices));
        match lent {
            true => plan,
            false => plan.with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices))),
        }
    }

    /// Returns the memory of the sets only.
    pub(super) const fn set_bytes(vertices: u32) -> u64 {
        BitSet::bytes(vertices) * (1 + KEPT as u64) + FrontierBuilder::bytes(vertices)
    }

    /// Creates an empty stack; uses the all-zero `lent` for the chain, if given.
    pub(super) fn new(engine: &Engine<'_>, lent: Option<&'s [AtomicU64]>) -> Result<Self> {
        let (budget, vertices) = (engine.budget(), engine.vertices());
        let own = || engine.vertex_values(|_| AtomicU32::new(0));
        Ok(Self {
            count: 0,
            kept: Vec::new(),
            before: lent.map_or_else(|| own().map(Before::Own), |numbers| Ok(Before::Lent(numbers)))?,
            last: NOBODY,
            _held: budget.reserve(Self::set_bytes(vertices), Purpose::Frontier)?,
            firsts: BitSet::empty(vertices),
            taken: FrontierBuilder::new(vertices),
        })
    }

    /// Returns true if there are no levels.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Pushes a level.
    pub(super) fn push(&mut self, level: VertexSet) {
        if matches!(level, VertexSet::Dense { .. }) && self.kept.len() < KEPT {
            self.kept.push((self.count, level));
        } else {
            self.chain(&level);
        }
        self.count += 1;
    }

    fn chain(&mut self, level: &VertexSet) {
        let mut first = true;
        level.for_each(|vertex| {
            if std::mem::take(&mut first) {
                self.firsts.insert(vertex);
            }
            self.before.set(vertex, std::mem::replace(&mut self.last, vertex));
        });
    }

    /// Pops the last level.
    pub(super) fn pop(&mut self) -> VertexSet {
        self.count = self.count.saturating_sub(1);
        match self.kept.pop_if(|(before, _)| *before == self.count) {
            Some((_, level)) => level,
            None => self.unchain(),
        }
    }

    fn unchain(&mut self) -> VertexSet {
        while self.last != NOBODY {
            let vertex = self.last;
            self.last = self.before.take(vertex);
            self.taken.add(vertex);
            if self.firsts.contains(vertex) {
                self.firsts.remove(vertex);
                break;
            }
        }
        self.taken.take()
    }
}
