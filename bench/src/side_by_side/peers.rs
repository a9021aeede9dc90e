//! Programs that are compared, as a file describes them: see `bench/peers`.

use outcrop::{Error, MemorySize, Result};
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Programs that are compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peers {
    peers: Vec<Peer>,
}

/// A program with its arguments, and what it prints.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peer {
    pub(super) name: String,
    /// The program and its arguments.
    pub(super) command: Vec<String>,
    /// The seconds that count; without it those of the whole process.
    pub(super) seconds: Option<Figure>,
    /// The bytes read; without it those that the system counted.
    pub(super) bytes_read: Option<Figure>,
    /// Limit of a memory control group of its own, page cache included.
    pub(super) memory_limit: Option<String>,
}

/// Place of a figure in what a program prints.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Figure {
    /// The first group of the last match of a regular expression.
    Regex(String),
    /// A pointer such as `/seconds` into the last line that is a JSON object.
    Json(String),
}

impl Figure {
    /// The figure; `None` where it is not there.
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
    /// A regular expression that is none, or has no group.
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
    /// The limit in bytes.
    ///
    /// # Errors
    /// It is no size.
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

/// The peers that the file `path` describes, with `{name}` replaced by what `settings` say.
///
/// # Errors
/// A file that cannot be read or describes no peers; a placeholder without a value.
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
/// A placeholder has no value.
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
