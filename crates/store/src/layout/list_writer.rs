//! Writers of one direction's lists from ordered arcs, for any layout.

use crate::component::{ComponentWriter, FileEntry, StoreId};
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId};
use std::path::Path;

/// Number of vertices between checks for interruption: a gap between two vertices with edges may be billions wide.
const CHECKED_VERTICES: u32 = 1 << 20;

/// Destination of the files of one direction.
#[derive(Clone, Copy)]
pub(crate) struct ListTarget<'t> {
    pub(crate) storage: &'t dyn Storage,
    pub(crate) folder: &'t Path,
    pub(crate) id: StoreId,
    pub(crate) direction: Direction,
}

impl ListTarget<'_> {
    /// Starts the component `name`.
    pub(crate) fn component(&self, name: &str) -> Result<ComponentWriter> {
        ComponentWriter::create(self.storage, self.folder, self.id, name)
    }
}

/// Writer of a layout: accepts the lists of all vertices in order, each from its first entry to its last.
pub(crate) trait ListWriter {
    /// Type of the lists' manifest entry.
    type Entry;

    /// Appends an entry to the list of `vertex`.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written, or if the lists are too long for the layout.
    fn push(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()>;

    /// Ends the list of `vertex`, which has `degree` entries.
    ///
    /// # Errors
    /// Returns the errors of [`ListWriter::push`].
    fn end_list(&mut self, vertex: VertexId, degree: u32) -> Result<()>;

    /// Finishes the lists of `vertices` vertices with `arcs` entries in total, and syncs the files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written or synced.
    fn finish(self, vertices: u32, arcs: u64) -> Result<(Self::Entry, Vec<FileEntry>)>;
}

/// Accepts the arcs of one direction in ascending order of vertex and neighbor, and ends each list when the next
/// starts.
pub(crate) struct ArcWriter<W> {
    writer: W,
    /// Vertex of the current list, and the length of the list so far.
    vertex: VertexId,
    degree: u32,
    arcs: u64,
    cancellation: Cancellation,
}

impl<W: ListWriter> ArcWriter<W> {
    pub(crate) fn new(writer: W, cancellation: &Cancellation) -> Self {
        Self { writer, vertex: 0, degree: 0, arcs: 0, cancellation: cancellation.clone() }
    }

    /// Appends an arc: `neighbor` in the list of `vertex`. Vertices must not descend.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written, or if the lists are too long for the layout.
    #[inline]
    pub(crate) fn push(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        if vertex != self.vertex {
            self.advance_to(vertex)?;
        }
        self.degree = self.degree.checked_add(1).ok_or_else(|| too_long(vertex))?;
        self.writer.push(vertex, neighbor, weight)
    }

    fn advance_to(&mut self, vertex: VertexId) -> Result<()> {
        while self.vertex < vertex {
            self.writer.end_list(self.vertex, self.degree)?;
            self.arcs += u64::from(self.degree);
            self.degree = 0;
            self.vertex += 1;
            if self.vertex.is_multiple_of(CHECKED_VERTICES) {
                self.cancellation.check()?;
            }
        }
        Ok(())
    }

    /// Finishes the lists of all `vertices`; returns their manifest entry, the number of arcs, and the files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written or synced.
    pub(crate) fn finish(mut self, vertices: u32) -> Result<(W::Entry, u64, Vec<FileEntry>)> {
        self.advance_to(vertices)?;
        let (entry, files) = self.writer.finish(vertices, self.arcs)?;
        Ok((entry, self.arcs, files))
    }
}

#[cold]
fn too_long(vertex: VertexId) -> Error {
    Error::Usage(format!("vertex number {vertex} has more than 4294967295 edges; remove repeated edges with --dedup"))
}
