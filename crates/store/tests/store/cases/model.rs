//! Content of a store, computed in the plainest way.

use crate::cases::graph::{Case, Ids};
use outcrop_store::{Dedup, OriginalId, SelfLoops};
use outcrop_types::Direction;
use std::collections::{BTreeMap, BTreeSet};

pub type List = Vec<(u32, f64)>;

pub struct Model {
    /// Original ids by rank.
    pub ids: Vec<OriginalId>,
    pub vertex_of_rank: Vec<u32>,
    pub out: Vec<List>,
    pub reverse: Vec<List>,
    pub edges: u64,
    pub loops_dropped: u64,
}

impl Model {
    pub fn of(case: &Case) -> Self {
        let numbers = numbers(case);
        let mut ids: Vec<(OriginalId, u64)> = numbers.iter().map(|number| (original(case, *number), *number)).collect();
        ids.sort();
        let rank: BTreeMap<u64, u32> = (0..).zip(&ids).map(|(rank, (_, number))| (*number, rank)).collect();
        let drop = case.self_loops == SelfLoops::Drop;
        let kept: Vec<(u32, u32, f64)> = case
            .edges
            .iter()
            .filter(|(source, target, _)| !(drop && source == target))
            .map(|(source, target, weight)| (rank[source], rank[target], if case.weighted { *weight } else { 1.0 }))
            .collect();
        let vertex_of_rank = order(case, &kept, ids.len());
        let place = |rank: u32| vertex_of_rank[rank as usize];
        let edges: Vec<_> =
            kept.iter().map(|(source, target, weight)| (place(*source), place(*target), *weight)).collect();
        let turned: Vec<_> = edges.iter().map(|(source, target, weight)| (*target, *source, *weight)).collect();
        let both = edges.iter().zip(&turned).flat_map(|(one, other)| {
            let second = Some(*other).filter(|_| one.0 != one.1);
            [Some(*one), second].into_iter().flatten()
        });
        let (out, reverse) = if case.undirected {
            let lists = lists(case, both, ids.len());
            (lists.clone(), lists)
        } else {
            (lists(case, edges.iter().copied(), ids.len()), lists(case, turned.iter().copied(), ids.len()))
        };
        let loops: usize = (0..).zip(&out).map(|(v, list)| list.iter().filter(|(n, _)| *n == v).count()).sum();
        let arcs: usize = out.iter().map(Vec::len).sum();
        Self {
            ids: ids.into_iter().map(|(id, _)| id).collect(),
            vertex_of_rank,
            edges: if case.undirected { (arcs + loops) / 2 } else { arcs } as u64,
            out,
            reverse,
            loops_dropped: (case.edges.len() - kept.len()) as u64,
        }
    }

    /// The same graph, whose vertices have other numbers.
    pub fn numbered(self, vertex_of_rank: Vec<u32>) -> Self {
        let mut new = vec![0; vertex_of_rank.len()];
        self.vertex_of_rank.iter().zip(&vertex_of_rank).for_each(|(old, vertex)| new[*old as usize] = *vertex);
        let renumbered = |lists: &[List]| {
            let mut all = vec![List::new(); lists.len()];
            for (vertex, list) in lists.iter().enumerate() {
                let mut list: List = list.iter().map(|(neighbor, weight)| (new[*neighbor as usize], *weight)).collect();
                list.sort_by_key(|(neighbor, _)| *neighbor);
                all[new[vertex] as usize] = list;
            }
            all
        };
        let (out, reverse) = (renumbered(&self.out), renumbered(&self.reverse));
        Self { vertex_of_rank, out, reverse, ..self }
    }

    pub fn vertices(&self) -> u32 {
        self.ids.len() as u32
    }

    pub fn lists(&self, direction: Direction) -> &[List] {
        match direction {
            Direction::Out => &self.out,
            Direction::In => &self.reverse,
        }
    }
}

fn numbers(case: &Case) -> BTreeSet<u64> {
    let ends = case.edges.iter().flat_map(|(source, target, _)| [*source, *target]);
    let mut numbers: BTreeSet<u64> = ends.chain(case.vertices.iter().copied()).collect();
    if case.ids == Ids::Dense {
        let count = numbers.last().map_or(0, |last| last + 1).max(case.num_vertices.unwrap_or(0));
        numbers.extend(0..count);
    }
    numbers
}

fn original(case: &Case, number: u64) -> OriginalId {
    match case.ids {
        Ids::Text | Ids::TextOrEmpty => OriginalId::Text(case.text(number)),
        Ids::Dense | Ids::Sparse => OriginalId::Integer(case.integer(number)),
    }
}

fn order(case: &Case, edges: &[(u32, u32, f64)], count: usize) -> Vec<u32> {
    if !case.by_degree {
        return (0..count as u32).collect();
    }
    let mut degrees = vec![0; count];
    for (source, target, _) in edges {
        degrees[*source as usize] += 1;
        if !(case.undirected && source == target) {
            degrees[*target as usize] += 1;
        }
    }
    let mut ranks: Vec<usize> = (0..count).collect();
    ranks.sort_by_key(|rank| std::cmp::Reverse(degrees[*rank]));
    let mut vertex_of_rank = vec![0; count];
    (0..).zip(&ranks).for_each(|(vertex, rank)| vertex_of_rank[*rank] = vertex);
    vertex_of_rank
}

fn lists(case: &Case, arcs: impl Iterator<Item = (u32, u32, f64)>, count: usize) -> Vec<List> {
    let mut lists = vec![List::new(); count];
    arcs.for_each(|(vertex, neighbor, weight)| lists[vertex as usize].push((neighbor, weight)));
    lists.iter_mut().for_each(|list| {
        list.sort_by_key(|(neighbor, _)| *neighbor);
        if case.dedup != Dedup::Keep {
            list.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 = if case.weighted { combine(case.dedup, first.1, later.1) } else { 1.0 };
                }
                same
            });
        }
    });
    lists
}

fn combine(dedup: Dedup, first: f64, later: f64) -> f64 {
    match dedup {
        Dedup::Keep | Dedup::First => first,
        Dedup::Sum => first + later,
        Dedup::Min => first.min(later),
        Dedup::Max => first.max(later),
    }
}
