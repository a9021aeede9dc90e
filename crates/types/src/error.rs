//! Error type, whose kinds correspond to the exit codes of the command line.

use crate::{MemoryNeed, MemoryPlan, Purpose};
use std::fmt;
use std::path::{Path, PathBuf};

/// Result of fallible operations in outcrop.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Location in a text given by the user: file, line and column as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the file as given by the user, or `standard input`.
    pub file: String,
    /// Line number, starting at 1.
    pub line: Option<u64>,
    /// Column in bytes, starting at 1.
    pub column: Option<u64>,
}

impl Location {
    /// Creates the location of a whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, column: None }
    }

    /// Creates a location in a line of a file; `line` and `column` start at 1.
    pub fn at(file: impl Into<String>, line: u64, column: u64) -> Self {
        Self { file: file.into(), line: Some(line), column: Some(column) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        Ok(())
    }
}

/// Error, with one kind per remedy of the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option or argument is invalid, alone or in combination.
    #[error("{0}")]
    Usage(String),
    /// A store or file already exists at an output path, and `--overwrite` was not given.
    #[error("{} already exists; choose another name, or use --overwrite", path.display())]
    AlreadyExists {
        /// Path that already exists.
        path: PathBuf,
    },
    /// The graph is not of the generation that an update expects.
    #[error("{} has generation {found}, but the update expects generation {expected}; check the updates in between", path.display())]
    Generation {
        /// Path of the store.
        path: PathBuf,
        /// Expected generation.
        expected: u64,
        /// Actual generation.
        found: u64,
    },
    /// The named file or store does not exist.
    #[error("{} does not exist{hint}", path.display())]
    NotFound {
        /// Path that does not exist.
        path: PathBuf,
        /// Advice on what to do, empty or starting with `; `.
        hint: &'static str,
    },
    /// The input is malformed.
    #[error("{location}: {message}")]
    BadInput {
        /// Location of the fault.
        location: Location,
        /// Description of what was found and expected.
        message: String,
    },
    /// The memory budget is too small for the work.
    #[error("{}{}", budget_message(*.budget, .plan, .retry.as_ref()), hint_message(*.hint))]
    BudgetTooSmall {
        /// Memory budget, in bytes.
        budget: u64,
        /// Memory that the work needs, by purpose.
        plan: MemoryPlan,
        /// Reservation that failed during the work, although the plan had fit.
        retry: Option<MemoryNeed>,
        /// Advice on reducing the memory, if any.
        hint: Option<&'static str>,
    },
    /// The system provided less memory than the budget allows.
    #[error(
        "the system refused {} of memory{}; lower --memory, or raise the limit of the process (ulimit -v)",
        Bytes(*.bytes), purpose.map_or_else(String::new, |purpose| format!(" for {}", purpose.name()))
    )]
    OutOfMemory {
        /// Requested memory, in bytes.
        bytes: u64,
        /// Purpose, if known.
        purpose: Option<Purpose>,
    },
    /// The disk has too little free space.
    #[error("no space left for {}{}", path.display(), needed_message(*.needed))]
    DiskFull {
        /// Path that was being written.
        path: PathBuf,
        /// Needed and free space, if known.
        needed: Option<SpaceShortage>,
    },
    /// The iteration limit was reached before the tolerance.
    #[error("`{algorithm}` did not converge{}", convergence_message(*.iterations, *.change, *.tolerance))]
    NotConverged {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Number of iterations performed.
        iterations: u32,
        /// Last change.
        change: f64,
        /// Requested change.
        tolerance: f64,
    },
    /// Stored data is damaged.
    #[error("{} is damaged: {message}; {remedy}", path.display())]
    Corrupt {
        /// Path of the damaged file.
        path: PathBuf,
        /// Damaged unit, and the failed check.
        message: String,
        /// Advice on what to do.
        remedy: &'static str,
    },
    /// The store has another version of the format.
    #[error("{} has format version {found}, but this version of outcrop reads up to {supported}; upgrade outcrop or rebuild the store", path.display())]
    FormatVersion {
        /// Path of the store.
        path: PathBuf,
        /// Version of the store.
        found: u32,
        /// Newest supported version.
        supported: u32,
    },
    /// Another process uses the store and excludes this one.
    #[error("{} is in use by {}; wait for it to end; for a store, `build`, `convert`, `cache` and `update` can wait with --wait TIME", path.display(), if by.is_empty() { "another process" } else { by })]
    InUse {
        /// Path of the store.
        path: PathBuf,
        /// Processes that use it, if known.
        by: String,
    },
    /// An operation of the operating system failed.
    #[error("cannot {operation} {}: {source}{}", path.display(), io_message(operation, source))]
    Io {
        /// Attempted operation, as a verb.
        operation: &'static str,
        /// Object of the operation.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The work was interrupted by Ctrl-C or through a handle.
    #[error("interrupted")]
    Interrupted,
    /// A bug in outcrop: an impossible state, or a thread that panicked.
    #[error(
        "internal error: {message}; this is a bug in outcrop, please report it with the command and this message at {REPORT_AT}"
    )]
    Internal {
        /// Finding and its location.
        message: String,
    },
}

/// Address for bug reports.
const REPORT_AT: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

impl Error {
    /// Returns the exit code of the command line: 2 usage, 3 bad input, 4 budget or memory, 5 disk full, 6 not
    /// converged, 7 damaged store, 8 format version, 9 I/O, 10 another generation, 70 internal error, 130 interrupted.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::AlreadyExists { .. } => 2,
            Self::BadInput { .. } => 3,
            Self::BudgetTooSmall { .. } | Self::OutOfMemory { .. } => 4,
            Self::DiskFull { .. } => 5,
            Self::NotConverged { .. } => 6,
            Self::Corrupt { .. } => 7,
            Self::FormatVersion { .. } => 8,
            Self::NotFound { .. } | Self::InUse { .. } | Self::Io { .. } => 9,
            Self::Generation { .. } => 10,
            Self::Internal { .. } => 70,
            Self::Interrupted => 130,
        }
    }

    /// Adds advice on reducing the memory to [`Error::BudgetTooSmall`]; returns other errors unchanged.
    #[must_use]
    pub fn hinting(self, advice: Option<&'static str>) -> Self {
        match self {
            Self::BudgetTooSmall { budget, plan, retry, .. } => {
                Self::BudgetTooSmall { budget, plan, retry, hint: advice }
            }
            other => other,
        }
    }

    /// Raises the plan of [`Error::BudgetTooSmall`] to the need of the whole work, if that is larger; returns other
    /// errors unchanged.
    #[must_use]
    pub fn at_least(self, whole: impl FnOnce() -> Result<MemoryPlan>) -> Self {
        let Self::BudgetTooSmall { budget, plan, retry, hint } = self else { return self };
        let stated = plan.total().saturating_add(retry.as_ref().map_or(0, |need| need.bytes));
        match whole() {
            Ok(whole) if whole.total() > stated => Self::BudgetTooSmall { budget, plan: whole, retry: None, hint },
            _ => Self::BudgetTooSmall { budget, plan, retry, hint },
        }
    }

    /// Operation of [`Error::Io`] in a folder for temporary files.
    pub const CREATE_TEMPORARY: &str = "create a temporary file in";

    /// Returns true if a folder or file may only be read.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Io { source, .. } if forbids_writing(source))
    }

    /// Creates the error for a failed operation on `path`; a full disk (or quota) becomes [`Error::DiskFull`].
    pub fn io(operation: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        let path = path.into();
        match source.kind() {
            StorageFull | QuotaExceeded => Self::DiskFull { path, needed: None },
            _ => Self::Io { operation, path, source },
        }
    }

    /// Creates the error for a store or a folder in use `by` other processes, as far as they are known.
    pub fn in_use(path: impl Into<PathBuf>, by: String) -> Self {
        Self::InUse { path: path.into(), by }
    }

    /// Creates the error for stored data that fails its checks.
    pub fn corrupt(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        let remedy = "rebuild the store from its edges, or save the intact ones with `outcrop salvage`";
        Self::Corrupt { path: path.into(), message: message.into(), remedy }
    }

    /// Remedy for a missing file that is empty otherwise.
    pub const CREATE_EMPTY: &str = "create an empty file of this name";

    /// Creates the error for a missing file of a store that has `bytes` bytes otherwise.
    pub fn missing(path: impl Into<PathBuf>, bytes: u64) -> Self {
        let missing = Self::corrupt(path, "the file is missing");
        if bytes == 0 { missing.with_remedy(Self::CREATE_EMPTY) } else { missing }
    }

    /// Replaces the advice of [`Error::Corrupt`]; returns other errors unchanged.
    #[must_use]
    pub fn with_remedy(self, remedy: &'static str) -> Self {
        match self {
            Self::Corrupt { path, message, .. } => Self::Corrupt { path, message, remedy },
            other => other,
        }
    }

    /// Creates the error for a bug in outcrop.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal { message: message.into() }
    }

    /// Creates the error for a thread that panicked, from the result of joining it. `thread` is a noun phrase: "the
    /// thread that sorts arcs".
    pub fn panicked(thread: &str, payload: &(dyn std::any::Any + Send)) -> Self {
        Self::internal(format!("{thread} panicked: {}", Self::panic_message(payload)))
    }

    /// Returns the message of a panic, from the result of joining its thread or catching it.
    pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> &str {
        let text = payload.downcast_ref::<&str>().copied();
        text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
    }

    /// Creates the error for malformed input at a location.
    pub fn bad_input(location: Location, message: impl Into<String>) -> Self {
        Self::BadInput { location, message: message.into() }
    }
}

/// Formats bytes: exact below 1 KiB, otherwise with one decimal, rounded up so that a minimum stays sufficient.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        for (unit, shift) in UNITS {
            if self.0 >> shift > 0 {
                let tenths = (u128::from(self.0) * 10).div_ceil(1 << shift);
                return write!(f, "{}.{} {unit}", tenths / 10, tenths % 10);
            }
        }
        write!(f, "{} bytes", self.0)
    }
}

fn budget_message(budget: u64, plan: &MemoryPlan, retry: Option<&MemoryNeed>) -> String {
    let total = plan.total();
    let mut text = match retry {
        Some(need) => format!(
            "the memory budget of {} is too small for another {} ({}); use at least --memory {}; already reserved",
            Bytes(budget),
            Bytes(need.bytes),
            need.purpose.name(),
            total.saturating_add(need.bytes)
        ),
        None => format!(
            "the memory budget of {} is too small; use at least --memory {total} ({}); needed",
            Bytes(budget),
            Bytes(total)
        ),
    };
    if plan.needs().is_empty() {
        text += ": nothing";
    }
    for (position, need) in plan.needs().iter().enumerate() {
        let separator = if position == 0 { ": " } else { ", " };
        text += &format!("{separator}{} {}", need.purpose.name(), Bytes(need.bytes));
    }
    text
}

/// Needed and free space of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceShortage {
    /// Needed bytes.
    pub needed: u64,
    /// Free bytes.
    pub free: u64,
    /// Alternative to freeing space: what else the user can do.
    pub remedy: &'static str,
}

impl SpaceShortage {
    /// Remedy for work whose folder for temporary files the user can choose.
    pub const MOVE_TEMPORARY_FILES: &str = "put temporary files elsewhere (--tmp-dir, --checkpoint-dir)";

    /// Checks that the disk of `path` has `needed` free bytes, if the number of `free` bytes is known.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] with `remedy`.
    pub fn check(path: &Path, needed: u64, free: Option<u64>, remedy: &'static str) -> Result<()> {
        match free {
            Some(free) if free < needed => {
                Err(Error::DiskFull { path: path.to_owned(), needed: Some(Self { needed, free, remedy }) })
            }
            _ => Ok(()),
        }
    }
}

fn hint_message(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!("; {hint}"))
}

fn forbids_writing(source: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
}

fn io_message(operation: &str, source: &std::io::Error) -> &'static str {
    match source.kind() {
        _ if operation == Error::CREATE_TEMPORARY && forbids_writing(source) => {
            "; use --tmp-dir with a writable folder"
        }
        std::io::ErrorKind::FileTooLarge => {
            "; raise the file size limit (ulimit -f), or use a file system with larger files"
        }
        _ => "",
    }
}

fn needed_message(needed: Option<SpaceShortage>) -> String {
    match needed {
        Some(SpaceShortage { needed, free, remedy }) => {
            let (needed, free) = (Bytes(needed), Bytes(free));
            format!(": {needed} needed, {free} free; free some space or {remedy}")
        }
        None => "; free some space and try again".to_owned(),
    }
}

/// Values that exceed their range are reported as the largest possible change.
fn convergence_message(iterations: u32, change: f64, tolerance: f64) -> String {
    if change == f64::MAX {
        return format!(
            ": its values exceeded the range of numbers (iterations: {iterations}); use a smaller --alpha with `katz`, smaller weights otherwise"
        );
    }
    format!(" (iterations: {iterations}, change: {change:.1e}, tolerance: {tolerance:e}); raise --max-iter or --tol")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_exact_minimum_and_what_takes_it() {
        let plan = MemoryPlan::new().with(Purpose::VertexValues, 3 << 20).with(Purpose::Index, 1000);
        let error = Error::BudgetTooSmall { budget: 1 << 20, plan, retry: None, hint: Some("less is less") };
        assert_eq!(error.exit_code(), 4);
        let text = error.to_string();
        assert!(text.contains("--memory 3146728"), "{text}");
        assert!(text.ends_with("vertex values 3.0 MiB, index 1000 bytes; less is less"), "{text}");
    }

    #[test]
    fn a_full_disk_is_told_apart_from_other_failures() {
        let full = Error::io("write", "x", std::io::ErrorKind::StorageFull.into());
        assert_eq!(full.exit_code(), 5);
        let denied = Error::io("write", "x", std::io::ErrorKind::PermissionDenied.into());
        assert_eq!(denied.exit_code(), 9);
    }

    #[test]
    fn a_bug_of_ours_asks_to_be_reported() {
        let payload = std::panic::catch_unwind(|| panic!("vertex {}", 7)).unwrap_err();
        let error = Error::panicked("the sorting thread", &*payload);
        assert_eq!(error.exit_code(), 70);
        let text = error.to_string();
        assert!(text.starts_with("internal error: the sorting thread panicked: vertex 7; this is a bug"), "{text}");
        assert!(text.ends_with("https://github.com/outcrop/outcrop/issues"), "{text}");
        let payload = std::panic::catch_unwind(|| panic!("plain")).unwrap_err();
        assert!(Error::panicked("it", &*payload).to_string().contains("it panicked: plain;"));
    }

    #[test]
    fn a_file_beyond_a_limit_says_which_limit() {
        let refused = Error::io("write", "x", std::io::ErrorKind::FileTooLarge.into());
        assert!(refused.exit_code() == 9 && refused.to_string().contains("ulimit -f"), "{refused}");
    }

    /// Returns the file and name of the test that provokes an error of this kind. A new kind does not compile without
    /// one.
    fn provoked_by(error: &Error) -> (&'static str, &'static str) {
        const CODES: &str = "cli/tests/command_line/exit_codes.rs";
        const FILES: &str = "formats/src/table/tests/failures.rs";
        match error {
            Error::Usage(_) => (CODES, "usage_is_2_and_says_what_is_wrong"),
            Error::AlreadyExists { .. } => (FILES, "an_existing_file_stays_unless_it_is_to_be_replaced"),
            Error::NotFound { .. } => (CODES, "what_is_not_there_or_cannot_be_read_is_9"),
            Error::BadInput { .. } => {
                ("formats/src/edges/tests/bad_lines.rs", "ids_that_are_no_whole_numbers_are_refused_at_their_place")
            }
            Error::BudgetTooSmall { .. } => (CODES, "a_budget_that_is_too_small_is_4_and_names_the_minimum"),
            Error::OutOfMemory { .. } => {
                ("types/src/memory/allocation_refusals.rs", "what_the_system_refuses_is_an_error_with_its_purpose")
            }
            Error::DiskFull { .. } => (FILES, "a_disk_that_fills_at_any_byte_leaves_the_old_file_alone"),
            Error::NotConverged { .. } => (CODES, "no_convergence_is_6_and_the_values_are_there"),
            Error::Corrupt { .. } => (CODES, "a_damaged_store_is_7_and_names_the_file"),
            Error::FormatVersion { .. } => (CODES, "a_newer_format_is_8_and_says_what_to_do"),
            Error::InUse { .. } => (CODES, "a_store_that_is_being_read_is_not_replaced"),
            Error::Generation { .. } => (CODES, "another_generation_than_an_update_expects_is_10"),
            Error::Io { .. } => (FILES, "impossible_targets_are_refused"),
            Error::Interrupted => (CODES, "an_interrupted_run_is_130_and_leaves_nothing"),
            Error::Internal { .. } => {
                ("store/tests/store/harm/faults.rs", "a_panic_while_in_lists_are_written_is_an_internal_error")
            }
        }
    }

    #[test]
    fn every_kind_has_a_test_that_provokes_it() {
        let (path, hint) = (PathBuf::from("x"), "");
        let (message, plan) = (String::new(), MemoryPlan::new());
        let kinds = [
            Error::Usage(message.clone()),
            Error::AlreadyExists { path: path.clone() },
            Error::NotFound { path: path.clone(), hint },
            Error::bad_input(Location::file("x"), ""),
            Error::BudgetTooSmall { budget: 0, plan, retry: None, hint: None },
            Error::OutOfMemory { bytes: 0, purpose: None },
            Error::DiskFull { path: path.clone(), needed: None },
            Error::NotConverged { algorithm: "", iterations: 0, change: 0.0, tolerance: 0.0 },
            Error::corrupt("x", ""),
            Error::FormatVersion { path: path.clone(), found: 0, supported: 0 },
            Error::Generation { path: path.clone(), expected: 0, found: 0 },
            Error::in_use(path, String::new()),
            Error::io("read", "x", std::io::ErrorKind::Other.into()),
            Error::Interrupted,
            Error::Internal { message },
        ];
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (file, test) in kinds.iter().map(provoked_by) {
            let text = std::fs::read_to_string(crates.join(file)).unwrap();
            assert!(text.contains(&format!("fn {test}()")), "{file} has no test {test}");
        }
    }

    #[test]
    fn a_location_prints_what_it_knows() {
        assert_eq!(Location::at("a.txt", 3, 7).to_string(), "a.txt:3:7");
        assert_eq!(Location::file("a.txt").to_string(), "a.txt");
    }
}
