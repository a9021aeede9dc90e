use super::keeper::Checkpoints;
use super::state::State;
use outcrop_io::{Disk, FaultyStorage, RecordingStorage, Storage, StorageFault};
use outcrop_types::{BitSet, Cancellation, Error, Observer, Result, VertexSet};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn note(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

fn open(storage: Box<dyn Storage>, folder: &Path) -> Result<Checkpoints> {
    Checkpoints::open(storage, folder, "a run".to_owned(), Duration::ZERO, true, |found| {
        assert_eq!(found, "a run");
        Ok(())
    })
}

/// Arrives at the checkpoint after round `value`, with a state that fills several units.
fn come_by(checkpoints: &Checkpoints, value: &mut u32, notes: &Notes) -> Option<u32> {
    let mut values = vec![*value; 5000];
    let iteration = *value;
    let restored = checkpoints.at("here", iteration, &Cancellation::new(), notes, &mut |state: &mut State<'_>| {
        state.values(&mut values)?;
        state.number(value)
    });
    assert!(values.iter().all(|one| one == value));
    restored.unwrap()
}

/// Returns the round of the checkpoint in `folder`, if there is one.
fn standing(folder: &Path) -> Option<u32> {
    let (checkpoints, mut value) = (open(Box::new(Disk), folder).unwrap(), 0);
    let restored = checkpoints.resumes().then(|| come_by(&checkpoints, &mut value, &Notes::default()));
    restored.inspect(|iteration| assert_eq!(*iteration, Some(value))).map(|_| value)
}

fn save(checkpoints: &Checkpoints, mut value: u32, notes: &Notes) {
    assert_eq!(come_by(checkpoints, &mut value, notes), None);
}

#[test]
fn a_crash_leaves_the_checkpoint_before_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Arc::new(RecordingStorage::new(folder.path()).unwrap());
    let storage = FaultyStorage::new(recording.clone(), u64::MAX, StorageFault::HalfWritten);
    let checkpoints = open(Box::new(storage), folder.path()).unwrap();
    let acknowledged: Vec<usize> = (1..4)
        .map(|value| {
            save(&checkpoints, value, &Notes::default());
            recording.operations()
        })
        .collect();
    for (mode, after) in recording.crashes(0) {
        let left = tempfile::tempdir().unwrap();
        recording.crash(after, mode, left.path()).unwrap();
        let (found, least) = (standing(left.path()), acknowledged.iter().filter(|end| **end <= after).count());
        let what = format!("{mode:?} after {after} ({})", recording.describe(after.saturating_sub(1)));
        let found = found.unwrap_or(0) as usize;
        assert!(found == least || found == least + 1, "{what}: {found}, not {least}");
    }
}

#[test]
fn an_operation_that_fails_is_noted_and_leaves_the_checkpoint_before_or_the_new_one() {
    for fault in [StorageFault::Fail(ErrorKind::PermissionDenied), StorageFault::HalfWritten] {
        for at in 0.. {
            let folder = tempfile::tempdir().unwrap();
            save(&open(Box::new(Disk), folder.path()).unwrap(), 1, &Notes::default());
            let (storage, notes) = (FaultyStorage::new(Arc::new(Disk), at, fault), Notes::default());
            let checkpoints = open(Box::new(storage), folder.path()).unwrap();
            assert_eq!(come_by(&checkpoints, &mut 0, &notes), Some(1));
            save(&checkpoints, 2, &notes);
            drop(checkpoints);
            let noted = notes.0.lock().unwrap().iter().any(|note| note.contains("could not write a checkpoint ("));
            let found = standing(folder.path());
            assert!(found == Some(2) || noted && found == Some(1), "{fault:?} at {at}: {found:?}");
            if !noted {
                break;
            }
        }
    }
}

#[test]
fn a_position_behind_the_end_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let visit = |position: &mut u32, last: u64| {
        let checkpoints = open(Box::new(Disk), folder.path()).unwrap();
        checkpoints.at("here", 0, &Cancellation::new(), &Notes::default(), &mut |state| state.bounded(position, last))
    };
    visit(&mut 7, 7).unwrap();
    let mut restored = 0;
    assert_eq!((visit(&mut restored, 7).unwrap(), restored), (Some(0), 7));
    assert_eq!(visit(&mut 0, 6).unwrap_err().exit_code(), 7);
}

#[test]
fn what_is_shown_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let visit = |set: &mut VertexSet, bits: &mut BitSet, shared: &[AtomicU32], list: &mut Vec<u64>| {
        let checkpoints = open(Box::new(Disk), folder.path()).unwrap();
        checkpoints.at("here", 0, &Cancellation::new(), &Notes::default(), &mut |state| {
            state.frontier(set)?;
            state.members(bits)?;
            state.shared(shared)?;
            state.list(list, 10)
        })
    };
    for members in [vec![], vec![3, 99_999], (0..100_000).step_by(3).collect()] {
        let mut set = VertexSet::from_members(members.clone(), 100_000);
        let mut bits = BitSet::empty(300_001);
        members.iter().for_each(|member| _ = bits.insert(3 * member));
        let shared: Vec<_> = (0..9000).map(AtomicU32::new).collect();
        visit(&mut set, &mut bits, &shared, &mut vec![7, 8]).unwrap();
        let (mut other, mut other_bits, mut list) = (VertexSet::all(100_000), BitSet::full(300_001), vec![1]);
        let zeroes: Vec<_> = (0..9000).map(|_| AtomicU32::new(0)).collect();
        assert_eq!(visit(&mut other, &mut other_bits, &zeroes, &mut list).unwrap(), Some(0));
        assert!(other.to_bits().iter().eq(members.iter().copied()) && other_bits.iter().eq(bits.iter()));
        assert!(zeroes.iter().enumerate().all(|(at, value)| value.load(Relaxed) as usize == at) && list == [7, 8]);
        // A different number of values belongs to a different run.
        let error = visit(&mut other, &mut other_bits, &zeroes[1..], &mut list).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{error}");
        open(Box::new(Disk), folder.path()).unwrap().clear().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// Returns the path and bytes of the single checkpoint in `folder`.
fn saved_in(folder: &Path) -> (std::path::PathBuf, Vec<u8>) {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = names.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("checkpoint-"));
    let path = found.next().unwrap();
    assert_eq!(found.next(), None);
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_unit_of_another_checkpoint_is_noticed() {
    const UNIT: usize = 4096;
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    save(&open(Box::new(Disk), other.path()).unwrap(), 2, &Notes::default());
    let checkpoints = open(Box::new(Disk), folder.path()).unwrap();
    save(&checkpoints, 1, &Notes::default());
    let earlier = saved_in(folder.path()).1;
    // The same state again: its bytes are the same, but it is another file.
    for value in [1, 2] {
        save(&checkpoints, value, &Notes::default());
        let (path, whole) = saved_in(folder.path());
        for stale in [&earlier, &saved_in(other.path()).1] {
            assert_eq!(stale.len(), whole.len());
            for unit in 0..whole.len() / UNIT {
                let place = unit * UNIT..(unit + 1) * UNIT;
                let mut mixed = whole.clone();
                mixed[place.clone()].copy_from_slice(&stale[place]);
                std::fs::write(&path, &mixed).unwrap();
                assert!(damaged(folder.path()), "unit {unit}");
                let mut mixed = stale.clone();
                mixed.splice(unit * UNIT..(unit + 1) * UNIT, []);
                std::fs::write(&path, &mixed).unwrap();
                assert!(damaged(folder.path()), "without unit {unit}");
            }
            std::fs::write(&path, stale).unwrap();
            assert!(damaged(folder.path()), "another file under its name");
        }
        std::fs::write(&path, &whole).unwrap();
        assert!(!damaged(folder.path()));
    }
}

/// Returns true if the content of a copy of `folder` is refused as damaged.
fn damaged(folder: &Path) -> bool {
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    matches!(open(Box::new(Disk), copy.path()), Err(Error::Corrupt { .. }))
}

#[test]
fn a_folder_is_cleared_whatever_of_it_was_done_before() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Arc::new(RecordingStorage::new(folder.path()).unwrap());
    let storage = FaultyStorage::new(recording.clone(), u64::MAX, StorageFault::HalfWritten);
    let checkpoints = open(Box::new(storage), folder.path()).unwrap();
    save(&checkpoints, 1, &Notes::default());
    let before = recording.operations();
    checkpoints.clear().unwrap();
    checkpoints.clear().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    for (mode, after) in recording.crashes(before) {
        let left = tempfile::tempdir().unwrap();
        recording.crash(after, mode, left.path()).unwrap();
        open(Box::new(Disk), left.path()).unwrap().clear().unwrap();
        assert_eq!(std::fs::read_dir(left.path()).unwrap().count(), 0, "{mode:?} after {after}");
    }
}
