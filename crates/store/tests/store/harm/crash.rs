//! A store appears whole or not at all: crashes after every operation, and every operation failing.

use crate::cases::collect::Reading;
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, sliding};
use crate::harm::damage::{check_all, files_of, read_all};
use outcrop_io::{Disk, FaultyStorage, RecordingStorage, Storage, StorageFault};
use outcrop_store::Store;
use outcrop_store::writing::BuildOptions;
use outcrop_types::Error;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

pub const NAME: &str = "graph.outcrop";

fn overwriting(case: &Case, target: &Path) -> BuildOptions<'static> {
    BuildOptions { overwrite: true, ..case.options(target) }
}

/// Uuid of the store at the target after a crash, or none.
fn survivor(folder: &Path) -> Option<String> {
    let target = folder.join(NAME);
    if !target.exists() {
        return None;
    }
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
    read_all(&target).ok()?;
    Some(Store::open(&target).unwrap().manifest().uuid.clone())
}

pub fn crash_everywhere(storage: &RecordingStorage, allowed: &[Option<&str>], whole: &str) {
    for (mode, after) in storage.crashes(0) {
        let left = tempfile::tempdir().unwrap();
        storage.crash(after, mode, left.path()).unwrap();
        let found = survivor(left.path());
        let what = format!("{mode:?} after {after} ({})", storage.describe(after.saturating_sub(1)));
        assert!(allowed.contains(&found.as_deref()), "{what}: {found:?}");
        if after == storage.operations() {
            assert_eq!(found.as_deref(), Some(whole), "{what}");
        }
        rebuild_after(left.path(), &what);
    }
}

/// The next build succeeds and removes what the crash has left.
fn rebuild_after(folder: &Path, what: &str) {
    let case = Case::random(Ids::Dense, 5, 5);
    let target = folder.join(NAME);
    case.build_on(&Disk, &overwriting(&case, &target)).unwrap();
    assert_eq!(files_of(folder), [target], "{what}");
}

#[test]
fn a_crash_leaves_nothing_or_the_whole_store() {
    let in_chunks = Case::rich().laid_out(&chunks(TINY, |_| {}));
    let in_shards = Case::rich().laid_out(&sliding(3));
    for case in [Case::rich(), Case::random(Ids::Text, 30, 60), in_chunks, in_shards] {
        let folder = tempfile::tempdir().unwrap();
        let storage = RecordingStorage::new(folder.path()).unwrap();
        let report = case.build_on(&storage, &case.options(&folder.path().join(NAME))).unwrap();
        crash_everywhere(&storage, &[None, Some(&report.manifest.uuid)], &report.manifest.uuid);
    }
}

#[test]
fn a_crash_while_overwriting_leaves_the_old_or_the_new_store() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    let old = Case::random(Ids::Text, 30, 60).build(&target).unwrap().manifest.uuid;
    let storage = RecordingStorage::new(folder.path()).unwrap();
    let case = Case::rich();
    let new = case.build_on(&storage, &overwriting(&case, &target)).unwrap().manifest.uuid;
    crash_everywhere(&storage, &[Some(&old), Some(&new)], &new);
}

fn bytes_of(folder: &Path) -> Vec<Vec<u8>> {
    files_of(folder).iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Lets each operation fail in turn until a build succeeds; `after` looks at what each leaves.
fn fail_each(case: &Case, fault: StorageFault, old: Option<&Case>) {
    for at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(NAME);
        let before = old.map(|old| old.build(&target).map(|_| bytes_of(&target)).unwrap());
        let storage = FaultyStorage::new(Arc::new(Disk), at, fault);
        let options = BuildOptions { overwrite: old.is_some(), ..case.options(&target) };
        match case.build_on(&storage, &options) {
            Ok(_) => {
                check_all(&target, &Reading::PLAIN.workers()).unwrap();
                // Where the last operation of all fails, the removal of the old store, the next build makes up for it.
                if storage.changes() <= at {
                    return;
                }
                rebuild_after(folder.path(), &format!("{fault:?} at {at}"));
            }
            Err(error) => {
                let full = fault == StorageFault::HalfWritten || fault == StorageFault::Fail(ErrorKind::StorageFull);
                assert_eq!(matches!(error, Error::DiskFull { .. }), full, "{error}");
                let left = target.exists().then(|| bytes_of(&target));
                assert!(left == before, "{fault:?} at {at}: {error}");
                assert_eq!(files_of(folder.path()).len(), before.iter().len(), "{fault:?} at {at}: {error}");
            }
        }
    }
}

#[test]
fn every_operation_that_fails_leaves_what_was_there() {
    let old = Case::random(Ids::Dense, 20, 40);
    for fault in [
        StorageFault::Fail(ErrorKind::PermissionDenied),
        StorageFault::Fail(ErrorKind::StorageFull),
        StorageFault::HalfWritten,
    ] {
        fail_each(&Case::rich(), fault, None);
        fail_each(&Case::rich().laid_out(&chunks(TINY, |_| {})), fault, None);
        fail_each(&Case::rich().laid_out(&sliding(3)), fault, None);
        fail_each(&Case::random(Ids::Text, 30, 60), fault, Some(&old));
    }
}

#[test]
fn what_killed_builds_leave_is_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    const NESTED: &str = "graph.outcrop.tmp-4123456789abcdef.tmp-0123456789abcdef";
    let kept = ["graph.outcrop.tmp-0123", "graph.outcrop.tmp-0123456789abcdeg", "other.outcrop.tmp-0123456789abcdef"];
    let stale = ["graph.outcrop.tmp-0123456789abcdef", "graph.outcrop.tmp-1123456789abcdef", NESTED];
    for name in kept.iter().chain(&stale) {
        Disk.create_folder(&path(name)).unwrap();
    }
    std::fs::write(path(stale[1]).join("lock"), "").unwrap();
    std::fs::write(path(stale[1]).join("out.edges"), "x").unwrap();
    std::fs::write(path(stale[1]).join("staging"), "outcrop store in the making\n").unwrap();
    let running = path("graph.outcrop.tmp-2123456789abcdef");
    Disk.create_folder(&running).unwrap();
    std::fs::write(running.join("lock"), "").unwrap();
    let held = outcrop_io::FileLock::exclusive(&running.join("lock")).unwrap();
    let precious = path("graph.outcrop.tmp-3123456789abcdef");
    Disk.create_folder(&precious).unwrap();
    std::fs::write(precious.join("thesis"), "x").unwrap();
    Case::random(Ids::Dense, 5, 5).build(&path(NAME)).unwrap();
    assert!(kept.iter().all(|name| path(name).exists()) && running.exists() && precious.join("thesis").exists());
    assert!(stale.iter().all(|name| !path(name).exists()));
    drop(held);
}
