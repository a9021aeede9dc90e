//! Estimates by sampling vertices.

use outcrop_store::access::IoCost;
use outcrop_types::{VertexId, VertexSet};

/// Number of consecutive vertices per sampled run, since neighbors share pages.
const RUN: usize = 16;
/// Number of vertices sampled from a list.
const OF_LIST: usize = 64;
/// Number of vertices examined in a bit set, which must be larger by a factor.
const OF_BITS: u32 = 4096;
const TIMES: u32 = 64;

/// Sample of vertices.
pub(crate) struct Sample {
    /// Sampled vertices.
    pub(crate) set: VertexSet,
    /// Number of vertices examined.
    pub(crate) drawn: u64,
    /// Number of vertices to choose from.
    pub(crate) among: u64,
}

impl Sample {
    /// Samples about `count` of `universe` vertices in evenly spread runs, and keeps those that `wanted` accepts.
    pub(crate) fn of_requested(universe: u32, count: u32, wanted: impl Fn(VertexId) -> bool) -> Self {
        let run = RUN as u32;
        let stride = (universe / count.max(1)).max(1).saturating_mul(run);
        // In degree order, the first vertices are not typical.
        let starts = (stride / 2 / run * run..universe).step_by(stride as usize);
        let (mut members, mut drawn) = (Vec::new(), 0);
        for start in starts {
            let end = universe.min(start.saturating_add(run));
            drawn += u64::from(end - start);
            members.extend((start..end).filter(|vertex| wanted(*vertex)));
        }
        Self { set: VertexSet::Sparse { members, universe }, drawn, among: universe.into() }
    }

    /// Extrapolates the cost of the sample to all vertices, with at most `arcs` list entries.
    pub(crate) fn scaled(&self, cost: IoCost, arcs: u64) -> IoCost {
        let scaled = scaled(cost, self.among, self.drawn);
        IoCost { arcs: scaled.arcs.min(arcs), ..scaled }
    }
}

/// Samples members of a sufficiently large set, in evenly spread runs.
pub(crate) fn sample_of(set: &VertexSet) -> Option<Sample> {
    let (members, universe) = match set {
        VertexSet::Sparse { members, universe } => (members, universe),
        VertexSet::Dense { bits, .. } => {
            let large = bits.universe() / TIMES >= OF_BITS;
            return large.then(|| Sample::of_requested(bits.universe(), OF_BITS, |vertex| bits.contains(vertex)));
        }
    };
    if members.len() < 2 * OF_LIST {
        return None;
    }
    let stride = members.len() / (OF_LIST / RUN);
    // Take the middle: in degree order, the first vertices of a part are not typical.
    let run = |chunk: &'_ [VertexId]| {
        chunk[(chunk.len() - RUN.min(chunk.len())) / 2..].iter().take(RUN).copied().collect::<Vec<_>>()
    };
    let drawn: Vec<VertexId> = members.chunks(stride).flat_map(run).collect();
    let (count, among) = (drawn.len() as u64, members.len() as u64);
    Some(Sample { set: VertexSet::Sparse { members: drawn, universe: *universe }, drawn: count, among })
}

/// Returns `cost` times `among / drawn`.
pub(crate) fn scaled(cost: IoCost, among: u64, drawn: u64) -> IoCost {
    let scale = |count: u64| {
        let product = u128::from(count) * u128::from(among) / u128::from(drawn.max(1));
        // Default: an estimate is saturated.
        u64::try_from(product).unwrap_or(u64::MAX)
    };
    IoCost {
        arcs: scale(cost.arcs),
        bytes: scale(cost.bytes),
        requests: scale(cost.requests),
        resident_bytes: scale(cost.resident_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sets_are_not_sampled() {
        assert!(sample_of(&VertexSet::all(1 << 17)).is_none());
        assert!(sample_of(&VertexSet::from_members((0..127).collect(), 1 << 20)).is_none());
    }

    #[test]
    fn a_sample_stands_for_all_members() {
        for count in [128_u32, 300, 1000, 30_000] {
            let set = VertexSet::from_members((0..count).map(|number| number * 7).collect(), 1 << 20);
            let sample = sample_of(&set).unwrap();
            assert_eq!((sample.set.len() as u64, sample.among), (sample.drawn, u64::from(count)));
            assert!((60..=80).contains(&sample.drawn), "{}", sample.drawn);
            sample.set.for_each(|vertex| assert!(set.contains(vertex)));
            let cost =
                IoCost { arcs: sample.drawn, bytes: 3 * sample.drawn, requests: 0, resident_bytes: sample.drawn };
            let all = u64::from(count);
            assert_eq!(
                sample.scaled(cost, u64::MAX),
                IoCost { arcs: all, bytes: 3 * all, requests: 0, resident_bytes: all }
            );
        }
    }

    #[test]
    fn vertices_by_falling_degree_are_not_taken_for_hubs() {
        let degree = |vertex: VertexId| u64::from(1_000_000 / (vertex + 1));
        let among = |set: &VertexSet| {
            let mut arcs = 0;
            set.for_each(|vertex| arcs += degree(vertex));
            arcs
        };
        for count in [200, 3000, 100_000] {
            let set = VertexSet::from_members((0..count).collect(), 1 << 20);
            let (sample, all) = (sample_of(&set).unwrap(), among(&set));
            let cost = IoCost { arcs: among(&sample.set), ..IoCost::default() };
            assert!(sample.scaled(cost, u64::MAX).arcs < 2 * all, "{count}");
            assert!(sample.scaled(IoCost { arcs: u64::MAX, ..cost }, all).arcs == all);
        }
    }

    #[test]
    fn bits_are_sampled_in_their_proportion() {
        let bits = VertexSet::from_members((0..1 << 20).step_by(5).collect(), 1 << 20);
        let sample = sample_of(&bits).unwrap();
        let one_each = IoCost { arcs: sample.set.len() as u64, ..IoCost::default() };
        assert!(sample.scaled(one_each, u64::MAX).arcs.abs_diff(bits.len() as u64) < 5000 && sample.set.len() < 2000);
    }

    #[test]
    fn wanted_vertices_are_found_in_their_proportion() {
        for universe in [1_u32, 15, 1000, 1 << 20] {
            let third = Sample::of_requested(universe, 1024, |vertex| vertex.is_multiple_of(3));
            let share = third.set.len() as f64 / third.drawn as f64;
            assert!(third.drawn <= 2048 && third.drawn >= u64::from(universe.min(1000)));
            assert!(universe < 1000 || (share - 1.0 / 3.0).abs() < 0.02, "{share}");
            third.set.for_each(|vertex| assert!(vertex < universe && vertex.is_multiple_of(3)));
        }
    }
}
