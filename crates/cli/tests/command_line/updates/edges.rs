//! Updated stores give the answers of stores that are built afresh, whatever ends an update.

use crate::driver::{Dice, Folder, contents, time_of};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// A graph as a map from its edges to their weights.
type Edges = BTreeMap<(u64, u64), u64>;

const VERTICES: u64 = 400;

fn some_edges(count: u64, seed: u64) -> Edges {
    let mut dice = Dice(seed);
    // Some vertices have far more neighbors than others.
    let skewed = |dice: &mut Dice| dice.below(VERTICES) * dice.below(VERTICES) / VERTICES;
    (0..count).map(|_| ((skewed(&mut dice), skewed(&mut dice)), dice.below(9) + 1)).collect()
}

fn lines<'e>(edges: impl IntoIterator<Item = (&'e (u64, u64), &'e u64)>, name: impl Fn(u64) -> String) -> String {
    edges.into_iter().fold(String::new(), |mut text, ((source, target), weight)| {
        writeln!(text, "{}\t{}\t{weight}", name(*source), name(*target)).unwrap();
        text
    })
}

/// What is known of a graph by its answers.
fn answers(folder: &Folder, store: &str, source: &str) -> Vec<Vec<String>> {
    let runs = [
        format!("bfs {store} --source {source} --columns all"),
        format!("wcc {store}"),
        format!("kcore {store}"),
        format!("triangles {store}"),
        format!("lcc {store}"),
        format!("apsp {store} --source {source}"),
        format!("scc {store}"),
        format!("sssp {store} --source {source}"),
        format!("bfs {store} --source {source} --columns all --model interval"),
        format!("wcc {store} --schedule sweep"),
        format!("wcc {store} --page-cache 0"),
    ];
    let exact = runs.iter().map(|run| folder.rows_in_any_order(run));
    // Sums of floating-point numbers depend on how lists lie in pieces.
    let ranks = folder.rows(&format!("pagerank {store} --iterations 20"));
    let rounded = ranks.iter().map(|row| {
        let (node, rank) = row.split_once(',').unwrap();
        format!("{node},{:.9}", rank.parse::<f64>().unwrap())
    });
    let rounded = rounded.collect();
    exact.chain([rounded]).collect()
}

/// How stores are built, and what their ids are.
const BUILDS: [(&str, bool); 6] = [
    ("", false),
    ("--weighted --layout csr --page-size 512", false),
    ("--weighted --undirected --layout compact", true),
    ("--undirected --order degree --codec alternating", false),
    ("--weighted --layout compact --codec alternating --order random", true),
    ("--placement reordered", false),
];

fn name_of(text: bool) -> impl Fn(u64) -> String {
    move |number| if text { format!("v{number}") } else { (number * 1_000_003).to_string() }
}

/// Removes some edges and adds others, in the files `remove.tsv` and `add.tsv` and in `edges`.
fn change(folder: &Folder, edges: &mut Edges, dice: &mut Dice, count: usize, undirected: bool, text: bool) {
    let step = edges.len() / count;
    let removed: Edges =
        edges.iter().skip(dice.below(step as u64) as usize).step_by(step).take(count).map(|(k, w)| (*k, *w)).collect();
    edges.retain(|key, _| !removed.contains_key(key));
    let mut added = Edges::new();
    while added.len() < count {
        let (one, other) = (dice.below(VERTICES), dice.below(VERTICES));
        let key = if undirected { (one.min(other), one.max(other)) } else { (one, other) };
        if !edges.contains_key(&key) {
            added.insert(key, dice.below(9) + 1);
        }
    }
    folder.write("remove.tsv", lines(&removed, name_of(text)));
    folder.write("add.tsv", lines(&added, name_of(text)));
    edges.extend(added);
}

fn graph(undirected: bool) -> Edges {
    let edges = some_edges(6000, 7);
    edges.into_iter().filter(|((one, other), _)| !undirected || one <= other).collect()
}

/// Writes `edges.tsv`, and all vertices.
fn write_graph(folder: &Folder, edges: &Edges, text: bool) {
    folder.write("edges.tsv", lines(edges, name_of(text)));
    let vertices: String = (0..VERTICES).map(|vertex| name_of(text)(vertex) + "\n").collect();
    folder.write("vertices.txt", vertices);
}

#[test]
fn an_updated_store_answers_as_one_that_is_built_afresh() {
    for (build, text) in BUILDS {
        let (folder, mut dice) = (Folder::new(), Dice(3));
        let undirected = build.contains("undirected");
        let mut edges = graph(undirected);
        write_graph(&folder, &edges, text);
        folder.ok(&format!("build edges.tsv g.outcrop --vertices vertices.txt {build}"));
        change(&folder, &mut edges, &mut dice, 60, undirected, text);
        let record = folder.ok("update g.outcrop --remove remove.tsv --add add.tsv --merge-above never --json").json();
        assert_eq!((&record["added"], &record["removed"]), (&60.into(), &60.into()), "{build}: {record}");
        assert_eq!((&record["merged"], &record["updates"]["generation"]), (&false.into(), &1.into()), "{record}");
        assert_eq!(record["edges"], edges.len());
        write_graph(&folder, &edges, text);
        folder.ok(&format!("build edges.tsv fresh.outcrop --vertices vertices.txt {build}"));
        let source = name_of(text)(edges.keys().next().unwrap().0);
        let expected = answers(&folder, "fresh.outcrop", &source);
        let assert_same = |store: &str| {
            folder.ok(&format!("check {store}"));
            assert!(answers(&folder, store, &source) == expected, "{store}: {build}");
        };
        assert_same("g.outcrop");
        let info = folder.ok("info g.outcrop").stdout;
        assert!(info.contains("updates      1 update pending"), "{info}");
        folder.ok("cache g.outcrop --size 50% --keep");
        assert_same("g.outcrop");
        folder.ok("convert g.outcrop other.outcrop --layout csr --order degree");
        assert_same("other.outcrop");
        folder.ok("update g.outcrop --merge");
        assert!(!folder.ok("info g.outcrop").stdout.contains("updates "));
        assert_same("g.outcrop");
        let of = |store: &str| folder.ok(&format!("info {store} --json")).json();
        let (one, other) = (of("g.outcrop"), of("fresh.outcrop"));
        for key in ["vertices", "edges", "directed", "weighted", "ids", "order", "order_parameters", "dedup"] {
            assert_eq!(one[key], other[key], "{key}");
        }
        assert_eq!(one["layouts"][0]["chunks"]["settings"], other["layouts"][0]["chunks"]["settings"]);
        assert_eq!(one["layouts"][0]["page_bytes"], other["layouts"][0]["page_bytes"]);
        assert_eq!(one["layouts"][0]["codec"], other["layouts"][0]["codec"]);
    }
}

#[test]
fn edges_with_new_vertices_bring_them_in() {
    for (build, text) in BUILDS {
        let folder = Folder::new();
        let undirected = build.contains("undirected");
        let mut edges = graph(undirected);
        write_graph(&folder, &edges, text);
        folder.ok(&format!("build edges.tsv g.outcrop --vertices vertices.txt {build}"));
        change(&folder, &mut edges, &mut Dice(5), 40, undirected, text);
        folder.ok("update g.outcrop --remove remove.tsv --add add.tsv --merge-above never");
        let new: Edges = [((3, 900), 2), ((7, 1000), 1), ((900, 901), 4), ((950, 950), 1)].into();
        let gone: Edges = edges.iter().take(5).map(|(key, weight)| (*key, *weight)).collect();
        edges.retain(|key, _| !gone.contains_key(key));
        edges.extend(&new);
        folder.write("remove.tsv", lines(&gone, name_of(text)) + &lines(&Edges::from([((2000, 1), 1)]), name_of(text)));
        folder.write("add.tsv", lines(&new, name_of(text)));
        let record = folder.ok("update g.outcrop --remove remove.tsv --add add.tsv --json").json();
        assert_eq!((&record["new_vertices"], &record["merged"]), (&4.into(), &true.into()), "{record}");
        assert_eq!((&record["removed"], &record["absent"], &record["added"]), (&5.into(), &1.into(), &4.into()));
        write_graph(&folder, &edges, text);
        folder.ok(&format!("build edges.tsv fresh.outcrop --vertices vertices.txt {build}"));
        folder.ok("check g.outcrop");
        let source = name_of(text)(3);
        assert!(answers(&folder, "g.outcrop", &source) == answers(&folder, "fresh.outcrop", &source), "{build}");
        assert_eq!(folder.names().iter().filter(|name| name.contains("tmp")).count(), 0);
    }
}

#[test]
fn dense_stores_grow_to_the_largest_id() {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n5 0\n");
    for order in ["", "--order degree"] {
        folder.ok(&format!("build edges.txt g.outcrop --ids dense --overwrite {order}"));
        folder.write("add.txt", "2 9\n7 0\n");
        let record = folder.ok("update g.outcrop --add add.txt --json").json();
        assert_eq!(
            (&record["vertices"], &record["new_vertices"], &record["edges"]),
            (&10.into(), &4.into(), &5.into())
        );
        folder.ok("check g.outcrop");
        let expected = ["0,", "1,", "2,0", "3,", "4,", "5,", "6,", "7,", "8,", "9,1"];
        let rows: Vec<String> = folder
            .rows("bfs g.outcrop --source 2 --columns all")
            .iter()
            .map(|row| row.rsplit_once(',').unwrap().0.to_owned())
            .collect();
        assert_eq!(rows, expected);
    }
    folder.write("add.txt", "0 4294967294\n");
    let refused = folder.fails("update g.outcrop --add add.txt", 3);
    assert!(refused.contains("add.txt:1:3: found `4294967294`") && refused.contains("dense IDs"), "{refused}");
    folder.ok("check g.outcrop");
}

#[test]
fn vertices_that_a_dense_id_implies_take_a_few_bits_and_are_noted() {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n");
    folder.ok("build edges.txt g.outcrop --ids dense --num-vertices 10");
    folder.write("add.txt", "2 100000000\n");
    let update = "update g.outcrop --add add.txt --merge-above never --memory";
    let implied = "the ID 100000000 implies 100,000,001 vertices, because the store has dense IDs";
    let refused = folder.fails(&format!("{update} 16MiB"), 4);
    assert!(refused.contains(implied), "{refused}");
    let done = folder.ok(&format!("{update} 24MiB"));
    assert!(done.stderr.contains(implied), "{done:?}");
    assert_eq!(folder.ok("info g.outcrop --json").figure("vertices"), 100_000_001);
}

#[test]
fn input_of_another_kind_is_refused_with_that_of_the_store() {
    let folder = Folder::new();
    folder.write("integers.txt", "1 2 7\n");
    folder.write("strings.txt", "ann bob 7\n");
    folder.write("dates.txt", "1 2 2024-01-31\n");
    folder.write("empty.txt", "");
    folder.ok("generate uniform --vertices 10 --edges 10 -o integers.bin");
    folder.ok("build integers.txt integers.outcrop --timed");
    folder.ok("build dates.txt dates.outcrop --timed");
    folder.ok("build strings.txt strings.outcrop");
    folder.ok("build empty.txt empty.outcrop --allow-empty");
    for (store, add, kind) in [
        ("integers", "strings.txt", "the store has integer IDs; for strings, rebuild it with --ids string"),
        ("integers", "dates.txt", "the store has integer timestamps"),
        ("dates", "integers.txt", "the store has dates as timestamps"),
        ("strings", "integers.bin", "the store has string IDs"),
        ("empty", "strings.txt", "the store has integer IDs; for strings, rebuild it with --ids string"),
    ] {
        let refused = folder.fails(&format!("update {store}.outcrop --add {add}"), 3);
        assert!(refused.contains(kind), "{store} {add}: {refused}");
    }
}

#[test]
fn pending_updates_are_counted_in_edges_and_merged_once() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n2 3\n");
    for (direction, pending) in [
        ("--directed", "1 update pending: 1 edge deleted, 2 inserted, 1 vertex added"),
        ("--undirected", "1 update pending: 2 list entries deleted, 3 inserted, 1 vertex added"),
    ] {
        folder.ok(&format!("build edges.txt g.outcrop {direction} --overwrite"));
        folder.write("add.txt", "3 3\n1 4\n");
        folder.write("remove.txt", "1 2\n");
        folder.ok("update g.outcrop --add add.txt --remove remove.txt --merge-above 3.5");
        let info = folder.ok("info g.outcrop").stdout;
        assert!(info.contains(pending), "{info}");
        assert!(folder.ok("update g.outcrop --merge").stderr.contains("merged"));
        assert!(folder.ok("update g.outcrop --merge").stderr.contains("g.outcrop: nothing to merge"));
    }
}

#[test]
fn thirty_updates_are_one_graph() {
    let (folder, mut dice) = (Folder::new(), Dice(11));
    folder.ok("generate kronecker --scale 9 --edge-factor 8 -o edges.el");
    let text = folder.read("edges.el");
    let numbers = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut ends = line.split_whitespace().map(|end| end.parse::<u64>().unwrap());
        (ends.next().unwrap() % VERTICES, ends.next().unwrap() % VERTICES)
    });
    let mut edges: Edges = numbers.map(|key| (key, 1)).collect();
    write_graph(&folder, &edges, false);
    let builds = ["--layout csr", "--layout compact", "--codec raw32"];
    for (number, build) in builds.iter().enumerate() {
        folder.ok(&format!("build edges.tsv {number}.outcrop --vertices vertices.txt {build}"));
    }
    let mut merges = 0;
    for round in 0..30 {
        // 0.2% of the edges out, and as many in.
        let count = edges.len() / 500;
        change(&folder, &mut edges, &mut dice, count, false, false);
        for number in 0..builds.len() {
            let update = format!("update {number}.outcrop --remove remove.tsv --add add.tsv --json --memory 64MiB");
            let record = folder.ok(&update).json();
            assert_eq!(
                (record["added"].as_u64(), record["removed"].as_u64()),
                (Some(count as u64), Some(count as u64))
            );
            assert_eq!(record["edges"], edges.len(), "{round}");
            merges += u32::from(record["merged"] == true);
        }
    }
    assert!(merges >= 6, "{merges} merges");
    write_graph(&folder, &edges, false);
    folder.ok("build edges.tsv fresh.outcrop --vertices vertices.txt");
    let source = name_of(false)(edges.keys().next().unwrap().0);
    let expected = answers(&folder, "fresh.outcrop", &source);
    for (number, build) in builds.iter().enumerate() {
        folder.ok(&format!("check {number}.outcrop"));
        assert!(answers(&folder, &format!("{number}.outcrop"), &source) == expected, "{build}");
    }
}

#[test]
fn what_cannot_be_done_leaves_the_store_as_it_was() {
    let folder = Folder::new();
    folder.write("edges.tsv", "1\t2\t0.5\n2\t3\t1\n");
    folder.ok("build edges.tsv g.outcrop --weighted");
    let before = contents(&folder.path("g.outcrop"));
    folder.write("bad.tsv", "1\t3\t1\n1\tx\t2\n");
    folder.write("bare.tsv", "1\t3\n");
    folder.fails("update g.outcrop", 2);
    folder.fails("update g.outcrop --add bad.tsv", 3);
    folder.fails("update g.outcrop --add bare.tsv", 3);
    folder.fails("update g.outcrop --add absent.tsv", 9);
    folder.fails("update absent.outcrop --merge", 9);
    folder.fails("update g.outcrop --add edges.tsv --merge-above x", 2);
    folder.fails("update g.outcrop --add edges.tsv --merge-above -1%", 2);
    let refused = folder.fails("update g.outcrop --add edges.tsv --memory 1MiB", 4);
    assert!(refused.contains("budget"), "{refused}");
    assert!(contents(&folder.path("g.outcrop")) == before);
    folder.write("absent.tsv", "3\t1\n9\t9\n");
    let record = folder.ok("update g.outcrop --remove absent.tsv --json").json();
    assert_eq!((&record["absent"], &record["removed"]), (&2.into(), &0.into()));
    assert!(contents(&folder.path("g.outcrop")) == before, "nothing changes");
    let skipped = folder.ok("update g.outcrop --add bad.tsv --on-error skip --json").json();
    assert_eq!((&skipped["added"], &skipped["skipped_lines"]), (&1.into(), &1.into()));
}

#[test]
fn plans_count_updates() {
    let (folder, mut edges) = (Folder::new(), graph(false));
    write_graph(&folder, &edges, false);
    folder.ok("build edges.tsv g.outcrop --vertices vertices.txt --layout csr");
    let estimate = || folder.ok("estimate pagerank g.outcrop --json").json();
    let before = estimate();
    change(&folder, &mut edges, &mut Dice(1), 500, false, false);
    folder.ok("update g.outcrop --remove remove.tsv --add add.tsv --merge-above never");
    let after = estimate();
    assert!(
        after["plan"].to_string().contains("updates") && !before["plan"].to_string().contains("updates"),
        "{after}"
    );
    assert_eq!(folder.ok("estimate pagerank g.outcrop --memory 1 --json").json()["minimum"], after["minimum"]);
    let (least, more) = (before["minimum"].as_u64().unwrap(), after["minimum"].as_u64().unwrap());
    assert!(more > least + 4000, "{least} {more}");
    let refused = folder.fails(&format!("run pagerank g.outcrop --memory {least} --model edge_map -o x.csv"), 4);
    assert!(refused.contains("updates") && refused.contains("outcrop update"), "{refused}");
    folder.ok(&format!("run pagerank g.outcrop --memory {more} --model edge_map -o x.csv"));
}

#[test]
fn the_named_memory_is_enough_for_runs_on_pending_updates() {
    for rule in ["--undirected", "--directed"] {
        let (folder, mut edges) = (Folder::new(), graph(rule == "--undirected"));
        write_graph(&folder, &edges, false);
        folder.ok(&format!("build edges.tsv g.outcrop --vertices vertices.txt {rule}"));
        change(&folder, &mut edges, &mut Dice(1), 500, rule == "--undirected", false);
        folder.ok("update g.outcrop --remove remove.tsv --add add.tsv --merge-above never");
        for run in ["pagerank", "wcc", "kcore", "heat", "cdlp", "triangles", "bc --samples 1", "scc", "mis"] {
            for model in ["", "--model interval", "--model messages"] {
                let run = format!("run {run} g.outcrop {model} --threads 2 --top 1 --memory");
                let refused = folder.run(&format!("{run} 1"));
                let Some((_, named)) = refused.stderr.split_once("use at least --memory ") else { continue };
                let named: String = named.chars().take_while(char::is_ascii_digit).collect();
                let ran = folder.run(&format!("{run} {named}"));
                assert_eq!(ran.code, Some(0), "{rule} {run} {named}: {}", ran.stderr);
            }
        }
    }
}

const STORE: &str = "g.outcrop";

/// Kills updates, with merges and without, at moments spread over their time.
fn kill_updates(kills: u32) {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 2000 --edges 40000 --seed 1 -o edges.bin");
    folder.ok(&format!("build edges.bin {STORE} --ids dense"));
    let mut dice = Dice::seeded(9);
    let mut edges = folder.ok(&format!("info {STORE} --json")).figure("edges");
    let (mut killed, mut there, mut left) = (0, 0, 0);
    // What an update takes, without a merge and with one.
    let mut took = [Duration::ZERO; 2];
    for round in 0..kills {
        // So many edges that are told apart by their number; every other update is merged.
        let count = u64::from(round % 7 + 1);
        let added: String = (0..count).map(|edge| format!("{} {}\n", dice.below(2000), edge)).collect();
        folder.write("add.txt", added);
        let merge = if round % 2 == 0 { "--merge-above never" } else { "--merge" };
        let update = format!("update {STORE} --add add.txt {merge}");
        let took = &mut took[(round % 2) as usize];
        if round < 4 {
            *took = time_of(|| drop(folder.ok(&update)));
            edges += count;
        } else {
            killed += u32::from(folder.kill_within(&update, took, &mut dice));
            folder.ok(&format!("check {STORE}"));
            let found = folder.ok(&format!("info {STORE} --json")).figure("edges");
            assert!(found == edges || found == edges + count, "round {round}: {found} edges, {edges} before");
            there += u32::from(found > edges);
            edges = found;
        }
        left += u32::from(folder.names().len() > 3);
    }
    folder.write("add.txt", "1 1\n");
    folder.ok(&format!("update {STORE} --add add.txt --merge"));
    assert_eq!(folder.names(), ["add.txt", "edges.bin", STORE], "what was left is removed");
    folder.ok(&format!("check {STORE}"));
    println!("{kills} updates: {killed} killed, {there} were there, {left} left something");
}

#[test]
fn a_killed_update_is_there_whole_or_not_at_all() {
    kill_updates(40);
}

#[test]
#[ignore = "takes several minutes"]
fn a_thousand_killed_updates_are_there_whole_or_not_at_all() {
    kill_updates(1000);
}
