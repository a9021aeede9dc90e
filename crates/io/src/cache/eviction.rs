//! CLOCK eviction, and the atomic state word of each frame.
//!
//! A frame's word contains its number of pins, its hotness (number of uses, at most three, minus one per pass of the
//! clock hand) and a bit for exclusive access by one thread. The exclusive bit is only set in a word without pins, and
//! pins are only added to a word without the bit: bytes do not change while they are pinned.

use super::sync::{AtomicU32, AtomicUsize};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

const EXCLUSIVE: u32 = 1 << 31;
/// Increment of the hotness per use.
const WARMER: u32 = 1 << 29;
/// Maximum hotness: a frame that was used three times survives three passes of the clock hand.
const HOT: u32 = 3 * WARMER;
const PINS: u32 = WARMER - 1;

/// State word of one frame.
#[derive(Debug, Default)]
pub(super) struct FrameState(AtomicU32);

impl FrameState {
    /// Adds a pin and increases the hotness; fails while a thread has exclusive access.
    pub(super) fn pin(&self) -> bool {
        self.pin_with(|word| if word & HOT == HOT { word } else { word + WARMER })
    }

    /// Same as [`FrameState::pin`] without an increase of the hotness, for maintenance that does not use the page.
    pub(super) fn pin_quietly(&self) -> bool {
        self.pin_with(|word| word)
    }

    fn pin_with(&self, heat: impl Fn(u32) -> u32) -> bool {
        let pinned = |word: u32| (word & EXCLUSIVE == 0 && word & PINS < PINS).then(|| heat(word) + 1);
        self.0.fetch_update(Acquire, Relaxed, pinned).is_ok()
    }

    /// Removes a pin.
    pub(super) fn unpin(&self) {
        self.0.fetch_sub(1, Release);
    }

    /// Takes the frame if it has no pins and is cold. Otherwise decreases the hotness.
    fn take_unless_warm(&self) -> bool {
        let word = self.0.load(Relaxed);
        if word & (PINS | EXCLUSIVE) != 0 {
            return false;
        }
        if word & HOT != 0 {
            // If another thread is faster, the frame is in use and stays.
            _ = self.0.compare_exchange(word, word - WARMER, Relaxed, Relaxed);
            return false;
        }
        self.0.compare_exchange(0, EXCLUSIVE, Acquire, Relaxed).is_ok()
    }

    /// Takes a frame that no other thread has access to yet.
    pub(super) fn take_fresh(&self) -> bool {
        self.0.compare_exchange(0, EXCLUSIVE, Acquire, Relaxed).is_ok()
    }

    /// Ends exclusive access: later pins of the frame see the written bytes.
    pub(super) fn publish(&self) {
        self.0.store(0, Release);
    }
}

/// Clock hand, which passes over all frames in turn.
#[derive(Debug, Default)]
pub(super) struct Clock(AtomicUsize);

impl Clock {
    /// Returns a frame of `frames` with exclusive access; `None` if four rounds found all of them pinned or in repeated
    /// use.
    pub(super) fn take<'a, F>(&self, frames: &'a [F], state: impl Fn(&'a F) -> &'a FrameState) -> Option<usize> {
        (0..frames.len() * 4 + 1).find_map(|_| {
            let position = self.0.fetch_add(1, Relaxed) % frames.len();
            state(&frames[position]).take_unless_warm().then_some(position)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_spares_what_was_used_since_it_passed() {
        let (clock, frames) = (Clock::default(), [(); 3].map(|()| FrameState::default()));
        let take = || clock.take(&frames, |frame| frame).inspect(|taken| frames[*taken].publish());
        let touch = |frame: usize| {
            assert!(frames[frame].pin());
            frames[frame].unpin();
        };
        assert_eq!((take(), take(), take()), (Some(0), Some(1), Some(2)));
        touch(0);
        assert_eq!((take(), take()), (Some(1), Some(2)));
        touch(1);
        assert_eq!((take(), take()), (Some(0), Some(2)));
        // A frame used three times or more survives three passes of the hand.
        (0..5).for_each(|_| touch(0));
        let taken: Vec<_> = (0..8).map(|_| take().unwrap()).collect();
        assert_eq!(taken.iter().position(|frame| *frame == 0), Some(6));
    }

    #[test]
    fn pins_and_exclusive_use_shut_each_other_out() {
        let frame = FrameState::default();
        assert!(frame.pin() && frame.pin() && !frame.take_unless_warm());
        frame.unpin();
        frame.unpin();
        // Two pins have increased its hotness twice.
        assert!(!frame.take_unless_warm() && !frame.take_unless_warm());
        assert!(frame.take_unless_warm() && !frame.pin() && !frame.take_unless_warm());
        frame.publish();
        assert!(frame.pin());
    }

    #[test]
    fn a_quiet_pin_keeps_the_frame_but_makes_it_no_hotter() {
        let frame = FrameState::default();
        assert!(frame.pin_quietly() && !frame.take_unless_warm());
        frame.unpin();
        assert!(frame.take_unless_warm() && !frame.pin_quietly());
    }

    #[test]
    fn a_hand_over_pinned_frames_gives_up() {
        let frames = [(); 3].map(|()| FrameState::default());
        assert!(frames.iter().all(FrameState::pin));
        assert_eq!(Clock::default().take(&frames, |frame| frame), None);
    }
}
