//! One log for all messages, sorted on disk: GraFBoost (Jun et al., ISCA 2018), to compare with.

use outcrop_types::{Cancellation, Result};
use std::ops::Range;

/// Messages sorted by destination.
#[derive(Debug)]
pub(super) struct Sorted {}

impl Sorted {
    pub(super) fn pass(
        &self,
        _: Range<u64>,
        _: &mut [u8],
        _: &Cancellation,
        _: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        Ok(())
    }
}
