//! Checkpoints of a run: of which run they are, and which goes on from them.

use crate::request::{CheckpointOptions, RunRequest};
use outcrop_algorithms::params::{Arg, InputVector, Personalization};
use outcrop_engine::{Checkpoints, LastResult, SavedStates};
use outcrop_io::Disk;
use outcrop_report::CheckpointRecord;
use outcrop_store::Store;
use outcrop_types::{Error, Observer, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::sync::Arc;

/// Facts of a run that its answer, and the form of its state, depend on.
pub(crate) type Facts = BTreeMap<String, Value>;

/// Name of the fact that tells most.
const ALGORITHM: &str = "the algorithm";

/// Memory in which the state of a run of `request`, or its result, is copied, in bytes.
pub(crate) fn copy_bytes(request: &RunRequest<'_>) -> u64 {
    let state = request.checkpoints().map_or(0, |_| Checkpoints::MEMORY_BYTES);
    state.max(request.incremental().map_or(0, |_| LastResult::MEMORY_BYTES))
}

/// Opens the checkpoints of the run that `facts` tell of.
///
/// # Errors
/// A checkpoint of another run, or one that is there and not to be gone on from; a folder that is in use, or cannot be written to.
pub(crate) fn open(options: &CheckpointOptions, facts: &Facts, observer: &dyn Observer) -> Result<Arc<Checkpoints>> {
    let CheckpointOptions { folder, every, resume } = options;
    let told = serde_json::to_string(facts).map_err(|error| Error::internal(error.to_string()))?;
    let check = |found: &str| match serde_json::from_str(found) {
        Ok(Value::Object(found)) => is_same(folder, "checkpoint", &found.into_iter().collect(), facts),
        _ => is_same(folder, "checkpoint", &Facts::new(), facts),
    };
    let checkpoints = Checkpoints::open(Box::new(Disk), folder, told, (*every, *resume), check)?;
    if *resume && !checkpoints.resumes() {
        observer.note(&format!("there is no checkpoint in {}: the run starts from the beginning", folder.display()));
    }
    Ok(Arc::new(checkpoints))
}

/// The part of the record of a run about its checkpoints.
pub(crate) fn record(checkpoints: &Checkpoints) -> CheckpointRecord {
    let SavedStates { saved, seconds, resumed_after } = checkpoints.account();
    CheckpointRecord { saved, seconds, resumed_after }
}

/// Makes sure that `what` there is in `folder`, of the run of facts `found`, is of the run of `facts`.
pub(crate) fn is_same(folder: &Path, what: &str, found: &Facts, facts: &Facts) -> Result<()> {
    let said = |value: Option<&Value>| value.map_or_else(|| "not given".to_owned(), ToString::to_string);
    let algorithm = ALGORITHM.to_owned();
    let mut names = std::iter::once(&algorithm).chain(facts.keys()).chain(found.keys());
    match names.find(|name| found.get(*name) != facts.get(*name)) {
        None => Ok(()),
        Some(name) => Err(Error::Usage(format!(
            "the {what} in {} is of another run: {name} was {}, and is {}; run it as it was, or remove the {what}",
            folder.display(),
            said(found.get(name)),
            said(facts.get(name))
        ))),
    }
}

/// Facts of a run of `request` with these `parameters` in `model`.
pub(crate) fn facts<'p>(
    request: &RunRequest<'_>,
    store: &Store,
    (model, on_disk): (&str, bool),
    parameters: impl Iterator<Item = (&'p str, Value)>,
) -> Facts {
    let manifest = store.manifest();
    let generation = manifest.updates.as_ref().map_or(0, |updates| updates.generation);
    let mut facts = facts_of_answer(request, parameters);
    facts.extend(request.args().given().map(|(info, arg)| (format!("--{}", info.name), contents(arg))));
    facts.extend([
        ("the store".to_owned(), manifest.uuid.clone().into()),
        ("the number of its updates".to_owned(), generation.into()),
        ("the model".to_owned(), model.into()),
        ("the place of values".to_owned(), if on_disk { "disk" } else { "memory" }.into()),
        ("the version of outcrop".to_owned(), env!("CARGO_PKG_VERSION").into()),
    ]);
    facts
}

/// The algorithm of `request` and its own `parameters`.
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

/// The value of an argument; of many values a checksum, of a file its size and age.
fn contents(arg: &Arg) -> Value {
    match arg {
        Arg::NodeWeights(Personalization::File(path)) | Arg::Vector(InputVector::File(path)) | Arg::File(path) => {
            let found = std::fs::metadata(path).ok();
            let changed = found.as_ref().and_then(|found| found.modified().ok());
            let (bytes, path) = (found.map_or(0, |found| found.len()), path.display());
            format!("{path}, {bytes} bytes, {changed:?}").into()
        }
        Arg::Count(count) => (*count).into(),
        Arg::Number(number) => (*number).into(),
        Arg::Text(text) => text.as_str().into(),
        Arg::Word(word) => (*word).into(),
        Arg::Flag(flag) => (*flag).into(),
        Arg::Auto => "auto".into(),
        Arg::Ids(_) | Arg::NodeWeights(_) | Arg::Vector(_) => {
            let mut digest = Digest(DefaultHasher::new());
            // A digest takes everything.
            _ = write!(digest, "{arg:?}");
            format!("{:016x}", digest.0.finish()).into()
        }
    }
}

/// Checksum of a text that is not kept.
struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
