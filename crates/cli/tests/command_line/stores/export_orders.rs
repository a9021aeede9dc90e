//! Edges exported with positions in the store as IDs.

use crate::driver::{Folder, contents};
use std::collections::BTreeMap;

/// Store orders, layouts and kinds of IDs.
const STORES: [&str; 5] = [
    "--order degree",
    "--order random --layout csr",
    "--order degree --ids string --layout compact",
    "--order original --ids string",
    "--order norder --placement reordered",
];

/// Lines of an edge file with a header. Each vertex has a loop; all weights differ, so they identify edges.
fn edges(numbers: std::ops::Range<u64>) -> String {
    let vertex = |i: u64| 3 + i % 101 * 7;
    let loops = (0..if numbers.start == 0 { 101 } else { 0 }).map(|i| (vertex(i), vertex(i), i));
    let others = numbers.map(|i| (vertex(i * i), vertex(i * 31 % 97), 1000 + i));
    let lines = loops.chain(others).map(|(u, v, w)| format!("{u},{v},{w}\n"));
    format!("source,target,weight\n{}", lines.collect::<String>())
}

/// The ends of each edge in a text, by weight.
fn ends(text: &str, separator: char) -> BTreeMap<u64, [String; 2]> {
    let edge = |line: &str| {
        let [source, target, weight] = line.split(separator).map(|word| word.trim_matches('"')).collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        (weight.trim_end_matches(".0").parse().unwrap(), [source.to_owned(), target.to_owned()])
    };
    text.lines().filter(|line| !line.starts_with("source")).map(edge).collect()
}

/// Exports `a.outcrop` to `store.txt` and checks that it has the edges of an export with original IDs; returns the
/// position of each ID.
fn check_store_order(folder: &Folder, directed: bool) -> BTreeMap<String, u64> {
    folder.ok("export a.outcrop id.csv --overwrite");
    folder.ok("export a.outcrop store.txt --overwrite --order store");
    let by_id = ends(&folder.read("id.csv"), ',');
    let by_position = ends(&folder.read("store.txt"), ' ');
    let loops = by_id.iter().filter(|(_, [source, target])| source == target);
    let positions: BTreeMap<String, u64> =
        loops.map(|(weight, [id, _])| (id.clone(), by_position[weight][0].parse().unwrap())).collect();
    let mut all: Vec<u64> = positions.values().copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..positions.len() as u64).collect::<Vec<_>>());
    let mut expected: Vec<_> = by_id
        .iter()
        .map(|(weight, [source, target])| {
            let [source, target] = [positions[source], positions[target]];
            if directed || source <= target { (source, target, *weight) } else { (target, source, *weight) }
        })
        .collect();
    expected.sort_unstable_by_key(|(source, target, _)| (*source, *target));
    let number = |word: &str| word.parse::<u64>().unwrap();
    let found = folder.read("store.txt");
    let found = found.lines().map(|line| line.split(' ').map(number).collect::<Vec<_>>());
    let found: Vec<_> = found.map(|edge| (edge[0], edge[1], edge[2])).collect();
    assert!(found.is_sorted_by_key(|(source, target, _)| (*source, *target)));
    let sorted = |mut edges: Vec<(u64, u64, u64)>| {
        edges.sort_unstable();
        edges
    };
    let (found, expected) = (sorted(found), sorted(expected));
    let difference = found.iter().zip(&expected).find(|(found, expected)| found != expected);
    assert!(difference.is_none() && found.len() == expected.len(), "{difference:?}");
    positions
}

/// Checks that a store built from `store.txt` has the same distances as `a.outcrop`, but for the names of vertices.
fn check_distances(folder: &Folder, direction: &str, positions: &BTreeMap<String, u64>) {
    folder.ok(&format!("build store.txt b.outcrop --overwrite --weighted {direction}"));
    let distances = |store: &str, source: &str, name: &dyn Fn(&str) -> u64| -> BTreeMap<u64, String> {
        let rows = folder.rows(&format!("bfs {store} --source {source}"));
        let row = |row: &String| {
            let (id, distance) = row.split_once(',').unwrap();
            (name(id.trim_matches('"')), distance.to_owned())
        };
        rows.iter().map(row).collect()
    };
    let expected = distances("a.outcrop", "10", &|id| positions[id]);
    assert_eq!(distances("b.outcrop", &positions["10"].to_string(), &|id| id.parse().unwrap()), expected);
}

#[test]
fn positions_in_the_store_rename_vertices() {
    let folder = Folder::new();
    folder.write("edges.csv", edges(0..3000));
    folder.write("gone.csv", "source,target\n3,3\n10,17\n31,10\n");
    folder.write("new.csv", format!("{}3,3,7000\n4,4,7001\n4,10,7002\n999,999,7003\n24,999,7004\n", edges(3000..3040)));
    for (direction, directed) in [("--directed", true), ("--undirected", false)] {
        for store in STORES {
            folder.ok(&format!("build edges.csv a.outcrop --overwrite --weighted {direction} {store}"));
            let positions = check_store_order(&folder, directed);
            check_distances(&folder, direction, &positions);
            folder.ok("update a.outcrop --remove gone.csv --add new.csv --merge-above 100%");
            let updated = check_store_order(&folder, directed);
            check_distances(&folder, direction, &updated);
            // New vertices follow the others.
            assert_eq!(updated["4"].min(updated["999"]), positions.len() as u64, "{store} {direction}");
            assert!(positions.iter().all(|(id, position)| updated[id] == *position), "{store} {direction}");
        }
    }
}

#[test]
fn every_format_has_positions_in_the_store() {
    let folder = Folder::new();
    folder.write("edges.csv", edges(0..3000));
    for (direction, ids) in [("--directed", "integer"), ("--undirected", "string")] {
        folder.ok(&format!("build edges.csv a.outcrop --overwrite --weighted --order degree {direction} --ids {ids}"));
        for name in ["b.bin", "b.el", "b.csv", "b.tsv.gz", "b.parquet", "b.wsg", "b.sg"] {
            folder.ok(&format!("export a.outcrop {name} --overwrite --order store"));
            let (weighted, unweighted) = if name == "b.sg" { ("", "--unweighted") } else { ("--weighted", "") };
            folder.ok(&format!("build {name} b.outcrop --overwrite --ids integer {weighted} {direction}"));
            folder.ok("export b.outcrop b.txt --overwrite");
            folder.ok(&format!("export a.outcrop a.txt --overwrite --order store {unweighted}"));
            assert!(folder.read("b.txt") == folder.read("a.txt"), "{name} {direction}");
        }
    }
}

#[test]
fn a_rebuilt_store_in_original_order_has_the_same_lists() {
    let folder = Folder::new();
    folder.write("edges.csv", edges(0..3000));
    for direction in ["--directed", "--undirected"] {
        for order in ["degree", "random", "norder"] {
            folder.ok(&format!("build edges.csv a.outcrop --overwrite --layout csr {direction} --order {order}"));
            folder.ok("export a.outcrop a.sg --overwrite --order store");
            folder.ok(&format!("build a.sg b.outcrop --overwrite --layout csr {direction} --order original"));
            let lists = |store: &str| {
                let mut files = contents(&folder.path(store));
                files.retain(|name, _| name.starts_with("out.") || name.starts_with("in."));
                // Checksums at the start of each page depend on the store.
                files.values_mut().flat_map(|file| file.chunks_mut(4096)).for_each(|page| page[..8].fill(0));
                files
            };
            assert!(lists("a.outcrop").len() >= 2 && lists("a.outcrop") == lists("b.outcrop"), "{direction} {order}");
        }
    }
}
