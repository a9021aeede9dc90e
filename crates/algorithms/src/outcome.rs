//! Results that an algorithm gives back.

use outcrop_engine::VertexArray;
use outcrop_io::ValueFile;
use outcrop_messages::Records;
use outcrop_types::{VertexValues, index_from};
use std::borrow::Cow;

/// Values per vertex, ordered by vertex number, in memory or in a temporary file.
#[derive(Debug)]
pub enum Values {
    /// Counts or levels; [`crate::UNREACHED`] is null.
    Count(VertexValues<u32>),
    /// Counts or levels of 16 bits; [`u16::MAX`] is null.
    ShortCount(VertexValues<u16>),
    /// Counts that 32 bits may not hold; never null.
    LargeCount(VertexValues<u64>),
    /// Ranks of vertices, shown as original ids; [`crate::UNREACHED`] is null.
    Node(VertexValues<u32>),
    /// Real numbers; infinity is null.
    Float64(VertexValues<f64>),
    /// Real numbers of single precision; infinity is null.
    Float32(VertexValues<f32>),
    /// Counts or levels on disk, as [`Values::Count`].
    CountFile(ValueFile<u32>),
    /// Ranks of vertices on disk, as [`Values::Node`].
    NodeFile(ValueFile<u32>),
    /// Real numbers on disk, as [`Values::Float64`].
    Float64File(ValueFile<f64>),
    /// Real numbers of single precision on disk, as [`Values::Float32`].
    Float32File(ValueFile<f32>),
}

impl Values {
    /// Number of vertices that have a value.
    pub fn len(&self) -> usize {
        match self {
            Self::Count(values) | Self::Node(values) => values.len(),
            Self::ShortCount(values) => values.len(),
            Self::LargeCount(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Float32(values) => values.len(),
            Self::CountFile(values) | Self::NodeFile(values) => index_from(values.len()),
            Self::Float64File(values) => index_from(values.len()),
            Self::Float32File(values) => index_from(values.len()),
        }
    }

    /// True if they are in a temporary file.
    pub const fn on_disk(&self) -> bool {
        matches!(self, Self::CountFile(_) | Self::NodeFile(_) | Self::Float64File(_) | Self::Float32File(_))
    }

    /// True if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<VertexArray<u32>> for Values {
    /// Counts or levels.
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

/// Memory for lists that are held to be looked at together, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldBytes {
    /// Without which a run is refused.
    pub least: u64,
    /// Beyond which more is of no use.
    pub most: u64,
}

/// A named column of a result.
#[derive(Debug)]
pub struct Column {
    /// Name of the column in the registry.
    pub name: Cow<'static, str>,
    /// Values per vertex.
    pub values: Values,
}

impl Column {
    /// A column called `name`.
    pub fn new(name: impl Into<Cow<'static, str>>, values: Values) -> Self {
        Self { name: name.into(), values }
    }
}

/// A number that a run gives for the whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Name of the number in the registry.
    pub name: &'static str,
    /// Value of the number; `None` if the graph has none.
    pub value: Option<ScalarValue>,
}

impl Scalar {
    /// A number called `name`, of a graph that has one.
    pub fn count(name: &'static str, count: impl Into<Option<u32>>) -> Self {
        Self { name, value: count.into().map(|count| ScalarValue::Count(count.into())) }
    }
}

/// The value of a [`Scalar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarValue {
    /// A number.
    Count(u64),
    /// Yes or no.
    Flag(bool),
}

/// End of an iteration to a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// The last change.
    pub change: f64,
    /// The change that was asked for.
    pub tolerance: f64,
}

impl Convergence {
    /// True if the tolerance was reached.
    pub fn reached(&self) -> bool {
        self.change < self.tolerance
    }
}

/// A step of a walk: how many were made before it, and the rank of the vertex at which the walk then is.
pub type Record = [u32; 2];

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The value columns, in the registry's order.
    pub columns: Vec<Column>,
    /// Numbers for the whole graph, in the registry's order.
    pub values: Vec<Scalar>,
    /// Iterations done.
    pub iterations: u32,
    /// Convergence, where a tolerance was asked for.
    pub convergence: Option<Convergence>,
    /// The steps of walks, in place of columns; inside, none where there are no walks.
    pub walks: Option<Option<Records<Record>>>,
}

impl Outcome {
    /// A result of columns alone, of an algorithm without a tolerance.
    pub const fn new(columns: Vec<Column>, iterations: u32) -> Self {
        Self { columns, values: Vec::new(), iterations, convergence: None, walks: None }
    }
}
