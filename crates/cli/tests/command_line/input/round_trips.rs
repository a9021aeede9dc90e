//! Files that one command writes are read by another as they were.

use crate::driver::Folder;

/// Edges between texts that look like comments, numbers, missing values or names of columns, or have blanks, quotes and
/// separators.
const HOSTILE: &str = "source,target\n\
    \"#rust\",\"#go\"\na,\"#rust\"\n\" b\",a\n\"%x\",\" b\"\n\"007\",\"7\"\n\"1e5\",\"+3\"\nNA,null\n\"source\",target\nnode,weight\n\
    \"say \"\"hi\"\"\",\"Smith, J\"\n\"New York\",\"x;y|z\"\n\"//c\",\"\u{feff}z\"\n\"e\u{301}\",é\n\"b \",\"\tb\"\n";

/// Edges between texts that all look like whole numbers.
const DIGITS: &str = "\"007\",\"7\"\n\"7\",\"07\"\n";

fn figures(folder: &Folder, store: &str) -> (u64, u64) {
    let info = folder.ok(&format!("info {store} --json"));
    (info.figure("vertices"), info.figure("edges"))
}

#[test]
fn stores_of_texts_are_exported_and_built_again() {
    for (text, expected) in [(HOSTILE, (25, 14)), (DIGITS, (3, 2))] {
        let folder = Folder::new();
        folder.write("edges.csv", text);
        folder.ok("build edges.csv a.outcrop");
        assert_eq!(figures(&folder, "a.outcrop"), expected);
        folder.ok("export a.outcrop first.csv");
        for name in ["x.csv", "x.tsv", "x.parquet"] {
            folder.ok(&format!("export a.outcrop {name}"));
            folder.ok(&format!("build {name} b.outcrop --overwrite"));
            folder.ok("export b.outcrop again.csv --overwrite");
            assert_eq!(folder.read("again.csv"), folder.read("first.csv"), "{name}");
        }
        // All vertices, by the results of a run, and all edges among them.
        folder.ok("run wcc a.outcrop -o nodes.csv");
        folder.ok("subgraph a.outcrop --ids-from nodes.csv -o sub.tsv");
        folder.ok("build sub.tsv b.outcrop --overwrite");
        folder.ok("export b.outcrop again.csv --overwrite");
        assert_eq!(folder.read("again.csv"), folder.read("first.csv"));
        folder.write("none.csv", "");
        folder.ok("build none.csv v.outcrop --vertices nodes.csv --ids string");
        assert_eq!(figures(&folder, "v.outcrop"), (expected.0, 0));
        folder.ok("run wcc a.outcrop -o nodes.parquet");
        folder.ok("build none.csv v.outcrop --vertices nodes.parquet --ids string --overwrite");
        assert_eq!(figures(&folder, "v.outcrop"), (expected.0, 0));
        folder.ok("subgraph a.outcrop --ids-from nodes.parquet -o sub.parquet");
        folder.ok("build sub.parquet b.outcrop --overwrite");
        folder.ok("export b.outcrop again.csv --overwrite");
        assert_eq!(folder.read("again.csv"), folder.read("first.csv"));
        // The results of a run as the input of the next.
        folder.ok("run pagerank a.outcrop -o ranks.tsv");
        folder.ok("run spmv a.outcrop --vector ranks.tsv -o y.csv");
        folder.ok("run pagerank a.outcrop --personalization ranks.tsv -o p.csv");
        // Updates with the same file.
        let ran = folder.ok("update a.outcrop --remove x.tsv --json");
        assert_eq!(ran.figure("removed"), expected.1, "{}", ran.stdout);
        assert_eq!(folder.ok("update a.outcrop --add first.csv --json").figure("added"), expected.1);
        folder.ok("export a.outcrop again.csv --overwrite");
        assert_eq!(folder.read("again.csv"), folder.read("first.csv"));
    }
}

#[test]
fn lines_of_ids_are_ids() {
    let folder = Folder::new();
    folder.write("edges.csv", "New York,\"#1\"\nNew York,\"Paris, Texas\"\n");
    folder.write("v.txt", "# more\nSan Jose\n\"#2\"\n");
    let ran = folder.ok("build edges.csv g.outcrop --vertices v.txt");
    assert!(
        ran.stderr.contains("vertices: v.txt: edge-list; 2 vertices in 3 lines; columns field 1; 1 comment"),
        "{}",
        ran.stderr
    );
    assert_eq!(figures(&folder, "g.outcrop"), (5, 2));
    folder.write("ids.txt", "New York\n#1\nSan Jose\n\"#2\"\nParis, Texas\n");
    let rows = folder.ok("degree g.outcrop --ids-from ids.txt --format csv").stdout;
    assert_eq!(rows.lines().count(), 6, "{rows}");
}

#[test]
fn an_input_without_edges_makes_no_store_unless_that_is_meant() {
    let folder = Folder::new();
    folder.write("good.csv", "1,2\n2,3\n");
    folder.ok("build good.csv g.outcrop");
    for (name, text) in [("e.csv", ""), ("e.csv", "\n\n"), ("e.csv", "# c\n% d\n"), ("e.csv", "source,target\n")] {
        folder.write(name, text);
        let message = folder.fails("build e.csv g.outcrop --overwrite", 3);
        assert!(message.contains("e.csv: found no edges") && message.contains("--allow-empty"), "{message}");
        folder.ok("build e.csv h.outcrop --overwrite --allow-empty");
        assert_eq!(figures(&folder, "h.outcrop"), (0, 0));
        folder.ok("build e.csv h.outcrop --overwrite --ids dense --num-vertices 3");
        assert_eq!(figures(&folder, "h.outcrop"), (3, 0));
        let ran = folder.ok("update g.outcrop --add e.csv");
        assert!(
            ran.stderr.contains("the update has no edges") && ran.stderr.contains("add: e.csv: edge-list; 0 edges"),
            "{}",
            ran.stderr
        );
    }
    let ran = folder.run_with_stdin("build - g.outcrop --overwrite", b"");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(figures(&folder, "g.outcrop"), (3, 2));
    folder.write("all-bad.csv", "x\ny\n");
    folder.fails("build all-bad.csv g.outcrop --overwrite --on-error skip", 3);
    let ran = folder.ok("build e.csv good.csv h.outcrop --overwrite");
    assert!(ran.stderr.contains("note: it has no edges"), "{}", ran.stderr);
}

#[test]
fn updates_tell_what_they_took() {
    let folder = Folder::new();
    folder.write("good.csv", "1,2\n2,3\n");
    folder.ok("build good.csv g.outcrop");
    folder.write("more.csv", "# c\nfrom,to,weight\n3,1,5\n\nx,2,3\n007,2,9\n");
    let ran = folder.ok("update g.outcrop --add more.csv --on-error skip");
    let told = "add: more.csv: edge-list; 2 edges in 6 lines; line 2 read as header: `from,to,weight`; columns from, to; 1 comment; 1 blank line; 1 skipped line";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    for told in ["skipped more.csv:5:1", "column \"weight\" was not read", "1 line has an ID with leading zeros"] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    let record = folder.ok("update g.outcrop --remove more.csv --on-error skip --json").json();
    assert_eq!(record["removed_from"][0]["edges"], 2);
}

#[test]
fn repeated_edges_and_both_directions_are_counted() {
    let folder = Folder::new();
    folder.write("both.csv", "1,2\n2,1\n2,3\n3,2\n4,4\n");
    let ran = folder.ok("build both.csv g.outcrop --undirected");
    for told in ["1 self-loop kept; 2 repeated edges kept", "every edge is listed in both directions and counts twice"]
    {
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
    let ran = folder.ok("build both.csv g.outcrop --undirected --dedup first --overwrite");
    assert!(
        ran.stderr.contains("2 repeated edges merged") && !ran.stderr.contains("both directions"),
        "{}",
        ran.stderr
    );
    let ran = folder.ok("build both.csv g.outcrop --overwrite");
    assert!(!ran.stderr.contains("repeated") && !ran.stderr.contains("both directions"), "{}", ran.stderr);
    folder.write("some.csv", "1,2\n2,1\n2,3\n4,4\n4,4\n");
    let input = folder.ok("build some.csv g.outcrop --undirected --overwrite --json").json()["input"].clone();
    assert_eq!((&input["duplicates"], &input["both_directions"]), (&2.into(), &false.into()));
}

#[test]
fn results_of_any_store_name_vertices() {
    for text in ["1,2\n2,3\n70,1\n", "a,b\nb,c\nd,a\n", DIGITS] {
        let folder = Folder::new();
        folder.write("edges.csv", text);
        folder.ok("build edges.csv a.outcrop");
        let all = folder.ok("degree a.outcrop").stdout;
        for name in ["nodes.csv", "nodes.tsv", "nodes.parquet"] {
            folder.ok(&format!("run wcc a.outcrop -o {name}"));
            assert_eq!(folder.ok(&format!("degree a.outcrop --ids-from {name}")).stdout, all, "{name}");
            folder.ok(&format!("neighbors a.outcrop --ids-from {name}"));
            folder.ok(&format!("subgraph a.outcrop --ids-from {name} -o sub.csv --overwrite"));
            folder.ok(&format!("sample a.outcrop --ids-from {name} --fanouts 1"));
        }
    }
}
