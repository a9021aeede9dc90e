//! Whether weights of edges count, and what is said of that.

use crate::driver::Folder;
use crate::output::outputs::{COMMUNITIES, folder_with_store};
use outcrop::ALGORITHMS;
use serde_json::Value;

/// Before, nothing said that `pagerank` and others take no notice of weights.
#[test]
fn weights_that_do_not_count_are_noted_once() {
    let folder = folder_with_store();
    folder.ok("build edges.txt plain.outcrop");
    folder.write("probabilities.csv", "node,value\n20,0.75\n3,0.25\n");
    folder.write("communities.csv", COMMUNITIES);
    for algorithm in ALGORITHMS {
        let row = algorithm.spec();
        let source = algorithm.params().iter().any(|parameter| parameter.name == "source");
        let options = match row.name {
            "bp" | "heat" => "--vector probabilities.csv",
            "modularity" => "--communities communities.csv",
            "path" | "k-shortest-paths" => "--source 0 --target 8",
            _ if source => "--source 0",
            _ => "",
        };
        let run = |store: &str, more: &str| folder.ok(&format!("run {} {store} {options} --json {more}", row.name));
        let ignored = [
            "apsp",
            "assortativity",
            "bc",
            "bp",
            "cdlp",
            "diameter",
            "fastrp",
            "eccentricity",
            "heat",
            "k-shortest-paths",
            "lcc",
            "path",
            "radii",
            "radius",
            "similarity",
            "topological-sort",
            "most-similar",
            "walks",
            "closeness",
            "harmonic",
            "eigenvector",
            "katz",
            "degrees",
        ]
        .contains(&row.name);
        let weighted = run("g.outcrop", "");
        let note = format!("`{}` ignores the edge weights of the store", row.name);
        assert_eq!(weighted.stderr.matches(&note).count(), usize::from(ignored), "{weighted:?}");
        assert_eq!(weighted.json()["notes"].to_string().matches(&note).count(), usize::from(ignored), "{weighted:?}");
        assert_eq!(
            weighted.json()["weighted"],
            ["hits", "leiden", "louvain", "modularity", "pagerank", "ppr", "spanning-forest", "spmv", "sssp"]
                .contains(&row.name),
            "{}",
            row.name
        );
        let plain = run("plain.outcrop", "");
        assert_eq!((&plain.json()["weighted"], plain.stderr.contains("weights")), (&Value::Bool(false), false));
    }
    for name in ["cdlp", "walks", "bc"] {
        let asked = folder.ok(&format!("run {name} g.outcrop --weighted --json"));
        assert_eq!((&asked.json()["weighted"], asked.stderr.as_str()), (&Value::Bool(true), ""));
        for command in ["run", "estimate"] {
            let refused = folder.fails(&format!("{command} {name} plain.outcrop --weighted"), 2);
            assert!(
                refused.contains(
                    "needs edge weights, and the store has none; build it with --weighted or --weight COLUMN"
                ),
                "{refused}"
            );
        }
    }
}

/// The values of a table with one column, to so many digits that the order of sums makes no difference.
fn rounded(folder: &Folder, run: &str) -> Vec<String> {
    let round = |row: &String| format!("{:.12}", row.split_once(',').unwrap().1.parse::<f64>().unwrap());
    folder.rows(run).iter().map(round).collect()
}

#[test]
fn ranks_count_weights_unless_that_is_not_wanted() {
    let folder = folder_with_store();
    folder.ok("build edges.txt plain.outcrop");
    for (name, options) in [
        ("pagerank", "--iterations 9"),
        ("pagerank", "--iterations 9 --delta 0"),
        ("pagerank", "--iterations 9 --model interval"),
        ("pagerank", "--iterations 9 --model messages"),
        ("pagerank", "--iterations 9 --model gas"),
        ("ppr", "--source 0"),
    ] {
        let asked = folder.ok(&format!("run {name} g.outcrop {options} --unweighted --json"));
        assert_eq!((&asked.json()["weighted"], asked.stderr.as_str()), (&Value::Bool(false), ""));
        let alike = rounded(&folder, &format!("{name} g.outcrop {options} --unweighted"));
        for without in ["", "--unweighted"] {
            let plain = format!("{name} plain.outcrop {options} {without}");
            assert_eq!(folder.ok(&format!("run {plain} --json")).json()["weighted"], false);
            assert_eq!(rounded(&folder, &plain), alike, "{plain}");
        }
        if options.contains("gas") {
            for command in ["run", "estimate"] {
                let message = folder.fails(&format!("{command} {name} g.outcrop {options}"), 2);
                assert!(message.contains("does not support weights; use --unweighted"), "{message}");
            }
            continue;
        }
        let counting = folder.ok(&format!("run {name} g.outcrop {options} --json"));
        assert_eq!((&counting.json()["weighted"], counting.stderr.as_str()), (&Value::Bool(true), ""));
        // 3 has an edge of weight 2.5 to 20 and one of weight 1 to 100.
        let ranks = rounded(&folder, &format!("{name} g.outcrop {options}"));
        assert!(alike[4] == alike[5] && ranks[4].parse::<f64>().unwrap() > 1.5 * ranks[5].parse::<f64>().unwrap());
    }
}

/// Such sums gave missing modularities and longest paths, and centralities of 0, with exit code 0.
#[test]
fn weights_whose_sums_exceed_the_range_are_refused() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2 1e308\n2 3 1e308\n1 3 1e308\n3 4 1e308\n");
    folder.write("communities.csv", "node,community\n1,1\n2,1\n3,2\n4,2\n");
    folder.ok("build edges.txt g.outcrop --weighted");
    for command in [
        "sssp --source 1",
        "path --weighted --source 1 --target 4",
        "k-shortest-paths --weighted --source 1 --target 4 --k 2",
        "topological-sort --weighted",
        "spanning-forest",
        "louvain",
        "leiden",
        "modularity --communities communities.csv",
        "bc --weighted",
        "pagerank",
        "ppr --source 1",
        "hits",
        "eigenvector --weighted",
        "walks --weighted --source 1",
        "cdlp --weighted",
        "degrees --weighted",
    ] {
        let (name, options) = command.split_once(' ').unwrap_or((command, ""));
        let message = folder.fails(&format!("run {name} g.outcrop {options}"), 3);
        assert!(["1e270", "the limit of f64"].iter().any(|limit| message.contains(limit)), "{command}: {message}");
    }
}

/// Returns the rows of a result, without columns in the unit of the weights; `None` if the weights are refused.
fn rows_without_unit(folder: &Folder, command: &str) -> Option<Vec<Vec<String>>> {
    let (name, options) = command.split_once(' ').unwrap_or((command, ""));
    let ran = folder.run(&format!("run {name} g.outcrop {options} -o rows.csv --overwrite"));
    if ran.code == Some(3) {
        return None;
    }
    assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
    let text = folder.read("rows.csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let kept = |column: &usize| !["weight", "distance"].contains(&rows[0][*column]);
    Some(rows.iter().map(|row| (0..row.len()).filter(kept).map(|column| row[column].to_owned()).collect()).collect())
}

/// Returns true if cells are equal, numbers up to a relative difference of 1e-6.
fn is_close(one: &str, other: &str) -> bool {
    let numbers = || Some([one.parse::<f64>().ok()?, other.parse::<f64>().ok()?]);
    one == other || numbers().is_some_and(|[one, other]| (one - other).abs() <= 1e-6 * one.abs().max(other.abs()))
}

/// Small weights gave wrong eigenvectors and hubs, and single vertices as communities; large ones wrong labels, walks
/// and numbers of paths.
#[test]
fn results_do_not_depend_on_the_unit_of_weights_unless_it_is_refused() {
    let folder = Folder::new();
    folder.write("communities.csv", "node,community\n1,1\n2,1\n3,1\n4,2\n5,2\n6,2\n");
    let edges =
        [(1, 2, 3.0), (2, 3, 4.0), (1, 3, 1.0), (3, 4, 2.0), (4, 5, 7.0), (5, 6, 5.0), (4, 6, 6.0), (2, 6, 0.5)];
    let commands = [
        "pagerank --tol 1e-12 --max-iter 500",
        "ppr --source 1 --tol 1e-12",
        "hits --tol 1e-12 --max-iter 5000",
        "eigenvector --weighted --tol 1e-12 --max-iter 5000",
        "leiden",
        "louvain",
        "modularity --communities communities.csv",
        "cdlp --weighted",
        "lcc --weighted",
        "bc --weighted",
        "walks --weighted --every 4 --length 20",
        "spanning-forest",
        "path --weighted --source 1 --target 6",
        "k-shortest-paths --weighted --source 1 --target 6 --k 4",
    ];
    let mut expected = Vec::new();
    let mut refused = 0;
    for exponent in [0, -30, -500, -900, -1000, -1060, 30, 500, 890, 1000, 1019] {
        // In two steps: the smallest powers have no reciprocal.
        let unit = 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2);
        let lines = edges.iter().map(|(source, target, weight)| format!("{source} {target} {:e}\n", weight * unit));
        folder.write("edges.wel", lines.collect::<String>());
        folder.ok("build edges.wel g.outcrop --weighted --undirected --overwrite");
        for (number, command) in commands.iter().enumerate() {
            let found = rows_without_unit(&folder, command);
            if exponent == 0 {
                expected.push(found.unwrap());
                continue;
            }
            let Some(found) = found else {
                assert!(exponent.abs() > 890, "{command} refuses weights of 2^{exponent}");
                refused += 1;
                continue;
            };
            let expected = &expected[number];
            assert_eq!(found.len(), expected.len(), "{command}, 2^{exponent}");
            let pairs = found.iter().flatten().zip(expected.iter().flatten());
            let different = pairs.filter(|(one, other)| !is_close(one, other)).count();
            assert_eq!(different, 0, "{command}, 2^{exponent}: {found:?}, expected {expected:?}");
        }
    }
    assert!(refused > 20, "{refused} refusals");
}

/// Paths that are too long count only where a path is missing because of them.
#[test]
fn paths_beyond_the_range_are_refused_where_others_do_not_suffice() {
    let folder = Folder::new();
    let run = "run k-shortest-paths g.outcrop --weighted --source s --target t";
    for (edges, direction, most, paths) in [
        ("s s 1e308\ns t 1e308\n", "", 2, 1),
        ("s a 1\na t 1\nb t 1e308\nc b 1e308\n", "", 1, 1),
        ("s t 1\nt b 1e308\nb c 1e308\n", "--undirected", 1, 1),
        ("t 4 5e307\n1 s 5e307\n1 4 1\n", "--undirected", 20, 1),
        ("s b 1e308\nb t 1\ns c 1\nc t 1\ns d 1e308\nd t 1e308\n", "", 2, 2),
    ] {
        folder.write("edges.wel", edges);
        folder.ok(&format!("build edges.wel g.outcrop --weighted --overwrite {direction}"));
        let found = folder.ok(&format!("{run} --k {most} --json")).json()["values"]["paths"].clone();
        assert_eq!(found, paths, "{edges}");
    }
    let message = folder.fails(&format!("{run} --k 3"), 3);
    assert!(message.contains("a path through it is longer than 1.8e308"), "{message}");
}

#[test]
fn negative_weights_are_refused_by_walks_and_samples_that_go_by_weight() {
    let folder = Folder::new();
    folder.write("edges.txt", "a b 1\nb c -2\nb d 1\nx y -1\n");
    folder.ok("build edges.txt g.outcrop --weighted");
    let refused = "the edge from b to c has the weight -2";
    for command in [
        "run walks g.outcrop --weighted --source a",
        "sample g.outcrop a --fanouts 1,1 --weighted",
        "run sssp g.outcrop --source a",
    ] {
        let message = folder.fails(command, 3);
        let needs = ["weights of at least 0", "weights of 0 or from 1e-280 to 1e270"];
        assert!(message.contains(refused) && needs.iter().any(|needs| message.contains(needs)), "{command}: {message}");
    }
    let message = folder.fails("sample g.outcrop c --fanouts 1 --weighted --direction in", 3);
    assert!(message.contains(refused), "{message}");
    // Weights that do not count, and edges that nothing comes to.
    folder.ok("run walks g.outcrop --source a");
    folder.ok("sample g.outcrop b --fanouts 1,1");
    folder.ok("run walks g.outcrop --weighted --source d");
}

#[test]
fn distances_beyond_the_largest_number_are_refused_in_every_model() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2 2e38\n2 3 2e38\n1 3 3e38\n");
    folder.write("far.txt", "1 2 2e38\n2 3 2e38\n3 1 1\n");
    for name in ["edges", "far"] {
        folder.ok(&format!("build {name}.txt {name}.outcrop --weighted"));
    }
    for model in ["edge_map", "edge_map --method bellman-ford", "interval", "gas"] {
        let run = |store: &str, precision: &str| {
            format!("run sssp {store}.outcrop --source 1 --model {model} --precision {precision} -o x.csv --overwrite")
        };
        folder.ok(&run("edges", "f32"));
        assert_eq!(folder.read("x.csv").lines().last(), Some("3,3e+38"), "{model}: another path is short enough");
        let message = folder.fails(&run("far", "f32"), 3);
        assert!(
            message.contains("the edge from 2 to 3 has the weight") && message.contains("--precision f64"),
            "{message}"
        );
        folder.ok(&run("far", "f64"));
    }
}

#[test]
fn weights_that_floats_do_not_hold_are_told() {
    let folder = Folder::new();
    folder.write("edges.csv", "source,target,weight\n1,2,9007199254740993\n1,3,1e-400\n1,4,0.1\n");
    let ran = folder.ok("build edges.csv g.outcrop --weighted");
    let told = "2 weights were rounded, the first at edges.csv:2; the largest error is 1.0 (relative: ";
    assert!(ran.stderr.contains(told) && ran.stderr.contains("1 of them became 0"), "{}", ran.stderr);
    folder.write("edges.csv", "source,target,weight\n1,2,1e400\n");
    let message = folder.fails("build edges.csv g.outcrop --weighted --overwrite", 3);
    assert!(message.contains("edges.csv:2:5: found `1e400`, expected a finite number"), "{message}");
}

#[test]
fn products_that_overflow_are_noted_with_their_number() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2 1e38\n3 2 1e38\n1 4 3e38\n3 4 3e38\n1 5 1\n");
    folder.ok("build edges.txt g.outcrop --weighted");
    for model in ["--model edge_map", "--model interval", "--values disk"] {
        let ran = folder.ok(&format!("run spmv g.outcrop --precision f32 {model}"));
        let note = "note: 1 value is too large for f32 and left empty; use --precision f64";
        assert!(ran.stderr.contains(note), "{model}: {}", ran.stderr);
        for more in ["", "--precision f32 --combine min"] {
            let ran = folder.ok(&format!("run spmv g.outcrop {model} {more}"));
            assert!(!ran.stderr.contains("too large"), "{model} {more}: {}", ran.stderr);
        }
    }
}
