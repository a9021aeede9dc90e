//! Programs to compare, as described in a file: see `bench/peers`.

use outcrop::{Error, MemorySize, Result};
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Programs to compare.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peers {
    peers: Vec<Peer>,
}

/// Program with its arguments, and its output format.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peer {
    pub(super) name: String,
    /// Program and its arguments.
    pub(super) command: Vec<String>,
    /// Relevant seconds; if absent, those of the whole process.
    pub(super) seconds: Option<Figure>,
    /// Bytes read; if absent, as counted by the system.
    pub(super) bytes_read: Option<Figure>,
    /// Limit of a separate memory control group, including the page cache.
    pub(super) memory_limit: Option<String>,
}

/// Location of a figure in the output of a program.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Figure {
    /// First group of the last match of a regular expression.
    Regex(String),
    /// Pointer such as `/seconds` into the last line with a JSON object.
    Json(String),
}

impl Figure {
    /// Returns the figure, or `None` if it is missing.
    pub(super) fn find(&self, output: &str) -> Option<f64> {
        match self {
            Self::Regex(pattern) => {
                Regex::new(pattern).ok()?.captures_iter(output).last()?.get(1)?.as_str().parse().ok()
            }
            Self::Json(pointer) => {
                let mut objects = output.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
                objects.find(Value::is_object)?.pointer(pointer)?.as_f64()
            }
        }
    }

    /// # Errors
    /// Returns an error if a regular expression is invalid or has no group.
    fn validate(&self) -> Result<()> {
        let Self::Regex(pattern) = self else { return Ok(()) };
        let regex = Regex::new(pattern).map_err(|error| Error::Usage(format!("{pattern:?}: {error}")))?;
        if regex.captures_len() > 1 {
            return Ok(());
        }
        Err(Error::Usage(format!("{pattern:?} has no group: put the figure in parentheses, as in \"Time: ([0-9.]+)\"")))
    }
}

impl Peer {
    /// Returns the limit in bytes.
    ///
    /// # Errors
    /// Returns an error if the limit is not a size.
    pub(super) fn limit(&self) -> Result<Option<u64>> {
        let limit = self.memory_limit.as_deref().map(str::parse::<MemorySize>).transpose()?;
        Ok(limit.map(MemorySize::bytes))
    }

    fn validate(&self) -> Result<()> {
        if self.command.is_empty() {
            return Err(Error::Usage(format!("the peer {} has no command", self.name)));
        }
        self.seconds.iter().chain(&self.bytes_read).try_for_each(Figure::validate)?;
        self.limit().map(drop)
    }
}

/// Reads the peers in the file `path`, with `{name}` replaced according to `settings`.
///
/// # Errors
/// Returns an error if the file cannot be read or describes no peers, or if a placeholder has no value.
pub(super) fn read(path: &Path, settings: &[(String, String)]) -> Result<Vec<Peer>> {
    let text = fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    let wrong = |error: serde_json::Error| Error::Usage(format!("{}: {error}", path.display()));
    let Peers { mut peers } = serde_json::from_str(&text).map_err(wrong)?;
    for peer in &mut peers {
        peer.command.iter_mut().chain(&mut peer.memory_limit).try_for_each(|text| fill(text, settings))?;
        peer.validate()?;
    }
    if peers.is_empty() { Err(Error::Usage(format!("{} has no peers", path.display()))) } else { Ok(peers) }
}

/// # Errors
/// Returns an error if a placeholder has no value.
fn fill(text: &mut String, settings: &[(String, String)]) -> Result<()> {
    for (name, value) in settings {
        *text = text.replace(&format!("{{{name}}}"), value);
    }
    match text.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
        Some((name, _)) if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            Err(Error::Usage(format!("{text:?} needs a value: give --set {name}=VALUE")))
        }
        _ => Ok(()),
    }
}
