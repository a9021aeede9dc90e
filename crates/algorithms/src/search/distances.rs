//! Distances in edges, in one, two or four bytes per vertex.

use crate::outcome::Values;
use bytemuck::Zeroable;
use outcrop_engine::SharedBits;
use outcrop_types::VertexValues;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

/// Distance of a vertex, shared by threads; the largest number is null. All accesses are relaxed: each parallel loop
/// ends before the next starts.
pub(crate) trait Level: SharedBits + Zeroable + Sized + 'static {
    /// Next wider type; the widest is its own.
    type Wider: Level;
    /// Null, and the first distance that does not fit.
    const UNREACHED: u32;
    /// Place of checkpoints with these distances.
    const PLACE: &str;

    /// Creates a distance.
    fn new(level: u32) -> Self;
    /// Returns the distance.
    fn get(&self) -> u32;
    /// Replaces the distance.
    fn set(&self, level: u32);
    /// Replaces null by `level`; returns false if another thread was first.
    fn claim(&self, level: u32) -> bool;
    /// Returns the distance, or null of the wider type, in that type.
    fn widened(&self) -> Self::Wider {
        match self.get() {
            unreached if unreached == Self::UNREACHED => Self::Wider::new(Self::Wider::UNREACHED),
            level => Self::Wider::new(level),
        }
    }

    /// Returns the distances as values of a column.
    fn into_values(levels: VertexValues<Self>) -> Values;
}

macro_rules! level {
    ($atomic:ident, $plain:ty, $wider:ident, $values:ident, $place:literal) => {
        impl Level for $atomic {
            type Wider = $wider;
            const UNREACHED: u32 = <$plain>::MAX as u32;
            const PLACE: &str = $place;

            #[inline]
            fn new(level: u32) -> Self {
                Self::new(level as $plain)
            }

            #[inline]
            fn get(&self) -> u32 {
                self.load(Relaxed).into()
            }

            #[inline]
            fn set(&self, level: u32) {
                self.store(level as $plain, Relaxed);
            }

            #[inline]
            fn claim(&self, level: u32) -> bool {
                self.compare_exchange(<$plain>::MAX, level as $plain, Relaxed, Relaxed).is_ok()
            }

            fn into_values(levels: VertexValues<Self>) -> Values {
                Values::$values(levels.map(Self::into_inner))
            }
        }
    };
}

level!(AtomicU8, u8, AtomicU16, ByteCount, "levels of 1 byte");
level!(AtomicU16, u16, AtomicU32, ShortCount, "levels of 2 bytes");
level!(AtomicU32, u32, AtomicU32, Count, "levels of 4 bytes");
