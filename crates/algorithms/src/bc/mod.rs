//! Betweenness centrality.
//!
//! Definition: for each vertex, the sum over pairs of other vertices of the part of their shortest paths that lead through it, paths
//! being counted in edges along their direction. With `normalized` it is divided by the number of pairs, (n-1)(n-2); else, in an
//! undirected graph, each pair counts once. From a sample of k sources, sums are scaled up: by (n-1)/k, or by (n-1)/(k-1) for the
//! sources themselves, which are sources of one sum less. Repeated edges count once, loops never, weights not at all.
//! Paper: Brandes, Journal of Mathematical Sociology 2001; in levels of frontiers as in Ligra (Shun and Blelloch, PPoPP 2013, section
//! 4.2); a sample of sources as in Brandes and Pich, 2007.
//! Returns: `betweenness_centrality` f64, as NetworkX's function of that name; null for the source where there is only one and it is
//! a sample.
//! Memory: 24 bytes and a bit a vertex, frontiers, both indexes. Passes over the edges for each source: a breadth-first search, then the in-lists
//! of the reached vertices once, then their out-lists once. Vertices are kept in the order in which they were reached: a level is a
//! stretch of equal distance, and nothing looks at vertices that a source does not reach.
//! Deviations: paths are counted by pulling into each level once it is known, and dependencies along out-lists, each sum by one
//! thread in the order of its list: the answer does not depend on threads, and between orders and layouts sums differ by rounding
//! only, within 1e-9 of a value. Counts are f64, as in NetworkX; more than 1.8e308 shortest paths to one vertex are an error here
//! and not a number there.

use crate::outcome::{Column, Outcome, Values};
use crate::{AtomicFloat, UNREACHED};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::{Adjacency, Neighbours};
use outcrop_types::{
    BitSet, Direction, Error, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues,
};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// With more vertices than this, all of them are sources only if a sample of that size is asked for.
pub const MOST_UNASKED: u32 = 20_000;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'p> {
    /// The sources, each once; `None` for all vertices.
    pub sources: Option<&'p [VertexId]>,
    /// Whether to divide by the number of pairs.
    pub normalized: bool,
    /// Whether edges have a direction.
    pub directed: bool,
}

/// Memory over `vertices` vertices, but for the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    let (sums, levels) =
        (VertexValues::<u64>::bytes(u64::from(vertices)), VertexValues::<u32>::bytes(u64::from(vertices)));
    MemoryPlan::new().with(Purpose::VertexValues, 2 * (sums + levels)).with(Purpose::Frontier, BitSet::bytes(vertices))
}

/// Adds up what each source contributes.
///
/// # Errors
/// Too many shortest paths to count; a failed or damaged read, a budget that is too small, interruption.
pub fn bc<A: Adjacency>(engine: &Engine<'_, A>, parameters: &Parameters<'_>) -> Result<Outcome> {
    let mut search = Search::new(engine)?;
    let mut iterations = 0;
    for number in 0..count_of(engine, parameters) {
        let source = parameters.sources.map_or(number, |sources| sources[number as usize]);
        search.forward(engine, source)?;
        search.backward(engine, source)?;
        search.forget();
        iterations = engine.end_iteration(None);
    }
    search.scale(engine, parameters);
    let values = Values::Float64(search.sum.map(AtomicFloat::into_plain));
    Ok(Outcome::new(vec![Column::new("betweenness_centrality", values)], iterations))
}

fn count_of<A: Adjacency>(engine: &Engine<'_, A>, parameters: &Parameters<'_>) -> u32 {
    parameters.sources.map_or(engine.vertices(), |sources| u32::try_from(sources.len()).unwrap_or(u32::MAX))
}

/// The search from one source.
struct Search {
    distance: VertexValues<AtomicU32>,
    /// The vertices that were reached, nearest first.
    order: VertexValues<VertexId>,
    /// How many.
    reached: usize,
    /// Forward, the number of shortest paths from the source; backward, what a path brings: (1 + dependency) / number.
    paths: VertexValues<AtomicU64>,
    /// Dependencies, summed over the sources so far.
    sum: VertexValues<AtomicU64>,
    /// The distance of what is found or summed now.
    level: u32,
    /// The level from which sums come: bits stay in the caches of the cores where distances would not.
    beside: BitSet,
    _held: Reservation,
    overflow: AtomicBool,
}

impl Search {
    fn new<A: Adjacency>(engine: &Engine<'_, A>) -> Result<Self> {
        let (budget, count) = (engine.budget(), engine.vertices() as usize);
        let zeros = || VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU64::new(0));
        let distance = VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU32::new(UNREACHED))?;
        let order = VertexValues::new(budget, Purpose::VertexValues, count, |_| 0)?;
        let (paths, sum, overflow) = (zeros()?, zeros()?, AtomicBool::new(false));
        let held = budget.reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let beside = BitSet::empty(engine.vertices());
        Ok(Self { distance, order, reached: 0, paths, sum, level: 0, beside, overflow, _held: held })
    }

    fn note(&mut self, level: &VertexSet) {
        level.for_each(|vertex| {
            self.order[self.reached] = vertex;
            self.reached += 1;
        });
    }

    /// Distances and numbers of paths.
    fn forward<A: Adjacency>(&mut self, engine: &Engine<'_, A>, source: VertexId) -> Result<()> {
        self.distance[source as usize].store(0, Relaxed);
        AtomicFloat::store(&self.paths[source as usize], 1.0);
        self.level = 0;
        let mut frontier = VertexSet::from_members(vec![source], engine.vertices());
        while !frontier.is_empty() {
            self.note(&frontier);
            self.level += 1;
            let found = engine.edge_map(&frontier, self, EdgeMapOutput::Frontier)?;
            self.beside = std::mem::replace(&mut frontier, found).into_bits();
            engine.gather_over(&frontier, Direction::In, &Paths(self))?;
            if self.overflow.load(Relaxed) {
                let message = "more than 1.8e308 shortest paths join two vertices, which is too many to count";
                return Err(Error::Usage(message.to_owned()));
            }
        }
        Ok(())
    }

    /// Dependencies, from the farthest level to the source.
    fn backward<A: Adjacency>(&mut self, engine: &Engine<'_, A>, source: VertexId) -> Result<()> {
        let mut end = self.reached;
        self.beside = BitSet::empty(engine.vertices());
        while end > 0 {
            self.level -= 1;
            let (distance, level) = (&self.distance, self.level);
            let start = self.order[..end].partition_point(|vertex| distance[*vertex as usize].load(Relaxed) < level);
            let members = set_of(&self.order[start..end], engine.vertices());
            engine.gather_over(&members, Direction::Out, &Dependencies { search: self, source })?;
            self.beside = members.into_bits();
            end = start;
        }
        Ok(())
    }

    fn forget(&mut self) {
        for vertex in &self.order[..self.reached] {
            self.distance[*vertex as usize].store(UNREACHED, Relaxed);
        }
        self.reached = 0;
    }

    fn scale<A: Adjacency>(&self, engine: &Engine<'_, A>, parameters: &Parameters<'_>) {
        let others = f64::from(engine.vertices()) - 1.0;
        if others < 2.0 {
            return;
        }
        let count = f64::from(count_of(engine, parameters));
        let factor = match (parameters.normalized, parameters.directed) {
            (true, _) => 1.0 / (others - 1.0),
            (false, true) => others,
            (false, false) => others / 2.0,
        };
        let times = |vertex: VertexId, factor: f64| {
            let sum = &self.sum[vertex as usize];
            AtomicFloat::store(sum, AtomicFloat::load(sum) * factor);
        };
        // Of all vertices, each is a source; of a sample, only those in it. The others are made good for what they then gain.
        let Some(sources) = parameters.sources else {
            return engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| times(vertex, factor / others));
        };
        engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| times(vertex, factor / count));
        for source in sources {
            let sum = &self.sum[*source as usize];
            let scaled = if count > 1.0 { AtomicFloat::load(sum) * (count / (count - 1.0)) } else { f64::INFINITY };
            AtomicFloat::store(sum, scaled);
        }
    }
}

/// The same vertices, which ascend, as a set; no list is made of many.
fn set_of(members: &[VertexId], universe: u32) -> VertexSet {
    if members.len() <= VertexSet::sparse_limit(universe) {
        return VertexSet::Sparse { members: members.to_vec(), universe };
    }
    let bits = BitSet::empty(universe);
    members.iter().for_each(|member| _ = bits.insert(*member));
    VertexSet::from_bits(bits)
}

impl EdgeMap for Search {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f32) -> bool {
        self.distance[target as usize].compare_exchange(UNREACHED, self.level, Relaxed, Relaxed).is_ok()
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.distance[target as usize].load(Relaxed) == UNREACHED
    }
}

/// A sum over distinct neighbours, which ascend.
struct DistinctSum {
    total: f64,
    last: Option<VertexId>,
}

impl DistinctSum {
    const EMPTY: Self = Self { total: 0.0, last: None };

    #[inline]
    fn add(&mut self, piece: Neighbours<'_>, term: impl Fn(VertexId) -> f64) {
        for neighbour in piece.ids() {
            if self.last.replace(*neighbour) != Some(*neighbour) {
                self.total += term(*neighbour);
            }
        }
    }
}

/// Numbers of paths of a level, from those of the level before.
struct Paths<'s>(&'s Search);

impl Gather for Paths<'_> {
    type Sum = DistinctSum;

    fn begin(&self) -> DistinctSum {
        DistinctSum::EMPTY
    }

    #[inline]
    fn gather(&self, sum: &mut DistinctSum, piece: Neighbours<'_>) {
        sum.add(piece, |source| match self.0.beside.contains(source) {
            true => AtomicFloat::load(&self.0.paths[source as usize]),
            false => 0.0,
        });
    }

    fn apply(&self, vertex: VertexId, sum: DistinctSum) {
        if !sum.total.is_finite() {
            self.0.overflow.store(true, Relaxed);
        }
        AtomicFloat::store(&self.0.paths[vertex as usize], sum.total);
    }
}

/// Dependencies of a level, from those of the level behind it.
struct Dependencies<'s> {
    search: &'s Search,
    source: VertexId,
}

impl Gather for Dependencies<'_> {
    type Sum = DistinctSum;

    fn begin(&self) -> DistinctSum {
        DistinctSum::EMPTY
    }

    #[inline]
    fn gather(&self, sum: &mut DistinctSum, piece: Neighbours<'_>) {
        sum.add(piece, |target| match self.search.beside.contains(target) {
            true => AtomicFloat::load(&self.search.paths[target as usize]),
            false => 0.0,
        });
    }

    fn apply(&self, vertex: VertexId, sum: DistinctSum) {
        let (paths, total) = (&self.search.paths[vertex as usize], &self.search.sum[vertex as usize]);
        let number = AtomicFloat::load(paths);
        let dependency = number * sum.total;
        AtomicFloat::store(paths, (1.0 + dependency) / number);
        if vertex != self.source {
            AtomicFloat::store(total, AtomicFloat::load(total) + dependency);
        }
    }
}
