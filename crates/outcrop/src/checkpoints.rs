//! Checkpoints of a run or a build: their identity, and resuming from them.

use crate::order::Made;
use crate::request::{CheckpointOptions, RunRequest};
use outcrop_algorithms::params::{Arg, InputVector, Personalization};
use outcrop_engine::{Checkpoints, LastResult, SavedStates};
use outcrop_io::Disk;
use outcrop_report::CheckpointRecord;
use outcrop_store::layout::Layout;
use outcrop_store::layout::chunked::Placement;
use outcrop_store::writing::BuildCheckpoints;
use outcrop_store::{Store, require_apart};
use outcrop_types::{Error, Observer, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::sync::Arc;

/// Checkpoints of a build or a conversion, and its store if that is already complete.
pub(crate) type Saving = (Arc<BuildCheckpoints>, Option<Made>);

/// Facts of a run or a build that its result, and the format of its state, depend on.
pub(crate) type Facts = BTreeMap<String, Value>;

/// Name of the most informative fact.
const ALGORITHM: &str = "the algorithm";

/// Returns the memory for copying the state of a run of `request`, or its result, in bytes.
pub(crate) fn copy_bytes(request: &RunRequest<'_>) -> u64 {
    let state = request.checkpoints().map_or(0, |_| Checkpoints::MEMORY_BYTES);
    state.max(request.incremental().map_or(0, |_| LastResult::MEMORY_BYTES))
}

/// Opens the checkpoints of the run described by `facts`.
///
/// # Errors
///
/// Returns an error if there is a checkpoint of another run or one that is not to be resumed, or if the folder is in
/// use or not writable.
pub(crate) fn open(options: &CheckpointOptions, facts: &Facts, observer: &dyn Observer) -> Result<Arc<Checkpoints>> {
    let CheckpointOptions { folder, every, resume } = options;
    let check = |found: &str| is_same(folder, "checkpoint", "run", &facts_in(found), facts);
    let checkpoints = Checkpoints::open(Box::new(Disk), folder, metadata(facts)?, *every, *resume, check)?;
    note_beginning("run", options, checkpoints.resumes(), observer);
    Ok(Arc::new(checkpoints))
}

/// Checks that a build or a conversion, `what`, of `store` with lists in this `layout` supports checkpoints.
///
/// # Errors
///
/// Returns [`Error::Usage`] with the obstacle and an alternative.
pub(crate) fn require_saving(
    what: &str,
    store: &Path,
    options: &CheckpointOptions,
    layout: &Layout,
    verify: bool,
    temp_folder: Option<&Path>,
) -> Result<()> {
    require_apart(store, &options.folder)?;
    let reordered = matches!(layout, Layout::Chunked(settings) if settings.placement == Placement::Reordered);
    let refused = if verify {
        "with --verify; omit it and run `outcrop check` afterwards"
    } else if reordered {
        "with --placement reordered; omit it and use `outcrop convert` afterwards"
    } else if temp_folder.is_some() {
        "with --tmp-dir, because temporary files are in the checkpoint folder; omit it"
    } else {
        return Ok(());
    };
    Err(Error::Usage(format!("a {what} cannot write checkpoints {refused}")))
}

/// Opens the checkpoints of a build or a conversion, `what`, that writes `store` and has these `facts`. If a resumed
/// one has already completed the store, returns its report.
///
/// # Errors
///
/// Returns an error under the same conditions as [`open`].
pub(crate) fn open_saving(
    what: &str,
    store: &Path,
    options: &CheckpointOptions,
    facts: &Facts,
    observer: &dyn Observer,
) -> Result<Saving> {
    let CheckpointOptions { folder, every, resume } = options;
    let check = |found: &str| is_same(folder, "checkpoint", what, &facts_in(found), facts);
    let checkpoints = BuildCheckpoints::open(Box::new(Disk), folder, metadata(facts)?, *every, *resume, check)?;
    let finished = checkpoints.finished(&Disk, store)?.map(|report| Made { report, order_reason: None });
    match finished {
        None => note_beginning(what, options, checkpoints.resumes(), observer),
        Some(_) => observer.note(&format!(
            "the store was already completed by this {what}; to repeat it, remove {} or omit --resume",
            store.display()
        )),
    }
    Ok((Arc::new(checkpoints), finished))
}

fn metadata(facts: &Facts) -> Result<String> {
    serde_json::to_string(facts).map_err(|error| Error::internal(error.to_string()))
}

/// Adds a note if work that was to be resumed from a checkpoint starts from the beginning.
fn note_beginning(what: &str, options: &CheckpointOptions, resumes: bool, observer: &dyn Observer) {
    if options.resume && !resumes {
        let folder = options.folder.display();
        observer.note(&format!("no checkpoint in {folder}; starting the {what} from the beginning"));
    }
}

/// Parses the facts in a text; returns empty facts for another text.
fn facts_in(metadata: &str) -> Facts {
    match serde_json::from_str(metadata) {
        Ok(Value::Object(found)) => found.into_iter().collect(),
        _ => Facts::new(),
    }
}

/// Returns the part of a run record about its checkpoints.
pub(crate) fn record(checkpoints: &Checkpoints) -> CheckpointRecord {
    let SavedStates { saved, seconds, resumed_after } = checkpoints.account();
    CheckpointRecord { saved, seconds, resumed_after }
}

/// Checks that `what` in `folder`, which belongs to a run or other `work` with the facts `found`, belongs to the one
/// with `facts`.
pub(crate) fn is_same(folder: &Path, what: &str, work: &str, found: &Facts, facts: &Facts) -> Result<()> {
    let said = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "not given".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let algorithm = ALGORITHM.to_owned();
    let mut names = std::iter::once(&algorithm).chain(facts.keys()).chain(found.keys());
    let Some(name) = names.find(|name| found.get(*name) != facts.get(*name)) else { return Ok(()) };
    let (was, now) = (said(found.get(name)), said(facts.get(name)));
    // Values with fields are too long to print.
    let change = if [&was, &now].iter().any(|value| value.contains('{')) {
        format!("{name} changed")
    } else {
        format!("{name} was {was}, now {now}")
    };
    Err(Error::Usage(format!(
        "the {what} in {} belongs to another {work}: {change}; repeat the original command, or remove the {what}",
        folder.display()
    )))
}

/// Returns the facts of a run of `request` with these `parameters` in `model`.
pub(crate) fn facts<'p>(
    request: &RunRequest<'_>,
    store: &Store,
    model: &str,
    on_disk: bool,
    parameters: impl Iterator<Item = (&'p str, Value)>,
) -> Facts {
    let mut facts = facts_of_answer(request, parameters);
    facts.extend(facts_of_source("the store", store));
    facts.extend(request.args().given().map(|(info, arg)| (format!("--{}", info.name), contents(arg))));
    facts.extend([
        ("the model".to_owned(), model.into()),
        ("the location of values".to_owned(), if on_disk { "disk" } else { "memory" }.into()),
    ]);
    facts
}

/// Returns the facts of the source store, under this `name`.
pub(crate) fn facts_of_source(name: &str, store: &Store) -> Facts {
    let manifest = store.manifest();
    let version = format!("update {}, manifest {}", manifest.generation(), manifest.checksum());
    Facts::from([(name.to_owned(), manifest.uuid.clone().into()), (format!("the version of {name}"), version.into())])
}

/// Returns the facts of the new `store`, and of the options that it depends on.
///
/// # Errors
///
/// Returns [`Error::Usage`] if the path has no folder or is not UTF-8.
pub(crate) fn facts_of_target<const N: usize>(store: &Path, options: [(&str, &dyn fmt::Debug); N]) -> Result<Facts> {
    let store = std::path::absolute(store).map_err(|error| Error::io("find", store, error))?;
    let name = store.to_str().ok_or_else(|| {
        let message = "the path of the store is not UTF-8, which checkpoints need; choose another path";
        Error::Usage(format!("{}: {message}", store.display()))
    })?;
    let mut facts = Facts::from([("the store".to_owned(), name.into())]);
    facts.extend(options.map(|(name, value)| (name.to_owned(), format!("{value:?}").into())));
    Ok(facts)
}

/// Returns the facts of the algorithm of `request` and its own `parameters`.
pub(crate) fn facts_of_answer<'p>(
    request: &RunRequest<'_>,
    parameters: impl Iterator<Item = (&'p str, Value)>,
) -> Facts {
    let mut facts: Facts = parameters.map(|(name, value)| (format!("--{name}"), value)).collect();
    let own = |info| request.algorithm().params().iter().any(|own| std::ptr::eq(*own, info));
    let given = request.args().given().filter(|(info, _)| own(*info));
    facts.extend(given.map(|(info, arg)| (format!("--{}", info.name), contents(arg))));
    facts.insert(ALGORITHM.to_owned(), request.spec().name.into());
    facts
}

/// Returns the value of an argument; for many values a checksum, for a file its size and modification time.
fn contents(arg: &Arg) -> Value {
    match arg {
        Arg::NodeWeights(Personalization::File(path)) | Arg::Vector(InputVector::File(path)) | Arg::File(path) => {
            let version = outcrop_io::file_version(path).unwrap_or_else(|error| error.to_string());
            format!("{}, {version}", path.display()).into()
        }
        Arg::Count(count) => (*count).into(),
        Arg::Number(number) => (*number).into(),
        Arg::Text(text) => text.as_str().into(),
        Arg::Word(word) => (*word).into(),
        Arg::Flag(flag) => (*flag).into(),
        Arg::Auto => "auto".into(),
        Arg::Ids(ids) if ids.len() <= MOST_TOLD => ids.join(", ").into(),
        Arg::Ids(_) | Arg::NodeWeights(_) | Arg::Vector(_) => {
            let mut digest = Digest(DefaultHasher::new());
            // Writing to a digest cannot fail.
            _ = write!(digest, "{arg:?}");
            let begin = if let Arg::Ids(ids) = arg { &ids[..MOST_TOLD] } else { &[] };
            let begin: String = begin.iter().map(|id| format!("{id}, ")).collect();
            format!("{begin}... (checksum {:016x})", digest.0.finish()).into()
        }
    }
}

/// Maximum number of IDs that are listed individually.
const MOST_TOLD: usize = 8;

/// Checksum of a text that is not stored.
struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
