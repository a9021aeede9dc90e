//! Account of the lines of a text: edges, comments, lines that were left out, weights that were rounded.

use crate::edges::options::OnError;
use outcrop_types::{Error, Location, Result, WeightRounding};

/// As many places of lines that were left out are told.
const MOST_PLACES: usize = 5;

/// Account of some lines of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) edges: u64,
    pub(crate) lines: u64,
    pub(crate) comments: u64,
    pub(crate) blank: u64,
    pub(crate) skipped: u64,
    pub(crate) first_skipped: Vec<(Location, String)>,
    pub(crate) rounding: WeightRounding,
    /// Lines with whole numbers as ids that have leading zeros.
    pub(crate) padded: Places,
    /// Comments behind the first line that may be edges.
    pub(crate) late_comments: Places,
    /// Lines that repeat the header.
    pub(crate) headers: Places,
}

/// Number of lines, and the place of the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    count: u64,
    first: Option<String>,
}

impl Places {
    /// Counts a line. `place` is asked for at the first.
    pub(crate) fn note(&mut self, place: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(place);
    }

    fn add(&mut self, next: Self) {
        self.count += next.count;
        self.first = self.first.take().or(next.first);
    }

    /// A note where there is such a line: how many, what they are, where the first is, what to do.
    fn told(&self, one: &str, several: &str, advice: &str) -> Option<String> {
        let first = self.first.as_ref()?;
        let lines = if self.count == 1 { one.to_owned() } else { format!("{} {several}", self.count) };
        Some(format!("{lines}, the first at {first}; {advice}"))
    }
}

impl Tally {
    /// Counts a line that cannot be understood.
    pub(crate) fn bad_line(&mut self, location: Location, message: String) {
        self.skipped += 1;
        if self.first_skipped.len() < MOST_PLACES {
            self.first_skipped.push((location, message));
        }
    }

    /// Counts a line without an edge: a comment, unless it is blank.
    pub(crate) const fn quiet_line(&mut self, blank: bool) {
        if blank {
            self.blank += 1;
        } else {
            self.comments += 1;
        }
    }

    /// Notes for the account of a file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let padded = self.padded.told(
            "1 line has an ID with leading zeros",
            "lines have an ID with leading zeros",
            "007 and 7 are the same integer; use --ids string to distinguish them",
        );
        let late = self.late_comments.told(
            "1 line after the first edge was skipped as a comment",
            "lines after the first edge were skipped as comments",
            "if they are not comments, use --comments '' or other characters",
        );
        let headers = self.headers.told(
            "1 line that repeats the header was skipped",
            "lines that repeat the header were skipped",
            "if they are edges, use --header no",
        );
        padded.into_iter().chain(late).chain(headers).collect()
    }

    /// Adds the lines behind these.
    pub(crate) fn add(&mut self, next: Self) {
        self.edges += next.edges;
        self.lines += next.lines;
        self.comments += next.comments;
        self.blank += next.blank;
        self.skipped += next.skipped;
        self.first_skipped.extend(next.first_skipped);
        self.first_skipped.truncate(MOST_PLACES);
        self.rounding.add(next.rounding);
        self.padded.add(next.padded);
        self.late_comments.add(next.late_comments);
        self.headers.add(next.headers);
    }
}

/// Lines of all files that were left out, against the limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    pub(crate) lines: u64,
    first: Option<(Location, String)>,
}

impl Skipped {
    /// Counts the lines of the next block, and fails where there are too many by now.
    pub(crate) fn add(&mut self, tally: &Tally, on_error: OnError) -> Result<()> {
        self.lines += tally.skipped;
        self.first = self.first.take().or_else(|| tally.first_skipped.first().cloned());
        match (on_error, &self.first) {
            (OnError::Skip { max_errors }, Some((location, message))) if self.lines > max_errors => {
                let message = format!("{message}; first of more than {max_errors} invalid lines (--max-errors)");
                Err(Error::bad_input(location.clone(), message))
            }
            _ => Ok(()),
        }
    }
}
