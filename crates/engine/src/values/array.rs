//! Values per vertex, in memory or in a temporary file (LOSC section 3.4: values are mutable, edges are not).

use super::element::Plain;
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_store::access::Workers;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from,
};

/// Number of values read at once, for an array on disk.
const BLOCK: u32 = 1 << 13;

/// Location of the values of a run.
#[derive(Clone, Copy, Debug)]
pub enum Residence<'r> {
    /// Memory that is reserved from the budget and first touched by all threads.
    Memory(&'r MemoryBudget, &'r Workers),
    /// Temporary files without names; creating one may be interrupted.
    Disk(&'r SpillFolder, &'r Cancellation),
}

/// Values per vertex, in vertex order.
#[derive(Debug)]
pub enum VertexArray<T> {
    /// Values in memory.
    Memory(VertexValues<T>),
    /// Values in a temporary file.
    Disk(ValueFile<T>),
}

impl<T: Plain> VertexArray<T> {
    /// Creates an array with `value(vertex)` for each of `vertices` vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small or the run is interrupted, [`Error::DiskFull`] or [`Error::Io`].
    pub fn new(residence: Residence<'_>, vertices: u32, value: impl Fn(VertexId) -> T + Sync) -> Result<Self> {
        match residence {
            Residence::Memory(budget, workers) => {
                Ok(Self::Memory(workers.values(budget, Purpose::VertexValues, vertices, value)?))
            }
            Residence::Disk(..) => Self::on_disk(residence, vertices, |vertex| Ok(value(vertex))),
        }
    }

    /// Creates an array of values derived from those of the first `vertices` vertices.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`VertexArray::new`], or if a read fails or the data is damaged.
    pub fn project<U: Plain>(
        &self,
        residence: Residence<'_>,
        vertices: u32,
        part: impl Fn(T) -> U + Sync,
    ) -> Result<VertexArray<U>> {
        let file = match self {
            Self::Memory(values) => {
                return VertexArray::new(residence, vertices, |vertex| part(values[vertex as usize]));
            }
            Self::Disk(file) => file,
        };
        let (mut block, mut known) = (Vec::new(), VertexRange::new(0, 0));
        VertexArray::on_disk(residence, vertices, |vertex| {
            if !known.contains(vertex) {
                known = VertexRange::new(vertex, vertices.min(vertex.saturating_add(BLOCK)));
                read(file, known, &mut block)?;
            }
            Ok(part(block[(vertex - known.start) as usize]))
        })
    }

    fn on_disk(residence: Residence<'_>, vertices: u32, mut value: impl FnMut(VertexId) -> Result<T>) -> Result<Self> {
        let Residence::Disk(folder, cancellation) = residence else {
            return Err(Error::internal("values on disk were created for a run with values in memory"));
        };
        let file = ValueFile::made_of(folder, u64::from(vertices), |position| {
            if position.is_multiple_of(u64::from(BLOCK)) {
                cancellation.check()?;
            }
            value(position as VertexId)
        })?;
        Ok(Self::Disk(file))
    }

    /// Returns the memory of `vertices` values in memory, in bytes; on disk they need no permanent memory.
    pub const fn bytes(vertices: u32) -> u64 {
        VertexValues::<T>::bytes(vertices as u64)
    }

    /// Returns the numbers of bytes read from and written to a file so far; 0 in memory.
    pub fn traffic(&self) -> (u64, u64) {
        match self {
            Self::Memory(_) => (0, 0),
            Self::Disk(file) => file.traffic(),
        }
    }

    /// Returns true if the values are in a file.
    pub const fn is_on_disk(&self) -> bool {
        matches!(self, Self::Disk(_))
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(values) => values.len(),
            Self::Disk(file) => index_from(file.length()),
        }
    }

    /// Returns true if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of one vertex.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such vertex, or [`Error::Io`].
    pub fn get(&self, vertex: VertexId) -> Result<T> {
        let mut value = [T::zeroed()];
        match self {
            Self::Memory(values) => value = [*values.get(vertex as usize).ok_or_else(|| no_vertex(vertex))?],
            Self::Disk(file) => file.read(position(file, vertex)?, &mut value)?,
        }
        Ok(value[0])
    }

    /// Replaces the value of one vertex, such as a source.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such vertex, [`Error::DiskFull`] or [`Error::Io`].
    pub fn set(&mut self, vertex: VertexId, value: T) -> Result<()> {
        match self {
            Self::Memory(values) => *values.get_mut(vertex as usize).ok_or_else(|| no_vertex(vertex))? = value,
            Self::Disk(file) => file.write(position(file, vertex)?, &[value])?,
        }
        Ok(())
    }

    /// Passes all values in order to `take`, in blocks.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn for_each_block(&self, mut take: impl FnMut(&[T])) -> Result<()> {
        let file = match self {
            Self::Memory(values) => {
                take(values);
                return Ok(());
            }
            Self::Disk(file) => file,
        };
        let mut block = Vec::new();
        for range in VertexRange::new(0, self.len() as u32).split(BLOCK) {
            read(file, range, &mut block)?;
            take(&block);
        }
        Ok(())
    }
}

/// Replaces the content of `values` with the values of the vertices of `range`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged.
pub(crate) fn read<T: Plain>(file: &ValueFile<T>, range: VertexRange, values: &mut Vec<T>) -> Result<()> {
    values.resize(range.len(), T::zeroed());
    file.read(u64::from(range.start), values)
}

fn position<T: Plain>(file: &ValueFile<T>, vertex: VertexId) -> Result<u64> {
    Some(u64::from(vertex)).filter(|position| *position < file.length()).ok_or_else(|| no_vertex(vertex))
}

fn no_vertex(vertex: VertexId) -> Error {
    Error::internal(format!("vertex {vertex} has no value"))
}
