//! Positions of the messages of an Arrow file or stream.

use crate::edges::columnar::table::TableFile;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::{
    DictionaryBatch, Endianness, MessageHeader, MetadataVersion, RecordBatch, root_as_footer, root_as_message,
};
use arrow_schema::Schema;
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, index_from, length_from};
use std::collections::VecDeque;

const MAGIC: &[u8; 6] = b"ARROW1";
const CONTINUATION: u32 = u32::MAX;

/// Bytes of a file before its first message.
const HEAD: u64 = 8;

/// Bytes of a file after its footer: the footer's length and the magic number.
const TAIL: u64 = 10;

/// Ratio of the memory of the footer's contents to its bytes.
const EXPANSION: u64 = 8;

/// Position of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) offset: u64,
    /// Bytes before the body.
    pub(super) metadata: u64,
    pub(super) body: u64,
}

impl Block {
    pub(super) const fn body_start(&self) -> u64 {
        self.offset + self.metadata
    }
}

/// Columns and messages of a file.
pub(super) struct Layout {
    pub(super) schema: Schema,
    /// Blocks in read order: dictionaries before the batches that use them.
    pub(super) blocks: VecDeque<Block>,
    /// Memory of the schema and the blocks.
    pub(super) memory: Reservation,
}

/// Message with rows.
pub(super) enum Message<'m> {
    Batch(RecordBatch<'m>, MetadataVersion),
    Dictionary(DictionaryBatch<'m>, MetadataVersion),
}

impl<'m> Message<'m> {
    /// Reads the header of a message of a file.
    pub(super) fn parse(file: &TableFile, bytes: &'m [u8]) -> Result<Self> {
        let message = root_as_message(flatbuffer(bytes));
        let message = message.map_err(|error| file.damaged(&format!("a message cannot be read ({error})")))?;
        let version = message.version();
        let batch = message.header_as_record_batch().map(|batch| Self::Batch(batch, version));
        let dictionary = || message.header_as_dictionary_batch().map(|batch| Self::Dictionary(batch, version));
        batch.or_else(dictionary).ok_or_else(|| file.damaged("a message is neither a record batch nor a dictionary"))
    }
}

/// Finds the columns and messages of a file.
pub(super) fn read_layout(file: &TableFile, budget: &MemoryBudget) -> Result<Layout> {
    let mut head = [0; 8];
    let length = index_from(file.bytes.min(HEAD));
    read(file, &mut head[..length], 0)?;
    if head.starts_with(MAGIC) {
        return read_footer(file, budget);
    }
    if head.starts_with(b"FEA1") {
        let message = "found a Feather file of version 1, expected version 2 (Arrow IPC); write it again";
        return Err(Error::bad_input(Location::file(&file.name), message));
    }
    read_stream(file, budget)
}

fn read(file: &TableFile, bytes: &mut [u8], at: u64) -> Result<()> {
    file.file.read_exact_at(bytes, at).map_err(|error| Error::io("read", &file.name, error))
}

fn read_footer(file: &TableFile, budget: &MemoryBudget) -> Result<Layout> {
    let cut = |what: &str| file.damaged(&format!("{what}; was it truncated?"));
    let end = file.bytes.checked_sub(TAIL).filter(|end| *end >= HEAD);
    let end = end.ok_or_else(|| cut("it is shorter than any Arrow file"))?;
    let mut tail = [0; TAIL as usize];
    read(file, &mut tail, end)?;
    let [a, b, c, d, magic @ ..] = &tail;
    if magic != MAGIC {
        return Err(cut("it does not end like an Arrow file"));
    }
    let length = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
    let start = end.checked_sub(length).filter(|start| *start >= HEAD);
    let start = start.ok_or_else(|| cut("its footer is longer than the file"))?;
    let memory = budget.reserve(length * EXPANSION, Purpose::InputBuffers)?;
    let mut bytes = vec![0; index_from(length)];
    read(file, &mut bytes, start)?;
    let footer =
        root_as_footer(&bytes).map_err(|error| file.damaged(&format!("its footer cannot be read ({error})")))?;
    let schema = schema_of(file, footer.schema())?;
    let listed = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
    let blocks = listed.map(|block| {
        let place = |value: i64| u64::try_from(value).ok();
        let metadata = u64::try_from(block.metaDataLength()).ok();
        let block = Block { offset: place(block.offset())?, metadata: metadata?, body: place(block.bodyLength())? };
        let end = block.offset.checked_add(block.metadata)?.checked_add(block.body)?;
        (block.offset >= HEAD && end <= start).then_some(block)
    });
    let blocks = blocks.collect::<Option<VecDeque<_>>>();
    let blocks = blocks.ok_or_else(|| file.damaged("its footer lists messages that are not in the file"))?;
    Ok(Layout { schema, blocks, memory })
}

fn schema_of(file: &TableFile, schema: Option<arrow_ipc::Schema<'_>>) -> Result<Schema> {
    let schema = schema.ok_or_else(|| file.damaged("it has no columns"))?;
    if schema.endianness() != Endianness::Little {
        let message = "found big-endian numbers, expected little-endian numbers";
        return Err(Error::bad_input(Location::file(&file.name), message));
    }
    file.decoded(|| Ok::<_, Error>(fb_to_schema(schema)))
}

/// Skips over the messages of a stream to find their positions.
fn read_stream(file: &TableFile, budget: &MemoryBudget) -> Result<Layout> {
    let mut memory = vec![budget.reserve(places_bytes(1), Purpose::InputBuffers)?];
    let mut schema = None;
    let mut blocks = VecDeque::new();
    let mut at = 0;
    while at < file.bytes
        && let Some(metadata) = metadata_length(file, at)?
    {
        let header = budget.reserve(metadata, Purpose::InputBuffers)?;
        let mut block = Block { offset: at, metadata, body: 0 };
        let bytes = read_message(file, block)?;
        let message = root_as_message(flatbuffer(&bytes));
        let message = message.map_err(|error| file.damaged(&format!("a message cannot be read ({error})")))?;
        let body = u64::try_from(message.bodyLength()).ok();
        let end = body.and_then(|body| block.body_start().checked_add(body)).filter(|end| *end <= file.bytes);
        let end = end.ok_or_else(|| file.damaged(&format!("the message at byte {at} is truncated")))?;
        block.body = end - block.body_start();
        match (&schema, message.header_type()) {
            (None, MessageHeader::Schema) => schema = Some(schema_of(file, message.header_as_schema())?),
            (Some(_), MessageHeader::RecordBatch | MessageHeader::DictionaryBatch) => {
                if blocks.len() == blocks.capacity() {
                    memory.push(budget.reserve(places_bytes(blocks.len().max(4)), Purpose::InputBuffers)?);
                }
                blocks.push_back(block);
            }
            _ => return Err(file.damaged(&format!("the message at byte {at} does not belong to a stream of rows"))),
        }
        drop(header);
        at = end;
    }
    let schema = schema.ok_or_else(|| file.damaged("it does not start with a schema message"))?;
    // Without the mark of its end, the file may be a part of a stream.
    if at == file.bytes {
        return Err(file.damaged("the end marker of the stream is missing; was it truncated?"));
    }
    let held = memory.iter().map(Reservation::bytes).sum();
    drop(memory);
    Ok(Layout { schema, blocks, memory: budget.reserve(held, Purpose::InputBuffers)? })
}

/// Returns the number of bytes of a message before its body; `None` at the end of the stream.
fn metadata_length(file: &TableFile, at: u64) -> Result<Option<u64>> {
    let cut = || file.damaged(&format!("the message at byte {at} is truncated"));
    let mut prefix = [[0; 4]; 2];
    let left = file.bytes - at;
    let present = index_from(left.min(8));
    read(file, &mut prefix.as_flattened_mut()[..present], at)?;
    let [first, second] = prefix.map(u32::from_le_bytes);
    // Before Arrow 0.15, the message started with the length.
    let (length, prefix) = if first == CONTINUATION { (second, 8) } else { (first, 4) };
    if present < 4 || (first == CONTINUATION && present < 8) {
        return Err(cut());
    }
    if length == 0 {
        return if left == prefix { Ok(None) } else { end_of_stream(file, at + prefix) };
    }
    let length = u64::from(length) + prefix;
    if length > left { Err(cut()) } else { Ok(Some(length)) }
}

/// Checks that a stream does not end before its file does.
fn end_of_stream(file: &TableFile, at: u64) -> Result<Option<u64>> {
    Err(file.damaged(&format!(
        "its stream of rows ends at byte {at} of {}; does the file contain several streams?",
        file.bytes
    )))
}

/// Reads the part of a message before its body.
pub(super) fn read_message(file: &TableFile, block: Block) -> Result<Vec<u8>> {
    let mut bytes = vec![0; index_from(block.metadata)];
    read(file, &mut bytes, block.offset)?;
    Ok(bytes)
}

/// Returns the part of a message's head that describes it.
fn flatbuffer(bytes: &[u8]) -> &[u8] {
    let prefix = if bytes.starts_with(&CONTINUATION.to_le_bytes()) { 8 } else { 4 };
    // Default: the decoder refuses a message that ends within its head.
    bytes.get(prefix..).unwrap_or_default()
}

/// Returns the memory for the positions of `messages` messages, in bytes.
fn places_bytes(messages: usize) -> u64 {
    length_from(messages * 2 * size_of::<Block>())
}
