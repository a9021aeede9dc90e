//! From the user's ids to vertices.

use crate::request::RunRequest;
use crate::result::name_of;
use outcrop_algorithms::Algorithm;
use outcrop_algorithms::sampling::sample;
use outcrop_formats::vector::{NodeKey, read_node_weights};
use outcrop_io::IoChoice;
use outcrop_store::{OriginalIdReader, OriginalIds, Store};
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, VertexId};
use serde_json::{Value, json};
use std::collections::HashSet;
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
    /// The vertices to start from.
    pub(crate) sources: Vec<VertexId>,
    /// Their original ids, where the result is named by them.
    pub(crate) names: Vec<String>,
    /// Vertices to jump to, ascending, and their weights; one may be there several times.
    pub(crate) personalization: Option<Vec<(VertexId, f64)>>,
    _held: Vec<Reservation>,
}

impl NamedVertices {
    /// Memory of the weights that `request` itself lists and of the sample that it asks for, in bytes; how many weights a file
    /// lists is not known before it is read.
    pub(crate) fn planned_bytes(request: &RunRequest, vertices: u32) -> u64 {
        let weights = match &request.personalization {
            Some(Personalization::Weights(weights)) => bytes_of(weights.len()),
            _ => 0,
        };
        weights + sample_bytes(request, vertices)
    }

    /// Looks up all ids of `request`.
    pub(crate) fn find(request: &RunRequest, store: &Store, io: IoChoice, budget: &MemoryBudget) -> Result<Self> {
        let _readers = budget.reserve(OriginalIdReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut ids = OriginalIdReader::open(store, io)?;
        let find = |ids: &mut OriginalIdReader<'_>, text: &str| {
            let missing = || Error::Usage(format!("the graph has no vertex {text:?}"));
            ids.find(text)?.ok_or_else(missing)
        };
        let vertices = store.manifest().vertices;
        let held_sample = budget.reserve(sample_bytes(request, vertices), Purpose::VertexValues)?;
        let (sources, names) = match request.sampled() {
            Some(count) => draw(request, count, &mut ids, vertices)?,
            None => {
                let found = request.sources.iter().map(|source| find(&mut ids, source)).collect::<Result<Vec<_>>>()?;
                (found, request.sources.iter().map(|source| canonical(source, store)).collect())
            }
        };
        let (sources, names) = distinct(request, sources, names);
        let weights = match &request.personalization {
            None => None,
            Some(Personalization::Weights(weights)) => Some(weights.clone()),
            Some(Personalization::File(path)) => {
                let text = store.manifest().ids == OriginalIds::Text;
                Some(
                    read_node_weights(path, text, budget)?
                        .iter()
                        .map(|(key, weight)| (text_of(key), *weight))
                        .collect(),
                )
            }
        };
        let held = weights.as_ref().map(|weights| budget.reserve(bytes_of(weights.len()), Purpose::VertexValues));
        let find_weight = |(text, weight): &(String, f64)| Ok((find(&mut ids, text)?, *weight));
        let mut personalization =
            weights.map(|weights| weights.iter().map(find_weight).collect::<Result<Vec<_>>>()).transpose()?;
        if let Some(weights) = &mut personalization {
            weights.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        }
        check_weights(personalization.as_deref())?;
        let held = held.transpose()?.into_iter().chain([held_sample]).collect();
        Ok(Self { sources, names, personalization, _held: held })
    }
}

/// The vertices of the sample that `request` asks for, and for distances their original ids.
fn draw(
    request: &RunRequest,
    count: u32,
    ids: &mut OriginalIdReader<'_>,
    vertices: u32,
) -> Result<(Vec<VertexId>, Vec<String>)> {
    let ranks = sample(vertices, count, request.seed());
    let name = |rank: &u32| Ok(name_of(&ids.ids(*rank..*rank + 1)?));
    let named = request.algorithm == Algorithm::Distances;
    let names = if named { ranks.iter().map(name).collect::<Result<_>>()? } else { Vec::new() };
    // A sample of all is all, whatever their order.
    if count >= vertices && !named {
        return Ok((ranks, names));
    }
    let vertex = |rank: &u32| Ok(ids.vertices(*rank..*rank + 1)?.first().copied().unwrap_or_default());
    Ok((ranks.iter().map(vertex).collect::<Result<_>>()?, names))
}

/// Leaves out vertices that were given before, where each is to be searched from once.
fn distinct(request: &RunRequest, sources: Vec<VertexId>, names: Vec<String>) -> (Vec<VertexId>, Vec<String>) {
    if !matches!(request.algorithm, Algorithm::Distances | Algorithm::Betweenness) || request.sampled().is_some() {
        return (sources, names);
    }
    let mut seen = HashSet::new();
    sources.into_iter().zip(names).filter(|(source, _)| seen.insert(*source)).unzip()
}

/// An id that was given, as results show it: without leading zeros.
fn canonical(given: &str, store: &Store) -> String {
    match given.parse::<u64>() {
        Ok(number) if store.manifest().ids != OriginalIds::Text => number.to_string(),
        _ => given.to_owned(),
    }
}

/// Memory of the sample that `request` asks for, in bytes: as drawn, in a tree of 16 bytes a number, and as vertices.
fn sample_bytes(request: &RunRequest, vertices: u32) -> u64 {
    request.sampled().map_or(0, |count| u64::from(count.min(vertices)) * 20)
}

/// Memory of `count` weights, in bytes.
const fn bytes_of(count: usize) -> u64 {
    (count * size_of::<(VertexId, f64)>()) as u64
}

fn text_of(key: &NodeKey) -> String {
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
