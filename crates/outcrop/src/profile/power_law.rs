//! Power laws fitted to degrees (Clauset, Shalizi and Newman, "Power-Law Distributions in Empirical Data", SIAM Review
//! 2009): for each smallest degree xmin, the exponent with the maximum likelihood in the approximation for discrete
//! values (equation 3.7), and of these fits the one with the smallest Kolmogorov-Smirnov distance.

use outcrop_report::PowerLawRecord;

/// Minimum number of vertices of a fit, for a meaningful exponent (section 3.5 of the paper).
const FEWEST: u64 = 50;
/// Maximum number of smallest degrees to try; of more, evenly spaced ones among the distinct degrees.
const MOST_TRIED: usize = 1000;

/// Fits a power law to degrees with their numbers of vertices, in ascending order of degree. Returns `None` if no fit
/// has enough vertices with at least two different degrees.
pub(super) fn fit(counts: &[(u64, u64)]) -> Option<PowerLawRecord> {
    let vertices: u64 = counts.iter().map(|(_, count)| count).sum();
    let positive = &counts[counts.partition_point(|(degree, _)| *degree == 0)..];
    let (mut tail, mut logarithms) = (0, 0.0);
    // For each degree: vertices of at least this degree, and the sum of the logarithms of their degrees.
    let mut tails: Vec<_> = positive
        .iter()
        .rev()
        .map(|(degree, count)| {
            tail += count;
            logarithms += *count as f64 * (*degree as f64).ln();
            (tail, logarithms)
        })
        .collect();
    tails.reverse();
    let last = tails.partition_point(|(tail, _)| *tail >= FEWEST).min(positive.len().saturating_sub(1));
    let step = last.div_ceil(MOST_TRIED).max(1);
    let fits = (0..last).step_by(step).map(|start| {
        let ((tail, logarithms), xmin) = (tails[start], positive[start].0);
        let low = xmin as f64 - 0.5;
        let exponent = 1.0 + tail as f64 / (logarithms - tail as f64 * low.ln());
        let ks = distance(&positive[start..], tail, low, exponent);
        PowerLawRecord { exponent, xmin, ks, share: tail as f64 / vertices as f64 }
    });
    fits.min_by(|one, other| one.ks.total_cmp(&other.ks))
}

/// Returns the Kolmogorov-Smirnov distance of the `tail` values in `counts`, all above `low`, to the power law.
fn distance(counts: &[(u64, u64)], tail: u64, low: f64, exponent: f64) -> f64 {
    let mut passed = 0;
    let gaps = counts.iter().map(|(degree, count)| {
        passed += count;
        let fitted = 1.0 - ((*degree as f64 + 0.5) / low).powf(1.0 - exponent);
        (passed as f64 / tail as f64 - fitted).abs()
    });
    gaps.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns values of a discrete power law from `xmin` on, by inversion as in the paper (appendix D).
    fn law(exponent: f64, xmin: u64, vertices: u32) -> Vec<(u64, u64)> {
        let mut counts = std::collections::BTreeMap::new();
        for place in 0..vertices {
            let uniform = (f64::from(place) + 0.5) / f64::from(vertices);
            let value = (xmin as f64 - 0.5) * (1.0 - uniform).powf(-1.0 / (exponent - 1.0)) + 0.5;
            *counts.entry(value as u64).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        for exponent in [1.8, 2.5, 3.2] {
            let found = fit(&law(exponent, 6, 100_000)).unwrap();
            assert!((found.exponent - exponent).abs() < 0.05 && found.ks < 0.01, "{exponent}: {found:?}");
        }
    }

    #[test]
    fn the_fit_does_not_start_before_the_power_law_does() {
        // Below 20, all degrees are equally common. Later starts fit the quantiles of the power law equally well.
        let tail = law(2.5, 20, 20_000);
        let counts: Vec<_> = (1..20).map(|degree| (degree, 2000)).chain(tail).collect();
        let found = fit(&counts).unwrap();
        assert!(found.xmin >= 15 && (found.exponent - 2.5).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn other_distributions_have_a_fit_far_away_or_none() {
        let uniform: Vec<_> = (1..=40).map(|degree| (degree, 100)).collect();
        assert!(fit(&uniform).unwrap().ks > 0.05);
        for none in [&[][..], &[(0, 1000)], &[(3, 1000)], &[(1, 20), (2, 20)]] {
            assert_eq!(fit(none), None);
        }
    }
}
