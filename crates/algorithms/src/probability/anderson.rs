//! Anderson acceleration of power iteration: an iteration starts from the affine combination of the last three results
//! whose combined change is least, in the Euclidean norm.
//!
//! Paper: Anderson, Iterative Procedures for Nonlinear Integral Equations, JACM 1965; depth 2, as in Walker and Ni,
//! SIAM Journal on Numerical Analysis 2011. Weights sum to 1, so the combination keeps the sum of probabilities, and
//! sums are in fixed blocks of vertices, so it does not depend on threads.

use outcrop_engine::{Engine, State};
use outcrop_types::{Result, VertexValues};

/// History of a vertex: the last two results less the values that the current iteration started from, and the changes
/// of the iterations that led to them. All are as small as changes, so single precision is enough.
pub(crate) type Past = [[f32; 2]; 2];

/// Products of the current change (0) and the two last ones (1, 2), summed over vertices: 00, 01, 02, 11, 12, 22.
pub(crate) type Products = [f64; 6];

/// Least determinant of the normal equations, relative to the product of their diagonal, for a combination of three.
const INDEPENDENT: f64 = 1e-10;

/// Returns the products of the `change` of a vertex and the changes in its `past`.
#[inline]
pub(crate) fn products(change: f64, past: &Past) -> Products {
    let [[_, first], [_, second]] = past.map(|step| step.map(f64::from));
    [change * change, change * first, change * second, first * first, first * second, second * second]
}

/// Adds the products of other vertices to `sum`.
#[inline]
pub(crate) fn add(sum: &mut Products, others: &Products) {
    sum.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// State of the acceleration, for all vertices.
pub(crate) struct Anderson {
    pub(crate) past: VertexValues<Past>,
    /// Number of results in `past`.
    results: u32,
    /// Sum of absolute changes in the last iteration.
    last: f64,
}

impl Anderson {
    /// Returns its memory, in bytes.
    pub(crate) fn bytes(vertices: u32) -> u64 {
        VertexValues::<Past>::bytes(u64::from(vertices))
    }

    pub(crate) fn new(engine: &Engine<'_>) -> Result<Self> {
        let past = engine.vertex_values(|_| Past::default())?;
        Ok(Self { past, results: 0, last: f64::INFINITY })
    }

    /// Serializes the state at the start of an iteration.
    pub(crate) fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        state.number(&mut self.results)?;
        state.number(&mut self.last)?;
        state.values(&mut self.past)
    }

    /// Returns the weights of the current result and the two last ones, given the sum of absolute changes and the
    /// products. An iteration that increased the change discards the history.
    pub(crate) fn weights(&mut self, change: f64, products: &Products) -> [f64; 3] {
        let usable = if change > self.last { 0 } else { self.results };
        self.last = change;
        self.results = (usable + 1).min(2);
        weights(usable, products)
    }
}

/// Returns the weights that minimize the combined change of the current result and `usable` earlier ones.
fn weights(usable: u32, [p00, p01, p02, p11, p12, p22]: &Products) -> [f64; 3] {
    let (a11, a12, a22) = (p11 - 2.0 * p01 + p00, p12 - p01 - p02 + p00, p22 - 2.0 * p02 + p00);
    let (b1, b2) = (p00 - p01, p00 - p02);
    let determinant = a11 * a22 - a12 * a12;
    let [first, second] = match usable {
        2 if determinant > INDEPENDENT * a11 * a22 => {
            [(b1 * a22 - b2 * a12) / determinant, (b2 * a11 - b1 * a12) / determinant]
        }
        1 | 2 if a11 > 0.0 => [b1 / a11, 0.0],
        _ => [0.0, 0.0],
    };
    let weights = [1.0 - first - second, first, second];
    if weights.iter().all(|weight| weight.is_finite()) { weights } else { [1.0, 0.0, 0.0] }
}

/// Returns the distance from the value that the current iteration started from to that of the next one, at a vertex.
#[inline]
pub(crate) fn distance(weights: &[f64; 3], change: f64, past: &Past) -> f64 {
    let [[first, _], [second, _]] = past.map(|step| step.map(f64::from));
    weights[0] * change + weights[1] * first + weights[2] * second
}

/// Records the `change` of a vertex and the `distance` to the start of the next iteration in its past.
#[inline]
pub(crate) fn record(past: &mut Past, change: f64, distance: f64) {
    let [[last, changed], _] = past.map(|step| step.map(f64::from));
    *past = [[change - distance, change], [last - distance, changed]].map(|step| step.map(|value| value as f32));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes of three results of two vertices, the current one first, as products.
    fn products_of(changes: [[f32; 2]; 3]) -> Products {
        let [current, first, second] = changes;
        let of = |v: usize| products(current[v].into(), &[[0.0, first[v]], [0.0, second[v]]]);
        std::array::from_fn(|place| of(0)[place] + of(1)[place])
    }

    #[test]
    fn weights_cancel_changes_where_they_can_and_sum_to_one() {
        let three = products_of([[1.0, 1.0], [-1.0, 1.0], [0.0, -2.0]]);
        let [current, first, second] = weights(2, &three);
        assert!((current + first + second - 1.0).abs() < 1e-12);
        assert!(
            (current - first).abs() < 1e-12 && (current + first - 2.0 * second).abs() < 1e-12,
            "{current} {second}"
        );
        assert_eq!(weights(1, &products_of([[1.0, 0.0], [-1.0, 0.0], [7.0, 7.0]])), [0.5, 0.5, 0.0]);
    }

    #[test]
    fn dependent_or_missing_changes_get_no_weight() {
        let dependent = products_of([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]);
        assert_eq!(weights(2, &dependent), [2.0, -1.0, 0.0]);
        assert_eq!(weights(2, &products_of([[1.0, 2.0]; 3])), [1.0, 0.0, 0.0]);
        assert_eq!(weights(0, &dependent), [1.0, 0.0, 0.0]);
        assert_eq!(weights(2, &[f64::INFINITY; 6]), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn the_past_moves_with_the_start_of_iterations() {
        let mut past = Past::default();
        record(&mut past, 3.0, 3.0);
        assert_eq!(past, [[0.0, 3.0], [-3.0, 0.0]]);
        record(&mut past, 1.0, 0.5);
        assert_eq!(past, [[0.5, 1.0], [-0.5, 3.0]]);
        assert!((distance(&[0.5, 0.25, 0.25], 2.0, &past) - 1.0).abs() < 1e-12);
    }
}
