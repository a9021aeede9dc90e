//! Algorithms as programs of the interval engine, with the values of vertices in memory or on disk (LOSC: Xu, Wang,
//! Jiang et al., JPDC 172, 2023): the same answers as those of the same name beside this folder.

use crate::outcome::Values;
use outcrop_engine::interval::{Constructs, IntervalProgram, IntervalRequirements};
use outcrop_engine::{Number, VertexArray};
use outcrop_types::Direction;

/// Needs of a program, besides the lists that it reads.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Requirements on the engine.
    pub requirements: IntervalRequirements,
    /// Bytes a vertex of all vectors that exist at once, in memory or on disk.
    pub value_bytes: u64,
}

/// The graph that a program runs on, and where its values live.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Vertices of the graph.
    pub vertices: u32,
    /// True if the store has weights.
    pub weighted: bool,
    /// True if values live on disk.
    pub on_disk: bool,
}

impl Place {
    /// Returns the place with weights only if the program uses them (`count`).
    pub(crate) const fn counting(self, count: bool) -> Self {
        Self { weighted: self.weighted && count, ..self }
    }

    /// The requirements of a program on values of `value_bytes` that folds lists of `direction` into sums of
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

/// Needs of a program that is updated: each vertex sees all of its in- and out-edges.
pub const fn updated<P: IntervalProgram>(place: Place) -> Work {
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
    Work { requirements, value_bytes: bytes }
}

/// Real numbers that are kept in one of two precisions and computed with in `f64`.
pub trait Real: Number + PartialOrd {
    /// Bytes of a number.
    const BYTES: u64 = size_of::<Self>() as u64;

    /// The number as it is.
    fn get(self) -> f64;

    /// `number`, rounded to the precision.
    fn of(number: f64) -> Self;

    /// Finished numbers as a column.
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

/// Finished ranks of vertices as a column.
pub(crate) fn nodes(storage: VertexArray<u32>) -> Values {
    match storage {
        VertexArray::Memory(values) => Values::Node(values),
        VertexArray::Disk(file) => Values::NodeFile(file),
    }
}

/// Value in a vector of predecessors for a vertex that is to have none: a search began there. No rank is as large.
pub(crate) const BEGINNING: u32 = crate::UNREACHED - 1;
