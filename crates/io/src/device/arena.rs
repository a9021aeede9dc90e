//! Aligned buffer divided into pieces, for many small requests as well as a few large ones.

use crate::{ALIGNMENT, AlignedBuffer};
use outcrop_types::{Purpose, Result};

const GRANULE: usize = ALIGNMENT;
const WORD: usize = u64::BITS as usize;

/// Run of granules of an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    first: usize,
    granules: usize,
}

/// Allocator of contiguous runs of 4 KiB granules, next-fit over a bitmap.
pub(super) struct Arena {
    buffer: AlignedBuffer,
    used: Vec<u64>,
    granules: usize,
    free: usize,
    cursor: usize,
}

impl Arena {
    /// Creates an arena of at least one granule; `bytes` is rounded up to whole granules.
    pub(super) fn new(bytes: usize) -> Result<Self> {
        let granules = bytes.div_ceil(GRANULE).max(1);
        let buffer = AlignedBuffer::new(granules * GRANULE, GRANULE, Purpose::IoBuffers)?;
        Ok(Self { buffer, used: vec![0; granules.div_ceil(WORD)], granules, free: granules, cursor: 0 })
    }

    /// Creates an arena without memory.
    pub(super) fn empty() -> Self {
        Self { buffer: AlignedBuffer::empty(), used: Vec::new(), granules: 0, free: 0, cursor: 0 }
    }

    /// Gives up the memory of the buffer forever, so that writes by the kernel remain harmless.
    pub(super) fn leak(self) {
        std::mem::forget(self.buffer);
    }

    pub(super) fn bytes(&self) -> usize {
        self.granules * GRANULE
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.buffer.as_ptr()
    }

    /// Takes a piece of at least `bytes`; returns `None` if no free run is long enough.
    pub(super) fn take(&mut self, bytes: usize) -> Option<Piece> {
        let granules = bytes.div_ceil(GRANULE).max(1);
        if granules > self.free {
            return None;
        }
        let wrapped = (self.cursor + granules - 1).min(self.granules);
        let first = self.find(self.cursor, self.granules, granules).or_else(|| self.find(0, wrapped, granules))?;
        (first..first + granules).for_each(|granule| self.used[granule / WORD] |= 1 << (granule % WORD));
        self.free -= granules;
        self.cursor = first + granules;
        Some(Piece { first, granules })
    }

    pub(super) fn give_back(&mut self, piece: Piece) {
        let run = piece.first..piece.first + piece.granules;
        run.for_each(|granule| self.used[granule / WORD] &= !(1 << (granule % WORD)));
        self.free += piece.granules;
    }

    /// Returns the address of a piece.
    pub(super) fn address(&self, piece: Piece) -> *mut u8 {
        debug_assert!(piece.first + piece.granules <= self.granules);
        // SAFETY: pieces are created by `take` and are within the buffer.
        unsafe { self.buffer.as_ptr().add(piece.first * GRANULE) }
    }

    fn find(&self, from: usize, to: usize, count: usize) -> Option<usize> {
        let mut start = from;
        while start + count <= to {
            match (start..start + count).rev().find(|granule| self.is_used(*granule)) {
                None => return Some(start),
                Some(used) => start = used + 1,
            }
        }
        None
    }

    fn is_used(&self, granule: usize) -> bool {
        self.used[granule / WORD] & (1 << (granule % WORD)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_runs_that_come_back() {
        let mut arena = Arena::new(4 * GRANULE).unwrap();
        let first = arena.take(1).unwrap();
        let second = arena.take(2 * GRANULE).unwrap();
        assert_eq!((first.first, second.first, second.granules), (0, 1, 2));
        assert!(arena.take(2 * GRANULE).is_none());
        arena.give_back(first);
        let third = arena.take(1).unwrap();
        assert_eq!(third.first, 3);
        assert!(arena.take(GRANULE + 1).is_none());
        [second, third].into_iter().for_each(|piece| arena.give_back(piece));
        assert_eq!(arena.take(4 * GRANULE).unwrap().granules, 4);
    }

    #[test]
    fn a_run_may_start_before_the_cursor_and_end_behind_it() {
        let mut arena = Arena::new(100 * GRANULE).unwrap();
        let pieces: Vec<Piece> = (0..100).map(|_| arena.take(1).unwrap()).collect();
        pieces[40..80].iter().for_each(|piece| arena.give_back(*piece));
        arena.cursor = 60;
        assert_eq!(arena.take(30 * GRANULE).unwrap().first, 40);
    }

    #[test]
    fn no_two_pieces_overlap() {
        let mut arena = Arena::new(64 * GRANULE).unwrap();
        let mut held: Vec<Piece> = Vec::new();
        for step in 0..if cfg!(miri) { 200_usize } else { 5000 } {
            if let Some(piece) = arena.take((step * 7919 % 9 + 1) * GRANULE) {
                let disjoint = |other: &Piece| {
                    piece.first + piece.granules <= other.first || other.first + other.granules <= piece.first
                };
                assert!(held.iter().all(disjoint));
                held.push(piece);
            } else {
                arena.give_back(held.swap_remove(step * 31 % held.len()));
            }
        }
    }
}
