//! Detection of a header line.

use super::rows::{Heading, Row, Rows, begins_like_a_number, fields, is_decimal, is_number, is_whole, kind_of, whole};
use super::samples::Samples;
use crate::edges::options::{ColumnNames, EdgeListOptions, Header};
use crate::edges::roles::{ColumnKind, may_name_ends, names_columns, names_ends, names_source_and_target};
use crate::edges::text::fields::{Split, shown};
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result, counted, length_from};
use std::borrow::Cow;
use std::collections::HashMap;

/// Classifies the first line, or takes names from a preceding comment, with a note if in doubt.
pub(super) fn find(
    rows: &Rows<'_>,
    samples: &Samples,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Result<(Heading, Option<Vec<String>>, Option<String>)> {
    if let Some(names) = in_comment(rows, samples, options, kind) {
        return Ok((Heading::None, Some(names), None));
    }
    let named = options.columns.any();
    let heading = match options.header {
        Header::No if named => {
            let name = rows.name;
            let message = format!("{name}: columns are requested by name, but --header no reads no column names");
            return Err(Error::Usage(format!("{message}; remove --header no")));
        }
        Header::No => Heading::None,
        Header::Auto if !named && !is_header(rows, kind) => {
            let (heading, note) = in_doubt(rows, kind)?;
            return Ok((heading, None, note));
        }
        Header::Auto if named && asks_for_numbers(rows, options) => {
            let found = format!("numbers ({}), expected column names", shown(rows.first_line()));
            let advice = "add a line with names; if this line names the columns, use --header yes";
            let message = format!("found {found}; columns are selected by name, not by number: {advice}");
            return Err(Error::bad_input(rows.location(0), message));
        }
        Header::Yes | Header::Auto => names_or_index(rows)?,
    };
    if options.header == Header::Auto && !named {
        refuse_title(rows)?;
    }
    Ok((heading, None, None))
}

/// Returns true if a column is requested by a number, and the first line has numbers in the same fields as the lines
/// below.
fn asks_for_numbers(rows: &Rows<'_>, options: &EdgeListOptions) -> bool {
    let ColumnNames { source, target, weight, time } = &options.columns;
    let Some(first) = rows.rows.first() else { return false };
    let is_data = |(place, field): (usize, &Cow<'_, [u8]>)| {
        (is_number(field) || is_decimal(field)) == (kind_of(behind(rows), place) != ColumnKind::Text)
    };
    [source, target, weight, time].into_iter().flatten().any(|name| is_whole(name.as_bytes()))
        && first.iter().any(|field| is_number(field))
        && first.iter().enumerate().all(is_data)
}

/// Refuses a first line that is a title above the table: a single name, or more words than the lines below have.
fn refuse_title(rows: &Rows<'_>) -> Result<()> {
    let Some(first) = rows.rows.first() else { return Ok(()) };
    let names: Vec<String> = first.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let filled = names.iter().filter(|name| !name.is_empty()).count();
    let longest = behind(rows).iter().map(Vec::len).max().unwrap_or(filled);
    let more = rows.split == Split::Blanks && filled > longest && names_ends(&names, false).is_none();
    if filled > 1 && !more {
        return Ok(());
    }
    let message = format!(
        "found a title ({}), expected column names or an edge; drop that line, or use --header yes",
        shown(rows.first_line())
    );
    Err(Error::bad_input(rows.location(0), message))
}

/// Returns column names from a comment such as `# source target weight` with as many names as every line has fields,
/// unless the first line is itself a header.
fn in_comment(
    rows: &Rows<'_>,
    samples: &Samples,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Option<Vec<String>> {
    let comment = samples.comments.last().filter(|_| options.header == Header::Auto)?;
    let signs = |byte: &u8| byte.is_ascii_whitespace() || options.comments.contains(byte);
    let text = &comment.text[comment.text.iter().take_while(|byte| signs(byte)).count()..];
    let width = rows.rows.first()?.len();
    if is_header(rows, kind) || rows.rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let names = |split: Split| -> Vec<String> {
        fields(text, split).iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    };
    let fit = |names: &Vec<String>| {
        names.len() == width && names_columns(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    [rows.split, Split::Blanks, Split::At(b',')].into_iter().map(names).find(fit)
}

/// Returns true if the first line consists of consecutive integers, as pandas numbers unnamed columns, and differs from
/// the lines below it.
fn counts_columns(rows: &Rows<'_>) -> bool {
    let data = behind(rows);
    let Some(first) = rows.rows.first().filter(|first| first.len() > 1) else { return false };
    let follow = |pair: &[Cow<'_, [u8]>]| whole(&pair[0]).and_then(|number| number.checked_add(1)) == whole(&pair[1]);
    let in_order = whole(&first[0]).is_some() && first.windows(2).all(follow);
    let apart = || stands_apart(&rows.rows) && !occur_again(first, data.iter(), [0, 1]);
    let further = |row: &Row<'_>| row.iter().skip(2).any(|field| !is_whole(field));
    in_order && (apart() || data.len() > 1 && data.iter().all(further))
}

/// Classifies a first line of strings above strings whose words are in no table of names, or of numbers that may count
/// columns.
fn in_doubt(rows: &Rows<'_>, kind: Option<IdKind>) -> Result<(Heading, Option<String>)> {
    let data = behind(rows);
    let line = || format!("line {} ({})", rows.line_of_data(0), shown(rows.first_line()));
    let as_edge = || format!("{} was read as an edge; if it contains column names, use --header yes", line());
    if counts_columns(rows) {
        return Ok((Heading::None, Some(as_edge())));
    }
    let names: Vec<String> =
        rows.rows.first().into_iter().flatten().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let letters = |name: &String| {
        name.chars().next().is_some_and(char::is_alphabetic)
            && name.chars().all(|sign| sign.is_alphanumeric() || " _-.()".contains(sign))
    };
    let texts = |place: usize| kind_of(data, place) == ColumnKind::Text;
    let plausible = names.len() > 1 && names[..2].iter().all(letters) && texts(0) && texts(1);
    if kind == Some(IdKind::Integer) || !plausible {
        return Ok((Heading::None, None));
    }
    let first = &rows.rows[0];
    let ids = data.iter().flat_map(|row| row.iter().take(2)).map(|id| String::from_utf8_lossy(id).into_owned());
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    if may_name_ends(&refs, ids).is_some_and(|ends| !occur_again(first, data.iter(), ends)) {
        let note = format!(
            "{} was read as a header, because none of its names is an ID; if it is an edge, use --header no",
            line()
        );
        return Ok((names_or_index(rows)?, Some(note)));
    }
    // IDs with digits are more often unlike the others.
    let digits = names[..2].iter().any(|name| name.contains(|sign: char| sign.is_ascii_digit()));
    let apart = stands_apart(rows.rows.as_slice()) && !digits;
    let odd = !occur_again(first, data.iter(), [0, 1]) && (apart || looks_different(first, data));
    Ok((Heading::None, odd.then(as_edge)))
}

/// Returns true if no ID of the first row occurs in another row, while nearly every other row shares an ID with
/// another.
fn stands_apart(all: &[Row<'_>]) -> bool {
    let mut rows_of: HashMap<&[u8], usize> = HashMap::new();
    for row in all {
        for (place, id) in row.iter().take(2).enumerate() {
            *rows_of.entry(id).or_default() += usize::from(place == 0 || row[0] != *id);
        }
    }
    let alone = |row: &&Row<'_>| row.iter().take(2).all(|id| rows_of.get(&**id).is_none_or(|count| *count < 2));
    all.len() > 2 && 20 * all.iter().skip(1).filter(alone).count() <= all.len()
}

/// Returns true if all IDs except those of the first row share a style: capitals, digits, blanks or other punctuation.
fn looks_different(first: &Row<'_>, data: &[Row<'_>]) -> bool {
    let manner = |id: &[u8]| {
        let has = |is: fn(&u8) -> bool| id.iter().any(is);
        let capital = id.first().is_some_and(u8::is_ascii_uppercase);
        [
            capital,
            has(u8::is_ascii_lowercase),
            has(u8::is_ascii_digit),
            has(u8::is_ascii_whitespace),
            has(u8::is_ascii_punctuation),
        ]
    };
    let ids = || data.iter().flat_map(|row| row.iter().take(2));
    let Some(usual) = ids().next().map(|id| manner(id)) else { return false };
    ids().all(|id| manner(id) == usual) && first.iter().take(2).all(|name| manner(name) != usual)
}

/// Returns the rows after the first.
fn behind<'r, 's>(rows: &'r Rows<'s>) -> &'r [Row<'s>] {
    rows.rows.get(1..).unwrap_or(&[])
}

/// Returns the names. The first is missing if every row has one field more and the first field counts the rows, as R
/// and pandas write row numbers.
///
/// # Errors
///
/// Returns an error if the additional field may also be text that contains the separator.
fn names_or_index(rows: &Rows<'_>) -> Result<Heading> {
    let Some(first) = rows.rows.first() else { return Ok(Heading::Names) };
    let data = behind(rows);
    let filled = || data.iter().all(|row| row.last().is_some_and(|field| !field.is_empty()));
    if data.is_empty() || !all_longer_by_one(first, data) || !filled() {
        return Ok(Heading::Names);
    }
    // Leading blanks of a line do not show if the name of the index is missing.
    if counts(data) && rows.blank_separated() {
        return Ok(Heading::BesideIndex);
    }
    let message = format!(
        "found {} in line {}, but {} fields in the lines below; add a name for row numbers, or quote fields that contain the separator",
        counted(length_from(first.len()), "name"),
        rows.line_of_data(0),
        first.len() + 1
    );
    Err(Error::bad_input(rows.location(1), message))
}

fn all_longer_by_one(first: &Row<'_>, data: &[Row<'_>]) -> bool {
    data.iter().all(|row| row.len() == first.len() + 1)
}

/// Returns true if the first fields are consecutive numbers that start at 0 or 1.
pub(super) fn counts(data: &[Row<'_>]) -> bool {
    let number = |row: &Row<'_>| whole(row.first()?);
    let Some(begin) = data.first().and_then(number).filter(|begin| *begin < 2) else { return false };
    data.iter().zip(begin..).all(|(row, expected)| number(row) == Some(expected))
}

fn is_header(rows: &Rows<'_>, kind: Option<IdKind>) -> bool {
    let Some(first) = rows.rows.first() else { return false };
    let data = behind(rows);
    let names: Vec<String> = first.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Words for ends are names, unless they are IDs of other edges.
    let known = names_ends(&names, data.is_empty()).is_some_and(|ends| {
        // A repetition of the line is a repeated header.
        let same =
            |row: &Row<'_>| row.len() == first.len() && row.iter().zip(first).all(|(a, b)| a.eq_ignore_ascii_case(b));
        !occur_again(first, data.iter().filter(|row| !same(row)), ends)
    });
    // R prints and writes no name above row numbers.
    let beside_rows = || rows.blank_separated() && data.len() > 1 && all_longer_by_one(first, data) && counts(data);
    // pandas writes an empty name for an index.
    let beside_index = || names.len() > 2 && names[0].is_empty() && !data.is_empty() && counts(data);
    if known || names_source_and_target(&names) || beside_index() {
        return true;
    }
    if first.iter().any(|field| begins_like_a_number(field)) {
        return false;
    }
    if first.len() > 1 && beside_rows() {
        return true;
    }
    // If the header has one field fewer, only numbers below its names are evidence.
    let shift = usize::from(all_longer_by_one(first, data) && counts(data));
    let below = |place: usize| {
        let numbers =
            data.iter().filter(|row| row.get(place + shift).is_some_and(|field| is_number(field) || is_decimal(field)));
        2 * numbers.count() > data.len()
    };
    let mut numbers = (0..first.len()).filter(|place| !first[*place].is_empty() && below(*place)).peekable();
    match kind {
        // String IDs may look like numbers in one line and not in another.
        Some(IdKind::Text) => numbers.any(|place| place > 1),
        _ => numbers.peek().is_some() && !(numbers.all(|place| place > 1) && occur_again(first, data.iter(), [0, 1])),
    }
}

/// Returns true if a field of the first row at these positions is an ID in another row.
fn occur_again<'r>(first: &Row<'_>, mut data: impl Iterator<Item = &'r Row<'r>>, ends: [usize; 2]) -> bool {
    let fields = ends.map(|place| first.get(place));
    data.any(|row| ends.iter().filter_map(|place| row.get(*place)).any(|field| fields.contains(&Some(field))))
}
