//! Work on the items of a sequence by several threads, whose results come in the order of the sequence.

use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_types::{Error, Result};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Items in the order of the sequence, processed by threads.
pub(crate) struct InOrder<T> {
    /// Items of each thread, which take turns.
    done: Vec<Receiver<Result<T>>>,
    turn: usize,
    current: Option<T>,
    empty: Sender<T>,
}

/// Number of items for so many workers: two for each, one that is filled and one that is consumed.
pub(crate) const fn items(workers: usize) -> usize {
    2 * workers + 2
}

impl<T> InOrder<T> {
    /// Returns the next item, and reuses the previous one.
    ///
    /// # Errors
    ///
    /// Returns the error with which an item was produced or processed.
    pub(crate) fn next(&mut self) -> Result<Option<&mut T>> {
        if let Some(used) = self.current.take() {
            // The producer may have ended.
            _ = self.empty.send(used);
        }
        let Some(done) = self.done.get(self.turn) else { return Ok(None) };
        self.turn = (self.turn + 1) % self.done.len();
        // The first thread whose turn comes without an item is after the last one.
        self.current = done.recv().ok().transpose()?;
        Ok(self.current.as_mut())
    }
}

/// Returns the number of workers that use at most so many items.
pub(super) const fn workers_for(items: usize) -> usize {
    items.saturating_sub(2) / 2
}

/// Passes the items that `produce` fills, until it returns false, through `work` on `workers` threads to `consume`. A
/// thread of its own produces; the calling thread consumes.
///
/// # Errors
///
/// Returns the errors of `produce`, `work` and `consume`, or [`Error::Io`] if a thread cannot be started.
pub(crate) fn in_order<T: Default + Send, R>(
    workers: usize,
    produce: impl FnMut(&mut T) -> Result<bool> + Send,
    work: impl Fn(&mut T) -> Result<()> + Sync,
    consume: impl FnOnce(&mut InOrder<T>) -> Result<R>,
) -> Result<R> {
    let items = items(workers);
    let (empty, returned) = bounded(items);
    (0..items).try_for_each(|_| empty.send(T::default())).map_err(|_| Error::internal("no items can be sent"))?;
    std::thread::scope(|scope| {
        let (mut threads, mut filled, mut done) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..workers {
            let ((to_work, incoming), (outgoing, worked)) = (bounded(1), bounded(1));
            let work = &work;
            threads.push(start(scope, "outcrop-work", move || process(&incoming, &outgoing, work))?);
            filled.push(to_work);
            done.push(worked);
        }
        threads.push(start(scope, "outcrop-produce", move || send_all(produce, &returned, &filled))?);
        let mut items = InOrder { done, turn: 0, current: None, empty };
        let consumed = consume(&mut items);
        drop(items);
        for thread in threads {
            thread.join().map_err(|payload| Error::panicked("a thread of a build", &*payload))?;
        }
        consumed
    })
}

fn start<'s>(scope: &'s Scope<'s, '_>, name: &str, run: impl FnOnce() + Send + 's) -> Result<ScopedJoinHandle<'s, ()>> {
    Builder::new()
        .name(name.to_owned())
        .spawn_scoped(scope, run)
        .map_err(|source| Error::io("start", "a thread", source))
}

/// Fills returned items and sends them to the threads in turn, until there are no more, or the receivers are gone.
fn send_all<T>(mut produce: impl FnMut(&mut T) -> Result<bool>, returned: &Receiver<T>, filled: &[Sender<Result<T>>]) {
    for (mut item, thread) in returned.iter().zip(filled.iter().cycle()) {
        let produced = match produce(&mut item) {
            Ok(true) => Ok(item),
            Ok(false) => return,
            Err(error) => Err(error),
        };
        let failed = produced.is_err();
        if thread.send(produced).is_err() || failed {
            return;
        }
    }
}

/// Processes the items that arrive.
fn process<T>(incoming: &Receiver<Result<T>>, outgoing: &Sender<Result<T>>, work: impl Fn(&mut T) -> Result<()>) {
    for item in incoming {
        let item = item.and_then(|mut item| work(&mut item).map(|()| item));
        if outgoing.send(item).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_to(end: u64) -> impl FnMut(&mut u64) -> Result<bool> {
        let mut next = 0;
        move |item| {
            *item = next;
            next += 1;
            Ok(*item < end)
        }
    }

    fn collect(items: &mut InOrder<u64>) -> Result<Vec<u64>> {
        let mut all = Vec::new();
        while let Some(item) = items.next()? {
            all.push(*item);
        }
        Ok(all)
    }

    /// The threads finish in any order.
    #[test]
    fn results_come_in_the_order_of_the_sequence() {
        let squared = |item: &mut u64| {
            if item.is_multiple_of(3) {
                std::thread::yield_now();
            }
            *item *= *item;
            Ok(())
        };
        for workers in 1..6 {
            for end in [0, 1, 2, 100] {
                let squares = in_order(workers, count_to(end), squared, collect).unwrap();
                assert_eq!(squares, (0..end).map(|number| number * number).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_error_ends_all_threads() {
        let fail = |at: u64| move |item: &mut u64| if *item == at { Err(Error::internal("work")) } else { Ok(()) };
        let mut numbers = count_to(100);
        let failing =
            |item: &mut u64| if numbers(item)? && *item == 7 { Err(Error::internal("produce")) } else { Ok(true) };
        assert!(in_order(3, count_to(100), fail(50), collect).unwrap_err().to_string().contains("work"));
        assert!(in_order(3, failing, fail(1000), collect).unwrap_err().to_string().contains("produce"));
        let stop = |items: &mut InOrder<u64>| items.next().map(|_| ()).and(Err::<(), _>(Error::internal("consume")));
        assert!(in_order(3, count_to(100), fail(1000), stop).unwrap_err().to_string().contains("consume"));
        let panics = |item: &mut u64| if *item == 20 { panic!("on purpose") } else { Ok(()) };
        assert!(in_order(3, count_to(100), panics, collect).unwrap_err().to_string().contains("on purpose"));
    }
}
