//! Row groups of a Parquet file: their bounds, and the memory needed to read them.

use super::pages::{Chunk, ColumnNeed, PageError, measure};
use crate::edges::columnar::table::TableFile;
use crate::remote::GroupNeed;
use outcrop_types::{Error, Location, Result};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Number of row groups of an object that are measured concurrently: each page is one request, and the pages of a group
/// are requested one after the other.
const MEASURED_AT_ONCE: usize = 16;

/// Row groups of a file.
pub(super) struct Groups {
    pub(super) file: TableFile,
    pub(super) metadata: ArrowReaderMetadata,
    /// Positions of the columns to read.
    pub(super) positions: Vec<usize>,
}

impl Groups {
    pub(super) fn count(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// Returns the number of rows of a group.
    pub(super) fn rows(&self, group: usize) -> Option<u64> {
        rows_of(self.metadata.metadata().row_group(group))
    }

    /// Returns the memory of the largest row group. The row groups of an object are measured once, since an object
    /// cannot change unnoticed.
    pub(super) fn largest_need(&self) -> Result<u64> {
        let largest = |needs: &[GroupNeed]| needs.iter().map(|need| need.bytes).max().unwrap_or(0);
        let Some(object) = self.file.file.object() else {
            let needs = (0..self.count()).map(|group| self.need(group, false)).collect::<Result<Vec<_>>>()?;
            return Ok(largest(&needs));
        };
        let needs = match object.groups.get() {
            Some(needs) => needs,
            None => {
                let measured = self.measure_at_once()?;
                object.groups.get_or_init(|| measured)
            }
        };
        Ok(largest(needs))
    }

    /// Returns the memory of the row group to be read next.
    pub(super) fn need_now(&self, group: usize) -> Result<GroupNeed> {
        let known = self.file.file.object().and_then(|object| object.groups.get()?.get(group).copied());
        let unpacked = self.chunks(group)?.iter().any(Chunk::is_unpacked_to_measure);
        known.filter(|_| !unpacked).map_or_else(|| self.need(group, true), Ok)
    }

    /// Returns the memory of every row group, measured concurrently.
    fn measure_at_once(&self) -> Result<Vec<GroupNeed>> {
        let next = AtomicUsize::new(0);
        let measure = || {
            let groups = std::iter::from_fn(|| Some(next.fetch_add(1, Relaxed)).filter(|group| *group < self.count()));
            groups.map(|group| self.need(group, false).map(|need| (group, need))).collect::<Result<Vec<_>>>()
        };
        let mut needs = vec![GroupNeed::default(); self.count()];
        thread::scope(|scope| {
            let threads: Vec<_> = (0..MEASURED_AT_ONCE.min(self.count())).map(|_| scope.spawn(measure)).collect();
            for thread in threads {
                let measured = thread.join();
                let measured =
                    measured.map_err(|payload| Error::panicked("the thread that measures pages", &*payload))?;
                measured?.into_iter().for_each(|(group, need)| needs[group] = need);
            }
            Ok(needs)
        })
    }

    /// Returns the memory needed to read a row group. `thorough` decompresses parts that could exceed their declared
    /// length.
    fn need(&self, group: usize, thorough: bool) -> Result<GroupNeed> {
        let mut needs = Vec::new();
        for chunk in self.chunks(group)? {
            let read_whole = thorough && chunk.is_unpacked_to_measure();
            let part = read_whole.then(|| self.file.file.in_parts(std::slice::from_ref(&chunk.bytes)));
            let file = part.as_ref().unwrap_or(&self.file.file);
            needs.push(measure(file, &chunk, thorough).map_err(|error| self.page_error(error))?);
        }
        let rows = needs.iter().map(|need| need.rows()).min().unwrap_or(1);
        let bytes = |need: &ColumnNeed| need.bytes.saturating_add(need.row_bytes.saturating_mul(rows));
        Ok(GroupNeed { bytes: needs.iter().fold(0u64, |sum, need| sum.saturating_add(bytes(need))), rows })
    }

    /// Returns the bounds of the columns to read.
    pub(super) fn chunks(&self, group: usize) -> Result<Vec<Chunk>> {
        let group = self.metadata.metadata().row_group(group);
        let root = |leaf| self.metadata.parquet_schema().get_column_root_idx(leaf);
        let columns = group.columns().iter().enumerate().filter(|(leaf, _)| self.positions.contains(&root(*leaf)));
        columns.map(|(_, column)| self.chunk(group, column)).collect()
    }

    /// Returns the bounds of a column, checked against the file.
    fn chunk(&self, group: &RowGroupMetaData, column: &ColumnChunkMetaData) -> Result<Chunk> {
        if let Compression::BROTLI(_) | Compression::LZO = column.compression() {
            let message = format!("a column is compressed with {}, which is not supported", column.compression());
            let remedy = "write the file with snappy, zstd, gzip or lz4";
            return Err(Error::bad_input(Location::file(&self.file.name), format!("{message}; {remedy}")));
        }
        let rows = rows_of(group).filter(|rows| i64::try_from(*rows) == Ok(column.num_values()));
        let start = u64::try_from(column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset())).ok();
        let end = start.and_then(|start| start.checked_add(u64::try_from(column.compressed_size()).ok()?));
        match (rows, start, end.filter(|end| *end <= self.file.bytes)) {
            (Some(rows), Some(start), Some(end)) => {
                Ok(Chunk { bytes: start..end, rows, codec: column.compression(), values: column.column_type() })
            }
            _ => Err(self.file.damaged("its metadata describes columns that it does not have")),
        }
    }

    fn page_error(&self, error: PageError) -> Error {
        match error {
            PageError::Io(error) => Error::io("read", &self.file.name, error),
            PageError::Damaged(message) => self.file.damaged(&message),
        }
    }
}

fn rows_of(group: &RowGroupMetaData) -> Option<u64> {
    u64::try_from(group.num_rows()).ok()
}
