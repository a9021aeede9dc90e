//! One value a vertex, in memory or in a temporary file (LOSC section 3.4: values are mutable, edges are not).

use super::value::IntervalValue;
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_types::{Error, MemoryBudget, Purpose, Result, VertexId, VertexValues, index_from};

/// Place of the values of a run.
#[derive(Clone, Copy, Debug)]
pub enum Residence<'r> {
    /// In memory that is paid for from the budget.
    Memory(&'r MemoryBudget),
    /// In temporary files without names.
    Disk(&'r SpillFolder),
}

/// One value a vertex.
#[derive(Debug)]
pub struct IntervalValues<T: IntervalValue> {
    place: Place<T>,
}

/// Place of the values.
#[derive(Debug)]
pub(super) enum Place<T: IntervalValue> {
    Memory(VertexValues<T::Cell>),
    Disk(ValueFile<T>),
}

/// Values that are finished, in the order of vertices.
#[derive(Debug)]
pub enum Storage<T> {
    /// In memory.
    Memory(VertexValues<T>),
    /// In a temporary file.
    Disk(ValueFile<T>),
}

impl<T: IntervalValue> IntervalValues<T> {
    /// Values of `vertices` vertices, that of each as `value` says.
    ///
    /// # Errors
    /// The budget is too small; [`Error::DiskFull`]; [`Error::Io`].
    pub fn new(residence: &Residence<'_>, vertices: u32, value: impl Fn(VertexId) -> T + Sync) -> Result<Self> {
        let place = match residence {
            Residence::Memory(budget) => {
                let cell = |vertex| value(vertex as VertexId).into_cell();
                Place::Memory(VertexValues::new(budget, Purpose::VertexValues, vertices as usize, cell)?)
            }
            Residence::Disk(folder) => {
                let of = |position| value(VertexId::try_from(position).unwrap_or(VertexId::MAX));
                Place::Disk(ValueFile::made_of(folder, u64::from(vertices), of)?)
            }
        };
        Ok(Self { place })
    }

    /// Values that were made elsewhere.
    #[must_use]
    pub fn from_storage(storage: Storage<T>) -> Self {
        let place = match storage {
            Storage::Memory(values) => Place::Memory(values.map(T::into_cell)),
            Storage::Disk(file) => Place::Disk(file),
        };
        Self { place }
    }

    /// Memory that a vector takes in memory, in bytes; on disk it takes none that lasts.
    pub const fn bytes(vertices: u32) -> u64 {
        VertexValues::<T::Cell>::bytes(vertices as u64)
    }

    /// The finished values.
    #[must_use]
    pub fn into_storage(self) -> Storage<T> {
        match self.place {
            Place::Memory(cells) => Storage::Memory(cells.map(T::from_cell)),
            Place::Disk(file) => Storage::Disk(file),
        }
    }

    /// Bytes read from and written to a file so far; none in memory.
    pub fn traffic(&self) -> (u64, u64) {
        match &self.place {
            Place::Memory(_) => (0, 0),
            Place::Disk(file) => file.traffic(),
        }
    }

    /// The value of one vertex.
    ///
    /// # Errors
    /// There is no such vertex; [`Error::Io`].
    pub fn get(&self, vertex: VertexId) -> Result<T> {
        let mut value = [T::zeroed()];
        match &self.place {
            Place::Memory(cells) => value = [T::load(cells.get(vertex as usize).ok_or_else(|| no_vertex(vertex))?)],
            Place::Disk(file) => file.read(within(file, vertex)?, &mut value)?,
        }
        Ok(value[0])
    }

    /// Replaces the value of one vertex, such as a source.
    ///
    /// # Errors
    /// There is no such vertex; [`Error::DiskFull`]; [`Error::Io`].
    pub fn set(&mut self, vertex: VertexId, value: T) -> Result<()> {
        match &self.place {
            Place::Memory(cells) => value.store(cells.get(vertex as usize).ok_or_else(|| no_vertex(vertex))?),
            Place::Disk(file) => file.write(within(file, vertex)?, &[value])?,
        }
        Ok(())
    }

    /// Number of vertices with a value.
    pub fn len(&self) -> usize {
        match &self.place {
            Place::Memory(cells) => cells.len(),
            Place::Disk(file) => index_from(file.len()),
        }
    }

    /// True if no vertex has one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) const fn place(&self) -> &Place<T> {
        &self.place
    }
}

fn within<T: IntervalValue>(file: &ValueFile<T>, vertex: VertexId) -> Result<u64> {
    Some(u64::from(vertex)).filter(|position| *position < file.len()).ok_or_else(|| no_vertex(vertex))
}

fn no_vertex(vertex: VertexId) -> Error {
    Error::Usage(format!("there is no vertex {vertex}"))
}
