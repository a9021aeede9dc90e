//! Decides from the first lines of a file how its lines are to be read.

use super::fields::{Field, Fields, Split, is_blank, shown};
use super::preface::Preface;
use crate::edges::options::{EdgeListOptions, Header, IdRule, OnError, Separator};
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, HeaderLine, Location, Result, TimeRule, WeightType};

pub(crate) const SOURCE_NAMES: &[&str] = &["source", "src", "from", "node1", "u", ":start_id"];
/// Names of the column of ids in a table of vertices.
pub(crate) const VERTEX_NAMES: &[&str] = &["node", "vertex", "id", "source", "src", "from"];
pub(crate) const TARGET_NAMES: &[&str] = &["target", "dst", "dest", "to", "node2", "v", ":end_id"];
/// Of these names, those that may as well be ids.
const SHORT_NAMES: &[&str] = &["u", "v"];
pub(crate) const WEIGHT_NAMES: &[&str] = &["weight", "w", "value", "wgt"];
pub(crate) const TIME_NAMES: &[&str] = &["time", "timestamp", "ts", "t", "date", "datetime", "unixts"];

/// Content of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Edges,
    Vertices,
}

/// Rules for reading the lines of one file.
#[derive(Clone, Debug)]
pub(crate) struct Syntax {
    pub(crate) split: Split,
    /// The first field of every line with an edge, where the format has one.
    pub(crate) tag: Option<u8>,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) weight_type: Option<WeightType>,
    /// Place of the time, and the rule by which it is read.
    pub(crate) time: Option<(usize, TimeRule)>,
    pub(crate) comments: Vec<u8>,
    pub(crate) ids: IdKind,
    pub(crate) smallest: u64,
    pub(crate) largest: u64,
    /// True if every edge but loops is given in both directions.
    pub(crate) mirror: bool,
    /// True if the kind of ids was guessed from the first line.
    pub(crate) guessed: bool,
    pub(crate) on_error: OnError,
}

/// The start of a line that is neither empty nor a comment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) line: u64,
    pub(crate) text: Vec<u8>,
}

/// True if a line is empty or a comment.
pub(crate) fn says_nothing(line: &[u8], comments: &[u8]) -> bool {
    line.iter().find(|byte| !is_blank(**byte) && **byte != b'\r').is_none_or(|first| comments.contains(first))
}

/// The syntax of a file, and what its account says of it.
pub(crate) struct Decision {
    pub(crate) syntax: Syntax,
    pub(crate) header: Option<HeaderLine>,
    pub(crate) columns: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Decides on the syntax of a file. `kind` is what earlier files decided.
pub(crate) fn decide(
    name: &str,
    listing: Listing,
    samples: &[Sample],
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Result<Decision> {
    let first = samples.first().map_or(&[][..], |sample| &sample.text);
    let guess = separator(first, options)?;
    let kind = options.ids.kind().or(kind);
    let header = has_header(name, listing, samples, options, guess, kind)?;
    let names = if header { names_of(first, guess) } else { Vec::new() };
    let location = || Location { file: name.to_owned(), line: samples.first().map(|s| s.line), column: None };
    let Places { ends: [source, target], weight, time } = places(listing, &names, options, &location)?;
    let loose = options.separator == Separator::Auto && guess == Split::At(b'\t') && !header && !is_tsv(name);
    let numbers_split = if loose { Split::Blanks } else { guess };
    let texts_split = match listing {
        Listing::Edges => guess,
        Listing::Vertices => split_of_names(name, guess, header, options),
    };
    let data = samples.get(usize::from(header)).map_or(&[][..], |sample| &sample.text);
    let numbers = || data.is_empty() || are_numbers(data, numbers_split, source, target);
    let ids = kind.unwrap_or_else(|| if numbers() { IdKind::Integer } else { IdKind::Text });
    let split = if ids == IdKind::Integer { numbers_split } else { texts_split };
    let end = (listing == Listing::Edges).then_some(target);
    let used = [Some(source), end, weight, time];
    let columns = used.into_iter().flatten().map(|place| column_name(&names, place)).collect();
    let mut notes = Vec::new();
    if listing == Listing::Edges && weight.is_none() {
        notes.extend(unused_weight(&names, data, split, &[Some(source), Some(target), time]));
    }
    if kind.is_none() && ids == IdKind::Text && quoted_numbers(data, split, source, target) {
        notes
            .push("ids are in quotes and so were taken as texts; --ids integer takes them as whole numbers".to_owned());
    }
    let time = time.map(|place| (place, options.times.unwrap_or_else(|| time_rule(data, split, place, options))));
    let syntax = Syntax {
        split,
        tag: None,
        source,
        target,
        weight,
        weight_type: options.weight_type,
        time,
        comments: options.comments.clone(),
        ids,
        smallest: 0,
        largest: options.ids.largest(),
        mirror: false,
        guessed: options.ids == IdRule::Auto,
        on_error: options.on_error,
    };
    let header = samples.first().filter(|_| header);
    let header = header.map(|sample| HeaderLine { line: sample.line, text: shown(&sample.text) });
    Ok(Decision { syntax, header, columns, notes })
}

/// Places in a line.
struct Places {
    ends: [usize; 2],
    weight: Option<usize>,
    time: Option<usize>,
}

/// The rule for times like that of the first edge; numbers where there is none.
fn time_rule(data: &[u8], split: Split, place: usize, options: &EdgeListOptions) -> TimeRule {
    let field = texts_of(data, split).into_iter().nth(place);
    TimeRule::of_sample(field.as_deref().unwrap_or("0"), options.time_unit)
}

/// The places of source, target, weight and time in a line.
fn places(
    listing: Listing,
    names: &[String],
    options: &EdgeListOptions,
    location: &dyn Fn() -> Location,
) -> Result<Places> {
    let asked = &options.columns;
    if listing == Listing::Vertices {
        let id = column(names, None, VERTEX_NAMES, &[], location)?;
        return Ok(Places { ends: [id, id], weight: None, time: None });
    }
    let source = column(names, asked.source.as_ref(), SOURCE_NAMES, &[], location)?;
    let target = column(names, asked.target.as_ref(), TARGET_NAMES, &[source], location)?;
    if source == target {
        return Err(Error::Usage("the source and the target of an edge cannot be one column".to_owned()));
    }
    let weight = || column(names, asked.weight.as_ref(), WEIGHT_NAMES, &[source, target], location);
    let weight = options.wants_weights().then(weight).transpose()?;
    let taken: Vec<usize> = [source, target].into_iter().chain(weight).collect();
    let time = || column(names, asked.time.as_ref(), TIME_NAMES, &taken, location);
    let time = options.wants_times().then(time).transpose()?;
    Ok(Places { ends: [source, target], weight, time })
}

/// A column as a message calls it.
fn column_name(names: &[String], place: usize) -> String {
    names.get(place).map_or_else(|| format!("field {}", place + 1), Clone::clone)
}

/// Tells of a column that looks like weights and is not read.
fn unused_weight(names: &[String], data: &[u8], split: Split, used: &[Option<usize>]) -> Option<String> {
    let fields: Vec<_> = Fields::new(data, split).map_while(|field| field.ok().map(|field| field.text)).collect();
    let by_name = names.iter().position(|name| WEIGHT_NAMES.contains(&name.as_str()));
    let third = || (fields.len() == 3).then(|| (0..3).find(|place| !used.contains(&Some(*place)))).flatten();
    let place = by_name.or_else(third).filter(|place| !used.contains(&Some(*place)))?;
    let field = fields.get(place).filter(|field| is_number(field))?;
    let column = column_name(names, place);
    Some(format!("{column} ({}) is a number and was not read; --weighted reads it as the weight", shown(field)))
}

/// The syntax of a file with a preface.
pub(crate) fn of_preface(preface: &Preface, options: &EdgeListOptions) -> Syntax {
    let first = usize::from(preface.tag.is_some());
    Syntax {
        split: Split::Blanks,
        tag: preface.tag,
        source: first,
        target: first + 1,
        weight: options.wants_weights().then_some(first + 2),
        weight_type: options.weight_type,
        time: None,
        comments: preface.comments.to_vec(),
        ids: IdKind::Integer,
        smallest: 1,
        largest: preface.vertices.min(options.ids.largest()),
        mirror: !preface.directed && options.directed == Some(true),
        guessed: false,
        on_error: options.on_error,
    }
}

fn separator(first: &[u8], options: &EdgeListOptions) -> Result<Split> {
    match options.separator {
        Separator::Char(' ') => Ok(Split::Blanks),
        Separator::Char(character) => match u8::try_from(character) {
            Ok(byte) if byte == b'\t' || (byte.is_ascii_punctuation() && !b"\"'.-+_".contains(&byte)) => {
                Ok(Split::At(byte))
            }
            _ => Err(Error::Usage(format!(
                "{character:?} cannot separate fields; choose a tab, a space or a sign such as , ; | :"
            ))),
        },
        Separator::Auto => {
            let first = first.trim_ascii_start();
            Ok(b"\t,;|".iter().find(|byte| first.contains(byte)).map_or(Split::Blanks, |byte| Split::At(*byte)))
        }
    }
}

fn has_header(
    name: &str,
    listing: Listing,
    samples: &[Sample],
    options: &EdgeListOptions,
    split: Split,
    kind: Option<IdKind>,
) -> Result<bool> {
    let named = options.columns.any() && listing == Listing::Edges;
    match options.header {
        Header::No if named => {
            Err(Error::Usage("columns were asked for by name, and a file without a header has no names".to_owned()))
        }
        Header::No => Ok(false),
        Header::Yes => Ok(true),
        Header::Auto if named => Ok(true),
        Header::Auto => Ok(looks_like_header(name, listing, samples, split, kind)),
    }
}

/// True if the first line names columns: none of its fields begins like a number, and the next line has numbers where it has none, or its
/// names are known.
fn looks_like_header(name: &str, listing: Listing, samples: &[Sample], split: Split, kind: Option<IdKind>) -> bool {
    let [first, rest @ ..] = samples else { return false };
    let fields = texts_of(&first.text, split);
    if fields.iter().any(|field| begins_like_a_number(field.as_bytes())) {
        return false;
    }
    let names = names_of(&first.text, split);
    let has = |known: &[&str]| {
        names.iter().any(|name| known.contains(&name.as_str()) && !SHORT_NAMES.contains(&name.as_str()))
    };
    if listing == Listing::Edges && has(SOURCE_NAMES) && has(TARGET_NAMES) {
        return true;
    }
    // Default: a file of one line has no next.
    let next = rest.first().map(|sample| texts_of(&sample.text, split)).unwrap_or_default();
    let numbers = || next.iter().zip(&fields).enumerate().filter(|(_, (field, _))| is_number(field.as_bytes()));
    match listing {
        // Texts as ids may look like numbers in one line and not in another.
        Listing::Edges if kind == Some(IdKind::Text) => numbers().any(|(place, _)| place > 1),
        Listing::Edges => numbers().next().is_some(),
        Listing::Vertices if !is_table(name) => false,
        Listing::Vertices if has(VERTEX_NAMES) => true,
        Listing::Vertices => numbers().any(|(place, _)| place > 0 || kind != Some(IdKind::Text)),
    }
}

fn texts_of(line: &[u8], split: Split) -> Vec<String> {
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    Fields::new(line, split).map_while(|field| field.ok().map(|field| text(&field.text))).collect()
}

fn begins_like_a_number(field: &[u8]) -> bool {
    let unsigned = field.strip_prefix(b"-").or_else(|| field.strip_prefix(b"+")).unwrap_or(field);
    let digits = unsigned.strip_prefix(b".").unwrap_or(unsigned);
    digits.first().is_some_and(u8::is_ascii_digit)
}

/// True if a field is a number of any kind.
fn is_number(field: &[u8]) -> bool {
    let number = || std::str::from_utf8(field).ok()?.parse::<f64>().ok();
    begins_like_a_number(field) && number().is_some()
}

fn names_of(line: &[u8], split: Split) -> Vec<String> {
    texts_of(line, split).into_iter().map(|name| name.to_lowercase()).collect()
}

/// The place of a column: asked for by name, known by its name, or the first that is not taken.
pub(crate) fn column(
    columns: &[String],
    asked: Option<&String>,
    known: &[&str],
    taken: &[usize],
    location: &dyn Fn() -> Location,
) -> Result<usize> {
    if let Some(name) = asked {
        let found = columns.iter().position(|column| *column == name.to_lowercase());
        return found.map_or_else(|| Err(missing_column(columns, name, location())), Ok);
    }
    let by_name = columns.iter().position(|column| known.contains(&column.as_str()));
    Ok(by_name.or_else(|| (0..taken.len()).find(|place| !taken.contains(place))).unwrap_or(taken.len()))
}

fn missing_column(columns: &[String], name: &str, location: Location) -> Error {
    let found = if columns.is_empty() { "nothing".to_owned() } else { columns.join(", ") };
    Error::bad_input(location, format!("found the columns {found}, expected one named {name}"))
}

/// The ids of a line that are there.
fn ids_of(line: &[u8], split: Split, source: usize, target: usize) -> Vec<Field<'_>> {
    let fields = Fields::new(line, split).map_while(Result::ok).enumerate();
    let ends = fields.filter(|(place, _)| *place == source || *place == target).map(|(_, field)| field);
    ends.filter(|field| field.quoted || !field.text.is_empty()).collect()
}

/// True if the ids of a line are numbers: then they must be whole ones, and others are refused at their place. A missing one is refused
/// likewise. What is in quotes is a text.
fn are_numbers(line: &[u8], split: Split, source: usize, target: usize) -> bool {
    let ends = ids_of(line, split, source, target);
    !ends.is_empty() && ends.iter().all(|field| !field.quoted && is_number(&field.text))
}

/// True if the ids of a line would be numbers without their quotes.
fn quoted_numbers(line: &[u8], split: Split, source: usize, target: usize) -> bool {
    let ends = ids_of(line, split, source, target);
    !ends.is_empty() && ends.iter().all(|field| is_number(&field.text)) && ends.iter().any(|field| field.quoted)
}

/// The split of a list of vertices with texts as ids: fields in tables, else a line is an id, as names have blanks and commas.
fn split_of_names(name: &str, guess: Split, header: bool, options: &EdgeListOptions) -> Split {
    let table = is_table(name) || header || options.separator != Separator::Auto;
    if guess == Split::At(b'\t') || table && (guess != Split::Blanks || options.separator != Separator::Auto) {
        guess
    } else {
        Split::WHOLE_LINE
    }
}

fn plain_name(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

fn is_tsv(name: &str) -> bool {
    plain_name(name).ends_with(".tsv")
}

fn is_table(name: &str) -> bool {
    is_tsv(name) || plain_name(name).ends_with(".csv")
}
