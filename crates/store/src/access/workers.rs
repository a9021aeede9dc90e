//! Thread pool of a graph handle.

use bytemuck::Zeroable;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, length_from,
    number_from,
};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Maximum read buffers per worker: eight of the largest requests, or hundreds of single pages.
const MOST_BUFFER_BYTES: usize = 2 << 20;
/// Read buffers per worker if memory is short. Then, pages in the page cache are worth more than requests in flight.
const LEAST_BUFFER_BYTES: usize = 1 << 20;
/// Read buffers of the calling thread, which does work that is too small to share: two of the largest requests. Also
/// the minimum of every worker.
const CALLER_BUFFER_BYTES: usize = 512 << 10;
/// Maximum read buffers of all workers, unless the minimum per worker is larger.
const ALL_BUFFERS_BYTES: usize = 16 << 20;

/// Thread pool of one graph handle, whose threads start when they are needed, with the flag that stops it. Clones share
/// both.
#[derive(Clone, Debug)]
pub struct Workers {
    pool: Arc<Pool>,
    cancellation: Cancellation,
    /// Read buffers per worker beyond the minimum, in bytes.
    more_buffers: usize,
}

/// Threads that start on the first use: small queries need none.
#[derive(Debug)]
struct Pool {
    threads: usize,
    started: OnceLock<std::result::Result<rayon::ThreadPool, rayon::ThreadPoolBuildError>>,
}

impl Pool {
    fn started(&self) -> std::result::Result<&rayon::ThreadPool, &rayon::ThreadPoolBuildError> {
        let build = || {
            let named = |number| format!("outcrop-{number}");
            rayon::ThreadPoolBuilder::new().num_threads(self.threads).thread_name(named).build()
        };
        self.started.get_or_init(build).as_ref()
    }
}

impl Workers {
    /// Creates a pool of `threads` threads.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if `threads` is 0.
    pub fn start(threads: usize, cancellation: Cancellation) -> Result<Self> {
        if threads == 0 {
            return Err(Error::Usage("the number of threads must be at least 1".to_owned()));
        }
        let pool = Pool { threads: threads.min(rayon::max_num_threads()), started: OnceLock::new() };
        Ok(Self { pool: Arc::new(pool), cancellation, more_buffers: 0 })
    }

    /// Returns the same threads with `bytes` of additional read buffers for all workers together, at most
    /// [`Workers::useful_buffers`].
    #[must_use]
    pub fn with_more_buffers(&self, bytes: u64) -> Self {
        let each = index_from(bytes.min(self.useful_buffers())) / self.threads() / 4096 * 4096;
        Self { more_buffers: each, ..self.clone() }
    }

    /// Returns the same threads with the read buffers of `other`.
    #[must_use]
    pub(crate) fn with_buffers_of(&self, other: &Self) -> Self {
        Self { more_buffers: other.more_buffers, ..self.clone() }
    }

    /// Returns the bytes of read buffers beyond the minimum that all workers together can use.
    pub fn useful_buffers(&self) -> u64 {
        let each = self.buffers_up_to(MOST_BUFFER_BYTES) - self.buffers_up_to(LEAST_BUFFER_BYTES);
        length_from(each * self.threads())
    }

    /// Returns the read buffers of the worker in `slot`, in bytes, a multiple of 4096.
    pub(crate) fn read_buffer_bytes(&self, slot: usize) -> usize {
        match slot < self.threads() || self.threads() == 1 {
            true => self.buffers_up_to(LEAST_BUFFER_BYTES) + self.more_buffers,
            false => CALLER_BUFFER_BYTES,
        }
    }

    fn buffers_up_to(&self, most: usize) -> usize {
        (ALL_BUFFERS_BYTES / self.threads()).next_multiple_of(4096).clamp(CALLER_BUFFER_BYTES, most)
    }

    /// Returns the same threads with another flag to stop them.
    #[must_use]
    pub fn stopped_by(&self, cancellation: Cancellation) -> Self {
        Self { cancellation, ..self.clone() }
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.pool.threads
    }

    /// Returns the flag that stops the work.
    pub const fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Runs `work` once on every thread, or only on the calling one if `little` is true, for work that is too small to
    /// share. The argument is the worker's slot, less than [`Workers::slots`].
    ///
    /// # Errors
    ///
    /// Returns the first error of a worker, or [`Error::Io`] if the system cannot create the threads.
    pub fn run(&self, little: bool, work: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        if little || self.threads() == 1 {
            return work(self.threads());
        }
        let refused = |error: &rayon::ThreadPoolBuildError| std::io::Error::other(error.to_string());
        self.pool.started().map_err(|error| Error::io("start", "worker threads", refused(error)))?;
        let first_error = Mutex::new(None);
        self.everyone(&|slot| {
            if let Err(error) = work(slot) {
                first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        first_error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Calls `work` once on every thread with the number of the thread, and waits for all; the calling thread does the
    /// work if the system cannot create the threads. Uses dynamic dispatch, so that the code of the pool is compiled
    /// once and not per caller.
    fn everyone(&self, work: &(dyn Fn(usize) + Sync)) {
        match self.pool.started() {
            Ok(pool) => _ = pool.broadcast(|context| work(context.index())),
            Err(_) => (0..self.threads()).for_each(work),
        }
    }

    /// Calls `with` on each of `items`, distributed dynamically among the threads.
    fn drain<I: Iterator + Send>(&self, items: I, with: impl Fn(I::Item) + Sync) {
        let items = Mutex::new(items);
        let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        self.everyone(&|_| {
            while let Some(item) = next() {
                with(item);
            }
        });
    }

    /// Returns the results of `of_item` on each of `items`, in order.
    fn map<I: ExactSizeIterator + Send, T: Send>(&self, items: I, of_item: impl Fn(I::Item) -> T + Sync) -> Vec<T> {
        let results: Vec<Mutex<Option<T>>> = (0..items.len()).map(|_| Mutex::new(None)).collect();
        self.drain(items.zip(&results), |(item, result)| {
            let made = of_item(item);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        });
        results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Returns the number of slots of [`Workers::run`]: one per thread and one for the caller.
    pub fn slots(&self) -> usize {
        self.threads() + 1
    }

    /// Folds each block of `block` vertices of `0..vertices` on some thread and returns the results in the order of the
    /// blocks, so that sums do not depend on the number of threads.
    pub fn map_blocks<T: Send>(&self, vertices: u32, block: u32, of_block: impl Fn(VertexRange) -> T + Sync) -> Vec<T> {
        let blocks = vertices.div_ceil(block);
        let range = |number: u32| {
            let start = number * block;
            VertexRange::new(start, start.saturating_add(block).min(vertices))
        };
        if blocks <= 1 {
            return (0..blocks).map(|number| of_block(range(number))).collect();
        }
        self.map(0..blocks, |number| of_block(range(number)))
    }

    /// Sorts, in parallel if there are enough values.
    pub fn sort<T: Ord + Send>(&self, values: &mut [T]) {
        const LITTLE: usize = 1 << 13;
        match (values.len() > LITTLE).then(|| self.pool.started()) {
            Some(Ok(pool)) => pool.install(|| values.par_sort_unstable()),
            _ => values.sort_unstable(),
        }
    }

    /// Sorts by a cheap key that is unique per value, in parallel if there are enough values.
    pub fn sort_by_key<T: Send, K: Ord>(&self, values: &mut [T], key: impl Fn(&T) -> K + Send + Sync) {
        const LITTLE: usize = 1 << 13;
        match (values.len() > LITTLE).then(|| self.pool.started()) {
            Some(Ok(pool)) => pool.install(|| values.par_sort_unstable_by_key(key)),
            _ => values.sort_unstable_by_key(key),
        }
    }

    /// Applies a function in parallel to each chunk of values at the same positions of three slices. Returns the
    /// results in the order of the chunks, which do not depend on the number of threads.
    pub fn map_zipped<A: Send, B: Send, C: Sync, T: Send>(
        &self,
        first: &mut [A],
        second: &mut [B],
        third: &[C],
        of_run: impl Fn(&mut [A], &mut [B], &[C]) -> T + Sync,
    ) -> Vec<T> {
        const RUN: usize = 1 << 13;
        if first.len() <= RUN {
            return vec![of_run(first, second, third)];
        }
        let runs = first.chunks_mut(RUN).zip(second.chunks_mut(RUN)).zip(third.chunks(RUN));
        self.map(runs, |((first, second), third)| of_run(first, second, third))
    }

    /// Applies a function in parallel to each chunk of `run` values at the same positions of two slices. Returns the
    /// results in the order of the chunks, which do not depend on the number of threads. The first argument is the
    /// start of the chunk.
    pub fn map_runs<A: Send, B: Send, T: Send>(
        &self,
        run: usize,
        first: &mut [A],
        second: &mut [B],
        of_run: impl Fn(usize, &mut [A], &mut [B]) -> T + Sync,
    ) -> Vec<T> {
        if first.len() <= run {
            return vec![of_run(0, first, second)];
        }
        let runs = first.chunks_mut(run).zip(second.chunks_mut(run)).enumerate();
        self.map(runs, |(number, (first, second))| of_run(number * run, first, second))
    }

    /// Computes `value(vertex)` for every vertex in parallel, so that each thread is the first to touch its part of the
    /// memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub fn values<T: Zeroable + Send>(
        &self,
        budget: &MemoryBudget,
        purpose: Purpose,
        vertices: u32,
        value: impl Fn(VertexId) -> T + Sync,
    ) -> Result<VertexValues<T>> {
        let mut values = VertexValues::zeroes(budget, purpose, index_from(u64::from(vertices)))?;
        self.for_each_value(&mut values, |vertex, slot| *slot = value(vertex));
        Ok(values)
    }

    /// Applies `change(vertex, value)` to each value in parallel.
    pub fn for_each_value<T: Send>(&self, values: &mut [T], change: impl Fn(VertexId, &mut T) + Sync) {
        const CHUNK: usize = 1 << 14;
        let work = |(number, chunk): (usize, &mut [T])| {
            let first: VertexId = number_from(number * CHUNK);
            for (vertex, value) in (first..).zip(chunk) {
                change(vertex, value);
            }
        };
        if values.len() <= CHUNK {
            return values.chunks_mut(CHUNK).enumerate().for_each(work);
        }
        self.drain(values.chunks_mut(CHUNK).enumerate(), work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_blocks_whatever_the_threads() {
        for threads in [1, 2, 5] {
            let workers = Workers::start(threads, Cancellation::new()).unwrap();
            let firsts = workers.map_blocks(100_003, 10, |block| block.start);
            assert_eq!(firsts, (0..100_003).step_by(10).collect::<Vec<_>>());
            let (mut first, mut second) = (vec![0usize; 40_001], vec![0usize; 40_001]);
            let runs = workers.map_runs(1000, &mut first, &mut second, |position, first, second| {
                first.iter_mut().zip(second).enumerate().for_each(|(k, (a, b))| (*a, *b) = (position + k, position));
                (position, first.len())
            });
            assert_eq!(runs.len(), 41);
            assert!(runs.iter().enumerate().all(|(number, (position, _))| *position == number * 1000));
            assert_eq!(runs.last(), Some(&(40_000, 1)));
            assert!(first.iter().enumerate().all(|(k, value)| *value == k));
            let third: Vec<usize> = (0..40_001).collect();
            let sums =
                workers.map_zipped(&mut first, &mut second, &third, |a, _, c| a.iter().zip(c).all(|(a, c)| a == c));
            assert!(sums.len() == 5 && sums.iter().all(|same| *same), "{sums:?}");
            let mut values = vec![1u64; 70_000];
            workers.for_each_value(&mut values, |vertex, value| *value += u64::from(vertex));
            assert!(values.iter().enumerate().all(|(k, value)| *value == k as u64 + 1));
        }
    }

    #[test]
    fn every_worker_runs_once_and_the_first_error_comes_back() {
        let workers = Workers::start(3, Cancellation::new()).unwrap();
        let slots = Mutex::new(Vec::new());
        workers
            .run(false, &|slot| {
                slots.lock().unwrap().push(slot);
                Ok(())
            })
            .unwrap();
        let mut slots = slots.into_inner().unwrap();
        slots.sort_unstable();
        assert_eq!(slots, [0, 1, 2]);
        let failed = workers.run(false, &|slot| if slot == 1 { Err(Error::Interrupted) } else { Ok(()) });
        assert!(matches!(failed, Err(Error::Interrupted)));
    }
}
