//! Storage wrapper that injects faults.

use super::contract::{SequentialFile, Storage};
use crate::bit_flip::BitFlip;
use crate::unnamed_temporary_files::SpillFolder;
use outcrop_types::{Error, Result};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Fault of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFault {
    /// The operation has no effect and fails with this error.
    Fail(ErrorKind),
    /// A write stores half of its bytes and fails because the disk is full; other operations have no effect and also
    /// fail.
    HalfWritten,
}

/// Storage whose `k`-th change fails. Writes and syncs of its files are counted as well.
pub struct FaultyStorage {
    inner: Arc<dyn Storage>,
    plan: Arc<Plan>,
    flip: Option<Arc<BitFlip>>,
}

struct Plan {
    at: u64,
    fault: StorageFault,
    changes: AtomicU64,
}

impl FaultyStorage {
    fn flipped(&self, folder: SpillFolder) -> SpillFolder {
        match &self.flip {
            Some(flip) => folder.flipping(Arc::clone(flip)),
            None => folder,
        }
    }

    /// Wraps `inner`; change number `at`, counted from 0, fails.
    pub fn new(inner: Arc<dyn Storage>, at: u64, fault: StorageFault) -> Self {
        Self { inner, plan: Arc::new(Plan { at, fault, changes: AtomicU64::new(0) }), flip: None }
    }

    /// Wraps `inner` without failing changes, but with a flipped bit in a temporary file.
    pub fn flipping(inner: Arc<dyn Storage>, flip: Arc<BitFlip>) -> Self {
        Self { flip: Some(flip), ..Self::new(inner, u64::MAX, StorageFault::HalfWritten) }
    }

    /// Returns the number of changes so far, including the failed one.
    pub fn changes(&self) -> u64 {
        self.plan.changes.load(Relaxed)
    }
}

impl Plan {
    /// Counts a change; returns its fault, if any.
    fn strikes(&self) -> Option<StorageFault> {
        (self.changes.fetch_add(1, Relaxed) == self.at).then_some(self.fault)
    }

    fn change<T>(&self, operation: &'static str, path: &Path, act: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.strikes() {
            None => act(),
            Some(StorageFault::Fail(kind)) => Err(Error::io(operation, path, kind.into())),
            Some(StorageFault::HalfWritten) => Err(Error::io(operation, path, ErrorKind::StorageFull.into())),
        }
    }
}

impl Storage for FaultyStorage {
    fn create_folder(&self, path: &Path) -> Result<()> {
        self.plan.change("create", path, || self.inner.create_folder(path))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let inner = self.plan.change("create", path, || self.inner.create(path))?;
        Ok(Box::new(FaultyFile { inner, plan: Arc::clone(&self.plan) }))
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        self.plan.change("sync", path, || self.inner.sync_folder(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.plan.change("rename", from, || self.inner.rename(from, to))
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        self.plan.change("exchange", a, || self.inner.exchange(a, b))
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        self.plan.change("remove", path, || self.inner.remove_folder(path))
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        self.plan.change("remove", path, || self.inner.remove_file(path))
    }

    fn free_bytes(&self, path: &Path) -> Result<Option<u64>> {
        self.inner.free_bytes(path)
    }

    fn spill_folder(&self, dir: &Path) -> Result<SpillFolder> {
        self.inner.spill_folder(dir).map(|folder| self.flipped(folder))
    }

    fn spill_folder_when_needed(&self, dir: &Path) -> Result<SpillFolder> {
        self.inner.spill_folder_when_needed(dir).map(|folder| self.flipped(folder))
    }
}

struct FaultyFile {
    inner: Box<dyn SequentialFile>,
    plan: Arc<Plan>,
}

impl SequentialFile for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let kind = match self.plan.strikes() {
            None => return self.inner.write(bytes),
            Some(StorageFault::Fail(kind)) => kind,
            Some(StorageFault::HalfWritten) => {
                self.inner.write(&bytes[..bytes.len() / 2])?;
                ErrorKind::StorageFull
            }
        };
        Err(Error::io("write", self.inner.path(), kind.into()))
    }

    fn sync(&mut self) -> Result<()> {
        let path = self.inner.path().to_owned();
        self.plan.change("sync", &path, || self.inner.sync())
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
    use crate::Disk;

    /// Performs the operations of a build, abridged.
    fn build(storage: &dyn Storage, root: &Path) -> Result<()> {
        let (tmp, done) = (root.join("tmp"), root.join("done"));
        storage.create_folder(&tmp)?;
        let mut file = storage.create(&tmp.join("data"))?;
        file.write(&[1; 1000])?;
        file.sync()?;
        storage.sync_folder(&tmp)?;
        storage.rename(&tmp, &done)?;
        storage.sync_folder(root)
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no O_DIRECTORY")]
    fn each_change_in_turn_fails_and_only_the_whole_build_shows() {
        for fault in [StorageFault::Fail(ErrorKind::PermissionDenied), StorageFault::HalfWritten] {
            for at in 0.. {
                let root = tempfile::tempdir().unwrap();
                let storage = FaultyStorage::new(Arc::new(Disk), at, fault);
                match build(&storage, root.path()) {
                    Ok(()) => {
                        assert_eq!((storage.changes(), at), (7, 7));
                        break;
                    }
                    Err(Error::DiskFull { .. }) => assert_eq!(fault, StorageFault::HalfWritten),
                    Err(error) => assert_eq!(error.exit_code(), 9),
                }
                assert_eq!(root.path().join("done").exists(), at == 6, "{at}");
            }
        }
    }

    #[test]
    fn half_a_write_reaches_the_file() {
        let root = tempfile::tempdir().unwrap();
        let storage = FaultyStorage::new(Arc::new(Disk), 1, StorageFault::HalfWritten);
        let mut file = storage.create(&root.path().join("a")).unwrap();
        assert!(matches!(file.write(&[1; 100]), Err(Error::DiskFull { .. })));
        assert_eq!(std::fs::read(file.path()).unwrap().len(), 50);
    }
}
