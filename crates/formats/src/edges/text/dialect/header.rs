//! Decides whether the first line names the columns.

use super::rows::{Heading, Row, Rows, begins_like_a_number, is_decimal, is_number, whole};
use crate::edges::options::{EdgeListOptions, Header};
use crate::edges::roles::{names_ends, names_source_and_target};
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result};

pub(super) fn find(rows: &Rows<'_>, options: &EdgeListOptions, kind: Option<IdKind>) -> Result<Heading> {
    let named = options.columns.any();
    match options.header {
        Header::No if named => {
            Err(Error::Usage("columns were asked for by name, and a file without a header has no names".to_owned()))
        }
        Header::No => Ok(Heading::None),
        Header::Yes => names_or_index(rows),
        Header::Auto if named => names_or_index(rows),
        Header::Auto if is_header(rows, kind) => names_or_index(rows),
        Header::Auto => Ok(Heading::None),
    }
}

/// The rows behind the first.
fn behind<'r, 's>(rows: &'r Rows<'s>) -> &'r [Row<'s>] {
    rows.rows.get(1..).unwrap_or(&[])
}

/// Names, of which the first is missing where all rows have one field more and the first field counts them, as R and pandas write row
/// numbers.
///
/// # Errors
/// A field more that may as well be text with the separator in it.
fn names_or_index(rows: &Rows<'_>) -> Result<Heading> {
    let Some(first) = rows.rows.first() else { return Ok(Heading::Names) };
    let data = behind(rows);
    let more = |row: &Row<'_>| row.len() == first.len() + 1 && row.last().is_some_and(|field| !field.is_empty());
    if data.is_empty() || !data.iter().all(more) {
        return Ok(Heading::Names);
    }
    let quoted = || data.iter().all(|row| row.first().is_some_and(|field| field.starts_with(b"\"")));
    // Blanks in front of a line, where the name of the index is missing, say nothing.
    if counts(data) && (rows.blank_separated() || quoted()) {
        return Ok(Heading::BesideIndex);
    }
    let message = format!(
        "found {} names in line {} and {} fields in the lines below, expected as many; name the column of row numbers, or quote the \
         fields that have the separator in them",
        first.len(),
        rows.line_of_data(0),
        first.len() + 1
    );
    Err(Error::bad_input(rows.location(1), message))
}

/// True if the first fields are numbers that follow each other, from 0 or 1, quoted or not.
pub(super) fn counts(data: &[Row<'_>]) -> bool {
    let number = |row: &Row<'_>| {
        let field = row.first()?;
        whole(field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field))
    };
    let Some(begin) = data.first().and_then(number).filter(|begin| *begin < 2) else { return false };
    data.iter().zip(begin..).all(|(row, expected)| number(row) == Some(expected))
}

fn is_header(rows: &Rows<'_>, kind: Option<IdKind>) -> bool {
    let Some(first) = rows.rows.first() else { return false };
    let data = behind(rows);
    let names: Vec<String> = first.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Words for ends are names, unless they are ids of other edges.
    let known = names_ends(&names, data.is_empty()).is_some_and(|ends| !occur_again(first, data, ends));
    // The name of an index is empty, as pandas writes it.
    let beside_index = || names.len() > 2 && names[0].is_empty() && !data.is_empty() && counts(data);
    if known || names_source_and_target(&names) || beside_index() {
        return true;
    }
    if first.iter().any(|field| begins_like_a_number(field)) {
        return false;
    }
    // Where the header has a field fewer, only numbers below its names tell.
    let shift = usize::from(names_or_index_by_length(first, data));
    let below = |place: usize| {
        let numbers =
            data.iter().filter(|row| row.get(place + shift).is_some_and(|field| is_number(field) || is_decimal(field)));
        2 * numbers.count() > data.len()
    };
    let mut numbers = (0..first.len()).filter(|place| !first[*place].is_empty() && below(*place)).peekable();
    match kind {
        // Texts as ids may look like numbers in one line and not in another.
        Some(IdKind::Text) => numbers.any(|place| place > 1),
        _ => numbers.peek().is_some() && !(numbers.all(|place| place > 1) && occur_again(first, data, [0, 1])),
    }
}

fn names_or_index_by_length(first: &Row<'_>, data: &[Row<'_>]) -> bool {
    data.iter().all(|row| row.len() == first.len() + 1) && counts(data)
}

/// True if a field of the first row at these places is an id in another row.
fn occur_again(first: &Row<'_>, data: &[Row<'_>], ends: [usize; 2]) -> bool {
    let fields = ends.map(|place| first.get(place));
    data.iter().any(|row| ends.iter().filter_map(|place| row.get(*place)).any(|field| fields.contains(&Some(field))))
}
