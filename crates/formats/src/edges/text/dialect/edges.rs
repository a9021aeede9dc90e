//! Decides how a list of edges is to be read.

use super::rows::{self, Heading, Rows, is_decimal, is_number};
use super::samples::{Decision, Samples, is_tsv};
use super::{header, separator, shape};
use crate::edges::options::{EdgeListOptions, IdRule, Separator};
use crate::edges::roles::{self, Column, Roles};
use crate::edges::text::fields::{Split, shown};
use crate::edges::text::syntax::Syntax;
use outcrop_store::writing::IdKind;
use outcrop_types::{HeaderLine, Result, TimeRule};

/// Decides on the syntax of a file of edges. `kind` is what options or earlier files decided.
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
        shape::refuse_labels(&rows)?;
    }
    let heading = header::find(&rows, options, kind)?;
    let mut notes = Vec::new();
    if guessing && heading == Heading::None {
        notes.extend(shape::check(&rows, options)?);
    }
    let location = rows.location(0);
    let names = rows.take_names(heading);
    let data = rows.data();
    let roles = match &names {
        Some(names) => roles::by_name(&columns_of(names, data), options, &location)?,
        None => roles::by_place(options),
    };
    let Roles { ends: [source, target], weight, time, notes: of_roles } = roles;
    notes.extend(of_roles);
    notes.extend(shape::different_lengths(&rows, names.is_some()));
    if options.directed != Some(false) {
        notes.extend(undirected_rows(names.as_deref().unwrap_or(&[]), data));
    }
    // Lists of numbers, in which any blanks separate, often have a tab in some lines only.
    let loose = options.separator == Separator::Auto && split == Split::At(b'\t') && names.is_none() && !is_tsv(name);
    let first = data.first();
    let line = rows.first_line();
    // What separates numbers, where ids are such.
    let numbers_split = if loose { Split::Blanks } else { split };
    let is_whole = || line.is_empty() || rows::are_numbers(line, numbers_split, [source, target]);
    let ids = kind.unwrap_or_else(|| if is_whole() { IdKind::Integer } else { IdKind::Text });
    if kind.is_none() && ids == IdKind::Text {
        notes.extend(rows::quoted_numbers(line, split, [source, target]));
    }
    let split = if ids == IdKind::Integer { numbers_split } else { split };
    let decimal_comma = match weight {
        Some(place) => rows.decimal_comma(place, split)?,
        None => false,
    };
    let column = |place: usize| named(names.as_deref(), place);
    if names.is_none() && weight.is_none() {
        notes.extend(unread_third(first, time.is_some(), split));
    }
    let rule = |place: usize| {
        let field = first.and_then(|row| row.get(place)).map(|field| String::from_utf8_lossy(field).into_owned());
        TimeRule::of_sample(field.as_deref().unwrap_or("0"), options.time_unit)
    };
    let header = samples.lines.first().filter(|_| names.is_some());
    let used = [Some(source), Some(target), weight, time];
    Ok(Decision {
        header: header.map(|sample| HeaderLine { line: sample.line, text: shown(&sample.text) }),
        columns: used.into_iter().flatten().map(column).collect(),
        notes,
        syntax: Syntax {
            split,
            tag: None,
            source,
            target,
            weight,
            weight_type: options.weight_type,
            decimal_comma,
            time: time.map(|place| (place, options.times.unwrap_or_else(|| rule(place)))),
            comments: options.comments.clone(),
            ids,
            smallest: 0,
            largest: options.ids.largest(),
            mirror: false,
            guessed: options.ids == IdRule::Auto,
            on_error: options.on_error,
        },
    })
}

/// Columns with these names above `data`.
fn columns_of(names: &[String], data: &[rows::Row<'_>]) -> Vec<Column> {
    let column = |(place, name): (usize, &String)| Column { name: name.clone(), kind: rows::kind_of(data, place) };
    names.iter().enumerate().map(column).collect()
}

/// Note on a column `Type` that calls edges undirected, as Gephi writes it.
fn undirected_rows(names: &[String], data: &[rows::Row<'_>]) -> Option<String> {
    let place = names.iter().position(|name| name.eq_ignore_ascii_case("type"))?;
    let undirected =
        |row: &&rows::Row<'_>| row.get(place).is_some_and(|field| field.eq_ignore_ascii_case(b"undirected"));
    data.iter().find(undirected)?;
    Some(format!(
        "the column {} calls edges undirected and was not read; --undirected reads all of them so",
        names[place]
    ))
}

/// A column as a message calls it.
fn named(names: Option<&[String]>, place: usize) -> String {
    let name = names.and_then(|names| names.get(place)).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("field {}", place + 1), Clone::clone)
}

/// Tells of a third field that looks like weights and is not read.
fn unread_third(first: Option<&rows::Row<'_>>, timed: bool, split: Split) -> Option<String> {
    let [_, _, third] = first?.as_slice() else { return None };
    let number = is_number(third) || (split != Split::At(b',') && is_decimal(third));
    let note = || format!("field 3 ({}) is a number and was not read; --weighted reads it as the weight", shown(third));
    (number && !timed).then(note)
}
