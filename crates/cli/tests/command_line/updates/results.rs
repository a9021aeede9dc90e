//! Runs that go on from the last result after updates.

use crate::driver::{Dice, Folder};
use serde_json::Value;

/// Runs that go on, and what their second column may differ by.
const RUNS: [(&str, f64); 5] = [
    ("wcc g.outcrop", 0.0),
    ("bfs g.outcrop --source 1", 0.0),
    ("bfs g.outcrop --source 1 --columns all", 0.0),
    ("sssp g.outcrop --source 1", 0.0),
    // The sum of all differences from the exact ranks is at most tol * alpha / (1 - alpha), of each of the two.
    ("pagerank g.outcrop --tol 1e-9 --max-iter 1000", 1.2e-8),
];

fn assert_same(found: &[String], expected: &[String], tolerance: f64, what: &str) {
    let value = |row: &String| row.split(',').nth(1).unwrap().parse().unwrap_or(f64::MAX);
    let near = |(found, expected): (&String, &String)| (value(found) - value(expected)).abs() <= tolerance;
    let same = if tolerance == 0.0 { found == expected } else { found.iter().zip(expected).all(near) };
    assert!(same && found.len() == expected.len(), "{what}");
}

#[test]
fn a_run_goes_on_after_an_update_and_says_how() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 10 --edge-factor 4 --weights 1..9 -o edges.wel");
    let edges = folder.read("edges.wel");
    let mut lines: Vec<_> = edges.lines().filter(|line| !line.starts_with('#')).collect();
    let come: Vec<_> = lines.split_off(lines.len() - 20);
    let gone: Vec<_> = lines.iter().step_by(lines.len() / 5).copied().collect();
    for (name, lines) in [("base.wel", &lines), ("come.wel", &come), ("gone.wel", &gone)] {
        std::fs::write(folder.path(name), lines.join("\n")).unwrap();
    }
    let without_weights = |line: &&str| line.rsplit_once(' ').unwrap().0.to_owned();
    let gone: Vec<_> = gone.iter().map(without_weights).collect();
    std::fs::write(folder.path("gone.el"), gone.join("\n")).unwrap();
    folder.ok("build base.wel g.outcrop --weighted --ids dense --num-vertices 1024");
    let kept = |number: usize, run: &str| format!("run {run} --incremental last-{number}");
    for (number, (run, _)) in RUNS.iter().enumerate() {
        let first = folder.ok(&format!("{} --json", kept(number, run))).json();
        assert!(first["incremental"]["fresh"].as_str().unwrap().contains("no previous result"), "{first}");
    }
    folder.ok("update g.outcrop --add come.wel --remove gone.el --merge-above never");
    for (number, (run, tolerance)) in RUNS.iter().enumerate() {
        let expected = folder.rows(run);
        let found = folder.ok(&format!("{} -o rows.csv --overwrite --json", kept(number, run))).json();
        let rows: Vec<_> = folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
        assert_same(&rows, &expected, *tolerance, run);
        let told = &found["incremental"];
        assert_eq!((&told["fresh"], &told["from_generation"]), (&Value::Null, &Value::from(0)), "{run}");
        assert!(told["added"].as_u64().unwrap() > 0 && told["removed"].as_u64().unwrap() > 0, "{run}");
        // The result of this run has taken the place of the last one.
        let again = folder.ok(&format!("{} --json", kept(number, run))).json();
        let told = &again["incremental"];
        let from = (&told["from_generation"], &told["added"], &told["removed"]);
        assert_eq!(from, (&Value::from(1), &Value::from(0), &Value::from(0)), "{run}");
    }
}

#[test]
fn what_cannot_go_on_is_refused() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 6 -o edges.bin");
    folder.ok("build edges.bin g.outcrop");
    let refused = |run: &str, why: &str| {
        let ran = folder.run(run);
        assert!(ran.code == Some(2) && ran.stderr.contains(why), "{run}: {}", ran.stderr);
    };
    refused("run kcore g.outcrop --incremental last", "docs/incremental.md");
    refused("run pagerank g.outcrop --iterations 9 --incremental last", "use --tol instead of --iterations");
    refused("run wcc g.outcrop --incremental last --checkpoint-dir kept", "cannot be used with");
    folder.ok("run wcc g.outcrop --incremental last");
    refused("run pagerank g.outcrop --incremental last", "the algorithm was");
}

/// Builds whose vertices are found in other ways, with the ids of a new vertex that comes behind the others.
const BUILDS: [(&str, &str); 4] = [
    ("--ids string --weighted --undirected --dedup sum", "w"),
    ("--weighted --dedup max", "7000"),
    ("--undirected --dedup first --layout csr", "7000"),
    ("--order original", "7000"),
];

#[test]
fn runs_go_on_over_merges_and_with_new_vertices() {
    for (build, new) in BUILDS {
        let (folder, mut dice) = (Folder::new(), Dice::seeded(41));
        let name = |id: u64| if build.contains("string") { format!("v{id}") } else { (10 * id).to_string() };
        let mut lines = |count: u64, fields: usize| {
            let line = |_| [name(dice.below(40)), name(dice.below(40)), (1 + dice.below(9)).to_string()];
            let lines: Vec<_> = (0..count).map(line).map(|line| line[..fields].join(",")).collect();
            lines.join("\n") + "\n"
        };
        let fields = if build.contains("--weighted") { 3 } else { 2 };
        let all: String =
            (0..40).map(|id| format!("{0},{0}{1}\n", name(id), if fields == 3 { ",1" } else { "" })).collect();
        folder.write("edges.csv", lines(60, fields) + &all);
        folder.ok(&format!("build edges.csv g.outcrop {build}"));
        let runs =
            RUNS.map(|(run, tolerance)| (run.replace("--source 1", &format!("--source {}", name(0))), tolerance));
        for (number, (run, _)) in runs.iter().enumerate() {
            folder.ok(&format!("run {run} --incremental last-{number}"));
        }
        for step in 0..6 {
            let grown = if step == 3 {
                format!("{},{new}{}\n", name(1), if fields == 3 { ",2" } else { "" })
            } else {
                String::new()
            };
            folder.write("come.csv", lines(3, fields) + &grown);
            folder.write("gone.csv", lines(3, 2));
            let merge = if step % 3 == 1 { "--merge" } else { "--merge-above never" };
            folder.ok(&format!("update g.outcrop --add come.csv --remove gone.csv {merge}"));
            if step % 2 == 0 {
                continue;
            }
            for (number, (run, tolerance)) in runs.iter().enumerate() {
                let expected = folder.rows(run);
                let told =
                    folder.ok(&format!("run {run} --incremental last-{number} -o rows.csv --overwrite --json")).json();
                let rows: Vec<_> = folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
                assert_same(
                    &rows,
                    &expected,
                    *tolerance,
                    &format!("{run}, {build}, step {step}: {}", told["incremental"]),
                );
                let told = &told["incremental"];
                let fresh = told["fresh"].as_str().is_some_and(|reason| {
                    !reason.contains("more than a quarter of the distances depend on deleted arcs")
                });
                assert!(!fresh && told["from_generation"] == step - 1, "{run}, {build}: {told}");
            }
        }
    }
}

#[test]
fn a_vertex_that_comes_in_among_the_others_makes_a_run_begin_anew() {
    let folder = Folder::new();
    folder.write("edges.txt", "10 20\n20 30\n");
    folder.write("come.txt", "10 15\n15 40\n");
    folder.ok("build edges.txt g.outcrop --order original");
    folder.ok("run wcc g.outcrop --incremental last");
    folder.ok("update g.outcrop --add come.txt");
    let ran = folder.ok("run wcc g.outcrop --incremental last -o rows.csv");
    assert!(ran.stderr.contains("computing from scratch: a merge inserted new vertices"), "{}", ran.stderr);
    assert_eq!(folder.read("rows.csv").lines().count(), 6);
}
