//! A fault for tests: one bit of a temporary file changes on the disk.

use outcrop_types::{Error, Result, SplitMix64};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Flips one bit of what one read asks for, on the disk, just before it is read. Reads of all temporary files of a
/// folder are counted together. See [`crate::SpillFolder::flipping`].
#[derive(Debug)]
pub struct BitFlip {
    read: u64,
    draw: u64,
    reads: AtomicU64,
    happened: AtomicBool,
}

impl BitFlip {
    /// A flip before the read with this number, the first being 0; `draw`, any number, chooses the bit.
    pub const fn before(read: u64, draw: u64) -> Self {
        Self { read, draw, reads: AtomicU64::new(0), happened: AtomicBool::new(false) }
    }

    /// No flip: counts reads.
    pub const fn never() -> Self {
        Self::before(u64::MAX, 0)
    }

    /// Reads so far.
    pub fn reads(&self) -> u64 {
        self.reads.load(Relaxed)
    }

    /// True if the bit was flipped.
    pub fn happened(&self) -> bool {
        self.happened.load(Relaxed)
    }

    /// Runs `run` once without a flip and then `flips` times with one each, drawn from `draws`; how many bits were
    /// flipped, how many of these flips ended in [`Error::Corrupt`], and how many changed nothing.
    ///
    /// # Errors
    /// [`Error::Internal`] where a run gave something other than `right`; what a run failed with that is no damage, or
    /// without a flip.
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
        // Runs on several threads differ in how often they read: not every draw comes up.
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
