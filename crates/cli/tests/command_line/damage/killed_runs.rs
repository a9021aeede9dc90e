//! A run that keeps values of edges on disk and is killed changes nothing of its store and leaves nothing; the next run
//! is right.

use crate::driver::{Dice, Folder, contents, time_of};

/// Stores: one of which a run makes shards, and one that has them.
const STORES: [(&str, &str); 2] = [("chunked.outcrop", ""), ("sliding.outcrop", "--layout sliding --intervals 6")];

/// Runs on every kind of shards, with little memory: algorithm, store, and options.
const RUNS: [(&str, &str, &str); 5] = [
    ("sssp", "sliding.outcrop", "--source 0 --source 77 --shards static"),
    ("wcc", "chunked.outcrop", "--shards ads --updated-share 90%"),
    ("pagerank", "sliding.outcrop", "--unweighted --delta 0.0001 --max-iter 1000 --shards ods --delay-buffer 1KiB"),
    ("sssp", "chunked.outcrop", "--source 0 --source 77 --shards edge-list"),
    ("bp", "sliding.outcrop", "--vector priors.csv --coupling 0.6 --shards ods --updated-share 90%"),
];

fn folder_with_stores() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 11 --edge-factor 8 --weights 1..255 -o edges.bin");
    for (name, options) in STORES {
        folder.ok(&format!("build edges.bin {name} --weighted --ids dense --num-vertices 2048 {options}"));
    }
    let priors: String = (0..2048).map(|id| format!("{id},0.{}\n", 3 + id % 5)).collect();
    folder.write("priors.csv", format!("node,value\n{priors}"));
    folder
}

/// The options of a run with a mebibyte more than it takes at the least.
fn with_little_memory(folder: &Folder, (algorithm, store, options): (&str, &str, &str)) -> String {
    let parameters = options.split("--shards").next().unwrap_or_default();
    let estimate = folder.ok(&format!("estimate {algorithm} {store} {parameters} --model gas --threads 2 --json"));
    format!("{algorithm} {store} {options} --model gas --threads 2 --memory {}", estimate.figure("minimum") + (1 << 20))
}

fn kill_runs(kills: u64) {
    let folder = folder_with_stores();
    let stores = || STORES.map(|(name, _)| contents(&folder.path(name)));
    let (names, before) = (folder.names(), stores());
    let mut dice = Dice::seeded(17);
    let mut killed = 0;
    for run in RUNS {
        let run = with_little_memory(&folder, run);
        let expected = folder.rows(&run);
        let mut whole = time_of(|| drop(folder.ok(&format!("run {run}"))));
        for round in 0..kills {
            killed += u64::from(folder.kill_within(&format!("run {run}"), &mut whole, &mut dice));
            assert_eq!(folder.names(), names, "{run}, killed within {whole:?}");
            assert!(stores() == before, "{run}, killed within {whole:?}");
            assert!(round % 5 > 0 || folder.rows(&run) == expected, "{run}, killed within {whole:?}");
        }
    }
    let all = kills * RUNS.len() as u64;
    println!("{all} runs: {killed} killed");
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
