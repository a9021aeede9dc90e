//! Account of what was taken from the inputs of a build.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// Account of what was taken from the input of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputSummary {
    /// One entry a file, in the order of the input.
    pub files: Vec<FileSummary>,
    /// The kind of the ids: `integer` or `text`.
    pub ids: String,
    /// Reason that edges have a direction or have none.
    pub direction: String,
    /// Files beside the edges that were read, and such as were passed over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Edges that came in, loops and repeated ones among them.
    pub edges: u64,
    /// Edges from a vertex to itself, kept or not.
    pub loops: u64,
    /// Edges that were merged with others between the same vertices.
    pub duplicates_merged: u64,
    /// Edges between the same vertices as another that were kept beside it.
    pub repeated: u64,
}

impl InputSummary {
    /// Facts that a user should know, one a line, with the file that they are of: notes, and lines that were skipped.
    pub fn remarks(&self) -> Vec<String> {
        let of_file = |file: &FileSummary| {
            let skipped = (file.skipped > 0).then(|| {
                let first =
                    file.first_skipped.first().map_or_else(String::new, |place| format!(", the first: {place}"));
                format!("{} lines or rows were skipped{first}", file.skipped)
            });
            let remarks = file.notes.iter().cloned().chain(skipped);
            remarks.map(|remark| format!("{}: {remark}", file.name)).collect::<Vec<_>>()
        };
        let notes = self.notes.iter().cloned();
        self.files.iter().flat_map(of_file).chain(notes).chain(self.repeated_edges()).collect()
    }

    /// Remark on repeated edges that were kept.
    fn repeated_edges(&self) -> Option<String> {
        let listed_twice = if self.direction.starts_with("undirected") { " or its reverse" } else { "" };
        let count = self.repeated;
        (count > 0).then(|| {
            format!("{count} of {} edges repeat another{listed_twice}; --dedup=first keeps one of each", self.edges)
        })
    }

    /// Weights of all files that were rounded.
    pub fn rounding(&self) -> WeightRounding {
        self.files.iter().fold(WeightRounding::default(), |mut sum, file| {
            sum.add(file.rounding.clone());
            sum
        })
    }
}

/// Account of what was taken from one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileSummary {
    /// The file.
    pub name: String,
    /// Its format, as `--format` takes it.
    pub format: String,
    /// Its compression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<String>,
    /// Edges that were taken.
    pub edges: u64,
    /// Lines, comments and blank ones among them; `None` where the format has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Lines that are comments.
    pub comments: u64,
    /// Lines without any text.
    pub blank_lines: u64,
    /// The line that was taken as a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<HeaderLine>,
    /// The columns that were read: source, target, and weight where weights are read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Lines or rows that were left out because they could not be understood.
    pub skipped: u64,
    /// The places of the first few of them, and what is wrong there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_skipped: Vec<String>,
    /// The number of vertices that the file states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_vertices: Option<u64>,
    /// Direction of the edges as the file states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_directed: Option<bool>,
    /// The type of the weights in the file, where it has weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Weights that were rounded.
    #[serde(skip_serializing_if = "WeightRounding::is_none")]
    pub rounding: WeightRounding,
    /// Other facts that a user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A line that names the columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderLine {
    /// Its number, from 1.
    pub line: u64,
    /// Its text, shortened where it is long.
    pub text: String,
}

/// Account of weights that stores hold as other numbers than the input had.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WeightRounding {
    /// The number of such weights.
    pub count: u64,
    /// Place of the first.
    pub first: Option<String>,
    /// The largest difference between a weight and what became of it.
    pub largest_absolute: f64,
    /// The largest such difference in relation to the weight.
    pub largest_relative: f64,
}

impl WeightRounding {
    /// True if no weight was rounded.
    pub const fn is_none(&self) -> bool {
        self.count == 0
    }

    /// Counts the weight `exact` where it became another number, `stored`. `place` is asked for at the first.
    #[inline]
    pub fn note(&mut self, exact: f64, stored: f64, place: impl FnOnce() -> String) {
        let error = (stored - exact).abs();
        if error > 0.0 {
            self.count += 1;
            self.largest_absolute = self.largest_absolute.max(error);
            self.largest_relative = self.largest_relative.max(error / exact.abs());
            if self.first.is_none() {
                self.first = Some(place());
            }
        }
    }

    /// Adds what was counted behind it.
    pub fn add(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
        self.largest_absolute = self.largest_absolute.max(later.largest_absolute);
        self.largest_relative = self.largest_relative.max(later.largest_relative);
    }
}

/// Number of weights, the place of the first, and the largest errors.
impl Display for WeightRounding {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(formatter, "1 weight was")?,
            count => write!(formatter, "{count} weights were")?,
        }
        write!(formatter, " rounded to 32-bit floats")?;
        if let Some(first) = &self.first {
            write!(formatter, ", the first at {first}")?;
        }
        let Self { largest_absolute, largest_relative, .. } = self;
        write!(formatter, "; the largest error is {largest_absolute}, in relation to the weight {largest_relative:.1e}")
    }
}
