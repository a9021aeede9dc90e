//! Incremental runs, which start from the previous result after updates (decision 0041).

mod changes;

use crate::checkpoints::{Facts, is_same};
pub(crate) use changes::Reader;
use changes::{Version, changes_since};
use outcrop_engine::{Changes, LastResult};
use outcrop_io::Disk;
use outcrop_report::IncrementalRecord;
use outcrop_types::{Error, Observer, Result, length_from};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Text stored with a result, which identifies it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultMetadata {
    run: Facts,
    version: Version,
}

/// Previous result of a run, and the changes since then.
#[derive(Clone)]
pub(crate) struct Incremental {
    pub(crate) last: Arc<LastResult>,
    /// Number of updates of the graph at the time of the result.
    from: Option<u64>,
}

impl Incremental {
    /// Opens the result in `folder` of the run described by `facts`, and determines the changes of the graph since
    /// then.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if it belongs to another run, or an error if the folder is in use or not writable, if
    /// the result is damaged, or if the budget cannot hold the changes.
    pub(crate) fn open(folder: &Path, facts: Facts, graph: &Reader<'_>, observer: &dyn Observer) -> Result<Self> {
        let now = ResultMetadata { run: facts, version: Version::of(graph.store) };
        let text = serde_json::to_string(&now).map_err(|error| Error::internal(error.to_string()))?;
        let mut from = None;
        let last = LastResult::open(Box::new(Disk), folder, text, |found| {
            let Some(found) = found else {
                return Ok(Err(format!("there is no previous result in {}", folder.display())));
            };
            let metadata: ResultMetadata = serde_json::from_str(found).map_err(|error| {
                Error::corrupt(folder, format!("the metadata of the previous result are invalid: {error}"))
                    .with_remedy("remove it and repeat the run")
            })?;
            is_same(folder, "result", "run", &metadata.run, &now.run)?;
            from = Some(metadata.version.graph.generation);
            changes_since(graph, &metadata.version)
        })?;
        last.repair().fresh.iter().for_each(|reason| observer.note(&format!("computing from scratch: {reason}")));
        Ok(Self { last: Arc::new(last), from })
    }

    /// Returns the part of a run record about the incremental run.
    pub(crate) fn record(&self) -> IncrementalRecord {
        let repair = self.last.repair();
        let count = |arcs: fn(&Changes) -> usize| self.last.changes().map_or(0, |changes| length_from(arcs(changes)));
        IncrementalRecord {
            from_generation: self.from,
            added: count(|changes| changes.added.len()),
            removed: count(|changes| changes.removed.len()),
            touched: repair.touched,
            fresh: repair.fresh,
        }
    }
}
