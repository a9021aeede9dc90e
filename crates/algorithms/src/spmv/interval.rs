//! Sparse matrix-vector product, interval by interval.
//!
//! Definition: as in `edge_map.rs`, with agreement to about 1e-12 of the sum of absolute terms.
//!
//! Paper: LOSC (Xu, Wang, Jiang et al., JPDC 172, 2023, section 5), one iteration.
//!
//! Returns: `value` (f64 or f32); null as there.
//!
//! Memory: two values per vertex (16 bytes; 8 with single precision), in memory or on disk.
//!
//! Passes over the edges: one; on disk, the vector is read once per interval and the sums are written once.
//!
//! Deviations: sums are in double precision. With values on disk, lists are summed window by window, which rounds
//! differently than in memory.

use super::semiring::Semiring;
use crate::models::interval::{IntervalWork, Place, Real};
use crate::outcome::{Column, Outcome};
use outcrop_engine::VertexArray;
use outcrop_engine::interval::{IntervalEngine, IntervalProgram, IntervalRequirements, Sources};
use outcrop_types::{Direction, Result, RunEnd, VertexId, length_from};
use std::marker::PhantomData;

/// Returns the needs of the program with values of `F`, including the given vector.
pub const fn work<F: Real>(place: Place, along: Direction) -> IntervalWork {
    let folding = place.folding(along, F::BYTES, size_of::<f64>() as u64);
    IntervalWork {
        requirements: IntervalRequirements { weighted: place.weighted, ..folding },
        value_bytes: 2 * F::BYTES,
    }
}

/// Multiplies along the in-lists or, for the transposed product, along the out-lists.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn spmv<F: Real>(
    engine: &IntervalEngine<'_>,
    vector: &VertexArray<F>,
    along: Direction,
    semiring: Semiring,
) -> Result<Outcome> {
    engine.set_end(RunEnd::Iterations { most: 1, tolerance: None });
    let mut sums = engine.values(|_| F::of(0.0))?;
    engine.gather_in_pieces(&Product(semiring, PhantomData), along, vector, &mut sums, Some("sums"))?;
    let mut overflow = 0;
    sums.for_each_block(|block| overflow += block.iter().filter(|sum| !sum.get().is_finite()).count())?;
    semiring.note_overflow(engine, length_from(overflow), F::BYTES);
    let iterations = engine.end_iteration(None);
    Ok(Outcome::new(vec![Column::new("value", F::values(sums))], iterations))
}

struct Product<F>(Semiring, PhantomData<fn() -> F>);

impl<F: Real> IntervalProgram for Product<F> {
    type Source = F;
    type Target = F;
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        self.0.identity()
    }

    #[inline]
    fn gather(&self, sum: &mut f64, _: VertexId, value: F, weight: f64) {
        *sum = self.0.join(*sum, self.0.term(weight, value.get()));
    }

    #[inline]
    fn gather_list(&self, sum: &mut f64, sources: &Sources<'_, F>) {
        let value = |place, _| sources.value_at(place).get();
        *sum = self.0.join(*sum, self.0.over(sources.ids(), sources.weights(), value));
    }

    #[inline]
    fn apply(&self, _: VertexId, _: F, sum: f64) -> F {
        F::of(sum)
    }
}
