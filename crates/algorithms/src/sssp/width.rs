//! Width of the buckets of delta-stepping.

use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbours;
use outcrop_types::{Direction, Result, VertexId, VertexSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// The width of a bucket, in the unit of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BucketWidth {
    /// From the weights of a few lists.
    #[default]
    Auto,
    /// This much; positive and finite.
    Exactly(f64),
}

/// Lists that are looked at, evenly spread over the vertices.
const LISTS: u32 = 1024;

/// Widths of so many mean weights: wide enough for few rounds, each of which waits for the disk.
const MEAN_WEIGHTS: f64 = 4.0;

/// The width that is meant.
pub(crate) fn of(engine: &Engine<'_>, width: BucketWidth) -> Result<f64> {
    if let BucketWidth::Exactly(width) = width {
        return Ok(width);
    }
    let step = engine.vertices().div_ceil(LISTS).max(1);
    let members = (0..engine.vertices()).step_by(step as usize).collect();
    let weights = Weights::default();
    engine.gather_over(&VertexSet::from_members(members, engine.vertices()), Direction::Out, &weights)?;
    let mut lists = weights.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    lists.sort_unstable_by_key(|(vertex, ..)| *vertex);
    let (sum, count) = lists.iter().fold((0.0, 0.0), |(sum, count), (_, s, c)| (sum + s, count + c));
    let mean: f64 = sum / count;
    Ok(if mean > 0.0 && mean.is_finite() { MEAN_WEIGHTS * mean } else { 1.0 })
}

/// The sum and number of weights of each list.
#[derive(Default)]
struct Weights(Mutex<Vec<(VertexId, f64, f64)>>);

impl Gather for Weights {
    type Sum = (f64, f64);

    fn begin(&self, _: VertexId) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn gather(&self, (sum, count): &mut (f64, f64), piece: Neighbours<'_>) {
        *count += piece.len() as f64;
        _ = piece.try_for_each(|_, weight| {
            *sum += weight.max(0.0);
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, vertex: VertexId, (sum, count): (f64, f64)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((vertex, sum, count));
    }
}
