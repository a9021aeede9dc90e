//! A run that keeps values of edges on disk and is killed changes nothing of its store and leaves nothing; the next run is right.

use crate::driver::{Dice, Folder, contents, time_of};

const STORE: &str = "g.outcrop";

/// Runs on every kind of shards, with little memory.
const RUNS: [&str; 5] = [
    "sssp --source 0 --source 77 --shards static",
    "wcc --shards ads --updated-share 90%",
    "pagerank --delta 0.0001 --max-iter 1000 --shards ods --delay-buffer 1KiB",
    "sssp --source 0 --source 77 --shards edge-list",
    "bp --vector priors.csv --coupling 0.6 --shards ods --updated-share 90%",
];

fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 11 --edge-factor 8 --weights 1..255 -o edges.bin");
    folder.ok(&format!("build edges.bin {STORE} --weighted --ids dense --num-vertices 2048"));
    let priors: String = (0..2048).map(|id| format!("{id},0.{}\n", 3 + id % 5)).collect();
    folder.write("priors.csv", format!("node,value\n{priors}"));
    folder
}

/// The options of a run with a mebibyte more than it takes at the least.
fn with_little_memory(folder: &Folder, run: &str) -> String {
    let (algorithm, options) = run.split_once(' ').unwrap();
    let estimated: String = options.split("--shards").next().unwrap_or_default().to_owned();
    let estimate = folder.ok(&format!("estimate {algorithm} {STORE} {estimated} --model gas --threads 2 --json"));
    format!("{algorithm} {STORE} {options} --model gas --threads 2 --memory {}", estimate.figure("minimum") + (1 << 20))
}

fn kill_runs(kills: u64) {
    let folder = folder_with_store();
    let (names, store) = (folder.names(), contents(&folder.path(STORE)));
    let mut dice = Dice(17);
    let mut killed = 0;
    for run in RUNS {
        let run = with_little_memory(&folder, run);
        let expected = folder.rows(&run);
        let whole = time_of(|| drop(folder.ok(&format!("run {run}"))));
        for round in 0..kills {
            let delay = whole.mul_f64(dice.below(1000) as f64 / 1000.0);
            killed += u64::from(folder.kill(&format!("run {run}"), delay));
            assert_eq!(folder.names(), names, "{run}, {delay:?}");
            assert!(contents(&folder.path(STORE)) == store, "{run}, {delay:?}");
            assert!(round % 5 > 0 || folder.rows(&run) == expected, "{run}, {delay:?}");
        }
    }
    let all = kills * RUNS.len() as u64;
    println!("{all} runs: {killed} killed");
    assert!(killed > all / 4, "{killed} of {all} were killed");
}

#[test]
fn a_killed_run_changes_no_store_and_leaves_nothing() {
    kill_runs(6);
}

#[test]
#[ignore = "takes several minutes"]
fn a_thousand_killed_runs_change_no_store_and_leave_nothing() {
    kill_runs(200);
}
