//! Sampling of entries from a list that is seen once and in pieces.
//!
//! Without replacement, the sample consists of the entries with the smallest random numbers: one number per list entry
//! or, with weights, an exponentially distributed number with that rate (Efraimidis and Spirakis, Weighted random
//! sampling with a reservoir, Information Processing Letters 97, 2006). With replacement, each sample is a reservoir of
//! one entry, which jumps to the entry that replaces it (same paper). Samples depend only on the seed, the layer, the
//! vertex and the positions in its list.

use outcrop_types::{SplitMix64, VertexId};
use std::collections::BinaryHeap;

/// Sampling method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    /// Number of samples per list.
    pub(super) count: u32,
    /// True for sampling with replacement.
    pub(super) replace: bool,
    /// True for sampling proportional to weights; entries without a positive weight are never sampled.
    pub(super) weighted: bool,
}

/// Sample of one list.
pub(super) struct ListSample {
    draw: Draw,
    numbers: SplitMix64,
    /// Number of entries processed.
    position: u64,
    /// Sum of the weights processed.
    total: f64,
    /// Smallest keys in a max-heap.
    smallest: BinaryHeap<Keyed>,
    /// Reservoirs of one entry.
    slots: Vec<Slot>,
    /// Minimum sum of weights at which a slot is replaced.
    next: f64,
}

/// Entry with its key.
#[derive(Clone, Copy)]
struct Keyed {
    key: f64,
    position: u64,
    entry: (VertexId, f64),
}

/// Reservoir of one entry, and the sum of weights beyond which the entry is replaced.
#[derive(Clone, Copy)]
struct Slot {
    entry: Option<(VertexId, f64)>,
    until: f64,
    draws: u64,
}

impl PartialEq for Keyed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Keyed {}

impl PartialOrd for Keyed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Keyed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.total_cmp(&other.key).then(self.position.cmp(&other.position))
    }
}

/// Maps 64 random bits to a number greater than 0 and at most 1.
fn unit(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

impl ListSample {
    /// Creates an empty sample of the list with the random stream `numbers`.
    pub(super) fn new(draw: Draw, numbers: SplitMix64) -> Self {
        let slots = if draw.replace { draw.count as usize } else { 0 };
        let slots = vec![Slot { entry: None, until: 0.0, draws: 0 }; slots];
        Self { draw, numbers, position: 0, total: 0.0, smallest: BinaryHeap::new(), slots, next: 0.0 }
    }

    /// Processes the next entry of the list.
    #[inline]
    pub(super) fn push(&mut self, entry: (VertexId, f64)) {
        let weight = if self.draw.weighted { entry.1 } else { 1.0 };
        let position = self.position;
        self.position += 1;
        if weight > 0.0 && self.draw.count > 0 {
            if self.draw.replace { self.offer(entry, weight) } else { self.rank(entry, weight, position) }
        }
    }

    /// Keeps the entry if its key is among the smallest.
    #[inline]
    fn rank(&mut self, entry: (VertexId, f64), weight: f64, position: u64) {
        let number = unit(self.numbers.at(position));
        let key = if self.draw.weighted { -number.ln() / weight } else { number };
        if self.smallest.len() < self.draw.count as usize {
            self.smallest.push(Keyed { key, position, entry });
        } else if let Some(mut largest) = self.smallest.peek_mut()
            && key < largest.key
        {
            *largest = Keyed { key, position, entry };
        }
    }

    /// Stores the entry in the slots whose entries it replaces.
    #[inline]
    fn offer(&mut self, entry: (VertexId, f64), weight: f64) {
        self.total += weight;
        if self.total > self.next {
            self.replace(entry);
        }
    }

    fn replace(&mut self, entry: (VertexId, f64)) {
        let Self { numbers, total, slots, .. } = self;
        self.next = f64::INFINITY;
        for (number, slot) in (0_u64..).zip(slots) {
            if *total > slot.until {
                let bits = numbers.at(number << 32 | slot.draws);
                *slot = Slot { entry: Some(entry), until: *total / unit(bits), draws: slot.draws + 1 };
            }
            self.next = self.next.min(slot.until);
        }
    }

    /// Returns the sampled entries, in the order of the list or of the slots.
    pub(super) fn into_entries(self) -> Vec<(VertexId, f64)> {
        let mut kept = self.smallest.into_vec();
        kept.sort_unstable_by_key(|kept| kept.position);
        let drawn = self.slots.into_iter().filter_map(|slot| slot.entry);
        kept.into_iter().map(|kept| kept.entry).chain(drawn).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of times that each of ten entries, with weights 0 to 9, is sampled by 20,000 seeds.
    fn times(draw: Draw) -> Vec<f64> {
        let mut times = vec![0.0; 10];
        for seed in 0..20_000 {
            let mut sample = ListSample::new(draw, SplitMix64::new(seed, 1));
            (0..10).for_each(|entry| sample.push((entry, f64::from(entry))));
            let drawn = sample.into_entries();
            if !draw.replace {
                assert!(drawn.is_sorted_by(|one, other| one.0 < other.0), "{drawn:?}");
            }
            drawn.iter().for_each(|(entry, _)| times[*entry as usize] += 1.0 / 20_000.0);
        }
        times
    }

    #[test]
    fn entries_are_drawn_as_often_as_they_should_be() {
        for (replace, weighted) in [(false, false), (true, false), (true, true)] {
            let times = times(Draw { count: 3, replace, weighted });
            for (weight, times) in (0..).zip(times) {
                let expected = if weighted { 3.0 * f64::from(weight) / 45.0 } else { 0.3 };
                assert!((times - expected).abs() < 0.02, "{replace} {weighted} {weight}: {times} for {expected}");
            }
        }
        let one = times(Draw { count: 1, replace: false, weighted: true });
        assert!((0..).zip(one).all(|(weight, times)| (times - f64::from(weight) / 45.0).abs() < 0.02));
    }

    #[test]
    fn short_lists_are_drawn_whole() {
        let sample = |replace, weighted| {
            let mut sample = ListSample::new(Draw { count: 5, replace, weighted }, SplitMix64::new(1, 1));
            [(7, 1.0), (8, 0.0)].into_iter().for_each(|entry| sample.push(entry));
            sample.into_entries()
        };
        assert_eq!(sample(false, false), [(7, 1.0), (8, 0.0)]);
        assert_eq!(sample(false, true), [(7, 1.0)]);
        assert_eq!(sample(true, true), [(7, 1.0); 5]);
        assert_eq!(sample(true, false).len(), 5);
    }
}
