//! The levels of a search: some of the large ones as they are, the others as a chain through their vertices.

use outcrop_engine::{Engine, FrontierBuilder};
use outcrop_types::{BitSet, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Levels, the last of which is taken back first.
pub(super) struct Levels<'s> {
    /// Number of levels.
    count: u32,
    /// Large levels that need no chain, at most [`KEPT`], with the number of levels before each.
    kept: Vec<(u32, VertexSet)>,
    before: Before<'s>,
    /// The vertex that was reached last.
    last: VertexId,
    /// The first vertex of each level in the chain.
    firsts: BitSet,
    /// The level that is taken back.
    taken: FrontierBuilder,
    _held: Reservation,
}

/// Predecessor of each vertex in the order of discovery.
enum Before<'s> {
    /// Borrowed numbers, which are 0 and unused until the level of the vertex is popped.
    Lent(&'s [AtomicU64]),
    Own(VertexValues<AtomicU32>),
}

/// Levels that are kept as bits: graphs of short distances have few more that are large.
const KEPT: usize = 4;

/// Before the first.
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
            // It was stored from 32 bits.
            Self::Lent(numbers) => numbers[vertex as usize].swap(0, Relaxed) as VertexId,
            Self::Own(numbers) => numbers[vertex as usize].load(Relaxed),
        }
    }
}

impl<'s> Levels<'s> {
    /// Memory over `vertices` vertices: 7 bits each, and 4 bytes where no numbers are `lent`.
    pub(super) fn memory(vertices: u32, lent: bool) -> MemoryPlan {
        let plan = MemoryPlan::new().with(Purpose::Frontier, Self::set_bytes(vertices));
        match lent {
            true => plan,
            false => plan.with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices))),
        }
    }

    /// Memory of the sets alone.
    pub(super) const fn set_bytes(vertices: u32) -> u64 {
        BitSet::bytes(vertices) * (1 + KEPT as u64) + FrontierBuilder::bytes(vertices)
    }

    /// No level; the chain goes through `lent`, all of it 0, where that is given.
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

    /// True if there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a level.
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

    /// Takes the last level back.
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
