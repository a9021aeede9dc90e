//! GVS within one page: the penalties of its lists, and the best order of their selection.
//!
//! The penalty of a list depends only on the lists in the same page and on their requesters, so pages are processed one
//! by one.

use std::cmp::Reverse;

/// A request: the requester in the high half, the position of the requested list in the low half.
pub(super) type Request = u64;

/// Returns the request of `requester` for the list at `position`.
pub(super) const fn request(requester: u32, position: u32) -> Request {
    (requester as u64) << 32 | position as u64
}

/// Placeholder for a missing request, if a list of requests is shorter than expected.
pub(super) const NO_REQUEST: Request = u64::MAX;

pub(super) const fn requester(request: Request) -> u32 {
    (request >> 32) as u32
}

pub(super) const fn position(request: Request) -> usize {
    (request & 0xffff_ffff) as usize
}

/// Unselected lists of a page.
pub(super) struct PageRequests<'p> {
    /// Requests, ascending and distinct.
    pub(super) requests: &'p mut [Request],
    /// Entries of each list.
    pub(super) lengths: Vec<u32>,
    /// Factor of a penalty, divided by the length of its list: 1 / (r · in-degree · length).
    pub(super) weights: Vec<f64>,
    preference: Preference,
}

/// Order of selection by normalized penalty.
///
/// Line 13 of the paper's Algorithm 1 says the minimum, its text the highest. The text fits the objective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The highest first.
    #[default]
    Highest,
    /// The lowest first: for comparison.
    Lowest,
}

impl Preference {
    /// Returns the selection key of a normalized penalty; lists with larger keys are selected first.
    pub(super) fn key(self, penalty: f64) -> u32 {
        // The bits of positive floats are ordered like the floats.
        let bits = (penalty as f32).to_bits();
        if self == Self::Highest { bits } else { u32::MAX - bits }
    }
}

/// List to be selected: its key, and its position on the page.
pub(super) type Ranked = (u32, u32);

impl<'p> PageRequests<'p> {
    /// Creates the state of a page from the requests for its unselected lists and their lengths and request counts.
    /// `lists` is the number of lists in the page, selected ones included; `None` ignores this number and the request
    /// counts.
    pub(super) fn new(
        requests: &'p mut [Request],
        members: impl Iterator<Item = (u32, u32)>,
        lists: Option<u32>,
        preference: Preference,
    ) -> Self {
        let (lengths, weights) = members
            .map(|(length, asked)| {
                let expected = lists.map_or(1.0, |lists| f64::from(lists) * f64::from(asked.max(1)));
                (length, 1.0 / (expected * f64::from(length)))
            })
            .unzip();
        requests.sort_unstable();
        let mut kept = 0;
        for at in 0..requests.len() {
            if requests[at] != NO_REQUEST && (kept == 0 || requests[kept - 1] != requests[at]) {
                requests[kept] = requests[at];
                kept += 1;
            }
        }
        Self { requests: &mut requests[..kept], lengths, weights, preference }
    }

    /// Returns the requests grouped by requester.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Request]> {
        self.requests.chunk_by(|a, b| requester(*a) == requester(*b))
    }

    /// Total entries of the lists that a group requests: the used part of the page (line 10).
    pub(super) fn used(&self, group: &[Request]) -> f64 {
        group.iter().map(|request| f64::from(self.lengths[position(*request)])).sum()
    }

    pub(super) fn key(&self, position: usize, sum: f64) -> u32 {
        self.preference.key(sum * self.weights[position])
    }

    /// Returns, for each list, the sum over its requesters of 1 / the part of the page that they use (lines 6 to 11,
    /// without the factors common to all requesters).
    pub(super) fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.lengths.len()];
        for group in self.groups() {
            let share = 1.0 / self.used(group);
            group.iter().for_each(|request| sums[position(*request)] += share);
        }
        sums
    }

    /// Returns all lists ordered by their current penalties, the first to be selected in front.
    pub(super) fn ranked(self) -> Vec<Ranked> {
        let keyed = (0..).zip(self.sums()).map(|(number, sum)| (self.key(number as usize, sum), number));
        let mut ranked: Vec<Ranked> = keyed.collect();
        ranked.sort_unstable_by_key(|(key, number)| (Reverse(*key), *number));
        ranked
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Penalties as Algorithm 1 has them, from nested loops.
    pub(in super::super) fn naive(requests: &[(u32, u32)], members: &[(u32, u32)], gone: &[bool]) -> Vec<f64> {
        let mut penalties = vec![0.0; members.len()];
        let lists = members.len() as f64;
        for (v, u) in requests.iter().filter(|(_, u)| !gone[*u as usize]) {
            let beside = requests.iter().filter(|(other, w)| other == v && !gone[*w as usize]);
            let used: u32 = beside.map(|(_, w)| members[*w as usize].0).sum();
            let (length, in_lists) = members[*u as usize];
            penalties[*u as usize] += 1.0 / lists / f64::from(used) / f64::from(in_lists) / f64::from(length);
        }
        penalties
    }

    pub(in super::super) type Pairs = Vec<(u32, u32)>;

    /// Some page: `count` lists of up to `longest` entries, and requests from `requesters` vertices.
    pub(in super::super) fn page(seed: u32, count: u32, longest: u32, requesters: u32) -> (Pairs, Pairs) {
        let mut state = seed;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut requests: Vec<(u32, u32)> = (0..count * 4).map(|_| (draw(requesters), draw(count))).collect();
        requests.sort_unstable();
        requests.dedup();
        let asked = |u: u32| requests.iter().filter(|(_, other)| *other == u).count() as u32;
        let members = (0..count).map(|u| (1 + draw(longest), asked(u).max(1))).collect();
        (requests, members)
    }

    pub(in super::super) fn with_page<T>(
        requests: &[(u32, u32)],
        members: &[(u32, u32)],
        preference: Preference,
        of: impl FnOnce(PageRequests<'_>) -> T,
    ) -> T {
        // Out of order, repeated, and with places that stayed empty.
        let mut list: Vec<Request> = requests.iter().rev().map(|(v, u)| request(*v, *u)).collect();
        list.extend_from_within(..list.len() / 2);
        list.push(NO_REQUEST);
        of(PageRequests::new(&mut list, members.iter().copied(), Some(members.len() as u32), preference))
    }

    #[test]
    fn penalties_are_those_of_algorithm_1() {
        for seed in 0..20 {
            let (requests, members) = page(seed, 12, 30, 40);
            let penalties = naive(&requests, &members, &[false; 12]);
            for preference in [Preference::Highest, Preference::Lowest] {
                let ranked = with_page(&requests, &members, preference, |page| page.ranked());
                assert!(ranked.is_sorted_by(|a, b| a.0 >= b.0));
                for (key, number) in ranked {
                    let expected = preference.key(penalties[number as usize]);
                    assert!(key.abs_diff(expected) <= 2, "seed {seed}: {key} {expected}");
                }
            }
        }
    }
}
