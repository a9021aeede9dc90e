//! Orders of the vertices: the same graph in each, what each was made with, and which one `auto` takes.

use crate::driver::Folder;
use serde_json::{Value, json};

const ORDERS: [&str; 6] = ["original", "degree", "random", "random --order-seed 9", "pagerank", "norder"];

/// What is recorded of an order beside its name.
fn parameters(options: &str) -> Value {
    match options {
        "random" => json!({ "seed": 1 }),
        "random --order-seed 9" => json!({ "seed": 9 }),
        "norder" => json!({ "depth": 2 }),
        _ => Value::Null,
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 9 --edge-factor 8 --weights 1..99 -o edges.bin");
    let line = |i: u64| format!("n{}\tn{}\n", i * i % 301, i * 7 % 299);
    folder.write("texts.tsv", (0..2000).map(line).collect::<String>());
    folder
}

fn answers(folder: &Folder, store: &str, source: &str) -> Vec<Vec<String>> {
    let runs =
        [format!("bfs {store} --source {source} --columns all"), format!("wcc {store}"), format!("kcore {store}")];
    runs.iter().map(|run| folder.rows_in_any_order(run)).collect()
}

fn info(folder: &Folder, store: &str) -> Value {
    folder.ok(&format!("info {store} --json")).json()
}

#[test]
fn the_graph_is_the_same_in_every_order_and_back() {
    let folder = folder();
    for (build, source) in
        [("edges.bin first.outcrop --weighted", "3"), ("texts.tsv first.outcrop --undirected --layout csr", "n3")]
    {
        folder.ok(&format!("build {build} --overwrite"));
        let expected = answers(&folder, "first.outcrop", source);
        let in_order = |store: &str, what: &str| {
            folder.ok(&format!("check {store}"));
            assert!(answers(&folder, store, source) == expected, "{build}: {what}");
        };
        for options in ORDERS {
            let name = options.split(' ').next().unwrap();
            let made = folder.ok(&format!("build {build} --overwrite --order {options} --json")).json();
            assert_eq!((&made["order"], &made["order_reason"]), (&json!(name), &Value::Null));
            in_order("first.outcrop", options);
            let found = info(&folder, "first.outcrop");
            assert_eq!((&found["order"], &found["order_parameters"]), (&json!(name), &parameters(options)));
            folder.ok("convert first.outcrop back.outcrop --overwrite --order original --layout chunked");
            in_order("back.outcrop", "back to original");
            folder.ok(&format!("convert back.outcrop again.outcrop --overwrite --order {options} --layout csr"));
            in_order("again.outcrop", &format!("converted to {options}"));
            assert_eq!(info(&folder, "again.outcrop")["order_parameters"], parameters(options));
        }
    }
    let left: Vec<_> = folder.names().into_iter().filter(|name| name.contains("tmp-")).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn vertices_and_lists_may_both_have_an_order() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    let expected = answers(&folder, "first.outcrop", "3");
    for command in [
        "build edges.bin second.outcrop --placement reordered --order norder",
        "build edges.bin second.outcrop --placement reordered --order degree",
        "build edges.bin second.outcrop --placement reordered --order auto",
        "convert first.outcrop second.outcrop --placement reordered --order random",
    ] {
        folder.ok(&format!("{command} --overwrite"));
        folder.ok("check second.outcrop");
        assert!(answers(&folder, "second.outcrop", "3") == expected, "{command}");
        let found = info(&folder, "second.outcrop");
        assert_eq!(found["layouts"][0]["chunks"]["settings"]["placement"], "reordered");
        // In a graph of few pages all ids are near each other.
        assert_eq!(found["order"] == "original", command.ends_with("auto"), "{command}");
    }
    assert_eq!(folder.names(), ["edges.bin", "first.outcrop", "second.outcrop", "texts.tsv"]);
}

#[test]
fn auto_keeps_ids_that_are_near_each_other_and_says_why() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 70000 --edges 700000 -o far.bin");
    folder.ok("generate uniform --vertices 70000 --edges 700000 -o far.txt");
    folder.ok("generate grid --rows 256 --columns 256 -o near.bin");
    for (edges, options, expected) in [
        ("far.bin", "", "degree"),
        ("far.bin", "--undirected", "degree"),
        ("far.bin", "--ids dense", "degree"),
        ("far.txt", "--ids string", "degree"),
        ("near.bin", "", "original"),
        ("near.bin", "--ids dense --undirected", "original"),
    ] {
        let ran = folder.ok(&format!("build {edges} g.outcrop {options} --overwrite --json --layout csr"));
        let record = ran.json();
        let reason = record["order_reason"].as_str().unwrap();
        assert_eq!((&record["order"], &info(&folder, "g.outcrop")["order"]), (&json!(expected), &json!(expected)));
        assert!(reason.contains(" than random"), "{reason}");
        assert!(!ran.stderr.contains("order"), "a choice is no note: {}", ran.stderr);
        // What the store's own order is does not matter.
        folder.ok("convert g.outcrop tossed.outcrop --overwrite --order random");
        let again = folder.ok("convert tossed.outcrop again.outcrop --overwrite --order auto").stderr;
        assert_eq!(again.contains("order: degree ("), expected == "degree", "{again}");
        assert_eq!(info(&folder, "again.outcrop")["order"], expected);
        folder.ok("check again.outcrop");
        let original = folder.ok(&format!("build {edges} kept.outcrop {options} --order original --overwrite --json"));
        assert_eq!(original.json()["order"], "original");
        assert!(folder.rows("wcc g.outcrop") == folder.rows("wcc kept.outcrop"));
    }
}

#[test]
fn auto_keeps_the_order_of_few_vertices_and_where_memory_holds_no_other() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 12 --edge-factor 8 -o few.bin");
    let record = folder.ok("build few.bin g.outcrop --json").json();
    assert_eq!(record["order"], "original");
    assert!(record["order_reason"].as_str().unwrap().contains("the graph is small"), "{record}");
    folder.ok("generate uniform --vertices 3500000 --edges 2000000 -o many.bin");
    let little = folder.ok("build many.bin h.outcrop --layout csr --ids dense --memory 16MiB --json");
    assert_eq!(little.json()["order"], "original");
    assert!(little.stderr.contains("--memory is too small for another order"), "{}", little.stderr);
}

#[test]
fn options_of_other_orders_are_refused() {
    let folder = folder();
    folder.ok("build edges.bin first.outcrop");
    let names = folder.names();
    for (options, part) in [
        ("--order-seed 3", "--order-seed needs --order random"),
        ("--order degree --order-seed 3", "--order-seed needs --order random"),
        ("--order nonsense", "nonsense"),
    ] {
        for command in ["build edges.bin second.outcrop", "convert first.outcrop second.outcrop"] {
            let message = folder.fails(&format!("{command} {options}"), 2);
            assert!(message.contains(part), "{command} {options}: {message}");
        }
    }
    for command in
        ["build edges.bin first.outcrop --order norder", "convert first.outcrop first.outcrop --order degree"]
    {
        assert!(
            folder.fails(command, 2).contains("already exists; choose another name, or use --overwrite"),
            "{command}"
        );
    }
    for order in ["degree", "random", "pagerank", "norder", "auto"] {
        let message = folder.fails(&format!("convert first.outcrop second.outcrop --order {order} --memory 1KiB"), 4);
        assert!(message.contains("the memory budget of"), "{order}: {message}");
    }
    assert_eq!(folder.names(), names);
}

#[test]
fn locality_is_told_to_people_and_programs() {
    let folder = Folder::new();
    // Lists of 4 bytes an entry: each vertex with the next, and one far away.
    let edges: String = (0..3000).map(|v| format!("{v} {}\n", (v + 1) % 3000)).chain(["0 2999\n".to_owned()]).collect();
    folder.write("edges.txt", edges);
    for layout in ["--layout csr", "--codec raw32"] {
        folder.ok(&format!("build edges.txt g.outcrop --overwrite {layout}"));
        assert_eq!(info(&folder, "g.outcrop")["locality"], Value::Null);
        let one = folder.ok("info g.outcrop --locality --json -t 1 --memory 64MiB").json();
        let found = &one["locality"];
        assert_eq!(*found, folder.ok("info g.outcrop --locality --json -t 4").json()["locality"]);
        assert_eq!(
            (&found["entries"], &found["direction"], &found["median"]),
            (&json!(3001), &json!("out"), &json!(0))
        );
        // Only vertex 0, with one edge that leads to it, has neighbors that differ: 1 and 2999.
        assert_eq!(found["cost"], 1499.0 * 1499.0);
        assert!(found["same_page"].as_f64().unwrap() > 0.99 && found["mean"].as_f64().unwrap() < 0.01, "{found}");
        let text = folder.ok("info g.outcrop --locality").stdout;
        assert!(text.contains("locality     out lists: cost 2.247e6"), "{text}");
        assert!(!folder.ok("info g.outcrop").stdout.contains("locality"));
    }
    assert!(folder.fails("info g.outcrop --memory 64MiB", 2).contains("--locality"));
    assert!(folder.fails("info g.outcrop --locality --memory 64KiB", 4).contains("use at least"));
}

#[test]
fn an_order_that_exceeds_the_memory_is_noted_by_every_build() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 3000000 --edges 3000000 -o sparse.bin");
    for options in ["", "--json", "--verify", "--checkpoint-dir kept"] {
        let ran = folder.ok(&format!("build sparse.bin g.outcrop --memory 48MiB --overwrite {options}"));
        let note = "note: the vertices keep their original order: --memory is too small for another order";
        assert!(ran.stderr.contains(note), "{options}: {ran:?}");
        assert_eq!(folder.ok("info g.outcrop --json").json()["order"], "original", "{options}");
    }
    assert!(!folder.path("kept").exists());
}
