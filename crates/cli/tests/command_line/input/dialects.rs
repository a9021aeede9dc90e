//! Files in other dialects than the plainest, through the command.

use crate::driver::{Folder, Ran};

#[test]
fn explain_shows_how_edges_would_be_read_and_builds_nothing() {
    let folder = Folder::new();
    let rows: String = (0..30).map(|row| format!("{row};road;{};{};0,5\n", row + 100, row + 200)).collect();
    folder.write("roads.csv", format!(";type;from_node;to_node;km\n{rows}"));
    folder.write("b.txt.zst", zstd::encode_all(&b"anna bob\n"[..], 1).unwrap());
    let ran = folder.ok("build --explain roads.csv --weight km --ids string");
    for expected in [
        "roads.csv: edge-list\n",
        "separator  `;`\n",
        "header     line 1: `;type;from_node;to_node;km`\n",
        "columns    source = from_node, target = to_node, weight = km\n",
        "ids        strings\n",
        "direction  directed by default\n",
        "first 10 edges:\n    100 -> 200  0.5\n",
    ] {
        assert!(ran.stdout.contains(expected), "{expected:?} {}", ran.stdout);
    }
    let ran = folder.run("build --explain b.txt.zst --weighted");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let ran = folder.ok("build --explain b.txt.zst");
    assert!(ran.stdout.starts_with("b.txt.zst: edge-list, zstd\n"), "{ran:?}");
    assert!(ran.stdout.ends_with("first 1 edge:\n    anna -> bob\n"), "{ran:?}");
    assert_eq!(folder.run("build --explain b.txt.zst --overwrite").code, Some(2));
    assert_eq!(folder.names(), ["b.txt.zst", "roads.csv"]);
}

#[test]
fn other_formats_leave_no_store() {
    let folder = Folder::new();
    folder.write("graph.txt", "0 1 2 3\n1 2 3\n2 3 0\n3 0 1\n");
    let ran = folder.run("build graph.txt g.outcrop");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("graph.txt:2: ") && ran.stderr.contains("--format adjacency-list"), "{ran:?}");
    assert_eq!(folder.names(), ["graph.txt"]);
    let ran = folder.ok("build graph.txt g.outcrop --format adjacency-list --json");
    assert_eq!((ran.figure("vertices"), ran.figure("edges")), (4, 9));
}

#[test]
fn streams_are_recognized_too() {
    let folder = Folder::new();
    for (text, edges) in [(&b"c x\np edge 3 2\ne 1 2\ne 2 3\n"[..], 2), (b"*Vertices 3\n*Edges\n1 2\n", 1)] {
        let ran = folder.run_with_stdin("build - g.outcrop --json --overwrite", text);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!((ran.figure("vertices"), ran.figure("edges")), (3, edges));
    }
    let ran = folder.run_with_stdin("build - g.outcrop --overwrite", b"<html>404</html>\n");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("HTML page"), "{ran:?}");
}

#[test]
fn lists_that_are_called_like_other_formats_say_how_they_are_read() {
    let folder = Folder::new();
    for name in ["x.graph", "x.mtx", "x.gr", "x.net"] {
        folder.write(name, "1 2\n2 3\n3 4\n");
        let ran = folder.run(&format!("build {name} g.outcrop"));
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.contains("if each line is an edge, use --format edge-list"), "{ran:?}");
    }
    folder.ok("build x.graph g.outcrop --format edge-list");
}

#[test]
fn texts_are_exported_compressed() {
    let folder = Folder::new();
    folder.write("edges.csv", "source,target\nanna,bob\nsource,target\n");
    folder.write("quoted.csv", "anna,bob\n\"source\",target\n");
    let ran = folder.ok("build edges.csv g.outcrop");
    assert!(
        ran.stderr.contains("note: 1 line that repeats the header was skipped, the first at edges.csv:3"),
        "{ran:?}"
    );
    folder.ok("build quoted.csv g.outcrop --overwrite");
    for name in ["e.csv.gz", "e.tsv.zst"] {
        folder.ok(&format!("export g.outcrop {name}"));
        let ran = folder.ok(&format!("build {name} h.outcrop --overwrite --json"));
        assert_eq!((ran.figure("vertices"), ran.figure("edges")), (4, 2));
    }
}

#[test]
fn input_without_edges_or_of_another_format_is_refused_in_the_same_words_everywhere() {
    let folder = Folder::new();
    folder.write("empty.csv", "source,target\n");
    folder.write("x.graphml", "<?xml version=\"1.0\"?>\n<graphml></graphml>\n");
    folder.write("none.txt", "");
    folder.write("edges.csv", "source,target\n1,2\n");
    folder.ok("build edges.csv g.outcrop");
    for (command, expected) in [
        ("build empty.csv e.outcrop", "found no edges (1 header), expected at least one"),
        ("build --explain empty.csv", "found no edges, expected at least one"),
        ("build x.graphml e.outcrop", "found GraphML"),
        ("degree g.outcrop --ids-from none.txt", "found no IDs, expected at least one"),
    ] {
        let message = folder.fails(command, 3);
        assert!(message.contains(expected) && !message.contains("--format edge-list"), "{command}: {message}");
    }
    folder.ok("build --explain empty.csv --allow-empty");
}

#[test]
fn separators_and_comments_that_users_type_are_understood() {
    let folder = Folder::new();
    folder.write("tabs.csv", "a b\tc\nc\td\n");
    for separator in ["tab", "\\t", "\t"] {
        let command = folder.command("build tabs.csv g.outcrop --overwrite --json --separator");
        let ran = Ran::of({ command }.arg(separator).output().unwrap());
        assert_eq!((ran.code, ran.figure("vertices")), (Some(0), 3), "{separator:?}: {ran:?}");
    }
    let message = folder.fails("build tabs.csv h.outcrop --separator tabs", 2);
    assert_eq!(message, "outcrop: --separator: the separator must be one character or `tab`, not \"tabs\"\n");
    folder.write("tags.csv", "#go,#rust\n#rust,#c\n");
    let message = folder.fails("build tags.csv h.outcrop", 3);
    assert!(
        message.contains("found no edges (2 comments)")
            && message.contains("if these comments are edges, use --comments ''"),
        "{message}"
    );
    assert_eq!(folder.ok("build tags.csv h.outcrop --json --comments=").figure("edges"), 2);
    let message = folder.fails("build tabs.csv h.outcrop --format csv", 2);
    assert!(
        message.contains("unknown format \"csv\" of edge files; files named .csv are edge-list; expected"),
        "{message}"
    );
    folder.ok("build tabs.csv g.outcrop --overwrite");
    for command in ["build tabs.csv none/h.outcrop", "run wcc g.outcrop --checkpoint-dir none/c"] {
        let message = folder.fails(command, 9);
        assert!(message.contains("none does not exist; create the folder first"), "{command}: {message}");
    }
}
