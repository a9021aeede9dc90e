//! Runs on values of edges: shards of all kinds, their options and figures.

use crate::driver::Folder;
use serde_json::Value;

/// A folder with a weighted, directed store whose vertices are in degree order, and values for its vertices.
fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 11 --edge-factor 8 --weights 1..255 -o edges.bin");
    folder.write("start.txt", "0 1 1\n");
    folder.ok("build edges.bin start.txt g.outcrop --order degree");
    folder.write("values.csv", "node,value\n0,0.9\n1,0.25\n");
    folder
}

fn record(folder: &Folder, run: &str) -> Value {
    folder.ok(&format!("run {run} --json")).json()
}

/// A column of the rows of a run.
fn column(folder: &Folder, run: &str, column: usize) -> Vec<f64> {
    let number = |row: &String| row.split(',').nth(column).unwrap().parse().unwrap_or(f64::NAN);
    folder.rows(run).iter().map(number).collect()
}

/// What else the model is written for, and what is only written in it.
const RUNS: [&str; 3] = ["bfs g.outcrop --source 0 --columns all", "sssp g.outcrop --source 0", "wcc g.outcrop"];
const OWN: [&str; 2] =
    ["bp g.outcrop --vector values.csv --coupling 0.55", "heat g.outcrop --vector values.csv --iterations 8"];

/// All shards, early and late, delays and none, values of vertices in memory and on disk.
const OPTIONS: [&str; 8] = [
    "--model gas",
    "--model gas --values disk --threads 1",
    "--shards static",
    "--shards ads --updated-share 100% --delay-buffer 0",
    "--shards ads --values disk",
    "--shards ods --updated-share 1.0 --delay-buffer 64",
    "--updated-share 0%",
    "--shards edge-list --delay-buffer 1KiB",
];

#[test]
fn rows_are_those_of_edge_maps_whatever_shards_there_are() {
    let folder = folder_with_store();
    for run in RUNS {
        let expected = folder.rows(&format!("{run} --model edge_map"));
        for options in OPTIONS {
            assert!(folder.rows(&format!("{run} {options}")) == expected, "{run} {options}");
        }
    }
    assert_eq!(folder.names(), ["edges.bin", "g.outcrop", "start.txt", "values.csv"]);
}

#[test]
fn ranks_are_those_of_edge_maps_but_for_rounding_and_what_is_kept_back() {
    let folder = folder_with_store();
    let expected = column(&folder, "pagerank g.outcrop --iterations 20 --model edge_map", 1);
    let apart = |run: &str| -> f64 {
        column(&folder, run, 1).iter().zip(&expected).map(|(one, other)| (one - other).abs()).sum()
    };
    for options in OPTIONS {
        let exactly = apart(&format!("pagerank g.outcrop --iterations 20 {options}"));
        assert!(exactly < 1e-12, "{options}: {exactly}");
        let changes = apart(&format!("pagerank g.outcrop --delta 1e-6 --tol 1e-9 --max-iter 400 {options}"));
        assert!(changes < 1e-4, "{options}: {changes}");
    }
}

#[test]
fn beliefs_and_temperatures_are_the_same_whatever_shards_there_are() {
    let folder = folder_with_store();
    let expected = OWN.map(|run| column(&folder, &format!("{run} --shards static"), 1));
    let differ = |run: &str, expected: &[f64]| {
        let found = column(&folder, run, 1);
        found.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
    };
    for options in OPTIONS {
        if !options.contains("edge-list") {
            let beliefs = differ(&format!("{} {options}", OWN[0]), &expected[0]);
            assert!(beliefs < 1e-4, "{options}: {beliefs}");
        }
        // With a buffer, temperatures would be those of earlier steps.
        if !options.contains("--delay-buffer") {
            let temperatures = differ(&format!("{} {options}", OWN[1]), &expected[1]);
            assert!(temperatures < 1e-12, "{options}: {temperatures}");
        }
    }
    let total: f64 = column(&folder, OWN[1], 1).iter().sum();
    assert!((total - 1.15).abs() < 1e-9, "no heat is lost: {total}");
}

#[test]
fn the_record_says_what_shards_did() {
    let folder = folder_with_store();
    for run in OWN {
        let record = record(&folder, &format!("{run} --model gas"));
        assert_eq!(record["model"], "gas", "{record}");
        let gas = &record["gas"];
        let figure = |name: &str| gas[name].as_u64().unwrap();
        assert!(figure("arcs") > 0 && figure("intervals") > 0 && figure("prepared_bytes") > 0, "{gas}");
        assert!(record["bytes_written"].as_u64().unwrap() >= figure("prepared_bytes"), "{record}");
        let steps = gas["steps"].as_array().unwrap();
        assert_eq!(steps.iter().filter(|step| step["shadow"] == true).count() as u64, figure("shadows"), "{gas}");
        assert_eq!(
            steps.iter().filter(|step| step["shadow"] == false).count(),
            record["iterations_detail"].as_array().unwrap().len()
        );
        let kind = if run == OWN[0] { "static" } else { "ods" };
        assert_eq!([&gas["shards"], &gas["updated_share"]], [&Value::from(kind), &Value::from(0.15)]);
    }
    let buffer = |run: &str| record(&folder, run)["gas"]["delay_buffer"].as_u64().unwrap();
    assert_eq!(OWN.map(|run| buffer(&format!("{run} --model gas"))), [100 << 10, 0]);
    assert_eq!(buffer("pagerank g.outcrop --model gas --iterations 2"), 0);
    assert_eq!(buffer("pagerank g.outcrop --model gas --delta 0.01"), 100 << 10);
    let chosen = record(&folder, "wcc g.outcrop --shards ads --updated-share 45% --delay-buffer 2KiB");
    let gas = &chosen["gas"];
    assert_eq!(gas["shards"], "ads", "{gas}");
    assert_eq!([&gas["updated_share"], &gas["delay_buffer"]], [&Value::from(0.45), &Value::from(2048)]);
    assert!(record(&folder, "wcc g.outcrop --shards static")["gas"]["steps"].as_array().unwrap().len() > 2);
    assert_eq!(record(&folder, "wcc g.outcrop").get("gas"), None);
    folder.ok(&format!("run {} --report page.html", OWN[0]));
    let page = folder.read("page.html");
    for text in ["<h2>Shards</h2>", "Shadow iterations", "updated arcs", "delay buffer"] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn a_record_with_shards_becomes_the_same_page_again() {
    let folder = folder_with_store();
    let printed = folder.ok(&format!("run {} --json --report first.html", OWN[0])).stdout;
    folder.write("record.json", printed);
    folder.ok("report record.json -o second.html");
    assert!(folder.read("first.html") == folder.read("second.html"));
}

#[test]
fn options_are_refused_where_they_make_no_sense() {
    let folder = folder_with_store();
    let refused = |run: &str, expected: &str| {
        let message = folder.fails(&format!("run {run}"), 2);
        assert!(message.contains(expected), "{run}: {message}");
    };
    // Where all neighbors count together, and what to use.
    for run in ["coloring g.outcrop --model gas", "coloring g.outcrop --shards ads", "cdlp g.outcrop --model gas"] {
        refused(run, "depends on the");
        refused(run, "no aggregation function");
        refused(run, "--model messages");
    }
    refused("mis g.outcrop --model gas", "`mis` does not support --model gas; use --model edge_map");
    refused("kcore g.outcrop --shards ods", "--shards needs --model gas, which `kcore` does not support");
    refused(
        "wcc g.outcrop --model edge_map --delay-buffer 0",
        "`wcc` does not support --delay-buffer with --model edge_map",
    );
    refused(
        "wcc g.outcrop --model interval --updated-share 30%",
        "`wcc` does not support --updated-share with --model interval",
    );
    refused("wcc g.outcrop --model gas --delivery async", "`wcc` does not support --delivery with --model gas");
    refused("wcc g.outcrop --model gas --method sweep", "`wcc` does not support --method with --model gas");
    refused("wcc g.outcrop --shards grid", "[possible values: auto, static, ads, ods, edge-list]");
    refused("wcc g.outcrop --updated-share 101%", "must be a fraction such as 30% or 0.3");
    refused("wcc g.outcrop --updated-share many", "must be a fraction such as 30% or 0.3");
    refused("wcc g.outcrop --delay-buffer 50%", "must be a size such as 100KiB, or 0");
    refused("bp g.outcrop", "`bp` needs --vector");
    refused("heat g.outcrop", "`heat` needs --vector");
    refused("bp g.outcrop --vector values.csv --shards edge-list", "`bp` does not support --shards edge-list");
    refused(
        "bp g.outcrop --vector values.csv --model messages",
        "`bp` does not support --model messages; use --model gas",
    );
    refused("bp g.outcrop --vector values.csv --coupling 1", "--coupling must be a number above 0 and below 1");
    refused("bp g.outcrop --vector values.csv --damping 1", "--damping must be a number at least 0 and below 1");
    refused("bp g.outcrop --vector values.csv --rate 0.1", "`bp` has no option --rate");
    refused("heat g.outcrop --vector values.csv --rate 0", "--rate must be a number above 0");
    refused("heat g.outcrop --vector values.csv --rate 0.9", "the largest stable rate of this graph is 0.0");
    refused("wcc g.outcrop --coupling 0.6", "`wcc` has no option --coupling");
}

#[test]
fn values_that_vertices_must_not_begin_with_are_told_with_their_place() {
    let folder = folder_with_store();
    let refused = |run: &str, text: &str, expected: &str| {
        folder.write("wrong.csv", text);
        let message = folder.fails(&format!("run {run} g.outcrop --vector wrong.csv"), 3);
        assert!(message.contains(expected), "{run}: {message}");
    };
    refused("bp", "0,0.5\n1,1.5\n", "wrong.csv:2:1: the value of 1 is not a probability, from 0 to 1");
    refused("bp", "0,-0.1\n", "is not a probability");
    refused("bp", "0,nan\n", "wrong.csv:1:3");
    refused("heat", "1,1e300\n", "the value of 1 exceeds the largest temperature, 1e290");
}

#[test]
fn beliefs_that_do_not_settle_are_no_result() {
    let folder = folder_with_store();
    let ran = folder.run("run bp g.outcrop --vector values.csv --max-iter 2 -o beliefs.csv");
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert!(
        folder.read("beliefs.csv").starts_with("node,belief\n"),
        "those of the last iteration are written all the same"
    );
}

#[test]
fn the_estimate_shows_shards_where_they_are_asked_for_or_all_that_there_is() {
    let folder = folder_with_store();
    let text = |run: &str| folder.ok(&format!("estimate {run}")).stdout;
    let beliefs = text("bp g.outcrop");
    assert!(beliefs.starts_with("model                      gas\n"), "{beliefs}");
    assert!(beliefs.contains("in gas, values on disk") && beliefs.contains("temporary files"), "{beliefs}");
    assert!(!text("pagerank g.outcrop").contains("gas"), "not where nobody asked for it");
    assert!(text("pagerank g.outcrop --model gas").starts_with("model                      gas\n"));
    let json = folder.ok("estimate heat g.outcrop --model gas --json").json();
    let arcs = record(&folder, &format!("{} --model gas", OWN[1]))["gas"]["arcs"].as_u64().unwrap();
    assert!(json["temporary_bytes"].as_u64().unwrap() >= 2 * 8 * arcs, "{json}");
}

/// With the least memory values of edges are in files, whose room is given back.
#[test]
fn the_least_memory_is_enough_and_a_byte_less_is_not() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 15 --edge-factor 8 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --ids dense");
    std::fs::create_dir(folder.path("there")).unwrap();
    folder.write("values.csv", "0,0.9\n1,0.25\n");
    for run in ["bp g.outcrop --vector values.csv --coupling 0.55 --threads 1", "wcc g.outcrop --model gas --threads 1"]
    {
        // With less memory there are more intervals, which need less.
        let least = folder.ok(&format!("estimate {run} --memory 1 --json")).figure("minimum");
        let ran = folder.ok(&format!("run {run} --memory {least} --tmp-dir there --json"));
        let record = ran.json();
        assert!(ran.figure("memory_peak") <= least && ran.figure("peak_rss") <= least + (64 << 20), "{record}");
        let written = record["gas"]["bytes_written"].as_u64().unwrap();
        assert!(written > 0 || !run.starts_with("bp"), "messages of that many edges do not fit: {record}");
        folder.fails(&format!("run {run} --memory {}", least - 1), 4);
        assert_eq!(crate::driver::names_in(&folder.path("there")), Vec::<String>::new());
    }
    let message = folder.fails("run wcc g.outcrop --model gas --tmp-dir absent", 9);
    assert!(message.contains("absent"), "{message}");
}

/// Changes beside the lists are in the shards.
#[test]
fn edges_that_were_added_and_removed_count() {
    let folder = Folder::new();
    folder.write("edges.el", "0 1\n1 2\n3 4\n");
    folder.write("more.el", "2 3\n");
    folder.write("gone.el", "0 1\n");
    folder.ok("build edges.el g.outcrop --ids dense");
    folder.ok("update g.outcrop --add more.el --remove gone.el --merge-above never");
    for options in OPTIONS {
        let rows = folder.rows(&format!("wcc g.outcrop {options}"));
        assert_eq!(rows, ["0,0", "1,1", "2,1", "3,1", "4,1"], "{options}");
    }
}
