//! Decides from the first lines of a file how its lines are to be read.

use super::fields::{Fields, Split, is_blank};
use crate::edges::options::{EdgeListOptions, Header, IdRule, OnError, Separator};
use outcrop_store::build::IdKind;
use outcrop_types::{Error, Location, Result};

pub(crate) const SOURCE_NAMES: &[&str] = &["source", "src", "from", "u", ":start_id"];
pub(crate) const TARGET_NAMES: &[&str] = &["target", "dst", "dest", "to", "v", ":end_id"];
pub(crate) const WEIGHT_NAMES: &[&str] = &["weight", "w", "value", "wgt"];

/// What a text lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Edges,
    Vertices,
}

/// How the lines of one file are read.
#[derive(Clone, Debug)]
pub(crate) struct Syntax {
    pub(crate) split: Split,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) comments: Vec<u8>,
    pub(crate) ids: IdKind,
    pub(crate) largest: u64,
    /// Whether the kind of ids was guessed from the first line.
    pub(crate) guessed: bool,
    pub(crate) on_error: OnError,
}

/// A file that is being read, for messages, and how.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) syntax: Syntax,
}

/// The start of a line that is neither empty nor a comment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) line: u64,
    pub(crate) text: Vec<u8>,
}

/// Whether a line is empty or a comment.
pub(crate) fn says_nothing(line: &[u8], comments: &[u8]) -> bool {
    line.iter().find(|byte| !is_blank(**byte) && **byte != b'\r').is_none_or(|first| comments.contains(first))
}

/// Decides on the syntax of a file; `true` where its first line is a header. `kind` is what earlier files decided.
pub(crate) fn decide(
    name: &str,
    listing: Listing,
    samples: &[Sample],
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Result<(Syntax, bool)> {
    let first = samples.first().map_or(&[][..], |sample| &sample.text);
    let guess = separator(first, options)?;
    let header = has_header(name, listing, samples, options, guess)?;
    let columns = if header { names_of(first, guess) } else { Vec::new() };
    let location = || Location { file: name.to_owned(), line: samples.first().map(|s| s.line), column: None };
    let source = column(&columns, options.columns.source.as_ref(), SOURCE_NAMES, &[], &location)?;
    let target = match listing {
        Listing::Edges => column(&columns, options.columns.target.as_ref(), TARGET_NAMES, &[source], &location)?,
        Listing::Vertices => source,
    };
    if listing == Listing::Edges && source == target {
        return Err(Error::Usage("the source and the target of an edge cannot be one column".to_owned()));
    }
    let weight = if listing == Listing::Edges && options.wants_weights() {
        let taken = [source, target];
        Some(column(&columns, options.columns.weight.as_ref(), WEIGHT_NAMES, &taken, &location)?)
    } else {
        None
    };
    let loose = options.separator == Separator::Auto && guess == Split::At(b'\t') && !header && !is_tsv(name);
    let numbers_split = if loose { Split::Blanks } else { guess };
    let data = samples.get(usize::from(header)).map_or(&[][..], |sample| &sample.text);
    let (ids, largest) = match (options.ids, kind) {
        (IdRule::Integer { largest }, _) => (IdKind::Integer, largest.unwrap_or(u64::MAX)),
        (IdRule::Text, _) => (IdKind::Text, u64::MAX),
        (IdRule::Auto, Some(kind)) => (kind, u64::MAX),
        (IdRule::Auto, None) if data.is_empty() || whole_numbers(data, numbers_split, source, target) => {
            (IdKind::Integer, u64::MAX)
        }
        (IdRule::Auto, None) => (IdKind::Text, u64::MAX),
    };
    let split = if ids == IdKind::Integer { numbers_split } else { guess };
    let guessed = options.ids == IdRule::Auto;
    let (comments, on_error) = (options.comments.clone(), options.on_error);
    Ok((Syntax { split, source, target, weight, comments, ids, largest, guessed, on_error }, header))
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
) -> Result<bool> {
    let named = options.columns.any() && listing == Listing::Edges;
    match options.header {
        Header::No if named => {
            Err(Error::Usage("columns were asked for by name, and a file without a header has no names".to_owned()))
        }
        Header::No => Ok(false),
        Header::Yes => Ok(true),
        Header::Auto if named => Ok(true),
        Header::Auto => Ok(looks_like_header(name, listing, samples, split)),
    }
}

fn looks_like_header(name: &str, listing: Listing, samples: &[Sample], split: Split) -> bool {
    let [first, rest @ ..] = samples else { return false };
    let names = names_of(&first.text, split);
    let has = |known: &[&str]| names.iter().any(|name| known.contains(&name.as_str()));
    if listing == Listing::Edges && has(SOURCE_NAMES) && has(TARGET_NAMES) {
        return true;
    }
    let target = usize::from(listing == Listing::Edges);
    let numbers = |sample: &Sample| whole_numbers(&sample.text, split, 0, target);
    is_table(name) && !numbers(first) && rest.first().is_some_and(numbers)
}

fn names_of(line: &[u8], split: Split) -> Vec<String> {
    let name = |field: &[u8]| String::from_utf8_lossy(field).to_lowercase();
    Fields::new(line, split).map_while(|field| field.ok().map(|field| name(&field.text))).collect()
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
    Ok(by_name.or_else(|| (0..).find(|place| !taken.contains(place))).unwrap_or_default())
}

fn missing_column(columns: &[String], name: &str, location: Location) -> Error {
    let found = if columns.is_empty() { "nothing".to_owned() } else { columns.join(", ") };
    Error::bad_input(location, format!("found the columns {found}, expected one named {name}"))
}

fn whole_numbers(line: &[u8], split: Split, source: usize, target: usize) -> bool {
    let mut seen = 0;
    let fields = Fields::new(line, split).take(source.max(target) + 1).enumerate();
    for (place, field) in fields {
        let Ok(field) = field else { return false };
        if place == source || place == target {
            seen += usize::from(super::line::whole_number(&field.text).is_some());
        }
    }
    seen == if source == target { 1 } else { 2 }
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
