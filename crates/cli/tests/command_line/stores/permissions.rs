//! Who may read a store that somebody else has made.

use crate::driver::{Folder, Ran, not_tested};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

/// Somebody who owns nothing.
const NOBODY: u32 = 65534;

fn ok_with_umask(folder: &Folder, umask: u32, arguments: &str) {
    let mut command = folder.command(arguments);
    // SAFETY: umask may be called between fork and exec.
    unsafe { command.pre_exec(move || Ok(_ = libc::umask(umask as libc::mode_t))) };
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn modes(store: &Path) -> Vec<u32> {
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut modes: Vec<u32> = std::fs::read_dir(store).unwrap().map(|entry| mode(&entry.unwrap().path())).collect();
    modes.dedup();
    modes.insert(0, mode(store));
    modes
}

/// A store that was built, updated, merged and given a selection under a umask.
fn folder_with_store(umask: u32) -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n2 0\n2 3\n");
    folder.write("new.txt", "3 0\n");
    ok_with_umask(&folder, umask, "build edges.txt g.outcrop");
    ok_with_umask(&folder, umask, "update g.outcrop --add new.txt --merge-above never");
    ok_with_umask(&folder, umask, "cache g.outcrop --size 50% --select gvs --keep");
    folder
}

#[test]
fn the_umask_decides_who_may_read_a_store() {
    for umask in [0o022, 0o027, 0o077] {
        let folder = folder_with_store(umask);
        assert_eq!(modes(&folder.path("g.outcrop")), [0o777 & !umask, 0o666 & !umask]);
        ok_with_umask(&folder, umask, "update g.outcrop --merge");
        assert_eq!(modes(&folder.path("g.outcrop")), [0o777 & !umask, 0o666 & !umask]);
    }
}

#[test]
fn reading_a_store_needs_no_permission_to_write_it() {
    let folder = folder_with_store(0o022);
    std::fs::set_permissions(folder.path("."), PermissionsExt::from_mode(0o755)).unwrap();
    let by_nobody = |arguments: &str| folder.command(arguments).uid(NOBODY).gid(NOBODY).output();
    match by_nobody("--version") {
        Ok(output) if output.status.success() => {}
        other => return not_tested(&format!("no command can be run as another user ({other:?})")),
    }
    for arguments in ["info g.outcrop", "check g.outcrop", "run wcc g.outcrop", "estimate wcc g.outcrop"] {
        let ran = Ran::of(by_nobody(arguments).unwrap());
        assert_eq!(ran.code, Some(0), "{arguments}: {ran:?}");
    }
    let ran = Ran::of(by_nobody("update g.outcrop --add new.txt").unwrap());
    assert_eq!(ran.code, Some(9), "{ran:?}");
    assert!(ran.stderr.contains("cannot lock g.outcrop/lock.update: Permission denied"), "{ran:?}");
}
