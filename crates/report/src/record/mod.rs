//! Records in printed form.

mod build;
mod entry;
mod gas;
mod memory;
mod messages;
mod profile;
mod run;
mod saved;

pub use build::{BuildCost, BuildRecord, BuiltGraph, FileRecord, InputRecord, PhaseRecord};
pub use entry::{RunEntry, RunExit};
pub use gas::GasRecord;
pub use memory::MemoryRecord;
pub use messages::MessageRecord;
pub use profile::{
    ClusteringRecord, ComponentsRecord, DegreeRecord, DegreesRecord, DistancesRecord, LocalityRecord, PowerLawRecord,
    ProfileRecord, RangeCount,
};
pub use run::{
    AnswerRecord, Bin, CacheRecord, ConvergenceRecord, EnvironmentRecord, FilesRecord, GraphRecord, Histogram,
    OptionalRecords, PinnedRecord, ReadingRecord, RunRecord, TaskRecord, TimeRecord, TopRows, TrafficRecord,
    WindowRecord,
};
pub use saved::{CheckpointRecord, IncrementalRecord};

use outcrop_types::{Error, Location, Result};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// Error text for input that is not a record.
const EXPECTED: &str =
    "expected the JSON output of `outcrop run --json`, `outcrop build --json` or `outcrop profile --json`";

/// Record of any kind.
#[derive(Clone, Debug)]
pub enum Record {
    /// Record of a run.
    Run(Box<RunRecord>),
    /// Record of a build.
    Build(Box<BuildRecord>),
    /// Profile of a graph.
    Profile(Box<ProfileRecord>),
}

/// Keys that distinguish the kinds.
#[derive(Deserialize)]
struct Kind {
    algorithm: Option<IgnoredAny>,
    phases: Option<IgnoredAny>,
    degrees: Option<IgnoredAny>,
}

impl Record {
    /// Parses a record. Ignores unknown keys, so that records of newer versions can be shown; rejects unknown values.
    ///
    /// # Errors
    /// Returns [`Error::BadInput`] with the position in `file` and the expected input.
    pub fn from_json(text: &str, file: &str) -> Result<Self> {
        let kind: Kind = parse(text, file)?;
        match (kind.algorithm, kind.phases, kind.degrees) {
            (Some(_), ..) => Ok(Self::Run(parse(text, file)?)),
            (None, Some(_), _) => Ok(Self::Build(parse(text, file)?)),
            (None, None, Some(_)) => Ok(Self::Profile(parse(text, file)?)),
            (None, None, None) => {
                let message = format!("found none of `algorithm`, `phases` and `degrees`, {EXPECTED}");
                Err(Error::bad_input(Location::file(file), message))
            }
        }
    }
}

fn parse<T: DeserializeOwned>(text: &str, file: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        // The position appears only once, at the beginning.
        let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
        let place = |number: usize| u64::try_from(number).ok().filter(|number| *number > 0);
        let location = Location { file: file.to_owned(), line: place(error.line()), column: place(error.column()) };
        Error::bad_input(location, format!("{what}; {EXPECTED}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let error = Record::from_json(text, "r.json").unwrap_err();
        assert_eq!(error.exit_code(), 3);
        error.to_string()
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_place() {
        let cut = refusal("{\n  \"algorithm\": ");
        assert!(cut.starts_with("r.json:2:") && cut.contains("EOF") && cut.contains(EXPECTED), "{cut}");
        assert!(refusal("").starts_with("r.json:1: "), "{}", refusal(""));
        assert!(refusal("[1]").contains("r.json:1:"), "{}", refusal("[1]"));
        assert!(refusal("{}").contains("none of `algorithm`, `phases` and `degrees`"));
        let missing = refusal("{\"algorithm\": \"bfs\"}");
        assert!(missing.contains("missing field"), "{missing}");
        let wrong = refusal("{\"algorithm\": \"bfs\",\n \"notes\": 7}");
        assert!(wrong.starts_with("r.json:2:11: invalid type: integer `7`, expected"), "{wrong}");
        // Values of flattened parts are parsed at the end of the object.
        let wrong = refusal("{\"algorithm\": \"bfs\",\n \"model\": 7, \"iterations_detail\": []}");
        assert!(wrong.starts_with("r.json:2:") && wrong.contains("invalid type: integer `7`, expected"), "{wrong}");
        assert_eq!(wrong.matches("line").count(), 0, "{wrong}");
    }
}
