//! Runs in the model of messages: their options, figures, and walks in every format.

use crate::driver::Folder;
use serde_json::Value;

/// A folder with a store whose vertices are in degree order.
fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 11 --edge-factor 8 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --order degree");
    folder
}

fn record(folder: &Folder, run: &str) -> Value {
    folder.ok(&format!("run {run} --json")).json()
}

/// Runs of what is only written in this model, and of messages that cannot be combined.
const RUNS: [&str; 4] = [
    "cdlp g.outcrop --max-iter 4 --model messages",
    "coloring g.outcrop --model messages",
    "mis g.outcrop --model messages",
    "walks g.outcrop --every 10",
];

#[test]
fn rows_are_those_of_edge_maps_however_messages_are_kept_and_delivered() {
    let folder = folder_with_store();
    let source = folder.rows("wcc g.outcrop")[0].split(',').next().unwrap().to_owned();
    for run in [format!("bfs g.outcrop --source {source} --columns all"), "wcc g.outcrop".to_owned()] {
        let expected = folder.rows(&format!("{run} --model edge_map"));
        for options in [
            "--model messages",
            "--model messages --values disk --threads 1",
            "--delivery async",
            "--delivery async --values disk --edge-log off",
            "--model messages --edge-log off",
        ] {
            assert!(folder.rows(&format!("{run} {options}")) == expected, "{run} {options}");
        }
    }
    assert_eq!(folder.names(), ["edges.bin", "g.outcrop"]);
}

#[test]
fn options_change_no_answer_of_what_is_only_written_with_messages() {
    let folder = folder_with_store();
    for run in RUNS {
        let expected = folder.rows(run);
        let on_disk = if run.starts_with("walks") { "" } else { "--values disk" };
        for options in [on_disk, "--threads 1", "--edge-log off", "--delivery sync"] {
            assert!(folder.rows(&format!("{run} {options}")) == expected, "{run} {options}");
        }
    }
}

#[test]
fn colors_are_those_of_edge_maps_on_any_schedule() {
    let folder = folder_with_store();
    let expected = folder.rows("coloring g.outcrop --model messages");
    for options in ["", "--threads 1", "--schedule select", "--schedule sweep"] {
        assert!(folder.rows(&format!("coloring g.outcrop {options}")) == expected, "{options}");
    }
    assert_eq!(record(&folder, "coloring g.outcrop")["model"], "edge_map");
}

#[test]
fn the_record_says_what_messages_did() {
    let folder = folder_with_store();
    for run in RUNS {
        let record = record(&folder, run);
        assert_eq!(record["model"], "messages", "{record}");
        let figure = |name: &str| record["messages"][name].as_u64().unwrap();
        assert!(figure("sent") > 0 && figure("delivered") > 0 && figure("computed") > 0, "{record}");
        assert!(figure("delivered") <= figure("sent") && figure("thin_pages") <= figure("pages"), "{record}");
        let expected = ["sync", "multi"].map(Value::from);
        assert_eq!([&record["messages"]["delivery"], &record["messages"]["log"]], expected.each_ref());
        assert_eq!(record["messages"]["edge_log"], true);
    }
    let chosen = record(&folder, "wcc g.outcrop --delivery async --edge-log off");
    let messages = &chosen["messages"];
    assert_eq!([&messages["delivery"], &messages["log"]], ["async", "multi"].map(Value::from).each_ref());
    assert_eq!(messages["edge_log"], false);
    assert_eq!(messages["logged_lists"], 0, "{messages}");
    assert_eq!(record(&folder, "wcc g.outcrop").get("messages"), None);
    folder.ok("run cdlp g.outcrop --model messages --report page.html");
    let page = folder.read("page.html");
    assert!(page.contains("<h2>Messages</h2>") && page.contains("messages sent"), "{page}");
}

#[test]
fn options_are_refused_where_they_make_no_sense() {
    let folder = folder_with_store();
    let refused = |run: &str, expected: &str| {
        let message = folder.fails(&format!("run {run}"), 2);
        assert!(message.contains(expected), "{run}: {message}");
    };
    refused("cdlp g.outcrop --delivery async", "`cdlp` does not support --delivery async: ");
    for stop in ["", "--delta 1e-3"] {
        let run = format!("pagerank g.outcrop {stop} --delivery async");
        refused(&run, "`pagerank` does not support --delivery async: ");
    }
    refused("kcore g.outcrop --delivery sync", "--delivery needs --model messages, which `kcore` does not support");
    refused("kcore g.outcrop --edge-log off", "--edge-log needs --model messages, which `kcore` does not support");
    refused("wcc g.outcrop --model edge_map --edge-log off", "`wcc` does not support --edge-log with --model edge_map");
    for option in ["--fuse off", "--log single"] {
        refused(&format!("wcc g.outcrop {option}"), "`wcc` has no option --");
    }
    refused("wcc g.outcrop --delivery never", "[possible values: sync, async]");
    refused("cdlp g.outcrop --model interval", "`cdlp` does not support --model interval; use --model edge_map");
    refused("kcore g.outcrop --model messages", "`kcore` does not support --model messages");
    refused("walks g.outcrop --values disk", "`walks` cannot keep values on disk");
    refused("walks g.outcrop --every 0", "--every");
    refused("walks g.outcrop --restart 1.5", "--restart");
    refused("walks g.outcrop --p 0", "--p");
    refused("walks g.outcrop --q=-1", "--q");
    refused("walks g.outcrop --source 0 --every 2", "--every");
    refused("bfs g.outcrop --source 0 --length 3", "`bfs` has no option --length");
}

/// The cells of a table of text.
fn cells(text: &str, separator: char) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(separator).map(str::to_owned).collect()).collect()
}

#[test]
fn walks_come_out_in_every_format() {
    let folder = folder_with_store();
    let run = "run walks g.outcrop --every 100 --length 5 --seed 3";
    for name in ["walks.csv", "walks.tsv", "walks.jsonl", "walks.npy", "walks.parquet"] {
        folder.ok(&format!("{run} -o {name}"));
    }
    let rows = cells(&folder.read("walks.csv"), ',');
    assert_eq!(rows[0], ["walk", "step", "node"]);
    assert!(rows.len() > 20, "{rows:?}");
    assert_eq!(cells(&folder.read("walks.tsv"), '\t'), rows);
    let objects: Vec<Vec<String>> = folder
        .read("walks.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| ["walk", "step", "node"].map(|name| row[name].to_string()).to_vec())
        .collect();
    assert_eq!(objects, rows[1..]);
    let array = std::fs::read(folder.path("walks.npy")).unwrap();
    let header = String::from_utf8_lossy(&array[..256]).into_owned();
    assert!(header.contains("[('walk', '<u4'), ('step', '<u4'), ('node', '<u8')]"), "{header}");
    assert!(header.contains(&format!("'shape': ({},)", rows.len() - 1)), "{header}");
    let last: Vec<u64> = rows.last().unwrap().iter().map(|cell| cell.parse().unwrap()).collect();
    let tail = [&(last[0] as u32).to_le_bytes()[..], &(last[1] as u32).to_le_bytes(), &last[2].to_le_bytes()].concat();
    assert!(array.ends_with(&tail));
    assert!(std::fs::read(folder.path("walks.parquet")).unwrap().starts_with(b"PAR1"));
    // On the terminal the first rows, as many as are asked for.
    let shown = cells(&folder.ok(&format!("{run} --top 4")).stdout, '\t');
    assert_eq!(shown, rows[..5]);
    assert_eq!(folder.ok(run).stdout.lines().count(), 11);
}

#[test]
fn walks_are_named_by_texts_where_ids_are() {
    let folder = Folder::new();
    folder.write("edges.txt", "a b\nb c\nd a\n");
    folder.ok("build edges.txt g.outcrop --order random --order-seed 4");
    let rows = folder.rows("walks g.outcrop --source d --source b --length 2");
    assert_eq!(rows, ["0,0,d", "0,1,a", "0,2,b", "1,0,b", "1,1,c"]);
    let message = folder.fails("run walks g.outcrop --every 1 -o walks.npy", 2);
    assert!(message.contains("column `node` has strings"), "{message}");
    folder.fails("run walks g.outcrop --source z", 2);
}

#[test]
fn the_same_seed_walks_the_same_walks() {
    let folder = folder_with_store();
    let rows = |options: &str| folder.rows(&format!("walks g.outcrop --every 50 {options}"));
    assert_eq!(rows(""), rows("--seed 1 --threads 1"));
    assert_eq!(rows(""), rows("--delivery async"));
    assert_ne!(rows(""), rows("--seed 2"));
    assert_ne!(rows(""), rows("--p 0.1 --q 8"));
}

#[test]
fn a_budget_that_does_not_hold_the_values_sends_them_to_disk() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 17 --edge-factor 2 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --ids dense");
    let run = "coloring g.outcrop --model messages --threads 1";
    let minimum = |options: &str| folder.ok(&format!("estimate {run} {options} --json")).figure("minimum");
    let [held, on_disk] = ["--values memory", "--values disk"].map(minimum);
    assert!(on_disk < held, "{on_disk} < {held}");
    let estimate = folder.ok(&format!("estimate {run} --memory {on_disk} --json")).json();
    assert_eq!((&estimate["model"], &estimate["values_on_disk"]), (&"messages".into(), &true.into()));
    let [vertices, edges] = ["vertices", "edges"].map(|name| folder.ok("info g.outcrop --json").figure(name));
    let room = estimate["temporary_bytes"].as_u64().unwrap();
    assert!(room >= 4 * vertices + 8 * 2 * edges, "{room}");
    let ran = folder.ok(&format!("run {run} --memory {on_disk} --json"));
    assert!(ran.stderr.contains("vertex values do not fit in memory: using --model messages"), "{}", ran.stderr);
    let record = ran.json();
    assert_eq!((&record["model"], &record["values_on_disk"]), (&"messages".into(), &true.into()));
    assert!(record["value_bytes_read"].as_u64().unwrap() > 0);
    assert!(ran.figure("memory_peak") <= on_disk && ran.figure("peak_rss") <= on_disk + (64 << 20));
    // A label along every edge, in both directions, is more than such a budget holds.
    let labels = folder
        .ok(&format!("run cdlp g.outcrop --model messages --threads 1 --memory {on_disk} --max-iter 2 --json"))
        .json();
    let figure = |name: &str| labels["messages"][name].as_u64().unwrap();
    assert_eq!(figure("sent"), figure("delivered"));
    assert!(figure("log_bytes_written") > 0 && figure("log_bytes_read") > 0, "{}", labels["messages"]);
    assert!(labels["bytes_written"].as_u64().unwrap() >= figure("log_bytes_written"));
    folder.fails(&format!("run {run} --memory {on_disk} --values memory"), 4);
    let rows = |options: &str| folder.rows(&format!("{run} {options}"));
    assert!(rows(&format!("--memory {on_disk}")) == rows(""));
}

#[test]
fn the_estimate_shows_messages_where_they_are_asked_for() {
    let folder = folder_with_store();
    let text = |run: &str| folder.ok(&format!("estimate {run}")).stdout;
    let labels = text("cdlp g.outcrop --model messages");
    assert!(labels.starts_with("model                 messages\n"), "{labels}");
    assert!(labels.contains("in messages, values on disk") && labels.contains("temporary files"), "{labels}");
    assert!(!text("pagerank g.outcrop").contains("messages"), "not where nobody asked for it");
    assert!(text("pagerank g.outcrop --model messages").starts_with("model                 messages\n"));
}

#[test]
fn messages_go_where_they_are_sent() {
    let folder = folder_with_store();
    let message = folder.fails("run cdlp g.outcrop --model messages --tmp-dir absent", 9);
    assert!(message.contains("absent"), "{message}");
    std::fs::create_dir(folder.path("there")).unwrap();
    folder.ok("run cdlp g.outcrop --values disk --tmp-dir there");
    assert_eq!(crate::driver::names_in(&folder.path("there")), Vec::<String>::new());
}
