//! Resource usage of this process, as counted by the system.

use serde::Serialize;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// Usage of the whole process since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ProcessUsage {
    /// Processor time in user mode, in seconds.
    pub user_seconds: f64,
    /// Processor time in the kernel, in seconds.
    pub system_seconds: f64,
    /// Peak resident memory, in bytes.
    pub peak_rss_bytes: u64,
    /// Bytes read from disks; `None` if the system does not report them.
    pub read_bytes: Option<u64>,
    /// Bytes written to disks; `None` if the system does not report them.
    pub write_bytes: Option<u64>,
}

impl ProcessUsage {
    /// Returns the current usage. Values that the system does not report are zero or `None`.
    pub fn now() -> Self {
        let usage = resource_usage();
        // Default: a system without this file reports nothing.
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        // Default: a system without this file reports nothing.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let high_water = figure(&status, "VmHWM:").map(|kib| kib * 1024);
        Self {
            user_seconds: seconds(usage.ru_utime),
            system_seconds: seconds(usage.ru_stime),
            peak_rss_bytes: high_water.unwrap_or_else(|| peak_in_bytes(usage.ru_maxrss)),
            read_bytes: figure(&io, "read_bytes:"),
            write_bytes: figure(&io, "write_bytes:"),
        }
    }
}

/// Waits for a child to end; returns its status, and the usage of it and its own children.
///
/// # Errors
///
/// Returns an error if the child does not exist.
pub fn wait_for(child: Child) -> io::Result<(ExitStatus, ProcessUsage)> {
    let (pid, mut status, mut usage) = (child.id() as libc::pid_t, 0, no_usage());
    // SAFETY: both pointers are valid for writes.
    while unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let blocks = |count: libc::c_long| u64::try_from(count).ok().map(|count| 512 * count);
    let used = ProcessUsage {
        user_seconds: seconds(usage.ru_utime),
        system_seconds: seconds(usage.ru_stime),
        peak_rss_bytes: peak_in_bytes(usage.ru_maxrss),
        read_bytes: blocks(usage.ru_inblock),
        write_bytes: blocks(usage.ru_oublock),
    };
    Ok((ExitStatus::from_raw(status), used))
}

/// Makes writes beyond the file size limit (`ulimit -f`) fail; by default the system ends the process. For the main
/// functions of programs, since it affects the whole process.
pub fn fail_writes_beyond_the_file_limit() {
    // SAFETY: no handler is installed; the signal is ignored from now on.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

const fn no_usage() -> libc::rusage {
    // SAFETY: the structure contains only integers, for which zeros are valid.
    unsafe { std::mem::zeroed() }
}

fn resource_usage() -> libc::rusage {
    let mut usage = no_usage();
    // SAFETY: the pointer is valid for writes of the structure. On failure it stays zeroed.
    _ = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    usage
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

/// Converts the peak to bytes: Linux counts in KiB, macOS in bytes.
fn peak_in_bytes(peak: libc::c_long) -> u64 {
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    u64::try_from(peak).unwrap_or(0) * unit
}

/// Returns the number after a name at the start of a line.
fn figure(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_name() {
        let text = "rchar: 1\nread_bytes: 42\nVmHWM:\t  7 kB\n";
        assert_eq!((figure(text, "read_bytes:"), figure(text, "VmHWM:")), (Some(42), Some(7)));
        assert_eq!(figure(text, "write_bytes:"), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no getrusage")]
    fn this_process_has_used_something() {
        let usage = ProcessUsage::now();
        assert!(usage.peak_rss_bytes > 100_000 && usage.user_seconds + usage.system_seconds > 0.0);
    }
}
