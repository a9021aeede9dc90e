//! Translation of the original IDs in a request to vertices.

use crate::request::RunRequest;
use crate::result::name_of;
use crate::vector::no_vertex;
use outcrop_algorithms::params::{Arg, Personalization};
use outcrop_algorithms::sampling::sample;
use outcrop_algorithms::{Starts, StartsOf};
use outcrop_formats::vector::{NodeKey, NodeWeights, read_node_weights};
use outcrop_io::IoChoice;
use outcrop_store::{OriginalIdReader, OriginalIds, Store};
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, VertexId};
use std::borrow::Cow;
use std::collections::HashSet;

/// Vertices named in a request.
pub(crate) struct NamedVertices {
    /// Source vertices.
    pub(crate) sources: Vec<VertexId>,
    /// Original IDs of the sources, if the result uses them as names.
    pub(crate) names: Vec<String>,
    /// Targets of random jumps, ascending, and their weights.
    pub(crate) personalization: Option<Vec<(VertexId, f64)>>,
    _held: Vec<Reservation>,
}

impl NamedVertices {
    /// Returns the memory for the weights listed in `request` and for its sample, in bytes. The number of weights in a
    /// file is unknown before it is read.
    pub(crate) fn planned_bytes(request: &RunRequest<'_>, vertices: u32) -> Result<u64> {
        let weights = match personalization(request) {
            Some(Personalization::Weights(weights)) => bytes_of(weights.len()),
            _ => 0,
        };
        Ok(weights + sample_bytes(&request.algorithm().starts(request.args())?, vertices))
    }

    /// Looks up all IDs in `request`.
    pub(crate) fn find(request: &RunRequest<'_>, store: &Store, io: IoChoice, budget: &MemoryBudget) -> Result<Self> {
        let _readers = budget.reserve(OriginalIdReader::memory(store.manifest()), Purpose::IoBuffers)?;
        let mut ids = OriginalIdReader::open(store, io)?;
        let find = |ids: &mut OriginalIdReader<'_>, text: &str| {
            let missing = || Error::Usage(no_vertex(text, store));
            ids.find(text)?.ok_or_else(missing)
        };
        let vertices = store.manifest().graph.vertices;
        let starts = request.algorithm().starts(request.args())?;
        let held_sample = budget.reserve(sample_bytes(&starts, vertices), Purpose::VertexValues)?;
        let (sources, names) = match &starts.of {
            StartsOf::Nothing => (Vec::new(), Vec::new()),
            StartsOf::Sample { count, seed } => draw(*count, *seed, starts.named, &mut ids, vertices)?,
            StartsOf::Ids(given) => {
                let found = given.iter().map(|source| find(&mut ids, source)).collect::<Result<Vec<_>>>()?;
                let names = given.iter().map(|source| canonical(source, store)).collect();
                if starts.once { distinct(found, names) } else { (found, names) }
            }
        };
        let weights = personalization(request).map(|given| Weights::of(given, store, budget)).transpose()?;
        let held = weights.as_ref().map(|weights| budget.reserve(bytes_of(weights.len()), Purpose::VertexValues));
        let personalization = weights.map(|weights| weights.find(&mut ids, store)).transpose()?;
        let held = held.transpose()?.into_iter().chain([held_sample]).collect();
        Ok(Self { sources, names, personalization, _held: held })
    }
}

/// Returns the personalization of random jumps, for algorithms that support it.
fn personalization<'r>(request: &'r RunRequest<'_>) -> Option<&'r Personalization> {
    request.args().given().find_map(|(_, arg)| match arg {
        Arg::NodeWeights(weights) => Some(weights),
        _ => None,
    })
}

/// Draws `count` random vertices by `seed`, with their original IDs if they are `named`.
fn draw(
    count: u32,
    seed: u64,
    named: bool,
    ids: &mut OriginalIdReader<'_>,
    vertices: u32,
) -> Result<(Vec<VertexId>, Vec<String>)> {
    let ranks = sample(vertices, count, seed);
    let name = |rank: &u32| name_of(&ids.ids(*rank..*rank + 1)?);
    let names = if named { ranks.iter().map(name).collect::<Result<_>>()? } else { Vec::new() };
    // A sample of all vertices is all vertices, in any order.
    if count >= vertices && !named {
        return Ok((ranks, names));
    }
    let lost = || Error::internal("a rank has no vertex");
    let vertex = |rank: &u32| ids.vertices(*rank..*rank + 1)?.first().copied().ok_or_else(lost);
    Ok((ranks.iter().map(vertex).collect::<Result<_>>()?, names))
}

/// Removes repeated vertices.
fn distinct(sources: Vec<VertexId>, names: Vec<String>) -> (Vec<VertexId>, Vec<String>) {
    let mut seen = HashSet::new();
    sources.into_iter().zip(names).filter(|(source, _)| seen.insert(*source)).unzip()
}

/// Returns an ID as shown in results: without leading zeros.
fn canonical(given: &str, store: &Store) -> String {
    match given.parse::<u64>() {
        Ok(number) if store.manifest().numbering.ids != OriginalIds::Text => number.to_string(),
        _ => given.to_owned(),
    }
}

/// Returns the memory of a sample in bytes: the draws, in a tree of 16 bytes per number, and the vertices.
fn sample_bytes(starts: &Starts, vertices: u32) -> u64 {
    match starts.of {
        StartsOf::Sample { count, .. } => u64::from(count.min(vertices)) * 20,
        StartsOf::Nothing | StartsOf::Ids(_) => 0,
    }
}

/// Returns the memory of `count` weights, in bytes.
const fn bytes_of(count: usize) -> u64 {
    (count * size_of::<(VertexId, f64)>()) as u64
}

/// Weights of a personalization.
enum Weights<'r> {
    Given(&'r [(String, f64)]),
    File(NodeWeights),
}

impl<'r> Weights<'r> {
    fn of(given: &'r Personalization, store: &Store, budget: &MemoryBudget) -> Result<Self> {
        let text = store.manifest().numbering.ids == OriginalIds::Text;
        Ok(match given {
            Personalization::Weights(weights) => Self::Given(weights),
            Personalization::File(path) => Self::File(read_node_weights(path, text, budget)?),
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Given(weights) => weights.len(),
            Self::File(weights) => weights.len(),
        }
    }

    /// Returns the ID and the weight of an entry.
    fn entry(&self, entry: usize) -> (Cow<'_, str>, f64) {
        match self {
            Self::Given(weights) => (Cow::Borrowed(&weights[entry].0), weights[entry].1),
            Self::File(weights) => match &weights[entry] {
                (NodeKey::Integer(id), weight) => (Cow::Owned(id.to_string()), *weight),
                (NodeKey::Text(id), weight) => (Cow::Borrowed(id), *weight),
            },
        }
    }

    /// Returns an error for an entry.
    fn error_at(&self, entry: usize, message: String) -> Error {
        match self {
            Self::Given(_) => Error::Usage(message),
            Self::File(weights) => weights.error_at(entry, message),
        }
    }

    /// Returns the vertices with their weights, in ascending order.
    fn find(&self, ids: &mut OriginalIdReader<'_>, store: &Store) -> Result<Vec<(VertexId, f64)>> {
        let entries = 0..self.len();
        let mut found = Vec::with_capacity(entries.len());
        for entry in entries.clone() {
            let (id, weight) = self.entry(entry);
            let vertex = ids.find(&id)?.ok_or_else(|| self.error_at(entry, no_vertex(&id, store)))?;
            found.push((vertex, weight));
        }
        found.sort_unstable_by_key(|(vertex, _)| *vertex);
        if let Some([(twice, _), ..]) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let mut seen = false;
            for entry in entries {
                let (id, _) = self.entry(entry);
                if ids.find(&id)? == Some(*twice) && std::mem::replace(&mut seen, true) {
                    return Err(self.error_at(entry, format!("duplicate vertex {id}")));
                }
            }
        }
        let total: f64 = found.iter().map(|(_, weight)| weight).sum();
        if found.iter().all(|(_, weight)| *weight >= 0.0) && total > 0.0 && total.is_finite() {
            return Ok(found);
        }
        let message = "weights must be at least 0, with a positive and finite sum";
        Err(match self {
            Self::Given(_) => Error::bad_input(Location::file("the personalization"), message),
            Self::File(weights) => weights.error(message),
        })
    }
}
