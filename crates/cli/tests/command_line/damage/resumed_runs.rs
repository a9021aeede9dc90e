//! Runs with checkpoints that are killed at random moments, again and again, until one ends: with the rows of a run
//! that is not killed.

use crate::driver::{Dice, Folder, time_of};
use std::time::Duration;

/// Runs of many iterations, in every model.
const RUNS: [&str; 15] = [
    "pagerank g.outcrop --iterations 40",
    "pagerank g.outcrop --delta 0.0001 --max-iter 1000",
    "bc g.outcrop --samples 96 --batch 4",
    "sssp g.outcrop --source 0 --method delta --bucket-width 3",
    "apsp g.outcrop --samples 300",
    "kcore g.outcrop",
    "pagerank g.outcrop --model interval --values disk --iterations 30",
    "cdlp g.outcrop --max-iter 20 --memory 48MiB",
    "walks g.outcrop --length 30",
    "triangles g.outcrop",
    "lcc g.outcrop --memory 24MiB",
    "radii g.outcrop",
    "spmv g.outcrop --model interval",
    "wcc g.outcrop --method afforest",
    "pagerank g.outcrop --model gas --unweighted --delta 0.0001 --max-iter 1000 --shards ods --delay-buffer 1KiB",
];

/// Kills each run `kills` times, and lets it end each time that it does before, and at last.
fn kill_and_resume(kills: u32) {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 12 --edge-factor 8 --weights 1..255 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --weighted --ids dense --num-vertices 4096");
    let names = folder.names();
    let mut dice = Dice::seeded(23);
    let (mut killed, mut standing, mut ended) = (0_u32, 0_u32, 0_u32);
    for run in RUNS {
        let run = format!("{run} --threads 2");
        let expected = folder.rows(&run);
        let kept = format!("{run} --checkpoint-dir kept --checkpoint-every 0s --resume");
        let told = folder.ok(&format!("run {kept} --json")).json()["checkpoints"].clone();
        assert!(told["saved"].as_u64() > Some(0) && told["seconds"].as_f64() > Some(0.0), "{run}: {told}");
        let whole = time_of(|| assert!(folder.rows(&kept) == expected, "{run}"));
        let mut left = kills;
        while left > 0 {
            let delay = whole.mul_f64(dice.below(800) as f64 / 1000.0) + Duration::from_millis(3);
            if folder.kill(&format!("run {kept} -o rows.csv --overwrite"), delay) {
                (left, killed) = (left - 1, killed + 1);
                standing += u32::from(folder.has_checkpoint());
            }
            // Where it had ended it has left its rows, and nothing else.
            if left == 0 || folder.path("rows.csv").exists() {
                let rows = match folder.path("rows.csv").exists() {
                    true => folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect(),
                    false => folder.rows(&kept),
                };
                ended += 1;
                assert!(rows == expected, "{run}");
                _ = std::fs::remove_file(folder.path("rows.csv"));
            }
        }
        folder.ok(&format!("run {kept} -o rows.csv --overwrite"));
        std::fs::remove_file(folder.path("rows.csv")).unwrap();
        folder.assert_cleared();
        assert_eq!(folder.names(), names, "{run}");
    }
    println!("{killed} kills, after {standing} of which a checkpoint stood; {ended} runs ended, with the same rows");
}

#[test]
fn a_killed_run_goes_on_to_the_same_rows() {
    kill_and_resume(4);
}

#[test]
#[ignore = "takes a minute"]
fn a_thousand_kills_and_resumptions_lead_to_the_same_rows() {
    kill_and_resume(100);
}

#[test]
fn only_a_folder_that_the_command_created_is_removed() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 100 --edges 300 -o edges.bin");
    for given in [false, true] {
        if given {
            std::fs::create_dir(folder.path("kept")).unwrap();
        }
        folder.ok("build edges.bin g.outcrop --checkpoint-dir kept --overwrite");
        assert_eq!(folder.path("kept").exists(), given);
        folder.ok("run wcc g.outcrop --checkpoint-dir kept");
        assert_eq!(folder.path("kept").exists(), given);
    }
}
