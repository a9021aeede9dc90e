//! Subgraph construction by itself, to be timed or watched by Cachegrind.

use super::construction::{Construction, ConstructionRequest, construct};
use crate::harness::Resources;
use crate::output::say_json;
use clap::Args;
use outcrop::{Cancellation, Error, IoChoice, OpenOptions, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Args)]
pub(crate) struct ConstructArguments {
    /// Store, best in the csr layout; all of its lists must fit the memory
    pub(crate) store: PathBuf,
    /// Source of the edges
    #[arg(long, value_enum, default_value_t = Construction::DualShards)]
    pub(crate) from: Construction,
    /// Number of intervals that the vertices are split into
    #[arg(long, value_name = "P", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) intervals: u32,
    /// Number of constructions; with 0, everything is made ready and nothing constructed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) rounds: u32,
    #[command(flatten)]
    pub(crate) resources: Resources,
}

pub(crate) fn run(arguments: &ConstructArguments, cancellation: &Cancellation) -> Result<()> {
    // Cachegrind does not know io_uring.
    let options = OpenOptions { io: IoChoice::Pread, ..arguments.resources.options(cancellation) };
    let ConstructArguments { from, intervals, rounds, .. } = *arguments;
    say_json(&construct(&arguments.store, &options, ConstructionRequest { from, intervals, rounds })?)
}

/// Memory references, and those that the last-level cache did not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct References {
    pub(crate) references: u64,
    pub(crate) misses: u64,
}

/// Counts of Cachegrind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheMisses {
    pub(crate) reads: References,
    pub(crate) writes: References,
}

impl CacheMisses {
    /// The counts beyond those of `other`.
    pub(crate) const fn beyond(&self, other: &Self) -> Self {
        const fn less(one: References, other: References) -> References {
            References {
                references: one.references.saturating_sub(other.references),
                misses: one.misses.saturating_sub(other.misses),
            }
        }
        Self { reads: less(self.reads, other.reads), writes: less(self.writes, other.writes) }
    }

    /// Reads the summary that Cachegrind prints: `D   refs: 1,234  (1,000 rd + 234 wr)` and `LLd misses:` in the same
    /// form.
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
/// There is no `valgrind`, or it does not count.
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
