//! Detection of the syntax of an edge list.

use super::rows::{self, Heading, Rows, begins_like_a_number, is_decimal, is_number};
use super::samples::{Decision, Samples, is_tsv};
use super::{header, separator, shape};
use crate::edges::options::{EdgeListOptions, Header, OnError, Separator};
use crate::edges::roles::{self, Column, Roles};
use crate::edges::text::fields::{Split, shown};
use crate::edges::text::syntax::Syntax;
use outcrop_store::writing::IdKind;
use outcrop_types::{HeaderLine, Result, TimeRule};

/// Determines the syntax of a file of edges. `kind` is the kind of IDs set by options or earlier files.
pub(super) fn decide(
    name: &str,
    samples: &Samples,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Result<Decision> {
    let split = separator::find(name, samples, options)?;
    let mut rows = Rows::of(name, samples, split);
    let guessing = options.format.is_none() && options.separator == Separator::Auto;
    if guessing {
        shape::check_all(&rows, options)?;
    }
    let (heading, commented, note) = header::find(&rows, samples, options, kind)?;
    let headed = heading != Heading::None;
    let (mut notes, mut tells_unread): (Vec<String>, _) = (note.into_iter().collect(), false);
    if guessing && !headed && commented.is_none() {
        let shape = shape::check(&rows, options)?;
        tells_unread = shape.tells_unread;
        notes.extend(shape.notes);
    }
    let location = rows.location(0);
    let comment = samples.comments.last().filter(|_| commented.is_some());
    let names = commented.or_else(|| rows.take_names(heading));
    let data = rows.data();
    let roles = match &names {
        Some(names) => roles::by_name(&columns_of(names, data), options, &location)?,
        None => roles::by_place(options),
    };
    let Roles { ends: [source, target], weight, time, target_by_place, .. } = roles;
    tells_unread |= roles.unread.is_some();
    let may_be_edge = headed && options.header == Header::Auto;
    notes.extend(roles.into_notes(if may_be_edge { "; if line 1 is an edge, use --header no" } else { "" }));
    if let Some(comment) = comment.filter(|_| [source, target] != [0, 1]) {
        notes.push(format!("line {} ({}) was read as column names", comment.line, shown(&comment.text)));
    }
    notes.extend(shape::different_lengths(&rows, headed));
    // A header that names source and target shows that each field is a single ID.
    if guessing && (!headed || target_by_place) && options.on_error == OnError::Stop {
        notes.extend(shape::lists_in_fields(&rows)?);
    }
    let undirected = undirected_rows(names.as_deref().unwrap_or(&[]), data, options);
    tells_unread |= undirected.is_some();
    notes.extend(undirected);
    // Lists of numbers in which any blanks separate often have a tab in some lines only.
    let loose = options.separator == Separator::Auto && split == Split::At(b'\t') && !headed && !is_tsv(name);
    let first = data.first();
    let line = rows.first_line();
    // Separator of numbers, if IDs are numbers.
    let numbers_split = if loose { Split::Blanks } else { split };
    let is_whole = || line.is_empty() || rows::are_numbers(line, numbers_split, [source, target]);
    let ids = kind.unwrap_or_else(|| if is_whole() { IdKind::Integer } else { IdKind::Text });
    if kind.is_none() && ids == IdKind::Text {
        notes.extend(reason_for_strings(&rows, split, [source, target]));
    }
    if names.is_none() {
        notes.extend(rows.comments_like_edges(&options.comments, ids));
    }
    let split = if ids == IdKind::Integer { numbers_split } else { split };
    let decimal_comma = weight.map_or(Ok(false), |place| rows.decimal_comma(place, split))?;
    let column = |place: usize| named(names.as_deref(), place);
    let used: Vec<usize> = [Some(source), Some(target), weight, time].into_iter().flatten().collect();
    if !headed && !tells_unread {
        notes.extend(unread_fields(data, &used, split, options));
    }
    let header = samples.lines.first().filter(|_| headed);
    Ok(Decision {
        header: header.map(|sample| HeaderLine { line: sample.line, text: shown(&sample.text) }),
        columns: used.into_iter().map(column).collect(),
        notes,
        syntax: Syntax {
            weight,
            decimal_comma,
            time: time.map(|place| (place, options.times.unwrap_or_else(|| time_rule(first, place, options)))),
            header: header.map(|sample| sample.text.clone()),
            width: rows.width(split),
            ..Syntax::of(split, [source, target], ids, options)
        },
    })
}

/// Returns a note on the reason why IDs are strings: quotes around integers, or one line among lines of integers.
fn reason_for_strings(rows: &Rows<'_>, split: Split, ends: [usize; 2]) -> Option<String> {
    rows::quoted_numbers(rows.first_line(), split, ends).or_else(|| rows.strings_by_one_line(ends))
}

/// Returns the rule for the times in field `place`, derived from the first line.
fn time_rule(first: Option<&rows::Row<'_>>, place: usize, options: &EdgeListOptions) -> TimeRule {
    let field = first.and_then(|row| row.get(place)).map(|field| String::from_utf8_lossy(field).into_owned());
    TimeRule::of_sample(field.as_deref().unwrap_or("0"), options.time_unit)
}

/// Returns columns with these names above `data`.
fn columns_of(names: &[String], data: &[rows::Row<'_>]) -> Vec<Column> {
    let column = |(place, name): (usize, &String)| Column { name: name.clone(), kind: rows::kind_of(data, place) };
    names.iter().enumerate().map(column).collect()
}

/// Returns a note on a Gephi column `Type` that marks edges as undirected.
fn undirected_rows(names: &[String], data: &[rows::Row<'_>], options: &EdgeListOptions) -> Option<String> {
    let is_type = |name: &String| options.directed != Some(false) && name.eq_ignore_ascii_case("type");
    let place = names.iter().position(is_type)?;
    let undirected =
        |row: &&rows::Row<'_>| row.get(place).is_some_and(|field| field.eq_ignore_ascii_case(b"undirected"));
    data.iter().find(undirected)?;
    Some(format!(
        "the column {} marks edges as undirected and was not read; use --undirected to read all of them as undirected",
        names[place]
    ))
}

/// Returns the name of a column in messages.
fn named(names: Option<&[String]>, place: usize) -> String {
    let name = names.and_then(|names| names.get(place)).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("field {}", place + 1), Clone::clone)
}

/// Returns a note on unnamed fields that are not read.
fn unread_fields(data: &[rows::Row<'_>], used: &[usize], split: Split, options: &EdgeListOptions) -> Option<String> {
    let first = data.first()?;
    let width = first.len() - first.iter().rev().take_while(|field| field.is_empty()).count();
    let constant = data.iter().all(|row| row.len() >= width);
    let places: Vec<usize> = (0..width).filter(|place| !used.contains(place)).collect();
    let place = *places.first().filter(|place| **place > 1 && constant)?;
    let shown_at = |place: usize| format!("{} ({})", place + 1, shown(&first[place]));
    let number = is_number(&first[place]) || (split != Split::At(b',') && is_decimal(&first[place]));
    let times = data.len() > 1
        && data.iter().all(|row| row.get(place).and_then(|field| rows::whole(field)).is_some_and(shape::is_unix_time));
    let advice = match used.len() {
        2 if number && !times => {
            let advice = format!("use --weighted to read field {} as the weight", place + 1);
            format!("; {}", options.on_unread_weights(&advice))
        }
        2 if begins_like_a_number(&first[place]) => format!("; use --timed to read field {} as the time", place + 1),
        _ => String::new(),
    };
    let all: Vec<String> = places.iter().take(8).map(|place| shown_at(*place)).collect();
    let (fields, were) = if all.len() == 1 { ("field", "was") } else { ("fields", "were") };
    Some(format!("{fields} {} {were} not read{advice}", all.join(", ")))
}
