//! Rows of two columns in Apache Parquet.

use super::node::{NodeKey, NodeValue};
use crate::edges::columnar::{Cell, decoded, ids, weights};
use crate::edges::input::open_file;
use arrow_schema::{DataType, Schema};
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, length_from};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use std::path::Path;

/// Rows per batch.
const BATCH_ROWS: usize = 1 << 12;

/// Memory of the rows of a batch without their texts, as columns and as rows, in bytes.
const BATCH_BYTES: u64 = length_from(BATCH_ROWS * (size_of::<NodeValue>() + 32));

/// Table with a column of IDs and one of numbers.
pub(super) struct ParquetRows {
    reader: ParquetRecordBatchReader,
    name: String,
    /// Positions of the IDs and the values in a batch.
    columns: Columns,
    ids_are_text: bool,
    /// Number of rows read.
    rows: u64,
    _held: Reservation,
}

/// Positions of the two columns.
#[derive(Clone, Copy)]
struct Columns {
    ids: usize,
    values: usize,
}

impl ParquetRows {
    pub(super) fn open(path: &Path, ids_are_text: bool, budget: &MemoryBudget) -> Result<Self> {
        let name = path.display().to_string();
        let bad = |message: String| Error::bad_input(Location::file(&name), message);
        // Use the types of Parquet, so that strings are strings whatever their original Arrow type was.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let file = open_file(path)?;
        let builder = decoded(&name, || ParquetRecordBatchReaderBuilder::try_new_with_options(file, options))?;
        let columns = Columns::find(builder.schema()).map_err(bad)?;
        let held = budget.reserve(BATCH_BYTES + columns.chunk_bytes(builder.metadata()), Purpose::InputBuffers)?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), [columns.ids, columns.values]);
        let reader = decoded(&name, || builder.with_projection(mask).with_batch_size(BATCH_ROWS).build())?;
        Ok(Self { reader, name, columns: columns.projected(), ids_are_text, rows: 0, _held: held })
    }

    pub(super) fn next_batch(&mut self, rows: &mut Vec<NodeValue>) -> Result<()> {
        let Some(batch) = decoded(&self.name, || self.reader.next().transpose())? else { return Ok(()) };
        let readers = (ids(batch.column(self.columns.ids)), weights(batch.column(self.columns.values)));
        let (Some(ids), Some(values)) = readers else {
            return Err(Error::internal("the column types of a batch differ from its table"));
        };
        for row in 0..batch.num_rows() {
            self.rows += 1;
            let key = key_of(ids(row), self.ids_are_text).map_err(|message| self.error_at(self.rows, message))?;
            let value = values(row).map(|value| value.nearest);
            let value = value.filter(|value| value.is_finite()).ok_or_else(|| {
                let found = values(row).map_or_else(|| "null".to_owned(), |value| value.nearest.to_string());
                self.error_at(self.rows, format!("expected a finite number, found {found}"))
            })?;
            rows.push(NodeValue { key, value, place: self.rows });
        }
        Ok(())
    }

    pub(super) fn error_at(&self, place: u64, message: impl Into<String>) -> Error {
        Error::bad_input(Location::file(&self.name), format!("row {place}: {}", message.into()))
    }
}

impl Columns {
    /// Finds the columns `node` and `value`, or the first and second of two columns with any names.
    fn find(schema: &Schema) -> Result<Self, String> {
        let place = |name: &str| schema.fields().iter().position(|field| field.name() == name);
        let named = place("node").zip(place("value"));
        let (ids, values) = named.or((schema.fields().len() == 2).then_some((0, 1))).ok_or_else(|| {
            let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            format!("expected the columns node and value, found {}", names.join(", "))
        })?;
        let type_of = |column: usize| schema.field(column).data_type();
        if !(is_number(type_of(values)) && (type_of(ids).is_integer() || *type_of(ids) == DataType::Utf8)) {
            let (ids, values) = (type_of(ids), type_of(values));
            return Err(format!("expected an ID column and a number column, found types {ids} and {values}"));
        }
        Ok(Self { ids, values })
    }

    /// Returns the positions if there are no other columns.
    const fn projected(self) -> Self {
        let ids_first = self.ids < self.values;
        Self { ids: !ids_first as usize, values: ids_first as usize }
    }

    /// Returns the maximum bytes of the pages of both columns while they are read and decompressed.
    fn chunk_bytes(self, metadata: &ParquetMetaData) -> u64 {
        let of_group = |column: usize| {
            let chunks = metadata.row_groups().iter().filter_map(move |group| group.columns().get(column));
            let bytes = chunks.map(|chunk| chunk.compressed_size().max(0).saturating_add(chunk.uncompressed_size()));
            u64::try_from(bytes.max().unwrap_or(0)).unwrap_or(0)
        };
        of_group(self.ids).saturating_add(of_group(self.values))
    }
}

fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64)
}

/// Returns the ID in a cell, or a description of what was expected and found.
fn key_of(cell: Cell<'_>, text: bool) -> Result<NodeKey, String> {
    let found = match cell {
        Cell::Text(id) if text => return Ok(NodeKey::Text(id.to_owned())),
        Cell::Integer(id) if !text => return Ok(NodeKey::Integer(id)),
        Cell::Integer(id) => id.to_string(),
        Cell::Negative(id) => id.to_string(),
        Cell::Null => "null".to_owned(),
        Cell::Text(_) => "a text".to_owned(),
    };
    match text {
        true => Err(format!("expected a string ID, found {found}")),
        false => Err(format!("expected an ID from 0 to {}, found {found}", u64::MAX)),
    }
}
