//! Detection of the syntax of a file from its first lines.

mod edges;
mod header;
mod rows;
mod samples;
mod separator;
mod shape;
mod vertices;

use super::syntax::Listing;
use crate::edges::options::EdgeListOptions;
use outcrop_store::writing::IdKind;
use outcrop_types::Result;

pub(crate) use samples::{Decision, Sample, Samples};

/// Determines the syntax of a file. `kind` is the kind of IDs set by earlier files.
pub(crate) fn decide(
    name: &str,
    listing: Listing,
    samples: &Samples,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
) -> Result<Decision> {
    let kind = options.ids.kind().or(kind);
    match listing {
        Listing::Edges => edges::decide(name, samples, options, kind),
        Listing::Vertices => vertices::decide(name, samples, options, kind),
    }
}
