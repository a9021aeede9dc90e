//! Subgraph construction alone, for timing or Cachegrind.

use super::construction::{Construction, ConstructionRequest, construct};
use crate::harness::Resources;
use crate::output::say_json;
use clap::Args;
use outcrop::{Cancellation, Error, IoChoice, OpenOptions, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Args)]
pub(crate) struct ConstructArguments {
    /// Store, preferably in the csr layout; all lists must fit in memory
    pub(crate) store: PathBuf,
    /// Source of the edges
    #[arg(long, value_enum, default_value_t = Construction::DualShards)]
    pub(crate) from: Construction,
    /// Number of vertex intervals
    #[arg(long, value_name = "P", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) intervals: u32,
    /// Number of constructions; 0 prepares everything without constructing
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) rounds: u32,
    #[command(flatten)]
    pub(crate) resources: Resources,
}

pub(crate) fn run(arguments: &ConstructArguments, cancellation: &Cancellation) -> Result<()> {
    // Cachegrind does not support io_uring.
    let options = OpenOptions { io: IoChoice::Pread, ..arguments.resources.options(cancellation) };
    let ConstructArguments { from, intervals, rounds, .. } = *arguments;
    say_json(&construct(&arguments.store, &options, ConstructionRequest { from, intervals, rounds })?)
}

/// Memory references, and misses of the last-level cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct References {
    pub(crate) references: u64,
    pub(crate) misses: u64,
}

/// Counts from Cachegrind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheMisses {
    pub(crate) reads: References,
    pub(crate) writes: References,
}

impl CacheMisses {
    /// Returns the counts in excess of those of `other`.
    pub(crate) const fn beyond(&self, other: &Self) -> Self {
        const fn less(one: References, other: References) -> References {
            References {
                references: one.references.saturating_sub(other.references),
                misses: one.misses.saturating_sub(other.misses),
            }
        }
        Self { reads: less(self.reads, other.reads), writes: less(self.writes, other.writes) }
    }

    /// Parses the summary of Cachegrind: `D   refs: 1,234  (1,000 rd + 234 wr)` and `LLd misses:` in the same form.
    fn of_summary(text: &str) -> Option<Self> {
        let pair = |name: &str| {
            let line = text.lines().find(|line| line.contains(name))?;
            let (reads, writes) = line.split_once('(')?.1.split_once('+')?;
            let number = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>().ok();
            Some((number(reads)?, number(writes)?))
        };
        let (references, misses) = (pair("D   refs:").or_else(|| pair("D refs:"))?, pair("LLd misses:")?);
        Some(Self {
            reads: References { references: references.0, misses: misses.0 },
            writes: References { references: references.1, misses: misses.1 },
        })
    }
}

/// Runs this command under Cachegrind.
///
/// # Errors
/// Returns an error if `valgrind` is missing or fails to count.
pub(crate) fn count_cache_misses(store: &Path, from: Construction, intervals: u32, rounds: u32) -> Result<CacheMisses> {
    let failed = |error| Error::io("run", "valgrind", error);
    let own = std::env::current_exe().map_err(failed)?;
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"])
        .arg(own)
        .args(["construct", "--threads", "1", "--from", from.name()])
        .args(["--intervals", &intervals.to_string(), "--rounds", &rounds.to_string()])
        .arg(store)
        .output()
        .map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stderr);
    let counted = CacheMisses::of_summary(&text).filter(|_| output.status.success());
    counted.ok_or_else(|| failed(std::io::Error::other(format!("it did not count: {}", text.trim()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_cachegrind_is_read() {
        let text = "==7== D   refs:      1,234  (1,000 rd   + 234 wr)\n==7== D1  misses: 9 ( 8 rd + 1 wr)\n\
                    ==7== LLd misses:    57  (   50 rd   +   7 wr)\n";
        let found = CacheMisses::of_summary(text).unwrap();
        assert_eq!(found.reads, References { references: 1000, misses: 50 });
        assert_eq!(found.writes, References { references: 234, misses: 7 });
        assert_eq!(found.beyond(&found), CacheMisses::default());
        assert_eq!(CacheMisses::of_summary("valgrind: no such tool"), None);
    }
}
