//! Finds the separator of fields: the one that gives the same number of fields in every line.

use super::rows::{Row, fields, is_decimal, is_number, is_whole};
use super::samples::{Samples, is_tsv};
use crate::edges::options::{EdgeListOptions, Separator};
use crate::edges::text::fields::Split;
use outcrop_types::{Error, Location, Result};

/// Separators that are tried, the least likely inside a text first.
const CANDIDATES: [Split; 5] = [Split::At(b'\t'), Split::At(b';'), Split::At(b'|'), Split::At(b','), Split::Blanks];

/// Fields that a separator gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Two columns are whole numbers, as ids often are, and every line has them.
    ids: bool,
    /// Every line has the same number of fields, or all but the first do.
    constant: u8,
    /// Lines of at least two fields.
    lines: usize,
    /// Columns that are numbers.
    numbers: usize,
    /// No line of data begins with the separator.
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
        // A decimal comma separates nothing where another sign does.
        if *split == Split::At(b',') && decimals && !fit.ids && others_separate(*split) {
            continue;
        }
        // Between equals the first wins, and any sign that is there over blanks.
        if *fit > best.1 {
            best = (*split, *fit);
        }
    }
    // Ids of databases have `|` in them, and numbers between.
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

/// True if tabs separate whatever the fields hold: every line has as many, or has one in a `.tsv`. Texts have other
/// signs in them, and quotes that nothing closes.
fn as_many_tabs(name: &str, samples: &Samples) -> bool {
    let mut tabs = samples.lines.iter().map(|sample| memchr::memchr_iter(b'\t', &sample.text).count());
    let Some(first) = tabs.next().filter(|first| *first > 0) else { return false };
    tabs.all(|count| count == first || count > 0 && is_tsv(name))
}

/// Refuses fields between blanks with a quote that nothing closes.
fn refuse_open_quotes(name: &str, samples: &Samples) -> Result<()> {
    let open = |text: &[u8]| fields(text, Split::Blanks).iter().any(|field| field.starts_with(b"\""));
    let Some(sample) = samples.lines.iter().find(|sample| open(&sample.text)) else { return Ok(()) };
    let message = "found a field that begins with a quote but does not end with one; drop the quote, or separate fields by tabs or commas";
    Err(Error::bad_input(Location { file: name.to_owned(), line: Some(sample.line), column: None }, message))
}

/// True if all commas are decimal ones: between digits.
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
        // Columns beyond the first few say nothing more.
        let most = width.min(16);
        let with_comma = |field: &[u8]| is_number(field) || (split != Split::At(b',') && is_decimal(field));
        let whole: Vec<usize> = (0..most).filter(|place| column(*place, &is_whole)).collect();
        // Blanks are in texts, too: they separate what begins with two ids rather than what a sign separates.
        let enough = if split == Split::Blanks { whole.starts_with(&[0, 1]) } else { whole.len() > 1 };
        let ids = enough && lines == rows.len();
        let counted = lines > 0 && (split != Split::Blanks || ids);
        let numbers = if counted { (0..most).filter(|place| column(*place, &with_comma)).count() } else { 0 };
        let full = lines > 0 && behind.iter().all(|row| row.first().is_none_or(|field| !field.is_empty()));
        Self { ids, full, constant, numbers, lines }
    }
}

/// A line without the Python dict at its end, in which anything may stand.
fn front(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    match line.iter().position(|byte| *byte == b'{') {
        Some(open) if open > 0 && line.ends_with(b"}") => line[..open].trim_ascii_end(),
        _ => line,
    }
}
