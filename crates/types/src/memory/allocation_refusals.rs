//! Allocations that the system may refuse although the budget allows them: because of process limits, or because the
//! system does not overcommit.
//!
//! A failed large allocation aborts a Rust program. Therefore, memory that grows with the graph is requested fallibly,
//! here or before it is reserved (see [`crate::MemoryBudget::reserve`]). Small allocations cannot be requested
//! individually: an allocator with a reserve for them reports here when the reserve is in use. From then on, all
//! requests are refused, and all work that checks a [`crate::Cancellation`] ends.

use super::plan::Purpose;
use crate::{Error, Result, index_from, length_from};
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Smaller allocations are not requested beforehand.
const WORTH_ASKING: u64 = 1 << 20;

/// Bytes of a refused small allocation; 0 if there was none.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Reports that the system refused a small allocation of `bytes`, or, with 0, that the reserve is available again.
pub fn report_refused_allocation(bytes: u64) {
    REFUSED.store(bytes, Relaxed);
}

/// # Errors
///
/// Returns [`Error::OutOfMemory`] if the system has refused a small allocation.
pub fn check_refused_allocations() -> Result<()> {
    match REFUSED.load(Relaxed) {
        0 => Ok(()),
        bytes => Err(Error::OutOfMemory { bytes, purpose: None }),
    }
}

/// Allocates an empty vector with capacity for `length` values.
///
/// # Errors
///
/// Returns [`Error::OutOfMemory`] if the system refuses the memory.
pub fn with_room_for<T>(length: usize, purpose: Purpose) -> Result<Vec<T>> {
    let mut values = Vec::new();
    make_room(&mut values, length, purpose)?;
    Ok(values)
}

/// Reserves capacity for exactly `more` additional values.
///
/// # Errors
///
/// Returns [`Error::OutOfMemory`] if the system refuses the memory.
pub fn make_room<T>(values: &mut Vec<T>, more: usize, purpose: Purpose) -> Result<()> {
    let bytes = length_from(values.len().saturating_add(more)).saturating_mul(length_from(size_of::<T>()));
    values.try_reserve_exact(more).map_err(|_| Error::OutOfMemory { bytes, purpose: Some(purpose) })
}

/// Allocates `length` values, with `value(i)` at position `i`.
///
/// # Errors
///
/// Returns [`Error::OutOfMemory`] if the system refuses the memory.
pub fn filled<T>(length: usize, purpose: Purpose, value: impl FnMut(usize) -> T) -> Result<Vec<T>> {
    let mut values = with_room_for(length, purpose)?;
    values.extend((0..length).map(value));
    Ok(values)
}

/// Allocates `length` zeros, untouched as provided by the system.
///
/// # Errors
///
/// Returns [`Error::OutOfMemory`] if the system refuses the memory.
pub(super) fn zeroes<T: Zeroable>(length: usize, purpose: Purpose) -> Result<Vec<T>> {
    let bytes = length_from(length).saturating_mul(length_from(size_of::<T>()));
    try_zeroed_vec(length).map_err(|()| Error::OutOfMemory { bytes, purpose: Some(purpose) })
}

/// Allocates `bytes` and releases them at once, untouched, so that a following infallible allocation succeeds.
///
/// # Errors
///
/// Returns [`Error::OutOfMemory`] if the system refuses the memory.
pub(super) fn ask(bytes: u64, purpose: Purpose) -> Result<()> {
    check_refused_allocations()?;
    if bytes < WORTH_ASKING {
        return Ok(());
    }
    let room: Vec<u8> = with_room_for(index_from(bytes), purpose)?;
    // The compiler would omit an unused allocation.
    _ = black_box(&room);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryBudget, VertexValues};

    /// Larger than any address space.
    const TOO_MUCH: u64 = 1 << 60;

    #[test]
    #[cfg_attr(miri, ignore = "Miri ends instead of refusing memory")]
    fn what_the_system_refuses_is_an_error_with_its_purpose() {
        let budget = MemoryBudget::new(u64::MAX);
        let refused = budget.reserve(TOO_MUCH, Purpose::Index).unwrap_err();
        assert!(matches!(refused, Error::OutOfMemory { bytes: TOO_MUCH, purpose: Some(Purpose::Index) }), "{refused}");
        assert_eq!((refused.exit_code(), budget.available()), (4, u64::MAX));
        let text = refused.to_string();
        assert!(text.starts_with("the system refused 1048576.0 TiB of memory for index; lower --memory"), "{text}");
        let values = VertexValues::new(&budget, Purpose::VertexValues, 1 << 57, |_| 0_u64);
        assert!(matches!(values, Err(Error::OutOfMemory { .. })));
        assert!(matches!(filled(1 << 57, Purpose::Degrees, |_| 0_u64), Err(Error::OutOfMemory { .. })));
        let growing = budget.reserve_growing(TOO_MUCH, Purpose::SortSpace).unwrap();
        assert!(make_room::<u64>(&mut Vec::new(), 1 << 57, Purpose::SortSpace).is_err());
        assert_eq!(growing.bytes(), TOO_MUCH);
    }
}
