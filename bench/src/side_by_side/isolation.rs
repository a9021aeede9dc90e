//! The same circumstances for every run: an empty page cache, and a memory control group of its own.

use crate::output::remark;
use outcrop::{Error, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Read-ahead of disks that leaves sparse reads sparse, in KiB.
const USUAL_READ_AHEAD: u64 = 128;

/// Empties the page cache.
///
/// # Errors
/// The system does not let this user.
pub(super) fn drop_page_cache() -> Result<()> {
    // What is not written yet cannot be dropped.
    _ = Command::new("sync").status();
    fs::write("/proc/sys/vm/drop_caches", "3").map_err(|error| needs_root("drop the page cache", &error))
}

fn needs_root(what: &str, error: &std::io::Error) -> Error {
    Error::Usage(format!("cannot {what} ({error}); run as root, or pass --warm and leave memory_limit out"))
}

/// A memory control group, of either version, which is removed in the end.
pub(super) struct MemoryGroup {
    folder: PathBuf,
    peak: &'static str,
}

impl MemoryGroup {
    /// # Errors
    /// The system has no such groups, or does not let this user make one.
    pub(super) fn create(limit: u64) -> Result<Self> {
        let root = Path::new("/sys/fs/cgroup");
        let first = root.join("memory/memory.limit_in_bytes").exists();
        let (root, peak) = match first {
            true => (root.join("memory"), "memory.max_usage_in_bytes"),
            false => (root.to_owned(), "memory.peak"),
        };
        let group = Self { folder: root.join(format!("outcrop-bench-{}", std::process::id())), peak };
        group.make(&root, limit, first).map_err(|error| needs_root("make a memory control group", &error))?;
        Ok(group)
    }

    fn make(&self, root: &Path, limit: u64, first: bool) -> std::io::Result<()> {
        if !first {
            fs::write(root.join("cgroup.subtree_control"), "+memory")?;
        }
        fs::create_dir(&self.folder)?;
        let name = if first { "memory.limit_in_bytes" } else { "memory.max" };
        fs::write(self.folder.join(name), limit.to_string())?;
        // Swap would be memory beyond the limit. Where a kernel cannot swap, the files are missing.
        for (name, value) in [("memory.memsw.limit_in_bytes", limit), ("memory.swap.max", 0)] {
            let file = self.folder.join(name);
            if file.exists() {
                fs::write(file, value.to_string())?;
            }
        }
        Ok(())
    }

    /// Words before a command that begin it in the group.
    pub(super) fn prefix(&self) -> [OsString; 4] {
        let procs = self.folder.join("cgroup.procs");
        ["/bin/sh".into(), "-c".into(), "echo $$ > \"$0\" && exec \"$@\"".into(), procs.into()]
    }

    /// The most memory that was in the group, page cache included, in bytes; `None` where the system does not tell.
    pub(super) fn peak(&self) -> Option<u64> {
        fs::read_to_string(self.folder.join(self.peak)).ok()?.trim().parse().ok()
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.folder) {
            remark(&format!("cannot remove the memory control group {} ({error})", self.folder.display()));
        }
    }
}

/// The read-ahead of each disk, in KiB; says which are above the usual.
pub(super) fn read_ahead() -> BTreeMap<String, u64> {
    let disks = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let known: BTreeMap<_, _> = disks
        .filter_map(|disk| {
            let (name, set) = (disk.file_name().into_string().ok()?, disk.path().join("queue/read_ahead_kb"));
            Some((name, fs::read_to_string(set).ok()?.trim().parse().ok()?))
        })
        .filter(|(name, _)| !["loop", "ram", "zram"].iter().any(|kind| name.starts_with(kind)))
        .collect();
    for (disk, kib) in known.iter().filter(|(_, kib)| **kib > USUAL_READ_AHEAD) {
        remark(&format!(
            "warning: {disk} reads ahead {kib} KiB, which programs that map or buffer files pay for: \
             echo {USUAL_READ_AHEAD} > /sys/block/{disk}/queue/read_ahead_kb"
        ));
    }
    known
}
