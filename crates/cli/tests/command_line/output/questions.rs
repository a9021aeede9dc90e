//! Questions about vertices, through pipes and into files.

use crate::driver::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("edges.csv", "from,to,weight\nann,bob,2\nbob,cy,3\ncy,ann,4\nann,cy,1\ndan,ann,5\n");
    folder.ok("build edges.csv a.outcrop --weighted --directed");
    folder
}

#[test]
fn neighbors_come_as_text_in_the_order_that_was_asked_for() {
    let folder = folder();
    assert_eq!(folder.ok("neighbors a.outcrop bob ann").stdout, "node\tneighbor\nbob\tcy\nann\tbob\nann\tcy\n");
    let told = folder.ok("neighbors a.outcrop ann --direction in --weights --format csv").stdout;
    assert_eq!(told, "node,neighbor,weight\nann,cy,4.0\nann,dan,5.0\n");
    assert_eq!(folder.ok("neighbors a.outcrop ann --direction both").stdout.lines().count(), 5);
    let piped = folder.run_with_stdin("neighbors a.outcrop cy --ids-from - --format jsonl", b"bob\r\n\ndan\n");
    let lines: Vec<_> = piped.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            r#"{"node":"cy","neighbor":"ann"}"#,
            r#"{"node":"bob","neighbor":"cy"}"#,
            r#"{"node":"dan","neighbor":"ann"}"#
        ]
    );
}

#[test]
fn degrees_count_both_sides_of_some_or_all() {
    let folder = folder();
    assert_eq!(folder.ok("degree a.outcrop").stdout, "node\tdegree\nann\t4\nbob\t2\ncy\t3\ndan\t1\n");
    assert_eq!(folder.ok("degree a.outcrop dan cy --direction out").stdout, "node\tdegree\ndan\t1\ncy\t1\n");
}

#[test]
fn answers_are_written_to_files_and_refusals_say_why() {
    let folder = folder();
    assert!(folder.ok("neighbors a.outcrop ann -o ann.csv").stderr.contains("ann.csv: 2 rows"));
    assert_eq!(folder.read("ann.csv"), "node,neighbor\nann,bob\nann,cy\n");
    folder.ok("degree a.outcrop -o degrees.parquet");
    assert!(folder.fails("degree a.outcrop -o degrees.parquet", 2).contains("degrees.parquet"));
    assert!(folder.fails("neighbors a.outcrop ann eve", 2).contains("the graph has no vertex \"eve\""));
    assert!(folder.fails("neighbors a.outcrop", 2).contains("--ids-from"));
    assert!(
        folder.fails("neighbors a.outcrop ann --direction up", 2).contains("direction must be out, in or both, not")
    );
    assert!(folder.fails("neighbors a.outcrop ann --format npy", 2).contains("standard output"));
    assert!(folder.fails("neighbors a.outcrop --ids-from none.txt", 9).contains("none.txt"));
    folder.write("plain.el", "1 2\n");
    folder.ok("build plain.el b.outcrop");
    assert!(folder.fails("neighbors b.outcrop 1 --weights", 2).contains("has no weights"));
    assert_eq!(folder.ok("neighbors b.outcrop 01").stdout, "node\tneighbor\n1\t2\n");
}

#[test]
fn subgraphs_and_samples_go_through_pipes() {
    let folder = folder();
    let told = folder.ok("subgraph a.outcrop ann cy --weights").stdout;
    assert_eq!(told, "source\ttarget\tweight\nann\tcy\t1.0\ncy\tann\t4.0\n");
    let around = folder.ok("subgraph a.outcrop dan --radius 1 --format csv").stdout;
    assert_eq!(around, "source,target\ndan,ann\n");
    assert_eq!(folder.ok("subgraph a.outcrop dan --radius 9").stdout.lines().count(), 6);
    let drawn = folder.run_with_stdin("sample a.outcrop --ids-from - --fanouts 1,2 --seed 3", b"dan\n").stdout;
    assert!(drawn.starts_with("layer\tsource\tneighbor\n0\tdan\tann\n1\tann\t"), "{drawn}");
    assert_eq!(drawn, folder.ok("sample a.outcrop dan --fanouts 1,2 --seed 3 --threads 3").stdout);
    assert!(folder.fails("sample a.outcrop dan", 2).contains("--fanouts"));
}
