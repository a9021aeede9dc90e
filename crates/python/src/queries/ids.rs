//! Ids that Python asks for.

use outcrop::IdBatch;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Ids as numbers of eight bytes, or as texts.
#[derive(FromPyObject)]
pub(crate) enum Ids {
    /// Numbers, one after the other.
    Numbers(PyBackedBytes),
    /// Texts, of which some may be numbers.
    Texts(Vec<String>),
}

impl From<Ids> for IdBatch {
    fn from(ids: Ids) -> Self {
        match ids {
            Ids::Numbers(bytes) => {
                Self::Integers(bytes.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect())
            }
            Ids::Texts(texts) => {
                let ends = texts.iter().scan(0, |end, text| {
                    *end += text.len();
                    Some(*end)
                });
                Self::Texts { ends: ends.collect(), bytes: texts.concat().into_bytes() }
            }
        }
    }
}
