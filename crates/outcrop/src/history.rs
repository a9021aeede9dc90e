//! Run history of a store: one small file per run, in a folder of the store.

use crate::request::RunRequest;
use crate::run::{Origin, RunResult, given_parameters};
use outcrop_report::{Date, RunEntry, RunExit, RunRecord};
use outcrop_store::{HISTORY_DRAFT, HISTORY_NAME, Store, is_history_file, is_history_name};
use outcrop_types::{Error, Result, length_from};
use std::fs::{self, DirEntry, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Maximum number of entries; the oldest are removed.
const MOST: usize = 1000;
/// Maximum number of iterations stored per run.
const ITERATIONS: usize = 256;
/// Version of entries that this program writes; newer ones are ignored.
const FORMAT: u32 = 1;
/// Maximum length of an entry, in bytes.
const LONGEST: u64 = 4 << 20;
/// Suffix of the name of an entry.
const END: &str = ".json";
/// Age from which incomplete files count as leftovers.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Maximum number of attempts to find an unused name.
const ATTEMPTS: u64 = 64;

/// Environment variable that disables the history, unless it is empty or 0.
const VARIABLE: &str = "OUTCROP_NO_HISTORY";

/// Returns true unless the environment disables the run history.
pub fn history_wanted() -> bool {
    std::env::var_os(VARIABLE).is_none_or(|value| value.is_empty() || value == "0")
}

/// Returns the entries of the run history of the store in `folder`, the oldest first, without their records. Ignores
/// files that are not entries.
///
/// # Errors
///
/// Returns an error under the same conditions as [`crate::Graph::open`].
pub fn runs(folder: &Path) -> Result<Vec<RunEntry>> {
    let store = Store::open(folder)?;
    let place = folder_of(&store);
    let entry = |name: &String| read(&place.join(name)).map(|entry| RunEntry { record: None, ..entry });
    Ok(names(&place).iter().filter_map(entry).collect())
}

/// Returns the entry of the run history of the store in `folder` whose name starts with `id`, with its record.
///
/// # Errors
///
/// Returns an error under the same conditions as [`crate::Graph::open`], or [`Error::Usage`] if there is no such entry,
/// or several.
pub fn run_entry(folder: &Path, id: &str) -> Result<RunEntry> {
    let store = Store::open(folder)?;
    let place = folder_of(&store);
    let names = names(&place);
    let mut named = names.iter().filter(|name| name.starts_with(id)).filter_map(|name| read(&place.join(name)));
    match (named.next(), named.next()) {
        (Some(entry), None) => Ok(entry),
        (Some(one), Some(other)) => Err(Error::Usage(format!(
            "the run ID {id} is ambiguous: it matches {} and {}; use a longer prefix",
            one.id, other.id
        ))),
        (None, _) => {
            let folder = folder.display();
            Err(Error::Usage(format!("no run {id} in {folder}; list its runs with `outcrop runs {folder}`")))
        }
    }
}

fn folder_of(store: &Store) -> PathBuf {
    store.place().join(HISTORY_NAME)
}

impl Origin<'_> {
    /// Keeps the run in the history of the store, if one is kept; that this is not possible is noted once.
    pub(crate) fn remember(&self, request: &RunRequest<'_>, outcome: &Result<RunResult>) {
        let graph = self.graph;
        if !graph.history {
            return;
        }
        if matches!(outcome, Err(Error::Usage(_))) {
            return;
        }
        let manifest = graph.store.manifest();
        let record = outcome.as_ref().ok().map(|result| shortened(result.record()));
        let exit = match outcome {
            Ok(result) if result.converged().is_err() => RunExit::NotConverged,
            outcome => RunExit::of(outcome),
        };
        let identity = manifest.identity();
        let entry = RunEntry {
            format: FORMAT,
            id: String::new(),
            started: self.started.as_secs(),
            algorithm: request.spec().name.to_owned(),
            parameters: given_parameters(request),
            between: self.window.map(|window| [window.start.clone(), window.end.clone()]),
            exit,
            error: outcome.as_ref().err().map(ToString::to_string),
            uuid: manifest.uuid.clone(),
            generation: identity.generation,
            head: Some(identity.head.to_string()),
            seconds: self.total.seconds(),
            iterations: record.as_ref().map(|record| record.convergence.iterations),
            bytes_read: record.as_ref().map(|record| record.traffic.bytes_read),
            memory_peak: record.as_ref().map(|record| record.memory.peak),
            record,
        };
        if let Err(error) = keep(&folder_of(&graph.store), entry, self.started.subsec_nanos())
            && !graph.forgetful.swap(true, Relaxed)
        {
            graph.observer.note(&format!("could not write the run history: {error}"));
        }
    }
}

fn shortened(mut record: RunRecord) -> RunRecord {
    record.iterations_detail.truncate(ITERATIONS);
    record
}

/// Writes an entry of a run that started the given number of nanoseconds after a second, under an unused name, and
/// removes the oldest of too many entries.
fn keep(folder: &Path, entry: RunEntry, nanoseconds: u32) -> Result<()> {
    make(folder)?;
    let fail = |source| Error::io("write a run to", folder, source);
    let stamp = Date::of(entry.started).stamp();
    let fraction = (u64::from(nanoseconds) << 16) / 1_000_000_000;
    for attempt in 0..ATTEMPTS {
        let id = format!("{stamp}-{:04x}", (fraction + attempt) & 0xffff);
        let path = folder.join(format!("{id}{END}"));
        let text = text(&RunEntry { id, ..entry.clone() })?;
        let mut making = tempfile::Builder::new();
        let mut file = making
            .prefix(HISTORY_DRAFT)
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .map_err(fail)?;
        file.write_all(&text).map_err(fail)?;
        match file.persist_noclobber(&path) {
            Ok(_) => {
                clear(folder);
                return Ok(());
            }
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(fail(error.error)),
        }
    }
    Err(fail(ErrorKind::AlreadyExists.into()))
}

/// Returns the text of an entry, without the record if that is too long.
fn text(entry: &RunEntry) -> Result<Vec<u8>> {
    let json = |entry: &RunEntry| {
        serde_json::to_vec(entry).map_err(|error| Error::internal(format!("a run record is not valid JSON: {error}")))
    };
    let fits = |text: &Vec<u8>| length_from(text.len()) <= LONGEST;
    let short = || json(&RunEntry { record: None, ..entry.clone() });
    let text = Some(json(entry)?).filter(fits).map_or_else(short, Ok)?;
    if fits(&text) {
        return Ok(text);
    }
    Err(Error::Usage(format!("the parameters take {} bytes; an entry is limited to {LONGEST}", text.len())))
}

/// Creates the folder if it does not exist. A link in its place may lead anywhere, and is not followed.
fn make(folder: &Path) -> Result<()> {
    let fail = |source| Error::io("create the folder", folder, source);
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(fail(error)),
        _ => {}
    }
    if is_folder(folder) { Ok(()) } else { Err(fail(ErrorKind::NotADirectory.into())) }
}

fn is_folder(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
}

/// Returns the names of the entries, the oldest first.
fn names(folder: &Path) -> Vec<String> {
    if !is_folder(folder) {
        return Vec::new();
    }
    let name = |entry: DirEntry| entry.file_name().into_string().ok().filter(|name| is_history_name(name));
    let mut names: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(name).collect();
    names.sort_unstable();
    names
}

/// Removes the oldest of too many entries, and leftovers of killed processes. Another process may do the same
/// concurrently.
fn clear(folder: &Path) {
    let names = names(folder);
    let surplus = names.len().saturating_sub(MOST);
    let oldest = names.iter().take(surplus).map(|name| folder.join(name)).filter(|path| read(path).is_some());
    oldest.for_each(|path| _ = fs::remove_file(path));
    let left_over = |entry: &DirEntry| {
        let age = || entry.metadata().and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
        let named = entry.file_name().to_string_lossy().starts_with(HISTORY_DRAFT);
        named && age().is_some_and(|age| age > ABANDONED) && is_history_file(&entry.path())
    };
    let making = fs::read_dir(folder).into_iter().flatten().flatten().filter(left_over);
    making.for_each(|entry| _ = fs::remove_file(entry.path()));
}

/// Reads an entry; returns `None` if the file is not an entry, for example of a newer version.
fn read(path: &Path) -> Option<RunEntry> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() > LONGEST {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    let entry: RunEntry = serde_json::from_str(&text).ok()?;
    let named = path.file_stem().is_some_and(|stem| stem == entry.id.as_str());
    (named && entry.format <= FORMAT).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_killed_run_has_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let texts = [(".run-1", "mine"), (".run-2", ""), (".run-3", "{\"id\":\"2026"), (".run-4", "{\"id\": 7}")];
        for (name, text) in texts {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        fs::write(folder.path().join(".run-5"), "").unwrap();
        clear(folder.path());
        let there = |name: &str| folder.path().join(name).exists();
        assert_eq!(
            ["1", "2", "3", "4", "5"].map(|name| there(&format!(".run-{name}"))),
            [true, false, false, true, true]
        );
    }
}
