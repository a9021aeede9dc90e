//! Ids from Python.

use outcrop::{IdBatch, IdKind};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Ids as numbers of eight bytes, or as texts; `values.py` makes them of all that Python has as ids.
#[derive(FromPyObject)]
pub(crate) enum Ids {
    /// Numbers, one after the other.
    Numbers(PyBackedBytes),
    /// Texts, of which some may be numbers.
    Texts(Vec<String>),
}

impl Ids {
    pub(crate) const fn kind(&self) -> IdKind {
        match self {
            Self::Numbers(_) => IdKind::Integer,
            Self::Texts(_) => IdKind::Text,
        }
    }

    fn numbers(bytes: &PyBackedBytes) -> impl Iterator<Item = u64> {
        bytes.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes))
    }

    /// The source and the target of each edge in turn; `None` if they are of two kinds or not as many.
    pub(crate) fn paired(sources: &Self, targets: &Self) -> Option<IdBatch> {
        match (sources, targets) {
            (Self::Numbers(sources), Self::Numbers(targets)) if sources.len() == targets.len() => {
                let pairs = Self::numbers(sources).zip(Self::numbers(targets));
                Some(IdBatch::Integers(pairs.flat_map(<[u64; 2]>::from).collect()))
            }
            (Self::Texts(sources), Self::Texts(targets)) if sources.len() == targets.len() => {
                Some(of_texts(sources.iter().zip(targets).flat_map(<[&String; 2]>::from)))
            }
            _ => None,
        }
    }
}

impl From<Ids> for IdBatch {
    fn from(ids: Ids) -> Self {
        match ids {
            Ids::Numbers(bytes) => Self::Integers(Ids::numbers(&bytes).collect()),
            Ids::Texts(texts) => of_texts(texts.iter()),
        }
    }
}

fn of_texts<'t>(texts: impl Iterator<Item = &'t String>) -> IdBatch {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        ends.push(bytes.len());
    }
    IdBatch::Texts { bytes, ends }
}
