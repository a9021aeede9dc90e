//! Computation of the new position of each vertex of a store.
//!
//! Orders by degree and random orders are computed on ranks, so that the order of the store does not matter; in the
//! others, ties are broken by the vertex numbers in the store.

use super::build_order::{BuildOrder, GivenOrder, seeded};
use super::memory::order_memory;
use crate::graph::Graph;
use crate::info::bytes_per_arc;
use crate::lists::{self, Lists};
use outcrop_algorithms::Values;
use outcrop_algorithms::pagerank::{PageRankParams, Stop, edge_map as pagerank};
use outcrop_engine::Engine;
use outcrop_placement::order::{
    Choice, NORDER_DEPTH, Sample, by_degree, by_score, choose, norder, norder_bytes, norder_roots, random,
};
use outcrop_store::access::Adjacency;
use outcrop_store::layout::{all_degrees_memory, degrees};
use outcrop_store::writing::VertexPermutation;
use outcrop_store::{Order, OrderParameters};
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MemoryPlan, Observer, Permutation, Phase, ProgressUnit, Purpose,
    Reservation, Result, Silent, VertexId, VertexValues,
};
use std::sync::atomic::AtomicU32;

/// Termination of a PageRank that is accurate enough for ordering: changes below the tolerance, or a number of
/// iterations.
const RANKS: Stop = Stop::Below { tolerance: 1e-4, at_most: 20 };

/// New order for the vertices of a store, with its reservation.
pub(super) struct NewOrder {
    name: Order,
    parameters: OrderParameters,
    numbers: Permutation,
    _held: Reservation,
}

impl NewOrder {
    pub(super) const fn permutation(&self) -> VertexPermutation<'_> {
        VertexPermutation { order: self.name, parameters: self.parameters, permutation: &self.numbers }
    }
}

/// Orders the vertices of an open store.
pub(super) struct Orderer<'o> {
    pub(super) graph: &'o Graph,
    pub(super) budget: &'o MemoryBudget,
    pub(super) observer: &'o dyn Observer,
}

impl Orderer<'_> {
    /// Returns the new order, or `None` if `order` is the original order and the store is in it. The caller replaces
    /// `Auto` first ([`Orderer::choose`]).
    pub(super) fn order(&self, order: BuildOrder) -> Result<Option<NewOrder>> {
        self.budget.require(&self.memory(order))?;
        if order != BuildOrder::Original {
            self.observer.phase(&Phase { name: "ordering", unit: ProgressUnit::Vertices, total: None });
        }
        let none = OrderParameters::default();
        match order {
            BuildOrder::Original | BuildOrder::Auto => return self.original(),
            BuildOrder::Degree => self.by_rank(Order::Degree, none, |ranks| self.by_degree(ranks)),
            BuildOrder::Random { seed } => self.by_rank(Order::Random, seeded(seed), |_| {
                let mut held = self.reserve_arrays(2)?;
                let numbers = random(self.graph.num_vertices(), seed);
                held.shrink_to(4 * u64::from(self.graph.num_vertices()));
                Ok((numbers, held))
            }),
            BuildOrder::PageRank => self.by_pagerank(),
            BuildOrder::Norder => {
                let parameters = OrderParameters { depth: Some(NORDER_DEPTH), ..none };
                self.in_order(Order::Norder, parameters, self.norder()?)
            }
        }
        .map(Some)
    }

    /// Returns the order that the caller gave.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is of another number of vertices.
    pub(super) fn given(&self, given: &GivenOrder) -> Result<NewOrder> {
        let (found, vertices) = (given.new_ids.len(), self.graph.num_vertices());
        if found as u64 != u64::from(vertices) {
            return Err(Error::Usage(format!("the given order has {found} vertices, but the graph has {vertices}")));
        }
        let (held, numbers) = (self.reserve_arrays(1)?, given.new_ids.clone());
        Ok(NewOrder { name: given.name, parameters: given.parameters, numbers, _held: held })
    }

    /// Order that suits the graph, from a sample of its lists.
    pub(super) fn choose(&self) -> Result<Choice> {
        self.budget.require(&self.memory(BuildOrder::Auto))?;
        self.observer.phase(&Phase { name: "choosing an order", unit: ProgressUnit::Vertices, total: None });
        let ranks = self.ranks()?;
        let lists = self.open(Direction::Out, Sample::bytes(self.graph.num_vertices()))?;
        let (entries, bytes) = (lists::arcs(self.graph, Direction::Out), bytes_per_arc(self.graph.store.manifest()));
        let sample = Sample::take(lists.only()?, ranks.as_deref(), entries, bytes, self.budget)?;
        Ok(choose(&sample))
    }

    /// Returns the minimum memory in use at the same time for computing `order`.
    pub(super) fn memory(&self, order: BuildOrder) -> MemoryPlan {
        // The directions are processed one after the other.
        let degrees = [Direction::Out, Direction::In].map(|side| all_degrees_memory(&self.graph.store, side));
        let [out, into] = degrees.map(|plan| plan.bytes_for(Purpose::IoBuffers));
        let ranks = outcrop_store::ranks_memory(self.graph.store.manifest());
        let reading = |direction| lists::memory(self.graph, direction);
        order_memory(order, self.graph.num_vertices(), ranks, reading, out.max(into))
    }

    fn original(&self) -> Result<Option<NewOrder>> {
        let Some(ranks) = self.ranks()? else { return Ok(None) };
        self.renamed(Order::Original, OrderParameters::default(), ranks, |rank| rank).map(Some)
    }

    /// Returns numbers derived from ranks: `order` computes the position of each rank, in memory that it reserves.
    fn by_rank(
        &self,
        name: Order,
        parameters: OrderParameters,
        order: impl FnOnce(Option<&[u32]>) -> Result<(Permutation, Reservation)>,
    ) -> Result<NewOrder> {
        let ranks = self.ranks()?;
        let (numbers, held) = order(ranks.as_deref())?;
        match ranks {
            Some(ranks) => self.renamed(name, parameters, ranks, |rank| numbers.apply(rank)),
            None => Ok(NewOrder { name, parameters, numbers, _held: held }),
        }
    }

    /// Returns numbers computed in place from the rank of each vertex.
    fn renamed(
        &self,
        name: Order,
        parameters: OrderParameters,
        ranks: VertexValues<u32>,
        rename: impl FnMut(u32) -> u32,
    ) -> Result<NewOrder> {
        let _seen = self.budget.reserve(BitSet::bytes(self.graph.num_vertices()), Purpose::IdMap)?;
        let (numbers, held) = ranks.map(rename).into_parts();
        let damaged = || Error::corrupt(self.graph.store.folder(), "its vertex order contains a rank twice");
        let numbers = Permutation::from_new_ids(numbers).ok_or_else(damaged)?;
        Ok(NewOrder { name, parameters, numbers, _held: held })
    }

    /// Returns the new number of each rank, by degree.
    fn by_degree(&self, ranks: Option<&[u32]>) -> Result<(Permutation, Reservation)> {
        let mut entries = self.degrees(Direction::Out)?;
        if self.graph.store.manifest().graph.directed {
            let into = self.degrees(Direction::In)?;
            entries.iter_mut().zip(into.iter()).for_each(|(out, into)| *out = out.saturating_add(*into));
        }
        if let Some(ranks) = ranks {
            let mut of_ranks = VertexValues::new(self.budget, Purpose::Degrees, entries.len(), |_| 0)?;
            for (rank, entries) in ranks.iter().zip(entries.iter()) {
                of_ranks[*rank as usize] = *entries;
            }
            entries = of_ranks;
        }
        let (degrees, held) = entries.into_parts();
        Ok((by_degree(degrees), held))
    }

    fn by_pagerank(&self) -> Result<NewOrder> {
        let vertices = self.graph.num_vertices();
        let mut lists =
            self.open(Direction::In, pagerank::memory::<AtomicU32>(vertices, false, false, false).total())?;
        lists.load(self.graph, self.budget)?;
        let scores = self.pagerank(lists.only()?)?;
        drop(lists);
        let mut held = self.reserve_arrays(2)?;
        let numbers = by_score(&scores);
        held.shrink_to(4 * u64::from(vertices));
        Ok(NewOrder { name: Order::PageRank, parameters: OrderParameters::default(), numbers, _held: held })
    }

    fn pagerank(&self, into: &dyn Adjacency) -> Result<VertexValues<f32>> {
        let Graph { workers, .. } = self.graph;
        let engine = Engine::new(self.graph.num_vertices(), None, Some(into), workers, self.budget, &Silent);
        let parameters = PageRankParams { alpha: 0.85, stop: RANKS, personalization: None };
        let degrees = self.degrees(Direction::Out)?;
        let outcome = pagerank::pagerank::<AtomicU32, _>(&engine, degrees, &parameters, false, Values::Float32)?;
        match outcome.columns.into_iter().next().map(|column| column.values) {
            Some(Values::Float32(scores)) => Ok(scores),
            _ => VertexValues::new(self.budget, Purpose::VertexValues, 0, |_| 0.0),
        }
    }

    /// Computes the Norder of all vertices.
    fn norder(&self) -> Result<VertexValues<VertexId>> {
        let Graph { workers, .. } = self.graph;
        let (into, out) = (self.degrees(Direction::In)?, self.degrees(Direction::Out)?);
        let roots = norder_roots(&into, &out, workers, self.budget)?;
        drop((into, out));
        let roots_bytes = VertexValues::<VertexId>::bytes(roots.len() as u64);
        let mut lists =
            self.open(Direction::Out, norder_bytes(self.graph.num_vertices()).saturating_sub(roots_bytes))?;
        lists.load(self.graph, self.budget)?;
        norder(lists.only()?, &roots, workers, self.budget)
    }

    /// New numbers from all vertices in their new order.
    fn in_order(&self, name: Order, parameters: OrderParameters, order: VertexValues<VertexId>) -> Result<NewOrder> {
        let held = self.reserve_arrays(1)?;
        Ok(NewOrder { name, parameters, numbers: Permutation::from_order(&order), _held: held })
    }

    /// Opens lists, with a page cache in the free memory except `unheld` bytes.
    fn open(&self, direction: Direction, unheld: u64) -> Result<Lists> {
        let unheld = unheld.saturating_add(lists::memory(self.graph, direction).total());
        let cache = self.budget.available().saturating_sub(unheld);
        Lists::open_paged(self.graph, &[self.graph.store.stored(direction)], cache, self.budget)
    }

    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>> {
        degrees(&self.graph.store, direction, self.graph.io, self.budget, self.graph.cancellation())
    }

    fn ranks(&self) -> Result<Option<VertexValues<u32>>> {
        outcrop_store::ranks(&self.graph.store, self.graph.io, self.budget, self.graph.cancellation())
    }

    /// Reserves memory of `arrays` times 4 bytes per vertex.
    fn reserve_arrays(&self, arrays: u64) -> Result<Reservation> {
        self.budget.reserve(arrays * 4 * u64::from(self.graph.num_vertices()), Purpose::IdMap)
    }
}
