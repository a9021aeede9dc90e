//! Personalised PageRank of one source, by forward push.
//!
//! Definition: as in `pagerank/edge_map.rs`, with all jumps leading to the source, those from vertices without out-edges included.
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
//! 2^-62. Repeated edges count as often as they are stored, loops once.
//! By weight: an out-edge gets its part of the sum of the weights of all out-edges, which takes the place of the out-degree in all of the
//! above: a vertex hands on while its residual is more than tol times that sum, or tol where the sum is 0, as at a vertex without
//! out-edges. Sums are found for those vertices only at which something arrives, from their lists, which are read once more for that.
//! Parts are rounded in double precision and then down to a multiple of 2^-62, so that what an edge loses is in no residual; the answer
//! depends on order and layout no more than that.

use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Values};
use crate::probability::fixed62::{Fixed62, ONE, amount_of, part_of, probability_of};
use crate::probability::out_weights::{OutEdges, SumWeights};
use crate::weights::{Refused, RefusedEdge};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::AtomicU64;

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct PprParams {
    /// Vertex where the walk starts and jumps lead.
    pub source: VertexId,
    /// The probability of following an edge.
    pub alpha: f64,
    /// The residual for each out-edge above which a vertex hands on.
    pub tolerance: f64,
}

/// Memory over `vertices` vertices with values of `F`, the out-degrees or sums of weights included, but for the index.
pub fn memory<F: AtomicFloat>(vertices: u32, weighted: bool) -> MemoryPlan {
    let values =
        VertexValues::<F>::bytes(u64::from(vertices)) + 2 * VertexValues::<Fixed62>::bytes(u64::from(vertices));
    let plan = MemoryPlan::new().with(Purpose::VertexValues, values);
    match weighted {
        false => plan.with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices))),
        // Besides, a set of vertices whose sums are to be found.
        true => plan
            .with(Purpose::VertexValues, VertexValues::<f64>::bytes(u64::from(vertices)))
            .with(Purpose::Frontier, VertexSet::bytes(vertices)),
    }
}

/// Pushes until no residual is above its bound; `as_values` wraps the ranks.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn ppr<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let edges = Degrees { degrees: out_degrees, bound: amount_of(parameters.tolerance).max(1) };
    push::<F, _>(engine, edges, parameters, as_values, &|_| Error::internal("a weight that does not count is refused"))
}

/// Pushes along edges by weight.
///
/// # Errors
/// As for [`ppr`]; what `refuse` makes of an edge with a weight that must not be, of a vertex at which something arrives.
pub fn by_weight<F: AtomicFloat>(
    engine: &Engine<'_>,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let _held = engine.budget().reserve(VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
    push::<F, _>(engine, Sums::unknown(engine, parameters.tolerance)?, parameters, as_values, &refuse)
}

fn push<F: AtomicFloat, E: KnownEdges>(
    engine: &Engine<'_>,
    edges: E,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: &dyn Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let state = Push::<F, E>::start(engine, edges, parameters)?;
    let source = parameters.source;
    let alone = || VertexSet::from_members(vec![source], engine.vertices());
    let mut frontier = alone();
    let mut iterations = 0;
    state.edges.know(engine, &frontier, refuse)?;
    while !frontier.is_empty() {
        engine.checkpoint("push", |saved| {
            saved.number(&mut iterations)?;
            saved.frontier(&mut frontier)?;
            saved.shared(&state.kept)?;
            saved.shared(&state.residual)
        })?;
        if E::LATE {
            // Nothing is known of the frontier of a checkpoint.
            state.edges.know(engine, &frontier, refuse)?;
        }
        state.settle(engine, &frontier);
        frontier = engine.edge_map(&frontier, &state, EdgeMapOutput::Frontier)?;
        if E::LATE {
            state.edges.know(engine, &frontier, refuse)?;
            frontier = engine.vertex_filter(&frontier, |vertex| state.is_above(vertex));
        }
        let back = state.back.get();
        state.back.set(0);
        state.residual[source as usize].add(back);
        if back > 0 && state.is_above(source) && !frontier.contains(source) {
            frontier = frontier.union(alone());
        }
        iterations = engine.end_iteration(None);
    }
    let values = as_values(state.kept.map(F::into_plain));
    Ok(Outcome::new(vec![Column::new("pagerank", values)], iterations))
}

/// Knowledge that a walk has of the out-edges of vertices.
trait KnownEdges: Sync {
    /// True if that is found out once something has arrived at them.
    const LATE: bool;

    /// Finds out what is not known yet of these vertices; fails with what `refuse` makes of an edge that must not be.
    fn know(&self, engine: &Engine<'_>, vertices: &VertexSet, refuse: &dyn Fn(RefusedEdge) -> Error) -> Result<()>;

    /// The residual above which `vertex` hands on.
    fn bound(&self, vertex: VertexId) -> i64;

    /// The share of an edge or of a unit of weight of what `vertex` hands on, and what is handed on then; none where it goes along no edge.
    fn split(&self, vertex: VertexId, amount: i64) -> Option<(i64, i64)>;

    /// Amount that goes along an edge, of such a share.
    fn along(share: i64, weight: f64) -> i64;
}

/// Numbers of out-edges; what does not divide among them is kept.
struct Degrees {
    degrees: VertexValues<u32>,
    /// The bound for each of them.
    bound: i64,
}

impl KnownEdges for Degrees {
    const LATE: bool = false;

    fn know(&self, _: &Engine<'_>, _: &VertexSet, _: &dyn Fn(RefusedEdge) -> Error) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn bound(&self, vertex: VertexId) -> i64 {
        self.bound.saturating_mul(i64::from(self.degrees[vertex as usize].max(1)))
    }

    #[inline]
    fn split(&self, vertex: VertexId, amount: i64) -> Option<(i64, i64)> {
        let degree = self.degrees[vertex as usize];
        (degree > 0).then(|| (degree.share(amount), degree.share(amount) * i64::from(degree)))
    }

    #[inline]
    fn along(share: i64, weight: f64) -> i64 {
        <u32 as OutEdges>::along(share, weight)
    }
}

/// The sums of their weights.
struct Sums {
    /// NaN where it is not known.
    sums: VertexValues<AtomicU64>,
    /// The bound for each unit of weight.
    tolerance: f64,
    refused: Refused,
}

impl Sums {
    fn unknown(engine: &Engine<'_>, tolerance: f64) -> Result<Self> {
        let sums = engine.vertex_values(|_| AtomicFloat::new(f64::NAN))?;
        Ok(Self { sums, tolerance, refused: Refused::new() })
    }

    #[inline]
    fn of(&self, vertex: VertexId) -> f64 {
        AtomicFloat::load(&self.sums[vertex as usize])
    }
}

impl KnownEdges for Sums {
    const LATE: bool = true;

    fn know(&self, engine: &Engine<'_>, vertices: &VertexSet, refuse: &dyn Fn(RefusedEdge) -> Error) -> Result<()> {
        let unknown = engine.vertex_filter(vertices, |vertex| self.of(vertex).is_nan());
        if !unknown.is_empty() {
            let program = SumWeights { sums: &self.sums, refused: &self.refused };
            engine.gather_over(&unknown, Direction::Out, &program)?;
        }
        self.refused.check(refuse)
    }

    #[inline]
    fn bound(&self, vertex: VertexId) -> i64 {
        amount_of(self.tolerance * self.of(vertex).divisor()).max(1)
    }

    #[inline]
    fn split(&self, vertex: VertexId, amount: i64) -> Option<(i64, i64)> {
        let sum = self.of(vertex);
        (!sum.is_none()).then(|| (sum.share(amount), amount))
    }

    #[inline]
    fn along(share: i64, weight: f64) -> i64 {
        <f64 as OutEdges>::along(share, weight)
    }
}

struct Push<F, E> {
    alpha: f64,
    edges: E,
    kept: VertexValues<F>,
    residual: VertexValues<Fixed62>,
    /// Amount that each vertex of the frontier hands on along each out-edge, or for each unit of weight.
    share: VertexValues<Fixed62>,
    /// Amount that vertices without out-edges hand back to the source.
    back: Fixed62,
}

impl<F: AtomicFloat, E: KnownEdges> Push<F, E> {
    fn start(engine: &Engine<'_>, edges: E, parameters: &PprParams) -> Result<Self> {
        let kept = engine.vertex_values(|_| F::new(0.0))?;
        let (residual, share) = (Fixed62::zeroes(engine)?, Fixed62::zeroes(engine)?);
        residual[parameters.source as usize].set(ONE);
        Ok(Self { alpha: parameters.alpha, edges, kept, residual, share, back: Fixed62::new(0) })
    }

    fn is_above(&self, vertex: VertexId) -> bool {
        self.residual[vertex as usize].get() > self.edges.bound(vertex)
    }

    /// Each vertex of `frontier` splits its residual into what it keeps and what it hands on.
    fn settle(&self, engine: &Engine<'_>, frontier: &VertexSet) {
        engine.vertex_map(frontier, |vertex| {
            let at = vertex as usize;
            let residual = self.residual[at].get();
            self.residual[at].set(0);
            let amount = part_of(residual, self.alpha);
            let handed = match self.edges.split(vertex, amount) {
                None => {
                    self.back.add(amount);
                    amount
                }
                Some((share, handed)) => {
                    self.share[at].set(share);
                    handed
                }
            };
            self.kept[at].store(self.kept[at].load() + probability_of(residual - handed));
        });
    }
}

impl<F: AtomicFloat, E: KnownEdges> EdgeMap for Push<F, E> {
    /// A vertex becomes active by the edge that lifts it above its bound: sums only grow within a round, so one does in any order. Where
    /// bounds are known late, it does by any.
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        let share = E::along(self.share[source as usize].get(), weight);
        let before = self.residual[target as usize].add(share);
        if E::LATE {
            return share > 0;
        }
        let bound = self.edges.bound(target);
        before <= bound && before.saturating_add(share) > bound
    }

    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
