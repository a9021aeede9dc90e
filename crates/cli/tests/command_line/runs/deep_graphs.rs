//! Searches of graphs so deep that distances outgrow a byte, and two bytes, per vertex.

use crate::driver::{Dice, Folder, time_of};

/// Minimum budget of a run in a model.
fn minimum(folder: &Folder, run: &str, model: &str) -> u64 {
    let estimate = folder.ok(&format!("estimate {run} --model {model} --json")).json();
    estimate["run"]["minimum"].as_u64().or_else(|| estimate["minimum"].as_u64()).unwrap()
}

/// A folder with the store `g.outcrop` of a path, and its distances from 0.
fn path(vertices: u32) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let edges: String = (1..vertices).map(|vertex| format!("{} {vertex}\n", vertex - 1)).collect();
    folder.write("edges.el", edges);
    folder.ok("build edges.el g.outcrop --ids dense");
    (folder, (0..vertices).map(|vertex| format!("{vertex},{vertex}")).collect())
}

#[test]
fn distances_beyond_one_and_two_bytes_are_right() {
    let (folder, expected) = path(66_000);
    assert!(folder.rows("bfs g.outcrop --source 0") == expected);
    let with_predecessors = folder.rows("bfs g.outcrop --source 0 --columns all");
    let row = |(vertex, row): (usize, &String)| match vertex {
        0 => row == "0,0,",
        _ => *row == format!("{vertex},{vertex},{}", vertex - 1),
    };
    assert!(with_predecessors.iter().enumerate().all(row) && with_predecessors.len() == expected.len());
}

#[test]
fn distances_that_outgrow_the_memory_are_searched_for_in_the_next_model() {
    let folder = Folder::new();
    folder.ok("generate grid --rows 2 --columns 40000 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --ids dense");
    let run = "bfs g.outcrop --source 0 -t 1";
    let expected = folder.rows(run);
    assert!(expected.iter().any(|row| row.ends_with(",40000")));
    let [least, beyond] = ["edge_map", "interval --values disk"].map(|model| minimum(&folder, run, model));
    let small = format!("{run} --memory {}", least.max(beyond));
    let ran = folder.ok(&format!("run {small} --json"));
    let record = ran.json();
    assert_eq!(record["model"], "interval", "{}", ran.stderr);
    assert!(
        ran.stderr.contains("do not fit in the remaining memory: restarting with --model interval"),
        "{}",
        ran.stderr
    );
    assert!(folder.rows(&small) == expected);
    // Where no other model fits, the run takes the memory that is left.
    assert!(least + 2 * 80_000 < beyond);
    assert!(folder.rows(&format!("{run} --memory {}", beyond - 1)) == expected);
    // Where no other model may be chosen, the run says what it needs, and needs no more.
    let message = folder.fails(&format!("run {run} --model edge_map --memory {least}"), 4);
    let needed = least + 5 * 80_000;
    assert!(message.contains(&format!("--memory {needed}")), "{message}");
    assert!(folder.rows(&format!("{run} --model edge_map --memory {needed}")) == expected);
    // Checkpoints are of one model, which therefore stays, and leaves memory for wider distances.
    let kept = format!("{run} --checkpoint-dir kept --checkpoint-every 1h --memory {}", least + (2 << 20));
    assert_eq!(folder.ok(&format!("run {kept} --json")).json()["model"], "edge_map");
    assert!(folder.rows(&kept) == expected);
}

#[test]
fn searches_of_deep_graphs_resume_at_every_width() {
    let (folder, expected) = path(66_000);
    let run = "bfs g.outcrop --source 0 --checkpoint-dir kept --checkpoint-every 0s --resume";
    let (mut dice, mut saved) = (Dice::seeded(41), 0);
    let mut whole = time_of(|| assert!(folder.rows("bfs g.outcrop --source 0") == expected));
    for _ in 0..3 {
        folder.kill_within(&format!("run {run}"), &mut whole, &mut dice);
        saved += u32::from(folder.has_checkpoint());
    }
    assert!(folder.rows(run) == expected);
    println!("{saved} of 3 runs were resumed");
}
