//! Correlation over edges, one by one.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::request;

pub fn trials(model: &Model) -> Vec<Trial> {
    let loops = |rank: usize| model.out[rank].iter().filter(|(other, _)| model.undirected && *other == rank).count();
    let degrees = |lists: &[Vec<(usize, f64)>]| -> Vec<f64> {
        (0..model.vertices()).map(|rank| (lists[rank].len() + loops(rank)) as f64).collect()
    };
    let [out, into] = [degrees(&model.out), degrees(&model.into)];
    let lists = model.out.iter().enumerate();
    let ends = lists.flat_map(|(rank, list)| list.iter().map(move |(other, _)| (rank, *other)));
    let ends: Vec<(f64, f64)> = ends.map(|(source, target)| (out[source], into[target])).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| ends.iter().map(of).sum::<f64>() / ends.len() as f64;
    let (source, target) = (mean(|ends| ends.0), mean(|ends| ends.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| ends.iter().map(|ends| of(ends.0 - source, ends.1 - target)).sum::<f64>();
    let deviations = (sum(&|one, _| one * one) * sum(&|_, other| other * other)).sqrt();
    let expected = sum(&|one, other| one * other) / deviations;
    let mean_degree = |list: &Vec<(usize, f64)>| {
        let sum: f64 = list.iter().map(|(other, _)| out[*other]).sum();
        (!list.is_empty()).then(|| sum / list.len() as f64)
    };
    let means: Vec<_> = model.out.iter().map(mean_degree).collect();
    vec![Trial::new(request!("assortativity"), move |answer| {
        assert_eq!(answer.doubles("neighbor_degree"), means);
        match answer.values["assortativity"].as_f64() {
            Some(found) => assert!((found - expected).abs() < 1e-6, "{found} for {expected}"),
            None => assert!(deviations.is_nan() || deviations < 1e-3, "null for {expected}"),
        }
    })]
}
