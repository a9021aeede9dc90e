//! Line counts of a text: edges, comments, skipped lines, rounded weights.

use crate::edges::options::OnError;
use outcrop_types::{Error, Location, Result, WeightRounding};

/// Maximum number of reported locations of skipped lines.
const MOST_PLACES: usize = 5;

/// Counts over a range of lines of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) edges: u64,
    pub(crate) lines: u64,
    pub(crate) comments: u64,
    pub(crate) blank: u64,
    pub(crate) skipped: u64,
    pub(crate) first_skipped: Vec<(Location, String)>,
    pub(crate) rounding: WeightRounding,
    /// Lines per kind of [`Oddity`].
    odd: [Places; ODDITIES.len()],
}

/// Doubt about a line that is read nevertheless, in the order of [`ODDITIES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// An integer ID with leading zeros.
    Padded,
    /// A comment after the first line that may be an edge.
    LateComment,
    Header,
    /// An edge that equals the header in quotes.
    QuotedHeader,
    /// A number of fields that differs from all the first lines.
    Width,
    /// A string ID that marks a missing value.
    Null,
    Quote,
    Invisible,
    Thousands,
    /// An edge that starts like a comment.
    CommentSign,
}

/// Text for one line, text for several lines, advice.
const ODDITIES: [(&str, &str, &str); 10] = [
    (
        "1 line has an ID with leading zeros",
        "lines have an ID with leading zeros",
        "007 and 7 are the same integer; use --ids string to distinguish them",
    ),
    (
        "1 line after the first edge was skipped as a comment",
        "lines after the first edge were skipped as comments",
        "if they are not comments, use --comments '' or other characters",
    ),
    (
        "1 line that repeats the header was skipped",
        "lines that repeat the header were skipped",
        "if they are edges, use --header no",
    ),
    (
        "1 line that repeats the header in quotes was read as an edge",
        "lines that repeat the header in quotes were read as edges",
        "if they are headers, drop them",
    ),
    (
        "1 line has another number of fields than the first lines",
        "lines have another number of fields than the first lines",
        "only the columns of the other lines were read; quote fields that contain the separator",
    ),
    (
        "1 line has an ID that looks like a missing value",
        "lines have an ID that looks like a missing value",
        "it was read as a vertex; drop these lines if values are missing",
    ),
    (
        "1 line has an ID with a literal quote",
        "lines have an ID with a literal quote",
        "only double quotes around a whole field are removed; drop the others",
    ),
    (
        "1 line has an ID with a non-breaking or invisible character",
        "lines have an ID with a non-breaking or invisible character",
        "the character is part of the ID; drop it if other lines have the ID without it",
    ),
    (
        "1 line has a quoted number with commas as an ID",
        "lines have a quoted number with commas as an ID",
        "it was read as a string; drop the commas and use --ids integer to read integers",
    ),
    (
        "1 line was read as an edge but begins like a comment",
        "lines were read as edges but begin like comments",
        "if they are comments, drop them or use --comments with their first character",
    ),
];

impl Oddity {
    /// Returns the doubt about a string ID, if any.
    pub(crate) fn of_name(id: &[u8]) -> Option<Self> {
        const NULLS: [&[u8]; 14] = [
            b"NA", b"N/A", b"#N/A", b"NaN", b"nan", b"NAN", b"NULL", b"Null", b"null", b"None", b"<NA>", b"\\N", b"-",
            b"?",
        ];
        let (first, last) = (id.first()?, id.last()?);
        let digits = |byte: &u8| byte.is_ascii_digit() || *byte == b',';
        match first {
            _ if !id.is_ascii() => {
                let hidden = |sign: char| matches!(sign, '\u{a0}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
                std::str::from_utf8(id).is_ok_and(|id| id.contains(hidden)).then_some(Self::Invisible)
            }
            b'"' | b'\'' if *first == b'"' || last == first && id.len() > 1 => Some(Self::Quote),
            b'0'..=b'9' if id.contains(&b',') && id.iter().all(digits) => Some(Self::Thousands),
            _ => (id.len() < 5 && NULLS.contains(&id)).then_some(Self::Null),
        }
    }
}

/// Number of lines, and the location of the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    count: u64,
    first: Option<String>,
}

impl Places {
    /// Counts a line. Calls `place` for the first line only.
    fn note(&mut self, place: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(place);
    }

    fn add(&mut self, next: Self) {
        self.count += next.count;
        self.first = self.first.take().or(next.first);
    }

    /// Returns a note if there is such a line, with number, description, first location and advice.
    fn summary(&self, one: &str, several: &str, advice: &str) -> Option<String> {
        let first = self.first.as_ref()?;
        let lines = if self.count == 1 { one.to_owned() } else { format!("{} {several}", self.count) };
        Some(format!("{lines}, the first at {first}; {advice}"))
    }
}

impl Tally {
    /// Counts a malformed line.
    pub(crate) fn bad_line(&mut self, location: Location, message: String) {
        self.skipped += 1;
        if self.first_skipped.len() < MOST_PLACES {
            self.first_skipped.push((location, message));
        }
    }

    /// Counts a doubtful line. Calls `place` for the first line of its kind only.
    pub(crate) fn odd_line(&mut self, oddity: Oddity, place: impl FnOnce() -> String) {
        if let Some(places) = self.odd.get_mut(oddity as usize) {
            places.note(place);
        }
    }

    /// Counts a line without an edge: a comment unless it is blank.
    pub(crate) const fn quiet_line(&mut self, blank: bool) {
        if blank {
            self.blank += 1;
        } else {
            self.comments += 1;
        }
    }

    /// Returns the notes for the summary of a file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let summary =
            |(places, (one, several, advice)): (&Places, &(&str, &str, &str))| places.summary(one, several, advice);
        self.odd.iter().zip(&ODDITIES).filter_map(summary).collect()
    }

    /// Adds the counts of the lines that follow.
    pub(crate) fn add(&mut self, next: Self) {
        self.edges += next.edges;
        self.lines += next.lines;
        self.comments += next.comments;
        self.blank += next.blank;
        self.skipped += next.skipped;
        self.first_skipped.extend(next.first_skipped);
        self.first_skipped.truncate(MOST_PLACES);
        self.rounding.add(next.rounding);
        self.odd.iter_mut().zip(next.odd).for_each(|(places, next)| places.add(next));
    }
}

/// Number of skipped lines of all files, compared with the limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    pub(crate) lines: u64,
    first: Option<(Location, String)>,
}

impl Skipped {
    /// Counts the lines of the next block; fails if the limit is exceeded.
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
