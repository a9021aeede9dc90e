//! A store with any one bit flipped never yields an answer that is not the right one.

use crate::driver::{Dice, Folder, RUNS, names_in, seed};
use outcrop::{Graph, IoChoice, MemorySize, OpenOptions, Result, RunRequest};
use std::fmt::Write;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A store with every kind of file: ids of the user's own, weights, an order of its own.
fn folder_with_store() -> Folder {
    let folder = Folder::new();
    let mut dice = Dice::seeded(3);
    let mut edges = "0 7 1\n".to_owned();
    for _ in 0..300 {
        let (source, target) = (7 * dice.below(60), 7 * dice.below(60));
        writeln!(edges, "{source} {target} {}", dice.below(9) + 1).unwrap();
    }
    folder.write("edges.txt", edges);
    folder.ok("build edges.txt g.outcrop --weighted --order degree");
    folder
}

fn open(store: &Path) -> Result<Graph> {
    let memory = MemorySize::Bytes(256 << 20);
    Graph::open(store, OpenOptions { threads: Some(1), memory, io: IoChoice::Buffered, ..OpenOptions::default() })
}

/// What is said of the store and the answer of one algorithm, as text.
fn answer(store: &Path, (algorithm, parameters): (&str, &'static str)) -> Result<String> {
    let mut request = RunRequest::new(algorithm)?;
    let words: Vec<_> = parameters.split_whitespace().collect();
    for [name, value] in words.as_chunks().0 {
        request = request.with(name.trim_start_matches('-'), *value)?;
    }
    let graph = open(store)?;
    graph.estimate(&request)?;
    let result = graph.run(&request)?;
    let mut text = serde_json::to_string(&graph.info()).unwrap();
    result.table().for_each_batch(|batch| {
        write!(text, "{batch:?}").unwrap();
        Ok(())
    })?;
    Ok(text)
}

/// Every file of the store that holds anything, with its length, but for the history of runs.
fn files(store: &Path) -> Vec<(PathBuf, u64)> {
    let files = names_in(store).into_iter().filter(|name| name != "runs").map(|name| store.join(name));
    files.map(|path| (path.clone(), fs::metadata(path).unwrap().len())).filter(|(_, length)| *length > 0).collect()
}

/// Calls `test` with one bit after the other flipped in the store: every `step`th bit of every file.
fn with_flipped_bits(store: &Path, step: u64, test: &dyn Fn(&str)) {
    // Which bits these are differs from seed to seed.
    let first = seed().unwrap_or(0) % step;
    let mut flipped = 0;
    for (path, length) in files(store) {
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let mut byte = [0];
        for bit in (first..8 * length).step_by(step.try_into().unwrap()) {
            file.read_exact_at(&mut byte, bit / 8).unwrap();
            file.write_all_at(&[byte[0] ^ (1 << (bit % 8))], bit / 8).unwrap();
            test(&format!("bit {bit} of {}", path.display()));
            file.write_all_at(&byte, bit / 8).unwrap();
            flipped += 1;
        }
    }
    println!("{flipped} bits flipped");
}

fn check_finds_flipped_bits(step: u64) {
    let folder = folder_with_store();
    let store = folder.path("g.outcrop");
    let check = || open(&store).and_then(|graph| graph.check());
    check().unwrap();
    with_flipped_bits(&store, step, &|place| match check() {
        Err(error) => assert_eq!(error.exit_code(), 7, "{place}: {error}"),
        Ok(()) => panic!("{place} was not noticed"),
    });
    check().unwrap();
}

// 73 bits on is nine bytes and the next bit, so that all bits of bytes are met; the long variant flips every bit.
#[test]
fn check_finds_a_flipped_bit_in_every_ninth_byte() {
    check_finds_flipped_bits(73);
}

#[test]
#[ignore = "takes several minutes"]
fn check_finds_every_flipped_bit() {
    check_finds_flipped_bits(1);
}

fn answers_survive_flipped_bits(step: u64) {
    let folder = folder_with_store();
    let store = folder.path("g.outcrop");
    let right = RUNS.map(|run| answer(&store, run).unwrap());
    with_flipped_bits(&store, step, &|place| {
        for (run, right) in RUNS.iter().zip(&right) {
            let algorithm = run.0;
            match answer(&store, *run) {
                Ok(found) => assert_eq!(&found, right, "{algorithm} with {place}"),
                Err(error) => assert_eq!(error.exit_code(), 7, "{algorithm} with {place}: {error}"),
            }
        }
    });
}

#[test]
fn an_answer_from_a_store_with_a_flipped_bit_is_right_or_refused() {
    answers_survive_flipped_bits(1201);
}

#[test]
#[ignore = "takes several minutes"]
fn every_answer_from_a_store_with_a_flipped_bit_is_right_or_refused() {
    answers_survive_flipped_bits(9);
}

#[test]
fn the_command_says_7_for_a_flipped_bit_and_prints_nothing() {
    let folder = folder_with_store();
    let store = folder.path("g.outcrop");
    let right = RUNS.map(|(algorithm, parameters)| folder.rows(&format!("{algorithm} g.outcrop {parameters}")));
    with_flipped_bits(&store, 40_009, &|place| {
        assert!(folder.fails("check g.outcrop", 7).contains("is damaged"), "{place}");
        for ((algorithm, parameters), right) in RUNS.iter().zip(&right) {
            let ran = folder.run(&format!("run {algorithm} g.outcrop {parameters} -o rows.csv"));
            if ran.code == Some(0) {
                assert!(folder.read("rows.csv").lines().skip(1).eq(right), "{algorithm} with {place}");
                fs::remove_file(folder.path("rows.csv")).unwrap();
            } else {
                assert_eq!((ran.code, ran.stdout.as_str()), (Some(7), ""), "{algorithm} with {place}");
                assert!(!folder.path("rows.csv").exists(), "{algorithm} with {place}");
            }
        }
    });
}

#[test]
fn a_file_that_is_shorter_longer_swapped_missing_or_strange_is_found() {
    let folder = folder_with_store();
    let store = folder.path("g.outcrop");
    let found = |what: &str| assert!(folder.fails("check g.outcrop", 7).contains("g.outcrop"), "{what}");
    for (path, _) in files(&store) {
        let whole = fs::read(&path).unwrap();
        let longer = [&whole[..], &[0; 4096]].concat();
        for (what, bytes) in [("cut", &whole[..whole.len() / 2]), ("empty", &[]), ("longer", &longer)] {
            fs::write(&path, bytes).unwrap();
            found(&format!("{} {what}", path.display()));
        }
        fs::write(&path, whole).unwrap();
    }
    let [out, into, aside] = ["out.degrees", "in.degrees", "aside"].map(|name| store.join(name));
    fs::rename(&out, &aside).unwrap();
    found("a missing file and a strange one");
    fs::rename(&into, &out).unwrap();
    fs::rename(&aside, &into).unwrap();
    found("two files swapped");
    fs::rename(&into, &aside).unwrap();
    fs::rename(&out, &into).unwrap();
    fs::rename(&aside, &out).unwrap();
    folder.ok("check g.outcrop");
    folder.write("g.outcrop/stranger", "x");
    assert!(folder.fails("check g.outcrop", 2).contains("g.outcrop/stranger"), "a strange file");
}
