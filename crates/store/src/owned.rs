//! Folders that outcrop makes: each is known by a file of its own, and nothing else is written into them or removed
//! from anywhere.

use crate::component::{StoreId, UNIT_BYTES, UnitSeal};
use crate::component_names::is_component_name;
use crate::manifest::{FIRST_KEY, MANIFEST_NAME, Manifest};
use crate::selection::{file_name, leftover_names};
use crate::store::HISTORY_NAME;
use crate::turn::{LOCK_NAME, TURN_NAME};
use crate::updates::{DRAFT_NAME, is_left_over};
use outcrop_io::{Folder, SpillFolder, Storage};
use outcrop_types::{Direction, Error, Result};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Begin of the names of entries of the history that are being written.
pub const HISTORY_DRAFT: &str = ".run-";
/// First characters of an entry of the history.
const HISTORY_FIRST: &str = "{\"id\":\"";

/// Most links that are followed on the way to a file, as in the kernel.
const MOST_LINKS: usize = 40;

/// File by which a folder is known as one of outcrop's.
#[derive(Clone, Copy)]
pub(crate) struct Marker {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its first line.
    pub(crate) line: &'static str,
    /// Kind of the folder, for messages.
    pub(crate) kind: &'static str,
}

impl Marker {
    /// The folder of checkpoints.
    pub(crate) const CHECKPOINTS: Self =
        Self { name: "checkpoint.lock", line: "outcrop checkpoints\n", kind: "checkpoint folder" };
    /// The folder of the results of incremental runs.
    pub(crate) const RESULTS: Self =
        Self { name: "result.lock", line: "outcrop results\n", kind: "folder of incremental results" };
    /// A store that is being written, before it has a manifest.
    pub(crate) const STAGING: Self =
        Self { name: "staging", line: "outcrop store in the making\n", kind: "unfinished store" };

    /// The first bytes of the file in `folder`, at most `most`; `None` where there is no plain file.
    pub(crate) fn read(self, folder: &Path, most: u64) -> Option<Vec<u8>> {
        first_bytes(&folder.join(self.name), most)
    }

    /// True if `found` is what a crash leaves of the file while it is written: a part of it, or zeroes.
    pub(crate) fn is_begun_in(self, found: &[u8]) -> bool {
        is_begun(found, self.line)
    }

    /// True if `folder` has the file with its line.
    pub(crate) fn is_in(self, folder: &Path) -> bool {
        self.read(folder, self.line.len() as u64).is_some_and(|found| found == self.line.as_bytes())
    }
}

/// True if `folder` is a store, damaged or not: its manifest begins as ours do.
pub fn is_store(folder: &Path) -> bool {
    let found = first_bytes(&folder.join(MANIFEST_NAME), FIRST_KEY.len() as u64);
    found.is_some_and(|found| found == FIRST_KEY.as_bytes())
}

/// True if `name` in the folder of a store is a file that outcrop has written there, and so one that may be removed
/// with the store. `manifest` is `None` where it is damaged: the names tell then.
pub(crate) fn is_of_store(folder: &Path, manifest: Option<&Manifest>, name: &OsStr) -> bool {
    let (path, Some(name)) = (folder.join(name), name.to_str()) else { return false };
    let plain = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    match name {
        HISTORY_NAME => std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()),
        _ if !plain => false,
        MANIFEST_NAME | LOCK_NAME | TURN_NAME => true,
        name if name == Marker::STAGING.name => true,
        DRAFT_NAME => first_bytes(&path, FIRST_KEY.len() as u64).is_some_and(|found| is_begun(&found, FIRST_KEY)),
        name => match manifest {
            Some(manifest) if manifest.file(name).is_some() => true,
            Some(manifest) => {
                is_unlisted_name(name) && manifest.store_id().is_some_and(|id| is_begun_of(&path, id, name))
            }
            None => is_component_name(name) || is_unlisted_name(name),
        },
    }
}

/// Paths in the store `folder`, from there, that outcrop did not write: nothing may remove them.
pub(crate) fn foreign(folder: &Path, manifest: Option<&Manifest>) -> Result<Vec<PathBuf>> {
    let names = Folder::open(folder)?.names()?;
    let (ours, mut others): (Vec<_>, Vec<_>) =
        names.into_iter().map(PathBuf::from).partition(|name| is_of_store(folder, manifest, name.as_os_str()));
    if ours.iter().any(|name| name == Path::new(HISTORY_NAME)) {
        let place = folder.join(HISTORY_NAME);
        let entries = Folder::open(&place)?.names()?.into_iter();
        let entries = entries.filter(|name| !is_history_file(&place.join(name)));
        others.extend(entries.map(|name| Path::new(HISTORY_NAME).join(name)));
    }
    Ok(others)
}

/// True of the names of files in a store that its manifest need not list: selections, and what killed updates have
/// left.
fn is_unlisted_name(name: &str) -> bool {
    is_left_over(name) || is_selection_name(name)
}

/// True of the names of selections, and of what killed writers of selections have left.
pub(crate) fn is_selection_name(name: &str) -> bool {
    let selected =
        |direction| file_name(direction) == name || leftover_names(direction).iter().any(|left| left == name);
    [Direction::Out, Direction::In].into_iter().any(selected)
}

/// True if the file at `path` begins as the component `name` of the store `id` does, or as a crash leaves one: with
/// zeroes, or a part of a unit, which is no text.
fn is_begun_of(path: &Path, id: StoreId, name: &str) -> bool {
    let sealed = name.strip_suffix(".exchange").unwrap_or(name);
    let seal = UnitSeal::new(id, sealed.strip_suffix(".tmp").unwrap_or(sealed));
    first_bytes(path, UNIT_BYTES as u64).is_some_and(|found| match found.len() {
        _ if found.iter().all(|byte| *byte == 0) => true,
        UNIT_BYTES => seal.open(0, &found, path).is_ok(),
        _ => std::str::from_utf8(&found).is_err(),
    })
}

/// True if the plain file at `path` is an entry of the history of runs, or one that is being written.
pub fn is_history_file(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    let begins = || first_bytes(path, HISTORY_FIRST.len() as u64).is_some_and(|found| is_begun(&found, HISTORY_FIRST));
    let plain = || std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    name.is_some_and(|name| is_history_name(name) && plain() || name.starts_with(HISTORY_DRAFT) && begins())
}

/// True of the names of entries of the history of runs: `20260131-235959-01ef.json`.
pub fn is_history_name(name: &str) -> bool {
    let Some(id) = name.strip_suffix(".json") else { return false };
    let parts: Vec<&str> = id.split('-').collect();
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.iter().map(|part| part.len()).eq([8, 6, 4]) && parts.iter().all(|part| digits(part))
}

/// True if `found` is what a crash leaves of `text` while it is written: a part of it, or zeroes.
fn is_begun(found: &[u8], text: &str) -> bool {
    let written = found.iter().rposition(|byte| *byte != 0).map_or(&[][..], |last| &found[..=last]);
    text.as_bytes().starts_with(written) || written.starts_with(text.as_bytes())
}

fn first_bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    // Opening a pipe would wait for its other end.
    let plain = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok().filter(|_| plain)?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Refuses `path`, at which a file or folder is to be written, where it is a store or lies in a folder of outcrop's: a
/// store, a store in the making, or a folder of checkpoints or results. Links are followed, also those that lead to
/// nothing yet.
///
/// # Errors
/// [`Error::Usage`] naming the folder; a path that leads nowhere.
pub fn require_own_place(path: &Path) -> Result<()> {
    let place = resolved(path)?;
    let kept = [Marker::CHECKPOINTS, Marker::RESULTS, Marker::STAGING];
    for folder in place.ancestors() {
        let kind = match is_store(folder) {
            true => Some("store"),
            false if folder == place => None,
            false => kept.iter().find(|marker| marker.is_in(folder)).map(|marker| marker.kind),
        };
        if let Some(kind) = kind {
            let (path, folder) = (path.display(), folder.display());
            return Err(Error::Usage(format!("{path} is inside the {kind} {folder}; choose another path")));
        }
    }
    Ok(())
}

/// Refuses `path`, which is to be written, inside the `folder` of checkpoints, results or temporary files, which need
/// not be there yet.
///
/// # Errors
/// [`Error::Usage`] naming both; a path that leads nowhere.
pub fn require_apart(path: &Path, folder: &Path) -> Result<()> {
    if !resolved(path)?.starts_with(resolved(folder)?) {
        return Ok(());
    }
    let (path, folder) = (path.display(), folder.display());
    Err(Error::Usage(format!("{path} is inside {folder}, where outcrop keeps its own files; choose another path")))
}

/// The folder `path` for temporary files.
///
/// # Errors
/// As for [`require_own_place`]; it cannot be written to.
pub(crate) fn spill_folder(storage: &dyn Storage, path: &Path) -> Result<Arc<SpillFolder>> {
    require_own_place(path)?;
    storage.spill_folder(path).map(Arc::new)
}

/// The absolute path to which `path` leads, links followed as far as something is there.
fn resolved(path: &Path) -> Result<PathBuf> {
    let failed = |error| Error::Usage(format!("`{}` is not a valid path: {error}", path.display()));
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<VecDeque<OsString>>();
    let (mut rest, mut place, mut links) = (parts(&std::path::absolute(path).map_err(failed)?), PathBuf::new(), 0);
    while let Some(part) = rest.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => _ = place.pop(),
            Some(Component::Normal(name)) => {
                let next = place.join(name);
                let Ok(target) = std::fs::read_link(&next) else {
                    place = next;
                    continue;
                };
                links += 1;
                if links > MOST_LINKS {
                    return Err(Error::Usage(format!("{} has too many symbolic links", path.display())));
                }
                rest = parts(&target).into_iter().chain(rest).collect();
            }
            Some(Component::CurDir) | None => {}
            Some(root) => place = PathBuf::from(root.as_os_str()),
        }
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_path_in_a_store_is_refused_by_whatever_name() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().canonicalize().unwrap();
        let store = root.join("g.outcrop");
        std::fs::create_dir_all(store.join("deep/er")).unwrap();
        std::fs::create_dir(root.join("beside")).unwrap();
        std::fs::write(store.join(MANIFEST_NAME), FIRST_KEY).unwrap();
        symlink("g.outcrop", root.join("link")).unwrap();
        symlink("g.outcrop/absent", root.join("dangling")).unwrap();
        symlink(store.join("deep/er"), root.join("beside/far")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for inside in [
            "g.outcrop",
            "g.outcrop/",
            "g.outcrop/absent",
            "g.outcrop/absent/more",
            "g.outcrop/deep/er/x",
            "link/x",
            "dangling",
            "dangling/x",
            "beside/far/x",
            "beside/far/../x",
            "beside/../g.outcrop/x",
            "absent/../g.outcrop/x",
            "loop",
        ] {
            let error = require_own_place(&root.join(inside)).unwrap_err();
            assert!(matches!(error, Error::Usage(_)), "{inside}: {error}");
        }
        for outside in ["x", "beside/x", "absent/x", "g.outcrop/../x", "beside/far/../../../x", "g.outcrop.x"] {
            require_own_place(&root.join(outside)).unwrap_or_else(|error| panic!("{outside}: {error}"));
        }
    }

    #[test]
    fn a_path_in_a_folder_of_checkpoints_is_refused_and_the_folder_itself_is_not() {
        let parent = tempfile::tempdir().unwrap();
        for marker in [Marker::CHECKPOINTS, Marker::RESULTS, Marker::STAGING] {
            let folder = parent.path().join(marker.name);
            std::fs::create_dir(&folder).unwrap();
            let file = folder.join("ranks.csv");
            require_own_place(&file).unwrap();
            std::fs::write(folder.join(marker.name), "mine").unwrap();
            require_own_place(&file).unwrap();
            std::fs::write(folder.join(marker.name), format!("{}0123", marker.line)).unwrap();
            require_own_place(&folder).unwrap();
            assert!(require_own_place(&file).unwrap_err().to_string().contains(marker.kind));
        }
    }
}
