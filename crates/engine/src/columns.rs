//! Columns of values, made in memory or on disk.

use crate::interval::Storage;
use crate::messages::Plain;
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues};

/// Values that are made or read at once, of columns on disk.
const BLOCK: u32 = 1 << 13;

/// Place to make columns.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'g> {
    pub(crate) on_disk: bool,
    pub(crate) spill: &'g SpillFolder,
    pub(crate) budget: &'g MemoryBudget,
    pub(crate) cancellation: &'g Cancellation,
}

impl Columns<'_> {
    /// A value for each of `vertices` vertices, made in their order.
    pub(crate) fn made_of<V: Plain>(
        self,
        vertices: u32,
        mut value: impl FnMut(VertexId) -> Result<V>,
    ) -> Result<Storage<V>> {
        if !self.on_disk {
            let mut failed = None;
            let of = |position: usize| {
                let made = value(VertexId::try_from(position).unwrap_or(VertexId::MAX));
                made.unwrap_or_else(|error| {
                    failed.get_or_insert(error);
                    V::zeroed()
                })
            };
            let values = VertexValues::new(self.budget, Purpose::VertexValues, vertices as usize, of)?;
            return failed.map_or(Ok(Storage::Memory(values)), Err);
        }
        let file = ValueFile::filled(self.spill, u64::from(vertices), V::zeroed())?;
        let mut block = Vec::new();
        for start in (0..vertices).step_by(BLOCK as usize) {
            self.cancellation.check()?;
            block.clear();
            for vertex in start..vertices.min(start.saturating_add(BLOCK)) {
                block.push(value(vertex)?);
            }
            file.write(u64::from(start), &block)?;
        }
        Ok(Storage::Disk(file))
    }

    /// A column of `vertices` values that are made from those of another.
    pub(crate) fn project<V: Plain, T: Plain>(
        self,
        vertices: u32,
        values: &Storage<V>,
        part: impl Fn(V) -> T,
    ) -> Result<Storage<T>> {
        let file = match values {
            Storage::Memory(values) => return self.made_of(vertices, |vertex| Ok(part(values[vertex as usize]))),
            Storage::Disk(file) => file,
        };
        let (mut block, mut known) = (Vec::new(), VertexRange::new(0, 0));
        self.made_of(vertices, |vertex| {
            if !known.contains(vertex) {
                known = VertexRange::new(vertex, vertices.min(vertex.saturating_add(BLOCK)));
                block.clear();
                block.resize(known.len(), V::zeroed());
                file.read(u64::from(vertex), &mut block)?;
            }
            Ok(part(block[(vertex - known.start) as usize]))
        })
    }
}

/// Bytes of values on disk that were read and written so far.
pub(crate) fn traffic_of<V: Plain>(values: &Storage<V>) -> (u64, u64) {
    match values {
        Storage::Memory(_) => (0, 0),
        Storage::Disk(file) => file.traffic(),
    }
}
