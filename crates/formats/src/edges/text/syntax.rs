//! Rules for reading the lines of a text.

use super::fields::{Split, is_blank};
use super::preface::Preface;
use crate::edges::options::{EdgeListOptions, IdRule, OnError};
use outcrop_store::writing::IdKind;
use outcrop_types::{TimeRule, WeightType};

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
    /// First field of every line with an edge, if the format has one.
    pub(crate) tag: Option<u8>,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) weight_type: Option<WeightType>,
    /// True if weights have a decimal comma.
    pub(crate) decimal_comma: bool,
    /// Position of the time, and the rule for reading it.
    pub(crate) time: Option<(usize, TimeRule)>,
    pub(crate) comments: Vec<u8>,
    /// Line that names the columns; repetitions are skipped.
    pub(crate) header: Option<Vec<u8>>,
    /// Number of fields in every line, without and with trailing empty ones, if known.
    pub(crate) width: Option<(usize, usize)>,
    pub(crate) ids: IdKind,
    pub(crate) smallest: u64,
    pub(crate) largest: u64,
    /// True if every edge except loops is returned in both directions.
    pub(crate) mirror: bool,
    /// True if the kind of IDs was guessed from the first line.
    pub(crate) guessed: bool,
    pub(crate) on_error: OnError,
}

impl Syntax {
    /// Returns the syntax of lines with only the two ends, as `options` request.
    pub(crate) fn of(split: Split, [source, target]: [usize; 2], ids: IdKind, options: &EdgeListOptions) -> Self {
        Self {
            split,
            tag: None,
            source,
            target,
            weight: None,
            weight_type: options.weight_type,
            decimal_comma: false,
            time: None,
            comments: options.comments.clone(),
            header: None,
            width: None,
            ids,
            smallest: 0,
            largest: options.ids.largest(),
            mirror: false,
            guessed: options.ids == IdRule::Auto,
            on_error: options.on_error,
        }
    }

    /// Returns the position of the last field to read.
    pub(crate) fn last(&self) -> usize {
        let further = [self.weight, self.time.map(|(place, _)| place)];
        further.into_iter().flatten().fold(self.source.max(self.target), usize::max)
    }

    /// Returns true if a line has no edge: it is empty, a comment, or a repeated header.
    pub(crate) fn passes_over(&self, line: &[u8]) -> bool {
        says_nothing(line, &self.comments) || self.repeats_header(line)
    }

    /// Returns true if a line names the same columns as the header, ignoring case.
    pub(crate) fn repeats_header(&self, line: &[u8]) -> bool {
        self.is_header_without(line, b" \r")
    }

    /// Returns true if a line is the header with different quotes: IDs may be quoted to distinguish them from column
    /// names.
    pub(crate) fn quotes_header(&self, line: &[u8]) -> bool {
        self.is_header_without(line, b"\"' \r")
    }

    fn is_header_without(&self, line: &[u8], signs: &[u8]) -> bool {
        fn plain<'t>(text: &'t [u8], signs: &'t [u8]) -> impl Iterator<Item = u8> + 't {
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            text.iter().filter(|byte| !signs.contains(byte)).map(u8::to_ascii_lowercase)
        }
        self.header.as_deref().is_some_and(|header| plain(header, signs).eq(plain(line, signs)))
    }

    /// Returns true if a line may have this number of fields, without and with trailing empty ones.
    pub(crate) fn fits(&self, filled: usize, all: usize) -> bool {
        self.width.is_none_or(|(least, most)| filled <= most && all >= least)
    }
}

/// Returns true if a line is empty or a comment.
pub(crate) fn says_nothing(line: &[u8], comments: &[u8]) -> bool {
    line.iter().find(|byte| !is_blank(**byte) && **byte != b'\r').is_none_or(|first| comments.contains(first))
}

/// Returns the syntax of a file with a preface.
pub(crate) fn of_preface(preface: &Preface, options: &EdgeListOptions) -> Syntax {
    let first = usize::from(preface.tag.is_some());
    Syntax {
        tag: preface.tag,
        weight: options.wants_weights().then_some(first + 2),
        comments: preface.comments.to_vec(),
        smallest: 1,
        // DIMACS lines have additional fields.
        width: preface.tag.is_none().then(|| 2 + usize::from(preface.weights.is_some())).map(|width| (width, width)),
        largest: preface.vertices.min(options.ids.largest()),
        mirror: !preface.directed && options.directed == Some(true),
        guessed: false,
        ..Syntax::of(Split::Blanks, [first, first + 1], IdKind::Integer, options)
    }
}
