//! Algorithms as programs of the gas engine, on values of edges (Vora, Xu, Gupta: *Load the Edges You Need*, USENIX ATC
//! 2016, section 4). Those that are written in other models too give the same answers.

use super::interval::Place;
use outcrop_engine::Directions;
use outcrop_gas::{GasProgram, GasRequirements};
use outcrop_types::{Error, Result, VertexId};

/// Needs of a program, besides the shards that it reads and what the engine holds.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Requirements on the engine.
    pub requirements: GasRequirements,
    /// Bytes a vertex of all vectors that are made of values when a run is over, while the values are there.
    pub result_bytes: u64,
    /// True if delays would change what a step is, so that there are none unless they are asked for.
    pub exact_steps: bool,
    /// Bytes a vertex of what vertices begin with.
    pub vector_bytes: u64,
}

impl Work {
    /// A program whose steps may be delayed, and whose vertices begin with values of its own.
    pub const fn new(requirements: GasRequirements, result_bytes: u64) -> Self {
        Self { requirements, result_bytes, exact_steps: false, vector_bytes: 0 }
    }

    /// Marks the program as having exact steps: delayed changes would alter the meaning of a step.
    #[must_use]
    pub const fn in_exact_steps(self) -> Self {
        Self { exact_steps: true, ..self }
    }

    /// Marks the program as starting from a vector of 8-byte values.
    #[must_use]
    pub const fn from_vector(self) -> Self {
        Self { vector_bytes: 8, ..self }
    }
}

/// The requirements of a program that looks neither at weights nor at degrees.
pub const fn requirements<P: GasProgram>(place: Place, along: Directions) -> GasRequirements {
    GasRequirements::of::<P>(place.vertices, place.on_disk, along)
}

/// A value that was given for a vertex and must not be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadValue {
    /// The vertex.
    pub vertex: VertexId,
    /// Its value.
    pub value: f64,
}

/// Fails with what `refuse` makes of the first of `values` that is not `good`.
pub(crate) fn refuse_any(values: &[f64], good: impl Fn(f64) -> bool, refuse: impl Fn(BadValue) -> Error) -> Result<()> {
    match (0..).zip(values).find(|(_, value)| !good(**value)) {
        Some((vertex, value)) => Err(refuse(BadValue { vertex, value: *value })),
        None => Ok(()),
    }
}
