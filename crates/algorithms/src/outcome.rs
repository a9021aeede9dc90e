//! Results of algorithms.

use outcrop_engine::VertexArray;
use outcrop_engine::neighborhood::NeighborhoodBuffer;
use outcrop_io::ValueFile;
use outcrop_messages::Records;
use outcrop_types::{VertexValues, index_from};
use std::borrow::Cow;

/// Values per vertex, ordered by vertex number, in memory or in a temporary file.
#[derive(Debug)]
pub enum Values {
    /// Counts or levels; [`crate::UNREACHED`] is null.
    Count(VertexValues<u32>),
    /// 16-bit counts or levels; [`u16::MAX`] is null.
    ShortCount(VertexValues<u16>),
    /// 8-bit counts or levels; [`u8::MAX`] is null.
    ByteCount(VertexValues<u8>),
    /// 64-bit counts; never null.
    LargeCount(VertexValues<u64>),
    /// Ranks of vertices, shown as original IDs; [`crate::UNREACHED`] is null.
    Node(VertexValues<u32>),
    /// Double-precision numbers; infinity is null.
    Float64(VertexValues<f64>),
    /// Single-precision numbers; infinity is null.
    Float32(VertexValues<f32>),
    /// Counts or levels on disk, like [`Values::Count`].
    CountFile(ValueFile<u32>),
    /// Ranks of vertices on disk, like [`Values::Node`].
    NodeFile(ValueFile<u32>),
    /// Double-precision numbers on disk, like [`Values::Float64`].
    Float64File(ValueFile<f64>),
    /// Single-precision numbers on disk, like [`Values::Float32`].
    Float32File(ValueFile<f32>),
}

impl Values {
    /// Returns the number of vertices with a value.
    pub fn len(&self) -> usize {
        match self {
            Self::Count(values) | Self::Node(values) => values.len(),
            Self::ShortCount(values) => values.len(),
            Self::ByteCount(values) => values.len(),
            Self::LargeCount(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Float32(values) => values.len(),
            Self::CountFile(values) | Self::NodeFile(values) => index_from(values.length()),
            Self::Float64File(values) => index_from(values.length()),
            Self::Float32File(values) => index_from(values.length()),
        }
    }

    /// Returns true if the values are in a temporary file.
    pub const fn on_disk(&self) -> bool {
        matches!(self, Self::CountFile(_) | Self::NodeFile(_) | Self::Float64File(_) | Self::Float32File(_))
    }

    /// Returns true if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<VertexArray<u32>> for Values {
    /// Converts counts or levels.
    fn from(values: VertexArray<u32>) -> Self {
        match values {
            VertexArray::Memory(values) => Self::Count(values),
            VertexArray::Disk(values) => Self::CountFile(values),
        }
    }
}

impl From<VertexArray<f64>> for Values {
    fn from(values: VertexArray<f64>) -> Self {
        match values {
            VertexArray::Memory(values) => Self::Float64(values),
            VertexArray::Disk(values) => Self::Float64File(values),
        }
    }
}

impl From<VertexArray<f32>> for Values {
    fn from(values: VertexArray<f32>) -> Self {
        match values {
            VertexArray::Memory(values) => Self::Float32(values),
            VertexArray::Disk(values) => Self::Float32File(values),
        }
    }
}

/// Memory for in-memory lists that are processed together, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InMemoryListBytes {
    /// Minimum; with less, a run is refused.
    pub least: u64,
    /// Maximum useful amount.
    pub most: u64,
}

impl InMemoryListBytes {
    /// Returns the memory of batches of lists with `entries` entries in all, for `slots` workers. More than that needs
    /// no batches; more than the fixed maximum makes batches only larger, and nothing is read less often.
    pub fn of_batches(entries: u64, slots: usize) -> Self {
        let (least, most) = (256 << 10, 64 << 20);
        Self { least, most: NeighborhoodBuffer::bytes_within(entries, slots).clamp(least, most) }
    }
}

/// Named column of a result.
#[derive(Debug)]
pub struct Column {
    /// Name of the column in the registry.
    pub name: Cow<'static, str>,
    /// Values per vertex.
    pub values: Values,
}

impl Column {
    /// Creates a column called `name`.
    pub fn new(name: impl Into<Cow<'static, str>>, values: Values) -> Self {
        Self { name: name.into(), values }
    }
}

/// Result value for the whole graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar {
    /// Name of the value in the registry.
    pub name: &'static str,
    /// Value; `None` if the graph has none.
    pub value: Option<ScalarValue>,
}

impl Scalar {
    /// Creates a value called `name`.
    pub fn count(name: &'static str, count: impl Into<Option<u32>>) -> Self {
        Self { name, value: count.into().map(|count| ScalarValue::Count(count.into())) }
    }

    /// Creates a flag called `name`.
    pub const fn flag(name: &'static str, flag: bool) -> Self {
        Self { name, value: Some(ScalarValue::Flag(flag)) }
    }

    /// Creates a number called `name`.
    pub fn number(name: &'static str, number: impl Into<Option<f64>>) -> Self {
        Self { name, value: number.into().map(ScalarValue::Number) }
    }
}

/// Value of a [`Scalar`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarValue {
    /// An integer.
    Count(u64),
    /// A finite number.
    Number(f64),
    /// A boolean.
    Flag(bool),
}

/// Convergence state of an iteration with a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Last change.
    pub change: f64,
    /// Requested change.
    pub tolerance: f64,
}

impl Convergence {
    /// Returns true if the tolerance was reached.
    pub fn reached(&self) -> bool {
        self.change < self.tolerance
    }
}

/// Step of a walk: the number of steps before it, and the rank of the vertex reached.
pub type Record = [u32; 2];

/// Result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Value columns, in the registry's order.
    pub columns: Vec<Column>,
    /// Values for the whole graph, in the registry's order.
    pub values: Vec<Scalar>,
    /// Number of iterations.
    pub iterations: u32,
    /// Convergence, if a tolerance was requested.
    pub convergence: Option<Convergence>,
    /// Steps of walks, instead of columns; the inner value is `None` if there are no walks.
    pub walks: Option<Option<Records<Record>>>,
    /// Ranks of the vertices of a path, in its order, instead of columns; empty if there is none.
    pub path: Option<VertexValues<u32>>,
    /// Several paths, instead of columns.
    pub paths: Option<Paths>,
}

/// Paths, one after the other.
#[derive(Debug)]
pub struct Paths {
    /// Ranks of their vertices.
    pub ranks: VertexValues<u32>,
    /// Distance of each vertex from the first one of its path.
    pub distances: VertexValues<f64>,
    /// End of each path.
    pub ends: Vec<usize>,
}

impl Outcome {
    /// Creates a result with only columns, of an algorithm without a tolerance.
    pub const fn new(columns: Vec<Column>, iterations: u32) -> Self {
        Self { columns, values: Vec::new(), iterations, convergence: None, walks: None, path: None, paths: None }
    }
}
