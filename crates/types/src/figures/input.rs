//! Summary of the inputs of a build.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::num::ParseFloatError;
use std::str::FromStr;

/// Summary of the input of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputSummary {
    /// Summary of each edge file, in input order.
    pub files: Vec<FileSummary>,
    /// Kind of the IDs: `integer` or `text`.
    pub ids: String,
    /// Reason that edges are directed or undirected.
    pub direction: String,
    /// Summary of each vertex file; its `edges` counts IDs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertex_files: Vec<FileSummary>,
    /// Notes on companion files of the edge files that were read or skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Number of edges read, including loops and duplicate edges.
    pub edges: u64,
    /// Number of self-loops, kept or dropped.
    pub loops: u64,
    /// Number of edges between the same vertices as an earlier one, merged or not.
    pub duplicates: u64,
    /// Number of edges merged with others between the same vertices.
    pub duplicates_merged: u64,
    /// True if edges are undirected and each non-loop edge is listed equally often in both directions.
    pub both_directions: bool,
}

impl InputSummary {
    /// Returns notes and skipped lines for the user, one per line, with the name of their file.
    pub fn remarks(&self) -> Vec<String> {
        let of_file = |file: &FileSummary| {
            let skipped = (file.skipped > 0).then(|| {
                let first =
                    file.first_skipped.first().map_or_else(String::new, |place| format!(", the first: {place}"));
                match file.skipped {
                    1 => format!("skipped 1 line or row{first}"),
                    skipped => format!("skipped {skipped} lines or rows{first}"),
                }
            });
            let remarks = file.notes.iter().cloned().chain(skipped);
            remarks.map(|remark| format!("{}: {remark}", file.name)).collect::<Vec<_>>()
        };
        let notes = self.notes.iter().cloned();
        self.files.iter().flat_map(of_file).chain(notes).chain(self.repeated_edges()).collect()
    }

    /// Returns a remark on duplicate edges that were kept; `None` if there are none.
    pub fn repeated_edges(&self) -> Option<String> {
        let kept = self.duplicates.saturating_sub(self.duplicates_merged);
        let repeated = if self.both_directions {
            "every edge is listed in both directions and counts twice".to_owned()
        } else {
            format!("{kept} of {} edges are duplicates", self.edges)
        };
        (kept > 0).then(|| format!("{repeated}; use --dedup first to keep one of each"))
    }

    /// Returns the rounded weights of all files.
    pub fn rounding(&self) -> WeightRounding {
        self.files.iter().fold(WeightRounding::default(), |mut sum, file| {
            sum.add(file.rounding.clone());
            sum
        })
    }
}

/// Summary of the data read from one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileSummary {
    /// Name of the file.
    pub name: String,
    /// Format, as accepted by `--format`.
    pub format: String,
    /// Compression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<String>,
    /// Number of edges read.
    pub edges: u64,
    /// Number of lines, including comments and blank ones; `None` if the format has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Number of comment lines.
    pub comments: u64,
    /// Number of blank lines.
    pub blank_lines: u64,
    /// Line interpreted as a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<HeaderLine>,
    /// Columns that were read: source, target, and weight if weights are read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Number of malformed lines or rows that were skipped.
    pub skipped: u64,
    /// Locations and faults of the first few of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_skipped: Vec<String>,
    /// Number of vertices stated by the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_vertices: Option<u64>,
    /// Direction of the edges stated by the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_directed: Option<bool>,
    /// Type of the weights in the file, if it has weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Rounded weights.
    #[serde(skip_serializing_if = "WeightRounding::is_none")]
    pub rounding: WeightRounding,
    /// Other notes for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Line with column names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderLine {
    /// Line number, starting at 1.
    pub line: u64,
    /// Text, shortened if long.
    pub text: String,
}

/// Summary of weights that were rounded for storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WeightRounding {
    /// Number of rounded weights.
    pub count: u64,
    /// Location of the first one.
    pub first: Option<String>,
    /// Number of weights that were rounded to 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub zeros: u64,
    /// Largest difference between a weight and its stored value.
    pub largest_absolute: f64,
    /// Largest such difference relative to the weight.
    pub largest_relative: f64,
}

impl WeightRounding {
    /// Returns true if no weight was rounded.
    pub const fn is_none(&self) -> bool {
        self.count == 0
    }

    /// Counts the weight `exact` if it was rounded to another number, `stored`. Calls `place` for the first one only.
    #[inline]
    pub fn note(&mut self, exact: impl Into<ReadWeight>, stored: f64, place: impl FnOnce() -> String) {
        let ReadWeight { nearest, lost } = exact.into();
        let error = (stored - nearest).abs() + lost;
        if error > 0.0 {
            self.count += 1;
            self.zeros += u64::from(stored == 0.0);
            self.largest_absolute = self.largest_absolute.max(error);
            self.largest_relative = self.largest_relative.max(error / nearest.abs().max(lost));
            if self.first.is_none() {
                self.first = Some(place());
            }
        }
    }

    /// Adds the counts of the input that follows.
    pub fn add(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
        self.zeros += later.zeros;
        self.largest_absolute = self.largest_absolute.max(later.largest_absolute);
        self.largest_relative = self.largest_relative.max(later.largest_relative);
    }
}

/// Displays the number of weights, the location of the first, and the largest errors.
impl Display for WeightRounding {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(formatter, "1 weight was")?,
            count => write!(formatter, "{count} weights were")?,
        }
        write!(formatter, " rounded")?;
        if let Some(first) = &self.first {
            write!(formatter, ", the first at {first}")?;
        }
        let Self { largest_absolute, largest_relative, .. } = self;
        write!(formatter, "; the largest error is {largest_absolute:?} (relative: {largest_relative:.1e})")?;
        match self.zeros {
            0 => Ok(()),
            zeros => write!(formatter, "; {zeros} of them became 0"),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Weight of the input as the nearest 64-bit float, with the distance from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadWeight {
    /// Nearest 64-bit float.
    pub nearest: f64,
    /// Distance of the weight from it; 0 for decimals, for which the nearest float is considered exact.
    pub lost: f64,
}

impl From<f64> for ReadWeight {
    fn from(nearest: f64) -> Self {
        Self { nearest, lost: 0.0 }
    }
}

impl From<i128> for ReadWeight {
    fn from(whole: i128) -> Self {
        let nearest = whole as f64;
        // Past the range of 128 bits the conversion saturates, which is off by at most 1.
        Self { nearest, lost: whole.abs_diff(nearest as i128) as f64 }
    }
}

impl FromStr for ReadWeight {
    type Err = ParseFloatError;

    /// Parses a decimal number. Integers beyond 2^53, and nonzero numbers less than the smallest float, lose precision.
    fn from_str(text: &str) -> Result<Self, ParseFloatError> {
        const EXACT: f64 = (1_u64 << 53) as f64;
        let nearest: f64 = text.parse()?;
        let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
        if nearest == 0.0 && mantissa.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
            return Ok(Self { nearest, lost: f64::from_bits(1) });
        }
        if nearest.abs() < EXACT || mantissa.len() < text.len() {
            return Ok(nearest.into());
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        match whole.parse::<i128>() {
            Ok(whole) if fraction.bytes().all(|digit| digit == b'0') => Ok(whole.into()),
            _ => Ok(nearest.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_floats_do_not_hold_lose_something() {
        let lost = |text: &str| text.parse::<ReadWeight>().unwrap().lost;
        for exact in
            ["0", "-0.0", "0e-999", "0.1", "9007199254740992", "-9007199254740994", "1e300", "12345678901234567.5"]
        {
            assert_eq!(lost(exact), 0.0, "{exact}");
        }
        for (text, expected) in
            [("9007199254740993", 1.0), ("-9007199254740993.00", 1.0), ("18446744073709551615", 1.0)]
        {
            assert_eq!(lost(text), expected, "{text}");
        }
        assert_eq!([lost("1e-400"), lost("-0.5e-323")], [f64::from_bits(1), 0.0]);
        let mut rounding = WeightRounding::default();
        rounding.note("1e-400".parse::<ReadWeight>().unwrap(), 0.0, || "x:1".to_owned());
        rounding.note(0.1, f64::from(0.1_f32), || "x:2".to_owned());
        let told = rounding.to_string();
        assert!(
            told.starts_with("2 weights were rounded, the first at x:1;") && told.ends_with("; 1 of them became 0"),
            "{told}"
        );
    }
}
