//! Gorder: greedy order in which the next vertex is the one most similar to the last ones (Wei, Yu, Lu and Lin, SIGMOD
//! 2016).
//!
//! The score of two vertices is the number of their common in-neighbors plus the number of edges between them (0, 1 or
//! 2); the score of a vertex is the sum over the last `window` placed vertices. The first vertex is the one with the
//! highest in-degree; each next one has the highest score, ties by lowest number (if all scores are 0, the lowest
//! number left). As in the authors' program, in-neighbors with an out-degree above the square root of the number of
//! vertices do not count as common: they are the most expensive and the least informative. Loops are ignored and
//! repeated edges count once; an undirected edge counts in both directions.
//!
//! The greedy choice needs random access to lists: [`gorder`] keeps the graph in memory, with out- and in-lists of 4
//! bytes per entry, and 32 bytes per vertex. If that is too much, [`gorder_in_parts`] splits another order (Norder's)
//! into consecutive parts, each as long as its vertices and the edges among them fit, and orders each part separately;
//! edges between parts are ignored, and numbers and degrees are those within the part. A part costs a sweep over the
//! remaining vertices, to find its end, and two reads of its own lists.

mod part;
mod queue;
/// Sample graphs of the product's orders.
#[cfg(test)]
#[allow(dead_code, reason = "not all of it is needed here")]
#[path = "../../../../crates/placement/src/sample_graphs.rs"]
mod sample_graphs;

use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{
    BitSet, Cancellation, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexSet, VertexValues, index_from,
};
use part::{Members, Part, part_bytes};
use queue::Queue;
use std::cmp::Reverse;

/// Number of in-neighbors between checks for cancellation.
const CHECK_SOURCES: usize = 1 << 10;

/// Returns the memory of [`gorder`] for `vertices` vertices with `entries` entries in their out-lists, including its
/// result, in bytes.
pub(super) const fn gorder_bytes(vertices: u32, entries: u64) -> u64 {
    part_bytes(vertices as u64, entries) + VertexValues::<VertexId>::bytes(vertices as u64)
}

/// Computes the Gorder of all vertices. `window` is at least 1.
///
/// # Errors
/// Returns an error if the budget is too small, if a read fails or finds damage, or on interruption.
pub(super) fn gorder(
    lists: &dyn Adjacency,
    window: u32,
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<VertexValues<VertexId>> {
    let vertices = lists.num_vertices();
    let mut order = VertexValues::new(budget, Purpose::IdMap, index_from(u64::from(vertices)), |_| 0)?;
    let held = budget.reserve(part_bytes(u64::from(vertices), lists.num_arcs()), Purpose::HeldLists)?;
    let members = Members { places: None, range: VertexRange::new(0, vertices) };
    let part = Part::read(&members, lists, workers)?;
    order.copy_from_slice(&greedy(&part, window, workers.cancellation())?);
    drop(held);
    Ok(order)
}

/// Reorders consecutive parts of `order`, which contains all vertices, by Gorder; each part fits in the remaining
/// budget. Returns the order and the number of parts. Takes 4.25 bytes per vertex in addition to the parts.
///
/// # Errors
/// Returns an error if the budget is too small, if a read fails or finds damage, or on interruption.
pub(super) fn gorder_in_parts(
    lists: &dyn Adjacency,
    mut order: VertexValues<VertexId>,
    window: u32,
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<(VertexValues<VertexId>, u32)> {
    let vertices = lists.num_vertices();
    let _sets = budget.reserve(BitSet::bytes(vertices) + VertexSet::bytes(vertices), Purpose::Frontier)?;
    let mut places = VertexValues::new(budget, Purpose::IdMap, order.len(), |_| 0_u32)?;
    (0..).zip(order.iter()).for_each(|(place, vertex)| places[index_from(u64::from(*vertex))] = place);
    let (mut start, mut parts) = (0, 0);
    while start < vertices {
        let rest = Members { places: Some(&places), range: VertexRange::new(start, vertices) };
        let (end, entries) = rest.longest(lists, workers, budget.available())?;
        let members = Members { range: VertexRange::new(start, end), ..rest };
        let _held = budget.reserve(part_bytes(u64::from(end - start), entries), Purpose::HeldLists)?;
        let chosen = greedy(&Part::read(&members, lists, workers)?, window, workers.cancellation())?;
        let now = &mut order[index_from(u64::from(start))..index_from(u64::from(end))];
        let in_order: Vec<VertexId> = chosen.iter().map(|local| now[index_from(u64::from(*local))]).collect();
        now.copy_from_slice(&in_order);
        (start, parts) = (end, parts + 1);
    }
    Ok((order, parts))
}

/// Returns the vertices of a part in Gorder, by their numbers within the part.
fn greedy(part: &Part, window: u32, cancellation: &Cancellation) -> Result<Vec<VertexId>> {
    let vertices = part.len();
    let queue = Queue::new(index_from(u64::from(vertices)));
    let mut choice = Choice { part, hub: vertices.isqrt(), queue, cancellation };
    let mut order = Vec::with_capacity(index_from(u64::from(vertices)));
    let mut unplaced = 0..vertices;
    let mut next = (0..vertices).min_by_key(|vertex| (Reverse(part.sources(*vertex).len()), *vertex));
    next.iter().for_each(|first| choice.queue.take(*first));
    while let Some(vertex) = next {
        order.push(vertex);
        if let Some(leaves) = order.len().checked_sub(index_from(u64::from(window)) + 1) {
            choice.for_each_related(order[leaves], Queue::lower)?;
        }
        choice.for_each_related(vertex, Queue::raise)?;
        next = choice.queue.pop().or_else(|| unplaced.find(|vertex| !choice.queue.is_taken(*vertex)));
        next.iter().for_each(|next| choice.queue.take(*next));
    }
    Ok(order)
}

struct Choice<'p> {
    part: &'p Part,
    /// Maximum out-degree of in-neighbors that count as common ones.
    hub: u32,
    queue: Queue,
    cancellation: &'p Cancellation,
}

impl Choice<'_> {
    /// Changes the score of each vertex related to `vertex`, once per relation.
    fn for_each_related(&mut self, vertex: VertexId, change: impl Fn(&mut Queue, VertexId)) -> Result<()> {
        let Self { part, hub, queue, cancellation } = self;
        part.targets(vertex).iter().for_each(|target| change(queue, *target));
        for sources in part.sources(vertex).chunks(CHECK_SOURCES) {
            cancellation.check()?;
            for source in sources {
                change(queue, *source);
                let siblings = Some(part.targets(*source)).filter(|list| list.len() <= index_from(u64::from(*hub)));
                siblings.into_iter().flatten().for_each(|sibling| change(queue, *sibling));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::sample_graphs::{InMemory, any_graph, workers};
    use super::*;
    use outcrop_types::Error;
    use proptest::prelude::*;

    /// Examines all vertices for each position.
    fn naive(vertices: u32, edges: &[(VertexId, VertexId)], window: u32) -> Vec<VertexId> {
        let edge = |a: u32, b: u32| edges.contains(&(a, b)) && a != b;
        let degree = |of: &dyn Fn(u32) -> bool| (0..vertices).filter(|v| of(*v)).count();
        let small: Vec<u32> = (0..vertices).filter(|v| degree(&|w| edge(*v, w)) <= vertices.isqrt() as usize).collect();
        let score = |a: u32, b: u32| {
            let common = small.iter().filter(|v| edge(**v, a) && edge(**v, b)).count();
            common + usize::from(edge(a, b)) + usize::from(edge(b, a))
        };
        let mut order: Vec<u32> = (0..vertices).min_by_key(|v| Reverse(degree(&|w| edge(w, *v)))).into_iter().collect();
        while order.len() < vertices as usize {
            let last = &order[order.len().saturating_sub(window as usize)..];
            let total = |v: u32| last.iter().map(|other| score(v, *other)).sum::<usize>();
            let left = (0..vertices).filter(|v| !order.contains(v));
            let best = left.min_by_key(|v| Reverse(total(*v))).unwrap();
            order.push(best);
        }
        order
    }

    #[test]
    fn the_choice_stops_when_it_is_told_to() {
        let graph = InMemory::new(3, &[(0, 1), (1, 2)]);
        let (budget, cancellation) = (MemoryBudget::new(1 << 20), Cancellation::new());
        let part = Part::read(&Members { places: None, range: VertexRange::new(0, 3) }, &graph, &workers(1)).unwrap();
        assert_eq!(greedy(&part, 2, &cancellation).unwrap().len(), 3);
        cancellation.cancel();
        assert!(matches!(greedy(&part, 2, &cancellation), Err(Error::Interrupted)));
        let stopped = Workers::start(1, cancellation).unwrap();
        assert!(matches!(gorder(&graph, 2, &stopped, &budget), Err(Error::Interrupted)));
        assert_eq!(budget.available(), budget.limit());
    }

    fn edges_of(graph: &InMemory) -> Vec<(VertexId, VertexId)> {
        (0..graph.num_vertices()).flat_map(|v| graph.list(v).iter().map(move |w| (v, *w))).collect()
    }

    proptest! {
        #[test]
        fn it_is_the_greedy_choice(graph in any_graph(), window in 1_u32..9, threads in 1_usize..3) {
            let (budget, vertices) = (MemoryBudget::new(1 << 20), graph.num_vertices());
            let order = gorder(&graph, window, &workers(threads), &budget).unwrap();
            prop_assert_eq!(order.to_vec(), naive(vertices, &edges_of(&graph), window));
            prop_assert!(budget.peak() <= gorder_bytes(vertices, graph.num_arcs()));
        }

        #[test]
        fn each_part_is_ordered_by_itself(graph in any_graph(), room in 0_u64..2000) {
            let vertices = graph.num_vertices();
            let mut start: Vec<VertexId> = (0..vertices).collect();
            start.sort_by_key(|vertex| vertex * 7 % 11);
            // Any vertex fits with all existing entries.
            let fixed = 8 * u64::from(vertices) + BitSet::bytes(vertices) + VertexSet::bytes(vertices);
            let space = part_bytes(1, graph.num_arcs()) + room;
            let budget = MemoryBudget::new(fixed + space);
            let order = VertexValues::new(&budget, Purpose::IdMap, start.len(), |at| start[at]).unwrap();
            let (order, parts) = gorder_in_parts(&graph, order, 3, &workers(1), &budget).unwrap();
            let expected = naive_parts(&graph, &start, space);
            prop_assert_eq!(parts as usize, expected.len());
            prop_assert_eq!(order.to_vec(), expected.concat());
        }
    }

    /// Splits `start` where no further vertex fits, and orders each part.
    fn naive_parts(graph: &InMemory, start: &[VertexId], space: u64) -> Vec<Vec<VertexId>> {
        let within = |part: &[VertexId]| -> Vec<(u32, u32)> {
            let local = |v: u32| part.iter().position(|member| *member == v).map(|at| at as u32);
            edges_of(graph).iter().filter_map(|(a, b)| Some((local(*a)?, local(*b)?))).collect()
        };
        let fits = |part: &[VertexId]| part_bytes(part.len() as u64, within(part).len() as u64) <= space;
        let (mut parts, mut rest) = (Vec::new(), start);
        while !rest.is_empty() {
            let length = (1..=rest.len()).take_while(|length| fits(&rest[..*length])).last().unwrap();
            let (part, later) = rest.split_at(length);
            let order = naive(length as u32, &within(part), 3);
            parts.push(order.iter().map(|local| part[*local as usize]).collect());
            rest = later;
        }
        parts
    }
}
