//! Another layout for the lists of a store.

use crate::driver::Folder;

/// Stores whose graphs have every kind: weights, no directions, repeated edges, ids of their own, another order.
const BUILDS: [&str; 3] = [
    "build edges.bin first.outcrop",
    "build edges.bin first.outcrop --undirected --order degree",
    "build weighted.tsv first.outcrop --weighted",
];

/// Layouts to go to, from each of which the graph must come out the same.
const LAYOUTS: [&str; 11] = [
    "--layout csr",
    "--layout csr --page-size 512",
    "--layout csr --page-size 64KiB",
    "--layout chunked",
    "--layout compact",
    "--layout compact --codec alternating",
    "--layout sliding",
    "--layout sliding --intervals 7",
    "--codec raw32",
    "--placement reordered",
    "--placement reordered --codec alternating",
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
    refused("convert first.outcrop second.outcrop", 2, "already exists; choose another name, or use --overwrite");
    refused("convert nothing.outcrop third.outcrop", 9, "nothing.outcrop does not exist; a store is a folder");
    refused(
        "convert first.outcrop third.outcrop --placement reordered",
        2,
        "does not have the layout chunked; convert it with --layout chunked first",
    );
    refused("convert second.outcrop third.outcrop --memory 1MiB", 4, "use at least");
    refused(
        "convert second.outcrop third.outcrop --layout csr --codec raw32",
        2,
        "--codec needs --layout chunked or compact",
    );
    refused("convert first.outcrop third.outcrop --page-size 8KiB", 2, "--page-size needs --layout csr");
    for size in ["0", "256", "1000", "12KiB", "128KiB", "5GiB"] {
        let command = format!("convert second.outcrop third.outcrop --layout csr --page-size {size}");
        refused(&command, 2, "expected a power of two from 512 to 65536 bytes");
    }
    refused("convert first.outcrop third.outcrop --intervals 5", 2, "--intervals needs --layout sliding");
    refused("convert first.outcrop third.outcrop --layout sliding --intervals 1025", 2, "from 1 to 1024");
    refused(
        "build edges.bin second.outcrop --placement reordered",
        2,
        "already exists; choose another name, or use --overwrite",
    );
    refused("run wcc second.outcrop --layout csr", 2, "has the layout chunked, not csr");
    assert!(!folder.path("third.outcrop").exists());
}
