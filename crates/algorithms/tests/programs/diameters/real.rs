//! Real graphs, where they are there.

use super::graphs::{Graph, value};
use outcrop_algorithms::{diameter, eccentricity};
use outcrop_types::Stopwatch;
use std::io::Read;
use std::path::PathBuf;

/// A graph by the name of its file, with its number of vertices, direction, diameter and radius, as igraph 1.0 and
/// NetworKit 11.2 compute them. The diameter is the greatest distance of any pair, the radius the smallest eccentricity
/// in the largest (strongly connected) component.
type Known = (&'static str, u32, bool, u32, Option<u32>);

const QUICK: [Known; 5] = [
    ("w-netscience.wel", 1589, false, 17, Some(9)),
    ("email-Eu-core.el", 1005, true, 7, Some(4)),
    ("wiki-Vote.el", 8298, true, 10, Some(4)),
    ("fb-MIT8.el", 6440, false, 8, Some(4)),
    ("p2p-Gnutella05.el", 8846, true, 22, Some(14)),
];

const SLOW: [Known; 9] = [
    ("email-Enron.el", 36_692, false, 13, Some(7)),
    ("cit-HepPh.el", 34_546, true, 49, None),
    ("w-Sydney.wel", 33_113, true, 255, None),
    ("bip-gowalla.el", 70_839, false, 9, None),
    ("soc-ego-twitter-u.el", 81_306, false, 7, None),
    ("web-uk-2007-100k.el", 100_000, true, 25, None),
    ("mesh-wave.el", 156_317, false, 56, None),
    ("road-NY.el", 264_346, false, 720, None),
    ("road-FLA.el", 1_070_376, false, 2058, None),
];

fn read(name: &str, vertices: u32, directed: bool) -> Option<Graph> {
    let folder = PathBuf::from(std::env::var_os("OUTCROP_TEST_DATA").unwrap_or_default());
    let path = folder.join("graphs").join(format!("{name}.gz"));
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("NOT TESTED: {} is missing; OUTCROP_TEST_DATA names the folder of real graphs", path.display());
        return None;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let edge = |line: &str| {
        let mut ids = line.split_ascii_whitespace().map(|id| id.parse().unwrap());
        (ids.next().unwrap(), ids.next().unwrap())
    };
    let edges: Vec<(u32, u32)> = text.lines().map(edge).collect();
    Some(Graph::new(vertices, &edges, directed, 2))
}

fn check((name, vertices, directed, expected, radius): Known) {
    let Some(graph) = read(name, vertices, directed) else { return };
    let started = Stopwatch::start();
    let some = graph.with_components(false, |engine, of| {
        diameter::edge_map::diameter(engine, of, Some(diameter::edge_map::SEARCHES)).unwrap()
    });
    let after_some = started.seconds();
    assert!(value(&some, "lower").unwrap() <= expected && expected <= value(&some, "upper").unwrap());
    let exact = graph.with_components(false, |engine, of| diameter::edge_map::diameter(engine, of, None).unwrap());
    let after_all = started.seconds();
    let least = graph.with_components(false, |engine, of| eccentricity::edge_map::radius(engine, of).unwrap());
    let seconds = (after_some, after_all - after_some, started.seconds() - after_all);
    let of = |outcome, name| value(outcome, name).unwrap();
    println!(
        "{name}: {} to {} after {} searches, {} after {} in {} iterations; radius {} after {}; seconds {seconds:.2?}",
        of(&some, "lower"),
        of(&some, "upper"),
        of(&some, "searches"),
        of(&exact, "diameter"),
        of(&exact, "searches"),
        exact.iterations,
        of(&least, "radius"),
        of(&least, "searches"),
    );
    assert_eq!(value(&exact, "diameter"), Some(expected));
    assert!(radius.is_none_or(|radius| value(&least, "radius") == Some(radius)));
}

#[test]
fn diameters_of_real_graphs_are_those_that_others_have_computed() {
    QUICK.into_iter().for_each(check);
}

#[test]
#[ignore = "takes minutes; prints how many searches each graph takes"]
fn diameters_of_larger_real_graphs_are_those_that_others_have_computed() {
    SLOW.into_iter().for_each(check);
}
