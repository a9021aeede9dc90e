//! Detection of matrices, adjacency lists and size statements by the numbers and lengths of lines.

use super::header::counts;
use super::rows::{Row, Rows, begins_like_a_number, is_decimal, is_number, is_whole, whole};
use super::samples;
use crate::edges::options::{EdgeListOptions, OnError};
use crate::edges::roles::names_ends;
use crate::edges::text::fields::{is_blank, shown};
use crate::edges::text::line::begins_like_a_comment;
use outcrop_types::{Error, Location, Result, TimeKind};
use std::borrow::Cow;
use std::collections::HashSet;

/// Maximum count of numbers on the line of an edge.
const MOST_NUMBERS: usize = 8;

/// Number of edges from which a matching first line is certainly a size statement.
const NO_ACCIDENT: u64 = 20;

/// Advice for matrices.
const OF_MATRIX: &str = "write one line `ROW COLUMN VALUE` per nonzero entry, or build from the array in Python";

/// Refuses lines that are not edges, with or without a header above.
pub(super) fn check_all(rows: &Rows<'_>, options: &EdgeListOptions) -> Result<()> {
    refuse_comments(rows, options)?;
    refuse_labels(rows)
}

/// Refuses lines that start like comments of other languages, unless most lines do.
fn refuse_comments(rows: &Rows<'_>, options: &EdgeListOptions) -> Result<()> {
    let odd = |row: &usize| rows.sample(*row).is_some_and(begins_like_a_comment);
    let all = rows.rows.len();
    let Some(row) = (0..all).find(odd).filter(|_| options.on_error == OnError::Stop) else { return Ok(()) };
    let text = rows.sample(row).unwrap_or(&[]);
    if all > 1 && 2 * (0..all).filter(odd).count() > all {
        return Ok(());
    }
    let sign = char::from(text.first().copied().unwrap_or(b'/'));
    let advice = format!("drop it, or use --comments '#%{sign}'");
    Err(other_shape(rows.location(row), &format!("a line that begins like a comment ({})", shown(text)), &advice))
}

/// Refuses a matrix whose first line has column names.
fn refuse_labels(rows: &Rows<'_>) -> Result<()> {
    let [first, rest @ ..] = rows.rows.as_slice() else { return Ok(()) };
    let width = rest.first().map_or(0, Vec::len);
    // Numbers in a first line as long as the others are edges or entries.
    let named = || first.first().is_some_and(|corner| !is_number(corner));
    let labels = match first.len() {
        length if length == width && named() => first.get(1..).unwrap_or(&[]),
        length if length + 1 == width => first.as_slice(),
        _ => return Ok(()),
    };
    let fits = |(row, label): (&Row<'_>, &Cow<'_, [u8]>)| {
        row.len() == width
            && row.first() == Some(label)
            && row[1..].iter().all(|field| field.is_empty() || is_number(field) || is_decimal(field))
    };
    let all = if rows.whole() { rest.len() == labels.len() } else { rest.len() <= labels.len() };
    let body = || -> Vec<Row<'_>> {
        rest.iter()
            .map(|row| row[row.len().saturating_sub(labels_of_columns(first, rest, width).len())..].to_vec())
            .collect()
    };
    let names: Vec<String> = first.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let edges = names_ends(&names.iter().map(String::as_str).collect::<Vec<_>>(), false).is_some();
    let square = |columns: usize| columns > 2 && rest.len() == columns && rest.iter().all(|row| row.len() == width);
    if labels.len() > 1 && all && rest.iter().zip(labels).all(fits)
        || !edges && square(labels_of_columns(first, rest, width).len()) && is_matrix(&body())
    {
        return Err(other_shape(rows.location(0), "a matrix with labels", OF_MATRIX));
    }
    Ok(())
}

/// Returns the names of numeric columns: the first line without the corner above the row names.
fn labels_of_columns<'r, 's>(first: &'r Row<'s>, rest: &[Row<'_>], width: usize) -> &'r [Cow<'s, [u8]>] {
    let corner = |corner: &Cow<'_, [u8]>| {
        corner.is_empty()
            || !is_number(corner) && !rest.iter().any(|row| row.first().is_none_or(|name| is_number(name)))
    };
    let corner = first.len() == width && first.first().is_some_and(corner);
    &first[usize::from(corner)..]
}

/// Notes on lines that may not be edges.
#[derive(Default)]
pub(super) struct ShapeNotes {
    pub(super) notes: Vec<String>,
    /// True if one of the notes names the unread fields.
    pub(super) tells_unread: bool,
}

/// Refuses lines without a header that are not edges; adds notes if they may be.
pub(super) fn check(rows: &Rows<'_>, options: &EdgeListOptions) -> Result<ShapeNotes> {
    let all = rows.rows.as_slice();
    let [first, rest @ ..] = all else { return Ok(ShapeNotes::default()) };
    let lone = all.iter().any(|row| row.len() < 2);
    brackets(rows)?;
    named_fields(rows)?;
    two_separators(rows)?;
    let mut notes: Vec<String> = triples(rows)?.into_iter().collect();
    let mut tells_unread = !notes.is_empty();
    if is_metis(first, rest, rows.whole()) {
        return Err(other_shape(rows.location(0), "a METIS graph", "use --format metis"));
    }
    if is_sized_matrix(first, rest, rows.whole()) {
        let found = format!("a size line ({}) as in Matrix Market", text_of(first));
        let advice = "drop that line, or add `%%MatrixMarket matrix coordinate pattern general` as first line";
        return Err(other_shape(rows.location(0), &found, advice));
    }
    if is_matrix(all) {
        return Err(other_shape(rows.location(0), "a matrix", OF_MATRIX));
    }
    match sizes(first, rest, rows.whole()) {
        Some(true) => {
            let found = format!("a line with the numbers of vertices and edges ({})", text_of(first));
            return Err(other_shape(rows.location(0), &found, "drop that line"));
        }
        Some(false) => notes.push(format!(
            "line {} ({}) was read as an edge; if it states the numbers of vertices and edges, drop it",
            rows.line_of_data(0),
            text_of(first)
        )),
        None => {}
    }
    if !lone || options.on_error == OnError::Stop {
        adjacency(rows)?;
    }
    let date = |field: &[u8]| {
        std::str::from_utf8(field).is_ok_and(|text| field.len() > 7 && TimeKind::Instant.parse(text).is_ok())
    };
    if all.iter().all(|row| row.iter().take(2).any(|field| date(field))) || begins_with_times(all) {
        let advice = "add a header with column names such as `time`, `source` and `target`";
        return Err(other_shape(rows.location(0), "a time in place of an endpoint", advice));
    }
    let decimal = |row: &Row<'_>| row.len() == 2 && !is_number(&row[0]) && is_number(&row[1]) && row[1].contains(&b'.');
    if all.iter().all(decimal) {
        notes.push(format!("field 2 ({}) is a decimal number and was read as the target", shown(&first[1])));
    }
    let braces = all.iter().all(|row| row.get(2).is_some_and(|field| field.starts_with(b"{")));
    if braces {
        if options.wants_weights() {
            let advice = "write the weights as a third field: `networkx.write_weighted_edgelist(G, FILE)`";
            return Err(other_shape(rows.location(0), "a Python dict as data of an edge", advice));
        }
        notes.push("the data in braces after the endpoints was not read".to_owned());
        tells_unread = true;
    }
    let numbers = |row: &Row<'_>| row.len() > 2 && row[..3].iter().all(|field| is_whole(field));
    if all.len() > 2 && all.iter().all(numbers) && counts(all) && share_ids(all) {
        notes.push(format!(
            "field 1 counts the lines ({}, {}, ...) and was read as the source; if it is a row number, drop it, or add a header and use --source-column and --target-column",
            text_of(&first[..1]),
            text_of(&rest[0][..1]),
        ));
    }
    Ok(ShapeNotes { notes, tells_unread })
}

/// Returns true if fields 2 and 3 look like the two ends of an edge: both have several values, and most values of field
/// 3 also occur in field 2.
fn share_ids(all: &[Row<'_>]) -> bool {
    let column = |place: usize| all.iter().filter_map(|row| row.get(place)).map(|field| &**field).collect();
    let [second, third]: [HashSet<&[u8]>; 2] = [column(1), column(2)];
    third.len() > 1 && 2 * third.intersection(&second).count() >= third.len()
}

/// Returns true if a number may count seconds or milliseconds since 1970.
pub(super) fn is_unix_time(value: u64) -> bool {
    (500_000_000..5_000_000_000).contains(&value) || value / 1_000_000_000_000 == 1
}

/// Returns true if each line starts with a nondecreasing UNIX time, followed by two IDs of other magnitudes.
fn begins_with_times(all: &[Row<'_>]) -> bool {
    let numbers = |row: &Row<'_>| Some([whole(row.first()?)?, whole(row.get(1)?)?, whole(row.get(2)?)?]);
    let Some(rows) = all.iter().map(numbers).collect::<Option<Vec<_>>>() else { return false };
    let times = rows.iter().all(|[first, ids @ ..]| is_unix_time(*first) && !ids.iter().any(|id| is_unix_time(*id)));
    rows.len() > 1 && times && rows.is_sorted_by_key(|row| row[0]) && share_ids(all)
}

/// Refuses ends that contain numbers separated by another character: `0<TAB>1,2,3` split at commas, and `1,2 3,4`.
fn two_separators(rows: &Rows<'_>) -> Result<()> {
    let several = |field: &[u8]| {
        let words = || field.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty());
        words().count() > 1 && words().all(is_whole)
    };
    let all = rows.rows.as_slice();
    let inside = |place: &usize| all.iter().all(|row| row.get(*place).is_some_and(|field| several(field)));
    let Some(place) = (0..2).find(inside) else { return Ok(()) };
    let found = format!("two separators: {}, and a blank or tab in {}", rows.split.name(), shown(&all[0][place]));
    let advice =
        "use one separator; for a vertex and its neighbors, separate all by blanks and use --format adjacency-list";
    Err(other_shape(rows.location(0), &found, advice))
}

/// Refuses ends with an unbalanced bracket: fields were split within brackets, as in `edge(a, b)` and `(0, 1) (0, 2)`.
fn brackets(rows: &Rows<'_>) -> Result<()> {
    let open = |field: &[u8]| {
        let count = |sign: u8| memchr::memchr_iter(sign, field).count();
        [[b'(', b')'], [b'[', b']'], [b'{', b'}']].iter().any(|[open, close]| count(*open) != count(*close))
            || field.starts_with(b"<") != field.ends_with(b">")
    };
    let cut = |row: &Row<'_>| row.iter().take(2).any(|field| open(field));
    if 2 * rows.rows.iter().filter(|row| cut(row)).count() <= rows.rows.len() {
        return Ok(());
    }
    let place = rows.rows.iter().position(cut).unwrap_or(0);
    let field = rows.rows[place].iter().find(|field| open(field)).map_or(&[][..], |field| &**field);
    if let Some(byte) = field.iter().find(|byte| byte.is_ascii_control()) {
        let found = format!("the control byte 0x{byte:02x} in a field ({})", shown(field));
        return Err(other_shape(rows.location(place), &found, "check that the file is text and not compressed"));
    }
    let found = format!(
        "a bracket that is not closed in a field ({}), as in Python tuples, calls and printed tables",
        shown(field)
    );
    let advice = "write the two IDs of each edge without brackets: `1 2` (for NetworkX tuples, use `networkx.convert_node_labels_to_integers`)";
    Err(other_shape(rows.location(place), &found, advice))
}

/// Refuses fields with embedded names: `source=a target=b`.
fn named_fields(rows: &Rows<'_>) -> Result<()> {
    let key = |row: &Row<'_>, place: usize| -> Option<Vec<u8>> {
        let field = row.get(place)?;
        let key = &field[..field.iter().position(|byte| *byte == b'=')?];
        (!key.is_empty() && key.iter().all(u8::is_ascii_alphabetic)).then(|| key.to_vec())
    };
    let all = rows.rows.as_slice();
    let same = |place: usize| {
        let first = all.first().and_then(|row| key(row, place));
        first.is_some() && all.iter().all(|row| key(row, place) == first)
    };
    if all.len() < 2 || !same(0) || !same(1) {
        return Ok(());
    }
    let found = format!("fields with names ({})", text_of(&all[0][..2]));
    Err(other_shape(rows.location(0), &found, "write the values only, below a header"))
}

/// Common relations in SIF files of Cytoscape.
const RELATIONS: [&[u8]; 10] = [b"pp", b"pd", b"pr", b"rc", b"cr", b"gl", b"pm", b"mp", b"dp", b"interacts-with"];

/// Refuses lines with a source, a relation and targets, detected by relations that are not vertices while targets are
/// also sources; returns a note on lines that may be such.
fn triples(rows: &Rows<'_>) -> Result<Option<String>> {
    let all = rows.rows.as_slice();
    let linked: Vec<&Row<'_>> = all.iter().filter(|row| row.len() > 2 && !row[2].is_empty()).collect();
    let lone = all.iter().filter(|row| row.len() == 1).count();
    let value = |field: &[u8]| field.is_empty() || begins_like_a_number(field) || field.starts_with(b"{");
    let Some(first) = linked.first().filter(|_| lone + linked.len() == all.len()) else { return Ok(None) };
    if linked.iter().any(|row| value(&row[1]) || row[2].starts_with(b"{")) {
        return Ok(None);
    }
    let column = |place: usize| linked.iter().map(|row| &*row[place]).collect::<HashSet<&[u8]>>();
    let [sources, relations, targets] = [column(0), column(1), column(2)];
    let apart = relations.is_disjoint(&sources) && relations.is_disjoint(&targets);
    let texts = !targets.iter().any(|target| value(target));
    let path = samples::plain_name(rows.name).to_lowercase();
    let surely = path.ends_with(".sif") || relations.iter().all(|relation| RELATIONS.contains(relation));
    if surely || apart && texts && linked.len() > 1 && !sources.is_disjoint(&targets) {
        let advice = if all.iter().all(|row| row.len() == 3) {
            "add a header with the column names `source`, `relation` and `target`, separated like the other lines"
        } else {
            "drop the relation: `awk '{for (i = 3; i <= NF; i++) print $1\"\\t\"$i}' FILE`"
        };
        return Err(other_shape(
            rows.location(0),
            "sources, relations and targets, as in SIF files and knowledge graphs",
            advice,
        ));
    }
    if texts && linked.len() > 1 && sources.len() == 1 && !relations.is_disjoint(&targets) {
        let found = format!("the same word at the beginning of all lines ({})", shown(&first[0]));
        return Err(other_shape(rows.location(0), &found, "drop the first field"));
    }
    let whole = sources.iter().chain(&targets).all(|id| is_whole(id));
    let doubtful = apart && (texts || whole) && all.iter().all(|row| row.len() == 3);
    Ok(doubtful.then(|| {
        format!(
            "field 2 ({}) was read as the target, and field 3 ({}) was not read; if field 2 is a relation, add the header `source`, `relation` and `target`",
            shown(&first[1]),
            shown(&first[2])
        )
    }))
}

/// Refuses lines with a vertex and a field of neighbors that another character separates; returns a note on lines that
/// may be such.
pub(super) fn lists_in_fields(rows: &Rows<'_>) -> Result<Option<String>> {
    let all = rows.data();
    if all.iter().any(|row| row.len() != 2) {
        return Ok(None);
    }
    let parts = |row: &Row<'_>, sign: u8| -> Vec<Vec<u8>> {
        let bare = |part: &[u8]| {
            let signs = |byte: &&u8| !b"[](){}\"' ".contains(*byte);
            let from = part.iter().position(|byte| signs(&byte)).unwrap_or(part.len());
            let to = part.iter().rposition(|byte| signs(&byte)).map_or(from, |last| last + 1);
            part[from..to].to_vec()
        };
        row[1].split(|byte| *byte == sign).map(bare).filter(|part| !part.is_empty()).collect()
    };
    let ids: HashSet<&[u8]> = all.iter().flatten().map(|field| &**field).collect();
    let mut note = None;
    for sign in *b",;| " {
        let lists: Vec<Vec<Vec<u8>>> = all.iter().map(|row| parts(row, sign)).collect();
        let Some(place) = lists.iter().position(|list| list.len() > 1) else { continue };
        let several = || lists.iter().filter(|list| list.len() > 1).flatten();
        let known = several().filter(|id| ids.contains(id.as_slice())).count();
        let numbers = all.iter().all(|row| is_whole(&row[0])) && lists.iter().flatten().all(|id| is_whole(id));
        let of_targets = lists.iter().filter(|list| list.len() > 1).count();
        if numbers || 4 * of_targets >= all.len() && 2 * known >= several().count() {
            let found = format!("a field with several IDs ({}), as in adjacency lists", shown(&all[place][1]));
            let advice = "separate all IDs by blanks and use --format adjacency-list";
            let line = Some(rows.line_of_data(place));
            return Err(other_shape(Location { line, ..rows.location(0) }, &found, advice));
        }
        if sign != b' ' && 2 * of_targets > all.len() && !all.iter().any(|row| row[0].contains(&sign)) {
            note = Some(format!(
                "field 2 ({}) was read as one ID; if it lists neighbors, separate all IDs by blanks and use --format adjacency-list",
                shown(&all[place][1])
            ));
        }
    }
    Ok(note)
}

fn text_of(row: &[Cow<'_, [u8]>]) -> String {
    shown(&row.join(&b' '))
}

/// Returns a note on lines of different lengths: without a header, fields beyond the shortest line are not read.
pub(super) fn different_lengths(rows: &Rows<'_>, headed: bool) -> Option<String> {
    let data = rows.data();
    let length = |row: &Row<'_>| row.len() - row.iter().rev().take_while(|field| field.is_empty()).count();
    let first = length(data.first()?);
    let braces = data.iter().all(|row| row.get(2).is_some_and(|field| field.starts_with(b"{")));
    let other = data.iter().position(|row| length(row) != first && row.len() > 1)?;
    let columns = if headed { "the columns of edges were read" } else { "the first two were read as the endpoints" };
    (!braces).then(|| {
        format!(
            "lines have different numbers of fields: line {} has {first}, line {} has {}; {columns}",
            rows.line_of_data(0),
            rows.line_of_data(other),
            length(&data[other]),
        )
    })
}

fn numbers_of(row: &Row<'_>) -> Option<Vec<u64>> {
    row.iter().map(|field| whole(field)).collect()
}

/// Returns true for numbers of vertices and edges, then the neighbors of each vertex, with each edge on both of its
/// lines.
fn is_metis(first: &Row<'_>, rest: &[Row<'_>], whole: bool) -> bool {
    let (Some(head), Some(lists)) = (numbers_of(first), rest.iter().map(numbers_of).collect::<Option<Vec<_>>>()) else {
        return false;
    };
    let [vertices, edges] = head[..] else { return false };
    let entries: usize = lists.iter().map(Vec::len).sum();
    if !whole || lists.is_empty() || vertices != lists.len() as u64 || edges.checked_mul(2) != Some(entries as u64) {
        return false;
    }
    let lines: Vec<HashSet<u64>> = lists.into_iter().map(|list| list.into_iter().collect()).collect();
    let holds = |line: u64, vertex: u64| {
        line.checked_sub(1)
            .and_then(|place| lines.get(usize::try_from(place).ok()?))
            .is_some_and(|list| list.contains(&vertex))
    };
    (1..).zip(&lines).all(|(vertex, list)| list.iter().all(|neighbor| holds(*neighbor, vertex)))
}

/// Returns true for rows, columns and entries, then that number of entries.
fn is_sized_matrix(first: &Row<'_>, rest: &[Row<'_>], whole: bool) -> bool {
    let Some([rows, columns, entries]) = numbers_of(first).and_then(|sizes| <[u64; 3]>::try_from(sizes).ok()) else {
        return false;
    };
    let width = rest.first().map_or(0, Vec::len);
    let inside = |row: &Row<'_>| {
        let place =
            |at: usize, most: u64| row.get(at).and_then(|field| super::rows::whole(field)).is_some_and(|id| id <= most);
        row.len() == width && place(0, rows) && place(1, columns)
    };
    let count = rest.len() as u64;
    let counted = if whole { entries == count } else { entries > count && (rows == columns || width == 2) };
    // A weighted self-loop also has three numbers.
    let shape = width == 2 || (width == 3 && rows == columns);
    count > 0 && shape && counted && rest.iter().all(inside)
}

/// Returns true if the lines look like a matrix: as many numbers per line as there are lines, or more than an edge can
/// have.
fn is_matrix(all: &[Row<'_>]) -> bool {
    let width = all.first().map_or(0, Vec::len);
    if width < 3 || !all.iter().all(|row| row.len() == width && row.iter().all(|field| is_number(field))) {
        return false;
    }
    if width > MOST_NUMBERS {
        return true;
    }
    if all.len() != width {
        return false;
    }
    let zero = |field: &[u8]| field.iter().all(|byte| b"0.".contains(byte));
    let hollow = (0..width).all(|place| zero(&all[place][place]));
    let symmetric = (0..width).all(|row| (0..row).all(|column| all[row][column] == all[column][row]));
    let ones = all.iter().flatten().all(|field| zero(field) || matches!(&**field, b"1" | b"1.0"));
    if width == 3 { symmetric && (hollow || ones) } else { hollow || ones }
}

/// Detects a first line with the numbers of vertices and edges: returns true if certain, false if possible.
fn sizes(first: &Row<'_>, rest: &[Row<'_>], whole: bool) -> Option<bool> {
    let [vertices, edges] = <[u64; 2]>::try_from(numbers_of(first)?).ok()?;
    let width = rest.first().map_or(0, Vec::len);
    let end = |field: &Cow<'_, [u8]>| super::rows::whole(field).is_some_and(|id| id <= vertices);
    let inside = |row: &Row<'_>| row.len() == width && width > 1 && row[..2].iter().all(end);
    if rest.is_empty() || !rest.iter().all(inside) {
        return None;
    }
    let count = rest.len() as u64;
    match (width, whole) {
        (2, true) => (edges == count).then_some(count >= NO_ACCIDENT),
        (3, true) => (edges == count).then_some(true),
        (3, false) => (edges > count).then_some(true),
        _ => None,
    }
}

/// Refuses lines of different lengths that each have a vertex and its neighbors.
fn adjacency(rows: &Rows<'_>) -> Result<()> {
    let all = rows.rows.as_slice();
    let lengths = || all.iter().map(Vec::len);
    let (shortest, longest) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
    if shortest == longest || longest < 3 {
        return Ok(());
    }
    let firsts: HashSet<&[u8]> = all.iter().filter_map(|row| row.first()).map(|field| &**field).collect();
    let distinct = firsts.len() == all.len();
    let numbers = all.iter().flatten().all(|field| is_whole(field));
    let further = || all.iter().flat_map(|row| row.iter().skip(2));
    let known = further().filter(|field| firsts.contains(&***field)).count();
    let words = distinct && 2 * known >= further().count() && !further().any(|field| field.is_empty());
    if !(words || numbers && (distinct || longest > 3)) {
        return Ok(());
    }
    let other = all.iter().position(|row| row.len() != all[0].len()).unwrap_or(0);
    let found = format!(
        "lines with different numbers of fields (line {} has {}, line {} has {}), as in adjacency lists",
        rows.line_of_data(0),
        all[0].len(),
        rows.line_of_data(other),
        all[other].len()
    );
    Err(other_shape(rows.location(other), &found, "use --format adjacency-list to read a vertex and its neighbors"))
}

/// Returns the error for a line of another shape.
fn other_shape(location: Location, found: &str, advice: &str) -> Error {
    let message =
        format!("found {found}, expected one edge per line; {advice}; if each line is an edge, use --format edge-list");
    Error::bad_input(location, message)
}
