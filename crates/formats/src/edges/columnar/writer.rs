//! Writer of tables of edges: the columns `source`, `target` and, with weights, `weight`.

use crate::edges::sink::{EdgeSink, NewEdges, check_weights};
use crate::edges::target_file::{is_standard_output, standard_output};
use crate::table::{TableFormat, TableWriter};
use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// Writer of a table of edges.
pub(crate) struct TableSink {
    writer: TableWriter,
    schema: Arc<Schema>,
    edges: u64,
}

impl TableSink {
    /// # Errors
    ///
    /// Returns an error if the file exists and may not be overwritten, or if writing fails.
    pub(crate) fn create(path: &Path, format: TableFormat, file: &NewEdges) -> Result<Self> {
        let id = if file.ids == IdKind::Text { DataType::LargeUtf8 } else { DataType::UInt64 };
        let mut fields = vec![Field::new("source", id.clone(), false), Field::new("target", id, false)];
        fields.extend(file.weights.map(|_| Field::new("weight", DataType::Float64, false)));
        let schema = Schema::new(fields);
        let writer = match is_standard_output(path) {
            true => TableWriter::to_stream(Box::new(standard_output()?), format, &schema)?,
            false => TableWriter::create(path, format, &schema, file.num_edges, file.overwrite)?,
        };
        Ok(Self { writer, schema: Arc::new(schema), edges: file.num_edges })
    }

    fn write(&mut self, ends: [ArrayRef; 2], weights: &[f64]) -> Result<()> {
        check_weights(ends[0].len(), weights, self.schema.fields().len() > 2)?;
        let weights = (!weights.is_empty()).then(|| Arc::new(Float64Array::from(weights.to_vec())) as ArrayRef);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), ends.into_iter().chain(weights).collect());
        self.writer.write(&batch.map_err(|error| Error::internal(format!("rows of edges: {error}")))?)
    }
}

impl EdgeSink for TableSink {
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()> {
        let column = |end: usize| Arc::new(UInt64Array::from_iter_values(edges.iter().map(|edge| edge[end])));
        if edges.is_empty() { Ok(()) } else { self.write([column(0), column(1)], weights) }
    }

    fn push_texts(&mut self, [sources, targets]: [&LargeStringArray; 2], weights: &[f64]) -> Result<()> {
        self.write([Arc::new(sources.clone()), Arc::new(targets.clone())], weights)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        self.writer.finish()?;
        Ok(self.edges)
    }
}
