//! Sizes of memory as written by users: `4GiB`, `500MB`, `50%`, `auto`; shares of the page cache.

use outcrop_io::ProcessUsage;
use outcrop_report::MemoryRecord;
use outcrop_types::{Error, MemoryBudget, Purpose, Result, parse_bytes, parse_fraction};
use std::fmt;
use std::str::FromStr;

/// Memory budget of a run or build.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MemorySize {
    /// Half of the memory of the machine (or of the process's control group).
    #[default]
    Auto,
    /// A number of bytes.
    Bytes(u64),
    /// A percentage of the memory of the machine (or control group).
    Percent(f64),
}

impl MemorySize {
    /// Returns the size in bytes, on this machine.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Auto => Self::Percent(50.0).bytes(),
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => share(memory_of_machine(), percent),
        }
    }
}

/// Size of the page cache, as a part of the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CacheSize {
    /// Memory that nothing else needs.
    #[default]
    Rest,
    /// A number of bytes.
    Bytes(u64),
    /// A percentage of the budget.
    Percent(f64),
}

impl CacheSize {
    /// Returns the size in bytes within a budget of `budget` bytes, `rest` of which are free.
    pub fn bytes(self, budget: u64, rest: u64) -> u64 {
        match self {
            Self::Rest => rest,
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => share(budget, percent),
        }
    }

    /// Returns the bytes that a page cache of a given size leaves of the `rest` bytes of a budget of `budget`; `None`
    /// for [`CacheSize::Rest`].
    pub(crate) fn leaves(self, budget: u64, rest: u64) -> Option<u64> {
        (self != Self::Rest).then(|| rest.saturating_sub(self.bytes(budget, rest)))
    }
}

impl CacheSize {
    /// Returns the bytes that a page cache of this size adds to work that needs `others` bytes, in the smallest budget
    /// that holds both.
    pub(crate) fn beside(self, others: u64) -> u64 {
        match self {
            Self::Rest => 0,
            Self::Bytes(bytes) => bytes,
            // A cast saturates: nothing fits in addition to a page cache that uses the whole budget.
            Self::Percent(percent) => ((others as f64 * percent / (100.0 - percent)).ceil() as u64).saturating_add(1),
        }
    }

    /// Adds a page cache of this size to the plan of a refused budget, if the plan has none.
    pub(crate) fn in_refusal(self, error: Error) -> Error {
        match error {
            Error::BudgetTooSmall { budget, plan, retry, hint }
                if !matches!(self, Self::Rest | Self::Bytes(0)) && plan.bytes_for(Purpose::PageCache) == 0 =>
            {
                let cache = self.beside(plan.total().saturating_add(retry.as_ref().map_or(0, |need| need.bytes)));
                Error::BudgetTooSmall { budget, plan: plan.with(Purpose::PageCache, cache), retry, hint }
            }
            other => other,
        }
    }
}

fn share(whole: u64, percent: f64) -> u64 {
    (whole as f64 * (percent / 100.0)) as u64
}

/// Memory limit and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    bytes: u64,
    source: String,
}

/// Returns a note if `budget` bytes exceed the memory of the machine or of a control group of this process; otherwise
/// `None`.
pub(crate) fn note_above_limit(budget: u64) -> Option<String> {
    let Limit { bytes, source } = limit_of_machine()?;
    (budget > bytes).then(|| {
        format!(
            "--memory is {budget} bytes ({}), more than the {bytes} bytes ({}) of {source}; the system may swap or kill this process",
            in_gibibytes(budget),
            in_gibibytes(bytes)
        )
    })
}

pub(crate) fn in_gibibytes(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30))
}

/// Record of the memory of a run or a build, up to now.
pub(crate) fn memory_record(budget: &MemoryBudget) -> MemoryRecord {
    MemoryRecord {
        peak_rss: ProcessUsage::now().peak_rss_bytes,
        budget: budget.limit(),
        peak: budget.peak(),
        by_purpose: budget.peak_by_purpose(),
    }
}

/// Returns the memory of the machine, or the smallest limit of a control group if that is less, in bytes.
pub(crate) fn memory_of_machine() -> u64 {
    limit_of_machine().map_or(4 << 30, |limit| limit.bytes)
}

/// Returns the minimum of the machine's memory and the limits of all control groups of this process.
fn limit_of_machine() -> Option<Limit> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let total = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kib = line.split_whitespace().nth(1)?.parse::<u64>().ok()?;
        Some(Limit { bytes: kib << 10, source: "the machine".to_owned() })
    });
    // Default: without control groups, there is no limit.
    limit_of_groups(&read("/proc/self/cgroup").unwrap_or_default(), read)
        .into_iter()
        .chain(total)
        .min_by_key(|limit| limit.bytes)
}

/// Returns the minimum limit of all levels of the control groups in `groups` (as in `/proc/self/cgroup`).
fn limit_of_groups(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<Limit> {
    let limit = |path: String| {
        let bytes = read(&path)?.trim().parse::<u64>().ok()?;
        Some(Limit { bytes, source: format!("the control group {path}") })
    };
    groups.lines().flat_map(limit_files).filter_map(limit).min_by_key(|limit| limit.bytes)
}

/// Returns the files with the memory limits of a control group and of all its ancestors, from its line in
/// `/proc/self/cgroup`. Within a container, the group may have an outside name: the visible root is the topmost group.
fn limit_files(line: &str) -> Vec<String> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { return Vec::new() };
    let (root, names): (_, &[&str]) = match controllers {
        "" => ("/sys/fs/cgroup", &["memory.max", "memory.high"]),
        list if list.split(',').any(|name| name == "memory") => ("/sys/fs/cgroup/memory", &["memory.limit_in_bytes"]),
        _ => return Vec::new(),
    };
    let levels = std::path::Path::new(group).ancestors().filter_map(std::path::Path::to_str);
    let files = |level: &str| {
        let folder = format!("{root}{}", level.trim_end_matches('/'));
        names.iter().map(move |name| format!("{folder}/{name}"))
    };
    levels.flat_map(files).collect()
}

/// Share of the cache memory for pinned lists; the page cache uses the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum StaticShare {
    /// [`StaticShare::USUAL`] if the store has a selection, the algorithm uses frontiers, not all lists fit in the
    /// cache memory, and the lists stay open for other runs; otherwise none.
    #[default]
    Auto,
    /// A percentage of the cache memory.
    Percent(f64),
}

impl StaticShare {
    /// Default share, in percent.
    pub const USUAL: f64 = 80.0;
}

impl FromStr for StaticShare {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        let fraction = parse_fraction(text).filter(|fraction| *fraction <= 1.0);
        fraction.map(|fraction| Self::Percent(100.0 * fraction)).ok_or_else(|| {
            Error::Usage(format!(
                "invalid fraction of the page cache {text:?}; expected a fraction such as 80% or 0.8, or auto"
            ))
        })
    }
}

impl FromStr for MemorySize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match parse(text)? {
            Size::Auto => Ok(Self::Auto),
            Size::Bytes(bytes) => Ok(Self::Bytes(bytes)),
            Size::Percent(percent) => Ok(Self::Percent(percent)),
        }
    }
}

impl FromStr for CacheSize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match parse(text)? {
            Size::Auto => Ok(Self::Rest),
            Size::Bytes(bytes) => Ok(Self::Bytes(bytes)),
            Size::Percent(percent) => Ok(Self::Percent(percent)),
        }
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

enum Size {
    Auto,
    Bytes(u64),
    Percent(f64),
}

fn parse(text: &str) -> Result<Size> {
    let refusal = || {
        Error::Usage(format!(
            "invalid memory size {text:?}; expected 4GiB or 4G (1024^3 bytes each), 4GB (1000^3), 1073741824, 50% or auto"
        ))
    };
    let lower = text.trim().to_ascii_lowercase();
    if lower == "auto" {
        return Ok(Size::Auto);
    }
    if let Some(percent) = lower.strip_suffix('%') {
        let percent: f64 = percent.trim().parse().map_err(|_| refusal())?;
        return if (0.0..=100.0).contains(&percent) { Ok(Size::Percent(percent)) } else { Err(refusal()) };
    }
    parse_bytes(&lower).map(Size::Bytes).ok_or_else(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_of_control_groups_of_both_versions_is_looked_at() {
        let found = limit_files("0::/user/a");
        let levels = ["/user/a", "/user", ""].map(|level| format!("/sys/fs/cgroup{level}/memory.max"));
        assert!(levels.iter().all(|level| found.contains(level)), "{found:?}");
        let first = limit_files("9:cpu,memory:/job");
        let levels = ["/job", ""].map(|level| format!("/sys/fs/cgroup/memory{level}/memory.limit_in_bytes"));
        assert_eq!(first, levels);
        assert!(limit_files("3:cpuset:/x").is_empty());
    }

    #[test]
    fn the_least_limit_of_all_levels_counts() {
        let limits = [("/job/step", "max"), ("/job", "3000"), ("", "9000")];
        let read = |path: &str| {
            let level = |(level, _): &&(&str, &str)| path == format!("/sys/fs/cgroup{level}/memory.max");
            limits.iter().find(level).map(|(_, text)| format!("{text}\n"))
        };
        let found = limit_of_groups("4:cpuset:/\n0::/job/step\n", read).unwrap();
        assert_eq!((found.bytes, &*found.source), (3000, "the control group /sys/fs/cgroup/job/memory.max"));
    }

    #[test]
    fn budgets_above_the_machine_are_noted() {
        assert_eq!(note_above_limit(memory_of_machine()), None);
        let note = note_above_limit(memory_of_machine() + 1).unwrap();
        assert!(note.contains(&memory_of_machine().to_string()), "{note}");
    }

    #[test]
    fn sizes_are_read_as_they_are_written() {
        let bytes = |text: &str| text.parse::<MemorySize>().unwrap();
        assert_eq!(bytes("64MiB"), MemorySize::Bytes(64 << 20));
        assert_eq!(bytes("1.5 GiB"), MemorySize::Bytes(3 << 29));
        assert_eq!(bytes("2gb"), MemorySize::Bytes(2_000_000_000));
        assert_eq!([bytes("4G"), bytes("4g"), bytes("4 GiB")], [MemorySize::Bytes(4 << 30); 3]);
        assert_eq!([bytes("4K"), bytes("4M"), bytes("4T")], [4 << 10, 4 << 20, 4 << 40].map(MemorySize::Bytes));
        assert_eq!(bytes("123"), MemorySize::Bytes(123));
        assert_eq!(bytes("25%"), MemorySize::Percent(25.0));
        assert_eq!(bytes("auto"), MemorySize::Auto);
        for wrong in ["", "x", "-1", "101%", "1e30", "4GiBs", "G", "4GG", "nan", "inf"] {
            assert!(wrong.parse::<MemorySize>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_of_the_page_cache_are_read_as_they_are_written() {
        let share = |text: &str| text.parse::<StaticShare>().ok();
        assert_eq!(share("auto"), Some(StaticShare::Auto));
        assert_eq!(share("0%"), Some(StaticShare::Percent(0.0)));
        assert_eq!([share(" 12.5 % "), share("0.125")], [Some(StaticShare::Percent(12.5)); 2]);
        assert_eq!(share("100%"), Some(StaticShare::Percent(100.0)));
        for wrong in ["", "80", "1GiB", "-1%", "101%", "nan%", "%", "most"] {
            assert_eq!(share(wrong), None, "{wrong}");
        }
    }
}
