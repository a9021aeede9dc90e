//! Reader of binary edge files.

use super::format::{BLOCK_EDGES, BinaryHeader, HEADER_BYTES, IdWidth, bad_file, block_checksum};
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::{Origin, Progress, Tap};
use crate::edges::options::EdgeListOptions;
use crate::edges::reader::{FileReader, ReaderContext, clear_for_ids, whole_ids};
use crate::edges::weight::weight_as;
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{
    Error, FileSummary, Location, Purpose, Reservation, Result, WeightRounding, WeightType, index_from,
};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Memory of a reader and the caller's batch, in bytes.
const BINARY_BYTES: u64 = (BLOCK_EDGES * 48 + 8) as u64;

/// Reader that returns a binary edge file block by block.
pub(crate) struct BinaryReader {
    tap: Tap,
    path: PathBuf,
    header: BinaryHeader,
    largest: u64,
    weighted: bool,
    weight_type: Option<WeightType>,
    rounding: WeightRounding,
    block: u64,
    left: u64,
    buffer: Vec<u8>,
    _held: Reservation,
}

impl BinaryReader {
    /// Opens a file as [`open`](Self::open) does.
    pub(crate) fn open_boxed(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
        context.expect_whole_ids(&origin.name)?;
        let held = context.budget.reserve(BINARY_BYTES + origin.stream_bytes(), Purpose::InputBuffers)?;
        Ok(Box::new(Self::open(origin, context.progress, context.options, held)?))
    }

    /// Reads the header and checks it against the length of the file.
    fn open(origin: Origin, progress: &Arc<Progress>, options: &EdgeListOptions, held: Reservation) -> Result<Self> {
        let (path, length) = (PathBuf::from(&origin.name), origin.bytes);
        let mut tap = origin.open(progress)?;
        let mut bytes = vec![0; HEADER_BYTES];
        read_exactly(&mut tap, &mut bytes, &path)?;
        let header = BinaryHeader::from_bytes(&bytes, &path)?;
        check_length(&header, length, &path)?;
        let (weighted, weight_type) = (options.wants_weights(), options.weight_type);
        if weighted && header.weights.is_none() {
            let message = "found edges without weights, expected edges with weights";
            return Err(Error::bad_input(Location::file(path.display().to_string()), message));
        }
        let largest = options.ids.largest();
        let (left, buffer) = (header.num_edges, Vec::new());
        let rounding = WeightRounding::default();
        Ok(Self { tap, path, header, largest, weighted, weight_type, rounding, block: 0, left, buffer, _held: held })
    }

    /// Replaces the content of `batch` with the edges of the next block.
    fn take_block(&mut self, batch: &mut EdgeBatch) -> Result<()> {
        let edges = index_from(self.left.min(BLOCK_EDGES as u64));
        self.read_block(edges)?;
        let ends = edges * self.header.width.bytes();
        let (sources, rest) = self.buffer[8..].split_at(ends);
        let (targets, weights) = rest.split_at(ends);
        let largest = match self.header.width {
            IdWidth::Four => fill_ids(batch, words::<4>(sources), words::<4>(targets), u32::from_le_bytes)?,
            IdWidth::Eight => fill_ids(batch, words::<8>(sources), words::<8>(targets), u64::from_le_bytes)?,
        };
        let finite = self.header.weights.is_none_or(|kind| kind.are_finite(weights));
        if let Some(kind) = self.header.weights.filter(|_| self.weighted) {
            kind.widen(weights, &mut batch.weights);
        }
        self.check_content(largest, finite)?;
        self.convert_weights(batch)?;
        self.block += 1;
        self.left -= edges as u64;
        Ok(())
    }

    /// Converts weights to the requested type.
    fn convert_weights(&mut self, batch: &mut EdgeBatch) -> Result<()> {
        let asked = self.weight_type.filter(|asked| Some(*asked) != self.header.weights);
        for weight in batch.weights.iter_mut().filter(|_| asked.is_some()) {
            let place = || format!("{}: block {}", self.path.display(), self.block);
            let stored = weight_as(asked, *weight).map_err(|wrong| Error::bad_input(Location::file(place()), wrong))?;
            self.rounding.note(*weight, stored, place);
            *weight = stored;
        }
        Ok(())
    }

    fn read_block(&mut self, edges: usize) -> Result<()> {
        self.buffer.resize(8 + self.header.block_bytes(edges), 0);
        read_exactly(&mut self.tap, &mut self.buffer, &self.path)?;
        let (sum, content) = self.buffer.split_at(8);
        if sum != block_checksum(self.block, content).to_le_bytes() {
            return Err(self.damaged("fails its checksum"));
        }
        Ok(())
    }

    fn check_content(&self, largest: u64, finite: bool) -> Result<()> {
        if self.header.num_vertices.is_some_and(|count| largest >= count) {
            return Err(self.damaged(&format!("has the ID {largest}, which is not below the number of vertices")));
        }
        if !finite {
            return Err(self.damaged("has a weight that is not a finite number"));
        }
        if largest > self.largest {
            let message =
                format!("found the ID {largest} in block {}, expected IDs from 0 to {}", self.block, self.largest);
            return Err(Error::bad_input(Location::file(self.path.display().to_string()), message));
        }
        Ok(())
    }

    fn damaged(&self, what: &str) -> Error {
        bad_file(&self.path, format!("block {} {what}", self.block))
    }

    fn check_end(&mut self) -> Result<()> {
        let mut one = [0];
        match self.tap.read(&mut one) {
            Ok(0) => Ok(()),
            Ok(_) => Err(bad_file(&self.path, "it continues after its last block")),
            Err(error) => Err(Error::io("read", &self.path, error)),
        }
    }
}

impl FileReader for BinaryReader {
    fn declared_facts(&self) -> DeclaredFacts {
        DeclaredFacts { id_kind: Some(IdKind::Integer), edges: Some(self.header.num_edges), ..DeclaredFacts::default() }
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        clear_for_ids(batch);
        if self.left == 0 {
            self.check_end()?;
            return Ok(false);
        }
        self.take_block(batch)?;
        Ok(true)
    }

    fn summary(&self) -> FileSummary {
        FileSummary {
            name: self.path.display().to_string(),
            format: EdgeFormat::Outcrop.name().to_owned(),
            edges: self.header.num_edges - self.left,
            rounding: self.rounding.clone(),
            weights: self.header.weights.map(|kind| kind.name().to_owned()),
            ..FileSummary::default()
        }
    }
}

fn check_length(header: &BinaryHeader, length: Option<u64>, path: &Path) -> Result<()> {
    match (header.file_bytes(), length) {
        (Some(expected), Some(found)) if expected == found => Ok(()),
        (Some(_), None) => Ok(()),
        (expected, found) => {
            let bytes = |count: Option<u64>| count.map_or_else(|| "too many".to_owned(), |count| count.to_string());
            let message = format!("it has {} bytes, but its header says {}", bytes(found), bytes(expected));
            Err(bad_file(path, message))
        }
    }
}

fn read_exactly(tap: &mut Tap, buffer: &mut [u8], path: &Path) -> Result<()> {
    tap.read_exact(buffer).map_err(|source| match source.kind() {
        ErrorKind::UnexpectedEof => bad_file(path, "it has fewer edges than its header says"),
        _ => Error::io("read", path, source),
    })
}

fn words<const N: usize>(bytes: &[u8]) -> &[[u8; N]] {
    bytes.as_chunks().0
}

/// Inserts the IDs and returns the largest.
fn fill_ids<const N: usize, T: Into<u64>>(
    batch: &mut EdgeBatch,
    sources: &[[u8; N]],
    targets: &[[u8; N]],
    decode: impl Fn([u8; N]) -> T,
) -> Result<u64> {
    let ids = whole_ids(batch)?;
    ids.reserve_exact(2 * sources.len());
    ids.extend(sources.iter().zip(targets).flat_map(|(u, v)| [decode(*u).into(), decode(*v).into()]));
    Ok(ids.iter().copied().fold(0, u64::max))
}
