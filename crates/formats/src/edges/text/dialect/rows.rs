//! First lines of a file, split into fields.

use super::samples::{Sample, Samples};
use crate::edges::roles::ColumnKind;
use crate::edges::text::fields::{Field, Fields, Split, is_blank, shown};
use crate::edges::text::line::lengths;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Location, Result};
use std::borrow::Cow;

/// Maximum number of fields examined per line.
const MOST_FIELDS: usize = 2048;

/// Role of the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    /// The line is an edge.
    None,
    /// The line names the columns.
    Names,
    /// The line names all columns except the first, which contains row numbers, as in tables written by R.
    BesideIndex,
}

/// Fields of a line.
pub(super) type Row<'s> = Vec<Cow<'s, [u8]>>;

/// First lines of a file.
pub(super) struct Rows<'s> {
    pub(super) name: &'s str,
    samples: &'s Samples,
    pub(super) split: Split,
    pub(super) rows: Vec<Row<'s>>,
    /// True if the first row names columns.
    headed: bool,
}

impl<'s> Rows<'s> {
    pub(super) fn of(name: &'s str, samples: &'s Samples, split: Split) -> Self {
        let rows = samples.lines.iter().map(|sample| fields(&sample.text, split)).collect();
        Self { name, samples, split, rows, headed: false }
    }

    /// Returns true if the file has no other lines.
    pub(super) const fn whole(&self) -> bool {
        self.samples.whole
    }

    /// Returns true if blanks or a tab separate fields.
    pub(super) fn blank_separated(&self) -> bool {
        matches!(self.split, Split::Blanks | Split::At(b'\t'))
    }

    /// Returns the location of a row.
    pub(super) fn location(&self, row: usize) -> Location {
        Location {
            file: self.name.to_owned(),
            line: self.samples.lines.get(row).map(|sample| sample.line),
            column: None,
        }
    }

    /// Returns the text of a row.
    pub(super) fn sample(&self, row: usize) -> Option<&'s [u8]> {
        self.samples.lines.get(row).map(|sample| &*sample.text)
    }

    /// Returns the line number of a data row.
    pub(super) fn line_of_data(&self, row: usize) -> u64 {
        self.samples.lines.get(row + usize::from(self.headed)).map_or(0, |sample| sample.line)
    }

    /// Returns the column names, if the first row has them.
    pub(super) fn take_names(&mut self, heading: Heading) -> Option<Vec<String>> {
        if heading == Heading::None {
            return None;
        }
        self.headed = true;
        // Keep empty names.
        let first = self.samples.lines.first().map(|sample| &*sample.text).unwrap_or(&[]);
        let names = Fields::new(first, self.split).map_while(|field| field.ok().map(|field| name_of(&field.text)));
        // Default: without a line there are no names.
        let index = (heading == Heading::BesideIndex).then(String::new);
        Some(index.into_iter().chain(names).collect())
    }

    /// Returns the first line that is not a header.
    pub(super) fn first_line(&self) -> &'s [u8] {
        self.samples.lines.get(usize::from(self.headed)).map_or(&[][..], |sample| &sample.text)
    }

    /// Returns the rows that are not a header.
    pub(super) fn data(&self) -> &[Row<'s>] {
        self.rows.get(usize::from(self.headed)..).unwrap_or(&[])
    }

    /// Returns the number of fields of the first data row, without and with trailing empty ones, if all rows have the
    /// same.
    pub(super) fn width(&self, split: Split) -> Option<(usize, usize)> {
        let data = self.samples.lines.get(usize::from(self.headed)..)?;
        let dict = self.data().first()?.get(2).is_some_and(|field| field.starts_with(b"{"));
        let of_line = |sample: &Sample| lengths(Fields::new(&sample.text, split).map_while(Result::ok));
        let (least, most) = of_line(data.first()?);
        let fits = |(filled, all): (usize, usize)| filled <= most && all >= least;
        (!dict && data.iter().map(of_line).all(fits)).then_some((least, most))
    }

    /// Returns a note on a first edge that makes IDs strings while most other lines have integers.
    pub(super) fn strings_by_one_line(&self, ends: [usize; 2]) -> Option<String> {
        let data = self.data();
        let integers = |row: &&Row<'_>| ends.iter().all(|place| row.get(*place).is_some_and(|id| is_whole(id)));
        let (integers, all) = (data.iter().filter(integers).count(), data.len());
        let id = ends.iter().filter_map(|place| data.first()?.get(*place)).find(|id| !is_whole(id))?;
        let advice = if self.headed { "" } else { "if it names the columns, use --header yes; otherwise " };
        let place = format!("{}:{} ({})", self.name, self.line_of_data(0), shown(id));
        (2 * integers > all).then(|| {
            format!("IDs are strings because of {place}; {integers} of {all} sampled lines have integers only; {advice}correct or drop it")
        })
    }

    /// Returns a note on comments before the first edge that would be edges without their first character.
    pub(super) fn comments_like_edges(&self, signs: &[u8], ids: IdKind) -> Option<String> {
        let width = self.rows.first()?.len();
        let is_edge = |comment: &&Sample| {
            let Some(([sign, first], _)) = comment.text.split_first_chunk() else { return false };
            let row = fields(&comment.text[1..], self.split);
            let ids_fit = ids == IdKind::Text || row.iter().take(2).all(|id| is_whole(id));
            !is_blank(*sign) && !is_blank(*first) && !signs.contains(first) && row.len() == width && ids_fit
        };
        let constant = width > 1 && self.rows.iter().all(|row| row.len() == width);
        let mut found = self.samples.comments.iter().filter(is_edge).peekable();
        let place = found.peek().filter(|_| constant).map(|comment| (comment.line, shown(&comment.text)));
        let ((line, text), name) = (place?, self.name);
        let lines = match found.count() {
            1 => "1 line before the first edge was skipped as a comment".to_owned(),
            several => format!("{several} lines before the first edge were skipped as comments"),
        };
        Some(format!("{lines}, the first at {name}:{line} ({text}); if they are not comments, use --comments ''"))
    }

    /// Returns true if the numbers of a column have decimal commas.
    pub(super) fn decimal_comma(&self, place: usize, split: Split) -> Result<bool> {
        if split == Split::At(b',') {
            return Ok(false);
        }
        let fields = || self.data().iter().enumerate().filter_map(|(row, fields)| Some((row, fields.get(place)?)));
        if fields().any(|(_, field)| field.contains(&b'.')) {
            return Ok(false);
        }
        let commas: Vec<_> = fields().filter(|(_, field)| is_decimal(field)).collect();
        let thousands = |field: &[u8]| field.len() - field.iter().position(|byte| *byte == b',').unwrap_or(0) == 4;
        match commas.first() {
            None => Ok(false),
            Some((row, field)) if commas.iter().all(|(_, field)| thousands(field)) => {
                let message = format!(
                    "found {}, whose comma is ambiguous (thousands or decimals); write numbers with a point",
                    shown(field)
                );
                let location =
                    Location { file: self.name.to_owned(), line: Some(self.line_of_data(*row)), column: None };
                Err(Error::bad_input(location, message))
            }
            Some(_) => Ok(true),
        }
    }
}

/// Returns the name of a column without surrounding quotes, which blank-separated fields keep.
fn name_of(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    bare.unwrap_or(&text).to_owned()
}

/// Returns the fields of a line up to an unclosed quote.
pub(super) fn fields(line: &[u8], split: Split) -> Row<'_> {
    Fields::new(line, split).take(MOST_FIELDS).map_while(|field| field.ok().map(|field| field.text)).collect()
}

/// Returns the kind of most values of a column.
pub(super) fn kind_of(data: &[Row<'_>], place: usize) -> ColumnKind {
    const MISSING: [&[u8]; 9] = [b"", b"na", b"n/a", b"nan", b"null", b"none", b"-", b"?", b"\\n"];
    let values = || {
        let values = data.iter().filter_map(|row| row.get(place));
        values.filter(|field| !MISSING.contains(&field.to_ascii_lowercase().as_slice()))
    };
    let count = values().count();
    let most = |is: &dyn Fn(&[u8]) -> bool| 2 * values().filter(|field| is(field)).count() > count;
    match () {
        () if count == 0 => ColumnKind::Unknown,
        () if most(&is_whole) => ColumnKind::Whole,
        () if most(&|field| is_number(field) || is_decimal(field)) => ColumnKind::Number,
        () => ColumnKind::Text,
    }
}

/// Returns the IDs present on a line.
fn ids_of(line: &[u8], split: Split, ends: [usize; 2]) -> Vec<Field<'_>> {
    let fields = Fields::new(line, split).map_while(Result::ok).enumerate();
    let ids = fields.filter(|(place, _)| ends.contains(place)).map(|(_, field)| field);
    ids.filter(|field| field.quoted || !field.text.is_empty()).collect()
}

/// Returns true if the IDs of a line are numbers: then they must be integers, and others are refused at their location,
/// as are missing ones. Quoted fields are strings.
pub(super) fn are_numbers(line: &[u8], split: Split, ends: [usize; 2]) -> bool {
    let ids = ids_of(line, split, ends);
    !ids.is_empty() && ids.iter().all(|field| !field.quoted && is_number(&field.text))
}

/// Returns a description of IDs that would be numbers without their quotes.
pub(super) fn quoted_numbers(line: &[u8], split: Split, ends: [usize; 2]) -> Option<String> {
    let ids = ids_of(line, split, ends);
    let numbers = !ids.is_empty() && ids.iter().all(|field| is_number(&field.text));
    let note = "quoted IDs were read as strings; use --ids integer to read them as integers";
    (numbers && ids.iter().any(|field| field.quoted)).then(|| note.to_owned())
}

pub(super) fn is_whole(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// Returns the value of an integer; `None` if the field is not an integer or too large.
pub(super) fn whole(field: &[u8]) -> Option<u64> {
    is_whole(field).then(|| std::str::from_utf8(field).ok()?.parse().ok()).flatten()
}

pub(super) fn begins_like_a_number(field: &[u8]) -> bool {
    let unsigned = field.strip_prefix(b"-").or_else(|| field.strip_prefix(b"+")).unwrap_or(field);
    let digits = unsigned.strip_prefix(b".").unwrap_or(unsigned);
    digits.first().is_some_and(u8::is_ascii_digit)
}

/// Returns true if a field is a number of any kind.
pub(super) fn is_number(field: &[u8]) -> bool {
    let number = || std::str::from_utf8(field).ok()?.parse::<f64>().ok();
    begins_like_a_number(field) && number().is_some()
}

/// Returns true if a field is a number with a decimal comma.
pub(super) fn is_decimal(field: &[u8]) -> bool {
    let unsigned = field.strip_prefix(b"-").or_else(|| field.strip_prefix(b"+")).unwrap_or(field);
    let mut parts = unsigned.split(|byte| *byte == b',');
    matches!((parts.next(), parts.next(), parts.next()), (Some(whole), Some(part), None) if is_whole(whole) && is_whole(part))
}
