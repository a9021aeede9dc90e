//! Writer of serialized graphs of the GAP Benchmark Suite: see `docs/format/edges.md`.

use crate::edges::sink::{EdgeSink, NewEdges, check_weights};
use crate::pending::PendingFile;
use outcrop_types::{Error, Result, length_from};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes collected before each write.
const BUFFER: usize = 256 << 10;

/// Region of the file that is written sequentially.
struct Stretch {
    at: u64,
    bytes: Vec<u8>,
}

impl Stretch {
    const fn new(at: u64) -> Self {
        Self { at, bytes: Vec::new() }
    }

    fn put(&mut self, bytes: &[u8], file: &File) -> std::io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() < BUFFER { Ok(()) } else { self.flush(file) }
    }

    fn flush(&mut self, file: &File) -> std::io::Result<()> {
        file.write_all_at(&self.bytes, self.at)?;
        self.at += length_from(self.bytes.len());
        self.bytes.clear();
        Ok(())
    }
}

/// Writer of a serialized graph. Arcs must arrive sorted by vertex and neighbor: all lists and, for a directed graph,
/// then the lists of the other direction with each arc reversed.
pub(crate) struct GapWriter {
    pending: PendingFile,
    file: File,
    vertices: u64,
    arcs: u64,
    weighted: bool,
    /// Number of unfinished directions, including the current one.
    directions: u32,
    starts: Stretch,
    lists: Stretch,
    /// Vertices whose lists were started, and arcs written, in the current direction.
    begun: u64,
    written: u64,
}

impl GapWriter {
    /// Creates a file for a graph of `file.num_edges` arcs.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and may not be overwritten, if the format cannot represent the number of
    /// vertices, or if writing fails.
    pub(crate) fn create(path: &Path, directed: bool, file: &NewEdges) -> Result<Self> {
        let vertices = file.num_vertices.filter(|count| *count <= 1 << 31).ok_or_else(|| {
            let message = "is limited to IDs of 31 bits, and the graph has larger ones; use another format";
            Error::Usage(format!("{}: a serialized graph {message}", path.display()))
        })?;
        let pending = PendingFile::create(path, file.overwrite)?;
        let target = pending.writer()?;
        let mut starts = Stretch::new(0);
        starts.bytes.push(directed.into());
        starts.bytes.extend(file.num_edges.to_le_bytes());
        starts.bytes.extend(vertices.to_le_bytes());
        let mut writer = Self {
            pending,
            file: target,
            vertices,
            arcs: file.num_edges,
            weighted: file.weights.is_some(),
            directions: if directed { 2 } else { 1 },
            lists: Stretch::new(17 + 8 * (vertices + 1)),
            starts,
            begun: 0,
            written: 0,
        };
        writer.end_full()?;
        Ok(writer)
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::io("write", self.pending.target(), source)
    }

    fn put(&mut self, source: u64, target: u64, weight: Option<f64>) -> Result<()> {
        let known = |id: u64| i32::try_from(id).ok().filter(|_| id < self.vertices);
        let neighbor = known(source).and(known(target)).filter(|_| self.directions > 0 && source + 1 >= self.begun);
        let neighbor = neighbor.ok_or_else(|| {
            Error::internal(format!("the arc from {source} to {target} is out of order in a serialized graph"))
        })?;
        self.begin_until(source + 1)?;
        let mut bytes = neighbor.to_le_bytes().to_vec();
        if let Some(weight) = weight {
            bytes.extend(whole(weight).ok_or_else(|| not_whole(source, target, weight))?.to_le_bytes());
        }
        self.lists.put(&bytes, &self.file).map_err(|source| self.failed(source))?;
        self.written += 1;
        self.end_full()
    }

    /// Starts the lists of all vertices below `end`. If `end` is past the last vertex, also writes the end of the last
    /// list.
    fn begin_until(&mut self, end: u64) -> Result<()> {
        for _ in self.begun..end {
            self.starts.put(&self.written.to_le_bytes(), &self.file).map_err(|source| self.failed(source))?;
        }
        self.begun = self.begun.max(end);
        Ok(())
    }

    /// Starts the next direction once the current one has all its arcs.
    fn end_full(&mut self) -> Result<()> {
        while self.directions > 0 && self.written == self.arcs {
            self.begin_until(self.vertices + 1)?;
            self.starts.flush(&self.file).map_err(|source| self.failed(source))?;
            self.lists.flush(&self.file).map_err(|source| self.failed(source))?;
            let end = self.lists.at;
            (self.starts, self.lists) = (Stretch::new(end), Stretch::new(end + 8 * (self.vertices + 1)));
            self.directions -= 1;
            (self.begun, self.written) = (0, 0);
        }
        Ok(())
    }
}

impl EdgeSink for GapWriter {
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()> {
        check_weights(edges.len(), weights, self.weighted)?;
        let mut weights = weights.iter();
        edges.iter().try_for_each(|[source, target]| self.put(*source, *target, weights.next().copied()))
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        if self.directions > 0 {
            let (found, expected) = (self.written, self.arcs);
            return Err(Error::internal(format!("a serialized graph of {expected} arcs ended after {found}")));
        }
        self.pending.publish()?;
        Ok(self.arcs)
    }
}

/// Returns the weight as the format stores it.
fn whole(weight: f64) -> Option<i32> {
    let whole = weight as i32;
    (f64::from(whole) == weight).then_some(whole)
}

fn not_whole(source: u64, target: u64, weight: f64) -> Error {
    Error::Usage(format!(
        "the edge from {source} to {target} has the weight {weight}, but .wsg files need 32-bit integers; use another format, or .sg without weights"
    ))
}
