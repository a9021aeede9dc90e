//! Algorithms as programs of the interval engine, with vertex values in memory or on disk (LOSC: Xu, Wang, Jiang et
//! al., JPDC 172, 2023). They return the same results as in other models.

use crate::outcome::Values;
use outcrop_engine::interval::{Constructs, IntervalProgram, IntervalRequirements};
use outcrop_engine::{Number, VertexArray};
use outcrop_types::Direction;

/// Needs of a program, in addition to the lists that it reads.
#[derive(Clone, Copy, Debug)]
pub struct IntervalWork {
    /// Requirements on the engine.
    pub requirements: IntervalRequirements,
    /// Bytes per vertex of all vectors that exist at once, in memory or on disk.
    pub value_bytes: u64,
}

/// Graph that a program runs on, and location of its values.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// True if the store has weights.
    pub weighted: bool,
    /// True if values are on disk.
    pub on_disk: bool,
}

impl Place {
    /// Returns the place with weights only if the program uses them (`count`).
    pub(crate) const fn counting(self, count: bool) -> Self {
        Self { weighted: self.weighted && count, ..self }
    }

    /// Returns the requirements of a program on values of `value_bytes` that folds lists of `direction` into sums of
    /// `copy_bytes`; without active vertices, degrees and weights.
    pub(crate) const fn folding(self, direction: Direction, value_bytes: u64, copy_bytes: u64) -> IntervalRequirements {
        IntervalRequirements {
            vertices: self.vertices,
            on_disk: self.on_disk,
            constructs: if self.on_disk { Constructs::One(direction) } else { Constructs::Nothing },
            weighted: false,
            value_bytes,
            copy_bytes,
            active: false,
            degrees: false,
            third: false,
        }
    }
}

/// Returns the needs of an update program: each vertex sees all of its in- and out-edges.
pub const fn updated<P: IntervalProgram>(place: Place) -> IntervalWork {
    let (bytes, sum) = (size_of::<P::Target>() as u64, size_of::<P::Sum>() as u64);
    let requirements = IntervalRequirements {
        vertices: place.vertices,
        on_disk: place.on_disk,
        constructs: Constructs::Both,
        weighted: place.weighted,
        value_bytes: bytes,
        copy_bytes: if sum > bytes { sum } else { bytes },
        active: true,
        degrees: false,
        third: false,
    };
    IntervalWork { requirements, value_bytes: bytes }
}

/// Real number that is stored in one of two precisions and computed in `f64`.
pub trait Real: Number + PartialOrd {
    /// Bytes of a number.
    const BYTES: u64 = size_of::<Self>() as u64;

    /// Returns the number.
    fn get(self) -> f64;

    /// Rounds `number` to the precision.
    fn of(number: f64) -> Self;

    /// Converts the result to a column.
    fn values(storage: VertexArray<Self>) -> Values;
}

macro_rules! real {
    ($number:ty) => {
        impl Real for $number {
            #[inline]
            fn get(self) -> f64 {
                self.into()
            }

            #[inline]
            fn of(number: f64) -> Self {
                number as Self
            }

            fn values(storage: VertexArray<Self>) -> Values {
                storage.into()
            }
        }
    };
}

real!(f64);
real!(f32);

/// Converts a result of vertex ranks to a column.
pub(crate) fn nodes(storage: VertexArray<u32>) -> Values {
    match storage {
        VertexArray::Memory(values) => Values::Node(values),
        VertexArray::Disk(file) => Values::NodeFile(file),
    }
}

/// Predecessor value of a vertex without one, since a search started there. No rank is as large.
pub(crate) const BEGINNING: u32 = crate::UNREACHED - 1;
