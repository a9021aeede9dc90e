//! Colours of one vertex after the other, in the order of the seed.

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with_some};
use outcrop_algorithms::IdOrder;
use outcrop_algorithms::coloring::messages::Order;

pub fn trials(model: &Model) -> Vec<Trial> {
    let trial = |seed: Option<u64>| {
        let expected = colours(model, seed.unwrap_or(1));
        let neighbours = simple(model);
        Trial::new(with_some(request!("coloring"), "seed", seed), move |answer| {
            let found = answer.counts("color");
            for (vertex, others) in neighbours.iter().enumerate() {
                assert!(others.iter().all(|other| found[*other] != found[vertex]), "{vertex} is beside its like");
            }
            assert_eq!(found, expected);
        })
    };
    vec![trial(None), trial(Some(7))]
}

fn colours(model: &Model, seed: u64) -> Vec<Option<u32>> {
    let (neighbours, order) = (simple(model), Order::new(IdOrder(None), seed));
    let mut vertices: Vec<usize> = (0..model.vertices()).collect();
    vertices.sort_by_key(|vertex| order.of(u32::try_from(*vertex).unwrap()));
    let mut colours = vec![None; model.vertices()];
    for vertex in vertices {
        let taken = |colour: &u32| neighbours[vertex].iter().any(|other| colours[*other] == Some(*colour));
        let free = (0..).find(|colour| !taken(colour));
        colours[vertex] = free;
    }
    colours
}
