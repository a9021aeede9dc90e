//! Core numbers as the fixed point of the h-index over neighbors (Lü, Zhou, Zhang and Stanley, 2016).

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with_some};

pub fn trials(model: &Model) -> Vec<Trial> {
    let cores = core_numbers(model);
    let trial = |k: Option<u32>| {
        let value = |core: &u32| k.map_or(Some(*core), |k| (*core >= k).then_some(k));
        let expected = cores.iter().map(value).collect::<Vec<_>>();
        let request = with_some(request!("kcore"), "k", k);
        Trial::new(request, move |answer| assert_eq!(answer.counts("core_number"), expected))
    };
    vec![trial(None), trial(Some(2)), trial(Some(5)), trial(Some(0))]
}

fn core_numbers(model: &Model) -> Vec<u32> {
    let neighbors = simple(model);
    let mut numbers: Vec<u32> = neighbors.iter().map(|all| all.len() as u32).collect();
    loop {
        let next: Vec<u32> =
            neighbors.iter().map(|all| h_index(all.iter().map(|other| numbers[*other]).collect())).collect();
        if next == numbers {
            return numbers;
        }
        numbers = next;
    }
}

/// The largest h so that h numbers are at least h.
fn h_index(mut numbers: Vec<u32>) -> u32 {
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers.iter().zip(1..).take_while(|(number, rank)| *number >= rank).count() as u32
}
