//! Runs with checkpoints that are killed at random moments, again and again, until one ends: with the rows of a run that is not killed.

use crate::driver::{Dice, Folder, time_of};
use std::time::Duration;

/// Runs of many iterations, in every model.
const RUNS: [&str; 10] = [
    "pagerank g.outcrop --iterations 40",
    "pagerank g.outcrop --delta 0.0001 --max-iter 1000",
    "bc g.outcrop --samples 96 --batch 4",
    "sssp g.outcrop --source 0 --method delta --bucket-width 3",
    "apsp g.outcrop --samples 300",
    "kcore g.outcrop",
    "pagerank g.outcrop --model interval --values disk --iterations 30",
    "cdlp g.outcrop --max-iter 20 --memory 48MiB",
    "walks g.outcrop --length 30",
    "pagerank g.outcrop --model gas --unweighted --delta 0.0001 --max-iter 1000 --shards ods --delay-buffer 1KiB",
];

/// So often a run is killed at the most before it is let to its end.
const MOST_KILLS: u32 = 12;

fn kill_and_resume(rounds: u32) {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 12 --edge-factor 8 --weights 1..255 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --weighted --ids dense --num-vertices 4096");
    let names = folder.names();
    let mut dice = Dice::seeded(23);
    let (mut killed, mut went_on) = (0_u32, 0_u32);
    for run in RUNS {
        let run = format!("{run} --threads 2");
        let expected = folder.rows(&run);
        let kept = format!("{run} --checkpoint-dir kept --checkpoint-every 0s --resume");
        let whole = time_of(|| assert!(folder.rows(&kept) == expected, "{run}"));
        for _ in 0..rounds {
            for _ in 0..MOST_KILLS {
                let delay = whole.mul_f64(dice.below(700) as f64 / 1000.0) + Duration::from_millis(5);
                if !folder.kill(&format!("run {kept} -o rows.csv --overwrite"), delay) {
                    break;
                }
                killed += 1;
            }
            let ran = folder.ok(&format!("run {kept} -o rows.csv --overwrite"));
            went_on += u32::from(ran.stderr.contains("goes on from a checkpoint"));
            let rows: Vec<String> = folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
            assert!(rows == expected, "{run}");
            std::fs::remove_file(folder.path("rows.csv")).unwrap();
            std::fs::remove_dir(folder.path("kept")).unwrap();
            assert_eq!(folder.names(), names, "{run}");
        }
    }
    println!("{killed} kills, {went_on} of {} last runs went on from a checkpoint", rounds * RUNS.len() as u32);
    assert!(went_on > rounds * RUNS.len() as u32 / 2);
}

#[test]
fn a_killed_run_goes_on_to_the_same_rows() {
    kill_and_resume(1);
}

#[test]
#[ignore = "takes several minutes"]
fn a_thousand_kills_and_resumptions_lead_to_the_same_rows() {
    kill_and_resume(12);
}
