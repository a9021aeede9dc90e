//! Writing of one direction's lists from arcs in order, whatever the layout.

use crate::component::{ComponentWriter, FileEntry, StoreId};
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId};
use std::path::Path;

/// Interruption is looked for every so many vertices: a gap between two vertices with edges may be billions wide.
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

/// Writer of a layout: takes the lists of all vertices, one after the other, each from its first entry to its last.
pub(crate) trait ListWriter {
    /// Entry of the lists in the manifest.
    type Entry;

    /// Takes the next entry of the list of `vertex`.
    ///
    /// # Errors
    /// The files cannot be written; the lists are longer than the layout can hold.
    fn push(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()>;

    /// Ends the list of `vertex`, which has `degree` entries.
    ///
    /// # Errors
    /// As for [`ListWriter::push`].
    fn end_list(&mut self, vertex: VertexId, degree: u32) -> Result<()>;

    /// Ends the lists, which are those of `vertices` vertices and have `arcs` entries, and makes the files durable.
    ///
    /// # Errors
    /// The files cannot be written or synced.
    fn finish(self, vertices: u32, arcs: u64) -> Result<(Self::Entry, Vec<FileEntry>)>;
}

/// Takes the arcs of one direction in ascending order of vertex and neighbor, and ends each list where the next
/// begins.
pub(crate) struct ArcWriter<W> {
    writer: W,
    /// The vertex whose list is being written, and how long that list is so far.
    vertex: VertexId,
    degree: u32,
    arcs: u64,
    cancellation: Cancellation,
}

impl<W: ListWriter> ArcWriter<W> {
    pub(crate) fn new(writer: W, cancellation: &Cancellation) -> Self {
        Self { writer, vertex: 0, degree: 0, arcs: 0, cancellation: cancellation.clone() }
    }

    /// Takes the next arc: `neighbor` in the list of `vertex`, which is not below the vertex before.
    ///
    /// # Errors
    /// The files cannot be written, or lists are longer than the layout can hold.
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

    /// Ends the lists of all `vertices`: their entry in the manifest, number of arcs, and the files.
    ///
    /// # Errors
    /// The files cannot be written or synced.
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
