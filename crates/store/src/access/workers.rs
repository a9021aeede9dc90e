//! The threads of a graph handle.

use outcrop_types::{Cancellation, Error, Result, VertexId, VertexRange};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A pool of threads that belongs to one graph handle, and the flag that stops it. Clones share both.
#[derive(Clone, Debug)]
pub struct Workers {
    pool: Arc<rayon::ThreadPool>,
    cancellation: Cancellation,
}

impl Workers {
    /// Starts `threads` threads.
    ///
    /// # Errors
    /// [`Error::Usage`] for no threads, [`Error::Io`] where the system refuses them.
    pub fn start(threads: usize, cancellation: Cancellation) -> Result<Self> {
        if threads == 0 {
            return Err(Error::Usage("at least one thread is needed".to_owned()));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|number| format!("outcrop-{number}"))
            .build()
            .map_err(|error| Error::io("start", "worker threads", std::io::Error::other(error)))?;
        Ok(Self { pool: Arc::new(pool), cancellation })
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The flag that stops the work.
    pub const fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Runs `work` once on every thread, or only on the calling one where there is too `little` to share; the argument is the
    /// worker's slot, below [`Workers::slots`]. Returns the first error.
    ///
    /// # Errors
    /// What any of the workers returned.
    pub fn run(&self, little: bool, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        if little || self.threads() == 1 {
            return work(self.threads());
        }
        let first_error = Mutex::new(None);
        self.pool.broadcast(|context| {
            if let Err(error) = work(context.index()) {
                first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        first_error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// How many slots [`Workers::run`] hands out: one a thread and one for the caller.
    pub fn slots(&self) -> usize {
        self.threads() + 1
    }

    /// Folds each block of `block` vertices of `0..vertices` on some thread and returns the results in the order of the blocks,
    /// so that sums do not depend on the number of threads.
    pub fn map_blocks<T: Send>(&self, vertices: u32, block: u32, of_block: impl Fn(VertexRange) -> T + Sync) -> Vec<T> {
        let blocks = vertices.div_ceil(block);
        let range = |number: u32| {
            let start = number * block;
            VertexRange::new(start, start.saturating_add(block).min(vertices))
        };
        if blocks <= 1 {
            return (0..blocks).map(|number| of_block(range(number))).collect();
        }
        self.pool.install(|| (0..blocks).into_par_iter().map(|number| of_block(range(number))).collect())
    }

    /// Sorts, with all threads where there is enough to sort.
    pub fn sort<T: Ord + Send>(&self, values: &mut [T]) {
        const LITTLE: usize = 1 << 13;
        if values.len() <= LITTLE { values.sort_unstable() } else { self.pool.install(|| values.par_sort_unstable()) }
    }

    /// Sorts by a key that is quick to compute and no two values share, with all threads where there is enough to sort.
    pub fn sort_by_key<T: Send, K: Ord>(&self, values: &mut [T], key: impl Fn(&T) -> K + Send + Sync) {
        const LITTLE: usize = 1 << 13;
        match values.len() <= LITTLE {
            true => values.sort_unstable_by_key(key),
            false => self.pool.install(|| values.par_sort_unstable_by_key(key)),
        }
    }

    /// Computes something of each run of values at the same positions of three slices, all threads at once; the results in the order of
    /// the runs, which do not depend on the number of threads.
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
        let runs = first.par_chunks_mut(RUN).zip(second.par_chunks_mut(RUN)).zip(third.par_chunks(RUN));
        self.pool.install(|| runs.map(|((first, second), third)| of_run(first, second, third)).collect())
    }

    /// Computes something of each run of `run` values at the same positions of two slices, all threads at once; the results in the order
    /// of the runs, which do not depend on the number of threads. The first argument is the position at which a run begins.
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
        let runs = first.par_chunks_mut(run).zip(second.par_chunks_mut(run)).enumerate();
        let of = |(number, (first, second)): (usize, (&mut [A], &mut [B]))| of_run(number * run, first, second);
        self.pool.install(|| runs.map(of).collect())
    }

    /// Replaces each value by `value(vertex, old)`, all threads at once.
    pub fn for_each_value<T: Send>(&self, values: &mut [T], change: impl Fn(VertexId, &mut T) + Sync) {
        const CHUNK: usize = 1 << 14;
        let work = |(number, chunk): (usize, &mut [T])| {
            let first = number * CHUNK;
            for (position, value) in chunk.iter_mut().enumerate() {
                change(VertexId::try_from(first + position).unwrap_or(VertexId::MAX), value);
            }
        };
        if values.len() <= CHUNK {
            return values.chunks_mut(CHUNK).enumerate().for_each(work);
        }
        self.pool.install(|| values.par_chunks_mut(CHUNK).enumerate().for_each(work));
    }
}
