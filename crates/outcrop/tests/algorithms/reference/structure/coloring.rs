//! Greedy coloring, one vertex after the other.

#[path = "../../../../../algorithms/tests/programs/messages/coloring_order.rs"]
mod coloring_order;

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with_some};
use coloring_order::greedy_colors;
use outcrop_algorithms::IdOrder;
use outcrop_algorithms::coloring::order::Order;

pub fn trials(model: &Model) -> Vec<Trial> {
    let trial = |seed: Option<u64>| {
        let expected = colors(model, seed.unwrap_or(1));
        let neighbors = simple(model);
        Trial::new(with_some(request!("coloring"), "seed", seed), move |answer| {
            let found = answer.counts("color");
            for (vertex, others) in neighbors.iter().enumerate() {
                assert!(others.iter().all(|other| found[*other] != found[vertex]), "{vertex} is beside its like");
            }
            assert_eq!(found, expected);
        })
    };
    vec![trial(None), trial(Some(7))]
}

fn colors(model: &Model, seed: u64) -> Vec<Option<u32>> {
    let of_vertex = |vertex: usize| {
        let into = if model.undirected { &[][..] } else { &model.into[vertex][..] };
        let entries = model.out[vertex].iter().chain(into);
        entries.map(|(other, _)| u32::try_from(*other).unwrap()).collect()
    };
    let entries: Vec<Vec<u32>> = (0..model.vertices()).map(of_vertex).collect();
    greedy_colors(&entries, &Order::new(IdOrder(None), seed)).into_iter().map(Some).collect()
}
