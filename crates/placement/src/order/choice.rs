//! Automatic choice of the vertex order, from a sample of lists.

use crate::locality::PAGE_BYTES;
use outcrop_store::Order;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_store::writing::SampledLists;
use outcrop_types::{
    BitSet, MemoryBudget, Purpose, Result, SplitMix64, VertexId, VertexSet, index_from, length_from, number_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of sampled lists.
const LISTS: u32 = 1 << 16;
/// Maximum length of a sampled list: neighbors in longer lists are far apart in any order.
const LONGEST: usize = 1 << 16;
/// Fixed-point scale of summed logarithms, so that sums do not depend on the order of addition.
const PARTS: f64 = 65_536.0;
/// Assumed bytes of a list entry that is not stored yet.
const BYTES_PER_ENTRY: f64 = 2.0;

/// Number of vertices up to which vertex values fit the processor's caches in any order.
const FEW_VERTICES: u32 = 1 << 16;

/// Closeness of neighbors in the order of the original IDs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// Number of sampled lists.
    pub lists: u64,
    /// Number of neighbors in the sampled lists.
    pub neighbors: u64,
    /// Share of neighbors whose list would be on the page of the vertex's list if all lists had the same length, from 0
    /// to 1.
    pub same_page: f64,
    /// Mean log2 of the gap between consecutive neighbors.
    pub gap_bits: f64,
    /// The same mean for randomly numbered vertices.
    pub random_gap_bits: f64,
}

/// Order and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Order: original or by degree.
    pub order: Order,
    /// Reason, in words.
    pub reason: String,
}

/// Minimum difference in bits by which gaps between close neighbors are shorter than random ones.
const NEAR_BITS: f64 = 3.0;
/// Minimum share of close neighbors on the page of their vertex.
const NEAR_SHARE: f64 = 0.1;

/// Keeps an order with close neighbors; otherwise chooses the order by degree.
pub fn choose(sample: &Sample) -> Choice {
    // Rounded to one decimal, without a negative zero.
    let saved = ((sample.random_gap_bits - sample.gap_bits) * 10.0).round() / 10.0 + 0.0;
    let (apart, percent) = (saved.abs(), 100.0 * sample.same_page);
    let compared = if saved < 0.0 { "longer" } else { "shorter" };
    let found = format!(
        "{percent:.1}% of {} sampled neighbors are on the same page, and gaps between neighbors are {apart:.1} bits {compared} than random",
        sample.neighbors
    );
    let near = saved >= NEAR_BITS || sample.same_page >= NEAR_SHARE || sample.neighbors == 0;
    let (order, why) = match (sample.vertices < FEW_VERTICES, near) {
        (true, _) => (Order::Original, "the graph is small"),
        (false, true) => (Order::Original, "IDs show locality"),
        (false, false) => (Order::Degree, "IDs show no locality"),
    };
    Choice { order, reason: format!("{why}: {found}") }
}

impl Sample {
    /// Returns the memory for sampling a graph of `vertices` vertices, in bytes.
    pub fn bytes(vertices: u32) -> u64 {
        2 * BitSet::bytes(vertices) + VertexSet::bytes(vertices)
    }

    /// Samples the lists of evenly drawn vertices, which are the same each time, with one select. `ranks` is the
    /// position of each vertex among the original IDs, if that differs from its number. The graph has `entries` list
    /// entries of `bytes_per_entry` bytes.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, if a read fails or is damaged, or on interruption.
    pub fn take(
        lists: &dyn Adjacency,
        ranks: Option<&[u32]>,
        entries: u64,
        bytes_per_entry: f64,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let vertices = lists.num_vertices();
        let _sets = budget.reserve(Self::bytes(vertices), Purpose::Frontier)?;
        let look = Look { ranks, totals: Totals::new(vertices, entries, bytes_per_entry) };
        lists.select(&drawn(vertices), &look)?;
        Ok(look.totals.finish())
    }

    /// Evaluates lists sampled from a stream of edges that are not stored yet.
    pub fn of_edges(sampled: &SampledLists) -> Self {
        let totals = Totals::new(sampled.vertices, sampled.entries, BYTES_PER_ENTRY);
        let mut neighbors = Vec::new();
        for list in sampled.drawn.chunk_by(|one, next| one[0] == next[0]) {
            neighbors.clear();
            neighbors.extend(list.iter().map(|[_, neighbor]| *neighbor));
            if let Some([vertex, _]) = list.first() {
                totals.add(*vertex, &mut neighbors);
            }
        }
        totals.finish()
    }
}

/// Samples one vertex from each of [`LISTS`] equal ranges, or takes all vertices if there are no more.
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

/// Looks at lists, each as a whole.
struct Look<'l> {
    ranks: Option<&'l [u32]>,
    totals: Totals,
}

/// Sums over lists.
struct Totals {
    vertices: u32,
    /// Number of lists per page if all have the same length.
    lists_in_a_page: f64,
    lists: AtomicU64,
    neighbors: AtomicU64,
    same_page: AtomicU64,
    gaps: AtomicU64,
    bits: AtomicU64,
    random_bits: AtomicU64,
}

impl Totals {
    fn new(vertices: u32, entries: u64, bytes_per_entry: f64) -> Self {
        let bytes = (entries as f64 * bytes_per_entry).max(1.0);
        Self {
            vertices,
            lists_in_a_page: PAGE_BYTES as f64 * f64::from(vertices) / bytes,
            lists: AtomicU64::new(0),
            neighbors: AtomicU64::new(0),
            same_page: AtomicU64::new(0),
            gaps: AtomicU64::new(0),
            bits: AtomicU64::new(0),
            random_bits: AtomicU64::new(0),
        }
    }

    /// Adds the list of the vertex with rank `own`, whose neighbors have these ranks.
    fn add(&self, own: u32, list: &mut Vec<u32>) {
        if list.is_empty() || list.len() > LONGEST {
            return;
        }
        list.sort_unstable();
        let near = |rank: &u32| (1.0 - f64::from(rank.abs_diff(own)) / self.lists_in_a_page).max(0.0);
        let same: u64 = list.iter().map(|rank| (near(rank) * PARTS) as u64).sum();
        let neighbors = length_from(list.len());
        list.dedup();
        let gaps = list.windows(2).map(|pair| f64::from(pair[1] - pair[0]).log2());
        let bits: u64 = gaps.map(|bits| (bits * PARTS) as u64).sum();
        let count = length_from(list.len());
        let random = random_gap_bits(self.vertices, count) * (count - 1) as f64;
        self.lists.fetch_add(1, Relaxed);
        self.neighbors.fetch_add(neighbors, Relaxed);
        self.same_page.fetch_add(same, Relaxed);
        self.gaps.fetch_add(count - 1, Relaxed);
        self.bits.fetch_add(bits, Relaxed);
        self.random_bits.fetch_add((random * PARTS) as u64, Relaxed);
    }

    fn finish(self) -> Sample {
        let per = |sum: AtomicU64, count: u64| match count {
            0 => 0.0,
            count => sum.into_inner() as f64 / PARTS / count as f64,
        };
        let (neighbors, gaps) = (self.neighbors.into_inner(), self.gaps.into_inner());
        Sample {
            vertices: self.vertices,
            lists: self.lists.into_inner(),
            neighbors,
            same_page: per(self.same_page, neighbors),
            gap_bits: per(self.bits, gaps),
            random_gap_bits: per(self.random_bits, gaps),
        }
    }
}

impl Look<'_> {
    fn rank(&self, vertex: VertexId) -> u32 {
        self.ranks.map_or(vertex, |ranks| ranks[index_from(u64::from(vertex))])
    }
}

impl FoldLists for Look<'_> {
    /// Ranks of neighbors.
    type Fold = Vec<u32>;

    fn begin(&self, _: VertexId) -> Vec<u32> {
        Vec::new()
    }

    fn neighbors(&self, _: VertexId, list: &mut Vec<u32>, piece: Neighbors<'_>) -> ControlFlow<()> {
        list.extend(piece.ids().iter().map(|neighbor| self.rank(*neighbor)));
        if list.len() > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&self, vertex: VertexId, mut list: Vec<u32>) {
        self.totals.add(self.rank(vertex), &mut list);
    }
}

/// Returns the expected mean log2 of the gap between `count` neighbors spread evenly over `vertices` numbers. Gaps are
/// approximately exponential with mean `vertices / (count + 1)`, and the mean of their logarithm is the logarithm of
/// the mean minus Euler's constant.
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
        Sample::take(graph, ranks, 7 * u64::from(VERTICES), 2.0, &budget).unwrap()
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
        assert!(choose(&kept).reason.contains("bits shorter than random"));
        assert_eq!(choose(&Sample { vertices: VERTICES, ..Sample::default() }).order, Order::Original);
        assert_eq!(choose(&Sample { vertices: FEW_VERTICES - 1, ..tossed }).order, Order::Original);
    }

    #[test]
    fn a_stream_of_edges_gives_what_its_lists_give() {
        let edges = near();
        let graph = InMemory::new(VERTICES, &edges);
        let mut drawn: Vec<_> = edges.iter().map(|(source, target)| [*source, *target]).collect();
        drawn.sort_unstable();
        let streamed = Sample::of_edges(&SampledLists { vertices: VERTICES, entries: 7 * u64::from(VERTICES), drawn });
        let looked = sample(&graph, None);
        assert!((streamed.same_page - looked.same_page).abs() < 0.01, "{streamed:?} {looked:?}");
        assert!((streamed.gap_bits - looked.gap_bits).abs() < 0.1, "{streamed:?} {looked:?}");
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
