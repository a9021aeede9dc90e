//! The memory budget is hard: a refusal names the exact minimum, the minimum suffices, and what is resident stays
//! below.

use crate::driver::{Folder, RUNS, Ran};

const SLACK: u64 = 64 << 20;

/// A folder with edges of a skewed graph.
fn folder_with_edges(scale: u32) -> Folder {
    let folder = Folder::new();
    folder.ok(&format!("generate kronecker --scale {scale} --edge-factor 8 --weights 1..255 -o edges.bin"));
    // Not every number is that of a vertex with edges: this one is.
    folder.write("start.txt", "0 1 1\n");
    folder
}

/// Runs with the least memory, which the refusal of one byte less names.
fn minimum_is_exact(folder: &Folder, run: &str) {
    let minimum = folder.ok(&format!("estimate {run} --threads 2 --json")).figure("minimum");
    let ran = folder.ok(&format!("run {run} --threads 2 --memory {minimum} --json"));
    assert!(ran.figure("memory_peak") <= minimum, "{run}: {}", ran.stdout);
    assert!(ran.figure("peak_rss") <= minimum + SLACK, "{run}: {}", ran.stdout);
    let less = minimum - 1;
    let message = folder.fails(&format!("run {run} --threads 2 --memory {less} --progress json -o rows.csv"), 4);
    // No phase was begun: the one line is the refusal.
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains(&format!("is too small; use at least --memory {minimum} (")), "{run}: {message}");
    folder.ok(&format!("run {run} --threads 2 --memory {minimum} -o rows.csv --top 3"));
    std::fs::remove_file(folder.path("rows.csv")).unwrap();
}

/// Options for each way to run an algorithm, of which each has its own minimum.
fn ways(algorithm: &str) -> &[&str] {
    match algorithm {
        "bfs" | "sssp" | "wcc" | "pagerank" => {
            &["--model edge_map", "--model interval --values memory", "--values disk"]
        }
        _ => &[""],
    }
}

#[test]
fn the_estimated_minimum_is_exact() {
    let folder = folder_with_edges(13);
    folder.write("jumps.csv", "node,weight\n0,1\n1,2\n");
    for (number, build) in
        ["", "--undirected", "--weighted --order degree", "--ids dense --weighted"].iter().enumerate()
    {
        folder.ok(&format!("build edges.bin start.txt g.outcrop --overwrite {build}"));
        for (algorithm, parameters) in RUNS {
            // Each way in every other store.
            for way in ways(algorithm).iter().skip(number % 2).step_by(2) {
                minimum_is_exact(&folder, &format!("{algorithm} g.outcrop {parameters} {way}"));
            }
        }
        for way in ways("pagerank") {
            minimum_is_exact(&folder, &format!("pagerank g.outcrop --precision f32 {way}"));
        }
        minimum_is_exact(&folder, "pagerank g.outcrop --personalization jumps.csv --model edge_map");
    }
}

#[test]
fn the_minimum_is_exact_for_tiny_graphs() {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n");
    folder.ok("build edges.txt g.outcrop");
    for (algorithm, parameters) in RUNS {
        for way in ways(algorithm) {
            minimum_is_exact(&folder, &format!("{algorithm} g.outcrop {parameters} {way}"));
        }
    }
}

#[test]
fn a_page_cache_that_does_not_fit_the_budget_is_refused() {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n");
    folder.ok("build edges.txt g.outcrop");
    let message = folder.fails("run wcc g.outcrop --memory 64MiB --page-cache 1GiB", 4);
    assert!(message.contains("page cache 1.0 GiB"), "{message}");
}

fn stays_within_budgets(folder: &Folder, run: &str) {
    let minimum = folder.ok(&format!("estimate {run} --json")).figure("minimum");
    for budget in [minimum, minimum + (1 << 20), minimum + (16 << 20)] {
        let ran = folder.ok(&format!("run {run} --memory {budget} --json"));
        assert!(ran.figure("memory_peak") <= budget, "{run}: {}", ran.stdout);
        assert!(ran.figure("peak_rss") <= budget + SLACK, "{run} in {budget}: {}", ran.stdout);
    }
}

#[test]
fn runs_stay_within_their_budgets() {
    let folder = folder_with_edges(15);
    folder.ok("build edges.bin start.txt g.outcrop --weighted");
    for (algorithm, parameters) in RUNS {
        for way in ways(algorithm) {
            stays_within_budgets(&folder, &format!("{algorithm} g.outcrop {parameters} {way}"));
        }
    }
}

fn builds_stay_within_their_budgets(scale: u32) {
    let folder = folder_with_edges(scale);
    let source = "bfs g.outcrop --source 0";
    for build in ["--weighted", "--order degree", "--ids dense --undirected", "--ids dense --weighted"] {
        let mut expected: Option<(Vec<String>, Vec<String>)> = None;
        for (layout, memory) in
            [("csr", 16), ("csr", 24), ("compact", 16), ("sliding", 16), ("sliding", 24), ("chunked", 56), ("csr", 64)]
        {
            let options = format!("{build} --layout {layout} --memory {memory}MiB");
            let command = format!("build edges.bin start.txt g.outcrop --overwrite --json {options}");
            let ran = folder.ok(&command);
            assert!(ran.figure("peak_rss") <= (memory << 20) + SLACK, "{command}: {}", ran.stdout);
            let found = (folder.rows("wcc g.outcrop"), folder.rows(source));
            assert!(expected.get_or_insert_with(|| found.clone()) == &found, "{command}");
        }
    }
}

#[test]
fn builds_stay_within_their_budgets_and_give_one_graph() {
    builds_stay_within_their_budgets(16);
}

#[test]
#[ignore = "takes several minutes"]
fn larger_builds_stay_within_their_budgets_and_give_one_graph() {
    builds_stay_within_their_budgets(18);
}

#[test]
fn more_memory_than_there_is_is_noted() {
    let folder = folder_with_edges(6);
    let built = folder.ok("build edges.bin g.outcrop --memory 1024T");
    let ran = folder.ok("run bfs g.outcrop --source 0 --memory 1024TiB");
    for done in [built, ran] {
        assert!(
            done.stderr.contains("--memory is 1125899906842624 bytes (1048576.00 GiB), more than "),
            "{}",
            done.stderr
        );
    }
    let fits = folder.ok("run bfs g.outcrop --source 0 --memory 64M");
    assert!(!fits.stderr.contains("--memory is"), "{}", fits.stderr);
}

/// Commands and their folders of stores, each with the least memory that the refusal of a single byte names.
#[test]
fn the_minimum_that_a_refusal_names_is_enough_and_needed() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 600 --edges 4000 --seed 3 --weights 1..9 -o edges.bin");
    let lines = |name: &dyn Fn(u64) -> String, timed: bool| -> String {
        (0..4000_u64).fold(String::new(), |mut text, edge| {
            let ends = [edge * 7919 % 601, edge * edge % 599].map(name);
            text += &ends.join(",");
            text += if timed { ",3" } else { "" };
            text += &if timed { format!(",{edge}\n") } else { "\n".to_owned() };
            text
        })
    };
    folder.write("texts.csv", lines(&|id| format!("vertex {id}"), false));
    folder.write("timed.csv", lines(&|id| id.to_string(), true));
    folder.write("large.csv", lines(&|id| (id * 9_000_000_019).to_string(), false));
    folder.write("ids.txt", (0..300).fold(String::new(), |text, id| format!("{text}{id}\n")));
    folder.ok("build edges.bin g.outcrop --weighted --order degree");
    folder.ok("build edges.bin c.outcrop --weighted --layout csr --order original");
    folder.ok("build texts.csv t.outcrop --layout compact");
    folder.ok("build timed.csv w.outcrop --weighted --timed");
    let commands = [
        "run wcc g.outcrop --top 3",
        "run pagerank c.outcrop --top 100000",
        "run bfs t.outcrop --source vertex\u{a0}1 --top 3",
        "run wcc w.outcrop --between 100 3000",
        "degree g.outcrop",
        "degree t.outcrop",
        "degree g.outcrop --ids-from ids.txt",
        "neighbors g.outcrop --ids-from ids.txt --direction both",
        "sample g.outcrop --ids-from ids.txt --fanouts 5,5",
        "subgraph g.outcrop 1 --radius 2 -o out.csv",
        "export t.outcrop out.csv",
        "export g.outcrop out.parquet",
        "check c.outcrop",
        "check t.outcrop",
        "build edges.bin out.outcrop",
        "build timed.csv out.outcrop --weighted --timed --layout csr",
        "build timed.csv out.outcrop --weighted --timed --ids dense",
        "build texts.csv out.outcrop --layout sliding",
        "build large.csv out.outcrop --undirected --layout compact --order degree",
        "build timed.csv out.outcrop --vertices ids.txt --order random --layout csr",
        "convert g.outcrop out.outcrop --layout compact",
        "convert g.outcrop out.outcrop --order original",
        "convert c.outcrop out.outcrop --order degree",
        "convert c.outcrop out.outcrop --order norder --layout csr",
        "convert c.outcrop out.outcrop --order pagerank --layout csr",
        "convert t.outcrop out.outcrop --order auto --layout csr",
    ];
    for command in commands {
        let least = second_try(&folder, command);
        let short = with_memory(&folder, command, least - 1);
        assert_eq!(short.code, Some(4), "outcrop {command} --memory {}: {}", least - 1, short.stderr);
    }
}

fn with_memory(folder: &Folder, command: &str, memory: u64) -> Ran {
    _ = std::fs::remove_dir_all(folder.path("out.outcrop"));
    ["out.csv", "out.parquet"].iter().for_each(|name| _ = std::fs::remove_file(folder.path(name)));
    let words = command.split(' ').map(|word| word.replace('\u{a0}', " "));
    let mut command = folder.command("");
    Ran::of(command.args(words).args(["--memory", &memory.to_string(), "--threads", "2"]).output().unwrap())
}

/// Runs a command with the memory that the refusal of a single byte names.
fn second_try(folder: &Folder, command: &str) -> u64 {
    let refused = with_memory(folder, command, 1);
    assert_eq!(refused.code, Some(4), "outcrop {command}: {refused:?}");
    let stated = refused.stderr.split_once("at least --memory ").map(|(_, rest)| rest);
    let least = stated.and_then(|rest| rest.split([' ', ';']).next()?.parse::<u64>().ok());
    let least = least.unwrap_or_else(|| panic!("outcrop {command}: {refused:?}"));
    let enough = with_memory(folder, command, least);
    assert_eq!(enough.code, Some(0), "outcrop {command} --memory {least}: {}", enough.stderr);
    least
}

/// Commands whose need depends on what is found only once they are at work: a refusal names what is enough.
#[test]
fn the_memory_that_a_refusal_names_is_enough() {
    let folder = Folder::new();
    let edges = |count: u64, line: &dyn Fn(u64) -> String| (0..count).map(line).collect::<String>();
    folder.ok("generate uniform --vertices 150000 --edges 100000 --seed 3 -o sparse.bin");
    folder.write("hub.txt", edges(300_000, &|edge| format!("{} 0\n", edge + 1)));
    folder.write("texts.txt", edges(3000, &|edge| format!("v{} v{}\n", edge % 601, edge * edge % 599)));
    folder.write("timed.txt", edges(3000, &|edge| format!("{} {} 1 {edge}\n", edge % 601, edge * edge % 599)));
    folder.write("some.txt", edges(2000, &|edge| format!("{} {}\n", edge % 251, edge * 7 % 9001)));
    folder.write("others.txt", edges(500, &|edge| format!("{} {}\n", 5_000_000 + edge, edge * 7 % 9001)));
    folder.write("more_texts.txt", edges(500, &|edge| format!("w{} v{}\n", edge, edge % 599)));
    folder.write("more_timed.txt", edges(500, &|edge| format!("{} {} 2 {}\n", edge % 999, edge % 599, 4000 + edge)));
    folder.ok("build hub.txt h.outcrop --layout csr");
    folder.ok("build sparse.bin c.outcrop --layout compact --order degree");
    folder.ok("build sparse.bin r.outcrop --placement reordered");
    folder.ok("build sparse.bin s.outcrop --layout sliding --undirected");
    folder.ok("build texts.txt t.outcrop --layout csr");
    folder.ok("build timed.txt w.outcrop --weighted --timed --layout csr");
    for command in [
        "run wcc h.outcrop --page-cache 2MiB",
        "run bfs h.outcrop --source 0 --page-cache 10%",
        "run pagerank h.outcrop --iterations 2 --page-cache 75%",
        "run pagerank h.outcrop --iterations 2 --page-cache 40% --model interval",
        "run pagerank h.outcrop --iterations 2 --page-cache 40% --model messages",
        "cache h.outcrop --size 10% --select observed",
        "cache h.outcrop --size 10% --select gvs",
        "cache c.outcrop --size 10% --select gvs",
        "build sparse.bin out.outcrop --layout csr --order norder",
        "build sparse.bin out.outcrop --layout compact --order norder",
        "build sparse.bin out.outcrop --layout sliding --order pagerank",
        "build sparse.bin out.outcrop --placement reordered --order pagerank",
        "build texts.txt out.outcrop",
        "build texts.txt out.outcrop --order norder",
        "build sparse.bin out.outcrop --layout csr --order degree",
        "build hub.txt out.outcrop --layout compact --order random",
        "convert r.outcrop out.outcrop --placement reordered --order degree",
        "update h.outcrop --add some.txt",
        "update h.outcrop --remove some.txt --merge",
        "update h.outcrop --add others.txt --remove some.txt",
        "update c.outcrop --add some.txt --merge-above never",
        "update c.outcrop --add others.txt",
        "update r.outcrop --add some.txt --merge",
        "update r.outcrop --add others.txt",
        "update s.outcrop --add some.txt --remove others.txt",
        "update t.outcrop --remove texts.txt --add more_texts.txt",
        "update t.outcrop --add texts.txt --id a",
        "update w.outcrop --add more_timed.txt",
        "update w.outcrop --add more_timed.txt --merge",
        "convert w.outcrop out.outcrop --layout compact",
    ] {
        second_try(&folder, command);
    }
}

/// Its memory is refused before the update is applied, also that of the merge.
#[test]
fn updates_with_many_new_vertices_ask_for_little_more_than_they_take() {
    let folder = Folder::new();
    let edges = 100_000;
    folder.write("edges.txt", (0..2000).map(|edge| format!("{edge} {}\n", edge * 7 % 997)).collect::<String>());
    folder
        .write("new.txt", (0..edges).map(|edge| format!("{} {}\n", edge % 997, 1_000_000 + edge)).collect::<String>());
    folder.ok("build edges.txt g.outcrop");
    folder.ok("build edges.txt h.outcrop");
    let least = second_try(&folder, "update g.outcrop --add new.txt --merge-above never");
    assert!(least < 200 * edges + (4 << 20), "{} bytes per edge", least / edges);
    let refused = with_memory(&folder, "update h.outcrop --add new.txt --merge", least);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert_eq!(folder.ok("info h.outcrop --json").json()["generation"], 0);
    second_try(&folder, "update h.outcrop --add new.txt --merge");
}
