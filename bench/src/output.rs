//! Output to stdout and stderr.

use outcrop::{Error, Result};
use serde::Serialize;
use std::io::Write;

/// Writes a text and a newline to stdout.
pub(crate) fn say(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    written.map_err(|error| Error::io("write", "standard output", error))
}

/// Writes a record to stdout as JSON.
pub(crate) fn say_json(record: &impl Serialize) -> Result<()> {
    say(&serde_json::to_string(record).map_err(|error| Error::io("write", "JSON", error.into()))?)
}

/// Writes a line to stderr.
pub(crate) fn remark(text: &str) {
    // A closed stderr is ignored.
    _ = writeln!(std::io::stderr().lock(), "outcrop-bench: {text}");
}

/// Formats bytes in human-readable units.
pub(crate) fn bytes(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}

/// Formats a count with thousands separators.
pub(crate) fn count(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}

/// Formats `part` as a percentage of `whole`.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1}%", 100.0 * part as f64 / whole as f64) }
}
