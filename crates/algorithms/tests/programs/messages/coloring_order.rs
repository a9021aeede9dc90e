//! Greedy coloring, one vertex after the other.

use outcrop_algorithms::coloring::order::Order;
use std::cmp::Reverse;

/// Colors of vertices with these list entries, in any order, with loops and repeats.
pub fn greedy_colors(entries: &[Vec<u32>], order: &Order<'_>) -> Vec<u32> {
    let groups = groups(entries);
    let mut vertices: Vec<u32> = (0..entries.len() as u32).collect();
    vertices.sort_by_key(|vertex| (Reverse(groups[*vertex as usize]), order.of(*vertex)));
    greedy(entries, &vertices)
}

/// Colors of vertices in this order.
pub fn greedy(entries: &[Vec<u32>], vertices: &[u32]) -> Vec<u32> {
    let mut colors = vec![u32::MAX; vertices.len()];
    for vertex in vertices {
        let taken: Vec<u32> = entries[*vertex as usize].iter().map(|other| colors[*other as usize]).collect();
        colors[*vertex as usize] = (0..).find(|color| !taken.contains(color)).unwrap();
    }
    colors
}

/// Number of the group of each vertex: group 0 is removed first.
fn groups(entries: &[Vec<u32>]) -> Vec<u32> {
    let mut groups = vec![u32::MAX; entries.len()];
    let is_left = |groups: &[u32], vertex: usize| groups[vertex] == u32::MAX;
    for group in 0.. {
        let left: Vec<usize> = (0..entries.len()).filter(|vertex| is_left(&groups, *vertex)).collect();
        if left.is_empty() {
            break;
        }
        let others = |vertex: &usize| entries[*vertex].iter().filter(|other| is_left(&groups, **other as usize));
        let degrees: Vec<usize> = left.iter().map(|vertex| others(vertex).count()).collect();
        let entries = degrees.iter().sum::<usize>();
        let most = (entries + entries / 32) / left.len();
        left.iter().zip(degrees).filter(|(_, degree)| *degree <= most).for_each(|(vertex, _)| groups[*vertex] = group);
    }
    groups
}
