//! Endpoints, and the queries that their parameters ask.

use super::parameters::Parameters;
use super::refusal::Refusal;
use hyper::StatusCode;
use outcrop::{Answer, Error, Graph, IdBatch, NeighborsRequest, Result, SampleRequest, Sides, SubgraphRequest};

/// Endpoint: its path and parameters, and the query that they ask.
pub(super) struct Endpoint {
    pub(super) path: &'static str,
    pub(super) about: &'static str,
    pub(super) parameters: &'static [&'static str],
    parse: fn(&mut Parameters) -> Result<Question, Refusal>,
}

pub(super) const ENDPOINTS: [Endpoint; 5] = [
    Endpoint { path: "/info", about: "size, types and layout of the store", parameters: &[], parse: info },
    Endpoint {
        path: "/neighbors",
        about: "neighbors of vertices",
        parameters: &["id", "direction", "weights", "format"],
        parse: neighbors,
    },
    Endpoint {
        path: "/degree",
        about: "degrees of vertices, by default of all",
        parameters: &["id", "direction", "format"],
        parse: degree,
    },
    Endpoint {
        path: "/sample",
        about: "sample of neighbors, layer by layer",
        parameters: &["id", "direction", "fanouts", "replace", "weighted", "seed", "format"],
        parse: sample,
    },
    Endpoint {
        path: "/subgraph",
        about: "edges among vertices, or in their neighborhood",
        parameters: &["id", "direction", "radius", "weights", "format"],
        parse: subgraph,
    },
];

/// Query of a request.
pub(super) enum Question {
    Info,
    Neighbors(NeighborsRequest),
    Degree(Option<IdBatch>, Sides),
    Sample(SampleRequest),
    Subgraph(SubgraphRequest),
}

impl Endpoint {
    /// Returns the query that `parameters` ask.
    pub(super) fn question(&self, parameters: &mut Parameters) -> Result<Question, Refusal> {
        parameters.require_known(self.path, self.parameters)?;
        (self.parse)(parameters)
    }
}

impl Question {
    /// Asks the graph; unknown vertices have a status of their own.
    pub(super) fn ask(&self, graph: &Graph) -> Result<Answer, Refusal> {
        self.rows(graph).map_err(|error| {
            let unknown = matches!(error, Error::Usage(_)) && self.has_unknown_vertices(graph);
            if unknown { Refusal::new(StatusCode::NOT_FOUND, error.to_string()) } else { error.into() }
        })
    }

    fn rows(&self, graph: &Graph) -> Result<Answer> {
        match self {
            Self::Info => Err(Error::internal("the description of a store has no rows")),
            Self::Neighbors(request) => graph.neighbors(request),
            Self::Degree(ids, sides) => graph.degrees(ids.as_ref(), *sides),
            Self::Sample(request) => graph.sample_neighbors(request),
            Self::Subgraph(request) => graph.subgraph(request),
        }
    }

    fn has_unknown_vertices(&self, graph: &Graph) -> bool {
        let ids = match self {
            Self::Info => None,
            Self::Neighbors(request) => Some(&request.nodes),
            Self::Degree(ids, _) => ids.as_ref(),
            Self::Sample(request) => Some(&request.seeds),
            Self::Subgraph(request) => Some(&request.nodes),
        };
        ids.is_some_and(|ids| graph.contains(ids).is_ok_and(|found| found.contains(&false)))
    }
}

fn info(_: &mut Parameters) -> Result<Question, Refusal> {
    Ok(Question::Info)
}

fn neighbors(parameters: &mut Parameters) -> Result<Question, Refusal> {
    let (sides, weights) = (sides(parameters, Sides::Out)?, parameters.flag("weights")?);
    Ok(Question::Neighbors(NeighborsRequest { sides, weights, ..NeighborsRequest::new(parameters.ids()?) }))
}

fn degree(parameters: &mut Parameters) -> Result<Question, Refusal> {
    let sides = sides(parameters, Sides::Both)?;
    Ok(Question::Degree(parameters.some_ids(), sides))
}

fn sample(parameters: &mut Parameters) -> Result<Question, Refusal> {
    let (sides, fanouts) = (sides(parameters, Sides::Out)?, fanouts(parameters)?);
    let (replace, weighted) = (parameters.flag("replace")?, parameters.flag("weighted")?);
    let seed = parameters.parsed("seed", 0, "an integer of at least 0")?;
    let request = SampleRequest::new(parameters.ids()?, fanouts);
    Ok(Question::Sample(SampleRequest { sides, replace, weighted, seed, ..request }))
}

fn subgraph(parameters: &mut Parameters) -> Result<Question, Refusal> {
    let (sides, weights) = (sides(parameters, Sides::Out)?, parameters.flag("weights")?);
    let radius = parameters.parsed("radius", 0, "an integer of at least 0")?;
    Ok(Question::Subgraph(SubgraphRequest { radius, sides, weights, nodes: parameters.ids()? }))
}

fn sides(parameters: &Parameters, default: Sides) -> Result<Sides, Refusal> {
    parameters.parsed("direction", default, "out, in or both")
}

fn fanouts(parameters: &Parameters) -> Result<Vec<u32>, Refusal> {
    let text = parameters.text("fanouts");
    let text =
        text.ok_or_else(|| Refusal::bad("`fanouts` is missing; give the neighbors per layer, such as fanouts=10,5"))?;
    let numbers = text.split(',').map(str::parse).collect::<Result<_, _>>();
    numbers.map_err(|_| Refusal::bad(format!("`fanouts` must be integers such as 10,5, not {text:?}")))
}
