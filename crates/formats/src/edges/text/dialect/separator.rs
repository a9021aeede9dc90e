//! Detection of the field separator: the one that yields the same number of fields in every line.

use super::rows::{Row, fields, is_decimal, is_number, is_whole};
use super::samples::{Samples, is_tsv};
use crate::edges::options::{EdgeListOptions, Separator};
use crate::edges::text::fields::Split;
use outcrop_types::{Error, Location, Result};

/// Candidate separators, ordered from the least to the most likely inside a text.
const CANDIDATES: [Split; 5] = [Split::At(b'\t'), Split::At(b';'), Split::At(b'|'), Split::At(b','), Split::Blanks];

/// Quality of a separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// True if two columns are integers, as IDs often are, and every line has them.
    ids: bool,
    /// Degree of uniformity: every line has the same number of fields, or all lines except the first do.
    constant: u8,
    /// Number of lines with at least two fields.
    lines: usize,
    /// Number of numeric columns.
    numbers: usize,
    /// True if no data line starts with the separator.
    full: bool,
}

pub(super) fn find(name: &str, samples: &Samples, options: &EdgeListOptions) -> Result<Split> {
    match options.separator {
        Separator::Char(' ') => Ok(Split::Blanks),
        Separator::Char(character) => match u8::try_from(character) {
            Ok(byte) if byte == b'\t' || (byte.is_ascii_punctuation() && !b"\"'.-+_".contains(&byte)) => {
                Ok(Split::At(byte))
            }
            _ => Err(Error::Usage(format!(
                "{character:?} cannot separate fields; use a tab, a space or a character such as , ; | :"
            ))),
        },
        Separator::Auto => guess(name, samples),
    }
}

fn guess(name: &str, samples: &Samples) -> Result<Split> {
    let fits: Vec<(Split, Fit)> = CANDIDATES.into_iter().map(|split| (split, Fit::of(samples, split))).collect();
    let mut best = (Split::Blanks, Fit { ids: false, full: false, constant: 0, numbers: 0, lines: 0 });
    let decimals = commas_are_decimal(samples);
    let others_separate = |split: Split| fits.iter().any(|(other, fit)| *other != split && fit.constant == 2);
    for (split, fit) in &fits {
        // A decimal comma is not a separator if another character separates.
        if *split == Split::At(b',') && decimals && !fit.ids && others_separate(*split) {
            continue;
        }
        // Among equals, the first wins, and any character that occurs wins over blanks.
        if *fit > best.1 {
            best = (*split, *fit);
        }
    }
    // Database IDs may contain `|` between numbers.
    if (!best.1.ids || best.0 == Split::At(b'|')) && as_many_tabs(name, samples) {
        return Ok(Split::At(b'\t'));
    }
    let (split, fit) = best;
    if split == Split::Blanks {
        refuse_open_quotes(name, samples)?;
    }
    let is_sign = |split: Split| matches!(split, Split::At(b';' | b'|' | b','));
    let rival = fits.iter().find(|(other, also)| {
        *other != split && is_sign(*other) && also.constant == 2 && !(*other == Split::At(b',') && decimals)
    });
    match rival {
        Some((other, _)) if is_sign(split) && fit.constant == 2 && !fit.ids => {
            let line = samples.lines.first().map(|sample| sample.line);
            let message =
                format!("both {} and {} can separate the fields; use --separator", split.name(), other.name());
            Err(Error::bad_input(Location { file: name.to_owned(), line, column: None }, message))
        }
        _ => Ok(split),
    }
}

/// Returns true if tabs separate regardless of the content of fields: every line has the same number of tabs, or at
/// least one in a `.tsv` file. Texts may contain other separators and unclosed quotes.
fn as_many_tabs(name: &str, samples: &Samples) -> bool {
    let mut tabs = samples.lines.iter().map(|sample| memchr::memchr_iter(b'\t', &sample.text).count());
    let Some(first) = tabs.next().filter(|first| *first > 0) else { return false };
    tabs.all(|count| count == first || count > 0 && is_tsv(name))
}

/// Refuses blank-separated fields with an unclosed quote.
fn refuse_open_quotes(name: &str, samples: &Samples) -> Result<()> {
    let open = |text: &[u8]| fields(text, Split::Blanks).iter().any(|field| field.starts_with(b"\""));
    let Some(sample) = samples.lines.iter().find(|sample| open(&sample.text)) else { return Ok(()) };
    let message = "found a field that begins with a quote but does not end with one; drop the quote, or separate fields by tabs or commas";
    Err(Error::bad_input(Location { file: name.to_owned(), line: Some(sample.line), column: None }, message))
}

/// Returns true if all commas are decimal commas, between digits.
fn commas_are_decimal(samples: &Samples) -> bool {
    let digit = |text: &[u8], at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_digit);
    let is_decimal = |text: &[u8], at: usize| digit(text, at.checked_sub(1)) && digit(text, Some(at + 1));
    let decimal = |text: &[u8]| memchr::memchr_iter(b',', text).all(|at| is_decimal(text, at));
    samples.lines.iter().all(|sample| decimal(&sample.text))
}

impl Fit {
    fn of(samples: &Samples, split: Split) -> Self {
        let rows: Vec<Row<'_>> = samples.lines.iter().map(|sample| fields(front(&sample.text), split)).collect();
        let lines = rows.iter().filter(|row| row.len() > 1).count();
        let behind = rows.get(1..).filter(|rest| !rest.is_empty()).unwrap_or(&rows);
        let width = behind.first().map_or(0, Vec::len);
        let same = |rows: &[Row<'_>]| width > 1 && rows.iter().all(|row| row.len() == width);
        let constant = match (same(&rows), same(behind) && behind.len() > 1) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        };
        let column = |place: usize, is: &dyn Fn(&[u8]) -> bool| {
            2 * behind.iter().filter(|row| row.get(place).is_some_and(|field| is(field))).count() > behind.len()
        };
        // Columns after the first few add no information.
        let most = width.min(16);
        let with_comma = |field: &[u8]| is_number(field) || (split != Split::At(b',') && is_decimal(field));
        let whole: Vec<usize> = (0..most).filter(|place| column(*place, &is_whole)).collect();
        // Strings contain blanks, too: blanks separate only if a line starts with two IDs.
        let enough = if split == Split::Blanks { whole.starts_with(&[0, 1]) } else { whole.len() > 1 };
        let ids = enough && lines == rows.len();
        let counted = lines > 0 && (split != Split::Blanks || ids);
        let numbers = if counted { (0..most).filter(|place| column(*place, &with_comma)).count() } else { 0 };
        let full = lines > 0 && behind.iter().all(|row| row.first().is_none_or(|field| !field.is_empty()));
        Self { ids, full, constant, numbers, lines }
    }
}

/// Returns a line without a trailing Python dict, which may contain any character.
fn front(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    match line.iter().position(|byte| *byte == b'{') {
        Some(open) if open > 0 && line.ends_with(b"}") => line[..open].trim_ascii_end(),
        _ => line,
    }
}
