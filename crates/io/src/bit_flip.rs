//! Fault injection for tests: flips one bit of a temporary file on disk.

use outcrop_types::{Error, Result, SplitMix64};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Flips one bit, on disk, in the range of one read, just before that read. Reads of all temporary files of a folder
/// are counted together. See [`crate::SpillFolder::flipping`].
#[derive(Debug)]
pub struct BitFlip {
    read: u64,
    draw: u64,
    reads: AtomicU64,
    happened: AtomicBool,
}

impl BitFlip {
    /// Creates a flip before the read with this number, starting at 0; the random number `draw` chooses the bit.
    pub const fn before(read: u64, draw: u64) -> Self {
        Self { read, draw, reads: AtomicU64::new(0), happened: AtomicBool::new(false) }
    }

    /// Creates an instance that only counts reads.
    pub const fn never() -> Self {
        Self::before(u64::MAX, 0)
    }

    /// Returns the number of reads so far.
    pub fn reads(&self) -> u64 {
        self.reads.load(Relaxed)
    }

    /// Returns true if the bit was flipped.
    pub fn happened(&self) -> bool {
        self.happened.load(Relaxed)
    }

    /// Runs `run` once without a flip and then `flips` times with one flip each, chosen by `draws`. Returns the number
    /// of flipped bits, the number of flips that ended in [`Error::Corrupt`], and the number of flips without effect.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if a run returned another result than `right`, or the error of a run if it is not
    /// [`Error::Corrupt`] or if no bit was flipped.
    pub fn campaign<T: PartialEq>(
        draws: &SplitMix64,
        flips: u64,
        right: &T,
        mut run: impl FnMut(&Arc<Self>) -> Result<T>,
    ) -> Result<[u64; 3]> {
        let [mut made, mut noticed, mut harmless] = [0; 3];
        let wrong = |flip: &Self| Error::internal(format!("a different result without an error: {flip:?}"));
        let never = Arc::new(Self::never());
        if run(&never)? != *right {
            return Err(wrong(&never));
        }
        // Runs on several threads vary in their number of reads: some flips do not happen.
        for turn in 0..4 * flips {
            if made == flips {
                break;
            }
            let flip = Arc::new(Self::before(draws.at(2 * turn) % never.reads(), draws.at(2 * turn + 1)));
            let outcome = run(&flip);
            made += u64::from(flip.happened());
            match outcome {
                Ok(came) if came == *right => harmless += u64::from(flip.happened()),
                Ok(_) => return Err(wrong(&flip)),
                Err(Error::Corrupt { .. }) if flip.happened() => noticed += 1,
                Err(error) => return Err(error),
            }
        }
        Ok([made, noticed, harmless])
    }

    pub(crate) fn before_read(&self, file: &File, offset: u64, length: u64) {
        if length == 0 || self.reads.fetch_add(1, Relaxed) != self.read {
            return;
        }
        let bit = self.draw % (8 * length);
        let (mut byte, place) = ([0], offset + bit / 8);
        let flipped = file.read_exact_at(&mut byte, place).and_then(|()| {
            byte[0] ^= 1 << (bit % 8);
            file.write_all_at(&byte, place)
        });
        self.happened.store(flipped.is_ok(), Relaxed);
    }
}
