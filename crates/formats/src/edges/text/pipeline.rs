//! Multithreaded reader of texts: one thread decompresses and splits the text into blocks, the others parse. Blocks are
//! assigned and collected round-robin, so batches arrive in input order.

use super::blocks::{Block, BlockSizes};
use super::file::TextFile;
use super::input::TextInput;
use super::line::parse_block;
use super::preface::check_entries;
use super::tally::{Skipped, Tally};
use crate::edges::input::READ_AHEAD;
use crate::edges::options::OnError;
use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{Error, FileSummary, Reservation, Result};
use std::sync::Arc;
use std::thread;

/// Maximum number of parsers that improves speed.
const MOST_PARSERS: usize = 16;

/// Task for a parser.
enum Task {
    Parse(Block, Arc<TextFile>),
    Fail(Error),
    End,
}

/// Message from a parser.
enum Parsed {
    Edges(EdgeBatch, Box<Tally>, Arc<TextFile>),
    Failed(Error),
    End,
}

/// Reusable buffers of the threads.
#[derive(Clone)]
struct Spares {
    buffers: (Sender<Vec<u8>>, Receiver<Vec<u8>>),
    batches: (Sender<EdgeBatch>, Receiver<EdgeBatch>),
}

impl Spares {
    fn new(parsers: usize) -> Self {
        Self { buffers: bounded(parsers + 1), batches: bounded(2 * parsers + 1) }
    }
}

pub(crate) const fn parsers(threads: usize) -> usize {
    if threads == 0 {
        1
    } else if threads > MOST_PARSERS {
        MOST_PARSERS
    } else {
        threads
    }
}

/// Returns the maximum memory of a pipeline: one block per parser, one with the reader and one carried over, each as
/// long as the longest line; two batches per parser and one with the caller, each from blocks full of the shortest
/// edges, in both directions if `mirror`.
pub(crate) const fn pipeline_bytes(threads: usize, sizes: BlockSizes, mirror: bool) -> u64 {
    let parsers = parsers(threads);
    let batch = sizes.block * if mirror { 12 } else { 6 };
    ((parsers + 2) * sizes.longest_line + (2 * parsers + 1) * batch + 2 * READ_AHEAD) as u64
}

/// Reader of the edges of texts. Dropping it ends the threads.
pub(crate) struct Pipeline {
    outputs: Vec<Receiver<Parsed>>,
    turn: usize,
    ended: bool,
    spares: Spares,
    kind: IdKind,
    on_error: OnError,
    pub(crate) skipped: Skipped,
    /// Current file, and its counts so far.
    current: Option<(Arc<TextFile>, Tally)>,
    /// Summaries of completed files.
    pub(crate) ended_files: Vec<FileSummary>,
}

impl Pipeline {
    /// Starts the threads, which keep the reservation `held` until they end. `skipped` counts the lines skipped before.
    pub(crate) fn start(
        input: TextInput,
        kind: IdKind,
        on_error: OnError,
        threads: usize,
        held: &Arc<Reservation>,
        skipped: Skipped,
    ) -> Result<Self> {
        let spares = Spares::new(parsers(threads));
        let mut tasks = Vec::new();
        let mut outputs = Vec::new();
        for _ in 0..parsers(threads) {
            let (task_in, task_out) = bounded(0);
            let (parsed_in, parsed_out) = bounded(1);
            let spares = spares.clone();
            spawn("outcrop-parse", held, move || parse(&task_out, &parsed_in, &spares))?;
            tasks.push(task_in);
            outputs.push(parsed_out);
        }
        let buffers = spares.buffers.1.clone();
        spawn("outcrop-read", held, move || read(input, &tasks, &buffers))?;
        let (current, ended_files) = (None, Vec::new());
        Ok(Self { outputs, turn: 0, ended: false, spares, kind, on_error, skipped, current, ended_files })
    }

    /// Replaces the content of `batch` with the next edges; returns `false` at the end.
    pub(crate) fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        while !self.ended {
            let output = self.outputs.get(self.turn).ok_or_else(lost_thread)?;
            let parsed = output.recv().map_err(|_| lost_thread())?;
            self.turn = (self.turn + 1) % self.outputs.len();
            match parsed {
                Parsed::Edges(edges, tally, file) => {
                    _ = self.spares.batches.0.try_send(std::mem::replace(batch, edges));
                    if let Err(error) = self.count(*tally, file) {
                        return self.fail(error);
                    }
                    if !batch.is_empty() {
                        return Ok(true);
                    }
                }
                Parsed::Failed(error) => return self.fail(error),
                Parsed::End => {
                    self.ended = true;
                    if let Err(error) = self.end_file() {
                        return self.fail(error);
                    }
                }
            }
        }
        *batch = EdgeBatch::empty(self.kind);
        Ok(false)
    }

    /// Counts the lines of a block of `file`.
    fn count(&mut self, tally: Tally, file: Arc<TextFile>) -> Result<()> {
        self.skipped.add(&tally, self.on_error)?;
        match &mut self.current {
            Some((current, sum)) if Arc::ptr_eq(current, &file) => sum.add(tally),
            _ => {
                self.end_file()?;
                self.current = Some((file, tally));
            }
        }
        Ok(())
    }

    /// Returns the summary of the current file so far.
    pub(crate) fn account(&self) -> Option<FileSummary> {
        let current = self.current.as_ref().map(|(file, tally)| file.account_of(tally.clone()));
        current.or_else(|| self.ended_files.last().cloned())
    }

    /// Returns a description of the separator of the current file.
    pub(crate) fn separator(&self) -> Option<String> {
        self.current.as_ref().map(|(file, _)| file.syntax.split.name())
    }

    /// Completes the summary of the current file.
    fn end_file(&mut self) -> Result<()> {
        let Some((file, tally)) = self.current.take() else { return Ok(()) };
        if let Some(preface) = &file.preface {
            check_entries(&file.name, preface, &tally)?;
        }
        let miscount = file.miscount(&tally);
        let mut account = file.account_of(tally);
        account.notes.extend(miscount);
        self.ended_files.push(account);
        Ok(())
    }

    fn fail(&mut self, error: Error) -> Result<bool> {
        self.outputs.clear();
        Err(error)
    }
}

fn lost_thread() -> Error {
    Error::internal("a thread that reads edges ended before its input")
}

fn spawn(name: &str, held: &Arc<Reservation>, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let held = Arc::clone(held);
    let run = move || {
        work();
        drop(held);
    };
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|source| Error::io("start a thread for", "reading edges", source))
}

/// Assigns blocks to the parsers round-robin until the text ends or the receivers are dropped.
fn read(mut input: TextInput, tasks: &[Sender<Task>], buffers: &Receiver<Vec<u8>>) {
    for parser in tasks.iter().cycle() {
        // Default: a new buffer if none was returned yet.
        let task = match input.next_block(buffers.try_recv().unwrap_or_default()) {
            Ok(Some((block, file))) => Task::Parse(block, file),
            Ok(None) => Task::End,
            Err(error) => Task::Fail(error),
        };
        let last = match &task {
            Task::Parse(block, file) => block.overlong_at.is_some() && file.syntax.on_error == OnError::Stop,
            Task::Fail(_) | Task::End => true,
        };
        if parser.send(task).is_err() || last {
            return;
        }
    }
}

fn parse(tasks: &Receiver<Task>, output: &Sender<Parsed>, spares: &Spares) {
    for task in tasks {
        let parsed = match task {
            Task::Parse(block, file) => parse_one(block, file, spares),
            Task::Fail(error) => Parsed::Failed(error),
            Task::End => Parsed::End,
        };
        if output.send(parsed).is_err() {
            return;
        }
    }
}

fn parse_one(block: Block, file: Arc<TextFile>, spares: &Spares) -> Parsed {
    let mut batch = spares.batches.1.try_recv().unwrap_or_else(|_| EdgeBatch::empty(file.syntax.ids));
    let outcome = parse_block(&block, &file, &mut batch);
    _ = spares.buffers.0.try_send(block.into_buffer());
    match outcome {
        Ok(tally) => Parsed::Edges(batch, Box::new(tally), file),
        Err(error) => Parsed::Failed(error),
    }
}
