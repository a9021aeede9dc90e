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
    /// The first field of every line with an edge, where the format has one.
    pub(crate) tag: Option<u8>,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) weight_type: Option<WeightType>,
    /// True if weights have a comma where others have a point.
    pub(crate) decimal_comma: bool,
    /// Place of the time, and the rule by which it is read.
    pub(crate) time: Option<(usize, TimeRule)>,
    pub(crate) comments: Vec<u8>,
    /// The line that names the columns; it is passed over where it comes again.
    pub(crate) header: Option<Vec<u8>>,
    pub(crate) ids: IdKind,
    pub(crate) smallest: u64,
    pub(crate) largest: u64,
    /// True if every edge but loops is given in both directions.
    pub(crate) mirror: bool,
    /// True if the kind of ids was guessed from the first line.
    pub(crate) guessed: bool,
    pub(crate) on_error: OnError,
}

impl Syntax {
    /// Lines with both ends and nothing else, as `options` ask for them.
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
            ids,
            smallest: 0,
            largest: options.ids.largest(),
            mirror: false,
            guessed: options.ids == IdRule::Auto,
            on_error: options.on_error,
        }
    }

    /// True if a line has no edge: it is empty, a comment, or the header once more.
    pub(crate) fn passes_over(&self, line: &[u8]) -> bool {
        says_nothing(line, &self.comments) || self.header.as_deref() == Some(line)
    }
}

/// True if a line is empty or a comment.
pub(crate) fn says_nothing(line: &[u8], comments: &[u8]) -> bool {
    line.iter().find(|byte| !is_blank(**byte) && **byte != b'\r').is_none_or(|first| comments.contains(first))
}

/// The syntax of a file with a preface.
pub(crate) fn of_preface(preface: &Preface, options: &EdgeListOptions) -> Syntax {
    let first = usize::from(preface.tag.is_some());
    Syntax {
        tag: preface.tag,
        weight: options.wants_weights().then_some(first + 2),
        comments: preface.comments.to_vec(),
        smallest: 1,
        largest: preface.vertices.min(options.ids.largest()),
        mirror: !preface.directed && options.directed == Some(true),
        guessed: false,
        ..Syntax::of(Split::Blanks, [first, first + 1], IdKind::Integer, options)
    }
}
