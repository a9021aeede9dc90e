//! Values of vertices, and cells in which several threads may read and write them.

use bytemuck::Pod;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A value that is kept for every vertex, in memory or on disk: `u32`, `u64`, `f32`, `f64`.
pub trait IntervalValue: Pod + PartialEq + Send + Sync + Debug {
    /// Holds a value in memory.
    type Cell: Send + Sync + Debug;

    /// A cell with this value.
    fn into_cell(self) -> Self::Cell;

    /// The value of a cell that is not needed any more.
    fn from_cell(cell: Self::Cell) -> Self;

    /// The value now.
    fn load(cell: &Self::Cell) -> Self;

    /// Replaces the value.
    fn store(self, cell: &Self::Cell);

    /// Replaces the value if its bits are still those of `known`.
    ///
    /// # Errors
    /// The value that is there instead.
    fn exchange(self, known: Self, cell: &Self::Cell) -> Result<(), Self>;
}

macro_rules! in_cells {
    ($value:ty, $cell:ty, $to:expr, $from:expr) => {
        impl IntervalValue for $value {
            type Cell = $cell;

            #[inline]
            fn into_cell(self) -> Self::Cell {
                <$cell>::new($to(self))
            }

            #[inline]
            fn from_cell(cell: Self::Cell) -> Self {
                $from(cell.into_inner())
            }

            #[inline]
            fn load(cell: &Self::Cell) -> Self {
                $from(cell.load(Relaxed))
            }

            #[inline]
            fn store(self, cell: &Self::Cell) {
                cell.store($to(self), Relaxed);
            }

            #[inline]
            fn exchange(self, known: Self, cell: &Self::Cell) -> Result<(), Self> {
                cell.compare_exchange_weak($to(known), $to(self), Relaxed, Relaxed).map(|_| ()).map_err($from)
            }
        }
    };
}

in_cells!(u32, AtomicU32, std::convert::identity, std::convert::identity);
in_cells!(u64, AtomicU64, std::convert::identity, std::convert::identity);
in_cells!(f32, AtomicU32, f32::to_bits, f32::from_bits);
in_cells!(f64, AtomicU64, f64::to_bits, f64::from_bits);
