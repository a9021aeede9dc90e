//! Equal conditions for every run: an empty page cache, and a separate memory control group.

use crate::output::remark;
use outcrop::{Error, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum read-ahead that keeps sparse reads sparse, in KiB.
const USUAL_READ_AHEAD: u64 = 128;

/// Empties the page cache.
///
/// # Errors
/// Returns an error if the user lacks the permission.
pub(super) fn drop_page_cache() -> Result<()> {
    // Dirty pages cannot be dropped.
    _ = Command::new("sync").status();
    fs::write("/proc/sys/vm/drop_caches", "3").map_err(|error| needs_root("drop the page cache", &error))
}

fn needs_root(what: &str, error: &std::io::Error) -> Error {
    Error::Usage(format!("cannot {what} ({error}); run as root, or pass --warm and leave memory_limit out"))
}

/// Memory control group, version 1 or 2, which is removed on drop.
pub(super) struct MemoryGroup {
    folder: PathBuf,
    peak: &'static str,
}

impl MemoryGroup {
    /// # Errors
    /// Returns an error if the system has no control groups, or if the user lacks the permission.
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
        // Swap would extend the memory beyond the limit. Kernels without swap lack these files.
        for (name, value) in [("memory.memsw.limit_in_bytes", limit), ("memory.swap.max", 0)] {
            let file = self.folder.join(name);
            if file.exists() {
                fs::write(file, value.to_string())?;
            }
        }
        Ok(())
    }

    /// Returns the words that start a following command in the group.
    pub(super) fn prefix(&self) -> [OsString; 4] {
        let procs = self.folder.join("cgroup.procs");
        ["/bin/sh".into(), "-c".into(), "echo $$ > \"$0\" && exec \"$@\"".into(), procs.into()]
    }

    /// Returns the peak memory of the group, including the page cache, in bytes; `None` if the system does not report
    /// it.
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

/// Returns the read-ahead of each disk, in KiB, and warns about unusually large ones.
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
