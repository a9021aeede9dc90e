//! The history of a store's runs.

use crate::driver::{Folder, names_in};
use serde_json::Value;
use std::fs;

fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n2 0\n2 3\n");
    folder.ok("build edges.txt g.outcrop");
    folder
}

fn runs(folder: &Folder) -> Vec<Value> {
    folder.ok("runs g.outcrop --json").json()["runs"].as_array().unwrap().clone()
}

#[test]
fn runs_are_listed_as_they_ended() {
    let folder = folder_with_store();
    assert!(runs(&folder).is_empty());
    let record = folder.ok("run pagerank g.outcrop --alpha 0.5 --json").json();
    folder.run("run pagerank g.outcrop --max-iter 1 --tol 1e-12");
    folder.fails("run bfs g.outcrop --source 77", 2);
    folder.fails("run bfs g.outcrop --source 0 --memory 1KiB", 4);
    folder.ok("run bfs g.outcrop --source 0 --no-history");
    assert_eq!(
        folder.command("run wcc g.outcrop").env("OUTCROP_NO_HISTORY", "1").output().unwrap().status.code(),
        Some(0)
    );
    let runs = runs(&folder);
    let ends: Vec<_> = runs.iter().map(|run| run["exit"].as_str().unwrap()).collect();
    assert_eq!(ends, ["ok", "not_converged", "failed"], "{runs:?}");
    assert_eq!(runs[0]["parameters"], serde_json::json!({ "alpha": 0.5 }));
    assert_eq!((&runs[0]["iterations"], &runs[2]["iterations"]), (&record["iterations"], &Value::Null));
    assert!(runs[2]["error"].as_str().unwrap().contains("memory"), "{}", runs[2]);
    let table = folder.ok("runs g.outcrop").stdout;
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.contains("--alpha 0.5") && table.contains("not converged"), "{table}");
    assert!(table.lines().next().unwrap().contains("algorithm  status"), "{table}");
    let id = runs[0]["id"].as_str().unwrap();
    let shown = folder.ok(&format!("runs g.outcrop {id}")).stdout;
    assert!(shown.contains("run pagerank g.outcrop --alpha 0.5 --json"), "{shown}");
    let kept = folder.ok(&format!("runs g.outcrop {id} --json --report page.html")).json();
    assert_eq!((&kept["algorithm"], &kept["values"]), (&record["algorithm"], &record["values"]));
    assert_eq!(kept["iterations_detail"], record["iterations_detail"]);
    assert!(folder.read("page.html").contains("<h1>pagerank on g.outcrop</h1>"));
    assert!(folder.fails("runs g.outcrop 1999", 2).contains("no run 1999 in "));
    assert!(folder.fails("runs g.outcrop 20", 2).contains("ambiguous"));
    let failed = runs[2]["id"].as_str().unwrap();
    assert!(folder.fails(&format!("runs g.outcrop {failed} --json"), 2).contains("has no record"));
}

#[test]
fn the_history_goes_with_the_graph() {
    let folder = folder_with_store();
    folder.ok("run wcc g.outcrop");
    folder.ok("check g.outcrop");
    folder.write("new.txt", "3 0\n9 0\n");
    folder.ok("update g.outcrop --add new.txt");
    folder.ok("run wcc g.outcrop");
    let made = runs(&folder);
    assert_eq!(made.len(), 2, "{made:?}");
    assert_ne!(made[0]["uuid"], made[1]["uuid"], "the store was written anew");
    assert!(folder.names().iter().all(|name| !name.contains(".tmp-")), "{:?}", folder.names());
    folder.ok("build edges.txt g.outcrop --overwrite");
    assert!(runs(&folder).is_empty());
}

#[test]
fn many_runs_at_once_are_all_kept_and_the_oldest_of_too_many_go() {
    let folder = folder_with_store();
    let children: Vec<_> = (0..8).map(|_| folder.command("run wcc g.outcrop").spawn().unwrap()).collect();
    children.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
    let made = runs(&folder);
    assert_eq!(made.len(), 8);
    let store = folder.path("g.outcrop/runs");
    let text = fs::read_to_string(store.join(format!("{}.json", made[0]["id"].as_str().unwrap()))).unwrap();
    for number in 0..1000 {
        let id = format!("20000101-000000-{number:04x}");
        let old = text.replace(made[0]["id"].as_str().unwrap(), &id);
        fs::write(store.join(format!("{id}.json")), old).unwrap();
    }
    folder.ok("run wcc g.outcrop");
    let kept = names_in(&store);
    assert_eq!((kept.len(), kept[0].as_str()), (1000, "20000101-000000-0009.json"));
    assert!(kept.iter().all(|name| !name.starts_with('.')), "{kept:?}");
}

#[test]
fn what_is_no_history_is_passed_over() {
    let folder = folder_with_store();
    fs::create_dir(folder.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("g.outcrop/runs")).unwrap();
    let ran = folder.ok("run wcc g.outcrop");
    assert_eq!(ran.stderr.matches("could not write the run history:").count(), 1, "{}", ran.stderr);
    assert!(names_in(&folder.path("elsewhere")).is_empty());
    assert!(runs(&folder).is_empty());
    folder.fails("check g.outcrop", 2);
    fs::remove_file(folder.path("g.outcrop/runs")).unwrap();
    folder.ok("run wcc g.outcrop");
    let id = runs(&folder)[0]["id"].as_str().unwrap().to_owned();
    let text = folder.read(&format!("g.outcrop/runs/{id}.json"));
    let hostile = text.replace("\"wcc\"", "\"\\u001b[31mwcc\"").replace(&id, "20300101-000000-0000");
    folder.write("g.outcrop/runs/20300101-000000-0000.json", &hostile);
    folder.write("g.outcrop/runs/20300101-000000-0001.json", "{\"id\": 7}");
    folder.write("g.outcrop/runs/20300101-000000-0002.json", &text);
    folder.write("g.outcrop/runs/notes.txt", "mine");
    fs::create_dir(folder.path("g.outcrop/runs/20300101-000000-0003.json")).unwrap();
    let table = folder.ok("runs g.outcrop").stdout;
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(!table.contains('\u{1b}'), "{table}");
    folder.ok("run wcc g.outcrop");
    assert!(folder.fails("check g.outcrop", 2).contains("does not belong to the store"));
    assert_eq!(folder.read("g.outcrop/runs/notes.txt"), "mine");
}
