//! Pages that show runs and builds.

use crate::driver::{Folder, RUNS};

fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 3 1\n3 20 2.5\n3 100 1\n20 3 1\n7 8 1\n");
    folder.ok("build edges.txt g.outcrop --weighted");
    folder
}

fn assert_page(page: &str, texts: &[&str]) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
    for text in texts {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn every_run_and_every_build_has_a_page() {
    let folder = folder_with_store();
    for (algorithm, parameters) in RUNS {
        let ran = folder.ok(&format!("run {algorithm} g.outcrop {parameters} --report {algorithm}.html --top 1"));
        assert_eq!(ran.stdout.lines().count(), 2, "the page changes nothing of what is printed: {ran:?}");
        let title = format!("<h1>{algorithm} on g.outcrop</h1>");
        assert_page(
            &folder.read(&format!("{algorithm}.html")),
            &[&title, "Top rows", "memory used, of a budget of ", "Memory by purpose"],
        );
    }
    folder.ok("build edges.txt h.outcrop --weighted --report build.html --json");
    assert_page(&folder.read("build.html"), &["Building h.outcrop", "reading edges", "writing lists", "out.degrees"]);
}

#[test]
fn iterations_say_who_was_active() {
    let folder = folder_with_store();
    for (algorithm, parameters) in RUNS {
        let record = folder.ok(&format!("run {algorithm} g.outcrop {parameters} --json")).json();
        let iterations = record["iterations_detail"].as_array().unwrap();
        let active: u64 = iterations.iter().map(|iteration| iteration["active_vertices"].as_u64().unwrap()).sum();
        assert!(active > 0, "{algorithm}: {record}");
    }
}

#[test]
fn a_record_becomes_the_page_of_its_run() {
    let folder = folder_with_store();
    let run = folder.ok("run pagerank g.outcrop --json --report now.html").stdout;
    let build = folder.ok("build edges.txt h.outcrop --json --report built-now.html").stdout;
    folder.write("later.json", &run);
    folder.write("built.json", &build);
    assert_eq!(folder.ok("report later.json").stderr, "later.html: report of later.json\n");
    assert!(folder.read("later.html") == folder.read("now.html"), "the same record, another page");
    folder.ok("report built.json -o built-later.html");
    assert!(folder.read("built-later.html") == folder.read("built-now.html"), "the same record, another page");
    let ran = folder.run_with_stdin("report - -o piped.html", run.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
    assert!(folder.read("piped.html") == folder.read("now.html"), "the same record, another page");
}

#[test]
fn a_build_says_what_its_phases_and_files_were() {
    let folder = folder_with_store();
    let built = folder.ok("build edges.txt h.outcrop --json --memory 64MiB").json();
    let phases = built["phases"].as_array().unwrap();
    let edges = phases.iter().find(|phase| phase["name"] == "reading edges").unwrap();
    let length = folder.read("edges.txt").len();
    assert_eq!((&edges["unit"], &edges["total"]), (&"bytes".into(), &length.into()), "{built}");
    let files = built["files"].as_array().unwrap();
    let sum: u64 = files.iter().map(|file| file["bytes"].as_u64().unwrap()).sum();
    assert_eq!(built["bytes"], sum);
    assert_eq!((&built["memory_budget"], &built["directed"]), (&(64 << 20).into(), &true.into()));
}

#[test]
fn a_run_says_how_large_what_it_read_is() {
    let folder = folder_with_store();
    let info = folder.ok("info g.outcrop --json").json();
    let lists = |direction: &str| {
        let layouts = info["layouts"].as_array().unwrap();
        let layout = layouts.iter().find(|layout| layout["direction"] == direction).unwrap();
        // What is in the index is loaded with it.
        layout["bytes"].as_u64().unwrap() - layout["chunks"]["mini_bytes"].as_u64().unwrap()
    };
    let record = folder.ok("run pagerank g.outcrop --json").json();
    assert_eq!(record["store"], "g.outcrop");
    assert_eq!((&record["store_bytes"], record["lists_bytes"].as_u64()), (&info["bytes"], Some(lists("in"))));
    let record = folder.ok("run wcc g.outcrop --json").json();
    assert!([lists("out"), lists("out") + lists("in")].contains(&record["lists_bytes"].as_u64().unwrap()), "{record}");
}

#[test]
fn what_stands_there_is_not_touched() {
    let folder = folder_with_store();
    folder.write("page.html", "precious");
    folder.write("page.json", folder.ok("run wcc g.outcrop --json").stdout);
    let refusal = "outcrop: page.html already exists; choose another name, or use --overwrite\n";
    for command in [
        "run wcc g.outcrop --report page.html --progress json",
        "build edges.txt h.outcrop --report page.html --progress json",
        "report page.json",
        "report page.json -o page.html",
    ] {
        assert_eq!(folder.fails(command, 2), refusal, "{command}");
        assert_eq!(folder.read("page.html"), "precious", "{command}");
    }
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop", "page.html", "page.json"]);
    for command in ["run wcc g.outcrop --report", "build edges.txt h.outcrop --report", "report page.json -o"] {
        folder.write("page.html", "precious");
        folder.ok(&format!("{command} page.html --overwrite"));
        assert_page(&folder.read("page.html"), &["</main>"]);
    }
    folder.write("own.html", folder.read("page.json"));
    assert!(folder.fails("report own.html --overwrite", 2).contains("; choose another name with -o"));
}

#[test]
fn a_page_replaces_neither_result_nor_store() {
    let folder = folder_with_store();
    let message = folder.fails("run wcc g.outcrop -o rows.csv --report rows.csv --overwrite", 2);
    assert_eq!(message, "outcrop: --output and --report have the same path\n");
    let message = folder.fails("build edges.txt h.outcrop --report h.outcrop --overwrite", 2);
    assert_eq!(message, "outcrop: --report and a store have the same path\n");
    assert!(folder.fails("run wcc g.outcrop --report missing/page.html", 9).contains("; create the folder first"));
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
}

#[test]
fn what_is_no_record_is_refused_with_its_place() {
    let folder = folder_with_store();
    let record = folder.ok("run wcc g.outcrop --json").stdout;
    let cut = &record[..record.len() / 2];
    let wrong = record.replacen("\"vertices\":6", "\"vertices\":\"six\"", 1);
    for (text, place) in
        [("", "r.json:1: "), ("{\n\"edges\": oh}", "r.json:2:"), (cut, "r.json:1:"), (&wrong, "r.json:1:")]
    {
        folder.write("r.json", text);
        let message = folder.fails("report r.json", 3);
        let expected =
            "expected the JSON output of `outcrop run --json`, `outcrop build --json` or `outcrop profile --json`";
        assert!(message.starts_with(&format!("outcrop: {place}")) && message.contains(expected), "{message}");
        let piped = folder.run_with_stdin("report - -o r.html", text.as_bytes());
        assert_eq!(piped.code, Some(3), "{piped:?}");
        assert!(piped.stderr.starts_with("outcrop: standard input:1") || text.contains("oh"), "{piped:?}");
    }
    folder.write("r.json", [0xff, 0xfe]);
    assert!(folder.fails("report r.json", 3).contains("not UTF-8"));
    folder.write("r.json", folder.ok("info g.outcrop --json").stdout);
    assert!(folder.fails("report r.json", 3).contains("none of `algorithm`, `phases` and `degrees`"));
    folder.fails("report missing.json", 9);
    assert!(folder.fails("report -", 2).contains("needs -o"));
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop", "r.json"]);
}

#[test]
fn a_page_is_written_where_a_run_does_not_converge() {
    let folder = folder_with_store();
    folder.run("run pagerank g.outcrop --tol 1e-30 --max-iter 2 --report page.html -o ranks.csv");
    assert_page(&folder.read("page.html"), &["not converged", "2 iterations"]);
}

#[test]
fn names_are_shown_as_they_are_and_do_nothing() {
    let folder = Folder::new();
    folder.write("edges.txt", "<b>a&\"</b> b\n");
    folder.ok("build edges.txt <img>&.outcrop --report build.html");
    folder.ok("run bfs <img>&.outcrop --source <b>a&\"</b> --report run.html");
    let (build, run) = (folder.read("build.html"), folder.read("run.html"));
    assert_page(&build, &["Building &lt;img&gt;&amp;.outcrop"]);
    assert_page(&run, &["bfs on &lt;img&gt;&amp;.outcrop", "&lt;b&gt;a&amp;&quot;&lt;/b&gt;"]);
    assert!(!build.contains("<img>") && !run.contains("<img>") && !run.contains("<b>"));
}
