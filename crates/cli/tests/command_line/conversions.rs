//! Another layout for the lists of a store, and the tables that compare layouts.

use crate::driver::Folder;
use serde_json::Value;

/// Stores whose graphs have every kind: weights, no directions, repeated edges, ids of their own, another order.
const BUILDS: [&str; 3] = [
    "build edges.bin first.outcrop",
    "build edges.bin first.outcrop --undirected --order degree",
    "build weighted.tsv first.outcrop --weighted",
];

/// Layouts to go to, from each of which the graph must come out the same.
const LAYOUTS: [&str; 12] = [
    "--layout csr",
    "--layout csr --page-size 512",
    "--layout csr --page-size 64KiB",
    "--layout chunked",
    "--layout compact",
    "--layout compact --codec alternating",
    "--layout sliding",
    "--layout sliding --intervals 7",
    "--codec raw32 --index direct --chunk-sizes 4KiB,8KiB",
    "--straddle --mini-degree 1",
    "--placement reordered",
    "--placement reordered --index direct --codec raw32 --no-combine --chunk-sizes 4KiB",
];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 9 --edge-factor 8 -o edges.bin");
    let line = |i: u64| format!("n{}\tn{}\t{}\n", i * i % 301, i * 7 % 299, i % 13);
    folder.write("weighted.tsv", (0..4000).map(line).collect::<String>());
    folder
}

fn answers(folder: &Folder, store: &str) -> Vec<String> {
    let runs =
        ["wcc", "kcore", "triangles", "bfs --source 3", "sssp --source 3 --method bellman-ford", "radii --sources 3"];
    let source = if folder.ok("info first.outcrop").stdout.contains("ids          text") { "n3" } else { "3" };
    let run = |arguments: &&str| {
        let (algorithm, options) = arguments.split_once(' ').unwrap_or((arguments, ""));
        let options = options.replace("--source 3", &format!("--source {source}"));
        folder.ok(&format!("run {algorithm} {store} {options} -o out.csv --overwrite"));
        folder.read("out.csv")
    };
    runs.iter().map(run).collect()
}

#[test]
fn a_graph_is_the_same_in_any_layout_and_back() {
    let folder = folder();
    for build in BUILDS {
        folder.ok(&format!("{build} --overwrite"));
        let expected = answers(&folder, "first.outcrop");
        for layout in LAYOUTS {
            folder.ok(&format!("convert first.outcrop second.outcrop --overwrite {layout}"));
            folder.ok("check second.outcrop");
            assert!(answers(&folder, "second.outcrop") == expected, "{build}, {layout}");
            folder.ok("convert second.outcrop third.outcrop --overwrite --layout chunked --memory 64MiB");
            folder.ok("check third.outcrop");
            assert!(answers(&folder, "third.outcrop") == expected, "{build}, {layout} and back");
        }
    }
}

#[test]
fn what_was_chosen_when_the_store_was_built_is_kept() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop --order degree --dedup first --self-loops drop");
    folder.ok("convert first.outcrop second.outcrop --layout csr");
    let of = |store: &str| folder.ok(&format!("info {store} --json")).json();
    let (one, other) = (of("first.outcrop"), of("second.outcrop"));
    for key in ["vertices", "edges", "directed", "weighted", "ids", "order", "dedup", "self_loops"] {
        assert_eq!(one[key], other[key], "{key}");
    }
    assert_ne!(one["uuid"], other["uuid"]);
    assert_eq!((&one["layouts"][0]["layout"], &other["layouts"][0]["layout"]), (&"chunked".into(), &"csr".into()));
}

#[test]
fn the_size_of_pages_is_kept_and_told() {
    let folder = Folder::new();
    // The vertices of a frontier lie farther apart than reads are merged.
    folder.ok("generate grid --rows 10 --columns 3000 -o edges.bin");
    folder.ok("build edges.bin first.outcrop --undirected --layout csr --page-size 512B");
    for (size, bytes, words) in [("", 4096, "4.00 KiB"), ("--page-size 8KiB", 8192, "8.00 KiB")] {
        folder.ok(&format!("convert first.outcrop second.outcrop --overwrite --layout csr {size}"));
        assert_eq!(folder.ok("info second.outcrop --json").json()["layouts"][0]["page_bytes"], bytes);
        assert!(folder.ok("info second.outcrop").stdout.contains(&format!("pages of {words}")));
        let read = |store: &str| {
            let options = "--page-cache 0 --io pread --json";
            folder.ok(&format!("run bfs {store} --source 0 {options}")).figure("bytes_read")
        };
        let (small, large) = (read("first.outcrop"), read("second.outcrop"));
        // Less by far where sectors can be read, and the same where the file system reads whole pages only.
        assert!(small > 0 && small <= large, "{size}: {small} {large}");
    }
}

#[test]
fn built_in_another_placement_is_the_same_as_converted() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    folder.ok("build edges.bin second.outcrop --placement reordered");
    assert_eq!(
        folder.ok("info second.outcrop --json").json()["layouts"][0]["chunks"]["settings"]["placement"],
        "reordered"
    );
    assert!(answers(&folder, "first.outcrop") == answers(&folder, "second.outcrop"));
    let by_vertex = |name: &str| {
        folder.ok(&format!("run pagerank second.outcrop --iterations 3 --dense-access {name} -o {name}.csv"));
        folder.read(&format!("{name}.csv"))
    };
    assert!(by_vertex("chunk") == by_vertex("vertex"));
    let left: Vec<_> = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("tmp-")), "{left:?}");
}

#[test]
fn what_cannot_be_converted_is_refused_and_leaves_nothing() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop --layout csr");
    folder.ok("convert first.outcrop second.outcrop");
    let refused = |command: &str, code: i32, part: &str| {
        let ran = folder.run(command);
        assert!(ran.code == Some(code) && ran.stderr.contains(part), "{command}: {ran:?}");
    };
    refused("convert first.outcrop second.outcrop", 2, "exists already");
    refused("convert nothing.outcrop third.outcrop", 9, "manifest.json");
    refused("convert first.outcrop third.outcrop --placement reordered", 2, "convert it to --layout chunked first");
    refused("convert second.outcrop third.outcrop --memory 1MiB", 4, "needs at least");
    refused(
        "convert second.outcrop third.outcrop --layout csr --codec raw32",
        2,
        "goes with --layout chunked or compact",
    );
    refused("convert first.outcrop third.outcrop --page-size 8KiB", 2, "--page-size goes with --layout csr");
    for size in ["0", "256", "1000", "12KiB", "128KiB", "5GiB"] {
        let command = format!("convert second.outcrop third.outcrop --layout csr --page-size {size}");
        refused(&command, 2, "expected a power of two from 512 to 65536 bytes");
    }
    refused("convert first.outcrop third.outcrop --intervals 5", 2, "--intervals goes with --layout sliding");
    refused("convert first.outcrop third.outcrop --layout sliding --intervals 1025", 2, "1..=1024");
    refused("build edges.bin second.outcrop --placement reordered", 2, "exists already");
    refused("run wcc second.outcrop --layout csr", 2, "laid out as chunked, not csr");
    assert!(!folder.path("third.outcrop").exists());
}

#[test]
fn the_tables_of_chunkgraph_name_every_technique() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    std::fs::create_dir(folder.path("work")).unwrap();
    let options = "--work work --source 3 --repeat 1 --algorithms bfs,pagerank,kcore";
    let text = folder.ok(&format!("bench chunkgraph first.outcrop {options}")).stdout;
    let measured = folder.ok(&format!("bench chunkgraph first.outcrop {options} --json")).stdout;
    let measured: Value = serde_json::from_str(&measured).unwrap();
    let measured = measured.as_array().unwrap();
    assert_eq!(measured.len(), 7);
    for variant in measured {
        assert!(text.contains(&format!("| {} |", variant["variant"].as_str().unwrap())), "{text}");
        let ranks = variant["runs"].as_array().unwrap().iter().find(|run| run["algorithm"] == "pagerank").unwrap();
        assert!(ranks["accesses"].as_u64() > Some(0) && ranks["bytes_read"].as_u64() > Some(0), "{variant}");
    }
    assert_eq!(std::fs::read_dir(folder.path("work")).unwrap().count(), 0);
}

#[test]
fn the_tables_of_losc_compare_layouts_models_and_schedules() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    std::fs::create_dir(folder.path("work")).unwrap();
    let tables = "--tables table4,fig8,fig9,fig11,fig12,fig15";
    let text = folder.ok(&format!("bench losc first.outcrop --work work --source 3 --repeat 1 {tables}")).stdout;
    for part in ["Table 4", "Figure 8", "Figures 9 and 10", "Figure 11", "Figure 12", "Figure 13", "Figure 15"] {
        assert!(text.contains(&format!("## {part}")), "{part}: {text}");
    }
    for row in ["interval, compact (LOSC)", "compact, alternating", "from dual shards (LOSC)", "sweep", "1 thread"] {
        assert!(text.contains(&format!("| {row} |")), "{row}: {text}");
    }
    assert_eq!(std::fs::read_dir(folder.path("work")).unwrap().count(), 0);
}

#[test]
fn the_figures_of_multilog_are_made_of_all_applications() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop --layout csr");
    let text = folder.ok("bench multilog first.outcrop --source 3 --supersteps 4 --memory 32MiB").stdout;
    for figure in [2, 3, 5, 6, 7, 8, 9, 10] {
        assert!(text.contains(&format!("## Figure {figure}\n")), "{figure}: {text}");
    }
    for application in ["bfs", "pagerank", "cdlp", "coloring", "mis", "walks"] {
        assert!(text.matches(&format!("| {application} |")).count() >= 5, "{application}: {text}");
    }
}

#[test]
fn the_figures_of_dynamic_shards_compare_all_kinds_of_shards() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    let text = folder.ok("bench dynamic-shards first.outcrop --source 3,5 --iterations 12").stdout;
    for part in ["Table 4", "Figure 3", "Figure 6", "Figure 7", "Figure 8", "Figure 9"] {
        assert!(text.contains(&format!("## {part}\n")), "{part}: {text}");
    }
    for algorithm in ["pagerank", "bp", "heat", "sssp", "wcc"] {
        assert_eq!(text.matches(&format!("\n| {algorithm} |")).count(), 4, "{algorithm}: {text}");
    }
    let options = "--algorithms sssp,wcc --tables table4,fig7 --memory 64MiB --delay-buffer 0 --repeat 3 --json";
    let sections = folder.ok(&format!("bench dynamic-shards first.outcrop --source 3 {options}")).stdout;
    let sections: Value = serde_json::from_str(&sections).unwrap();
    let rows = |section: usize, table: usize| sections[section]["tables"][table]["rows"].as_array().unwrap().clone();
    assert_eq!(rows(0, 0).iter().map(|row| row[0].as_str().unwrap()).collect::<Vec<_>>(), ["sssp", "wcc"]);
    for algorithm in 0..2 {
        let kinds: Vec<_> = rows(1, algorithm).iter().map(|row| row[0].as_str().unwrap().to_owned()).collect();
        assert_eq!(kinds, ["static", "ads", "ods", "edge-list"]);
        // Without delays iterations are those of static shards.
        let cells = rows(0, 0)[algorithm][1].as_array().unwrap().clone();
        let iterations =
            |cell: &Value| cell.as_str().unwrap().split(", ").nth(1).unwrap().split(" + ").next().unwrap().to_owned();
        assert!(cells[..4].iter().all(|cell| iterations(cell) == iterations(&cells[0])), "{cells:?}");
    }
    assert_eq!(folder.names().iter().filter(|name| name.contains("tmp")).count(), 0);
}

#[test]
fn both_ways_of_construction_fill_the_same_arrays() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    let entries = |way: &str, rounds: u64| {
        let record = folder.ok(&format!("bench construct first.outcrop --from {way} --rounds {rounds}")).stdout;
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(record["seconds"].as_array().map(Vec::len), Some(usize::try_from(rounds).unwrap()));
        record["entries"].as_u64().unwrap()
    };
    assert!(entries("dual-shards", 2) > 0);
    assert_eq!(entries("dual-shards", 1), entries("sliding-windows", 1));
    assert_eq!(entries("sliding-windows", 0), entries("sliding-windows", 1));
}
