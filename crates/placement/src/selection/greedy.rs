//! One-by-one selection within one page: all lists in order, each with its penalty after removal of those before it,
//! as in Algorithm 1 of BASC with one round per list.
//!
//! Lists of the same length that the same requesters request always have the same penalty. They form a class, whose
//! penalty is updated once: a page may have thousands of short lists, and a sweep requests all of them.

use super::page_requests::{PageRequests, Ranked, Request, position, requester};
use std::cmp::Reverse;

/// Penalties, which change as lists are removed. Each vector has a value per list; that of a class is at its first
/// list.
pub(super) struct Greedy<'p> {
    page: PageRequests<'p>,
    asking: Asking,
    /// Requests for classes, by requester, and the used part of the page.
    groups: Vec<(&'p [Request], f64)>,
    /// Sum of each class, as in [`PageRequests::sums`].
    sums: Vec<f64>,
    classes: Classes,
    best: Tournament,
}

impl<'p> Greedy<'p> {
    pub(super) fn new(mut page: PageRequests<'p>) -> Self {
        let (sums, count) = (page.sums(), page.lengths.len());
        let shared = || page.groups().filter(|group| group.len() > 1);
        let used: Vec<f64> = shared().map(|group| page.used(group)).collect();
        let asking = Asking::new(shared, count);
        let figures = |list: usize| (page.lengths[list], page.weights[list].to_bits(), sums[list].to_bits());
        let classes = Classes::new(count, |list| (figures(list), asking.groups(list)));
        let mut best = Tournament::new(count);
        for list in (0..count).filter(|list| classes.first[*list] as usize == *list) {
            best.set(list, (page.key(list, sums[list]), Reverse(list as u32)));
        }
        let requests = classes.requests(std::mem::take(&mut page.requests));
        let groups = requests.chunk_by(|a, b| requester(*a) == requester(*b)).zip(used).collect();
        Self { page, asking, groups, sums, classes, best }
    }

    /// Removes `list`, of which each class in its groups then has a larger share.
    fn remove(&mut self, list: usize, key: u32) {
        let class = self.classes.first[list] as usize;
        self.best.set(class, (key, Reverse(self.classes.next[list])));
        let length = f64::from(self.page.lengths[list]);
        for group in self.asking.groups(class) {
            let (requests, used) = &mut self.groups[*group as usize];
            let (before, now) = (*used, *used - length);
            *used = now;
            requests.iter().for_each(|request| self.sums[position(*request)] += 1.0 / now - 1.0 / before);
        }
        for group in self.asking.groups(class) {
            for request in self.groups[*group as usize].0 {
                let other = position(*request);
                let (key, first) = self.best.get(other);
                let new = self.page.key(other, self.sums[other]);
                if new != key && first != Tournament::NONE.1 {
                    self.best.set(other, (new, first));
                }
            }
        }
    }
}

impl Iterator for Greedy<'_> {
    type Item = Ranked;

    fn next(&mut self) -> Option<Ranked> {
        let (key, Reverse(list)) = self.best.highest()?;
        self.remove(list as usize, key);
        Some((key, list))
    }
}

/// Groups that request each list.
struct Asking {
    groups: Vec<u32>,
    /// End of the groups of each list.
    ends: Vec<u32>,
}

impl Asking {
    /// Creates the groups that request each of `count` lists.
    fn new<'g, G: Iterator<Item = &'g [Request]>>(groups: impl Fn() -> G, count: usize) -> Self {
        let mut ends = vec![0_u32; count];
        groups().flatten().for_each(|request| ends[position(*request)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        let mut asking = vec![0; sum as usize];
        for (number, group) in (0..).zip(groups()) {
            for request in group {
                let end = &mut ends[position(*request)];
                asking[*end as usize] = number;
                *end += 1;
            }
        }
        Self { groups: asking, ends }
    }

    fn groups(&self, list: usize) -> &[u32] {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.groups[start as usize..self.ends[list] as usize]
    }
}

/// Lists with equal properties.
struct Classes {
    /// First list of the class of each list.
    first: Vec<u32>,
    /// Next list of the same class; [`u32::MAX`] after the last one.
    next: Vec<u32>,
}

impl Classes {
    fn new<P: Ord>(count: usize, property: impl Fn(usize) -> P) -> Self {
        let property = |list: &u32| property(*list as usize);
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by(|a, b| property(a).cmp(&property(b)).then(a.cmp(b)));
        let (mut first, mut next) = (vec![0; count], vec![u32::MAX; count]);
        for class in order.chunk_by(|a, b| property(a) == property(b)) {
            class.iter().for_each(|list| first[*list as usize] = class[0]);
            class.windows(2).for_each(|pair| next[pair[0] as usize] = pair[1]);
        }
        Self { first, next }
    }

    /// Keeps only requests for first lists, by requesters of several lists.
    fn requests<'r>(&self, requests: &'r mut [Request]) -> &'r [Request] {
        let (mut kept, mut previous) = (0, None);
        for at in 0..requests.len() {
            let (this, list) = (requests[at], position(requests[at]));
            let others = [previous, requests.get(at + 1).map(|next| requester(*next))];
            previous = Some(requester(this));
            if others.contains(&previous) && self.first[list] as usize == list {
                requests[kept] = this;
                kept += 1;
            }
        }
        &requests[..kept]
    }
}

/// Tree of the highest of keyed lists, in fixed memory.
struct Tournament {
    values: Vec<(u32, Reverse<u32>)>,
}

impl Tournament {
    const NONE: (u32, Reverse<u32>) = (0, Reverse(u32::MAX));

    fn new(count: usize) -> Self {
        Self { values: vec![Self::NONE; 2 * count] }
    }

    fn get(&self, at: usize) -> (u32, Reverse<u32>) {
        self.values[self.values.len() / 2 + at]
    }

    fn set(&mut self, at: usize, value: (u32, Reverse<u32>)) {
        let mut node = self.values.len() / 2 + at;
        self.values[node] = if value.1 == Self::NONE.1 { Self::NONE } else { value };
        while node > 1 {
            node /= 2;
            self.values[node] = self.values[2 * node].max(self.values[2 * node + 1]);
        }
    }

    fn highest(&self) -> Option<(u32, Reverse<u32>)> {
        self.values.get(1).copied().filter(|value| value.1 != Self::NONE.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::page_requests::Preference;
    use super::super::page_requests::tests::{naive, page, with_page};
    use super::*;

    #[test]
    fn one_by_one_always_takes_the_highest_of_what_is_left() {
        for seed in 0..40 {
            // Half of the pages have few different lists.
            let (longest, requesters) = if seed % 2 == 0 { (30, 40) } else { (2, 3) };
            let (requests, members) = page(seed, 15, longest, requesters);
            let mut gone = [false; 15];
            let order =
                with_page(&requests, &members, Preference::Highest, |page| Greedy::new(page).collect::<Vec<_>>());
            assert_eq!(order.len(), 15);
            for (key, number) in order {
                let penalties = naive(&requests, &members, &gone);
                let rest = (0..15).filter(|u| !gone[*u]).map(|u| penalties[u]);
                let highest = rest.fold(0.0, f64::max);
                let taken = penalties[number as usize];
                assert!(taken >= highest * (1.0 - 1e-6), "seed {seed}: {taken} {highest}");
                assert!(key.abs_diff(Preference::Highest.key(taken)) <= 4);
                assert!(!std::mem::replace(&mut gone[number as usize], true));
            }
        }
    }
}
