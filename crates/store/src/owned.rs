//! Folders that outcrop creates. Each is identified by a marker file; outcrop writes nothing else into them and removes
//! nothing else from them.

use crate::component::{StoreId, UNIT_BYTES, UnitSeal};
use crate::component_names::is_component_name;
use crate::manifest::{FIRST_KEY, MANIFEST_NAME, Manifest};
use crate::selection::{file_name, leftover_names};
use crate::store::HISTORY_NAME;
use crate::updates::{DRAFT_NAME, is_left_over};
use crate::writer_lock::{LOCK_NAME, UPDATE_LOCK_NAME, WRITER_LOCK_NAME};
use outcrop_io::{Folder, SECTOR_BYTES, SpillFolder, Storage};
use outcrop_types::{Direction, Error, Result};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Prefix of the names of incomplete history entries.
pub const HISTORY_DRAFT: &str = ".run-";
/// First characters of a history entry.
const HISTORY_FIRST: &str = "{\"id\":\"";

/// Maximum number of links followed on the path to a file, as in the kernel.
const MOST_LINKS: usize = 40;

/// File that marks a folder as created by outcrop.
#[derive(Clone, Copy)]
pub(crate) struct Marker {
    /// Name.
    pub(crate) name: &'static str,
    /// First line.
    pub(crate) line: &'static str,
    /// Kind of the folder, for messages.
    pub(crate) kind: &'static str,
}

impl Marker {
    /// Folder of checkpoints.
    pub(crate) const CHECKPOINTS: Self =
        Self { name: "checkpoint.lock", line: "outcrop checkpoints\n", kind: "checkpoint folder" };
    /// Folder of the results of incremental runs.
    pub(crate) const RESULTS: Self =
        Self { name: "result.lock", line: "outcrop results\n", kind: "folder of incremental results" };
    /// Store that is being written and has no manifest yet.
    pub(crate) const STAGING: Self =
        Self { name: "staging", line: "outcrop store in the making\n", kind: "unfinished store" };

    /// Returns the first bytes of the file in `folder`, at most `most`; `None` if there is no regular file.
    pub(crate) fn read(self, folder: &Path, most: u64) -> Option<Vec<u8>> {
        first_bytes(&folder.join(self.name), most)
    }

    /// Returns true if `found` is what a crash can leave of the file while it is written: a prefix of it, or zeros.
    pub(crate) fn is_partly_written(self, found: &[u8]) -> bool {
        is_start_of(found, self.line)
    }

    /// Returns true if `folder` has the file with its first line.
    pub(crate) fn is_in(self, folder: &Path) -> bool {
        self.read(folder, self.line.len() as u64).is_some_and(|found| found == self.line.as_bytes())
    }
}

/// Returns true if `folder` is a store, damaged or not: its manifest starts like ours.
pub fn is_store(folder: &Path) -> bool {
    let found = first_bytes(&folder.join(MANIFEST_NAME), FIRST_KEY.len() as u64);
    found.is_some_and(|found| found == FIRST_KEY.as_bytes())
}

/// Returns true if `name` in the folder of a store is a file that outcrop wrote, which may be removed with the store.
/// If the manifest is damaged, `manifest` is `None` and the names decide.
pub(crate) fn is_of_store(folder: &Path, manifest: Option<&Manifest>, name: &OsStr) -> bool {
    let path = folder.join(name);
    let is_gone = || matches!(std::fs::symlink_metadata(&path), Err(error) if error.kind() == ErrorKind::NotFound);
    // An update may remove it at any moment: it is looked for last.
    name.to_str().is_some_and(|name| is_written_by_us(folder, manifest, name)) || is_gone()
}

fn is_written_by_us(folder: &Path, manifest: Option<&Manifest>, name: &str) -> bool {
    let path = folder.join(name);
    let plain = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    match name {
        HISTORY_NAME => std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()),
        _ if !plain => false,
        MANIFEST_NAME | LOCK_NAME | WRITER_LOCK_NAME | UPDATE_LOCK_NAME => true,
        name if name == Marker::STAGING.name => true,
        DRAFT_NAME => first_bytes(&path, FIRST_KEY.len() as u64).is_some_and(|found| is_start_of(&found, FIRST_KEY)),
        name => match manifest {
            Some(manifest) if manifest.file(name).is_some() => true,
            Some(manifest) => {
                is_unlisted_name(name) && manifest.store_id().is_some_and(|id| is_partly_written_file(&path, id, name))
            }
            None => is_component_name(name) || is_unlisted_name(name),
        },
    }
}

/// Returns the relative paths in the store `folder` that outcrop did not write and must not remove.
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

/// Returns true for names of files that the manifest of a store need not list: selections, and leftovers of killed
/// updates.
fn is_unlisted_name(name: &str) -> bool {
    is_left_over(name) || is_selection_name(name)
}

/// Returns true for names of selections, and of leftovers of killed writers of selections.
pub(crate) fn is_selection_name(name: &str) -> bool {
    let selected =
        |direction| file_name(direction) == name || leftover_names(direction).iter().any(|left| left == name);
    [Direction::Out, Direction::In].into_iter().any(selected)
}

/// Returns true if the file at `path` starts like the component `name` of the store `id`, or like the leftover of a
/// crash: with a part of a unit, which is not text, or with a unit in which sectors are zeros. Each component has
/// control characters near its start: zeros of integers, or the width of a column of a journal.
fn is_partly_written_file(path: &Path, id: StoreId, name: &str) -> bool {
    let sealed = name.strip_suffix(".exchange").unwrap_or(name);
    let seal = UnitSeal::new(id, sealed.strip_suffix(".tmp").unwrap_or(sealed));
    first_bytes(path, UNIT_BYTES as u64).is_some_and(|found| match found.len() {
        0 => true,
        _ if found.chunks(SECTOR_BYTES).any(|sector| sector.iter().all(|byte| *byte == 0)) => true,
        UNIT_BYTES => seal.open(0, &found, path).is_ok(),
        _ => !is_text(&found),
    })
}

/// Returns true for UTF-8 without control characters but white space.
fn is_text(found: &[u8]) -> bool {
    let control = |letter: char| letter.is_control() && !letter.is_whitespace();
    std::str::from_utf8(found).is_ok_and(|text| !text.contains(control))
}

/// Returns true if the regular file at `path` is an entry of the run history, complete or not.
pub fn is_history_file(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    let begins =
        || first_bytes(path, HISTORY_FIRST.len() as u64).is_some_and(|found| is_start_of(&found, HISTORY_FIRST));
    let plain = || std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    name.is_some_and(|name| is_history_name(name) && plain() || name.starts_with(HISTORY_DRAFT) && begins())
}

/// Returns true for names of entries of the run history: `20260131-235959-01ef.json`.
pub fn is_history_name(name: &str) -> bool {
    let Some(id) = name.strip_suffix(".json") else { return false };
    let parts: Vec<&str> = id.split('-').collect();
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.iter().map(|part| part.len()).eq([8, 6, 4]) && parts.iter().all(|part| digits(part))
}

/// Returns true if `found` is what a crash can leave of `text` while it is written: a prefix of it, or zeros.
fn is_start_of(found: &[u8], text: &str) -> bool {
    let written = found.iter().rposition(|byte| *byte != 0).map_or(&[][..], |last| &found[..=last]);
    text.as_bytes().starts_with(written) || written.starts_with(text.as_bytes())
}

fn first_bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    // Opening a pipe would block until its other end is open.
    let plain = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok().filter(|_| plain)?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Refuses the output path `-`, which stands for standard output.
pub(crate) fn require_name(path: &Path) -> Result<()> {
    match path == Path::new("-") {
        true => Err(Error::Usage("- is not standard output here; choose another name".to_owned())),
        false => Ok(()),
    }
}

/// Refuses the output `path` if it is `-`, a store, or inside a folder of outcrop: a store, an unpublished store, or a
/// folder of checkpoints or results. Follows links, including dangling ones.
///
/// # Errors
///
/// Returns [`Error::Usage`] with the folder, or an error if the path cannot be resolved.
pub fn require_own_place(path: &Path) -> Result<()> {
    require_name(path)?;
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

/// Refuses the output `path` inside the `folder` of checkpoints, results or temporary files, which need not exist.
///
/// # Errors
///
/// Returns [`Error::Usage`] with both paths, or an error if a path cannot be resolved.
pub fn require_apart(path: &Path, folder: &Path) -> Result<()> {
    if !resolved(path)?.starts_with(resolved(folder)?) {
        return Ok(());
    }
    let (path, folder) = (path.display(), folder.display());
    Err(Error::Usage(format!("{path} is inside {folder}, where outcrop keeps its own files; choose another path")))
}

/// Opens the folder `path` for temporary files.
///
/// # Errors
///
/// Returns an error under the same conditions as [`require_own_place`], or if the folder is not writable.
pub(crate) fn spill_folder(storage: &dyn Storage, path: &Path) -> Result<Arc<SpillFolder>> {
    require_own_place(path)?;
    storage.spill_folder(path).map(Arc::new)
}

/// Opens the folder `path` for temporary files of work that only reads: it need not be writable unless memory is
/// exceeded.
///
/// # Errors
///
/// Returns an error under the same conditions as [`require_own_place`], or if the folder does not exist.
pub(crate) fn spill_folder_when_needed(storage: &dyn Storage, path: &Path) -> Result<Arc<SpillFolder>> {
    require_own_place(path)?;
    storage.spill_folder_when_needed(path).map(Arc::new)
}

/// Returns the absolute path for `path`, with links resolved as far as they exist.
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
    fn a_part_of_a_component_is_told_from_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal-0001-0001");
        let id = StoreId::from_hex(&"5".repeat(32)).unwrap();
        let found = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            is_partly_written_file(&path, id, "journal-0001-0001")
        };
        // Columns of IDs of one and of two bytes, which are UTF-8; numbers; what was not synced.
        for ours in [&[1, 50, 51, 52, 53][..], &[2, 50, 51, 52, 53], &[65, 0, 0, 0, 0, 0, 0, 0], &[0; 9], &[], &[0xff]]
        {
            assert!(found(ours), "{ours:?}");
        }
        let mut unit = [b'x'; UNIT_BYTES];
        assert!(!found(&unit));
        unit[SECTOR_BYTES..2 * SECTOR_BYTES].fill(0);
        assert!(found(&unit));
        for text in ["notes", "a\tb\r\nc\n", "Grüße\n"] {
            assert!(!found(text.as_bytes()), "{text}");
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
