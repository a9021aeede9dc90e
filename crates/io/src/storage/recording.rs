//! Storage wrapper that records operations, so that tests can inspect the state after a crash at any point.

use super::contract::{SequentialFile, Storage};
use super::crash::{CrashMode, Model, Names, Operation, names_below};
use crate::Disk;
use outcrop_types::{Error, Result, SplitMix64};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Real disk below one folder, with a log. Written contents are kept in memory: for small builds.
pub struct RecordingStorage {
    root: PathBuf,
    start: Model,
    log: Arc<Mutex<Vec<Operation>>>,
}

impl RecordingStorage {
    /// Records the operations below `root`, whose current content is assumed to be durable.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if `root` cannot be read.
    pub fn new(root: &Path) -> Result<Self> {
        Ok(Self { root: root.to_owned(), start: Model::of(root)?, log: Arc::default() })
    }

    /// Returns the number of successful operations so far.
    pub fn operations(&self) -> usize {
        locked(&self.log).len()
    }

    /// Returns the crashes that a test tries: in every mode, and with as many random seeds as the variable
    /// `OUTCROP_CRASH_SEEDS` says (default 1), after every number of operations from `first` to all.
    pub fn crashes(&self, first: usize) -> impl Iterator<Item = (CrashMode, usize)> + use<> {
        let seeds = std::env::var("OUTCROP_CRASH_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
        // Default: one seed after each operation, of which a test has hundreds.
        let random = (0..seeds.unwrap_or(1)).map(CrashMode::Random);
        let points = first..=self.operations();
        let modes: Vec<CrashMode> = CrashMode::FIXED.into_iter().chain(random).collect();
        if seeds.is_some() {
            tell_states(modes.len() * points.clone().count());
        }
        modes.into_iter().flat_map(move |mode| points.clone().map(move |after| (mode, after)))
    }

    /// Returns a description of operation `number`, for messages of tests.
    pub fn describe(&self, number: usize) -> String {
        locked(&self.log).get(number).map_or_else(|| "nothing".to_owned(), describe)
    }

    /// Writes the state after a crash that follows the first `after` operations into `target_folder`, which must be
    /// empty or absent.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if writing fails.
    pub fn crash(&self, after: usize, mode: CrashMode, target_folder: &Path) -> Result<()> {
        let log = locked(&self.log);
        let done = &log[..after.min(log.len())];
        let mut model = self.start.clone();
        for (number, operation) in done.iter().enumerate() {
            let torn = mode == CrashMode::TornLastWrite && number + 1 == done.len();
            if torn { model.apply_half(number, operation) } else { model.apply(number, operation) }
        }
        let mode = match mode {
            // Every point of a test is a state of its own.
            CrashMode::Random(seed) => CrashMode::Random(SplitMix64::new(seed, after as u64).at(0)),
            fixed => fixed,
        };
        model.materialize(mode, target_folder)
    }

    fn names(&self, path: &Path) -> Result<Names> {
        names_below(&self.root, path).ok_or_else(|| {
            let outside = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is outside the recorded folder");
            Error::io("record", path, outside)
        })
    }

    /// Performs an operation and records it if it succeeds. The log is locked meanwhile, so that its order is the true
    /// one.
    fn record<T>(&self, operation: Operation, act: impl FnOnce(usize) -> Result<T>) -> Result<T> {
        let mut log = locked(&self.log);
        let outcome = act(log.len())?;
        log.push(operation);
        Ok(outcome)
    }
}

#[allow(clippy::print_stdout, reason = "the log of long tests adds up these lines")]
fn tell_states(count: usize) {
    println!("{count} states after crashes");
}

fn locked(log: &Mutex<Vec<Operation>>) -> MutexGuard<'_, Vec<Operation>> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

fn describe(operation: &Operation) -> String {
    match operation {
        Operation::Write(file, bytes) => format!("write {} bytes to the file of operation {file}", bytes.len()),
        other => format!("{other:?}"),
    }
}

impl Storage for RecordingStorage {
    fn create_folder(&self, path: &Path) -> Result<()> {
        self.record(Operation::CreateFolder(self.names(path)?), |_| Disk.create_folder(path))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        self.record(Operation::CreateFile(self.names(path)?), |number| {
            let log = Arc::clone(&self.log);
            Ok(Box::new(RecordingFile { inner: Disk.create(path)?, log, number }) as Box<dyn SequentialFile>)
        })
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        self.record(Operation::SyncFolder(self.names(path)?), |_| Disk.sync_folder(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.record(Operation::Rename(self.names(from)?, self.names(to)?), |_| Disk.rename(from, to))
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        self.record(Operation::Exchange(self.names(a)?, self.names(b)?), |_| Disk.exchange(a, b))
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        self.record(Operation::Remove(self.names(path)?), |_| Disk.remove_folder(path))
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        self.record(Operation::Remove(self.names(path)?), |_| Disk.remove_file(path))
    }

    fn free_bytes(&self, path: &Path) -> Result<Option<u64>> {
        Disk.free_bytes(path)
    }
}

struct RecordingFile {
    inner: Box<dyn SequentialFile>,
    log: Arc<Mutex<Vec<Operation>>>,
    /// Number of the operation that created the file.
    number: usize,
}

impl SequentialFile for RecordingFile {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let mut log = locked(&self.log);
        self.inner.write(bytes)?;
        log.push(Operation::Write(self.number, bytes.to_vec()));
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        let mut log = locked(&self.log);
        self.inner.sync()?;
        log.push(Operation::SyncFile(self.number));
        Ok(())
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &[u8] = b"whole";

    /// A correct build: synced files in a synced folder, renamed, and the parent synced.
    fn build(storage: &dyn Storage, root: &Path, careful: bool) {
        let (tmp, done) = (root.join("tmp"), root.join("done"));
        storage.create_folder(&tmp).unwrap();
        let mut file = storage.create(&tmp.join("data")).unwrap();
        WHOLE.chunks(2).for_each(|piece| file.write(piece).unwrap());
        if careful {
            file.sync().unwrap();
            storage.sync_folder(&tmp).unwrap();
        }
        storage.rename(&tmp, &done).unwrap();
        storage.sync_folder(root).unwrap();
    }

    /// Returns for each crash whether the build is visible, and whether it is complete.
    fn crashes(careful: bool) -> Vec<(CrashMode, usize, Option<bool>)> {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("old"), b"old").unwrap();
        let storage = RecordingStorage::new(root.path()).unwrap();
        build(&storage, root.path(), careful);
        let crash = |mode, after| {
            let after_crash = tempfile::tempdir().unwrap();
            storage.crash(after, mode, after_crash.path()).unwrap();
            assert_eq!(std::fs::read(after_crash.path().join("old")).unwrap(), b"old");
            let done = after_crash.path().join("done");
            let shown = done.exists().then(|| std::fs::read(done.join("data")).is_ok_and(|data| data == WHOLE));
            (mode, after, shown)
        };
        let random =
            (0..100).flat_map(|seed| (0..=storage.operations()).map(move |after| (CrashMode::Random(seed), after)));
        storage.crashes(0).chain(random).map(|(mode, after)| crash(mode, after)).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no renameat2")]
    fn a_careful_build_appears_whole_or_not_at_all() {
        let crashes = crashes(true);
        assert!(crashes.iter().all(|(_, _, shown)| *shown != Some(false)), "{crashes:?}");
        let last = crashes.iter().map(|(_, after, _)| *after).max().unwrap();
        assert!(crashes.iter().filter(|(_, after, _)| *after == last).all(|(_, _, shown)| *shown == Some(true)));
        let at_rename = |mode| crashes.iter().find(|crash| (crash.0, crash.1) == (mode, last - 1)).unwrap().2;
        assert_eq!((at_rename(CrashMode::CleanPrefix), at_rename(CrashMode::UnsyncedLost)), (Some(true), None));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no renameat2")]
    fn a_careless_build_is_found_out() {
        let crashes = crashes(false);
        let broken = || crashes.iter().filter(|crash| crash.2 == Some(false)).map(|crash| crash.0);
        let found = |mode| broken().any(|broken| broken == mode);
        assert!(found(CrashMode::UnsyncedLost) && found(CrashMode::UnsyncedReordered));
        assert!(!found(CrashMode::CleanPrefix));
        assert!(broken().filter(|mode| matches!(mode, CrashMode::Random(_))).count() > 20);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no renameat2")]
    fn a_torn_write_is_half_a_write_and_exchanges_and_removals_are_replayed() {
        let root = tempfile::tempdir().unwrap();
        let storage = RecordingStorage::new(root.path()).unwrap();
        let [a, b] = ["a", "b"].map(|name| root.path().join(name));
        storage.create_folder(&a).unwrap();
        storage.create_folder(&b).unwrap();
        let mut file = storage.create(&a.join("file")).unwrap();
        file.write(&[7; 100]).unwrap();
        storage.exchange(&a, &b).unwrap();
        storage.remove_folder(&a).unwrap();
        assert!(storage.describe(3).contains("100 bytes"));
        let after = |operations, mode| {
            let target = tempfile::tempdir().unwrap();
            storage.crash(operations, mode, target.path()).unwrap();
            target
        };
        let torn = after(4, CrashMode::TornLastWrite);
        assert_eq!(std::fs::read(torn.path().join("a/file")).unwrap(), [7; 50]);
        let zeroed = after(5, CrashMode::UnsyncedReordered);
        assert_eq!(std::fs::read(zeroed.path().join("b/file")).unwrap(), [0; 100]);
        let end = after(6, CrashMode::CleanPrefix);
        assert!(!end.path().join("a").exists() && end.path().join("b/file").exists());
        assert!(storage.create_folder(&root.path().join("../outside")).is_err());
    }
}
