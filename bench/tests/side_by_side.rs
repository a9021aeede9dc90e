//! Programs side by side, measured by the built command.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what these tests set up must work")]

use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs the comparison of `peers` with a page cache as it is, which needs no rights.
fn compare(peers: &Value, arguments: &[&str]) -> Output {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("peers.json");
    fs::write(&file, json!({ "peers": peers }).to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_outcrop-bench"));
    command.arg("side-by-side").arg(&file).args(["--warm"]).args(arguments).output().unwrap()
}

fn shell(name: &str, script: &str, seconds: Value) -> Value {
    json!({ "name": name, "command": ["sh", "-c", script, "sh"], "seconds": seconds })
}

fn peers() -> Value {
    let slow = "echo Average Time: 9; echo Average Time: {slow} >&2; echo $1";
    let mut told =
        shell("told", "echo note; echo '{\"seconds\": 0.25, \"bytes_read\": 1048576}'", json!({ "json": "/seconds" }));
    told["bytes_read"] = json!({ "json": "/bytes_read" });
    json!([
        told,
        shell("slow", slow, json!({ "regex": "Average Time: +([0-9.]+)" })),
        shell("whole", "sleep 0.02", Value::Null)
    ])
}

#[test]
fn programs_run_in_turn_and_their_figures_are_found() {
    let ran = compare(&peers(), &["--set", "slow=0.5", "--rounds", "4", "--json", "--", "further"]);
    let told = String::from_utf8(ran.stderr).unwrap();
    let order: Vec<_> = told.lines().filter_map(|line| line.split_once("round ")?.1.split_once(": ")).collect();
    let names: Vec<_> = order.iter().map(|(_, name)| *name).collect();
    assert_eq!(names, ["told", "slow", "whole", "whole", "slow", "told"].repeat(2), "{told}");
    let record: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(record["peers"][0]["runs"].as_array().unwrap().len(), 4);
    let (first, second, third) =
        (&record["peers"][0]["runs"][3], &record["peers"][1]["runs"][0], &record["peers"][2]["runs"][0]);
    assert_eq!((first["seconds"].as_f64(), first["bytes_read"].as_f64()), (Some(0.25), Some(1048576.0)));
    assert_eq!(second["seconds"].as_f64(), Some(0.5));
    assert!(third["seconds"].as_f64().unwrap() >= 0.02 && third["seconds"] == third["wall_seconds"]);
    assert!(third["peak_rss"].as_f64().unwrap() > 1e5 && third["cpu_seconds"].as_f64().is_some());
    assert_eq!((record["ratios"][0].as_f64(), record["ratios"][1].as_f64()), (Some(1.0), Some(2.0)));
    let text = String::from_utf8(compare(&peers(), &["--set", "slow=0.5", "--rounds", "2"]).stdout).unwrap();
    assert!(text.contains("| slow | 0.500 (0.500 to 0.500) | 2.00 |") && text.contains("read-ahead: "), "{text}");
}

#[test]
fn what_goes_wrong_is_told() {
    let one = |script: &str, seconds: Value| json!([shell("one", script, seconds)]);
    let mut limited = one("true", Value::Null);
    limited[0]["memory_limit"] = "much".into();
    for (peers, reason) in [
        (peers(), "give --set slow=VALUE"),
        (json!([]), "has no peers"),
        (one("echo broken; exit 3", Value::Null), "broken"),
        (one("echo nothing", json!({ "regex": "Time: ([0-9.]+)" })), "did not print what"),
        (one("true", json!({ "regex": "Time: [0-9.]+" })), "has no group"),
        (one("true", json!({ "regex": "(" })), "\"(\""),
        (limited, "much"),
        (json!([{ "name": "none", "command": ["/nowhere/to/be/found"] }]), "none"),
        (json!([{ "name": "typo", "comand": [] }]), "comand"),
    ] {
        let ran = compare(&peers, &["--rounds", "1"]);
        let told = String::from_utf8(ran.stderr).unwrap();
        assert!(!ran.status.success() && told.contains(reason), "{reason}: {told}");
    }
}

#[test]
fn the_peers_of_this_repository_are_described_well() {
    for file in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/peers")).unwrap() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outcrop-bench"));
        let told = command.arg("side-by-side").arg(file.unwrap().path()).arg("--warm").output().unwrap().stderr;
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("needs a value: give --set "), "{told}");
    }
}
