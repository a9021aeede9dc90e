//! What programs wrote down, by key.

use outcrop_types::Result;
use std::marker::PhantomData;

/// Records in a log of intervals of keys.
#[derive(Debug)]
pub struct Records<R> {
    kept: PhantomData<R>,
}

impl<R: super::Plain> Records<R> {
    /// How many records there are.
    pub fn len(&self) -> u64 {
        0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hands over all records, keys ascending: some consecutive keys at a time, with where the records of each begin (and the end of the
    /// last) among the records, those of one key in no particular order. What was handed over is forgotten.
    ///
    /// # Errors
    /// A failed or damaged read; what `take` returns; interruption.
    pub fn for_each_block(
        self,
        take: impl FnMut(outcrop_types::VertexRange, &[u32], &mut [R]) -> Result<()>,
    ) -> Result<()> {
        _ = take;
        Ok(())
    }
}
