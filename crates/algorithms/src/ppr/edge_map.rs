//! Personalised PageRank of one source, by forward push.
//!
//! Definition: as in `pagerank.rs`, with all jumps leading to the source, those from vertices without out-edges included.
//! Paper: Andersen, Chung and Lang, Local Graph Partitioning using PageRank Vectors, FOCS 2006; on frontiers as in Shun, Roosta-Khorasani,
//! Fountoulakis and Mahoney, Parallel Local Graph Clustering, VLDB 2016.
//! A vertex keeps 1 - alpha of the probability that arrives at it and hands on the rest. It does so while more than
//! tol * max(out-degree, 1) has arrived and not been dealt with: its residual. In each round all such vertices do; the source does in
//! the first, whatever its bound.
//! Returns: `pagerank` (f64 or f32), what each vertex has kept; 0 where nothing came. It is never more than the exact rank. All errors
//! together are the sum of the residuals, which is what is missing from a sum of 1, and so at most tol * (edges + vertices without
//! out-edges), counted where anything came. In an undirected graph, the error of each vertex is at most tol * max(degree, 1).
//! Memory: 20 bytes a vertex and a value (28 bytes; 24 with single precision), frontiers, and the index of the out-lists. Passes over
//! the edges: the out-lists of vertices above the bound once a round, of at most 1 / ((1 - alpha) tol) edges in all, and the source's.
//! A round looks at no other vertices while there are few.
//! Deviations: residuals are whole multiples of 2^-62, and what does not divide among out-neighbours is kept: the answer does not
//! depend on threads, order or layout, but for the rounding of what is kept with single precision. A bound below 2^-62 is taken for
//! 2^-62. Repeated edges count as often as they are stored, loops once, weights not at all.

use crate::AtomicFloat;
use crate::mass::{Mass, WHOLE, amount_of, part_of, probability_of};
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Where the walk starts and jumps lead.
    pub source: VertexId,
    /// The probability of following an edge.
    pub alpha: f64,
    /// The residual for each out-edge above which a vertex hands on.
    pub tolerance: f64,
}

/// Memory over `vertices` vertices with values of `F`, the out-degrees included, but for the index.
pub fn memory<F: AtomicFloat>(vertices: u32) -> MemoryPlan {
    let values = VertexValues::<F>::bytes(u64::from(vertices)) + 2 * VertexValues::<Mass>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::VertexValues, values)
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Pushes until no residual is above its bound; `as_values` wraps the ranks.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn ppr<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &Parameters,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let walk = Walk::<F>::start(engine, out_degrees, parameters)?;
    let source = parameters.source;
    let alone = || VertexSet::from_members(vec![source], engine.vertices());
    let mut frontier = alone();
    let mut iterations = 0;
    while !frontier.is_empty() {
        walk.settle(engine, &frontier);
        frontier = engine.edge_map(&frontier, &walk, EdgeMapOutput::Frontier)?;
        let back = walk.back.get();
        walk.back.set(0);
        walk.residual[source as usize].add(back);
        if back > 0 && walk.is_above(source) && !frontier.contains(source) {
            frontier = frontier.union(alone());
        }
        iterations = engine.end_iteration(None);
    }
    let values = as_values(walk.kept.map(F::into_plain));
    Ok(Outcome::new(vec![Column::new("pagerank", values)], iterations))
}

struct Walk<F> {
    alpha: f64,
    /// The bound for each out-edge.
    bound: i64,
    degrees: VertexValues<u32>,
    kept: VertexValues<F>,
    residual: VertexValues<Mass>,
    /// What each vertex of the frontier hands to each of its out-neighbours.
    share: VertexValues<Mass>,
    /// What vertices without out-edges hand back to the source.
    back: Mass,
}

impl<F: AtomicFloat> Walk<F> {
    fn start(engine: &Engine<'_>, degrees: VertexValues<u32>, parameters: &Parameters) -> Result<Self> {
        let (budget, count) = (engine.budget(), engine.vertices() as usize);
        let nothing = || VertexValues::new(budget, Purpose::VertexValues, count, |_| Mass::new(0));
        let kept = VertexValues::new(budget, Purpose::VertexValues, count, |_| F::new(0.0))?;
        let (residual, share) = (nothing()?, nothing()?);
        residual[parameters.source as usize].set(WHOLE);
        let bound = amount_of(parameters.tolerance).max(1);
        Ok(Self { alpha: parameters.alpha, bound, degrees, kept, residual, share, back: Mass::new(0) })
    }

    fn bound_of(&self, vertex: VertexId) -> i64 {
        self.bound.saturating_mul(i64::from(self.degrees[vertex as usize].max(1)))
    }

    fn is_above(&self, vertex: VertexId) -> bool {
        self.residual[vertex as usize].get() > self.bound_of(vertex)
    }

    /// Each vertex of `frontier` splits its residual into what it keeps and what it hands on.
    fn settle(&self, engine: &Engine<'_>, frontier: &VertexSet) {
        engine.vertex_map(frontier, |vertex| {
            let at = vertex as usize;
            let residual = self.residual[at].get();
            self.residual[at].set(0);
            let handed = match self.degrees[at] {
                0 => {
                    let handed = part_of(residual, self.alpha);
                    self.back.add(handed);
                    handed
                }
                degree => {
                    let share = part_of(residual, self.alpha) / i64::from(degree);
                    self.share[at].set(share);
                    share * i64::from(degree)
                }
            };
            self.kept[at].store(self.kept[at].load() + probability_of(residual - handed));
        });
    }
}

impl<F: AtomicFloat> EdgeMap for Walk<F> {
    /// A vertex becomes active by the edge that lifts it above its bound: sums only grow within a round, so one does in any order.
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let (share, bound) = (self.share[source as usize].get(), self.bound_of(target));
        let before = self.residual[target as usize].add(share);
        before <= bound && before.saturating_add(share) > bound
    }

    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
