//! Writers that wait for their turn.

use crate::cases::graph::{Case, Ids};
use crate::harm::damage::check_all;
use outcrop_io::Disk;
use outcrop_store::writing::BuildOptions;
use outcrop_store::{Store, WriterLock, while_in_use};
use outcrop_types::{Cancellation, Error};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::Duration;

/// Time that is not over while a test runs.
const LONG: Duration = Duration::from_secs(300);

fn built() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("g.outcrop");
    Case::random(Ids::Dense, 20, 60).build(&target).unwrap();
    (folder, target)
}

#[test]
fn a_writer_that_waits_gets_its_turn_beside_readers_that_overlap() {
    let (_folder, target) = built();
    let (done, reads) = (AtomicBool::new(false), AtomicU32::new(0));
    scope(|scope| {
        for number in 0..6 {
            let (target, done, reads) = (&target, &done, &reads);
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    match Store::open(target) {
                        Ok(_store) => {
                            reads.fetch_add(1, Relaxed);
                            sleep(Duration::from_millis(20 + number));
                        }
                        // The machine may have let the writer sleep.
                        Err(Error::InUse { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
        while reads.load(Relaxed) < 12 {
            sleep(Duration::from_millis(1));
        }
        for _ in 0..5 {
            let before = reads.load(Relaxed);
            let (turn, store) = Store::open_for_update(&target, true, LONG, &Cancellation::new()).unwrap();
            drop((store, turn));
            // Readers come between two writers.
            while reads.load(Relaxed) < before + 6 {
                sleep(Duration::from_millis(1));
            }
        }
        done.store(true, Relaxed);
    });
    assert!(!target.join("lock.writer").exists());
}

#[test]
fn a_reader_waits_for_a_writer_that_has_its_turn_and_nobody_for_what_a_killed_one_left() {
    let (_folder, target) = built();
    let (turn, store) = Store::open_for_update(&target, true, LONG, &Cancellation::new()).unwrap();
    scope(|scope| {
        let reader = scope.spawn(|| Store::open(&target).map(|_| ()));
        sleep(Duration::from_millis(30));
        drop((store, turn));
        reader.join().unwrap().unwrap();
    });
    std::fs::write(target.join("lock.writer"), "").unwrap();
    check_all(&target, &crate::cases::collect::Reading::PLAIN.workers()).unwrap();
    Store::open(&target).unwrap();
    drop(Store::open_for_update(&target, true, LONG, &Cancellation::new()).unwrap());
    assert!(!target.join("lock.writer").exists());
}

#[test]
fn writers_that_wait_follow_a_store_that_is_replaced_again_and_again() {
    let (_folder, target) = built();
    let case = Case::random(Ids::Dense, 20, 60);
    scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let options = BuildOptions { overwrite: true, ..case.options(&target) };
                    while_in_use(LONG, &Cancellation::new(), || {
                        let _turn = WriterLock::wait(&target, LONG, &Cancellation::new())?;
                        case.build_on(&Disk, &options).map(drop)
                    })
                    .unwrap();
                }
            });
        }
    });
    check_all(&target, &crate::cases::collect::Reading::PLAIN.workers()).unwrap();
}

#[test]
fn a_time_that_is_over_names_who_has_the_store_open() {
    let (_folder, target) = built();
    let held = Store::open(&target).unwrap();
    let wait = Duration::from_millis(30);
    for wait in [Duration::ZERO, wait] {
        let error = Store::open_for_update(&target, true, wait, &Cancellation::new()).map(|_| ()).unwrap_err();
        let Error::InUse { by, .. } = &error else { panic!("{error}") };
        // Where the system shows it.
        assert!(by.is_empty() || by.contains(&format!("process {}", std::process::id())), "{error}");
    }
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert!(matches!(WriterLock::wait(&target, LONG, &cancelled).map(|_| ()), Err(Error::Interrupted)));
    drop(held);
    // What is no store, or not there, has no turn.
    drop(WriterLock::wait(&target.with_file_name("other"), LONG, &Cancellation::new()).unwrap());
    let mut tries = 0;
    let outcome = while_in_use(LONG, &Cancellation::new(), || {
        tries += 1;
        if tries < 3 { Err(Error::in_use("x", String::new())) } else { Ok(tries) }
    });
    assert_eq!(outcome.unwrap(), 3);
}
