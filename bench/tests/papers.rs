//! The tables of the papers, made by the built command of a graph generated for the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what these tests set up must work")]

use outcrop::{
    BuildRequest, Cancellation, CsrSettings, EdgeInput, Kronecker, Layout, Silent, StoreForm, WeightDistribution,
    build, generate,
};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A folder with a weighted Kronecker graph in `graph.outcrop` and an empty folder `work`.
struct Folder(TempDir);

impl Folder {
    fn new(layout: Layout) -> Self {
        let folder = Self(TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        let weights: WeightDistribution = "1..9".parse().unwrap();
        let edges = Kronecker::new(9, 8, 1, Some(weights)).unwrap();
        generate(&edges, &folder.path("edges.bin"), false, &Cancellation::new(), &Silent).unwrap();
        let edges = vec![EdgeInput::from(folder.path("edges.bin"))];
        let request = BuildRequest {
            form: StoreForm { layout, ..StoreForm::default() },
            ..BuildRequest::new(edges, folder.path("graph.outcrop"))
        };
        build(&request, &Cancellation::new(), &Silent).unwrap();
        std::fs::create_dir(folder.path("work")).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command with these arguments.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outcrop-bench"));
        command.current_dir(self.0.path()).env("XDG_CACHE_HOME", self.path("no-cache"));
        command.args(arguments.split_whitespace());
        command
    }

    /// Output of the command, which leaves nothing behind.
    fn ok(&self, arguments: &str) -> String {
        let ran = self.command(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments}: {}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(std::fs::read_dir(self.path("work")).unwrap().count(), 0, "{arguments}");
        String::from_utf8(ran.stdout).unwrap()
    }

    /// The same as JSON.
    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.ok(arguments)).unwrap()
    }
}

/// Makes sure that all of the sections and rows are there.
fn has(text: &str, sections: &[&str], rows: &[&str]) {
    for section in sections {
        assert!(text.contains(&format!("## {section}")), "{section}: {text}");
    }
    for row in rows {
        assert!(text.contains(&format!("\n| {row} |")), "{row}: {text}");
    }
}

fn rows(printed: &Value, section: usize, table: usize) -> &Vec<Value> {
    printed["sections"][section]["tables"][table]["rows"].as_array().unwrap()
}

#[test]
fn chunkgraph_has_every_technique() {
    let folder = Folder::new(Layout::default());
    let options = "--work work --source 4 --algorithms bfs,pagerank,kcore";
    let text = folder.ok(&format!("chunkgraph graph.outcrop {options}"));
    has(&text, &["Figure 11"], &["csr", "+I", "+IC", "+ICL", "+ICLA", "combined", "default"]);
    let printed = folder.json(&format!("chunkgraph graph.outcrop {options} --json"));
    assert_eq!((0..5).map(|table| rows(&printed, 0, table).len()).collect::<Vec<_>>(), [7; 5]);
    let runs = printed["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 7 * 3);
    for run in runs.iter().filter(|run| run["algorithm"] == "pagerank") {
        assert!(run["cache_misses"].as_u64() > Some(0) && run["bytes_read"].as_u64() > Some(0), "{run}");
    }
}

#[test]
fn basc_has_every_figure() {
    let folder = Folder::new(Layout::Csr(CsrSettings { page_bytes: 8192 }));
    let figures = "fig1,fig2,fig5,fig6,fig7,fig9,fig10,fig11,fig13";
    let options = "--work work --source 4 --algorithms bfs,wcc --days 2";
    let text = folder.ok(&format!("basc graph.outcrop {options} --tables {figures}"));
    let sections = [
        "Figure 1,",
        "Figure 2\n",
        "Figure 5,",
        "Figures 6 and 8,",
        "Figure 7,",
        "Figure 9,",
        "Figure 10",
        "Figure 11",
        "Figure 12",
    ];
    let rows = [
        "page cache 5%",
        "static 90%",
        "gvs-lowest",
        "observed",
        "norder, gvs",
        "gvs, one by one",
        "with gvs, pages of 512 B",
    ];
    has(&text, &sections, &rows);
    has(&text, &["Figure 13"], &["norder", "0", "1", "2"]);
}

/// Days change the copy of a store and nothing else.
#[test]
fn the_graph_changes_under_a_selection() {
    let folder = Folder::new(Layout::Csr(CsrSettings { page_bytes: 512 }));
    let manifest = || std::fs::read(folder.path("graph.outcrop/manifest.json")).unwrap();
    let before = manifest();
    let printed = folder.json("basc graph.outcrop --work work --source 4 --tables fig9 --days 3 --json");
    let edges: Vec<u64> = rows(&printed, 0, 0).iter().map(|row| count(&row[1][0])).collect();
    assert!(edges.len() == 4 && edges[0] < edges[1] && edges[1] < edges[3], "{edges:?}");
    assert!(rows(&printed, 0, 0).iter().all(|row| row[1][5].as_str().unwrap().ends_with('%')), "{printed}");
    assert_eq!(before, manifest());
}

fn count(cell: &Value) -> u64 {
    cell.as_str().unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn tables_before_one_that_fails_are_printed() {
    let folder = Folder::new(Layout::default());
    // Without a path, valgrind is not found.
    let losc = |tables: &str| {
        let mut command = folder.command(&format!("losc graph.outcrop --work work --source 4 --tables {tables}"));
        let ran = command.env("PATH", "").output().unwrap();
        assert!(!ran.status.success() && String::from_utf8_lossy(&ran.stderr).contains("valgrind"), "{ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    has(&losc("fig8,table5"), &["Figure 8"], &["csr", "chunked"]);
    assert_eq!(losc("table5,fig8"), "");
}

#[test]
fn algorithms_before_one_that_fails_are_in_the_tables() {
    let folder = Folder::new(Layout::default());
    // Only the second algorithm needs the source, which is not in the graph.
    let options = "--source 999999 --algorithms wcc,sssp --tables table4";
    let ran = folder.command(&format!("dynamic-shards graph.outcrop {options}")).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(!ran.status.success(), "{text}");
    has(&text, &["Table 4"], &["wcc"]);
}

#[test]
fn losc_compares_layouts_models_and_schedules() {
    let folder = Folder::new(Layout::default());
    let tables = "--tables table4,fig8,fig9,fig11,fig12,fig15";
    let text = folder.ok(&format!("losc graph.outcrop --work work --source 4 {tables}"));
    let sections = ["Table 4", "Figure 8", "Figures 9 and 10", "Figure 11", "Figure 12", "Figure 13", "Figure 15"];
    let rows = ["interval, compact (LOSC)", "compact, alternating", "from dual shards (LOSC)", "sweep", "1 thread"];
    has(&text, &sections, &rows);
}

#[test]
fn multilog_has_all_applications() {
    let folder = Folder::new(Layout::Csr(CsrSettings::default()));
    let text = folder.ok("multilog graph.outcrop --source 4 --supersteps 4 --memory 32MiB");
    for figure in [2, 3, 5, 6, 7, 8, 9, 10] {
        assert!(text.contains(&format!("## Figure {figure}\n")), "{figure}: {text}");
    }
    for application in ["bfs", "pagerank", "cdlp", "coloring", "mis", "walks"] {
        assert!(text.matches(&format!("| {application} |")).count() >= 5, "{application}: {text}");
    }
}

#[test]
fn dynamic_shards_compares_all_kinds_of_shards() {
    let folder = Folder::new(Layout::default());
    let text = folder.ok("dynamic-shards graph.outcrop --source 4,5 --iterations 12");
    has(&text, &["Table 4\n", "Figure 3\n", "Figure 6\n", "Figure 7\n", "Figure 8\n", "Figure 9\n"], &[]);
    for algorithm in ["pagerank", "bp", "heat", "sssp", "wcc"] {
        assert_eq!(text.matches(&format!("\n| {algorithm} |")).count(), 4, "{algorithm}: {text}");
    }
    let options = "--algorithms sssp,wcc --tables table4,fig7 --memory 64MiB --delay-buffer 0 --repeat 3 --json";
    let printed = folder.json(&format!("dynamic-shards graph.outcrop --source 4 {options}"));
    assert_eq!(rows(&printed, 0, 0).iter().map(|row| row[0].as_str().unwrap()).collect::<Vec<_>>(), ["sssp", "wcc"]);
    for algorithm in 0..2 {
        let kinds: Vec<_> = rows(&printed, 1, algorithm).iter().map(|row| row[0].as_str().unwrap()).collect();
        assert_eq!(kinds, ["static", "ads", "ods", "edge-list"]);
        // Without delays iterations are those of static shards.
        let cells = rows(&printed, 0, 0)[algorithm][1].as_array().unwrap();
        let iterations =
            |cell: &Value| cell.as_str().unwrap().split(", ").nth(1).unwrap().split(" + ").next().unwrap().to_owned();
        assert!(cells[..4].iter().all(|cell| iterations(cell) == iterations(&cells[0])), "{cells:?}");
    }
}

#[test]
fn defaults_are_compared_with_every_alternative() {
    let text = Folder::new(Layout::default()).ok("defaults graph.outcrop --source 4 --work work");
    for without in
        ["--schedule sweep: bfs", "--shards static: wcc --model gas", "--layout csr: sssp", "--order original: bfs"]
    {
        assert!(text.contains(&format!("\n| {without} |")), "{without}: {text}");
    }
}

#[test]
fn both_constructions_fill_the_same_arrays() {
    let folder = Folder::new(Layout::default());
    let entries = |from: &str, rounds: u64| {
        let record = folder.json(&format!("construct graph.outcrop --from {from} --rounds {rounds}"));
        assert_eq!(record["seconds"].as_array().map(Vec::len), Some(usize::try_from(rounds).unwrap()));
        record["entries"].as_u64().unwrap()
    };
    assert!(entries("dual-shards", 2) > 0);
    assert_eq!(entries("dual-shards", 1), entries("sliding-windows", 1));
    assert_eq!(entries("sliding-windows", 0), entries("sliding-windows", 1));
}
