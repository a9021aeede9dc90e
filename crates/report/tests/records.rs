//! Records in JSON: their keys, the order of the keys, and what may be absent, which other programs rely on.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

use outcrop_report::{BuildRecord, Record, RunRecord};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

const RUN: &str = include_str!("records/run.json");
const BUILD: &str = include_str!("records/build.json");
const LEAST_RUN: &str = include_str!("records/least_run.json");
const LEAST_BUILD: &str = include_str!("records/least_build.json");

/// Reads a record of `text` and writes it.
fn rewritten<R: DeserializeOwned + Serialize>(text: &str) -> String {
    let record: R = serde_json::from_str(text).unwrap();
    serde_json::to_string_pretty(&record).unwrap() + "\n"
}

/// Keys of the outermost object of indented JSON, in their order.
fn keys(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("  \"")?.split_once("\": ").map(|(key, _)| key)).collect()
}

/// Each key of `text`, with the rest of the object.
fn without_each(text: &str) -> Vec<(String, String)> {
    let whole: Map<String, Value> = serde_json::from_str(text).unwrap();
    let without = |gone: &String| {
        let rest: Map<_, _> = whole.clone().into_iter().filter(|(key, _)| key != gone).collect();
        (gone.clone(), serde_json::to_string(&rest).unwrap())
    };
    whole.keys().map(without).collect()
}

#[test]
fn records_are_written_as_they_were_read() {
    assert_eq!(rewritten::<RunRecord>(RUN), RUN);
    assert_eq!(rewritten::<BuildRecord>(BUILD), BUILD);
}

#[test]
fn absent_keys_have_defaults_or_are_named() {
    let optional = ["window", "summary", "histogram", "top", "command", "machine", "disk", "messages", "gas"];
    let optional = [&optional[..], &["checkpoints", "incremental"]].concat();
    let written = rewritten::<RunRecord>(LEAST_RUN);
    assert_eq!(keys(&written), keys(RUN).into_iter().filter(|key| !optional.contains(key)).collect::<Vec<_>>());
    let written = rewritten::<BuildRecord>(LEAST_BUILD);
    let optional = ["weight_type", "order_reason"];
    assert_eq!(keys(&written), keys(BUILD).into_iter().filter(|key| !optional.contains(key)).collect::<Vec<_>>());
    for (key, rest) in without_each(LEAST_RUN).into_iter().chain(without_each(LEAST_BUILD)) {
        let error = Record::from_json(&rest, "r.json").unwrap_err().to_string();
        let expected = match key.as_str() {
            "algorithm" | "phases" => "found none of `algorithm`, `phases` and `degrees`".to_owned(),
            key => format!("missing field `{key}`"),
        };
        assert!(error.contains(&expected), "{key}: {error}");
    }
}

#[test]
fn former_and_unknown_keys_are_accepted() {
    let former = RUN.replace("_utilization", "_utilisation").replacen('{', "{\n  \"later\": [1, 2],", 1);
    assert_eq!(rewritten::<RunRecord>(&former), RUN);
    assert_eq!(rewritten::<BuildRecord>(&BUILD.replacen('{', "{\n  \"later\": {},", 1)), BUILD);
}
