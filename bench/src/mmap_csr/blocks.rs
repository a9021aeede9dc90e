//! Loops over all vertices in file order.

use outcrop_types::VertexRange;
use std::iter::Sum;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Vertices per block of work; blocks share no words of bit sets.
const BLOCK: u32 = 4096;

/// Sums `work` over blocks of `0..count`. Blocks start in ascending order, each on the next free thread, so that all
/// threads together read the files sequentially.
pub(super) fn sum_blocks<T: Sum + Send>(count: u32, work: impl Fn(VertexRange) -> T + Sync) -> T {
    let next = AtomicU32::new(0);
    let per_thread = rayon::broadcast(|_| {
        let blocks = std::iter::from_fn(|| {
            let start = next.fetch_update(Relaxed, Relaxed, |start| (start < count).then(|| end_of(start, count)));
            start.ok().map(|start| VertexRange::new(start, end_of(start, count)))
        });
        blocks.map(&work).sum::<T>()
    });
    per_thread.into_iter().sum()
}

/// Calls [`sum_blocks`] without a sum.
pub(super) fn for_blocks(count: u32, work: impl Fn(VertexRange) + Sync) {
    sum_blocks::<u64>(count, |block| {
        work(block);
        0
    });
}

fn end_of(start: u32, count: u32) -> u32 {
    start.saturating_add(BLOCK).min(count)
}
