//! Sizes of memory as users write them: `4GiB`, `500MB`, `50%`, `auto`.

use outcrop_types::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How much memory a run or build may use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MemorySize {
    /// Half of what the machine (or the control group that the process is in) has.
    #[default]
    Auto,
    /// So many bytes.
    Bytes(u64),
    /// A share of what the machine (or the control group) has, in percent.
    Percent(f64),
}

impl MemorySize {
    /// The size in bytes, on this machine.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Auto => Self::Percent(50.0).bytes(),
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => share(memory_of_machine(), percent),
        }
    }
}

/// How much of the budget the page cache may use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CacheSize {
    /// What nothing else needs.
    #[default]
    Rest,
    /// So many bytes.
    Bytes(u64),
    /// A share of the budget, in percent.
    Percent(f64),
}

impl CacheSize {
    /// The size in bytes within a budget of `budget` bytes of which `rest` are free.
    pub fn bytes(self, budget: u64, rest: u64) -> u64 {
        match self {
            Self::Rest => rest,
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => share(budget, percent),
        }
    }
}

fn share(whole: u64, percent: f64) -> u64 {
    (whole as f64 * (percent / 100.0)) as u64
}

/// Memory of the machine, or of the control group where that is less, in bytes.
fn memory_of_machine() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let number = |path: &str| read(path).and_then(|text| text.trim().parse::<u64>().ok());
    let total = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
    });
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().filter_map(limit_file).filter_map(|path| number(&path));
    limits.chain(total).min().unwrap_or(4 << 30)
}

/// The file with the memory limit of a control group, from its line in `/proc/self/cgroup`.
fn limit_file(line: &str) -> Option<String> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, group) = (fields.next()?, fields.next()?.trim_end_matches('/'));
    match controllers {
        "" => Some(format!("/sys/fs/cgroup{group}/memory.max")),
        list if list.split(',').any(|name| name == "memory") => {
            Some(format!("/sys/fs/cgroup/memory{group}/memory.limit_in_bytes"))
        }
        _ => None,
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

const UNITS: [(&str, f64); 9] = [
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("b", 1.0),
];

fn parse(text: &str) -> Result<Size> {
    let refusal = || {
        Error::Usage(format!("{text:?} is no size of memory; expected one like 4GiB, 500MB, 1073741824, 50% or auto"))
    };
    let lower = text.trim().to_ascii_lowercase();
    if lower == "auto" {
        return Ok(Size::Auto);
    }
    if let Some(percent) = lower.strip_suffix('%') {
        let percent: f64 = percent.trim().parse().map_err(|_| refusal())?;
        return if (0.0..=100.0).contains(&percent) { Ok(Size::Percent(percent)) } else { Err(refusal()) };
    }
    let (number, unit) =
        UNITS.iter().find_map(|(unit, bytes)| Some((lower.strip_suffix(unit)?, *bytes))).unwrap_or((&lower, 1.0));
    let bytes = number.trim().parse::<f64>().map_err(|_| refusal())? * unit;
    if bytes.is_finite() && (0.0..1e18).contains(&bytes) { Ok(Size::Bytes(bytes as u64)) } else { Err(refusal()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_groups_of_both_versions_are_found() {
        assert_eq!(limit_file("0::/user/a").as_deref(), Some("/sys/fs/cgroup/user/a/memory.max"));
        let first = limit_file("9:cpu,memory:/");
        assert_eq!(first.as_deref(), Some("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
        assert_eq!(limit_file("3:cpuset:/x"), None);
    }

    #[test]
    fn sizes_are_read_as_they_are_written() {
        let bytes = |text: &str| text.parse::<MemorySize>().unwrap();
        assert_eq!(bytes("64MiB"), MemorySize::Bytes(64 << 20));
        assert_eq!(bytes("1.5 GiB"), MemorySize::Bytes(3 << 29));
        assert_eq!(bytes("2gb"), MemorySize::Bytes(2_000_000_000));
        assert_eq!(bytes("123"), MemorySize::Bytes(123));
        assert_eq!(bytes("25%"), MemorySize::Percent(25.0));
        assert_eq!(bytes("auto"), MemorySize::Auto);
        for wrong in ["", "x", "-1", "101%", "1e30", "4GiBs", "nan", "inf"] {
            assert!(wrong.parse::<MemorySize>().is_err(), "{wrong}");
        }
    }
}
