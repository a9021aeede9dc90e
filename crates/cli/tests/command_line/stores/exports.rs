//! Edges of stores in files again.

use crate::driver::Folder;
use std::fs;

/// Stores of the same graph, whatever their layout and order.
const STORES: [&str; 6] = [
    "--order original",
    "--order degree --memory 48MiB",
    "--order random --layout csr",
    "--layout compact",
    "--layout sliding --order degree",
    "--placement reordered",
];

/// Edges with weights between numbers that are not dense, some twice, some loops: sources, targets and weights.
fn edges() -> Vec<(u64, u64, u64)> {
    let edge = |i: u64| (3 + i * i % 101 * 7, 3 + i * 31 % 97 * 7, i % 13);
    (0..3000).map(edge).chain([(3, 3, 1), (3, 3, 2)]).collect()
}

/// The lines of a file of edges in which each edge stands once, smaller ids first.
fn lines(edges: &[(u64, u64, u64)], directed: bool) -> String {
    let turned = |&(u, v, w): &(u64, u64, u64)| if directed || u <= v { (u, v, w) } else { (v, u, w) };
    let mut edges: Vec<_> = edges.iter().map(turned).collect();
    edges.sort_unstable();
    edges.iter().map(|(u, v, w)| format!("{u} {v} {w}\n")).collect()
}

/// A text with its lines in order: copies of an edge are in the order of the input, whatever their weights.
fn sorted(text: &str) -> String {
    let mut lines: Vec<_> =
        text.lines().map(|line| line.split(' ').map(|word| word.parse::<u64>().unwrap()).collect::<Vec<_>>()).collect();
    lines.sort_unstable();
    lines.iter().map(|line| format!("{} {} {}\n", line[0], line[1], line[2])).collect()
}

#[test]
fn edges_come_out_of_every_store_as_they_went_in() {
    let folder = Folder::new();
    folder.write("edges.txt", edges().iter().map(|(u, v, w)| format!("{u} {v} {w}\n")).collect::<String>());
    for (direction, directed) in [("--directed", true), ("--undirected", false)] {
        let mut first = None;
        for store in STORES {
            folder.ok(&format!("build edges.txt a.outcrop --overwrite --weighted {direction} {store}"));
            folder.ok("export a.outcrop a.wel --overwrite --memory 40MiB");
            let text = folder.read("a.wel");
            assert!(sorted(&text) == lines(&edges(), directed), "{store} {direction}");
            assert!(*first.get_or_insert(text.clone()) == text, "{store} {direction}: another order");
        }
    }
}

#[test]
fn edges_come_back_from_every_format() {
    let folder = Folder::new();
    folder.write("edges.txt", edges().iter().map(|(u, v, w)| format!("{u} {v} {w}\n")).collect::<String>());
    for direction in ["--directed", "--undirected"] {
        folder.ok(&format!("build edges.txt a.outcrop --overwrite --weighted --order degree {direction}"));
        folder.ok("export a.outcrop a.txt --overwrite");
        for name in ["b.bin", "b.el", "b.csv", "b.tsv.gz", "b.txt.zst", "b.parquet", "b.wsg", "b.sg"] {
            let weighted = if name == "b.sg" { "" } else { "--weighted" };
            let told = folder.ok(&format!("export a.outcrop {name}")).stderr;
            assert!(told.contains(name) && told.contains(" edges"), "{told}");
            folder.ok(&format!("build {name} b.outcrop --overwrite {weighted} {direction}"));
            folder.ok("export b.outcrop b.txt --overwrite");
            let unweighted = if weighted.is_empty() { "--unweighted" } else { "" };
            folder.ok(&format!("export a.outcrop a.txt --overwrite {unweighted}"));
            assert!(folder.read("b.txt") == folder.read("a.txt"), "{name} {direction}");
            fs::remove_file(folder.path(name)).unwrap();
        }
    }
}

#[test]
fn edges_beyond_memory_are_sorted_on_disk() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 15 --edge-factor 16 --weights 1..9 -o edges.bin");
    folder.ok("build edges.bin a.outcrop --weighted --order degree");
    let names = folder.names();
    for name in ["a.wsg", "a.bin"] {
        folder.ok(&format!("export a.outcrop {name}"));
        folder.ok(&format!("export a.outcrop little-{name} --memory 25MiB"));
        let read = |name: &str| fs::read(folder.path(name)).unwrap();
        assert!(read(name) == read(&format!("little-{name}")), "{name}");
        [name.to_owned(), format!("little-{name}")].iter().for_each(|name| fs::remove_file(folder.path(name)).unwrap());
    }
    assert_eq!(folder.names(), names);
}

#[test]
fn texts_come_back_quoted() {
    let folder = Folder::new();
    folder.write("edges.csv", "source,target\n\"a, b\",c d\nc d,\"say \"\"no\"\"\"\n1,#2\n");
    folder.ok("build edges.csv a.outcrop --ids string");
    for name in ["b.csv", "b.tsv", "b.csv.gz", "b.tsv.zst", "b.parquet"] {
        folder.ok(&format!("export a.outcrop {name}"));
        folder.ok(&format!("build {name} b.outcrop --overwrite --ids string"));
        folder.ok("export b.outcrop c.csv --overwrite");
        assert_eq!(
            folder.read("c.csv"),
            "source,target\n\"1\",\"#2\"\n\"a, b\",c d\nc d,\"say \"\"no\"\"\"\n",
            "{name}"
        );
    }
    for name in ["b.bin", "b.txt", "b.txt.gz", "b.sg"] {
        let message = folder.fails(&format!("export a.outcrop {name}"), 2);
        assert!(message.contains("does not support string IDs; use .csv, .tsv or .parquet"), "{message}");
    }
}

#[test]
fn updates_are_exported() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n2 3\n3 1\n");
    folder.write("gone.txt", "2 3\n");
    folder.write("new.txt", "3 2\n1 1\n");
    for (direction, expected) in [("--directed", "1 1\n1 2\n3 1\n3 2\n"), ("--undirected", "1 1\n1 2\n1 3\n2 3\n")] {
        folder.ok(&format!("build edges.txt a.outcrop --overwrite {direction}"));
        folder.ok("update a.outcrop --remove gone.txt --add new.txt --merge-above 100%");
        folder.ok("export a.outcrop a.el --overwrite");
        assert_eq!(folder.read("a.el"), expected, "{direction}");
        folder.ok("export a.outcrop a.sg --overwrite");
    }
}

/// The bytes of a serialized graph: what it says of itself, then where lists begin and lists, by direction.
fn graph(directed: u8, arcs: i64, vertices: i64, directions: &[(&[i64], &[i32])]) -> Vec<u8> {
    let mut bytes = vec![directed];
    bytes.extend([arcs, vertices].iter().flat_map(|number| number.to_le_bytes()));
    for (starts, lists) in directions {
        bytes.extend(starts.iter().flat_map(|start| start.to_le_bytes()));
        bytes.extend(lists.iter().flat_map(|entry| entry.to_le_bytes()));
    }
    bytes
}

#[test]
fn serialized_graphs_are_as_gap_writes_them() {
    let folder = Folder::new();
    folder.write("edges.txt", "4 1 7\n1 0 5\n1 4 6\n4 0 9\n");
    let export = |build: &str, name: &str| {
        folder.ok(&format!("build edges.txt a.outcrop --overwrite {build}"));
        folder.ok(&format!("export a.outcrop {name} --overwrite"));
        fs::read(folder.path(name)).unwrap()
    };
    for order in ["original", "degree"] {
        let (out, into) = ([0, 0, 2, 2, 2, 4], [0, 2, 3, 3, 3, 4]);
        let expected = graph(1, 4, 5, &[(&out, &[0, 4, 0, 1]), (&into, &[1, 4, 4, 1])]);
        assert_eq!(export(&format!("--directed --order {order}"), "a.sg"), expected);
        assert_eq!(export(&format!("--directed --weighted --order {order}"), "a.sg"), expected);
        let weighted = graph(1, 4, 5, &[(&out, &[0, 5, 4, 6, 0, 9, 1, 7]), (&into, &[1, 5, 4, 9, 4, 7, 1, 6])]);
        assert_eq!(export(&format!("--directed --weighted --order {order}"), "a.wsg"), weighted);
        let both = [0, 2, 4, 4, 4, 6];
        let undirected = format!("--undirected --dedup min --order {order}");
        assert_eq!(export(&undirected, "a.sg"), graph(0, 6, 5, &[(&both, &[1, 4, 0, 4, 0, 1])]));
        let weighted = graph(0, 6, 5, &[(&both, &[1, 5, 4, 9, 0, 5, 4, 6, 0, 9, 1, 6])]);
        assert_eq!(export(&format!("{undirected} --weighted"), "a.wsg"), weighted);
    }
    folder.write("edges.txt", "");
    assert_eq!(
        export("--ids dense --num-vertices 2 --directed", "a.sg"),
        graph(1, 0, 2, &[(&[0; 3], &[]), (&[0; 3], &[])])
    );
}

#[test]
fn serialized_graphs_in_store_order_have_all_vertices_of_the_store() {
    let folder = Folder::new();
    folder.write("edges.txt", "4 1 7\n1 0 5\n1 4 6\n4 0 9\n");
    let export = |build: &str, name: &str| {
        folder.ok(&format!("build edges.txt a.outcrop --overwrite --weighted --order degree {build}"));
        folder.ok(&format!("export a.outcrop {name} --overwrite --order store"));
        fs::read(folder.path(name)).unwrap()
    };
    // In degree order, the vertices are 1, 4 and 0.
    let (out, into) = ([0, 2, 4, 4], [0, 1, 2, 4]);
    assert_eq!(export("--directed", "a.sg"), graph(1, 4, 3, &[(&out, &[1, 2, 0, 2]), (&into, &[1, 0, 0, 1])]));
    let weighted = graph(1, 4, 3, &[(&out, &[1, 6, 2, 5, 0, 7, 2, 9]), (&into, &[1, 7, 0, 6, 0, 5, 1, 9])]);
    assert_eq!(export("--directed", "a.wsg"), weighted);
    // Vertices without edges are last.
    let both = [0, 2, 4, 6, 6, 6];
    let undirected = "--undirected --dedup min --ids dense";
    assert_eq!(export(undirected, "a.sg"), graph(0, 6, 5, &[(&both, &[1, 2, 0, 2, 0, 1])]));
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2 0.5\n2147483648 1 2\n");
    folder.ok("build edges.txt plain.outcrop");
    folder.ok("build edges.txt weighted.outcrop --weighted");
    folder.write("small.txt", "1 2 0.5\n2147483647 1 2\n");
    folder.ok("build small.txt small.outcrop --weighted");
    folder.write("there.txt", "x");
    let names = folder.names();
    for (arguments, code, reason) in [
        ("plain.outcrop a.wsg", 2, ": the format wsg needs weights, and none are exported from"),
        ("weighted.outcrop a.wsg --unweighted", 2, ": the format wsg needs weights, and none are exported from"),
        ("plain.outcrop a.el --order degree", 2, "order must be id or store"),
        ("plain.outcrop a.sg", 2, "is limited to IDs of 31 bits, and the graph has larger ones; use another format"),
        ("plain.outcrop a.xyz", 2, ": unsupported output format; use .el, .wel"),
        ("plain.outcrop a.bin.gz", 2, ": unsupported output format; use .el, .wel"),
        ("plain.outcrop a.mtx", 2, ": unsupported output format; use .el, .wel"),
        ("plain.outcrop a.txt --format metis", 2, ": unsupported output format; use .el, .wel"),
        ("plain.outcrop there.txt", 2, "there.txt"),
        ("plain.outcrop plain.outcrop/a.txt", 2, "inside the store"),
        ("plain.outcrop a.txt --memory 1MiB", 4, "--memory"),
        ("missing.outcrop a.txt", 9, "missing.outcrop"),
    ] {
        let message = folder.fails(&format!("export {arguments}"), code);
        assert!(message.contains(reason), "{arguments}: {message}");
        assert_eq!(folder.names(), names, "{arguments}");
    }
    folder.write("half.txt", "0 1 0.5\n");
    folder.ok("build half.txt half.outcrop --weighted");
    let message = folder.fails("export half.outcrop a.wsg", 2);
    assert!(message.contains("from 0 to 1 has the weight 0.5, but .wsg files need 32-bit integers"), "{message}");
    folder.ok("export half.outcrop a --format parquet --overwrite");
    assert!(fs::read(folder.path("a")).unwrap().starts_with(b"PAR1"));
}

/// A pipe has the bytes of a file.
#[test]
fn generated_edges_are_piped_into_a_build() {
    let folder = Folder::new();
    let generate = "generate kronecker --scale 12 --edge-factor 8 --weights 1..9";
    folder.ok(&format!("{generate} -o edges.bin"));
    folder.ok("build edges.bin expected.outcrop --weighted");
    let piped = folder.command(&format!("{generate} -o -")).output().unwrap();
    assert!(piped.status.success() && piped.stdout == std::fs::read(folder.path("edges.bin")).unwrap());
    let built = folder.run_with_stdin("build - piped.outcrop --weighted", &piped.stdout);
    assert_eq!(built.code, Some(0), "{built:?}");
    let [expected, found] = ["expected", "piped"].map(|name| folder.rows(&format!("pagerank {name}.outcrop")));
    assert_eq!(expected, found);
    assert!(!folder.path("-").exists());
}

#[test]
fn a_dash_is_standard_output_or_refused() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n2 3\n");
    folder.write("names.txt", "ann bob\n");
    folder.ok("build edges.txt g.outcrop");
    folder.ok("build names.txt n.outcrop");
    for (export, text) in [
        ("export g.outcrop -", "1 2\n2 3\n"),
        ("export g.outcrop - --format edge-list", "1 2\n2 3\n"),
        ("export n.outcrop -", "source\ttarget\nann\tbob\n"),
    ] {
        let done = folder.ok(export);
        assert_eq!((&*done.stdout, done.stderr.contains("standard output: ")), (text, true), "{export}");
    }
    for refused in [
        "export g.outcrop - --format parquet",
        "export g.outcrop - --format sg",
        "run wcc g.outcrop -o -",
        "run wcc g.outcrop --report -",
        "run pagerank g.outcrop --checkpoint-dir -",
        "run pagerank g.outcrop --incremental -",
        "build edges.txt -",
        "build edges.txt h.outcrop --report -",
        "build edges.txt h.outcrop --checkpoint-dir -",
        "build edges.txt h.outcrop --tmp-dir -",
        "convert g.outcrop -",
        "neighbors g.outcrop 1 -o -",
        "man -",
    ] {
        folder.fails(refused, 2);
        assert!(!folder.path("-").exists(), "{refused}");
    }
}
