//! Sparse matrix-vector product (SpMV) with the adjacency matrix.
//!
//! Definition: y(v) = sum over edges u -> v of weight(u, v) x(u), which is y = A^T x where A(u, v) is the weight of the
//! edge from u to v; transposed, y(u) = sum over edges u -> v of weight(u, v) x(v), or y = A x. Without weights every
//! edge counts 1. Duplicate edges count with their multiplicity; an edge of an undirected graph counts in both
//! directions, a loop once. In other semirings (Kepner and Gilbert, SIAM 2011) terms are weight + x or x, and are
//! combined by min or max.
//!
//! Paper: one iteration along in-edges as in GridGraph (Zhu, Han and Chen, USENIX ATC 2015) and LOSC (Xu et al., JPDC
//! 2022, section 5).
//!
//! Returns: `value` (f64 or f32); null if the sum exceeds the range of its precision, and if there is no minimum or
//! maximum.
//!
//! Memory: two values per vertex (16 bytes; 8 with single precision), and the index of the lists.
//!
//! Passes over the edges: one.
//!
//! Deviations: with single precision only stored values are rounded; sums are in double precision. They are in the
//! order of the lists, in the pieces of the layout, so the result does not depend on threads. Other orders and layouts
//! agree to about 1e-12 of the sum of absolute terms.

use super::semiring::Semiring;
use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexValues, length_from};

/// Returns the memory for `vertices` vertices with values of `F`, including the given vector but without the index.
pub fn memory<F: AtomicFloat>(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, 2 * VertexValues::<F>::bytes(u64::from(vertices)))
}

/// Multiplies along the in-lists or, for the transposed product, along the out-lists; `as_values` wraps the sums.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn spmv<F: AtomicFloat>(
    engine: &Engine<'_>,
    vector: VertexValues<F>,
    along: Direction,
    semiring: Semiring,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    engine.set_end(RunEnd::Iterations { most: 1, tolerance: None });
    let sums = engine.vertex_values(|_| F::new(0.0))?;
    let product = Product { semiring, vector, sums };
    engine.gather_in_pieces(along, &product, Some("sums"), |state| state.shared(&product.sums))?;
    let overflow = product.sums.iter().filter(|sum| !sum.load().is_finite()).count();
    semiring.note_overflow(engine, length_from(overflow), length_from(size_of::<F>()));
    let iterations = engine.end_iteration(None);
    Ok(Outcome::new(vec![Column::new("value", as_values(product.sums.map(F::into_plain)))], iterations))
}

struct Product<F> {
    semiring: Semiring,
    vector: VertexValues<F>,
    sums: VertexValues<F>,
}

impl<F: AtomicFloat> Gather for Product<F> {
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        self.semiring.identity()
    }

    #[inline]
    fn gather(&self, sum: &mut f64, piece: Neighbors<'_>) {
        let value = |_, vertex: VertexId| self.vector[vertex as usize].load();
        *sum = self.semiring.join(*sum, self.semiring.over(piece.ids(), piece.weights(), value));
    }

    #[inline]
    fn apply(&self, vertex: VertexId, sum: f64) {
        self.sums[vertex as usize].store(sum);
    }
}
