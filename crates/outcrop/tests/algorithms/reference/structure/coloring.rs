//! Colors in rounds of one vertex after the other, in the order of the seed.

#[path = "../../../../../algorithms/tests/messages/coloring_rounds.rs"]
mod coloring_rounds;

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with_some};
use coloring_rounds::color_in_rounds;
use outcrop_algorithms::IdOrder;
use outcrop_algorithms::coloring::rounds::Order;

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
    let neighbors = simple(model).into_iter();
    let lists = neighbors.map(|others| others.into_iter().map(|other| u32::try_from(other).unwrap()).collect());
    let (colors, _) = color_in_rounds(&lists.collect::<Vec<_>>(), &Order::new(IdOrder(None), seed));
    colors.into_iter().map(Some).collect()
}
