//! Metadata at the end of a Parquet file.

use super::thrift::{Compact, Unreadable};
use crate::edges::columnar::table::TableFile;
use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, index_from};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

/// Bytes after the metadata: their length and the magic number.
const TAIL: u64 = 8;

/// Ratio of the memory of metadata to their bytes.
const EXPANSION: u64 = 8;

/// Maximum number of row groups: their numbers have 16 bits.
const MOST_GROUPS: u64 = 1 << 15;

/// Reads the metadata of a file within the budget.
pub(super) fn read_metadata(file: &TableFile, budget: &MemoryBudget) -> Result<(ParquetMetaData, Reservation)> {
    let failed = |error| Error::io("read", &file.name, error);
    let Some(end) = file.bytes.checked_sub(TAIL) else {
        return Err(file.damaged("it is too short for a Parquet file; was it truncated?"));
    };
    let mut tail = [[0; 4]; 2];
    file.file.read_exact_at(tail.as_flattened_mut(), end).map_err(failed)?;
    let [length, magic] = tail;
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(file.damaged("it is encrypted, which is not supported")),
        _ => return Err(file.damaged("it does not end like a Parquet file; was it truncated?")),
    }
    let length = u64::from(u32::from_le_bytes(length));
    let Some(start) = end.checked_sub(length) else {
        return Err(file.damaged("its metadata is longer than the file"));
    };
    let mut memory = budget.reserve(length * EXPANSION, Purpose::InputBuffers)?;
    let mut bytes = vec![0; index_from(length)];
    file.file.read_exact_at(&mut bytes, start).map_err(failed)?;
    check_lists(&bytes).map_err(|Unreadable| file.damaged("its metadata cannot be read"))?;
    let metadata = file.decoded(|| ParquetMetaDataReader::decode_metadata(&bytes))?;
    memory.shrink_to(length + metadata.memory_size() as u64);
    Ok((metadata, memory))
}

/// Refuses list lengths for which the decoder would allocate memory before it reads the elements.
fn check_lists(bytes: &[u8]) -> Result<(), Unreadable> {
    Compact::new(bytes).fields(|reader, number, _| {
        if number != 2 && number != 4 {
            return Ok(false);
        }
        let (count, kind) = reader.list()?;
        if count > reader.left() as u64 || (number == 4 && count > MOST_GROUPS) {
            return Err(Unreadable);
        }
        reader.pass_elements(count, kind)?;
        Ok(true)
    })
}
