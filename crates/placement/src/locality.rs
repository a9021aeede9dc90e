//! Locality of neighbors' lists: the I/O cost model of BASC and Norder (Lee et al., USENIX ATC 2019, section 4.1), and
//! distances in pages.

use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_types::{Result, VertexId, VertexRange, VertexValues, index_from, length_from};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Page size for distances, in bytes.
pub const PAGE_BYTES: u64 = 4096;
/// Number of distance buckets by bit length: 0, 1, 2 to 3, 4 to 7, ...; 8 TiB and more count as 4 TiB.
const BUCKETS: usize = 32;
/// Number of partial sums, so that workers do not wait for each other.
const PARTS: usize = 64;

/// Locality of neighbors' lists. Shares are from 0 to 1, distances in pages of [`PAGE_BYTES`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Locality {
    /// Number of list entries, and thus of distances.
    pub entries: u64,
    /// Equation 1: the sum over vertices of the in-degree times the variance of the out-neighbors' numbers. Repeated
    /// edges count as often as they are stored. Summed in units of 2^-16, so that it does not depend on the number of
    /// threads.
    pub cost: f64,
    /// Mean distance from a vertex's list to a neighbor's list.
    pub mean: f64,
    /// Median distance, rounded up to the end of a range between powers of two.
    pub median: u64,
    /// 90th percentile of the distances, rounded up likewise.
    pub percentile_90: u64,
    /// Share of neighbors whose list is on the same page.
    pub same_page: f64,
    /// Number of pages with the lists of a vertex's neighbors, per neighbor: 1 if each has its own page.
    pub pages_per_neighbor: f64,
}

/// Returns the page on which each list starts if lists are stored in vertex order with `bytes_per_entry` bytes per
/// entry. Overwrites the degrees.
pub fn pages(degrees: VertexValues<u32>, bytes_per_entry: f64) -> VertexValues<u32> {
    let mut entries = 0_u64;
    degrees.map(|degree| {
        let page = page_at(entries, bytes_per_entry);
        entries += u64::from(degree);
        page
    })
}

/// Returns the page of entry number `entry`.
pub(crate) fn page_at(entry: u64, bytes_per_entry: f64) -> u32 {
    // Saturates: 2^32 pages are 16 TiB.
    (entry as f64 * bytes_per_entry / PAGE_BYTES as f64) as u32
}

/// Measures locality with one sweep over `lists`. `in_degrees` are the in-degrees of the same vertices, or the degrees
/// in an undirected graph; `pages` are the pages of the lists.
///
/// # Errors
/// Returns an error if a read fails or is damaged, or on interruption.
pub fn locality(lists: &dyn Adjacency, in_degrees: &[u32], pages: &[u32]) -> Result<Locality> {
    let parts = (0..PARTS).map(|_| Mutex::new(Totals::default())).collect();
    let measure = Measure { in_degrees, pages, parts };
    lists.sweep(VertexRange::new(0, lists.num_vertices()), &measure)?;
    let parts = measure.parts.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(parts.fold(Totals::default(), Totals::and).locality())
}

struct Measure<'m> {
    in_degrees: &'m [u32],
    pages: &'m [u32],
    parts: Vec<Mutex<Totals>>,
}

/// Integer sums over lists, so that the order of addition does not matter.
#[derive(Clone, Debug, Default)]
struct Totals {
    /// Cost, a fixed-point number with 16 fractional bits.
    cost: u128,
    distances: u128,
    same_page: u64,
    pages: u64,
    by_bits: [u64; BUCKETS],
}

/// Sums over one list.
struct List {
    page: u32,
    last_page: Option<u32>,
    count: u64,
    sum: u128,
    sum_of_squares: u128,
    totals: Totals,
}

impl List {
    fn take(&mut self, neighbor: VertexId, page: u32) {
        let number = u128::from(neighbor);
        self.count += 1;
        self.sum += number;
        self.sum_of_squares += number * number;
        let distance = page.abs_diff(self.page);
        self.totals.distances += u128::from(distance);
        self.totals.same_page += u64::from(distance == 0);
        let bits = index_from(u64::from(u32::BITS - distance.leading_zeros()));
        self.totals.by_bits[bits.min(BUCKETS - 1)] += 1;
        // Neighbors ascend, and so do pages.
        self.totals.pages += u64::from(self.last_page.replace(page) != Some(page));
    }

    /// Returns the variance of the neighbors' numbers.
    fn variance(&self) -> f64 {
        let count = u128::from(self.count.max(1));
        // (n * sum of squares - square of sum) / n^2: exact up to the division, which differences of rounded means
        // would not be.
        (count * self.sum_of_squares - self.sum * self.sum) as f64 / (count * count) as f64
    }
}

impl FoldLists for Measure<'_> {
    type Fold = List;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> List {
        let page = self.pages[index_from(u64::from(vertex))];
        let totals = Totals::default();
        List { page, last_page: None, count: 0, sum: 0, sum_of_squares: 0, totals }
    }

    fn neighbors(&self, _: VertexId, list: &mut List, piece: Neighbors<'_>) -> ControlFlow<()> {
        piece.ids().iter().for_each(|neighbor| list.take(*neighbor, self.pages[index_from(u64::from(*neighbor))]));
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, mut list: List) {
        if list.count == 0 {
            return;
        }
        let degree = f64::from(self.in_degrees[index_from(u64::from(vertex))]);
        list.totals.cost = (degree * list.variance() * f64::from(1 << 16)) as u128;
        let part = &self.parts[index_from(u64::from(vertex)) % PARTS];
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        *part = std::mem::take(&mut *part).and(list.totals);
    }
}

impl Totals {
    fn and(mut self, other: Self) -> Self {
        self.cost += other.cost;
        self.distances += other.distances;
        self.same_page += other.same_page;
        self.pages += other.pages;
        self.by_bits.iter_mut().zip(other.by_bits).for_each(|(one, other)| *one += other);
        self
    }

    fn locality(&self) -> Locality {
        let entries: u64 = self.by_bits.iter().sum();
        let per_entry = |count: f64| if entries == 0 { 0.0 } else { count / entries as f64 };
        Locality {
            entries,
            cost: self.cost as f64 / f64::from(1 << 16),
            mean: per_entry(self.distances as f64),
            median: self.quantile(entries.div_ceil(2)),
            percentile_90: self.quantile((entries * 9).div_ceil(10)),
            same_page: per_entry(self.same_page as f64),
            pages_per_neighbor: per_entry(self.pages as f64),
        }
    }

    /// Returns the upper end of the range with the `wanted`-th shortest distance.
    fn quantile(&self, wanted: u64) -> u64 {
        let mut seen = 0;
        let reached = self.by_bits.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        (1 << length_from(reached.unwrap_or(0))) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_graphs::{InMemory, any_graph};
    use outcrop_types::{MemoryBudget, Purpose};
    use proptest::prelude::*;

    fn pages_of(graph: &InMemory, bytes_per_entry: f64) -> Vec<u32> {
        let degrees = graph.out_degrees();
        let values = VertexValues::new(&MemoryBudget::new(1 << 20), Purpose::Degrees, degrees.len(), |at| degrees[at]);
        pages(values.unwrap(), bytes_per_entry).to_vec()
    }

    /// Equation 1 as printed.
    fn naive_cost(graph: &InMemory) -> f64 {
        let degrees = graph.in_degrees();
        let term = |v: u32| {
            let list: Vec<f64> = graph.list(v).iter().map(|n| f64::from(*n)).collect();
            let mean = list.iter().sum::<f64>() / list.len().max(1) as f64;
            let variance = list.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / list.len().max(1) as f64;
            f64::from(degrees[v as usize]) * variance
        };
        (0..graph.num_vertices()).map(term).sum()
    }

    proptest! {
        #[test]
        fn it_is_what_the_definitions_say(graph in any_graph(), bytes_per_entry in 0.0..5000.0) {
            let pages = pages_of(&graph, bytes_per_entry);
            let found = locality(&graph, &graph.in_degrees(), &pages).unwrap();
            let lists = || (0..graph.num_vertices()).map(|v| (v, graph.list(v)));
            let distances = lists().flat_map(|(v, list)| list.iter().map(move |n| (v, *n)));
            let mut distances: Vec<u64> =
                distances.map(|(v, n)| u64::from(pages[v as usize].abs_diff(pages[n as usize]))).collect();
            distances.sort_unstable();
            let entries = distances.len();
            prop_assert_eq!(found.entries, entries as u64);
            prop_assert!((found.cost - naive_cost(&graph)).abs() <= 1e-3 * (1.0 + naive_cost(&graph)), "{found:?}");
            if entries == 0 {
                return Ok(());
            }
            let same = distances.iter().filter(|distance| **distance == 0).count();
            prop_assert_eq!(found.same_page, same as f64 / entries as f64);
            prop_assert!((found.mean - distances.iter().sum::<u64>() as f64 / entries as f64).abs() < 1e-9);
            let upper = |at: usize| (distances[at] + 1).next_power_of_two() - 1;
            prop_assert_eq!(found.median, upper(entries.div_ceil(2) - 1));
            prop_assert_eq!(found.percentile_90, upper((entries * 9).div_ceil(10) - 1));
            let distinct = lists().map(|(_, list)| {
                list.iter().map(|n| pages[*n as usize]).collect::<std::collections::BTreeSet<_>>().len()
            });
            prop_assert_eq!(found.pages_per_neighbor, distinct.sum::<usize>() as f64 / entries as f64);
        }
    }

    #[test]
    fn lists_of_a_page_lie_in_it_and_the_next_page_follows() {
        let edges: Vec<_> = (0..4).flat_map(|v| (0..512).map(move |n| (v, n % 4))).collect();
        assert_eq!(pages_of(&InMemory::new(5, &edges), 4.0), [0, 0, 1, 1, 2]);
    }
}
