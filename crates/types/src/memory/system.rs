//! Memory that the system may refuse, although the budget allows it: limits of processes, and systems that promise no
//! more than they have.
//!
//! A large allocation that fails ends a Rust program at once. So what grows with the graph is asked for fallibly, here
//! or before it is reserved (see [`crate::MemoryBudget::reserve`]). Small allocations cannot be asked for one by one:
//! an allocator that keeps a reserve for them tells here that it is in use, and all that is asked for from then on is
//! refused, as is all work that looks at a [`crate::Cancellation`].

use super::plan::Purpose;
use crate::{Error, Result, index_from, length_from};
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Less than this is not asked for beforehand.
const WORTH_ASKING: u64 = 1 << 20;

/// Bytes of a small allocation that was refused; 0 if there was none.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Tells that the system refused a small allocation of `bytes`, or, with 0, that there is a reserve for such again.
pub fn tell_refused(bytes: u64) {
    REFUSED.store(bytes, Relaxed);
}

/// # Errors
/// [`Error::OutOfMemory`] where the system has refused small allocations.
pub fn check_refused() -> Result<()> {
    match REFUSED.load(Relaxed) {
        0 => Ok(()),
        bytes => Err(Error::OutOfMemory { bytes, purpose: None }),
    }
}

/// No values, with memory for `length`.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn with_room_for<T>(length: usize, purpose: Purpose) -> Result<Vec<T>> {
    let mut values = Vec::new();
    make_room(&mut values, length, purpose)?;
    Ok(values)
}

/// Memory for exactly `more` further values.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn make_room<T>(values: &mut Vec<T>, more: usize, purpose: Purpose) -> Result<()> {
    let bytes = length_from(values.len().saturating_add(more)).saturating_mul(length_from(size_of::<T>()));
    values.try_reserve_exact(more).map_err(|_| Error::OutOfMemory { bytes, purpose: Some(purpose) })
}

/// `length` values, the value of position `i` being `value(i)`.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn filled<T>(length: usize, purpose: Purpose, value: impl FnMut(usize) -> T) -> Result<Vec<T>> {
    let mut values = with_room_for(length, purpose)?;
    values.extend((0..length).map(value));
    Ok(values)
}

/// `length` zeroes, as the system gives them.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(super) fn zeroes<T: Zeroable>(length: usize, purpose: Purpose) -> Result<Vec<T>> {
    let bytes = length_from(length).saturating_mul(length_from(size_of::<T>()));
    try_zeroed_vec(length).map_err(|()| Error::OutOfMemory { bytes, purpose: Some(purpose) })
}

/// Asks the system for `bytes` and gives them back at once, untouched: what is allocated next, by whoever cannot be
/// refused, is there.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(super) fn ask(bytes: u64, purpose: Purpose) -> Result<()> {
    check_refused()?;
    if bytes < WORTH_ASKING {
        return Ok(());
    }
    let room: Vec<u8> = with_room_for(index_from(bytes), purpose)?;
    // An allocation that nobody looks at would be left out.
    _ = black_box(&room);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryBudget, VertexValues};

    /// More than any address space has.
    const TOO_MUCH: u64 = 1 << 60;

    #[test]
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
