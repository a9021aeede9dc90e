//! Whether lists are selected or swept over, as it is asked for.

use crate::driver::Folder;
use serde_json::Value;

#[test]
fn a_schedule_is_forced_and_told() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 10 --edge-factor 16 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --layout csr");
    let ways = |algorithm: &str, options: &str, key: &str| -> (Value, Vec<String>) {
        let run = folder
            .ok(&format!("run {algorithm} g.outcrop --page-cache 4KiB --json {options} -o {key}.csv --overwrite"));
        let record = run.json();
        let each = record["iterations_detail"].as_array().unwrap().iter();
        let mut access: Vec<_> = each.map(|one| one["access"].as_str().unwrap().to_owned()).collect();
        access.sort();
        access.dedup();
        (record["schedule"].clone(), access)
    };
    for algorithm in ["bfs --source 1", "sssp --source 1", "wcc --method label-propagation"] {
        for (way, access) in [("select", "select"), ("sweep", "sweep")] {
            let told = ways(algorithm, &format!("--schedule {way}"), way);
            assert_eq!(told, (Value::from(way), vec![access.to_owned()]), "{algorithm}");
        }
        assert_eq!(ways(algorithm, "", "auto").0, "auto");
        assert_eq!(folder.read("select.csv"), folder.read("sweep.csv"));
        assert_eq!(folder.read("select.csv"), folder.read("auto.csv"));
    }
}

#[test]
fn another_word_is_refused() {
    let folder = Folder::new();
    let ran = folder.run("run bfs g.outcrop --source 1 --schedule both");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("auto, select, sweep"), "{}", ran.stderr);
}
