//! Algorithms as programs of the gas engine, on edge values (Vora, Xu, Gupta: *Load the Edges You Need*, USENIX ATC
//! 2016, section 4). Those that are also available in other models return the same results.

use super::interval::Place;
use outcrop_engine::Directions;
use outcrop_gas::{GasProgram, GasRequirements};
use outcrop_types::{Error, Result, VertexId};

/// Needs of a program, in addition to the shards and the memory of the engine.
#[derive(Clone, Copy, Debug)]
pub struct GasWork {
    /// Requirements on the engine.
    pub requirements: GasRequirements,
    /// Bytes per vertex of all vectors created from values after the run, while the values still exist.
    pub result_bytes: u64,
    /// True if delays would change the meaning of a step, so that they are disabled unless requested.
    pub exact_steps: bool,
    /// Bytes per vertex of the initial vector.
    pub vector_bytes: u64,
}

impl GasWork {
    /// Creates the needs of a program whose steps may be delayed, without an initial vector.
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

/// Returns the requirements of a program that uses neither weights nor degrees.
pub const fn requirements<P: GasProgram>(place: Place, along: Directions) -> GasRequirements {
    GasRequirements::of::<P>(place.vertices, place.on_disk, along)
}

/// Invalid value given for a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadValue {
    /// Vertex.
    pub vertex: VertexId,
    /// Value.
    pub value: f64,
}

/// Returns the error that `refuse` creates from the first of `values` that is not `good`.
pub(crate) fn refuse_any(values: &[f64], good: impl Fn(f64) -> bool, refuse: impl Fn(BadValue) -> Error) -> Result<()> {
    match (0..).zip(values).find(|(_, value)| !good(**value)) {
        Some((vertex, value)) => Err(refuse(BadValue { vertex, value: *value })),
        None => Ok(()),
    }
}
