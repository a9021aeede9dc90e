use super::*;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, LargeStringArray, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{DataType, Field};
use proptest::prelude::*;
use std::fs::{self, File};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

mod failures;
mod numpy;
mod round_trips;

fn table(columns: Vec<(&str, ArrayRef, bool)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array, nulls)| Field::new(*name, array.data_type().clone(), *nulls)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, array, _)| array).collect())
        .unwrap()
}

fn array(values: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(values)
}

fn distances() -> RecordBatch {
    table(vec![
        ("node", array(UInt64Array::from(vec![3, 5, u64::MAX])), false),
        ("distance", array(UInt32Array::from(vec![Some(0), None, Some(u32::MAX)])), true),
        ("score", array(Float64Array::from(vec![0.1, f64::INFINITY, 1e-7])), false),
    ])
}

fn write_file(path: &Path, format: TableFormat, batches: &[RecordBatch], overwrite: bool) -> Result<()> {
    let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
    let mut writer = TableWriter::create(path, format, batches[0].schema_ref(), rows, overwrite)?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()
}

fn bytes_of(format: TableFormat, batches: &[RecordBatch]) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    write_file(&path, format, batches, false).unwrap();
    fs::read(path).unwrap()
}

fn text_of(format: TableFormat, batch: RecordBatch) -> String {
    String::from_utf8(bytes_of(format, &[batch])).unwrap()
}

fn names_in(folder: &TempDir) -> Vec<String> {
    fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
