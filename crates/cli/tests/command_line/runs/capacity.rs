//! Needs of graphs that are not there, beside those of graphs that are.

use crate::driver::Folder;
use serde_json::Value;

/// Both as parts of what is true.
fn near(said: &Value, is: &Value, apart: f64) -> bool {
    let (said, is) = (said.as_f64().unwrap(), is.as_f64().unwrap());
    (said - is).abs() <= apart * is
}

#[test]
fn what_is_planned_for_a_graph_is_about_what_it_needs() {
    let folder = Folder::new();
    let graphs = [
        ("kronecker", "kronecker --scale 18 --edge-factor 16", "degree"),
        ("web", "web --vertices 300000 --edges 4000000", "original"),
        ("road", "grid --rows 700 --columns 700", "original"),
    ];
    for (profile, generated, order) in graphs {
        folder.ok(&format!("generate {generated} -o e.bin --overwrite"));
        let build =
            format!("build e.bin g.outcrop --overwrite --ids dense --dedup first --self-loops drop --order {order}");
        let built = folder.ok(&format!("{build} --json")).json();
        let size = format!("--vertices {} --edges {} --profile {profile}", built["vertices"], built["edges"]);
        for run in ["pagerank --iterations 5", "bfs", "wcc", "bc --samples 2", "kcore", "label-propagation"] {
            let planned = folder.ok(&format!("estimate {run} {size} -t 2 --memory 8GiB --json")).json();
            let mut words = run.splitn(2, ' ');
            let (name, rest) = (words.next().unwrap(), words.next().unwrap_or(""));
            let found = folder.ok(&format!("estimate {name} g.outcrop {rest} -t 2 --memory 8GiB --json")).json();
            let run = &planned["run"];
            assert_eq!(run["model"], found["model"]);
            assert!(near(&run["minimum"], &found["minimum"], 0.15), "{profile} {name}: {run} {found}");
            assert!(near(&run["lists_bytes"], &found["lists_bytes"], 0.25), "{profile} {name}: {run} {found}");
            assert_eq!(run["time"].is_null(), found["time"].is_null());
        }
        let planned = folder.ok(&format!("estimate build {size} --json")).json();
        let bytes = folder.ok("info g.outcrop --json").json()["bytes"].clone();
        assert!(near(&planned["store_bytes"], &bytes, 0.25), "{profile}: {planned} {bytes}");
        assert!(planned["run"].is_null() && planned["build"]["temporary_bytes"].as_u64() > Some(1 << 20));
    }
}

#[test]
fn a_graph_beyond_this_machine_is_planned_for() {
    let folder = Folder::new();
    let crawl = "--vertices 3.5e9 --edges 128e9 --profile web --memory 128GB --threads 16";
    let plan = |more: &str| folder.ok(&format!("estimate pagerank {crawl} --iterations 10 {more} --json")).json();
    let (slow, quick) = (plan("--disk-gbps 1"), plan("--disk-gbps 64"));
    let time = |plan: &Value, part: &str| plan["run"]["time"][part].as_f64().unwrap();
    assert_eq!(time(&slow, "seconds"), time(&slow, "disk_seconds"));
    assert_eq!(time(&quick, "seconds"), time(&quick, "processor_seconds"));
    assert!(time(&slow, "bytes_read") > 5e11 && slow["store_bytes"].as_u64() > Some(200 << 30));
    assert!(slow["run"]["time"]["twice_as_fast"].as_str().unwrap().starts_with("a disk with 2.0 GB/s, or "));
    assert_eq!(quick["run"]["time"]["twice_as_fast"], "32 threads");
    let text = folder.ok(&format!("estimate wcc {crawl}")).stdout;
    for head in ["store", "build at least", "temporary files", "build time", "model", "twice as fast"] {
        assert!(text.lines().any(|line| line.starts_with(head)), "{text}");
    }
    let small = "--vertices 3.5e9 --edges 128e9 --undirected --memory 1GB";
    let text = folder.ok(&format!("estimate pagerank {small} --iterations 10 --delta 0.1")).stdout;
    let command = "outcrop run pagerank EDGES --undirected --engine spark --master URL --tmp-dir DIR --iterations 10 -o pagerank.parquet";
    assert!(text.contains("\nmachine too small memory: ") && text.contains(" of 953.67 MiB"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("on Spark") && line.ends_with(command)), "{text}");
    let outgrown = |run: &str| folder.ok(&format!("estimate {run} --json")).json()["outgrown"].clone();
    let found = outgrown(&format!("kcore {small} --disk-gbps 2"));
    assert!(found["memory"]["needed"].as_u64() > found["memory"]["available"].as_u64(), "{found}");
    assert!(found["disk"].is_null() && found["spark"].is_null(), "{found}");
    assert!(outgrown(&format!("build {small}"))["disk"]["needed"].as_u64() > Some(1 << 40));
    assert!(outgrown("kcore --vertices 1000 --edges 5000").is_null());
    let refused = [
        ("estimate wcc", "STORE"),
        ("estimate wcc --vertices 5", "--edges"),
        ("estimate wcc --vertices 5e9 --edges 1e10", "4294967294 vertices"),
        ("estimate wcc --vertices 1.5 --edges 3", "3.5e9"),
        ("estimate wcc --vertices 10 --edges 30 --profile moon", "social, web, road, kronecker"),
        ("estimate wcc --vertices 10 --edges 30 --disk-gbps 0", "GB/s"),
        ("estimate build --edges 30", "--vertices"),
        ("estimate wcc g.outcrop --profile web", "--vertices"),
        ("estimate wcc g.outcrop --disk-gbps 2", "--vertices"),
    ];
    for (arguments, part) in refused {
        let message = folder.fails(arguments, 2);
        assert!(message.contains(part), "outcrop {arguments}: {message}");
    }
}
