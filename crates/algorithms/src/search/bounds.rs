//! Lower and upper bounds of eccentricities, narrowed by searches (Takes and Kosters, CIKM 2011 and Algorithms 2013;
//! directed: Akiba, Iwata, Kawata, ALENEX 2015).
//!
//! The eccentricity of a vertex is the greatest distance to a vertex that it reaches. For a source s of eccentricity e
//! and any v of its (strongly connected) component, which reaches the same vertices as s:
//! - d(v, s) <= ecc(v) <= d(v, s) + e, by a search against the edges within the component;
//! - e - d(s, v) <= ecc(v), by the search along the edges that yields e.

use super::levels::Reach;
use super::multi_source::{self, Bits, LANES, Paths, Record};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Engine;
use outcrop_types::{
    BitSet, Direction, MemoryPlan, ProgressUnit, Purpose, Reservation, Result, RunEnd, VertexId, VertexValues,
};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number of vertices per unit of work of a thread.
pub(crate) const BLOCK: u32 = 1 << 14;
/// Maximum number of levels for which searching from several sources at once pays off, since most lists are shared.
const FEW_LEVELS: u32 = 128;
/// Location of checkpoints.
const PLACE: &str = "bounds";
/// Number of initial searches from one source at a time.
const FIRST_SEARCHES: u32 = 16;
/// Number of open vertices below which searches run one at a time.
const FEW_OPEN: u64 = 16;

/// Components of a graph, in which all vertices reach the same vertices, and the data for choosing sources.
#[derive(Clone, Copy, Debug)]
pub struct Components<'c> {
    /// Component of each vertex: the smallest rank in it. Strongly connected in a directed graph.
    pub component: &'c VertexValues<u32>,
    /// Number of list entries of each vertex.
    pub degrees: &'c VertexValues<u32>,
    /// Rank of each vertex.
    pub ranks: IdOrder<'c>,
    /// True if edges are directed.
    pub directed: bool,
}

/// Returns the memory for `vertices` vertices, including components and degrees but without the indexes.
pub(crate) fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    multi_source::memory(vertices)
        .with(Purpose::VertexValues, 3 * numbers)
        .with(Purpose::Degrees, numbers)
        .with(Purpose::Frontier, mark_bytes(vertices))
}

/// Returns the memory of open vertices as bits, and as the resulting set.
const fn mark_bytes(vertices: u32) -> u64 {
    2 * BitSet::bytes(vertices)
}

/// Goal of the searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Largest eccentricity of all vertices.
    Diameter,
    /// Smallest eccentricity of the largest component.
    Radius,
    /// Eccentricities of all vertices in the largest component.
    Eccentricities,
}

/// Bounds of all vertices.
pub(crate) struct Bounds<'b, 'e> {
    pub(crate) engine: &'b Engine<'e>,
    pub(crate) components: Components<'b>,
    pub(crate) goal: Goal,
    /// Component with the most vertices; in a tie, the one with the smallest ID.
    pub(crate) largest: u32,
    pub(crate) upper: VertexValues<AtomicU32>,
    pub(crate) lower: VertexValues<AtomicU32>,
    pub(crate) bits: Bits,
    /// Largest known eccentricity.
    pub(crate) greatest: u32,
    /// Number of sources searched from.
    pub(crate) searches: u32,
    /// Number of the last iteration.
    pub(crate) iterations: u32,
    _marks: Reservation,
}

impl<'b, 'e> Bounds<'b, 'e> {
    /// Creates the bounds before any search.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(crate) fn new(engine: &'b Engine<'e>, components: Components<'b>, goal: Goal) -> Result<Self> {
        let budget = engine.budget();
        let zeros = || engine.vertex_values(|_| AtomicU32::new(0));
        let (upper, mut sizes) = (zeros()?, zeros()?);
        components.component.iter().for_each(|component| *sizes[*component as usize].get_mut() += 1);
        let sizes_with_names = sizes.iter_mut().map(|size| *size.get_mut()).zip(0..);
        let largest = sizes_with_names.max_by_key(|(size, name): &(u32, u32)| (*size, Reverse(*name)));
        // A shortest path visits no vertex twice; in an undirected graph it stays in its component.
        for (bound, component) in upper.iter().zip(components.component.iter()) {
            let vertices = match components.directed {
                true => engine.vertices(),
                false => sizes[*component as usize].load(Relaxed),
            };
            bound.store(vertices.saturating_sub(1), Relaxed);
        }
        sizes.iter_mut().for_each(|bound| *bound.get_mut() = 0);
        Ok(Self {
            engine,
            components,
            goal,
            largest: largest.map_or(UNREACHED, |(_, name)| name),
            upper,
            lower: sizes,
            bits: Bits::new(engine)?,
            greatest: 0,
            searches: 0,
            iterations: 0,
            _marks: budget.reserve(mark_bytes(engine.vertices()), Purpose::Frontier)?,
        })
    }

    pub(crate) fn bounds(&self, vertex: VertexId) -> (u32, u32) {
        let of = |bounds: &[AtomicU32]| bounds[vertex as usize].load(Relaxed);
        (of(&self.lower), of(&self.upper))
    }

    pub(crate) fn is_in_largest(&self, vertex: VertexId) -> bool {
        self.components.component[vertex as usize] == self.largest
    }

    /// Folds the values of blocks of vertices.
    pub(crate) fn of_blocks<T: Send>(
        &self,
        of_block: impl Fn(&mut dyn Iterator<Item = VertexId>) -> T + Sync,
    ) -> Vec<T> {
        self.engine.workers().map_blocks(self.engine.vertices(), BLOCK, |block| of_block(&mut block.iter()))
    }

    /// Returns the largest upper bound of all vertices.
    pub(crate) fn most(&self) -> u32 {
        let blocks = self.of_blocks(|vertices| vertices.map(|vertex| self.bounds(vertex).1).max());
        // Default: without vertices, there are no bounds.
        blocks.into_iter().flatten().max().unwrap_or(0)
    }

    /// Returns the smallest upper bound in the largest component.
    pub(crate) fn least(&self) -> u32 {
        let blocks = self.of_blocks(|vertices| {
            vertices.filter(|vertex| self.is_in_largest(*vertex)).map(|vertex| self.bounds(vertex).1).min()
        });
        // Default: without vertices, there are no bounds.
        blocks.into_iter().flatten().min().unwrap_or(0)
    }

    /// Returns true if the eccentricity of a vertex still matters for the goal; `least` is [`Bounds::least`].
    pub(crate) fn is_open(&self, vertex: VertexId, least: u32) -> bool {
        let (lower, upper) = self.bounds(vertex);
        match self.goal {
            Goal::Diameter => upper > self.greatest,
            Goal::Radius => lower < least && self.is_in_largest(vertex),
            Goal::Eccentricities => lower < upper && self.is_in_largest(vertex),
        }
    }

    /// Returns the number of open vertices.
    fn open(&self) -> u64 {
        let least = self.least();
        let blocks = self.of_blocks(|vertices| vertices.filter(|vertex| self.is_open(*vertex, least)).count() as u64);
        blocks.into_iter().sum()
    }

    /// Searches until no vertex is open, or from at most `limit` vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is
    /// interrupted.
    pub(crate) fn narrow(&mut self, limit: Option<u32>) -> Result<()> {
        let left = |searches: u32| limit.map_or(u32::MAX, |limit| limit.saturating_sub(searches)) as usize;
        if !self.engine.resumes_at(PLACE) {
            for source in self.double_sweep(left(0))? {
                if left(self.searches) > 0 {
                    self.search_from(&[source])?;
                    self.end_iteration();
                }
            }
            if self.refine_components()? {
                self.end_iteration();
            }
        }
        let (mut open, mut turn, mut slow) = (self.open(), 0, false);
        let total = open;
        self.engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total, at_most: limit.is_some() });
        while open > 0 && left(self.searches) > 0 {
            self.engine.checkpoint(PLACE, |state| {
                state.number(&mut open)?;
                state.number(&mut turn)?;
                state.flag(&mut slow)?;
                let numbers = [&mut self.greatest, &mut self.searches, &mut self.iterations];
                numbers.into_iter().try_for_each(|number| state.number(number))?;
                state.shared(&self.upper)?;
                state.shared(&self.lower)
            })?;
            self.engine.set_done(total.saturating_sub(open));
            let together = slow && open >= FEW_OPEN && self.greatest <= FEW_LEVELS && self.searches >= FIRST_SEARCHES;
            let count = if together { LANES.min(left(self.searches)) } else { 1 };
            let sources = self.choose(turn, count);
            self.search_from(&sources)?;
            self.refine()?;
            self.end_iteration();
            let before = std::mem::replace(&mut open, self.open());
            // At this rate, it would take more searches than run at once.
            slow = before.saturating_sub(open) * (LANES as u64) < open * sources.len() as u64;
            turn += 1;
        }
        self.engine.set_done(total.saturating_sub(open));
        Ok(())
    }

    fn end_iteration(&mut self) {
        self.iterations = self.engine.end_iteration(None);
    }

    /// Chooses the first sources: the vertex of the largest component with the most edges, from which it searches, and
    /// the farthest vertices from there; in a directed graph, the farthest ones against the edges, from the end of the
    /// search and from its start.
    fn double_sweep(&mut self, most: usize) -> Result<Vec<VertexId>> {
        let Some(start) = self.choose_start().filter(|_| most > 0) else { return Ok(Vec::new()) };
        let reach = self.search_from(&[start])?;
        let Some(end) = reach.and_then(|reach| self.first_by_rank(&reach)) else { return Ok(Vec::new()) };
        if !self.components.directed {
            self.end_iteration();
            return Ok(Some(end).filter(|end| *end != start).into_iter().collect());
        }
        let against = Paths { along: Direction::In, within: None };
        let mut sources = Vec::new();
        for from in [end, start] {
            let reach = self.bits.search_alone(self.engine, from, against)?;
            sources.extend(self.first_by_rank(&reach).filter(|source| *source != start && !sources.contains(source)));
        }
        self.end_iteration();
        Ok(sources)
    }

    /// Returns the farthest vertex, with ties broken by the smallest rank.
    fn first_by_rank(&self, reach: &Reach) -> Option<VertexId> {
        let mut first = None;
        let ranks = self.components.ranks;
        reach.farthest.for_each(|vertex| first = first.into_iter().chain([(ranks.of(vertex), vertex)]).min());
        first.map(|(_, vertex)| vertex)
    }

    /// Searches from `sources`, at most [`LANES`], and narrows the bounds of their components. Returns the reach of a
    /// single source.
    fn search_from(&mut self, sources: &[VertexId]) -> Result<Option<Reach>> {
        match sources {
            [source] => self.search_alone(*source).map(Some),
            _ => self.search_together(sources).map(|()| None),
        }
    }

    fn search_alone(&mut self, source: VertexId) -> Result<Reach> {
        let reach = self.bits.search_alone(self.engine, source, Paths::OUT)?;
        let depth = reach.depth;
        self.each_near(source, |bounds, vertex, distance| bounds.raise(vertex, depth.saturating_sub(distance)));
        if self.components.directed {
            let component: &[u32] = self.components.component;
            let within = Paths { along: Direction::In, within: Some(component) };
            self.bits.search_alone(self.engine, source, within)?;
        }
        self.each_near(source, |bounds, vertex, distance| bounds.enclose(vertex, distance, depth));
        self.settle(source, depth);
        Ok(reach)
    }

    /// Calls `apply` with each vertex of the component of `source` and its distance in the last search.
    fn each_near(&self, source: VertexId, apply: impl Fn(&Self, VertexId, u32) + Sync) {
        let component = &self.components.component;
        let name = component[source as usize];
        self.of_blocks(|vertices| {
            for vertex in vertices.filter(|vertex| component[*vertex as usize] == name) {
                if let Some(distance) = self.bits.distance(vertex) {
                    apply(self, vertex, distance);
                }
            }
        });
    }

    fn search_together(&mut self, sources: &[VertexId]) -> Result<()> {
        let mut depths = Depths { depths: [0; LANES], found: AtomicU64::new(0), distance: 0 };
        self.bits.search(self.engine, sources, Paths::OUT, &mut depths)?;
        let depths = depths.depths;
        let component: &[u32] = self.components.component;
        let paths = match self.components.directed {
            true => Paths { along: Direction::In, within: Some(component) },
            false => Paths::OUT,
        };
        let (upper, lower, directed) = (&self.upper, &self.lower, self.components.directed);
        let mut spread = Spread { upper, lower, depths, directed, distance: 0 };
        self.bits.search(self.engine, sources, paths, &mut spread)?;
        sources.iter().zip(depths).for_each(|(source, depth)| self.settle(*source, depth));
        Ok(())
    }

    fn raise(&self, vertex: VertexId, bound: u32) {
        raise(&self.lower[vertex as usize], bound);
    }

    /// Narrows the bounds of a vertex at `distance` edges from a source of eccentricity `depth`.
    fn enclose(&self, vertex: VertexId, distance: u32, depth: u32) {
        self.raise(vertex, distance);
        reduce(&self.upper[vertex as usize], distance.saturating_add(depth));
    }

    fn settle(&mut self, source: VertexId, depth: u32) {
        *self.lower[source as usize].get_mut() = depth;
        *self.upper[source as usize].get_mut() = depth;
        self.greatest = self.greatest.max(depth);
        self.searches += 1;
    }

    /// Returns the known eccentricities of the vertices for which `shown` holds; [`UNREACHED`] for others.
    pub(crate) fn into_known(mut self, shown: impl Fn(&Self, VertexId) -> bool) -> VertexValues<u32> {
        for vertex in 0..self.engine.vertices() {
            let (lower, upper) = self.bounds(vertex);
            if lower != upper || !shown(&self, vertex) {
                *self.upper[vertex as usize].get_mut() = UNREACHED;
            }
        }
        self.upper.map(AtomicU32::into_inner)
    }
}

/// Raises a bound that only one thread writes.
fn raise(bound: &AtomicU32, least: u32) {
    if bound.load(Relaxed) < least {
        bound.store(least, Relaxed);
    }
}

/// Lowers a bound that only one thread writes.
pub(crate) fn reduce(bound: &AtomicU32, most: u32) {
    if bound.load(Relaxed) > most {
        bound.store(most, Relaxed);
    }
}

/// Depth reached by each of the sources of a search.
struct Depths {
    depths: [u32; LANES],
    /// Sources that reach a vertex at this level.
    found: AtomicU64,
    distance: u32,
}

impl Record for Depths {
    fn levels_are_iterations(&self) -> bool {
        false
    }

    /// The last level finds nothing, so no level is omitted.
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        let found = std::mem::take(self.found.get_mut());
        lanes(found).for_each(|lane| self.depths[lane] = self.distance);
        self.distance = distance;
        Ok(())
    }

    #[inline]
    fn note(&self, _: VertexId, sources: u64) {
        if sources & !self.found.load(Relaxed) != 0 {
            self.found.fetch_or(sources, Relaxed);
        }
    }
}

/// Returns the positions of the set bits.
fn lanes(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(lane)
    })
}

/// Narrows the bounds of the vertices that reach, or are reached from, sources of eccentricities `depths`.
struct Spread<'s> {
    upper: &'s [AtomicU32],
    lower: &'s [AtomicU32],
    depths: [u32; LANES],
    /// True if distances are only those from vertices to sources.
    directed: bool,
    distance: u32,
}

impl Record for Spread<'_> {
    fn levels_are_iterations(&self) -> bool {
        false
    }

    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.distance = distance;
        Ok(())
    }

    #[inline]
    fn note(&self, vertex: VertexId, sources: u64) {
        let (lower, upper) = (&self.lower[vertex as usize], &self.upper[vertex as usize]);
        let depths = lanes(sources).map(|lane| self.depths[lane]);
        let (least, most) = depths.fold((u32::MAX, 0), |(least, most), depth| (least.min(depth), most.max(depth)));
        raise(lower, if self.directed { self.distance } else { self.distance.max(most.saturating_sub(self.distance)) });
        reduce(upper, self.distance.saturating_add(least));
    }
}
