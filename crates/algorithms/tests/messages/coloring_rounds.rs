//! Rounds of speculation and repair, with sets, one vertex after the other.

use outcrop_algorithms::coloring::rounds::Order;
use std::collections::BTreeSet;

/// State of a vertex: the window that it looks at, what it tries, the round from which on it looks again.
#[derive(Clone, Copy, Default)]
struct Speculation {
    color: Option<u32>,
    tries: Option<u32>,
    window: u32,
    looks_from: u32,
}

/// Colors of vertices with these neighbors, in any order and with any repeats, and the number of rounds.
pub fn color_in_rounds(neighbors: &[Vec<u32>], order: &Order<'_>) -> (Vec<u32>, u32) {
    let mut all = vec![Speculation::default(); neighbors.len()];
    let mut round = 0;
    while all.iter().any(|vertex| vertex.color.is_none()) {
        let next = |vertex: u32| advance(vertex, &all, &neighbors[vertex as usize], round, order);
        all = (0..all.len() as u32).map(next).collect();
        round += 1;
    }
    (all.into_iter().map(|vertex| vertex.color.unwrap()).collect(), round)
}

fn advance(vertex: u32, all: &[Speculation], neighbors: &[u32], round: u32, order: &Order<'_>) -> Speculation {
    let own = all[vertex as usize];
    if own.color.is_some() || round < own.looks_from {
        return own;
    }
    let others = || neighbors.iter().filter(|other| **other != vertex).map(|other| (*other, all[*other as usize]));
    let rivals = || others().filter(|(other, _)| order.of(*other) < order.of(vertex));
    let taken: BTreeSet<u32> = others().filter_map(|(_, other)| other.color).collect();
    let tried: BTreeSet<u32> = rivals().filter_map(|(_, other)| other.tries).collect();
    let window = own.window..own.window + 64;
    let is_free = |color: &u32| !taken.contains(color) && !tried.contains(color);
    let free: Vec<u32> = window.clone().filter(is_free).collect();
    let most = own.window + 64 - free.len() as u32 + 1;
    let low = |color: &u32| free.iter().filter(|other| *other < color).count() < most as usize;
    if let Some(color) = own.tries.filter(is_free).filter(low) {
        return Speculation { color: Some(color), tries: None, ..own };
    }
    if free.is_empty() {
        let moves = window.clone().all(|color| taken.contains(&color));
        let (window, looks_from) = if moves { (own.window + 64, round + 2) } else { (own.window, round) };
        return Speculation { tries: None, window, looks_from, ..own };
    }
    let trying = rivals().filter(|(_, other)| round == 0 || other.tries.is_some());
    let sketch: BTreeSet<u32> = trying.map(|(other, _)| order.of(other).trailing_zeros().min(30)).collect();
    let rivals = 2_u32.pow(8 - (round / 3).min(7));
    let most = if round == 0 { 64 } else { most };
    let choices = (1 + 2_u32.pow(sketch.len() as u32) / rivals).min(free.len() as u32).min(most);
    Speculation { tries: Some(free[order.draw(vertex, round, choices - 1) as usize]), ..own }
}
