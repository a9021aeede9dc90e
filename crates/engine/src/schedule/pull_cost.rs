//! Cost of a pull: how many vertices are still open, from a sample.

use super::cost_model::CostModel;
use super::sampled::Sample;
use outcrop_store::access::{Adjacency, IoCost};
use outcrop_types::VertexId;

/// Fraction of the time at stake that may be spent on examining vertices, and the approximate seconds per examined
/// vertex.
const LOOKING: f64 = 0.01;
const SECONDS_A_LOOK: f64 = 50e-9;
/// Minimum and maximum number of examined vertices.
const LOOKS: std::ops::RangeInclusive<u32> = 64..=1024;
/// Minimum cost of reading any lists.
const LEAST_READ: IoCost = IoCost { arcs: 0, bytes: 4096, requests: 1, resident_bytes: 0 };

/// Reads of a pull.
pub(crate) struct Pulled {
    /// Lists of vertices that are still open, or all lists.
    pub(crate) lists: IoCost,
    /// Seconds for reading.
    pub(crate) io: f64,
    /// Number of vertices whose lists are scanned.
    pub(crate) open: u64,
}

/// Returns the cost of a pull: the lists of vertices that are still open, or all lists if that is faster. The number of
/// examined vertices is limited to a hundredth of the seconds `at_stake`.
pub(crate) fn pull_cost(
    model: &CostModel,
    into: &dyn Adjacency,
    everything: IoCost,
    at_stake: f64,
    wanted: impl Fn(VertexId) -> bool,
) -> Pulled {
    let vertices = u64::from(into.num_vertices());
    let all = Pulled { lists: everything, io: model.sweep_seconds(&everything), open: vertices };
    let looks = ((at_stake * LOOKING / SECONDS_A_LOOK) as u32).min(*LOOKS.end());
    if everything.bytes == 0 || looks < *LOOKS.start() {
        return all;
    }
    let sample = Sample::of_requested(into.num_vertices(), looks, wanted);
    if sample.set.len() as u64 == sample.drawn {
        return all;
    }
    let cost = into.cost_of(&sample.set);
    // If no examined vertex is open, others may be.
    let lists = sample.scaled(if cost.bytes == 0 { LEAST_READ } else { cost }, everything.arcs);
    let open = (vertices as f64 * sample.set.len() as f64 / sample.drawn.max(1) as f64) as u64;
    let seconds = model.select_seconds(&lists);
    match seconds < all.io {
        true => Pulled { lists, io: seconds, open },
        false => Pulled { lists: IoCost { arcs: lists.arcs, ..everything }, open, ..all },
    }
}
