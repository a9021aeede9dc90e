//! Profiles: measured values, and their independence of threads, layouts and orders.

use crate::driver::{Dice, Folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A profile without the values that may differ between copies of a store.
fn profile(folder: &Folder, arguments: &str) -> Value {
    let mut profile = folder.ok(&format!("profile {arguments} --json")).json();
    for key in ["store", "locality"] {
        assert!(profile.as_object_mut().unwrap().remove(key).is_some(), "{profile}");
    }
    profile
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn assert_near(found: &Value, expected: f64, name: &str) {
    assert!((number(found) - expected).abs() < 1e-9, "{name}: {found}, expected {expected}");
}

#[test]
fn a_small_graph_has_the_profile_that_a_person_computes() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2 2.5\n2 1 -1\n2 3 1\n3 1 1\n3 1 4\n4 4 1\n");
    folder.write("more.txt", "9\n");
    folder.ok("build edges.txt g.outcrop --weighted --vertices more.txt");
    let found = profile(&folder, "g.outcrop");
    for (key, value) in [("vertices", 5), ("edges", 6), ("self_loops", 1), ("repeated_edges", 1)] {
        assert_eq!(found[key], value, "{key}: {found}");
    }
    assert_eq!(found["weights"], serde_json::json!([-1.0, 4.0]));
    // 1-2 in both directions, 2-3 and 3-1 in one.
    assert_near(&found["reciprocity"], 0.5, "reciprocity");
    let degrees = &found["degrees"];
    let shown = |degrees: &Value| ["mean", "median", "max", "zeros"].map(|key| number(&degrees[key]));
    assert_eq!(shown(&degrees["out"]), [1.2, 1.0, 2.0, 1.0]);
    assert_eq!(shown(&degrees["in"]), [1.2, 1.0, 3.0, 1.0]);
    assert_eq!(shown(&degrees["both"]), [2.4, 3.0, 4.0, 1.0]);
    let ranges = degrees["both"]["histogram"].as_array().unwrap();
    let ranges: Vec<_> = ranges.iter().map(|range| ["from", "to", "count"].map(|key| number(&range[key]))).collect();
    assert_eq!(ranges, [[0., 0., 1.], [1., 1., 0.], [2., 3., 3.], [4., 7., 1.]]);
    assert!(degrees["both"].get("power_law").is_none(), "{found}");
    assert_eq!((&found["components"]["count"], &found["components"]["largest"]), (&3.into(), &3.into()));
    // Three vertices in a triangle, two without neighbors.
    assert_near(&found["clustering"]["mean"], 0.6, "clustering");
    assert_eq!((&found["clustering"]["exact"], &found["distances"]["exact"]), (&true.into(), &true.into()));
    // At distance 1: 1 2, 2 1, 2 3, 3 1; at distance 2: 1 3, 3 2.
    assert_eq!(found["distances"]["pairs"], serde_json::json!([4, 2]));
    assert_near(&found["distances"]["mean"], 8.0 / 6.0, "distance");
    assert_near(&found["distances"]["effective_diameter"], 1.7, "effective diameter");
    assert_near(&found["distances"]["connected_share"], 6.0 / 20.0, "connected share");
}

/// Random graph, with loops and repeated edges.
fn random_edges(dice: &mut Dice, vertices: u64, edges: usize) -> Vec<(u64, u64)> {
    (0..edges).map(|_| (dice.below(vertices), dice.below(vertices) % (1 + dice.below(vertices)))).collect()
}

fn text(edges: &[(u64, u64)]) -> String {
    edges.iter().map(|(source, target)| format!("{source} {target}\n")).collect()
}

/// Mean clustering, mean distance and number of connected pairs, from neighbors without and with directions.
fn reference(vertices: &BTreeSet<u64>, edges: &[(u64, u64)], directed: bool) -> (f64, f64, u64) {
    let (mut around, mut onward) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::<_, BTreeSet<_>>::new());
    for (source, target) in edges.iter().filter(|(source, target)| source != target) {
        for (one, other, along) in [(*source, *target, true), (*target, *source, !directed)] {
            around.entry(one).or_default().insert(other);
            along.then(|| onward.entry(one).or_default().insert(other));
        }
    }
    let coefficient = |neighbors: &BTreeSet<u64>| {
        let pairs = (neighbors.len() * neighbors.len().saturating_sub(1)) as f64;
        let adjacent = neighbors.iter().map(|one| around[one].intersection(neighbors).count()).sum::<usize>() as f64;
        if pairs > 0.0 { adjacent / pairs } else { 0.0 }
    };
    let clustering = around.values().map(coefficient).sum::<f64>() / vertices.len() as f64;
    let (mut sum, mut pairs) = (0, 0);
    for source in vertices {
        let (mut distances, mut queue) = (BTreeMap::from([(*source, 0)]), VecDeque::from([*source]));
        while let Some(vertex) = queue.pop_front() {
            for next in onward.get(&vertex).into_iter().flatten() {
                if !distances.contains_key(next) {
                    distances.insert(*next, distances[&vertex] + 1);
                    queue.push_back(*next);
                }
            }
        }
        sum += distances.values().sum::<u64>();
        pairs += distances.len() as u64 - 1;
    }
    (clustering, sum as f64 / pairs as f64, pairs)
}

#[test]
fn profiles_equal_a_simple_reference() {
    let mut dice = Dice::seeded(17);
    for (vertices, count, directed) in [(40, 60, true), (60, 300, true), (200, 700, false), (30, 20, false)] {
        let folder = Folder::new();
        let edges = random_edges(&mut dice, vertices, count);
        folder.write("edges.txt", text(&edges));
        folder.ok(&format!("build edges.txt g.outcrop {}", if directed { "" } else { "--undirected" }));
        let found = profile(&folder, "g.outcrop");
        let all: BTreeSet<u64> = edges.iter().flat_map(|(source, target)| [*source, *target]).collect();
        let (clustering, distance, pairs) = reference(&all, &edges, directed);
        assert_near(&found["clustering"]["mean"], clustering, "clustering");
        assert_near(&found["distances"]["mean"], distance, "distance");
        let counted: u64 = found["distances"]["pairs"].as_array().unwrap().iter().map(|p| p.as_u64().unwrap()).sum();
        assert_eq!(counted, pairs);
        let ends =
            |(one, other): &(u64, u64)| if directed { (*one, *other) } else { (*one.min(other), *one.max(other)) };
        let distinct: BTreeSet<_> = edges.iter().map(ends).collect();
        let loops = edges.iter().filter(|(source, target)| source == target).count();
        assert_eq!(found["self_loops"], loops);
        assert_eq!(found["repeated_edges"], edges.len() - distinct.len());
        let simple: Vec<_> = distinct.iter().filter(|(source, target)| source != target).collect();
        let mutual = simple.iter().filter(|(source, target)| distinct.contains(&(*target, *source))).count();
        if directed {
            assert_near(&found["reciprocity"], mutual as f64 / simple.len() as f64, "reciprocity");
        } else {
            assert!(found.get("reciprocity").is_none(), "{found}");
        }
        assert_near(&found["degrees"]["both"]["mean"], 2.0 * edges.len() as f64 / all.len() as f64, "mean degree");
    }
}

#[test]
fn profiles_are_equal_for_all_threads_layouts_orders_and_budgets() {
    let (folder, mut dice) = (Folder::new(), Dice::seeded(18));
    folder.write("edges.txt", text(&random_edges(&mut dice, 3000, 20_000)));
    for direction in ["", "--undirected"] {
        folder.ok(&format!("build edges.txt g.outcrop --overwrite --order original {direction}"));
        let sampled = "--sources 70 --wedges 500 --seed 7";
        let first = profile(&folder, &format!("g.outcrop {sampled} --threads 1"));
        assert_eq!((&first["clustering"]["vertices"], &first["distances"]["sources"]), (&500.into(), &70.into()));
        assert_eq!(first["clustering"]["exact"], false);
        assert_eq!(profile(&folder, &format!("g.outcrop {sampled} --threads 3")), first, "threads {direction}");
        for layout in ["csr", "compact", "sliding"] {
            folder.ok(&format!("convert g.outcrop {layout}.outcrop --overwrite --layout {layout} --order degree"));
            let other = profile(&folder, &format!("{layout}.outcrop {sampled} --threads 3 --memory 64MiB"));
            assert_eq!(other, first, "{layout} {direction}");
        }
        let exact = profile(&folder, "g.outcrop");
        assert_eq!(exact["clustering"]["exact"], true);
        let gap = number(&exact["clustering"]["mean"]) - number(&first["clustering"]["mean"]);
        assert!(gap.abs() < 5.0 * number(&first["clustering"]["standard_error"]), "{first} {exact}");
        let gap = number(&exact["distances"]["mean"]) / number(&first["distances"]["mean"]);
        assert!((0.9..1.1).contains(&gap), "{first} {exact}");
    }
}

#[test]
fn a_graph_without_edges_or_vertices_has_a_profile() {
    let folder = Folder::new();
    folder.write("none.txt", "");
    folder.write("one.txt", "7\n");
    folder.ok("build none.txt empty.outcrop --allow-empty");
    folder.ok("build none.txt one.outcrop --vertices one.txt --undirected");
    for (store, vertices) in [("empty", 0), ("one", 1)] {
        let found = profile(&folder, &format!("{store}.outcrop"));
        assert_eq!((&found["components"]["count"], &found["vertices"]), (&vertices.into(), &vertices.into()));
        assert_eq!((&found["distances"]["mean"], &found["clustering"]["mean"]), (&Value::Null, &0.0.into()));
        assert!(folder.ok(&format!("profile {store}.outcrop")).stdout.contains("distances    none"));
    }
}

#[test]
fn a_profile_is_a_table_or_a_page_and_refuses_too_little_memory_at_once() {
    let (folder, mut dice) = (Folder::new(), Dice::seeded(19));
    folder.write("edges.txt", text(&random_edges(&mut dice, 500, 3000)));
    folder.ok("build edges.txt g.outcrop");
    let table = folder.ok("profile g.outcrop --report page.html").stdout;
    for line in
        ["kind         directed, unweighted", "reciprocity  ", "components   ", "vertices by degree", "power law"]
    {
        assert!(table.contains(line), "{line}: {table}");
    }
    let page = folder.read("page.html");
    for part in ["<h1>Profile of g.outcrop</h1>", "Out-degree", "Component size", "Distance", "Logarithmic scale"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
    folder.fails("profile g.outcrop --report page.html", 2);
    folder.write("profile.json", folder.ok("profile g.outcrop --json --report page.html --overwrite").stdout);
    folder.ok("report profile.json -o again.html");
    assert_eq!(folder.read("again.html"), folder.read("page.html"));
    let refusal = folder.fails("profile g.outcrop --memory 1MiB", 4);
    let least = refusal.split("--memory ").nth(1).unwrap_or_else(|| panic!("{refusal}"));
    let least: String = least.chars().take_while(char::is_ascii_digit).collect();
    folder.ok(&format!("profile g.outcrop --memory {least}"));
    assert_eq!(folder.ok("runs g.outcrop").stdout.lines().filter(|line| line.contains("wcc")).count(), 0);
}
