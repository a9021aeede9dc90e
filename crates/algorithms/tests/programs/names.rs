//! Names in other systems lead to algorithms and options that exist.

// Unit tests of the library would compile every algorithm a second time if one of them named the table of all.
#[path = "../../src/names.rs"]
mod rows;

use outcrop_algorithms::{ALGORITHMS, option_here, relatives};
use rows::{ALGORITHM_NAMES, OPTION_NAMES};

#[test]
fn every_name_here_exists() {
    for (parts, found) in ALGORITHM_NAMES {
        assert_eq!(rows::algorithms_here(parts[0]).is_empty(), found.is_empty());
        for (name, _) in *found {
            assert!(ALGORITHMS.iter().any(|algorithm| algorithm.spec().name == *name), "{name}");
        }
    }
    for (names, option) in OPTION_NAMES {
        assert_eq!(rows::option_here(names[0]), Some(*option));
        let has = |name| ALGORITHMS.iter().any(|algorithm| algorithm.params().iter().any(|info| info.name == name));
        assert!(has(*option), "--{option}");
    }
}

#[test]
fn names_elsewhere_are_found() {
    let names = |name| relatives(name).iter().map(|(spec, _)| spec.name).collect::<Vec<_>>();
    assert_eq!(names("asyn_lpa_communities"), ["cdlp"]);
    assert_eq!(names("leiden_communities"), ["leiden"]);
    assert_eq!(names("greedy_modularity_communities"), ["leiden", "cdlp"]);
    assert_eq!(names("single_source_dijkstra_path_length"), ["sssp", "bfs", "path"]);
    assert_eq!(names("biconnected_components"), ["bridges"]);
    assert_eq!(names("minimum_spanning_tree"), ["spanning-forest"]);
    assert_eq!(names("connected_components"), ["wcc"]);
    assert_eq!(names("betweenness_centrality"), ["bc"]);
    assert_eq!(names("weighted_components"), ["wcc", "scc"]);
    assert_eq!(names("nonsense"), [""; 0]);
    assert_eq!((option_here("dampingFactor"), option_here("alpha")), (Some("alpha"), None));
}
