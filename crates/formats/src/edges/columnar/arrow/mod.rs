//! Reader of edges from Arrow IPC files (including Feather version 2) and streams.

mod batches;
mod layout;

use super::columns::EdgeColumns;
use super::table::{OpenTable, Table, TableFile, TableReader};
use crate::edges::format::EdgeFormat;
use crate::edges::input::{Origin, Progress};
use crate::edges::reader::{FileReader, ReaderContext};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_schema::{Schema, SchemaRef};
use batches::{BatchLayout, check_lz4, wanted_buffers};
use layout::{Block, Layout, Message, read_layout, read_message};
use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, index_from};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Reader that returns an Arrow file or stream one record batch at a time.
struct ArrowTable {
    file: TableFile,
    schema: SchemaRef,
    blocks: VecDeque<Block>,
    /// Positions of the columns to read.
    positions: Vec<usize>,
    /// Identifiers of the dictionaries of these columns.
    dictionary_ids: Vec<i64>,
    dictionaries: HashMap<i64, ArrayRef>,
    progress: Arc<Progress>,
    bytes_done: u64,
    /// Memory for the largest record batch.
    room: u64,
    /// Memory of the message positions, of dictionaries and of a record batch.
    held: Vec<Reservation>,
}

/// Opens an Arrow file or stream of edges.
pub(crate) fn open_arrow(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    let file = TableFile::open(&origin, "Arrow IPC")?;
    let Layout { schema, blocks, memory } = read_layout(&file, context.budget)?;
    let columns = EdgeColumns::of_context(context, &file.name, &schema).map_err(|error| error.of_file(&file.name))?;
    let name = file.name.clone();
    let positions = columns.positions();
    let mut table = ArrowTable {
        file,
        dictionary_ids: dictionary_ids(&schema, &positions),
        schema: Arc::new(schema),
        blocks,
        positions,
        dictionaries: HashMap::new(),
        progress: Arc::clone(context.progress),
        bytes_done: 0,
        room: 0,
        held: vec![memory],
    };
    let rows = Some(table.reserve(context.budget)?);
    TableReader::open(OpenTable { name, format: EdgeFormat::Arrow, columns, rows, table: Box::new(table) }, context)
}

#[expect(deprecated, reason = "this crate has no other way from a column to its dictionary")]
fn dictionary_ids(schema: &Schema, positions: &[usize]) -> Vec<i64> {
    positions.iter().filter_map(|position| schema.field(*position).dict_id()).collect()
}

/// Memory that dictionaries need.
#[derive(Default)]
struct DictionaryNeed {
    now: u64,
    largest: u64,
}

impl ArrowTable {
    /// Reserves memory for all dictionaries and the largest record batch; returns the number of rows.
    fn reserve(&mut self, budget: &MemoryBudget) -> Result<u64> {
        let mut rows = 0u64;
        let mut dictionaries = HashMap::<i64, DictionaryNeed>::new();
        for block in &self.blocks {
            let header = budget.reserve(block.metadata, Purpose::InputBuffers)?;
            let bytes = read_message(&self.file, *block)?;
            let message = Message::parse(&self.file, &bytes)?;
            match message {
                Message::Batch(batch, _) => {
                    let layout = self.layout(&batch, *block)?;
                    rows = rows.checked_add(layout.rows).ok_or_else(|| self.damaged("it has too many rows"))?;
                    self.room = self.room.max(layout.memory(&self.file, *block)?);
                }
                Message::Dictionary(batch, _) if self.dictionary_ids.contains(&batch.id()) => {
                    let bytes = self.dictionary_layout(&batch, *block)?.memory(&self.file, *block)?;
                    let need = dictionaries.entry(batch.id()).or_default();
                    // A dictionary that grows is copied together with its new part.
                    let kept = if batch.isDelta() { need.now.saturating_add(bytes) } else { 0 };
                    need.largest = need.largest.max(need.now.saturating_add(bytes).saturating_add(kept));
                    need.now = kept.saturating_add(bytes);
                }
                Message::Dictionary(..) => {}
            }
            drop(header);
        }
        let dictionaries = dictionaries.values().fold(0u64, |sum, need| sum.saturating_add(need.largest));
        self.held.push(budget.reserve(dictionaries.saturating_add(self.room), Purpose::InputBuffers)?);
        Ok(rows)
    }

    fn layout(&self, batch: &arrow_ipc::RecordBatch<'_>, block: Block) -> Result<BatchLayout> {
        let wanted = wanted_buffers(&self.schema, &self.positions, batch);
        let wanted = wanted.ok_or_else(|| self.damaged("the columns of a record batch differ from the table"))?;
        BatchLayout::new(&self.file, batch, block, &wanted)
    }

    fn dictionary_layout(&self, batch: &arrow_ipc::DictionaryBatch<'_>, block: Block) -> Result<BatchLayout> {
        let data = batch.data().ok_or_else(|| self.damaged("a dictionary has no values"))?;
        BatchLayout::new(&self.file, &data, block, &[])
    }

    fn damaged(&self, message: &str) -> Error {
        self.file.damaged(message)
    }

    /// Reads the parts of a body that the columns need; fills the others with zeros.
    fn read_body(&self, block: Block, layout: &BatchLayout) -> Result<Buffer> {
        let start = block.body_start();
        let mut body = arrow_buffer::MutableBuffer::from_len_zeroed(index_from(block.body));
        for part in &layout.parts {
            let place = index_from(part.bytes.start)..index_from(part.bytes.end);
            let bytes = body.get_mut(place).ok_or_else(|| self.damaged("a column extends beyond its record batch"))?;
            let read = self.file.file.read_exact_at(bytes, start + part.bytes.start);
            read.map_err(|error| Error::io("read", &self.file.name, error))?;
            if layout.lz4 {
                check_lz4(&self.file, bytes)?;
            }
        }
        Ok(body.into())
    }

    fn report(&mut self, done: u64) {
        self.progress.add(index_from(done.saturating_sub(self.bytes_done)));
        self.bytes_done = done;
    }
}

impl Table for ArrowTable {
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(block) = self.blocks.pop_front() {
            let bytes = read_message(&self.file, block)?;
            let rows = match Message::parse(&self.file, &bytes)? {
                Message::Batch(batch, version) => {
                    let layout = self.layout(&batch, block)?;
                    if layout.memory(&self.file, block)? > self.room {
                        return Err(self.damaged("it changed while it was read"));
                    }
                    let body = self.read_body(block, &layout)?;
                    Some(self.file.decoded(|| {
                        RecordBatchDecoder::try_new(
                            &body,
                            batch,
                            Arc::clone(&self.schema),
                            &self.dictionaries,
                            &version,
                        )?
                        .with_projection(Some(&self.positions))
                        .read_record_batch()
                    })?)
                }
                Message::Dictionary(batch, version) if self.dictionary_ids.contains(&batch.id()) => {
                    let body = self.read_body(block, &self.dictionary_layout(&batch, block)?)?;
                    let (file, dictionaries) = (&self.file, &mut self.dictionaries);
                    file.decoded(|| read_dictionary(&body, batch, &self.schema, dictionaries, &version))?;
                    None
                }
                Message::Dictionary(..) => None,
            };
            self.report(block.body_start() + block.body);
            if let Some(rows) = rows.filter(|rows| rows.num_rows() > 0) {
                return Ok(Some(rows));
            }
        }
        self.report(self.file.bytes);
        Ok(None)
    }
}
