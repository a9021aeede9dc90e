//! From the user's ids to vertices.

use crate::request::RunRequest;
use outcrop_formats::vector::{NodeKey, read_node_weights};
use outcrop_io::IoChoice;
use outcrop_store::{OriginalIdReader, OriginalIds, Store};
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, VertexId};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Where random jumps of PageRank lead.
#[derive(Clone, Debug, PartialEq)]
pub enum Personalization {
    /// A `.csv` or `.tsv` file with an id and a weight a line.
    File(PathBuf),
    /// Ids as text, and their weights.
    Weights(Vec<(String, f64)>),
}

impl Personalization {
    pub(crate) fn describe(&self) -> Value {
        match self {
            Self::File(path) => json!(path.display().to_string()),
            Self::Weights(weights) => json!(format!("{} weights", weights.len())),
        }
    }
}

/// The vertices that a request names.
pub(crate) struct NamedVertices {
    pub(crate) sources: Vec<VertexId>,
    pub(crate) personalization: Option<Vec<(VertexId, f64)>>,
    _held: Option<Reservation>,
}

impl NamedVertices {
    /// Memory of the weights that `request` itself lists, in bytes; how many a file lists is not known before it is read.
    pub(crate) fn planned_bytes(request: &RunRequest) -> u64 {
        match &request.personalization {
            Some(Personalization::Weights(weights)) => bytes_of(weights.len()),
            _ => 0,
        }
    }

    /// Looks up all ids of `request`.
    pub(crate) fn find(request: &RunRequest, store: &Store, io: IoChoice, budget: &MemoryBudget) -> Result<Self> {
        let _readers = budget.reserve(OriginalIdReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut ids = OriginalIdReader::open(store, io)?;
        let find = |ids: &mut OriginalIdReader<'_>, text: &str| {
            let missing = || Error::Usage(format!("the graph has no vertex {text:?}"));
            ids.find(text)?.ok_or_else(missing)
        };
        let sources = request.sources.iter().map(|source| find(&mut ids, source)).collect::<Result<_>>()?;
        let weights = match &request.personalization {
            None => None,
            Some(Personalization::Weights(weights)) => Some(weights.clone()),
            Some(Personalization::File(path)) => {
                let text = store.manifest().ids == OriginalIds::Text;
                Some(
                    read_node_weights(path, text, budget)?
                        .iter()
                        .map(|(key, weight)| (name_of(key), *weight))
                        .collect(),
                )
            }
        };
        let held = weights.as_ref().map(|weights| budget.reserve(bytes_of(weights.len()), Purpose::VertexValues));
        let find_weight = |(text, weight): &(String, f64)| Ok((find(&mut ids, text)?, *weight));
        let personalization =
            weights.map(|weights| weights.iter().map(find_weight).collect::<Result<Vec<_>>>()).transpose()?;
        check_weights(personalization.as_deref())?;
        Ok(Self { sources, personalization, _held: held.transpose()? })
    }
}

/// Memory of `count` weights, in bytes.
const fn bytes_of(count: usize) -> u64 {
    (count * size_of::<(VertexId, f64)>()) as u64
}

fn name_of(key: &NodeKey) -> String {
    match key {
        NodeKey::Integer(id) => id.to_string(),
        NodeKey::Text(id) => id.clone(),
    }
}

fn check_weights(weights: Option<&[(VertexId, f64)]>) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    if weights.iter().all(|(_, weight)| *weight >= 0.0) && total > 0.0 && total.is_finite() {
        return Ok(());
    }
    let message = "the weights are not all at least 0 with a positive, finite sum";
    Err(Error::bad_input(Location::file("the personalization"), message))
}
