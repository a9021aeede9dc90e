//! Edges that come while a run is under way: what is computed is that of a graph which has them.

use crate::driver::Folder;

/// `all.outcrop`, `most.outcrop` without every twelfth edge, and these edges.
fn folder_with_stores(options: &str) -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 10 --edge-factor 6 -o edges.csv");
    let text = folder.read("edges.csv");
    let mut lines: Vec<&str> =
        text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit())).collect();
    lines.sort_unstable();
    lines.dedup();
    let (later, first): (Vec<_>, Vec<_>) = lines.iter().enumerate().partition(|(number, _)| number % 12 == 5);
    for (name, lines) in [("first.csv", &first), ("later.csv", &later)] {
        folder.write(name, lines.iter().map(|(_, line)| format!("{line}\n")).collect::<String>());
    }
    folder.ok(&format!("build first.csv later.csv all.outcrop --ids dense --num-vertices 1024 {options}"));
    folder.ok(&format!("build first.csv most.outcrop --ids dense --num-vertices 1024 {options}"));
    folder
}

const SHARDS: [&str; 5] =
    ["--shards static", "--shards ads", "--shards ods", "--shards ods --delay-buffer 0", "--shards edge-list"];

#[test]
fn searches_and_components_are_those_of_the_graph_with_them() {
    for options in ["", "--undirected", "--order degree"] {
        let folder = folder_with_stores(options);
        let source = folder.read("later.csv").split([',', '\n', ' ']).next().unwrap().to_owned();
        for run in [
            format!("bfs STORE --source {source} --columns all"),
            format!("sssp STORE --source {source}"),
            "wcc STORE".to_owned(),
        ] {
            let read =
                |run: &str| if options.contains("order") { folder.rows_in_any_order(run) } else { folder.rows(run) };
            let expected = read(&run.replace("STORE", "all.outcrop"));
            let run = run.replace("STORE", "most.outcrop");
            assert!(read(&run) != expected, "{run}: the edges make a difference");
            for shards in SHARDS {
                for after in [0, 2, 60] {
                    let rows = read(&format!("{run} --model gas {shards} --arrivals later.csv --arrive-after {after}"));
                    assert!(rows == expected, "{run} {options} {shards} {after}");
                }
            }
        }
    }
}

#[test]
fn ranks_are_those_of_the_graph_with_them() {
    let folder = folder_with_stores("");
    let ranks = |run: &str| -> Vec<f64> {
        folder.rows(run).iter().map(|row| row.split(',').nth(1).unwrap().parse().unwrap()).collect()
    };
    let expected = ranks("pagerank all.outcrop --tol 1e-13 --max-iter 1000");
    let error = |found: &[f64]| -> f64 { found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).sum() };
    assert!(error(&ranks("pagerank most.outcrop --tol 1e-13 --max-iter 1000")) > 1e-3);
    for shards in SHARDS {
        for after in [0, 3, 40] {
            let run = format!(
                "pagerank most.outcrop --delta 1e-8 --tol 1e-13 --max-iter 1000 --model gas {shards} --arrivals later.csv --arrive-after {after}"
            );
            let found = error(&ranks(&run));
            // 4 alpha delta / (1 - alpha)
            assert!(found <= 4.0 * 0.85 * 1e-8 / 0.15 + 1e-12, "{shards} {after}: {found:e}");
        }
    }
}

#[test]
fn ranks_count_every_copy_of_an_edge_that_arrives_repeatedly() {
    for (edges, arrivals) in [
        ("0,0\n1,0\n", "0,0\n".repeat(3)),
        ("0,1\n1,0\n", "0,1\n".repeat(5)),
        ("0,1\n1,0\n1,2\n2,0\n", "1,0\n2,1\n0,2\n".repeat(7)),
    ] {
        let folder = Folder::new();
        folder.write("edges.csv", edges);
        folder.write("later.csv", &arrivals);
        folder.ok("build edges.csv first.outcrop");
        folder.ok("build edges.csv later.csv all.outcrop");
        let ranks = |run: &str| -> Vec<f64> {
            folder.rows(run).iter().map(|row| row.split(',').nth(1).unwrap().parse().unwrap()).collect()
        };
        let expected = ranks("pagerank all.outcrop --tol 1e-13 --max-iter 1000");
        for (shards, after) in SHARDS.iter().flat_map(|shards| [0, 1, 3].map(|after| (shards, after))) {
            let found = ranks(&format!(
                "pagerank first.outcrop --delta 1e-9 --tol 1e-13 --max-iter 1000 --model gas {shards} --arrivals later.csv --arrive-after {after}"
            ));
            let error: f64 = found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).sum();
            assert!(error <= 4.0 * 0.85 * 1e-9 / 0.15 + 1e-12, "{edges:?} {shards} {after}: {error:e}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_the_store_stays() {
    let folder = folder_with_stores("");
    let before = std::fs::read(folder.path("most.outcrop/manifest.json")).unwrap();
    folder.write("beyond.csv", "1,2\n3,5000\n");
    for (run, code, text) in [
        ("pagerank most.outcrop --model gas --arrivals later.csv", 2, "--delta"),
        ("kcore most.outcrop --arrivals later.csv", 2, "outcrop update"),
        ("wcc most.outcrop --model messages --arrivals later.csv", 2, "--model gas"),
        ("wcc most.outcrop --model gas --arrivals beyond.csv", 3, "edge 2 (3 to 5000)"),
        ("wcc most.outcrop --model gas --arrivals none.csv", 9, "none.csv"),
        ("wcc most.outcrop --model gas --arrive-after 3", 2, "--arrivals"),
    ] {
        let message = folder.fails(&format!("run {run}"), code);
        assert!(message.contains(text), "{run}: {message}");
    }
    folder.ok("run wcc most.outcrop --model gas --arrivals later.csv");
    let rows = |run: &str| folder.rows(&format!("wcc most.outcrop --arrivals later.csv --arrive-after 2 {run}"));
    assert!(rows("") == rows("--model gas"));
    assert!(std::fs::read(folder.path("most.outcrop/manifest.json")).unwrap() == before);
}

#[test]
fn the_memory_that_a_refusal_names_is_enough_for_the_arriving_edges() {
    let folder = folder_with_stores("");
    folder.write("edges.csv", "1,2\n2,3\n3,4\n");
    folder.write("edge.csv", "4,1\n");
    folder.ok("build edges.csv small.outcrop");
    folder.write("many.csv", folder.read("later.csv").repeat(60));
    let (mut refused, mut ran) = (0, 0);
    for input in ["small.outcrop --arrivals edge.csv", "most.outcrop --arrivals many.csv"] {
        let source = folder.read("later.csv").split(',').next().unwrap().to_owned();
        let source = if input.starts_with("small") { "1".to_owned() } else { source };
        for algorithm in [format!("bfs {input} --source {source}"), format!("wcc {input} --values disk")] {
            for budget in [1, 9_864_103, 10 << 20, 11 << 20, 13 << 20, 16 << 20, 24 << 20, 32 << 20] {
                let run = format!("run {algorithm} --model gas --memory");
                let first = folder.run(&format!("{run} {budget}"));
                ran += 1;
                let Some((_, least)) = first.stderr.split_once("at least --memory ") else {
                    assert_eq!(first.code, Some(0), "{run} {budget}: {}", first.stderr);
                    continue;
                };
                refused += 1;
                let least: u64 = least.split([' ', ';']).next().unwrap().parse().unwrap();
                assert!(least > budget, "{run} {budget}: {least}");
                folder.ok(&format!("{run} {least}"));
            }
        }
    }
    assert!(refused > 0 && refused < ran, "{refused} of {ran}");
}
