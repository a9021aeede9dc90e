//! Runs maps over the edges of frontiers.

use super::frontier::FrontierBuilder;
use super::program::{EdgeMap, EdgeMapOutput, Gather};
use crate::iterations::IterationLog;
use crate::schedule::{Plan, Situation, decide};
use outcrop_store::access::{AccessFigures, Adjacency, Neighbours, Visit, Workers};
use outcrop_types::{
    AccessMode, BitSet, EdgeDirection, Error, MemoryBudget, Observer, Purpose, Reservation, Result, VertexId,
    VertexRange, VertexSet,
};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lists that an algorithm asked for, the workers that go through them, and the observer that is told.
pub struct Engine<'g, A> {
    out: Option<&'g A>,
    into: Option<&'g A>,
    vertices: u32,
    workers: &'g Workers,
    observer: &'g dyn Observer,
    /// Collects the next frontier; kept from one map to the next.
    next: Mutex<Option<(FrontierBuilder, Reservation)>>,
    budget: &'g MemoryBudget,
    log: Mutex<IterationLog>,
}

impl<'g, A: Adjacency> Engine<'g, A> {
    /// An engine over `vertices` vertices with the lists `out` and `into`; of an undirected graph both are the same.
    pub fn new(
        vertices: u32,
        out: Option<&'g A>,
        into: Option<&'g A>,
        workers: &'g Workers,
        budget: &'g MemoryBudget,
        observer: &'g dyn Observer,
    ) -> Self {
        let engine = Self {
            out,
            into,
            vertices,
            workers,
            observer,
            next: Mutex::default(),
            budget,
            log: Mutex::new(IterationLog::new(AccessFigures::default())),
        };
        *engine.log() = IterationLog::new(engine.figures());
        engine
    }

    /// Memory that frontiers take: the current one, the one being collected, and bits of the current one for a pull. In bytes.
    pub const fn frontier_bytes(vertices: u32) -> u64 {
        VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices) + BitSet::bytes(vertices)
    }

    /// Number of vertices.
    pub const fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The threads.
    pub const fn workers(&self) -> &'g Workers {
        self.workers
    }

    /// What pays for values.
    pub const fn budget(&self) -> &'g MemoryBudget {
        self.budget
    }

    /// Counts of all reads so far.
    pub fn figures(&self) -> AccessFigures {
        let of = |lists: Option<&A>| lists.map(|lists| lists.statistics().figures()).unwrap_or_default();
        match (self.out, self.into) {
            (Some(out), Some(into)) if std::ptr::eq(out, into) => of(self.out),
            _ => of(self.out) + of(self.into),
        }
    }

    fn log(&self) -> MutexGuard<'_, IterationLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends an iteration: the observer hears what was done since the last one ended. Returns its number, from 1.
    pub fn end_iteration(&self, change: Option<f64>) -> u32 {
        self.log().end(self.figures(), change, self.observer)
    }

    /// Applies `program` to the edges that leave `frontier`, along out-lists or in-lists as the schedule decides; the vertices
    /// that became active.
    ///
    /// # Errors
    /// A failed or damaged read, a budget too small for frontiers, interruption.
    pub fn edge_map<P: EdgeMap>(&self, frontier: &VertexSet, program: &P, output: EdgeMapOutput) -> Result<VertexSet> {
        let out = self.out.ok_or_else(|| Error::Usage("an edge map needs out-lists".to_owned()))?;
        let all = frontier.len() == self.vertices as usize;
        let select = if all { out.cost_of_sweep() } else { out.cost_of(frontier) };
        let situation = Situation {
            active_vertices: frontier.len() as u64,
            active_arcs: select.arcs,
            vertices: u64::from(self.vertices),
            arcs: out.num_arcs(),
            can_pull: self.into.is_some(),
        };
        let plan = decide(&situation);
        self.log().note_map(plan, situation.active_vertices, select);
        // A map that fails leaves vertices behind: its builder is not used again.
        let vacant = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut builder, held) = vacant.map_or_else(|| self.new_builder(), Ok)?;
        let collect = (output == EdgeMapOutput::Frontier).then_some(&builder);
        match (plan, self.into) {
            (Plan { direction: EdgeDirection::Pull, .. }, Some(into)) => self.pull(into, frontier, program, collect)?,
            (Plan { access: AccessMode::Sweep, .. }, _) => out.sweep(self.everything(), &Push { program, collect })?,
            _ => out.select(frontier, &Push { program, collect })?,
        }
        let active = builder.take();
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some((builder, held));
        Ok(active)
    }

    fn new_builder(&self) -> Result<(FrontierBuilder, Reservation)> {
        let held = self.budget.reserve(Self::frontier_bytes(self.vertices), Purpose::Frontier)?;
        Ok((FrontierBuilder::new(self.vertices), held))
    }

    fn pull<P: EdgeMap>(
        &self,
        into: &A,
        frontier: &VertexSet,
        program: &P,
        collect: Option<&FrontierBuilder>,
    ) -> Result<()> {
        match frontier {
            VertexSet::Dense { bits, .. } => into.sweep(self.everything(), &Pull { program, frontier: bits, collect }),
            VertexSet::Sparse { .. } => {
                into.sweep(self.everything(), &Pull { program, frontier: &frontier.to_bits(), collect })
            }
        }
    }

    const fn everything(&self) -> VertexRange {
        VertexRange::new(0, self.vertices)
    }

    /// Folds the in-lists of all vertices.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    pub fn gather<G: Gather>(&self, program: &G) -> Result<()> {
        let into = self.into.ok_or_else(|| Error::Usage("a gather needs in-lists".to_owned()))?;
        let plan = Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep };
        self.log().note_map(plan, u64::from(self.vertices), into.cost_of_sweep());
        into.sweep(self.everything(), &GatherVisit(program))
    }

    /// Calls `apply` with every vertex of `set`, all threads at once.
    pub fn vertex_map(&self, set: &VertexSet, apply: impl Fn(VertexId) + Sync) {
        self.workers.map_blocks(set.positions(), BLOCK, |positions| set.for_each_in(positions, &apply));
    }

    /// The vertices of `set` that `keep` keeps.
    pub fn vertex_filter(&self, set: &VertexSet, keep: impl Fn(VertexId) -> bool + Sync) -> VertexSet {
        let kept = BitSet::empty(self.vertices);
        self.vertex_map(set, |vertex| {
            if keep(vertex) {
                kept.insert(vertex);
            }
        });
        VertexSet::from_bits(kept)
    }

    /// The sum of `term` over all vertices; the same for any number of threads.
    pub fn sum(&self, term: impl Fn(VertexId) -> f64 + Sync) -> f64 {
        let blocks = self.workers.map_blocks(self.vertices, BLOCK, |block| block.iter().map(&term).sum::<f64>());
        blocks.iter().sum()
    }
}

/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 13;

struct Push<'p, P> {
    program: &'p P,
    collect: Option<&'p FrontierBuilder>,
}

impl<P: EdgeMap> Visit for Push<'_, P> {
    type Fold = ();
    const SELECTIVE: bool = false;

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn neighbours(&self, source: VertexId, (): &mut (), piece: Neighbours<'_>) -> ControlFlow<()> {
        piece.try_for_each(|target, weight| {
            if self.program.cond(target)
                && self.program.update_atomic(source, target, weight)
                && let Some(next) = self.collect
            {
                next.add(target);
            }
            ControlFlow::Continue(())
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}

struct Pull<'p, P> {
    program: &'p P,
    frontier: &'p BitSet,
    collect: Option<&'p FrontierBuilder>,
}

impl<P: EdgeMap> Visit for Pull<'_, P> {
    /// Whether the vertex became active.
    type Fold = bool;

    fn wants(&self, vertex: VertexId) -> bool {
        self.program.cond(vertex)
    }

    fn begin(&self, _: VertexId) -> bool {
        false
    }

    #[inline]
    fn neighbours(&self, target: VertexId, active: &mut bool, piece: Neighbours<'_>) -> ControlFlow<()> {
        piece.try_for_each(|source, weight| {
            if !self.frontier.contains(source) {
                return ControlFlow::Continue(());
            }
            *active |= self.program.update(source, target, weight);
            if self.program.settled(target) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    fn end(&self, vertex: VertexId, active: bool) {
        if let Some(next) = self.collect.filter(|_| active) {
            next.add(vertex);
        }
    }
}

struct GatherVisit<'p, G>(&'p G);

impl<G: Gather> Visit for GatherVisit<'_, G> {
    type Fold = G::Sum;
    const SELECTIVE: bool = false;

    fn begin(&self, _: VertexId) -> G::Sum {
        self.0.begin()
    }

    #[inline]
    fn neighbours(&self, _: VertexId, sum: &mut G::Sum, piece: Neighbours<'_>) -> ControlFlow<()> {
        self.0.gather(sum, piece);
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, sum: G::Sum) {
        self.0.apply(vertex, sum);
    }
}
