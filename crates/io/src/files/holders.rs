//! Processes that hold a lock, for messages.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Maximum length of a displayed command, in characters.
const LONGEST: usize = 80;

/// Returns the processes with a lock on the file at `path`, such as `process 17 (outcrop run pagerank g.outcrop)`, as
/// far as the system shows them.
pub(super) fn holders(path: &Path) -> String {
    let Ok(found) = fs::metadata(path) else { return String::new() };
    // Default: a system that does not list its locks shows no processes.
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let inode = format!(":{}", found.ino());
    let mut pids: Vec<u32> = locks.lines().filter_map(|line| holder(line, &inode)).collect();
    pids.sort_unstable();
    pids.dedup();
    pids.iter().map(|pid| describe(*pid)).collect::<Vec<_>>().join(", ")
}

/// Returns the process of a line of the list of locks, if the line is of the file with this inode:
/// `1: FLOCK  ADVISORY  READ 17 fe:00:4711 0 EOF`.
fn holder(line: &str, inode: &str) -> Option<u32> {
    let mut fields = line.split_whitespace();
    let (kind, pid, file) = (fields.nth(1)?, fields.nth(2)?, fields.next()?);
    (kind == "FLOCK" && file.ends_with(inode)).then(|| pid.parse().ok())?
}

fn describe(pid: u32) -> String {
    // Default: the command of another user's process is hidden.
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    let shown: String = command.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if shown.is_empty() { format!("process {pid}") } else { format!("process {pid} ({shown})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_process_that_holds_the_file() {
        let line = "12: FLOCK  ADVISORY  READ 4711 fe:00:131 0 EOF";
        assert_eq!(holder(line, ":131"), Some(4711));
        assert_eq!(holder(line, ":31"), None);
        // A process that waits.
        assert_eq!(holder("12: -> FLOCK  ADVISORY  READ 4711 fe:00:131 0 EOF", ":131"), None);
        assert_eq!(holder("12: POSIX  ADVISORY  READ 4711 fe:00:131 0 EOF", ":131"), None);
        assert_eq!(holder("", ":131"), None);
    }
}
