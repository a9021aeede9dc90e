//! Choice of the order that suits a graph: from a sample of its lists.

use crate::locality::page_at;
use outcrop_store::Order;
use outcrop_store::access::{Adjacency, FoldLists, Neighbours};
use outcrop_types::{
    BitSet, MemoryBudget, Purpose, Result, SplitMix64, VertexId, VertexSet, VertexValues, index_from, length_from,
    number_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lists that are looked at.
const LISTS: u32 = 1 << 16;
/// Longer lists are left out: their neighbours are everywhere in any order.
const LONGEST: usize = 1 << 16;
/// Logarithms are added up in parts of 2^-16, so that sums do not depend on their order.
const PARTS: f64 = 65_536.0;

/// Nearness of neighbours to each other in the order of the original ids.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Lists that were looked at.
    pub lists: u64,
    /// Their neighbours.
    pub neighbours: u64,
    /// The share of neighbours whose list begins in the page in which that of the vertex begins, from 0 to 1.
    pub same_page: f64,
    /// The mean of log2 of the gap between one neighbour and the next.
    pub gap_bits: f64,
    /// The same mean if vertices were numbered at random.
    pub random_gap_bits: f64,
}

/// An order, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The order: the original or that by degree.
    pub order: Order,
    /// Reason, in words.
    pub reason: String,
}

/// Neighbours are near each other where gaps are shorter than random ones by so many bits.
const NEAR_BITS: f64 = 3.0;
/// And where at least this share of them lies in the page of their vertex.
const NEAR_SHARE: f64 = 0.1;

/// Keeps an order in which neighbours are near each other; else puts what is read most often together.
pub fn choose(sample: &Sample) -> Choice {
    // To one digit, and no zero below 0.
    let saved = ((sample.random_gap_bits - sample.gap_bits) * 10.0).round() / 10.0 + 0.0;
    let percent = 100.0 * sample.same_page;
    let found = format!(
        "of {} sampled neighbours {percent:.1}% lie in the page of their vertex, and gaps between neighbours are {saved:.1} bits \
         shorter than random ones",
        sample.neighbours
    );
    let order = match saved >= NEAR_BITS || sample.same_page >= NEAR_SHARE || sample.neighbours == 0 {
        true => Order::Original,
        false => Order::Degree,
    };
    let why = if order == Order::Original { "the ids are near each other already" } else { "the ids tell little" };
    Choice { order, reason: format!("{why}: {found}") }
}

impl Sample {
    /// Memory that taking a sample of a graph of `vertices` vertices takes, in bytes.
    pub fn bytes(vertices: u32) -> u64 {
        VertexValues::<u32>::bytes(u64::from(vertices)) + 2 * BitSet::bytes(vertices) + VertexSet::bytes(vertices)
    }

    /// Looks at lists of vertices drawn evenly, the same each time: one select. `out_degrees` are those of `lists`; `ranks` say which place
    /// among the original ids each vertex has, where that is not its number; lists are taken to lie in that order, `bytes_per_entry` bytes
    /// an entry.
    ///
    /// # Errors
    /// A budget that is too small; a failed or damaged read; interruption.
    pub fn take(
        lists: &dyn Adjacency,
        out_degrees: &[u32],
        ranks: Option<&[u32]>,
        bytes_per_entry: f64,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let vertices = lists.num_vertices();
        let _sets = budget.reserve(2 * BitSet::bytes(vertices) + VertexSet::bytes(vertices), Purpose::Frontier)?;
        let pages = pages_by_rank(out_degrees, ranks, bytes_per_entry, budget)?;
        let look = Look { vertices, ranks, pages: &pages, totals: Totals::default() };
        lists.select(&drawn(vertices), &look)?;
        let Totals { lists, neighbours, same_page, gaps, bits, random_bits } = look.totals;
        let per = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let (neighbours, gaps) = (neighbours.into_inner(), gaps.into_inner());
        Ok(Self {
            lists: lists.into_inner(),
            neighbours,
            same_page: per(same_page.into_inner() as f64, neighbours),
            gap_bits: per(bits.into_inner() as f64 / PARTS, gaps),
            random_gap_bits: per(random_bits.into_inner() as f64 / PARTS, gaps),
        })
    }
}

/// One vertex of each of equal stretches, or all.
fn drawn(vertices: u32) -> VertexSet {
    if vertices <= LISTS {
        return VertexSet::all(vertices);
    }
    let start = |stretch: u32| u64::from(stretch) * u64::from(vertices) / u64::from(LISTS);
    let numbers = SplitMix64::new(1, 0);
    let one = |stretch: u32| start(stretch) + numbers.at(u64::from(stretch)) % (start(stretch + 1) - start(stretch));
    let members = (0..LISTS).map(|stretch| number_from(one(stretch))).collect();
    VertexSet::from_members(members, vertices)
}

/// The page in which the list of each rank begins.
fn pages_by_rank(
    out_degrees: &[u32],
    ranks: Option<&[u32]>,
    bytes_per_entry: f64,
    budget: &MemoryBudget,
) -> Result<VertexValues<u32>> {
    let mut pages = VertexValues::new(budget, Purpose::Degrees, out_degrees.len(), |vertex| match ranks {
        None => out_degrees[vertex],
        Some(_) => 0,
    })?;
    for (rank, degree) in ranks.into_iter().flatten().zip(out_degrees) {
        pages[index_from(u64::from(*rank))] = *degree;
    }
    let mut entries = 0;
    for page in pages.iter_mut() {
        let degree = std::mem::replace(page, page_at(entries, bytes_per_entry));
        entries += u64::from(degree);
    }
    Ok(pages)
}

/// Looks at lists, each as a whole.
struct Look<'l> {
    vertices: u32,
    ranks: Option<&'l [u32]>,
    pages: &'l [u32],
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    lists: AtomicU64,
    neighbours: AtomicU64,
    same_page: AtomicU64,
    gaps: AtomicU64,
    bits: AtomicU64,
    random_bits: AtomicU64,
}

impl Look<'_> {
    fn rank(&self, vertex: VertexId) -> u32 {
        self.ranks.map_or(vertex, |ranks| ranks[index_from(u64::from(vertex))])
    }
}

impl FoldLists for Look<'_> {
    /// The ranks of neighbours.
    type Fold = Vec<u32>;

    fn begin(&self, _: VertexId) -> Vec<u32> {
        Vec::new()
    }

    fn neighbours(&self, _: VertexId, list: &mut Vec<u32>, piece: Neighbours<'_>) -> ControlFlow<()> {
        list.extend(piece.ids().iter().map(|neighbour| self.rank(*neighbour)));
        if list.len() > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&self, vertex: VertexId, mut list: Vec<u32>) {
        if list.is_empty() || list.len() > LONGEST {
            return;
        }
        list.sort_unstable();
        let page = |rank: u32| self.pages[index_from(u64::from(rank))];
        let own = page(self.rank(vertex));
        let same = list.iter().filter(|rank| page(**rank) == own).count();
        list.dedup();
        let gaps = list.windows(2).map(|pair| f64::from(pair[1] - pair[0]).log2());
        let bits: u64 = gaps.map(|bits| (bits * PARTS) as u64).sum();
        let count = length_from(list.len());
        let random = random_gap_bits(self.vertices, count) * (count - 1) as f64;
        let Totals { lists, neighbours, same_page, gaps, bits: all_bits, random_bits } = &self.totals;
        lists.fetch_add(1, Relaxed);
        neighbours.fetch_add(count, Relaxed);
        same_page.fetch_add(length_from(same).min(count), Relaxed);
        gaps.fetch_add(count - 1, Relaxed);
        all_bits.fetch_add(bits, Relaxed);
        random_bits.fetch_add((random * PARTS) as u64, Relaxed);
    }
}

/// The mean of log2 of the gap between neighbours, `count` of them spread evenly over `vertices` numbers: gaps are then about exponential
/// with the mean `vertices / (count + 1)`, whose logarithm lies Euler's constant below that of the mean.
fn random_gap_bits(vertices: u32, count: u64) -> f64 {
    const EULER_BITS: f64 = 0.577_215_664_901_532_9 * std::f64::consts::LOG2_E;
    ((f64::from(vertices) / (count + 1) as f64).log2() - EULER_BITS).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::random;
    use crate::sample_graphs::InMemory;
    use outcrop_types::Permutation;

    const VERTICES: u32 = 100_000;

    /// Each vertex with the next few.
    fn near() -> Vec<(u32, u32)> {
        (0..VERTICES).flat_map(|v| (1..8).map(move |step| (v, (v + step * step) % VERTICES))).collect()
    }

    fn renumbered(edges: &[(u32, u32)], numbers: &Permutation) -> InMemory {
        let edges: Vec<_> = edges.iter().map(|(a, b)| (numbers.apply(*a), numbers.apply(*b))).collect();
        InMemory::new(VERTICES, &edges)
    }

    fn sample(graph: &InMemory, ranks: Option<&[u32]>) -> Sample {
        let budget = MemoryBudget::new(Sample::bytes(VERTICES));
        Sample::take(graph, &graph.out_degrees(), ranks, 2.0, &budget).unwrap()
    }

    #[test]
    fn near_ids_are_kept_and_random_ones_are_not() {
        let numbers = random(VERTICES, 5);
        let (near, far) = (InMemory::new(VERTICES, &near()), renumbered(&near(), &numbers));
        let (kept, tossed) = (sample(&near, None), sample(&far, None));
        assert_eq!(
            (choose(&kept).order, choose(&tossed).order),
            (Order::Original, Order::Degree),
            "{kept:?} {tossed:?}"
        );
        assert!((tossed.gap_bits - tossed.random_gap_bits).abs() < 0.2, "{tossed:?}");
        assert!(kept.same_page > 0.5 && tossed.same_page < 0.01 && kept.lists == u64::from(LISTS));
        assert!(choose(&kept).reason.contains("bits shorter than random ones"));
        assert_eq!(choose(&Sample::default()).order, Order::Original);
    }

    #[test]
    fn the_order_of_the_store_does_not_matter() {
        let numbers = random(VERTICES, 6);
        let (near, far) = (InMemory::new(VERTICES, &near()), renumbered(&near(), &numbers));
        let (one, other) = (sample(&near, None), sample(&far, Some(numbers.inverse().as_slice())));
        assert!((one.same_page - other.same_page).abs() < 0.02, "{one:?} {other:?}");
        assert!((one.gap_bits - other.gap_bits).abs() < 0.1, "{one:?} {other:?}");
    }
}
