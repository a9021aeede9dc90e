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
    padded: u64,
    first_padded: Option<String>,
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

    /// Counts a line with an id that has leading zeros. `place` is asked for at the first.
    pub(crate) fn padded_id(&mut self, place: impl FnOnce() -> String) {
        self.padded += 1;
        self.first_padded.get_or_insert_with(place);
    }

    /// Notes for the account of a file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let padded = self.first_padded.as_ref().map(|first| {
            let lines = if self.padded == 1 { "1 line has".to_owned() } else { format!("{} lines have", self.padded) };
            format!("{lines} an id with leading zeros, the first at {first}; as whole numbers 007 and 7 are one vertex, --ids string keeps them apart")
        });
        padded.into_iter().collect()
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
        self.padded += next.padded;
        self.first_padded = self.first_padded.take().or(next.first_padded);
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
                let message = format!("{message}; it is the first of more than {max_errors} bad lines");
                Err(Error::bad_input(location.clone(), message))
            }
            _ => Ok(()),
        }
    }
}
