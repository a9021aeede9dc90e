//! Repeated edges, loops, and graphs with next to nothing in them: what each policy keeps, and what each algorithm
//! says.

use crate::driver::{Folder, RUNS};

/// The distance from 1 to 2 and the number of edges after building `text` with `options`.
fn distance_and_edges(text: &str, options: &str) -> (String, u64) {
    let folder = Folder::new();
    folder.write("edges.txt", text);
    let edges = folder.ok(&format!("build edges.txt g.outcrop --weighted --json {options}")).figure("edges");
    let rows = folder.rows("sssp g.outcrop --source 1");
    let distance = rows
        .iter()
        .find_map(|row| row.replace('"', "").strip_prefix("2,")?.split(',').next().map(str::to_owned))
        .unwrap();
    (distance, edges)
}

#[test]
fn repeated_edges_become_what_the_policy_says() {
    let text = "1 2 4\n1 2 5\n1 3 1\n1 2 3\n";
    let expected = [("keep", "3.0", 4), ("first", "4.0", 2), ("sum", "12.0", 2), ("min", "3.0", 2), ("max", "5.0", 2)];
    for (policy, distance, edges) in expected {
        for more in ["", "--ids dense", "--ids string", "--order degree", "--undirected"] {
            let found = distance_and_edges(text, &format!("--dedup {policy} {more}"));
            assert_eq!(found, (distance.to_owned(), edges), "--dedup {policy} {more}");
        }
    }
}

#[test]
fn an_undirected_edge_may_be_repeated_in_either_direction() {
    let text = "2 1 4\n1 2 5\n2 1 3\n";
    let expected = [("keep", "3.0", 3), ("first", "4.0", 1), ("sum", "12.0", 1), ("min", "3.0", 1), ("max", "5.0", 1)];
    for (policy, distance, edges) in expected {
        for more in ["", "--ids dense", "--ids string", "--order degree"] {
            let found = distance_and_edges(text, &format!("--undirected --dedup {policy} {more}"));
            assert_eq!(found, (distance.to_owned(), edges), "--dedup {policy} {more}");
        }
    }
}

#[test]
fn weights_whose_sum_is_too_large_are_refused() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2 1e308\n1 2 1e308\n");
    let message = folder.fails("build edges.txt g.outcrop --weighted --dedup sum", 3);
    assert!(message.contains("sum to inf"), "{message}");
    assert_eq!(folder.names(), ["edges.txt"]);
}

#[test]
fn the_manifest_says_the_policies() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n");
    for (dedup, loops) in [("keep", "drop"), ("first", "keep"), ("sum", "drop"), ("min", "keep"), ("max", "drop")] {
        folder.ok(&format!("build edges.txt g.outcrop --overwrite --dedup {dedup} --self-loops {loops}"));
        let info = folder.ok("info g.outcrop --json").json();
        assert_eq!((info["dedup"].as_str(), info["self_loops"].as_str()), (Some(dedup), Some(loops)));
    }
}

#[test]
fn loops_are_kept_or_dropped_and_their_vertices_stay() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 1\n1 2\n3 3\n3 3\n");
    let cases =
        [("", "keep", 4, 0), ("--undirected", "keep", 4, 0), ("", "drop", 1, 3), ("--undirected", "drop", 1, 3)];
    for (more, policy, edges, dropped) in cases {
        let ran = folder.ok(&format!("build edges.txt g.outcrop --json --overwrite --self-loops {policy} {more}"));
        let found = (ran.figure("vertices"), ran.figure("edges"), ran.figure("loops_dropped"));
        assert_eq!(found, (3, edges, dropped), "{policy} {more}");
        assert_eq!(folder.rows("wcc g.outcrop"), ["1,1", "2,1", "3,3"]);
        folder.ok("check g.outcrop");
    }
}

/// Every way to build a store of `text` and `vertices`.
fn for_each_kind(text: &str, vertices: &str, test: impl Fn(&Folder, &str)) {
    let folder = Folder::new();
    folder.write("edges.txt", text);
    folder.write("vertices.txt", vertices);
    for ids in ["auto", "dense", "string"] {
        for kind in ["", "--undirected", "--weighted", "--order degree", "--undirected --order degree --weighted"] {
            let options = format!("--ids {ids} {kind} --vertices vertices.txt --overwrite --allow-empty");
            folder.ok(&format!("build edges.txt g.outcrop {options}"));
            folder.ok("check g.outcrop");
            test(&folder, &options);
        }
    }
}

#[test]
fn the_empty_graph_has_empty_answers_and_no_source() {
    for_each_kind("# nothing\n", "", |folder, options| {
        for (algorithm, parameters) in RUNS {
            if parameters.is_empty() {
                let none: [String; 0] = [];
                assert_eq!(folder.rows(&format!("{algorithm} g.outcrop")), none, "{algorithm} {options}");
            } else {
                let message = folder.fails(&format!("run {algorithm} g.outcrop {parameters}"), 2);
                let vertex = if options.contains("--ids string") { "\"0\"" } else { "0" };
                assert_eq!(message, format!("outcrop: the graph has no vertex {vertex}\n"), "{algorithm} {options}");
            }
        }
    });
}

/// What each of [`RUNS`] says, row by row.
fn expect(folder: &Folder, options: &str, expected: [&[&str]; 4]) {
    for ((algorithm, parameters), expected) in RUNS.into_iter().zip(expected) {
        let rows = folder.rows(&format!("{algorithm} g.outcrop {parameters}"));
        let rows: Vec<_> = rows.iter().map(|row| row.replace('"', "")).collect();
        assert_eq!(rows, expected, "{algorithm} {options}");
    }
}

#[test]
fn one_vertex_without_edges_has_answers() {
    for_each_kind("", "0\n", |folder, options| {
        expect(folder, options, [&["0,0,"], &["0,0.0,"], &["0,0"], &["0,1.0"]]);
    });
}

#[test]
fn one_vertex_with_a_loop_has_answers() {
    for_each_kind("0 0 2\n0 0 2\n", "", |folder, options| {
        expect(folder, options, [&["0,0,"], &["0,0.0,"], &["0,0"], &["0,1.0"]]);
    });
}

#[test]
fn vertices_without_edges_have_answers() {
    for_each_kind("", "0\n1\n2\n3\n", |folder, options| {
        let (unreached, weighted) = (["0,0,", "1,,", "2,,", "3,,"], ["0,0.0,", "1,,", "2,,", "3,,"]);
        let alone = ["0,0", "1,1", "2,2", "3,3"];
        expect(folder, options, [&unreached, &weighted, &alone, &["0,0.25", "1,0.25", "2,0.25", "3,0.25"]]);
    });
}
