//! Writes one direction of the `csr` layout, in constant memory.

use super::format::{ListGeometry, edges_name};
use super::settings::CsrSettings;
use crate::component::{ComponentWriter, FileEntry};
use crate::layout::csr::entry::{CsrEntry, Interval};
use crate::layout::degrees_name;
use crate::layout::list_writer::{ListTarget, ListWriter};
use crate::layout::paged_lists::BLOCK_VERTICES;
use outcrop_types::{Direction, Error, Result, VertexId, index_from, length_from};

/// Writer of pages of entries, and of degrees.
pub(crate) struct CsrWriter {
    direction: Direction,
    geometry: ListGeometry,
    degrees: ComponentWriter,
    edges: ComponentWriter,
    ids: Vec<VertexId>,
    weights: Vec<f64>,
    /// Encoded weights of a page.
    bytes: Vec<u8>,
    /// Number of entries of all lists of the current block.
    block_entries: u32,
    interval_arcs: u64,
    /// Number of entries at which an interval is closed.
    longest_interval: u64,
    intervals: Vec<Interval>,
}

impl CsrWriter {
    /// Returns the memory of one writer, in bytes.
    pub(crate) const fn memory(settings: CsrSettings) -> u64 {
        let (page, few) = (settings.page(), 12 << 10);
        ComponentWriter::MEMORY_BYTES + ComponentWriter::memory(page) + 3 * length_from(page) + few
    }

    /// Creates the files; an interval is closed once it has `longest_interval` entries.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created.
    pub(crate) fn create(target: &ListTarget<'_>, geometry: ListGeometry, longest_interval: u64) -> Result<Self> {
        let ListTarget { storage, folder, id, direction } = *target;
        let page = geometry.page_bytes();
        let capacity = index_from(geometry.entries());
        Ok(Self {
            direction,
            geometry,
            degrees: target.component(&degrees_name(direction))?,
            edges: ComponentWriter::with_units_of(page, storage, folder, id, &edges_name(direction))?,
            ids: Vec::with_capacity(capacity),
            weights: Vec::with_capacity(if geometry.weights().is_some() { capacity } else { 0 }),
            bytes: Vec::new(),
            block_entries: 0,
            interval_arcs: 0,
            longest_interval,
            intervals: vec![Interval { first_vertex: 0, first_unit: 0 }],
        })
    }

    fn begin_block(&mut self, first_vertex: VertexId) -> Result<()> {
        self.block_entries = 0;
        if self.interval_arcs < self.longest_interval {
            return Ok(());
        }
        self.finish_page()?;
        self.interval_arcs = 0;
        self.intervals.push(Interval { first_vertex, first_unit: self.edges.units() });
        Ok(())
    }

    fn finish_page(&mut self) -> Result<()> {
        if self.ids.is_empty() {
            return Ok(());
        }
        let entries = index_from(self.geometry.entries());
        self.ids.resize(entries, 0);
        self.edges.write(bytemuck::cast_slice(&self.ids))?;
        self.ids.clear();
        if let Some(kind) = self.geometry.weights() {
            self.weights.resize(entries, 0.0);
            self.bytes.clear();
            kind.narrow(&self.weights, &mut self.bytes);
            self.edges.write(&self.bytes)?;
            self.weights.clear();
        }
        self.edges.finish_unit()
    }
}

impl ListWriter for CsrWriter {
    type Entry = CsrEntry;

    #[inline]
    fn push(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        self.block_entries = self.block_entries.checked_add(1).ok_or_else(|| too_dense(vertex))?;
        self.ids.push(neighbor);
        if self.geometry.weights().is_some() {
            self.weights.push(weight);
        }
        if length_from(self.ids.len()) == self.geometry.entries() { self.finish_page() } else { Ok(()) }
    }

    fn end_list(&mut self, vertex: VertexId, degree: u32) -> Result<()> {
        self.degrees.write(&degree.to_le_bytes())?;
        self.interval_arcs += u64::from(degree);
        let next = vertex + 1;
        if next.is_multiple_of(BLOCK_VERTICES) { self.begin_block(next) } else { Ok(()) }
    }

    fn finish(mut self, vertices: u32, arcs: u64) -> Result<(CsrEntry, Vec<FileEntry>)> {
        self.finish_page()?;
        self.intervals.retain(|interval| interval.first_vertex < vertices);
        let page_bytes = self.geometry.settings().page_bytes;
        let entry = CsrEntry { direction: self.direction, arcs, page_bytes, intervals: self.intervals };
        Ok((entry, vec![self.degrees.finish()?, self.edges.finish()?]))
    }
}

#[cold]
fn too_dense(vertex: VertexId) -> Error {
    let first = vertex - vertex % BLOCK_VERTICES;
    Error::Usage(format!(
        "the 64 vertices from number {first} have more than 4294967295 edges; remove repeated edges with --dedup"
    ))
}
