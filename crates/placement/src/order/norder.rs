//! Norder: consecutive numbers for the neighbors of vertices with high in-degree (Lee et al., USENIX ATC 2019, section
//! 4.2).
//!
//! Roots are the vertices in descending order of in-degree, ties by lowest number; from each, a breadth-first search
//! follows out-edges for two steps and numbers vertices in the order in which it reaches them first. Vertices without
//! edges come last, ascending.
//!
//! The graph need not fit in memory: 21 bytes per vertex, and the memory for reading lists. Deviation: roots are
//! processed in waves (`bounded_search.rs`).

use super::bounded_search::{BoundedSearch, MOST_ROOTS, search_bytes};
use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{BitSet, MemoryBudget, Purpose, Result, VertexId, VertexValues, length_from};
use std::cmp::Reverse;

/// Number of steps of the search.
pub const NORDER_DEPTH: u32 = 2;

/// Returns the memory of [`norder`] for `vertices` vertices, including its roots and its result, in bytes.
pub const fn norder_bytes(vertices: u32) -> u64 {
    let all = vertices as u64;
    search_bytes(vertices, all) + 2 * VertexValues::<VertexId>::bytes(all) + BitSet::bytes(vertices)
}

/// Returns the vertices with edges in root order, with 4 bytes each. `out_degrees` are the out-degrees of the same
/// vertices.
///
/// # Errors
/// Returns an error if the budget is too small.
pub fn norder_roots(
    in_degrees: &[u32],
    out_degrees: &[u32],
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<VertexValues<VertexId>> {
    let connected = || (0..).zip(in_degrees.iter().zip(out_degrees)).filter(|(_, (into, out))| **into > 0 || **out > 0);
    let mut numbers = connected().map(|(vertex, _)| vertex);
    let mut roots = VertexValues::new(budget, Purpose::IdMap, connected().count(), |_| {
        numbers.next().unwrap_or_else(|| unreachable!("the count is exact"))
    })?;
    workers.sort_by_key(&mut roots, |root| (Reverse(in_degrees[*root as usize]), *root));
    Ok(roots)
}

/// Computes the Norder of all vertices, given those with edges in the order of [`norder_roots`].
///
/// # Errors
/// Returns an error if the budget is too small, if a read fails or is damaged, or on interruption.
pub fn norder(
    lists: &dyn Adjacency,
    roots: &[VertexId],
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<VertexValues<VertexId>> {
    in_waves(lists, roots, MOST_ROOTS, workers, budget)
}

fn in_waves(
    lists: &dyn Adjacency,
    roots: &[VertexId],
    most_roots: usize,
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<VertexValues<VertexId>> {
    let vertices = lists.num_vertices();
    let mut order = VertexValues::new(budget, Purpose::IdMap, vertices as usize, |_| 0)?;
    let numbered =
        BoundedSearch::new(lists, roots.len(), most_roots, workers, budget)?.number(roots, roots.len(), &mut order)?;
    let _held = budget.reserve(BitSet::bytes(vertices), Purpose::Frontier)?;
    let lonely = BitSet::full(vertices);
    roots.iter().for_each(|root| lonely.remove(*root));
    debug_assert_eq!(length_from(numbered), length_from(roots.len()));
    order.iter_mut().skip(numbered).zip(lonely.iter()).for_each(|(place, vertex)| *place = vertex);
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_graphs::{InMemory, any_graph, workers};
    use proptest::prelude::*;

    fn order_of(graph: &InMemory, most_roots: usize, threads: usize) -> Vec<VertexId> {
        let (budget, workers) = (MemoryBudget::new(1 << 20), workers(threads));
        let roots = norder_roots(&graph.in_degrees(), &graph.out_degrees(), &workers, &budget).unwrap();
        let order = in_waves(graph, &roots, most_roots, &workers, &budget).unwrap();
        assert!(budget.peak() <= norder_bytes(graph.num_vertices()), "{}", budget.peak());
        order.to_vec()
    }

    /// Literal implementation of the paper's description.
    fn naive(graph: &InMemory) -> Vec<VertexId> {
        let (into, out) = (graph.in_degrees(), graph.out_degrees());
        let mut roots: Vec<VertexId> = (0..graph.num_vertices()).collect();
        roots.sort_by_key(|root| (into[*root as usize] + out[*root as usize] == 0, Reverse(into[*root as usize])));
        let mut order = Vec::new();
        for root in roots {
            if order.contains(&root) {
                continue;
            }
            order.push(root);
            let mut step = vec![root];
            for _ in 0..NORDER_DEPTH {
                let neighbors: Vec<VertexId> = step.iter().flat_map(|v| graph.list(*v).to_vec()).collect();
                step.clear();
                for neighbor in neighbors {
                    if !order.contains(&neighbor) {
                        order.push(neighbor);
                        step.push(neighbor);
                    }
                }
            }
        }
        order
    }

    #[test]
    fn a_root_is_followed_by_its_neighbors_and_theirs() {
        let edges = [(5, 9), (6, 9), (7, 9), (9, 2), (9, 8), (8, 1), (2, 3), (3, 4), (4, 0)];
        let graph = InMemory::new(12, &edges);
        assert_eq!(order_of(&graph, MOST_ROOTS, 1), [9, 2, 8, 3, 1, 0, 4, 5, 6, 7, 10, 11]);
    }

    proptest! {
        #[test]
        fn with_one_root_at_a_time_it_is_the_papers(graph in any_graph()) {
            prop_assert_eq!(order_of(&graph, 1, 1), naive(&graph));
        }

        #[test]
        fn waves_number_every_vertex_once_whatever_the_threads(graph in any_graph()) {
            let order = order_of(&graph, MOST_ROOTS, 1);
            prop_assert_eq!(&order, &order_of(&graph, MOST_ROOTS, 4));
            let mut all = order;
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..graph.num_vertices()));
        }
    }
}
