//! Selections as they are kept in stores: what is taken, how they are replaced, and what becomes of damaged ones.

use crate::cases::collect::{Reading, sweep_all, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, of_single_lists, pages_of};
use crate::harm::crash::NAME;
use crate::harm::damage::{check_all, files_of};
use crate::reading::adjacency::{built, small_hubs};
use crate::reading::statics::{keep, keep_within, note, open, write_selection};
use outcrop_io::{
    Device, Disk, Fault, FaultyDevice, FaultyStorage, FileLock, IoChoice, PlannedFault, RecordingStorage, Storage,
    StorageFault,
};
use outcrop_store::WorkContext;
use outcrop_store::access::{Pages, Workers};
use outcrop_store::layout::Layout;
use outcrop_store::{
    Codec, SelectionInfo, SelectionNote, StaticLists, Store, StoreId, UNIT_BYTES, UnitSeal, remove_selections,
};
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const OUT: Direction = Direction::Out;

fn write(storage: &dyn Storage, store: &Store, ranked: &[u32], most_bytes: u64) -> Result<SelectionInfo> {
    let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
    let work = WorkContext { storage, ..work(IoChoice::Mmap, &budget, &workers) };
    let outcome = write_selection(store, OUT, ranked, &note(), most_bytes, work);
    assert_eq!(budget.available(), budget.limit(), "everything reserved is given back");
    outcome
}

fn load(store: &Store, wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>) -> Result<Option<StaticLists>> {
    let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
    StaticLists::load_through(store, OUT, u64::MAX, work(IoChoice::Buffered, &budget, &workers), wrap)
}

#[test]
fn lists_are_taken_by_priority_until_they_are_enough() {
    for layout in of_single_lists() {
        let built = built(&small_hubs(false).laid_out(&layout));
        let count = built.model.vertices();
        let ranked: Vec<u32> = (0..count).map(|i| i * 11 % count).chain(0..count).chain([count, u32::MAX]).collect();
        let all = write(&Disk, &built.store, &ranked, u64::MAX).unwrap();
        let paged = paged_lists(&built.store);
        assert_eq!(u64::from(all.lists), paged.len() as u64, "{layout:?}");
        let arcs: usize = paged.iter().map(|vertex| built.model.out[*vertex as usize].len()).sum();
        assert_eq!(all.arcs, arcs as u64);
        let mut last = 0;
        for most_bytes in (0..=8).map(|part| all.bytes * part / 8) {
            let some = write(&Disk, &built.store, &ranked, most_bytes).unwrap();
            assert!(some.bytes <= most_bytes && some.lists >= last);
            assert!(most_bytes - some.bytes < 1 << 16 && (some == all || most_bytes < all.bytes));
            check_all(built.store.folder(), &Reading::PLAIN.workers()).unwrap();
            last = some.lists;
            let statics = load(&built.store, |device| device).unwrap();
            assert_eq!(statics.map_or(0, |statics| statics.lists()), u64::from(some.lists));
        }
    }
}

/// The vertices with a list in a page, but for those of too many entries.
fn paged_lists(store: &Store) -> Vec<u32> {
    let lists = Reading::PLAIN.open(store, OUT).unwrap();
    (0..store.manifest().graph.vertices).filter(|vertex| lists.page_of(*vertex).is_some()).collect()
}

#[test]
fn little_memory_and_many_threads_give_the_same_selection() {
    let case = Case::random(Ids::Dense, 20_000, 700_000);
    for layout in [pages_of(512), Layout::default(), chunks(TINY, |_| {}), compact(Codec::Packed)] {
        let built = built(&case.laid_out(&layout));
        let ranked: Vec<u32> = (0..20_000).map(|i| i * 7 % 20_000).collect();
        let ample = keep(&built.store, &ranked, u64::MAX);
        let bytes = lists_of(&built.store, ample.lists);
        for threads in [1, 3] {
            let workers = Workers::start(threads, Cancellation::new()).unwrap();
            let mut memory = 1 << 20;
            let small = loop {
                let budget = MemoryBudget::new(memory);
                let work = work(IoChoice::Mmap, &budget, &workers);
                match write_selection(&built.store, OUT, &ranked, &note(), u64::MAX, work) {
                    Ok(info) => break info,
                    Err(Error::BudgetTooSmall { .. }) => memory += 1 << 16,
                    Err(error) => panic!("{error}"),
                }
            };
            // Slice by slice: far less than the lists.
            assert_eq!(small, ample);
            assert!(bytes == lists_of(&built.store, ample.lists));
            let budget = MemoryBudget::new(memory);
            keep_within(&built.store, &ranked, u64::MAX, &budget, &workers);
        }
    }
}

/// The bytes of all units but the first, which has a number that is drawn, without their checksums.
fn lists_of(store: &Store, lists: u32) -> Vec<u8> {
    assert!(lists > 0);
    let bytes = std::fs::read(store.folder().join("static.out")).unwrap();
    bytes.chunks(UNIT_BYTES).skip(1).flat_map(|unit| unit[8..].to_vec()).collect()
}

#[test]
fn a_writer_that_is_stopped_leaves_the_selection_as_it_was() {
    let built = built(&small_hubs(true).laid_out(&Layout::default()));
    let old = write(&Disk, &built.store, &[300, 301], u64::MAX).unwrap();
    let cancellation = Cancellation::new();
    let workers = Workers::start(2, cancellation.clone()).unwrap();
    cancellation.cancel();
    let (budget, ranked) = (MemoryBudget::new(1 << 30), (0..700).collect::<Vec<_>>());
    let work = work(IoChoice::Mmap, &budget, &workers);
    let stopped = write_selection(&built.store, OUT, &ranked, &note(), 1 << 30, work);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(built.store.selection(OUT, IoChoice::Mmap).unwrap(), Some(old));
    assert!(!built.store.folder().join("static.out.tmp").exists());
}

#[test]
fn nonsense_is_refused() {
    let built = built(&small_hubs(false));
    for method in ["", "GVS", "a b", "x123456789012345678901234567890123"] {
        let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
        let note = SelectionNote { method: method.to_owned(), rounds: 1 };
        let work = work(IoChoice::Mmap, &budget, &workers);
        let refused = write_selection(&built.store, OUT, &[1], &note, 99, work);
        assert!(matches!(refused, Err(Error::Usage(_))));
    }
    assert_eq!(built.store.selection(OUT, IoChoice::Mmap).unwrap(), None);
}

#[test]
fn a_selection_is_replaced_and_removed_while_the_store_is_read() {
    let built = built(&small_hubs(true).laid_out(&Layout::default()));
    let first = write(&Disk, &built.store, &[300, 301], u64::MAX).unwrap();
    let reader = Store::open(built.store.folder()).unwrap();
    let lists = open(&reader, OUT, Reading::PLAIN, u64::MAX);
    let second = write(&Disk, &built.store, &(0..700).collect::<Vec<_>>(), u64::MAX).unwrap();
    assert!(first != second && reader.selection(OUT, IoChoice::Buffered).unwrap() == Some(second));
    remove_selections(&Disk, &built.store).unwrap();
    remove_selections(&Disk, &built.store).unwrap();
    assert_eq!(reader.selection(OUT, IoChoice::Buffered).unwrap(), None);
    assert_eq!(sweep_all(&lists).unwrap(), built.model.out);
    check_all(built.store.folder(), &Reading::PLAIN.workers()).unwrap();
}

#[test]
fn one_at_a_time_writes_and_what_a_killed_writer_leaves_does_not_matter() {
    let built = built(&small_hubs(true).laid_out(&Layout::default()));
    let folder = built.store.folder();
    let held = FileLock::exclusive(&folder.join("manifest.json")).unwrap();
    assert!(matches!(write(&Disk, &built.store, &[300], 1 << 20), Err(Error::InUse { .. })));
    assert!(matches!(remove_selections(&Disk, &built.store), Err(Error::InUse { .. })));
    drop(held);
    let left = ["static.out.tmp", "static.out.tmp.exchange"].map(|name| folder.join(name));
    left.iter().for_each(|left| std::fs::write(left, [0xff; 9]).unwrap());
    check_all(folder, &Reading::PLAIN.workers()).unwrap();
    write(&Disk, &built.store, &[300], 1 << 20).unwrap();
    assert!(left.iter().all(|left| !left.exists()));
    check_all(folder, &Reading::PLAIN.workers()).unwrap();
}

/// A store, with a selection of the lists of `ranked`.
fn patient(case: &Case, ranked: &[u32]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    write(&Disk, &Store::open(&target).unwrap(), ranked, u64::MAX).unwrap();
    (folder, target)
}

fn survivor(folder: &Path) -> Option<SelectionInfo> {
    let target = folder.join(NAME);
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
    let store = Store::open(&target).unwrap();
    let statics = load(&store, |device| device).unwrap();
    let info = store.selection(OUT, IoChoice::Mmap).unwrap();
    assert_eq!(statics.map_or(0, |statics| statics.lists()), info.as_ref().map_or(0, |info| u64::from(info.lists)));
    info
}

#[test]
fn a_crash_leaves_the_old_or_the_new_selection() {
    for case in [Case::rich(), Case::rich().laid_out(&chunks(TINY, |_| {}))] {
        let (folder, target) = patient(&case, &[1, 2, 3]);
        let store = Store::open(&target).unwrap();
        let old = store.selection(OUT, IoChoice::Mmap).unwrap();
        let storage = RecordingStorage::new(folder.path()).unwrap();
        let all: Vec<u32> = (0..300).collect();
        let new = Some(write(&storage, &store, &all, u64::MAX).unwrap());
        let replaced = storage.operations();
        remove_selections(&storage, &store).unwrap();
        let removed = storage.operations();
        let first = Some(write(&storage, &store, &all, u64::MAX).unwrap());
        for (mode, after) in storage.crashes(0) {
            let left = tempfile::tempdir().unwrap();
            storage.crash(after, mode, left.path()).unwrap();
            let found = survivor(left.path());
            let what = format!("{mode:?} after {after} ({})", storage.describe(after.saturating_sub(1)));
            let allowed = match after {
                _ if after < replaced => [&old, &new],
                _ if after == replaced => [&new, &new],
                _ if after < removed => [&new, &None],
                _ if after == removed => [&None, &None],
                _ if after < storage.operations() => [&None, &first],
                _ => [&first, &first],
            };
            assert!(allowed.contains(&&found), "{what}: {found:?}");
            assert!(write(&Disk, &Store::open(&left.path().join(NAME)).unwrap(), &all, u64::MAX).is_ok());
            let files = files_of(&left.path().join(NAME));
            assert!(!files.iter().any(|path| path.extension().is_some_and(|ending| ending == "tmp")), "{what}");
        }
    }
}

#[test]
fn every_operation_that_fails_leaves_a_whole_selection() {
    for fault in [StorageFault::Fail(ErrorKind::PermissionDenied), StorageFault::HalfWritten] {
        for at in 0.. {
            let (folder, target) = patient(&Case::rich(), &[1, 2, 3]);
            let store = Store::open(&target).unwrap();
            let old = store.selection(OUT, IoChoice::Mmap).unwrap();
            let storage = FaultyStorage::new(Arc::new(Disk), at, fault);
            let outcome = write(&storage, &store, &(0..300).collect::<Vec<_>>(), u64::MAX);
            let found = survivor(folder.path());
            match outcome {
                // The last operation removes the file that was replaced.
                Ok(info) => assert_eq!(found, Some(info)),
                Err(error) => {
                    assert!(matches!(error, Error::Io { .. } | Error::DiskFull { .. }), "{error}");
                    assert!(found == old || found.as_ref().is_some_and(|info| info.lists > 3));
                }
            }
            if storage.changes() <= at {
                break;
            }
        }
    }
}

#[test]
fn every_read_that_fails_is_an_error() {
    for case in [Case::rich(), Case::rich().laid_out(&chunks(TINY, |_| {}))] {
        let (_folder, target) = patient(&case, &(0..300).collect::<Vec<_>>());
        let store = Store::open(&target).unwrap();
        let faults: [fn(u64) -> Fault; 3] =
            [|_| Fault::Error, |_| Fault::Short, |request| Fault::FlipBit(request.wrapping_mul(0x9e37_79b9_7f4a_7c15))];
        for fault in faults {
            for request in 0.. {
                let plan = [PlannedFault { request, fault: fault(request) }];
                match load(&store, |device| Arc::new(FaultyDevice::new(device, plan))) {
                    Ok(_) => {
                        assert!(request > 3);
                        break;
                    }
                    Err(error) => assert_eq!(matches!(error, Error::Corrupt { .. }), plan[0].fault != Fault::Error),
                }
            }
        }
    }
}

fn assert_refused(target: &Path, what: &str) {
    let error = check_all(target, &Reading::PLAIN.workers()).unwrap_err();
    assert_eq!(error.exit_code(), 7, "{what}: {error}");
    let text = error.to_string();
    assert!(
        text.contains("static.out") && text.contains("outcrop cache") && text.contains("--static-cache 0%"),
        "{text}"
    );
    let store = Store::open(target).unwrap();
    let loaded = load(&store, |device| device);
    assert!(loaded.is_err(), "{what}");
}

#[test]
fn the_selection_of_another_store_or_layout_is_refused() {
    let ranked: Vec<u32> = (0..300).collect();
    let (_one, target) = patient(&Case::rich(), &ranked);
    let (_other, twin) = patient(&Case::rich(), &ranked);
    std::fs::copy(twin.join("static.out"), target.join("static.out")).unwrap();
    assert_refused(&target, "a twin's");
    write(&Disk, &Store::open(&target).unwrap(), &ranked, u64::MAX).unwrap();
    std::fs::copy(target.join("static.out"), target.join("static.in")).unwrap();
    assert_eq!(check_all(&target, &Reading::PLAIN.workers()).unwrap_err().exit_code(), 7);
}

#[test]
fn units_of_a_selection_that_was_replaced_are_refused() {
    let ranked: Vec<u32> = (0..300).collect();
    let (_folder, target) = patient(&Case::rich(), &ranked);
    let path = target.join("static.out");
    let old = std::fs::read(&path).unwrap();
    write(&Disk, &Store::open(&target).unwrap(), &ranked, u64::MAX).unwrap();
    let new = std::fs::read(&path).unwrap();
    assert_eq!(old.len(), new.len());
    for unit in 0..old.len() / UNIT_BYTES {
        let mut mixed = new.clone();
        let range = unit * UNIT_BYTES..(unit + 1) * UNIT_BYTES;
        mixed[range.clone()].copy_from_slice(&old[range]);
        std::fs::write(&path, mixed).unwrap();
        assert_refused(&target, &format!("unit {unit}"));
    }
}

/// Seals every unit again.
fn seal(store: &Store, bytes: &mut [u8]) {
    let id = StoreId::from_hex(&store.manifest().uuid).unwrap();
    let generation = u64::from_le_bytes(bytes[32..40].try_into().unwrap());
    for (number, unit) in (0..).zip(bytes.chunks_mut(UNIT_BYTES)) {
        let name = if number == 0 { "static.out".to_owned() } else { format!("static.out:{generation:016x}") };
        let (header, payload) = unit.split_at_mut(8);
        header.copy_from_slice(&UnitSeal::new(id, &name).checksum(number, payload).to_le_bytes());
    }
}

#[test]
fn right_checksums_over_wrong_contents_are_errors_and_never_a_panic() {
    let plain = Case { weighted: true, ..Case::random(Ids::Dense, 300, 9000) };
    let raw = chunks(TINY, |settings| (settings.codec, settings.mini_degree) = (outcrop_store::Codec::Raw32, 0));
    for case in [plain.clone(), plain.laid_out(&chunks(TINY, |_| {})), plain.laid_out(&raw)] {
        let (_folder, target) = patient(&case, &(0..300).rev().collect::<Vec<_>>());
        let (store, path) = (Store::open(&target).unwrap(), target.join("static.out"));
        let original = std::fs::read(&path).unwrap();
        let (mut state, mut noticed) = (5, 0);
        let mut again = original.clone();
        seal(&store, &mut again);
        assert!(again == original);
        for round in 0..400 {
            let mut bytes = original.clone();
            let words = [0, 1, 7, 300, 1 << 31, u32::MAX, crate::reading::adjacency::draw(&mut state, u32::MAX)];
            // The header, the tables and the first lists.
            let reach = if round % 2 == 0 { 104 } else { bytes.len() };
            let place = crate::reading::adjacency::draw(&mut state, reach as u32 / 4) as usize * 4;
            let word = words[crate::reading::adjacency::draw(&mut state, 7) as usize];
            bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
            seal(&store, &mut bytes);
            std::fs::write(&path, &bytes).unwrap();
            let read = crate::harm::hostile::read_with_statics(&target);
            let checked = check_all(&target, &Reading::PLAIN.workers());
            noticed += usize::from(checked.is_err());
            assert!(read.is_ok() || checked.is_err(), "{place} {word}: {read:?}");
        }
        assert!(noticed > 150, "{noticed}");
        std::fs::write(&path, &original).unwrap();
        check_all(&target, &Reading::PLAIN.workers()).unwrap();
    }
}
