//! Distribution of distances.

use super::ranges::share;
use outcrop_report::DistancesRecord;

/// Share of the connected pairs within the effective diameter.
const EFFECTIVE: f64 = 0.9;

/// Describes numbers of pairs by distance, from `sources` of the `vertices`; position 0 has the sources themselves.
pub(super) fn describe(mut pairs: Vec<u64>, sources: u32, vertices: u32) -> DistancesRecord {
    pairs.drain(..pairs.len().min(1));
    let all: u64 = pairs.iter().sum();
    let sum: f64 = (1_u32..).zip(&pairs).map(|(distance, count)| f64::from(distance) * *count as f64).sum();
    DistancesRecord {
        sources,
        exact: sources == vertices,
        mean: (all > 0).then(|| sum / all as f64),
        effective_diameter: effective(&pairs, all),
        max: (all > 0).then_some(pairs.len() as u64),
        connected_share: share(all, u64::from(sources) * u64::from(vertices.saturating_sub(1))),
        pairs,
    }
}

/// Returns the distance within which [`EFFECTIVE`] of all pairs are, interpolated between integers; `None` without
/// pairs.
fn effective(pairs: &[u64], all: u64) -> Option<f64> {
    let (wanted, mut passed) = (EFFECTIVE * all as f64, 0.0);
    let (mut before, mut distance) = (0.0, 0.0);
    for count in pairs {
        before = passed;
        passed += *count as f64;
        distance += 1.0;
        if passed >= wanted {
            break;
        }
    }
    (all > 0).then(|| distance - 1.0 + (wanted - before) / (passed - before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_distances_that_a_person_counts() {
        // Undirected, of 4 vertices: 6 pairs at distance 1, 4 at 2, 2 at 3.
        let found = describe(vec![4, 6, 4, 2], 4, 4);
        assert_eq!((found.exact, found.max, found.connected_share), (true, Some(3), 1.0));
        assert_eq!(found.mean, Some(20.0 / 12.0));
        assert!((found.effective_diameter.unwrap() - (2.0 + 0.8 / 2.0)).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn without_pairs_there_is_no_distance() {
        for (pairs, sources, vertices) in [(vec![], 0, 0), (vec![1], 1, 1), (vec![2], 2, 9)] {
            let found = describe(pairs, sources, vertices);
            assert_eq!((found.mean, found.effective_diameter, found.max), (None, None, None));
            assert_eq!((found.connected_share, found.pairs.len()), (0.0, 0));
        }
    }
}
