//! Loops over all vertices in the order of the files.

use outcrop_types::VertexRange;
use std::iter::Sum;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Vertices that a thread takes at once; the bits of a block share no word with those of another.
const BLOCK: u32 = 4096;

/// Sums `work` over blocks of `0..count`. The blocks are begun in ascending order, each by the thread that is free
/// first, so that the files are read from front to back by all threads together.
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

/// As [`sum_blocks`], without sums.
pub(super) fn for_blocks(count: u32, work: impl Fn(VertexRange) + Sync) {
    sum_blocks::<u64>(count, |block| {
        work(block);
        0
    });
}

fn end_of(start: u32, count: u32) -> u32 {
    start.saturating_add(BLOCK).min(count)
}
