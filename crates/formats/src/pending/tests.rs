use super::*;
use std::io::{Read, Write};
use tempfile::TempDir;

/// Constructors: without a name, if the system supports that, and with a name.
const KINDS: [fn(&Path, bool) -> Result<PendingFile>; 2] = [PendingFile::create, PendingFile::named];

fn write(file: &PendingFile, bytes: &[u8]) {
    file.writer().unwrap().write_all(bytes).unwrap();
}

fn names_in(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Leaves the state of a killed process: a name, without a lock.
fn abandon(file: PendingFile) -> PathBuf {
    file.name.unwrap().keep().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_in_the_making_has_no_name_that_a_kill_could_leave() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x");
    let file = PendingFile::create(&target, false).unwrap();
    write(&file, b"content");
    assert!(names_in(&folder).is_empty());
    file.publish().unwrap();
    assert_eq!((fs::read(&target).unwrap(), names_in(&folder)), (b"content".to_vec(), vec!["x".to_owned()]));
}

#[test]
fn a_file_replaces_another_in_one_step_or_stays_away_from_it() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x");
    for (number, make) in (0..).zip(KINDS) {
        fs::write(&target, b"old").unwrap();
        let mut old = File::open(&target).unwrap();
        let replacing = make(&target, true).unwrap();
        write(&replacing, &[number]);
        replacing.publish().unwrap();
        let mut held = Vec::new();
        old.read_to_end(&mut held).unwrap();
        assert_eq!((held, fs::read(&target).unwrap()), (b"old".to_vec(), vec![number]));
        assert_eq!(names_in(&folder), ["x"]);
    }
    fs::remove_file(&target).unwrap();
    for make in KINDS {
        let new = make(&target, false).unwrap();
        fs::write(&target, b"old").unwrap();
        write(&new, b"new");
        assert!(matches!(new.publish(), Err(Error::AlreadyExists { .. })));
        assert_eq!((fs::read(&target).unwrap(), names_in(&folder)), (b"old".to_vec(), vec!["x".to_owned()]));
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn what_a_killed_writer_left_is_removed_by_the_next_of_the_same_target() {
    let folder = TempDir::new().unwrap();
    let (target, other) = (folder.path().join("x"), folder.path().join("y"));
    let left = abandon(PendingFile::named(&target, false).unwrap());
    let of_other = abandon(PendingFile::named(&other, false).unwrap());
    assert!(left.exists() && of_other.exists());
    drop(PendingFile::create(&target, false).unwrap());
    assert!(!left.exists() && of_other.exists());
}

#[test]
fn what_is_written_by_somebody_else_is_not_taken_for_left_behind() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x");
    let first = PendingFile::named(&target, true).unwrap();
    let second = PendingFile::named(&target, true).unwrap();
    drop(PendingFile::create(&target, true).unwrap());
    assert_eq!(names_in(&folder).len(), 2);
    write(&first, b"first");
    write(&second, b"second");
    first.publish().unwrap();
    second.publish().unwrap();
    assert_eq!((fs::read(&target).unwrap(), names_in(&folder)), (b"second".to_vec(), vec!["x".to_owned()]));
}

#[test]
fn a_link_or_a_folder_with_a_temporary_name_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x");
    let names: Vec<_> = temporary_names(&target).collect();
    fs::write(folder.path().join("precious"), b"").unwrap();
    std::os::unix::fs::symlink("precious", &names[0]).unwrap();
    fs::create_dir(&names[1]).unwrap();
    PendingFile::create(&target, false).unwrap().publish().unwrap();
    drop(PendingFile::named(&target, true).unwrap());
    assert!(folder.path().join("precious").exists() && names[0].is_symlink() && names[1].is_dir());
}

#[test]
fn a_file_has_the_permissions_of_any_other() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("other"), b"").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode();
    let target = folder.path().join("x");
    for make in KINDS {
        make(&target, true).unwrap().publish().unwrap();
        assert_eq!(mode(&target), mode(&folder.path().join("other")));
    }
}

#[test]
fn more_writers_than_names_are_told_so() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("x");
    let writers: Vec<_> = (0..NAMES).map(|_| PendingFile::named(&target, true).unwrap()).collect();
    let refused = PendingFile::named(&target, true).unwrap_err().to_string();
    assert!(refused.contains("another process writes the same file"), "{refused}");
    drop(writers);
    assert!(names_in(&folder).is_empty());
}
