//! Builds with checkpoints that are killed at random moments, again and again, until one ends: with the store of a
//! build that is not killed.

use crate::driver::{Dice, Folder, contents, names_in, not_tested, time_of};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// Builds by every way from ids to vertices, in every layout and in every order that needs no lists.
const BUILDS: [&str; 9] = [
    "numbers.csv --order auto --memory 48MiB",
    "numbers.csv --order original --undirected --dedup sum --weighted --memory 48MiB",
    "large.csv --order degree --layout compact --memory 48MiB",
    "large.csv --order original --layout csr --weighted --memory 48MiB",
    "texts.csv --order auto --memory 64MiB",
    "texts.csv numbers.csv --ids string --order random --layout sliding --vertices more.txt --memory 64MiB",
    "numbers.csv --ids dense --order original --layout sliding --dedup first --memory 48MiB",
    "numbers.csv --ids dense --order degree --self-loops drop --num-vertices 9000 --memory 48MiB",
    "numbers.csv --weighted --timed --order degree --memory 64MiB",
];

/// Conversions, in every layout and with orders that are found from lists.
const CONVERSIONS: [&str; 4] = [
    "base.outcrop --layout compact --order pagerank --memory 64MiB",
    "base.outcrop --layout csr --weight-type f64 --memory 64MiB",
    "base.outcrop --layout sliding --order original --memory 64MiB",
    "base.outcrop --layout chunked --order norder --memory 64MiB",
];

/// A folder with edges between small numbers, with weights and times; between large numbers; and between texts.
fn folder_with_inputs(edges: u64) -> Folder {
    let folder = Folder::new();
    let mut dice = Dice(5);
    let (mut numbers, mut large, mut texts) = (String::new(), String::new(), String::new());
    for edge in 0..edges {
        let (source, target, weight) = (dice.below(3000), dice.below(3000) * dice.below(3), dice.below(100));
        numbers += &format!("{source},{target},{weight},{}\n", edge / 10);
        large += &format!("{},{target},{weight}.5\n", source + 9_000_000_000_000);
        texts += &format!("v{source},w{target}\n");
    }
    folder.write("numbers.csv", numbers);
    folder.write("large.csv", large);
    folder.write("texts.csv", texts);
    folder.write("more.txt", "alone\nlonely\n");
    folder
}

/// The part of a store that two builds of it have in common: the manifest with the hash of the arcs, but without what
/// depends on the identity, and the lengths of the files.
fn store(folder: &Folder, name: &str) -> (Value, BTreeMap<String, usize>) {
    folder.ok(&format!("check {name}"));
    let files = contents(&folder.path(name));
    let mut manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    let identity = manifest["uuid"].take();
    manifest["checksum"] = Value::Null;
    // Only builds with checkpoints record that they have ended.
    manifest.as_object_mut().unwrap().remove("built");
    for file in manifest["files"].as_array_mut().unwrap() {
        file["checksum"] = Value::Null;
    }
    if let Some(journal) = manifest.get_mut("journal") {
        assert_eq!(journal["lineage"].take(), identity);
        // Hashes of updates begin with that of the identity.
        (journal["base"], journal["head"]) = (Value::Null, Value::Null);
        journal["segments"].as_array_mut().unwrap().iter_mut().for_each(|segment| segment["head"] = Value::Null);
    }
    let lengths =
        files.into_iter().filter(|(name, _)| name != "manifest.json").map(|(name, bytes)| (name, bytes.len()));
    (manifest, lengths.collect())
}

/// A command that makes a store, and its inputs and options.
type Command = (&'static str, &'static str);

fn builds() -> impl Iterator<Item = Command> {
    BUILDS.into_iter().map(|build| ("build", build))
}

fn conversions() -> impl Iterator<Item = Command> {
    CONVERSIONS.into_iter().map(|conversion| ("convert", conversion))
}

/// Kills each command in so many rounds up to three times, also where its store appears, and lets it end at last.
fn kill_and_resume(commands: impl Iterator<Item = Command>, rounds: u32, edges: u64) {
    let folder = folder_with_inputs(edges);
    let mut dice = Dice::seeded(31);
    folder.ok("build numbers.csv base.outcrop --weighted --timed --order degree");
    let (mut killed, mut standing, mut published) = (0_u32, 0_u32, 0_u32);
    for (command, build) in commands {
        let (inputs, options) = build.split_at(build.find(" --").unwrap());
        folder.ok(&format!("{command} {inputs} plain.outcrop {options}"));
        let expected = store(&folder, "plain.outcrop");
        let rows = folder.rows("pagerank plain.outcrop --iterations 3");
        let every = if command == "build" { "--checkpoint-every 0s" } else { "" };
        let kept = format!("{command} {inputs} kept.outcrop {options} --checkpoint-dir kept {every} --resume");
        let names = folder.names();
        let whole = time_of(|| drop(folder.ok(&kept)));
        assert!(store(&folder, "kept.outcrop") == expected, "{build}");
        for round in 0..rounds {
            std::fs::remove_dir_all(folder.path("kept.outcrop")).unwrap();
            let mut left = 1 + round % 3;
            while left > 0 && !folder.path("kept.outcrop").exists() {
                // Half of them towards the end, where the store appears.
                let share = if dice.below(2) == 0 { dice.below(900) } else { 800 + dice.below(250) };
                let delay = whole.mul_f64(share as f64 / 1000.0) + Duration::from_millis(3);
                left -= 1;
                if folder.kill(&kept, delay) {
                    killed += 1;
                    standing += u32::from(folder.has_checkpoint());
                }
            }
            // One that was killed once its store stood only has to remove its checkpoint, if that is still there.
            published += u32::from(folder.path("kept.outcrop").exists());
            folder.ok(&kept);
            folder.assert_cleared();
            assert!(store(&folder, "kept.outcrop") == expected, "{build}, round {round}");
            assert!(folder.rows("pagerank kept.outcrop --iterations 3") == rows, "{build}, round {round}");
        }
        std::fs::remove_dir_all(folder.path("kept.outcrop")).unwrap();
        assert_eq!(folder.names(), names, "{build}");
        std::fs::remove_dir_all(folder.path("plain.outcrop")).unwrap();
    }
    println!("{killed} kills, after {standing} of which a checkpoint stood, after {published} with the store");
}

#[test]
fn a_killed_build_goes_on_to_the_same_store() {
    kill_and_resume(builds().chain(conversions()), 2, 60_000);
}

#[test]
#[ignore = "takes half an hour"]
fn a_thousand_kills_of_builds_that_go_on_lead_to_the_same_stores() {
    kill_and_resume(builds(), 75, 100_000);
}

#[test]
#[ignore = "takes half an hour"]
fn a_thousand_kills_of_conversions_that_go_on_lead_to_the_same_stores() {
    kill_and_resume(conversions(), 170, 100_000);
}

/// Kills `command`, which makes `kept.outcrop` with checkpoints, at its last so many calls of the system that sync,
/// rename or remove a file, and repeats it: it ends with the store that it was to make, and nothing else.
fn kill_at_the_last_calls(folder: &Folder, command: &str, calls: u64) {
    const TRACED: &str = "fsync,fdatasync,unlink,unlinkat,rename,renameat,renameat2,rmdir";
    let traced = |options: &str| {
        let words = folder.command(command);
        let mut strace = std::process::Command::new("strace");
        strace.args(["-f", "-qq", "-o", "trace"]).args(options.split_whitespace()).arg(words.get_program());
        strace.args(words.get_args()).current_dir(words.get_current_dir().unwrap());
        strace.env("XDG_CACHE_HOME", "no-cache").output()
    };
    let before = folder.names();
    folder.ok(command);
    let remove = |name: &str| std::fs::remove_dir_all(folder.path(name)).unwrap();
    remove("kept.outcrop");
    let Ok(whole) = traced(&format!("-e trace={TRACED}")) else {
        return not_tested("there is no strace here, which kills at a call of the system");
    };
    if !whole.status.success() {
        return not_tested("strace may not trace here");
    }
    // Calls are counted for each thread; the first of them is the one that publishes the store and clears the
    // checkpoint.
    let trace = folder.read("trace");
    let threads = trace.lines().filter_map(|line| line.split(' ').next()?.parse::<u64>().ok());
    let first = threads.min().unwrap().to_string();
    let count = trace.lines().filter(|line| line.starts_with(&first) && !line.contains("resumed>")).count() as u64;
    let expected = store(folder, "kept.outcrop");
    for call in count.saturating_sub(calls).max(1)..=count {
        remove("kept.outcrop");
        traced(&format!("-e trace={TRACED} -e inject={TRACED}:signal=SIGKILL:when={call}")).unwrap();
        let stands = folder.path("kept.outcrop").exists();
        let ran = folder.ok(command);
        assert!(!stands || ran.stderr.contains("the store was already completed by this "), "call {call}: {ran:?}");
        assert!(store(folder, "kept.outcrop") == expected, "call {call} of {count}");
        folder.assert_cleared();
    }
    remove("kept.outcrop");
    std::fs::remove_file(folder.path("trace")).unwrap();
    assert_eq!(folder.names(), before);
}

/// Builds and conversions that are killed at the last calls: without and with a store that they replace.
fn kill_where_the_store_appears(calls: u64) {
    let folder = folder_with_inputs(2000);
    folder.ok("build numbers.csv base.outcrop --weighted");
    let saved = "--checkpoint-dir kept --resume --memory 64MiB";
    kill_at_the_last_calls(&folder, &format!("build numbers.csv kept.outcrop --weighted {saved}"), calls);
    kill_at_the_last_calls(&folder, &format!("convert base.outcrop kept.outcrop --layout csr {saved}"), calls);
}

#[test]
fn a_build_that_is_killed_where_its_store_appears_is_repeated() {
    kill_where_the_store_appears(7);
}

#[test]
#[ignore = "takes minutes"]
fn a_build_that_is_killed_at_any_call_is_repeated() {
    kill_where_the_store_appears(u64::MAX);
}

/// A build that ends in an error behind a checkpoint: the last line of its input is none.
fn stopped(folder: &Folder) -> String {
    let good = "1,2\n".repeat(100_000);
    folder.write("edges.csv", format!("{good}no edge\n"));
    let build = "build edges.csv g.outcrop --checkpoint-dir kept --checkpoint-every 0s".to_owned();
    folder.fails(&build, 3);
    assert!(folder.has_checkpoint());
    build
}

#[test]
fn a_checkpoint_is_of_one_build_and_its_input() {
    let folder = Folder::new();
    let build = stopped(&folder);
    assert!(folder.fails(&build, 2).contains("contains a checkpoint; use --resume to continue from it, or remove it"));
    let other = folder.fails(&format!("{build} --resume --dedup first"), 2);
    assert!(other.contains("belongs to another build: --dedup was Keep, now First"), "{other}");
    let run = folder.fails(&format!("{build} --resume --undirected"), 2);
    assert!(run.contains("the direction was directed, now undirected"), "{run}");
    folder.write("edges.csv", "1,2\n".repeat(100_000));
    let changed = folder.fails(&format!("{build} --resume"), 2);
    assert!(changed.contains("input 1 was edges.csv, 400008 bytes"), "{changed}");
    assert!(!folder.path("g.outcrop").exists());
}

#[test]
fn a_checkpoint_is_of_one_conversion_and_its_store() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 20000 --edges 400000 --seed 1 -o edges.bin");
    folder.ok("build edges.bin one.outcrop");
    folder.ok("build edges.bin other.outcrop");
    folder.write("new.txt", "1 2\n");
    let convert = "g.outcrop --layout csr --checkpoint-dir kept --resume";
    let whole = time_of(|| drop(folder.ok(&format!("convert one.outcrop {convert}"))));
    let mut share = 10;
    while !folder.has_checkpoint() {
        _ = std::fs::remove_dir_all(folder.path("g.outcrop"));
        folder.kill(&format!("convert one.outcrop {convert}"), whole.mul_f64(f64::from(share % 100) / 100.0));
        share += 7;
        assert!(share < 5000, "no conversion was killed behind its checkpoint");
    }
    if !folder.path("g.outcrop").exists() {
        let message = folder.fails(&format!("convert other.outcrop {convert}"), 2);
        assert!(message.contains("belongs to another conversion: the source store was"), "{message}");
        let message = folder.fails(&format!("build edges.bin {convert}"), 2);
        assert!(message.contains("belongs to another build"), "{message}");
        // A copy of the store with an update of its own is another store.
        std::fs::rename(folder.path("one.outcrop"), folder.path("kept.outcrop")).unwrap();
        std::fs::create_dir(folder.path("one.outcrop")).unwrap();
        for (name, bytes) in contents(&folder.path("kept.outcrop")) {
            folder.write(&format!("one.outcrop/{name}"), bytes);
        }
        folder.ok("update one.outcrop --add new.txt --merge-above never");
        let message = folder.fails(&format!("convert one.outcrop {convert}"), 2);
        assert!(message.contains("the version of the source store was"), "{message}");
        std::fs::remove_dir_all(folder.path("one.outcrop")).unwrap();
        std::fs::rename(folder.path("kept.outcrop"), folder.path("one.outcrop")).unwrap();
        let ran = folder.ok(&format!("convert one.outcrop {convert}"));
        assert!(ran.stderr.contains("resumed from a checkpoint: writing lists"), "{ran:?}");
    }
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = Folder::new();
    let build = format!("{} --resume", stopped(&folder));
    let kept = folder.path("kept");
    let names = names_in(&kept);
    let checkpoint = names.iter().find(|name| name.starts_with("checkpoint-")).unwrap();
    let spilled: Vec<_> = names.iter().filter(|name| name.starts_with("spill-")).collect();
    assert!(!spilled.is_empty());
    let change = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let before = std::fs::read(kept.join(name)).unwrap();
        let mut bytes = before.clone();
        change(&mut bytes);
        std::fs::write(kept.join(name), &bytes).unwrap();
        let message = folder.fails(&build, 7);
        assert!(message.contains("start again"), "{message}");
        std::fs::write(kept.join(name), before).unwrap();
    };
    change(checkpoint, &|bytes| bytes[100] ^= 1);
    change(checkpoint, &|bytes| bytes.truncate(1000));
    spilled.iter().for_each(|name| change(name, &|bytes| bytes.truncate(bytes.len() / 2)));
    // The input is as bad as it was, which is found once the checkpoint is not.
    folder.fails(&build, 3);
    folder.ok("generate uniform --vertices 100 --edges 1000 -o more.bin");
    folder.ok("build more.bin other.outcrop");
    let run = "run pagerank other.outcrop --checkpoint-dir kept --resume";
    assert!(folder.fails(run, 7).contains("it is not a checkpoint"), "a run does not take a checkpoint of a build");
}

#[test]
fn builds_without_checkpoints_are_refused_with_them() {
    let folder = Folder::new();
    folder.write("edges.csv", "1,2\n");
    let refused = |options: &str, reason: &str| {
        let message = folder.fails(&format!("build {options} --checkpoint-dir kept"), 2);
        assert!(message.contains(reason), "{message}");
    };
    refused("edges.csv g.outcrop --verify", "`outcrop check`");
    refused("edges.csv g.outcrop --order pagerank", "`outcrop convert --order`");
    refused("edges.csv g.outcrop --tmp-dir .", "--tmp-dir");
    refused("edges.csv g.outcrop --placement reordered", "`outcrop convert`");
    refused("- g.outcrop", "can be read only once");
    assert_eq!(folder.names(), ["edges.csv"]);
    folder.fails("build edges.csv g.outcrop --resume", 2);
    let ran = folder.ok("build edges.csv g.outcrop --checkpoint-dir kept --resume");
    assert!(ran.stderr.contains("no checkpoint in kept; starting the build from the beginning"), "{ran:?}");
    assert_eq!(folder.names(), ["edges.csv", "g.outcrop"]);
}
