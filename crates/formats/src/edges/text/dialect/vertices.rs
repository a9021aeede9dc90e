//! Detection of the syntax of a vertex list.

use super::rows::{are_numbers, begins_like_a_number, fields, is_number, quoted_numbers};
use super::samples::{Decision, Samples, is_table, is_tsv};
use super::separator;
use crate::edges::options::{EdgeListOptions, Header, Separator};
use crate::edges::roles::{is_neo4j_id, is_noun, names_vertices, vertex_column};
use crate::edges::text::fields::{Split, shown};
use crate::edges::text::syntax::Syntax;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, HeaderLine, Location, Result};

pub(super) fn decide(
    name: &str,
    samples: &Samples,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Result<Decision> {
    let first = samples.lines.first().map_or(&[][..], |sample| &sample.text);
    if first.starts_with(b"{") && first.contains(&b':') || first.starts_with(b"[") && first.contains(&b',') {
        let message = "found JSON, expected IDs; write one ID per line, for example with `jq -r .id FILE`";
        let line = samples.lines.first().map(|sample| sample.line);
        return Err(Error::bad_input(Location { file: name.to_owned(), line, column: None }, message));
    }
    let split = match options.separator {
        Separator::Auto => {
            let first = first.trim_ascii_start();
            b"\t,;|".iter().find(|byte| first.contains(byte)).map_or(Split::Blanks, |byte| Split::At(*byte))
        }
        Separator::Char(_) => separator::find(name, samples, options)?,
    };
    let names: Vec<String> =
        fields(first, split).iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let header = match options.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => {
            (is_table(name) || names.iter().any(|name| is_neo4j_id(name))) && is_header(&names, samples, split, kind)
        }
    };
    let place = if header { vertex_column(names.iter().map(String::as_str)) } else { 0 };
    let loose = options.separator == Separator::Auto && split == Split::At(b'\t') && !header && !is_tsv(name);
    let numbers_split = if loose { Split::Blanks } else { split };
    let data = samples.lines.get(usize::from(header)).map_or(&[][..], |sample| &sample.text);
    let is_whole = || data.is_empty() || are_numbers(data, numbers_split, [place, place]);
    let ids = kind.unwrap_or_else(|| if is_whole() { IdKind::Integer } else { IdKind::Text });
    let split = match ids {
        IdKind::Integer => numbers_split,
        IdKind::Text => split_of_names(name, split, header, options),
    };
    let mut notes: Vec<String> = Vec::new();
    if kind.is_none() && ids == IdKind::Text {
        notes.extend(quoted_numbers(data, split, [place, place]));
    }
    let width = fields(data, split).iter().rev().skip_while(|field| field.is_empty()).count();
    if !header && width > 1 {
        notes.push(format!("lines have {width} fields, and the first one was read as the ID; write one ID per line"));
    }
    let noun = names.first().is_some_and(|name| is_noun(name)) && (names.len() == 1 || split != Split::Blanks);
    if !header && ids == IdKind::Text && options.header == Header::Auto && noun {
        notes.push(format!(
            "the first line ({}) was read as an ID; if it is a column name, use --header yes",
            shown(first)
        ));
    }
    let column = names.get(place).filter(|_| header).cloned();
    let header = samples.lines.first().filter(|_| header);
    Ok(Decision {
        header: header.map(|sample| HeaderLine { line: sample.line, text: shown(&sample.text) }),
        columns: vec![column.unwrap_or_else(|| format!("field {}", place + 1))],
        notes,
        syntax: Syntax {
            header: header.map(|sample| sample.text.clone()),
            ..Syntax::of(split, [place, place], ids, options)
        },
    })
}

/// Returns true if the first line names columns, one of them an ID column, or has no number in a field where the next
/// line has one.
fn is_header(names: &[String], samples: &Samples, split: Split, kind: Option<IdKind>) -> bool {
    if names.iter().any(|name| begins_like_a_number(name.as_bytes())) {
        return false;
    }
    let next = samples.lines.get(1).map(|sample| fields(&sample.text, split));
    let mut numbers = next.iter().flatten().take(names.len()).enumerate().filter(|(_, field)| is_number(field));
    names.iter().any(|name| names_vertices(name)) || numbers.any(|(place, _)| place > 0 || kind != Some(IdKind::Text))
}

/// Returns the split of a vertex list with string IDs: fields in tables; otherwise each line is an ID, since names
/// contain blanks and commas.
fn split_of_names(name: &str, guess: Split, header: bool, options: &EdgeListOptions) -> Split {
    let table = is_table(name) || header || options.separator != Separator::Auto;
    if guess == Split::At(b'\t') || table && (guess != Split::Blanks || options.separator != Separator::Auto) {
        guess
    } else {
        Split::WHOLE_LINE
    }
}
