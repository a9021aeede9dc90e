//! Commands that people try first, and the answers that lead them on.

use crate::driver::{Folder, Ran};

#[test]
fn wrong_commands_are_answered_with_right_ones() {
    let folder = Folder::new();
    folder.write("edges.csv", "src,dst\n1,2\n2,3\n");
    folder.ok("build edges.csv g.outcrop");
    let unknown = |name: &str, advice: &str| {
        format!("unknown algorithm {name:?}; {advice}; `outcrop run --help` lists the algorithms\n")
    };
    let communities = "use `leiden` (communities of high modularity) or `cdlp` (communities by label propagation)";
    let cases = [
        (2, "run labelprop g.outcrop", &*unknown("labelprop", "use `cdlp` (communities by label propagation)")),
        (2, "estimate community", &unknown("community", communities)),
        (2, "run kosaraju g.outcrop", &unknown("kosaraju", "use `scc` (strongly connected components)")),
        (2, "run closenes g.outcrop", &unknown("closenes", "use `closeness`")),
        (2, "run pagernk g.outcrop", &unknown("pagernk", "use `pagerank`")),
        (2, "run bsf g.outcrop", &unknown("bsf", "use `bfs`")),
        (2, "run help bfs", "use `outcrop run bfs --help`\n"),
        (2, "run -t 2 bfs g.outcrop", "the algorithm comes first; use `outcrop run bfs -t ...`\n"),
        (2, "run nonsense g.outcrop", "unknown algorithm \"nonsense\"; `outcrop run --help` lists the algorithms\n"),
        (2, "run g.outcrop pagerank", "the algorithm comes first; use `outcrop run pagerank g.outcrop`\n"),
        (2, "pagerank g.outcrop", "\"pagerank\" is an algorithm; use `outcrop run pagerank g.outcrop`\n"),
        (2, "leiden g.outcrop", "\"leiden\" is an algorithm; use `outcrop run leiden g.outcrop`\n"),
        (2, "lpa g.outcrop", "unknown command \"lpa\"; use `outcrop run cdlp` (communities by label propagation); "),
        (2, "run pagerank g.outcrop --damping 0.9", "`pagerank` has no option --damping; use --alpha\n"),
        (2, "run pagerank g.outcrop --aplha 0.9", "`pagerank` has no option --aplha; use --alpha\n"),
        (
            2,
            "run wcc g.outcrop --source 3",
            "`wcc` has no option --source; `outcrop run wcc --help` lists its options\n",
        ),
        (2, "history g.outcrop", "unknown command \"history\"; use `outcrop runs`\n"),
        (2, "build e.csv h.outcrop --index direct", "`build` has no option --index; only outcrop-bench has it\n"),
        (2, "run wcc g.outcrop --delta 3", "`wcc` has no option --delta; `outcrop run wcc --help` lists its options\n"),
        (
            2,
            "run sssp g.outcrop --source 1 --weight km",
            "--weight needs --engine spark; a run uses the weights of the store: choose their column with `outcrop build --weight COLUMN`\n",
        ),
        (
            2,
            "sample g.outcrop 1 --fanouts 5,x",
            "--fanouts must be integers of at least 0, separated by commas, not \"x\"\n",
        ),
        (2, "neighbors g.outcrop 1.5", "the graph has no vertex \"1.5\"; its IDs are integers\n"),
        (2, "degree g.outcrop 2e3", "the graph has no vertex \"2e3\"; its IDs are integers\n"),
        (
            2,
            "run pagerank g.outcrop --between 1 2",
            "no timestamps; choose their column when building, with --time COLUMN\n",
        ),
        (
            9,
            "run pagerank nothere",
            "outcrop: nothere does not exist; a store is a folder created by `outcrop build`\n",
        ),
        (
            9,
            "run pagerank edges.csv",
            "it is a file, not a store; build a store from an edge file with `outcrop build`\n",
        ),
    ];
    for (code, arguments, text) in cases {
        let message = folder.fails(arguments, code);
        assert!(message.starts_with("outcrop: ") && message.contains(text), "outcrop {arguments}: {message}");
    }
}

#[test]
fn misspelled_options_and_queries_are_answered_with_what_to_pass() {
    let folder = Folder::new();
    let message = folder.fails("build edges.csv h.outcrop --wieghted", 2);
    assert!(message.contains("'--weighted'") && !message.contains("-- --"), "{message}");
    let ran = Ran::of(folder.command("build").args(["SELECT * FROM x", "y.outcrop"]).output().unwrap());
    let query = "outcrop: SELECT * FROM x is a query, not a file; pass a file with its result, ";
    assert!(ran.code == Some(2) && ran.stderr.starts_with(query), "{ran:?}");
}

#[test]
fn values_of_options_are_refused_with_what_is_expected() {
    let folder = Folder::new();
    folder.write("edges.csv", "src,dst\n1,2\n2,3\n");
    folder.ok("build edges.csv g.outcrop");
    let cases = [
        ("run wcc g.outcrop --threads 0", "--threads must be an integer from 1 to 1024, not \"0\"\n"),
        ("run bfs g.outcrop --source -5", "the graph has no vertex \"-5\"; its IDs are integers\n"),
        ("run wcc g.outcrop --top -1", "--top must be an integer of at least 0, not \"-1\"\n"),
        ("run wcc g.outcrop --memory -1", "invalid memory size \"-1\""),
        ("run wcc g.outcrop --top ten", "--top must be an integer of at least 0, not \"ten\"\n"),
    ];
    for (arguments, text) in cases {
        let message = folder.fails(arguments, 2);
        assert!(message.contains(text), "outcrop {arguments}: {message}");
    }
}
