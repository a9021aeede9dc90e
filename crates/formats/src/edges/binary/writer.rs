//! Writer of binary edge files.

use super::format::{BLOCK_EDGES, BinaryHeader, HEADER_BYTES, IdWidth, block_checksum};
use crate::edges::sink::{EdgeSink, check_weights};
use crate::edges::target_file::{TargetFile, is_standard_output};
use outcrop_types::{Error, Result, WeightType, length_from};
use std::io::Write;
use std::path::Path;

/// Writer of a binary edge file. Uses at most 3.1 MiB.
pub struct BinaryEdgeWriter {
    file: TargetFile,
    header: BinaryHeader,
    /// Number of edges in a header that is already written.
    expected: Option<u64>,
    edges: Vec<[u64; 2]>,
    weights: Vec<f64>,
    block: u64,
    bytes: Vec<u8>,
}

impl BinaryEdgeWriter {
    /// Creates a file with IDs of the given width below `num_vertices`, or writes to standard output (`-`) exactly
    /// `num_edges` edges. Weights are rounded to single precision unless they are of a double-precision type.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, or if writing fails.
    pub(crate) fn create(
        path: &Path,
        weights: Option<WeightType>,
        width: IdWidth,
        num_vertices: Option<u64>,
        num_edges: u64,
        overwrite: bool,
    ) -> Result<Self> {
        let piped = is_standard_output(path);
        let mut file = TargetFile::create(path, overwrite)?;
        let mut header = BinaryHeader { weights, width, num_vertices, num_edges };
        let start = if piped { header.to_bytes() } else { vec![0; HEADER_BYTES] };
        file.write_all(&start).map_err(|source| Error::io("write", path, source))?;
        header.num_edges = 0;
        let expected = piped.then_some(num_edges);
        Ok(Self { file, header, expected, edges: Vec::new(), weights: Vec::new(), block: 0, bytes: Vec::new() })
    }

    fn check_ids(&self, edges: &[[u64; 2]]) -> Result<()> {
        let widest = if self.header.width == IdWidth::Four { u64::from(u32::MAX) } else { u64::MAX };
        let largest = self.header.num_vertices.map_or(widest, |count| widest.min(count.saturating_sub(1)));
        match edges.iter().flatten().find(|id| **id > largest || self.header.num_vertices == Some(0)) {
            Some(id) => Err(Error::internal(format!("the ID {id} exceeds {largest}, the largest ID of this file"))),
            None => Ok(()),
        }
    }

    fn write_block(&mut self) -> Result<()> {
        self.bytes.clear();
        self.bytes.resize(8, 0);
        for end in 0..2 {
            let column = self.edges.iter().map(|edge| edge[end].to_le_bytes());
            match self.header.width {
                IdWidth::Four => self.bytes.extend(column.flat_map(|[a, b, c, d, ..]| [a, b, c, d])),
                IdWidth::Eight => self.bytes.extend(column.flatten()),
            }
        }
        self.header.weights.iter().for_each(|kind| kind.narrow(&self.weights, &mut self.bytes));
        let (sum, content) = self.bytes.split_at_mut(8);
        sum.copy_from_slice(&block_checksum(self.block, content).to_le_bytes());
        self.file.write_all(&self.bytes).map_err(|source| Error::io("write", self.file.path(), source))?;
        self.header.num_edges += length_from(self.edges.len());
        self.block += 1;
        self.edges.clear();
        self.weights.clear();
        Ok(())
    }
}

impl EdgeSink for BinaryEdgeWriter {
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()> {
        check_weights(edges.len(), weights, self.header.weights.is_some())?;
        self.check_ids(edges)?;
        let (mut edges, mut weights) = (edges, weights);
        while !edges.is_empty() {
            let count = edges.len().min(BLOCK_EDGES - self.edges.len());
            let (now, later) = edges.split_at(count);
            let (now_weights, later_weights) = weights.split_at(count.min(weights.len()));
            self.edges.extend_from_slice(now);
            self.weights.extend_from_slice(now_weights);
            (edges, weights) = (later, later_weights);
            if self.edges.len() == BLOCK_EDGES {
                self.write_block()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        if !self.edges.is_empty() {
            self.write_block()?;
        }
        match self.expected {
            Some(expected) if expected != self.header.num_edges => {
                let message = format!("{} edges were written, not {expected}", self.header.num_edges);
                return Err(Error::internal(message));
            }
            Some(_) => {}
            None => self.file.rewrite_start(&self.header.to_bytes())?,
        }
        self.file.publish()?;
        Ok(self.header.num_edges)
    }
}
