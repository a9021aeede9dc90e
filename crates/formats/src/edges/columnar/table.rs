//! Files of tables as edges, decoded ahead by a separate thread.

use super::columns::EdgeColumns;
use super::decoder_panics::{damaged, decoded};
use super::rows::{BATCH_BYTES, EdgeRows};
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::{InputFile, Origin};
use crate::edges::reader::{FileReader, ReaderContext};
use arrow_array::RecordBatch;
use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{Error, FileSummary, Location, Purpose, Reservation, Result};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// Number of batches of edges decoded ahead of the caller.
const AHEAD: usize = 2;

/// Batches in memory: one with the decoder, one with the caller, and those decoded ahead.
const BATCHES: u64 = AHEAD as u64 + 2;

/// File that contains a table.
pub(super) struct TableFile {
    pub(super) name: String,
    pub(super) file: InputFile,
    pub(super) bytes: u64,
}

impl TableFile {
    /// Opens a file of `format`, which cannot be read from a stream.
    pub(super) fn open(origin: &Origin, format: &str) -> Result<Self> {
        match (origin.input_file()?, origin.bytes) {
            (Some(file), Some(bytes)) => Ok(Self { name: origin.name.clone(), file, bytes }),
            _ => Err(Error::Usage(format!("{} cannot be read as {format}, which needs a file on disk", origin.name))),
        }
    }

    pub(super) fn damaged(&self, message: &str) -> Error {
        damaged(&self.name, message)
    }

    /// Returns the result of a decoder, or an error if it fails or panics.
    pub(super) fn decoded<T, E: Display>(&self, decode: impl FnOnce() -> Result<T, E>) -> Result<T> {
        decoded(&self.name, decode)
    }
}

/// Sequentially read table.
pub(super) trait Table: Send {
    /// Returns the next rows, with only the columns of edges; `None` at the end.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>>;
}

/// Opened table.
pub(super) struct OpenTable {
    pub(super) name: String,
    pub(super) format: EdgeFormat,
    /// Columns of the whole table.
    pub(super) columns: EdgeColumns,
    /// The number of rows, if known.
    pub(super) rows: Option<u64>,
    pub(super) table: Box<dyn Table>,
}

/// Message from the decoder.
enum Decoded {
    Edges(EdgeBatch),
    Failed(Error),
    End(Box<FileSummary>),
}

/// Reader of the edges of a table.
pub(super) struct TableReader {
    /// Decoder, until it starts.
    decoder: Option<Decoder>,
    batches: Receiver<Decoded>,
    spares: Sender<EdgeBatch>,
    declared_facts: DeclaredFacts,
    kind: IdKind,
    summary: FileSummary,
    ended: bool,
    _held: Arc<Reservation>,
}

impl TableReader {
    /// Reads the edges of a table; reserves memory for them from the budget.
    pub(super) fn open(open: OpenTable, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
        let OpenTable { name, format, columns, rows, table } = open;
        let kind = columns.kind();
        check_kind(&name, &columns, context.kind)?;
        let held = Arc::new(context.budget.reserve(BATCHES * BATCH_BYTES, Purpose::InputBuffers)?);
        let (sender, batches) = bounded(AHEAD);
        let (spares, spare) = bounded(AHEAD + 1);
        let summary = FileSummary { name: name.clone(), format: format.name().to_owned(), ..FileSummary::default() };
        let summary = columns.account(summary);
        let rows_taken = EdgeRows::new(
            &name,
            columns.projected(),
            1,
            context.options.ids.largest(),
            context.options.weight_type,
            context.options.on_error,
        );
        let decoder = Decoder {
            table,
            rows: rows_taken,
            rest: None,
            sender,
            spare,
            summary: summary.clone(),
            _held: Arc::clone(&held),
        };
        let times = columns.times();
        let declared_facts = DeclaredFacts { id_kind: Some(kind), edges: rows, times, ..DeclaredFacts::default() };
        Ok(Box::new(Self {
            decoder: Some(decoder),
            batches,
            spares,
            declared_facts,
            kind,
            summary,
            ended: false,
            _held: held,
        }))
    }
}

fn check_kind(name: &str, columns: &EdgeColumns, expected: Option<IdKind>) -> Result<()> {
    let Some(expected) = expected.filter(|expected| *expected != columns.kind()) else { return Ok(()) };
    let named = |kind: IdKind| if kind == IdKind::Text { "strings" } else { "integers" };
    let (found, names) = (named(columns.kind()), columns.names());
    let (columns, have) = if names.len() == 1 { ("column", "has") } else { ("columns", "have") };
    let message = format!("the {columns} {} {have} {found} as IDs, expected {}", names.join(", "), named(expected));
    Err(Error::bad_input(Location::file(name), format!("{message}, as required by --ids or other files")))
}

impl FileReader for TableReader {
    fn declared_facts(&self) -> DeclaredFacts {
        self.declared_facts.clone()
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        if let Some(decoder) = self.decoder.take() {
            let started = thread::Builder::new().name("outcrop-decode".to_owned()).spawn(|| decoder.run());
            started.map_err(|source| Error::io("start a thread for", "reading edges", source))?;
        }
        while !self.ended {
            match self.batches.recv() {
                Ok(Decoded::Edges(edges)) => {
                    _ = self.spares.try_send(std::mem::replace(batch, edges));
                    if !batch.is_empty() {
                        return Ok(true);
                    }
                }
                Ok(Decoded::Failed(error)) => return Err(error),
                Ok(Decoded::End(summary)) => {
                    self.summary = *summary;
                    self.ended = true;
                }
                Err(_) => return Err(Error::internal("the thread that decodes edges ended before its table did")),
            }
        }
        *batch = EdgeBatch::empty(self.kind);
        Ok(false)
    }

    fn summary(&self) -> FileSummary {
        self.summary.clone()
    }
}

/// State of the decoding thread.
struct Decoder {
    table: Box<dyn Table>,
    rows: EdgeRows,
    /// Decoded rows, and the number of those already returned.
    rest: Option<(RecordBatch, usize)>,
    sender: Sender<Decoded>,
    spare: Receiver<EdgeBatch>,
    summary: FileSummary,
    _held: Arc<Reservation>,
}

impl Decoder {
    fn run(mut self) {
        let last = loop {
            let next = match catch_unwind(AssertUnwindSafe(|| self.next())) {
                Ok(next) => next,
                Err(payload) => Err(Error::panicked("the thread that decodes edges", payload.as_ref())),
            };
            match next {
                Ok(Some(batch)) => {
                    if self.sender.send(Decoded::Edges(batch)).is_err() {
                        return;
                    }
                }
                Ok(None) => break Decoded::End(Box::new(self.rows.account(self.summary.clone()))),
                Err(error) => break Decoded::Failed(error),
            }
        };
        // The receiver of the end opens the next table, which reuses the memory of this one.
        let sender = self.sender.clone();
        drop(self);
        _ = sender.send(last);
    }

    fn next(&mut self) -> Result<Option<EdgeBatch>> {
        let (rows, from) = match self.rest.take() {
            Some(rest) => rest,
            None => match self.table.next_rows()? {
                Some(rows) => (rows, 0),
                None => return Ok(None),
            },
        };
        let mut batch = self.spare.try_recv().unwrap_or_else(|_| EdgeBatch::empty(IdKind::Integer));
        let taken = from + self.rows.take(&rows, from, &mut batch)?;
        self.rest = (taken < rows.num_rows()).then_some((rows, taken));
        Ok(Some(batch))
    }
}
