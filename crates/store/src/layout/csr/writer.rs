//! Writes one direction of the `csr` layout from arcs in order, in constant memory.

use super::format::{ListGeometry, edges_name};
use super::settings::CsrSettings;
use crate::component::FileEntry;
use crate::component::{ComponentWriter, StoreId};
use crate::layout::csr::entry::{CsrEntry, Interval};
use crate::layout::degrees_name;
use crate::layout::paged_lists::BLOCK_VERTICES;
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId, index_from, length_from};
use std::path::Path;

/// Interruption is looked for every so many vertices: a gap between two vertices with edges may be billions wide.
const CHECKED_VERTICES: u32 = 1 << 20;

/// Takes the arcs of one direction in ascending order of vertex and neighbour.
pub struct CsrWriter {
    direction: Direction,
    geometry: ListGeometry,
    degrees: ComponentWriter,
    edges: ComponentWriter,
    ids: Vec<VertexId>,
    weights: Vec<f64>,
    /// The weights of a page as they are written.
    bytes: Vec<u8>,
    /// The vertex whose list is being written, how long that list is, and how long all lists of its block are.
    vertex: VertexId,
    degree: u32,
    block_entries: u32,
    arcs: u64,
    interval_arcs: u64,
    /// An interval is closed once it has so many entries.
    longest_interval: u64,
    intervals: Vec<Interval>,
    cancellation: Cancellation,
}

impl CsrWriter {
    /// Memory of one writer, in bytes.
    pub const fn memory(settings: CsrSettings) -> u64 {
        let (page, few) = (settings.page(), 12 << 10);
        ComponentWriter::MEMORY_BYTES + ComponentWriter::memory(page) + 3 * length_from(page) + few
    }

    /// Starts the files of `direction` in `folder`; an interval is closed once it has `longest_interval` entries.
    ///
    /// # Errors
    /// The files cannot be created.
    pub fn create(
        storage: &dyn Storage,
        folder: &Path,
        id: StoreId,
        direction: Direction,
        geometry: ListGeometry,
        longest_interval: u64,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let page = geometry.page_bytes();
        let capacity = index_from(geometry.entries());
        Ok(Self {
            direction,
            geometry,
            degrees: ComponentWriter::create(storage, folder, id, &degrees_name(direction))?,
            edges: ComponentWriter::with_units_of(page, storage, folder, id, &edges_name(direction))?,
            ids: Vec::with_capacity(capacity),
            weights: Vec::with_capacity(if geometry.weights().is_some() { capacity } else { 0 }),
            bytes: Vec::new(),
            vertex: 0,
            degree: 0,
            block_entries: 0,
            arcs: 0,
            interval_arcs: 0,
            longest_interval,
            intervals: vec![Interval { first_vertex: 0, first_unit: 0 }],
            cancellation: cancellation.clone(),
        })
    }

    /// The next arc: `neighbour` in the list of `vertex`, which is not below the vertex before.
    ///
    /// # Errors
    /// The files cannot be written, or 64 vertices have more than 2^32 - 1 entries together.
    #[inline]
    pub fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        if vertex != self.vertex {
            self.advance_to(vertex)?;
        }
        self.degree += 1;
        self.block_entries = self.block_entries.checked_add(1).ok_or_else(|| too_dense(vertex))?;
        self.ids.push(neighbour);
        if self.geometry.weights().is_some() {
            self.weights.push(weight);
        }
        if length_from(self.ids.len()) == self.geometry.entries() {
            self.finish_page()?;
        }
        Ok(())
    }

    fn advance_to(&mut self, vertex: VertexId) -> Result<()> {
        while self.vertex < vertex {
            self.degrees.write(&self.degree.to_le_bytes())?;
            self.interval_arcs += u64::from(self.degree);
            self.arcs += u64::from(self.degree);
            self.degree = 0;
            self.vertex += 1;
            if self.vertex.is_multiple_of(BLOCK_VERTICES) {
                self.begin_block()?;
            }
        }
        Ok(())
    }

    fn begin_block(&mut self) -> Result<()> {
        self.block_entries = 0;
        if self.vertex.is_multiple_of(CHECKED_VERTICES) {
            self.cancellation.check()?;
        }
        if self.interval_arcs < self.longest_interval {
            return Ok(());
        }
        self.finish_page()?;
        self.interval_arcs = 0;
        self.intervals.push(Interval { first_vertex: self.vertex, first_unit: self.edges.units() });
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

    /// Ends the lists of all `vertices` and makes the files durable.
    ///
    /// # Errors
    /// The files cannot be written or synced.
    pub fn finish(mut self, vertices: u32) -> Result<(CsrEntry, [FileEntry; 2])> {
        self.advance_to(vertices)?;
        self.finish_page()?;
        self.intervals.retain(|interval| interval.first_vertex < vertices);
        let page_bytes = self.geometry.settings().page_bytes;
        let entry = CsrEntry { direction: self.direction, arcs: self.arcs, page_bytes, intervals: self.intervals };
        Ok((entry, [self.degrees.finish()?, self.edges.finish()?]))
    }
}

#[cold]
fn too_dense(vertex: VertexId) -> Error {
    let first = vertex - vertex % BLOCK_VERTICES;
    Error::Usage(format!(
        "the 64 vertices from number {first} on have more than 4294967295 edges together; drop repeated edges with --dedup"
    ))
}
