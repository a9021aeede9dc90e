//! Selections of lists that runs hold in memory: `outcrop cache`, and runs with what it selected.

use crate::driver::{Folder, RUNS, names_in};
use serde_json::{Value, json};

const LAYOUTS: [&str; 3] = ["--layout csr", "--layout chunked", "--layout chunked --codec raw32 --undirected"];

fn folder_with_store(options: &str) -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 11 --edge-factor 12 --seed 3 -o edges.bin");
    folder.ok(&format!("build edges.bin g.outcrop --ids dense {options}"));
    folder
}

fn selections(folder: &Folder, options: &str) -> Vec<Value> {
    let ran = folder.ok(&format!("cache g.outcrop --keep --json {options}"));
    ran.json()["selections"].as_array().unwrap().clone()
}

#[test]
fn a_selection_holds_about_what_was_asked_for_and_replaces_the_one_before() {
    for layout in LAYOUTS {
        let folder = folder_with_store(layout);
        let before = names_in(&folder.path("g.outcrop"));
        let whole = folder.ok("info g.outcrop --json").json()["layouts"][0]["bytes"].as_u64().unwrap();
        let mut bytes = Vec::new();
        for select in ["gvs", "gvs --rounds 4", "gvs --rounds each", "observed", "observed --seed 2"] {
            for selection in selections(&folder, &format!("--size 30% --select {select}")) {
                let name = select.split(' ').next().unwrap();
                assert_eq!(selection["method"], json!(name));
                assert!(selection["lists"].as_u64().unwrap() > 0);
                let selected = selection["bytes"].as_u64().unwrap();
                assert!(selected <= whole * 3 / 10, "{layout} {select}: {selected} of {whole}");
                assert!(selected >= whole / 10, "{layout} {select}: {selected} of {whole}");
                bytes.push(selected);
            }
            folder.ok("check g.outcrop");
        }
        let shown = folder.ok("info g.outcrop --json").json()["static_cache"].as_array().unwrap().clone();
        assert_eq!(shown[0]["method"], "observed");
        assert_eq!(shown.last().unwrap()["bytes"].as_u64(), bytes.last().copied());
        folder.ok("cache g.outcrop --remove");
        assert_eq!(names_in(&folder.path("g.outcrop")), before);
        folder.ok("check g.outcrop");
    }
}

#[test]
fn runs_give_the_same_with_a_selection_and_read_less() {
    for layout in LAYOUTS {
        let folder = folder_with_store(layout);
        let small = "g.outcrop --page-cache 96KiB --memory 64MiB";
        let run = |algorithm: &str, parameters: &str, more: &str| {
            folder.rows(&format!("{algorithm} {small} {parameters} {more}"))
        };
        let expected: Vec<_> = RUNS.map(|(algorithm, parameters)| run(algorithm, parameters, "")).into();
        selections(&folder, "--size 60%");
        for ((algorithm, parameters), expected) in RUNS.iter().zip(expected) {
            for share in ["0%", "50%", "100%", "auto"] {
                let rows = run(algorithm, parameters, &format!("--static-cache {share}"));
                assert_eq!(rows.len(), expected.len());
                // Sums of floats may come in another order.
                assert!(*algorithm == "pagerank" || rows == expected, "{layout} {algorithm} {share}");
            }
        }
        let hits = |share: &str| {
            let ran = folder.ok(&format!("run bfs {small} --source 0 --json --static-cache {share}"));
            ran.figure("static_hits")
        };
        assert_eq!(hits("0%"), 0);
        assert!(hits("90%") > 0);
    }
}

#[test]
fn lists_are_pinned_where_sample_searches_read_less() {
    let folder = folder_with_store("--layout csr --order original");
    let record = folder.ok("cache g.outcrop --size 60% --json").json();
    let gain = |name: &str| record["gain"][name].as_u64().unwrap();
    assert!(record["kept"] == json!(true) && gain("searches") == 4, "{record}");
    assert!(gain("bytes_with") < gain("bytes_without") && gain("pays_after") > 0, "{record}");
    assert_eq!(folder.ok("info g.outcrop --json").json()["static_cache"].as_array().unwrap().len(), 2);
    // A single run reads less without loading them.
    let hits = |share: &str| {
        let options = "--source 0 --page-cache 32KiB --json";
        folder.ok(&format!("run bfs g.outcrop {options} --static-cache {share}")).figure("static_hits")
    };
    assert!(hits("auto") == 0 && hits("80%") > 0);
    // Searches of one step gain nothing.
    folder.write("path.csv", "0,1\n1,0\n");
    folder.ok("build path.csv path.outcrop --ids dense");
    let said = folder.ok("cache path.outcrop").stdout;
    assert!(said.contains("path.outcrop: unchanged, because searches gain nothing from these lists; --keep"), "{said}");
    assert_eq!(folder.ok("info path.outcrop --json").json()["static_cache"], json!([]));
    folder.ok("cache path.outcrop --keep");
    let pinned = || folder.ok("info path.outcrop --json").json()["static_cache"].clone();
    let before = pinned();
    assert!(!before.as_array().unwrap().is_empty());
    // A selection that is declined leaves the previous one.
    folder.ok("cache path.outcrop --size 30%");
    assert_eq!(pinned(), before);
    assert!(folder.fails("cache path.outcrop --keep --remove", 2).contains("--remove"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder_with_store("--layout csr");
    assert!(folder.fails("cache g.outcrop --rounds 5 --select observed", 2).contains("--rounds needs --select gvs"));
    assert!(folder.fails("cache g.outcrop --rounds each", 2).contains("--rounds needs --select gvs"));
    assert!(folder.fails("cache g.outcrop --seed 5 --select gvs", 2).contains("--seed needs --select observed"));
    assert!(folder.fails("cache g.outcrop --select random", 2).contains("observed"));
    assert!(folder.fails("cache g.outcrop --size auto", 2).contains("percentage"));
    assert!(folder.fails("cache g.outcrop --rounds 0", 2).contains("expected a positive integer, or `each`"));
    assert!(folder.fails("cache g.outcrop --remove --size 5%", 2).contains("--remove"));
    assert!(folder.fails("run bfs g.outcrop --source 0 --static-cache 50%", 2).contains("outcrop cache"));
    assert_eq!(folder.ok("info g.outcrop --json").json()["static_cache"], json!([]));
    let message = folder.fails("cache g.outcrop --memory 1MiB", 4);
    assert!(message.contains("--memory"), "{message}");
    assert_eq!(folder.ok("info g.outcrop --json").json()["static_cache"], json!([]));
}

#[test]
fn graphs_without_lists_have_empty_selections() {
    let folder = Folder::new();
    folder.write("none.csv", "");
    folder.write("one.csv", "5,5\n");
    for (edges, options) in [("none.csv", "--num-vertices 3 --ids dense"), ("one.csv", ""), ("one.csv", "--layout csr")]
    {
        folder.ok(&format!("build {edges} g.outcrop --overwrite {options}"));
        folder.ok("cache g.outcrop --size 100% --keep");
        folder.ok("check g.outcrop");
        folder.ok("run wcc g.outcrop --static-cache 50%");
    }
}
