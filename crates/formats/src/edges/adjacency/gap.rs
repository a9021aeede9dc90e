//! Reader of serialized graphs of the GAP Benchmark Suite: `.sg` and, with weights, `.wsg`.
//!
//! Layout: a byte that is 1 if the graph is directed, the number of arcs, the number of vertices, the offsets of
//! all lists with the end of the last one, and all lists. A directed graph repeats offsets and lists for the other
//! direction. All numbers are little-endian. An undirected graph has each edge in the lists of both of its ends.

use super::balance::Balance;
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::{Origin, Progress};
use crate::edges::reader::{FileReader, ReaderContext, clear_for_ids, whole_ids};
use crate::edges::weight::weight_as;
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{
    Error, FileSummary, Location, Purpose, Reservation, Result, WeightRounding, WeightType, index_from,
};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

const HEADER_BYTES: u64 = 17;

/// Number of arcs, and of list offsets, read at once.
const ENTRIES: usize = 1 << 14;

/// Memory of a reader, in bytes: raw file entries, outgoing edges, edges held by the caller, list positions.
const READER_BYTES: u64 = (ENTRIES * (8 + 2 * 24 + 16)) as u64;

/// Maximum number of vertices: IDs have 31 bits.
const MOST_VERTICES: u64 = 1 << 31;

/// Reader that returns a serialized graph in batches.
pub(crate) struct GapReader {
    file: File,
    name: String,
    format: EdgeFormat,
    bytes: u64,
    directed: bool,
    /// True if each undirected edge is returned in both directions.
    both: bool,
    vertices: u64,
    arcs: u64,
    /// True if weights are read.
    weighted: bool,
    /// The end of a note on unread weights.
    on_unread: &'static str,
    ends: ListEnds,
    /// Vertex whose list comes next, and the end of the previous list.
    vertex: u64,
    list_end: u64,
    /// Number of arcs read so far.
    arcs_read: u64,
    edges: u64,
    balance: Balance,
    rounding: WeightRounding,
    weight_type: Option<WeightType>,
    raw: Vec<u8>,
    progress: Arc<Progress>,
    bytes_done: u64,
    _held: Reservation,
}

/// Ends of the lists, read in pieces.
struct ListEnds {
    values: Vec<u64>,
    next: usize,
    /// Number of ends read from the file.
    read: u64,
    last: u64,
}

/// Opens a graph without weights.
pub(crate) fn open_sg(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    if context.options.wants_weights() {
        let message = "found a graph without weights, expected a .wsg file with weights";
        return Err(Error::bad_input(Location::file(origin.name), message));
    }
    Ok(Box::new(GapReader::open(&origin, EdgeFormat::Sg, context)?))
}

/// Opens a graph with weights.
pub(crate) fn open_wsg(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    Ok(Box::new(GapReader::open(&origin, EdgeFormat::Wsg, context)?))
}

impl GapReader {
    fn open(origin: &Origin, format: EdgeFormat, context: &ReaderContext<'_>) -> Result<Self> {
        let name = origin.name.clone();
        let (Some(file), Some(bytes)) = (origin.file()?, origin.bytes) else {
            let message = format!("{name} cannot be read as {}, which needs a file on disk", format.name());
            return Err(Error::Usage(message));
        };
        context.expect_whole_ids(&name)?;
        let held = context.budget.reserve(READER_BYTES, Purpose::InputBuffers)?;
        let mut reader = Self {
            file,
            name,
            format,
            bytes,
            directed: false,
            both: context.options.directed == Some(true),
            vertices: 0,
            arcs: 0,
            weighted: context.options.wants_weights(),
            on_unread: context.options.on_unread_weights("use --weighted to read them"),
            ends: ListEnds { values: Vec::new(), next: 0, read: 0, last: 0 },
            vertex: 0,
            list_end: 0,
            arcs_read: 0,
            edges: 0,
            balance: Balance::default(),
            rounding: WeightRounding::default(),
            weight_type: context.options.weight_type,
            raw: Vec::new(),
            progress: Arc::clone(context.progress),
            bytes_done: 0,
            _held: held,
        };
        reader.read_header()?;
        reader.check_ids(context)?;
        Ok(reader)
    }

    fn read_header(&mut self) -> Result<()> {
        let (mut directed, mut arcs, mut vertices) = ([0; 1], [0; 8], [0; 8]);
        if self.bytes < HEADER_BYTES {
            return Err(self.damaged("it is shorter than its header"));
        }
        self.read(&mut directed, 0)?;
        self.read(&mut arcs, 1)?;
        self.read(&mut vertices, 9)?;
        (self.arcs, self.vertices) = (u64::from_le_bytes(arcs), u64::from_le_bytes(vertices));
        if directed > [1] || self.vertices > MOST_VERTICES {
            return Err(self.damaged("its header is invalid"));
        }
        self.directed = directed == [1];
        let lists = (self.vertices + 1).checked_mul(8).zip(self.arcs.checked_mul(self.width()));
        let part = lists.and_then(|(ends, arcs)| ends.checked_add(arcs));
        let whole =
            part.and_then(|part| part.checked_mul(if self.directed { 2 } else { 1 })?.checked_add(HEADER_BYTES));
        if whole != Some(self.bytes) {
            let (vertices, arcs) = (self.vertices, self.arcs);
            let expected = whole.map_or_else(|| "more than any file".to_owned(), |whole| whole.to_string());
            let message =
                format!("it has {} bytes, but {vertices} vertices and {arcs} arcs need {expected}", self.bytes);
            return Err(self.damaged(&message));
        }
        let mut first = [0; 8];
        self.read(&mut first, HEADER_BYTES)?;
        if first == [0; 8] { Ok(()) } else { Err(self.damaged("the first list does not start at 0")) }
    }

    fn check_ids(&self, context: &ReaderContext<'_>) -> Result<()> {
        let largest = context.options.ids.largest();
        if self.vertices <= largest.saturating_add(1) {
            return Ok(());
        }
        let message = format!("found {} vertices, expected IDs from 0 to {largest}", self.vertices);
        Err(Error::bad_input(Location::file(&self.name), message))
    }

    /// Returns the number of bytes of an arc.
    const fn width(&self) -> u64 {
        if matches!(self.format, EdgeFormat::Wsg) { 8 } else { 4 }
    }

    fn damaged(&self, message: &str) -> Error {
        let message = format!("the file is damaged or not a {} file: {message}", self.format.name());
        Error::bad_input(Location::file(&self.name), message)
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> Result<()> {
        self.file.read_exact_at(bytes, at).map_err(|error| Error::io("read", &self.name, error))
    }

    /// Returns the end of the list of the next vertex.
    fn next_end(&mut self) -> Result<u64> {
        if self.ends.next == self.ends.values.len() {
            let count = (self.vertices - self.ends.read).min(ENTRIES as u64);
            let mut bytes = vec![0; index_from(8 * count)];
            self.read(&mut bytes, HEADER_BYTES + 8 * (1 + self.ends.read))?;
            self.ends.values.clear();
            self.ends.values.extend(bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)));
            self.ends.next = 0;
            self.ends.read += count;
        }
        let end = self.ends.values.get(self.ends.next).copied();
        self.ends.next += 1;
        let last = self.ends.last;
        let end = end.filter(|end| (last..=self.arcs).contains(end));
        let end =
            end.ok_or_else(|| self.damaged("the offsets of its lists are not ascending up to the number of arcs"))?;
        self.ends.last = end;
        Ok(end)
    }

    /// Advances to the vertex whose list contains the arc at `place`.
    fn find_vertex(&mut self, place: u64) -> Result<u64> {
        while self.list_end <= place {
            if self.vertex == self.vertices {
                return Err(self.damaged("it has arcs after its last list"));
            }
            self.list_end = self.next_end()?;
            self.vertex += 1;
        }
        Ok(self.vertex - 1)
    }

    fn fill(&mut self, raw: &[u8], batch: &mut EdgeBatch) -> Result<()> {
        let width = index_from(self.width() / 4);
        for (arc, place) in raw.as_chunks().0.chunks_exact(width).zip(self.arcs_read..) {
            let source = self.find_vertex(place)?;
            let (target, weight) = (i32::from_le_bytes(arc[0]), arc.get(1).map(|bytes| i32::from_le_bytes(*bytes)));
            let known = u64::try_from(target).ok().filter(|target| *target < self.vertices);
            let message = || self.damaged(&format!("the list of vertex {source} has the neighbor {target}"));
            let target = known.ok_or_else(message)?;
            self.push(source, target, weight, batch)?;
        }
        Ok(())
    }

    fn push(&mut self, source: u64, target: u64, weight: Option<i32>, batch: &mut EdgeBatch) -> Result<()> {
        if !self.directed {
            self.balance.count(source, target, weight.map_or(0, i64::from));
            if source > target && !self.both {
                return Ok(());
            }
        }
        whole_ids(batch)?.extend([source, target]);
        self.edges += 1;
        if let Some(weight) = weight.filter(|_| self.weighted) {
            let (exact, place) = (f64::from(weight), || format!("{}: the edge from {source} to {target}", self.name));
            let stored =
                weight_as(self.weight_type, exact).map_err(|wrong| Error::bad_input(Location::file(place()), wrong))?;
            self.rounding.note(exact, stored, place);
            batch.weights.push(stored);
        }
        Ok(())
    }

    /// Checks the remaining offsets, which no arc has reached.
    fn finish(&mut self) -> Result<()> {
        while self.vertex < self.vertices {
            self.list_end = self.next_end()?;
            self.vertex += 1;
        }
        if self.list_end != self.arcs {
            return Err(self.damaged("its last list does not end at the number of arcs"));
        }
        if !self.balance.is_even() {
            return Err(self.damaged("it is undirected, but an edge is in the list of only one of its ends"));
        }
        self.report(self.bytes);
        Ok(())
    }

    fn report(&mut self, done: u64) {
        self.progress.add(index_from(done.saturating_sub(self.bytes_done)));
        self.bytes_done = self.bytes_done.max(done);
    }
}

impl FileReader for GapReader {
    fn declared_facts(&self) -> DeclaredFacts {
        DeclaredFacts {
            id_kind: Some(IdKind::Integer),
            edges: Some(if self.directed || self.both { self.arcs } else { self.arcs.div_ceil(2) }),
            vertices: self.vertices.checked_sub(1).map(|last| 0..=last),
            directed: Some(self.directed),
            times: None,
        }
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        clear_for_ids(batch);
        while batch.is_empty() && self.arcs_read < self.arcs {
            let count = (self.arcs - self.arcs_read).min(ENTRIES as u64);
            let mut raw = std::mem::take(&mut self.raw);
            raw.resize(index_from(count * self.width()), 0);
            let start = HEADER_BYTES + 8 * (self.vertices + 1) + self.arcs_read * self.width();
            self.read(&mut raw, start)?;
            let filled = self.fill(&raw, batch);
            self.raw = raw;
            filled?;
            self.arcs_read += count;
            self.report(start + count * self.width());
        }
        if batch.is_empty() {
            self.finish()?;
        }
        Ok(!batch.is_empty())
    }

    fn summary(&self) -> FileSummary {
        let unread = matches!(self.format, EdgeFormat::Wsg) && !self.weighted;
        let note = format!("its weights were not read; {}", self.on_unread);
        FileSummary {
            name: self.name.clone(),
            format: self.format.name().to_owned(),
            edges: self.edges,
            stated_vertices: Some(self.vertices),
            stated_directed: Some(self.directed),
            weights: self.weighted.then(|| "int32".to_owned()),
            rounding: self.rounding.clone(),
            notes: unread.then_some(note).into_iter().collect(),
            ..FileSummary::default()
        }
    }
}
