//! In which model a run goes, and where the values of vertices are.

use crate::driver::Folder;
use serde_json::Value;

/// A folder with a weighted store, whose vertices are in degree order.
fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 11 --edge-factor 8 --weights 1..255 -o edges.bin");
    folder.write("start.txt", "0 1 1\n");
    folder.ok("build edges.bin start.txt g.outcrop --order degree");
    folder
}

/// What runs in both models, and the columns in which these must agree to the last digit.
const RUNS: [(&str, &[usize]); 3] =
    [("bfs g.outcrop --source 0 --columns all", &[1, 2]), ("sssp g.outcrop --source 0", &[1]), ("wcc g.outcrop", &[1])];

fn record(folder: &Folder, run: &str) -> Value {
    folder.ok(&format!("run {run} --json")).json()
}

#[test]
fn both_models_give_the_same_rows_wherever_values_are() {
    let folder = folder_with_store();
    for (run, columns) in RUNS {
        let rows = |options: &str| -> Vec<Vec<String>> {
            let rows = folder.rows(&format!("{run} {options}"));
            let cells = |row: &String| row.split(',').map(str::to_owned).collect::<Vec<_>>();
            rows.iter().map(cells).map(|row| columns.iter().map(|column| row[*column].clone()).collect()).collect()
        };
        let expected = rows("--model edge_map");
        for options in
            ["--model interval", "--model interval --values memory", "--values disk", "--values disk --threads 1"]
        {
            assert_eq!(rows(options), expected, "{run} {options}");
        }
    }
    assert_eq!(folder.names(), ["edges.bin", "g.outcrop", "start.txt"]);
}

#[test]
fn the_record_says_what_ran() {
    let folder = folder_with_store();
    let of = |options: &str| {
        let record = record(&folder, &format!("pagerank g.outcrop --iterations 3 {options}"));
        let traffic = ["value_bytes_read", "bytes_written"].map(|key| record[key].as_u64().unwrap());
        (record["model"].as_str().unwrap().to_owned(), record["values_on_disk"].as_bool().unwrap(), traffic)
    };
    assert_eq!(of(""), ("edge_map".to_owned(), false, [0, 0]));
    let (model, on_disk, [_, written]) = of("--model interval");
    assert!(model == "interval" && !on_disk && written == 0);
    let (model, on_disk, [read, written]) = of("--values disk");
    assert!(model == "interval" && on_disk && read > 0 && written > 0);
}

#[test]
fn a_budget_that_does_not_hold_the_values_sends_them_to_disk() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 17 --edge-factor 2 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --ids dense --order original");
    let run = "pagerank g.outcrop --iterations 2 --threads 1";
    let minimum = |options: &str| folder.ok(&format!("estimate {run} {options} --json")).figure("minimum");
    let [held, on_disk] = ["--model edge_map", "--values disk"].map(minimum);
    assert!(on_disk < held, "{on_disk} < {held}");
    let estimate = folder.ok(&format!("estimate {run} --memory {on_disk} --json")).json();
    assert_eq!((&estimate["model"], &estimate["values_on_disk"]), (&"interval".into(), &true.into()));
    assert_eq!(estimate["minimum"].as_u64(), Some(on_disk));
    let vertices = folder.ok("info g.outcrop --json").figure("vertices");
    assert_eq!(estimate["temporary_bytes"].as_u64(), Some(16 * vertices), "two numbers of 8 bytes each");
    let others = estimate["others"].as_array().unwrap();
    assert!(others.iter().any(|other| other["model"] == "edge_map" && other["minimum"].as_u64() == Some(held)));
    let ran = folder.ok(&format!("run {run} --memory {on_disk} --json"));
    assert!(ran.stderr.contains("vertex values do not fit in memory"), "{}", ran.stderr);
    let record = ran.json();
    assert_eq!((&record["model"], &record["values_on_disk"]), (&"interval".into(), &true.into()));
    assert!(ran.figure("memory_peak") <= on_disk && ran.figure("peak_rss") <= on_disk + (64 << 20), "{record}");
    // Where that is ruled out, the run is refused with what it takes.
    let message = folder.fails(&format!("run {run} --memory {on_disk} --model edge_map"), 4);
    assert!(message.contains(&format!("at least --memory {held}")), "{message}");
    folder.fails(&format!("run {run} --memory {on_disk} --values memory"), 4);
}

#[test]
fn the_estimate_shows_the_model_that_would_run() {
    let folder = folder_with_store();
    let text = |options: &str| folder.ok(&format!("estimate pagerank g.outcrop {options}")).stdout;
    assert!(text("").starts_with("model                 edge_map\n"), "{}", text(""));
    assert!(text("").contains("in interval, values on disk"), "{}", text(""));
    let on_disk = text("--values disk");
    assert!(on_disk.starts_with("model             interval, values on disk\n"), "{on_disk}");
    assert!(on_disk.contains("temporary files") && !on_disk.contains("edge_map"), "{on_disk}");
    assert_eq!(folder.ok("estimate kcore g.outcrop --json").json()["others"], Value::Array(vec![]));
}

#[test]
fn options_that_stand_against_each_other_are_refused() {
    let folder = folder_with_store();
    let refused = |run: &str, expected: &str| {
        let message = folder.fails(&format!("run {run}"), 2);
        assert!(message.contains(expected), "{run}: {message}");
    };
    refused("pagerank g.outcrop --model pull", "edge_map");
    refused("pagerank g.outcrop --values cloud", "auto, memory, disk");
    refused("kcore g.outcrop --model interval", "`kcore` does not support --model interval; use --model edge_map");
    refused("kcore g.outcrop --values disk", "`kcore` cannot keep values on disk");
    refused("pagerank g.outcrop --model edge_map --values disk", "`pagerank` cannot keep values on disk");
    refused(
        "pagerank g.outcrop --model interval --delta 0.1",
        "`pagerank` does not support --delta with --model interval",
    );
    refused("pagerank g.outcrop --values disk --delta 0.1", ", which --values disk needs");
    refused("wcc g.outcrop --model interval --method sweep", "`wcc` does not support --method with --model interval");
    refused("sssp g.outcrop --source 0 --model interval --bucket-width 3", "does not support --bucket-width");
    // What only one model takes is a choice of that model.
    let record = record(&folder, "wcc g.outcrop --method afforest");
    assert_eq!(record["model"], "edge_map");
}

#[test]
fn values_go_where_they_are_sent() {
    let folder = folder_with_store();
    let run = "wcc g.outcrop --values disk";
    let message = folder.fails(&format!("run {run} --tmp-dir absent"), 9);
    assert!(message.contains("absent"), "{message}");
    std::fs::create_dir(folder.path("there")).unwrap();
    folder.ok(&format!("run {run} --tmp-dir there"));
    assert_eq!(crate::driver::names_in(&folder.path("there")), Vec::<String>::new());
    // In memory it is not looked at.
    folder.ok("run wcc g.outcrop --model edge_map --tmp-dir absent");
}

#[test]
fn a_schedule_is_forced_and_told() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 10 --edge-factor 16 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --layout csr");
    let ways = |algorithm: &str, options: &str, key: &str| -> (Value, Vec<String>) {
        let run = folder
            .ok(&format!("run {algorithm} g.outcrop --page-cache 4KiB --json {options} -o {key}.csv --overwrite"));
        let record = run.json();
        let each = record["iterations_detail"].as_array().unwrap().iter();
        let mut access: Vec<_> = each.map(|one| one["access"].as_str().unwrap().to_owned()).collect();
        access.sort();
        access.dedup();
        (record["schedule"].clone(), access)
    };
    for algorithm in ["bfs --source 1", "sssp --source 1", "wcc --method label-propagation"] {
        for (way, access) in [("select", "select"), ("sweep", "sweep")] {
            let told = ways(algorithm, &format!("--schedule {way}"), way);
            assert_eq!(told, (Value::from(way), vec![access.to_owned()]), "{algorithm}");
        }
        assert_eq!(ways(algorithm, "", "auto").0, "auto");
        assert_eq!(folder.read("select.csv"), folder.read("sweep.csv"));
        assert_eq!(folder.read("select.csv"), folder.read("auto.csv"));
    }
}

#[test]
fn another_word_is_refused() {
    let folder = Folder::new();
    let ran = folder.run("run bfs g.outcrop --source 1 --schedule both");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("auto, select, sweep"), "{}", ran.stderr);
}
