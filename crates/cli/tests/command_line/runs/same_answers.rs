//! One answer on every path: threads, page caches, ways to read, orders, budgets.

use crate::driver::{Folder, RUNS, not_tested};

/// How much two values of PageRank may differ, relative to their size.
const TOLERANCE: f64 = 1e-12;

/// Stores of one skewed graph, by name, and how they are built.
const STORES: [(&str, &str); 6] = [
    ("original", ""),
    ("degree", "--order degree"),
    ("csr", "--layout csr"),
    ("compact", "--layout compact"),
    ("alternating", "--layout compact --codec alternating --order degree"),
    ("chunks", "--codec raw32 --placement reordered"),
];

fn folder_with_stores(scale: u32) -> Folder {
    let folder = Folder::new();
    folder.ok(&format!("generate kronecker --scale {scale} --edge-factor 8 --weights 1..255 -o edges.bin"));
    // Not every number is that of a vertex with edges: this one is.
    folder.write("start.txt", "0 1 1\n");
    for (name, options) in STORES {
        folder.ok(&format!("build edges.bin start.txt {name}.outcrop --weighted {options}"));
    }
    folder
}

fn assert_same(algorithm: &str, path: &str, found: &[String], expected: &[String]) {
    if algorithm != "pagerank" {
        assert!(found == expected, "{algorithm} {path}");
        return;
    }
    assert_eq!(found.len(), expected.len(), "{algorithm} {path}");
    for (found, expected) in found.iter().zip(expected) {
        let ((node, a), (same_node, b)) = (value(found), value(expected));
        assert!(node == same_node && (a - b).abs() <= TOLERANCE * b.abs(), "{path}: {found} for {expected}");
    }
}

fn value(row: &str) -> (&str, f64) {
    let (node, value) = row.split_once(',').unwrap();
    (node, value.parse().unwrap())
}

fn same_answers_on(scale: u32, memories: &[&str]) {
    let folder = folder_with_stores(scale);
    for (algorithm, parameters) in RUNS {
        let run = |path: &str, in_any_order: bool| {
            let exact = if algorithm == "pagerank" { "--iterations 20" } else { "" };
            let named = STORES.iter().find_map(|(name, _)| path.strip_prefix(name).map(|options| (*name, options)));
            let (store, options) = named.unwrap_or(("original", path));
            let run = format!("{algorithm} {store}.outcrop {parameters} {exact} {options}");
            if in_any_order { folder.rows_in_any_order(&run) } else { folder.rows(&run) }
        };
        let expected = [false, true].map(|in_any_order| run("--threads 1", in_any_order));
        let memories = memories.iter().map(|memory| format!("--memory {memory} --page-cache 256KiB"));
        let paths = PATHS.iter().map(|path| (*path).to_owned()).chain(memories);
        for path in paths {
            let in_any_order = path.starts_with("degree");
            assert_same(algorithm, &path, &run(&path, in_any_order), &expected[usize::from(in_any_order)]);
        }
    }
}

/// One choice after the other, and some together.
const PATHS: [&str; 15] = [
    "--threads 2",
    "--threads 4",
    "--page-cache 0",
    "--page-cache 256KiB",
    "--page-cache 10%",
    "--io auto",
    "--io pread",
    "--io buffered",
    "--io mmap",
    "degree",
    "degree --threads 4 --page-cache 0 --io buffered",
    "degree --threads 2 --page-cache 256KiB --io pread",
    "csr",
    "chunks --page-cache 64KiB",
    "chunks --threads 4 --page-cache 0",
];

#[test]
fn every_path_gives_the_same_answer() {
    same_answers_on(12, &["48MiB", "100MiB"]);
}

#[test]
#[ignore = "takes several minutes"]
fn every_path_gives_the_same_answer_on_a_larger_graph() {
    same_answers_on(17, &["64MiB", "100MiB", "1GiB"]);
}

#[test]
fn io_uring_gives_the_same_answer_where_it_is_to_be_had() {
    let folder = folder_with_stores(12);
    for (algorithm, parameters) in RUNS {
        let run = format!("{algorithm} degree.outcrop {parameters}");
        let ran = folder.run(&format!("run {run} --io uring -o uring.csv --overwrite"));
        if ran.code == Some(2) {
            assert!(ran.stderr.contains("io_uring is not available ("), "{ran:?}");
            not_tested(&ran.stderr);
            return;
        }
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let found: Vec<String> = folder.read("uring.csv").lines().skip(1).map(str::to_owned).collect();
        assert_same(algorithm, "--io uring", &found, &folder.rows(&format!("{run} --io buffered")));
    }
}
