//! Runs the algorithms that bring out- and in-lists together, and finds the memory for the lists that they hold.

use super::Run;
use crate::graph::Graph;
use crate::lists;
use crate::memory_size::CacheSize;
use crate::request::RunRequest;
use outcrop_algorithms::registry::Model;
use outcrop_algorithms::{
    Algorithm, Components, HeldBytes, Outcome, Ranks, Values, clustering, diameter, eccentricity, kcore, scc,
    triangles, wcc,
};
use outcrop_engine::Engine;
use outcrop_engine::neighbourhood::Neighbourhoods;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::degrees;
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexValues};

impl Graph {
    fn held_bytes(&self, request: &RunRequest) -> HeldBytes {
        let manifest = self.store.manifest();
        if request.algorithm.finds_components() && !manifest.directed {
            return HeldBytes::default();
        }
        let arcs = self
            .directions(request.needs(Model::EdgeMap))
            .into_iter()
            .map(|direction| lists::arcs(self, direction))
            .sum();
        request.algorithm.held_bytes(manifest.vertices, arcs, self.workers.slots())
    }

    /// The plan with the least memory for held lists, and for the degrees of a second direction where they are added up.
    pub(super) fn with_structure(&self, plan: MemoryPlan, request: &RunRequest) -> MemoryPlan {
        let adds_degrees = matches!(request.algorithm, Algorithm::Triangles | Algorithm::Clustering)
            || request.algorithm.finds_components();
        let plan = match self.directions(request.needs(Model::EdgeMap)).len() {
            2 if adds_degrees => {
                let vertices = u64::from(self.store.manifest().vertices);
                plan.with(Purpose::Degrees, VertexValues::<u32>::bytes(vertices))
            }
            _ => plan,
        };
        match self.held_bytes(request).least {
            0 => plan,
            least => plan.with(Purpose::HeldLists, least),
        }
    }

    /// What held lists take of the `rest` bytes that a plan leaves.
    pub(super) fn held_beyond_least(&self, request: &RunRequest, rest: u64) -> u64 {
        let HeldBytes { least, most } = self.held_bytes(request);
        let free = match self.page_cache {
            CacheSize::Rest => rest / 2,
            cache => rest.saturating_sub(cache.bytes(self.memory, rest)),
        };
        free.min(most.saturating_sub(least))
    }
}

impl Run<'_> {
    /// Runs one of the algorithms of this file.
    pub(super) fn structural(
        &self,
        engine: &Engine<'_>,
        out: Option<&dyn Adjacency>,
        into: Option<&dyn Adjacency>,
    ) -> Result<Outcome> {
        let (Some(out), Some(into)) = (out, into) else {
            return Err(Error::Usage("neighbourhoods need the lists of both directions".to_owned()));
        };
        let neighbourhoods = Neighbourhoods::new(out, into);
        let held = self.held();
        match self.request.algorithm {
            Algorithm::Triangles => triangles::triangles(engine, &neighbourhoods, &self.list_entries()?, held),
            Algorithm::Clustering => clustering::clustering(engine, &neighbourhoods, &self.list_entries()?, held),
            _ => kcore::kcore(engine, &neighbourhoods, self.degrees(Direction::Out)?, self.request.k, held),
        }
    }

    /// Memory for held lists, in bytes.
    fn held(&self) -> u64 {
        let rest = self.graph.memory.saturating_sub(self.plan.total());
        self.graph.held_bytes(self.request).least + self.graph.held_beyond_least(self.request, rest)
    }

    pub(super) fn scc(
        &self,
        engine: &Engine<'_>,
        out: Option<&dyn Adjacency>,
        into: Option<&dyn Adjacency>,
        ranks: Ranks<'_>,
    ) -> Result<Outcome> {
        let (Some(out), Some(into)) = (out, into) else {
            return Err(Error::Usage("strong components need the lists of both directions".to_owned()));
        };
        let degrees = (self.degrees(Direction::Out)?, self.degrees(Direction::In)?);
        scc::scc(engine, (out, into), degrees, ranks, self.held())
    }

    /// Finds components, and then what their vertices reach.
    pub(super) fn eccentricities(
        &self,
        engine: &Engine<'_>,
        out: Option<&dyn Adjacency>,
        into: Option<&dyn Adjacency>,
        ranks: Ranks<'_>,
    ) -> Result<Outcome> {
        let directed = self.graph.store.manifest().directed;
        let found = if directed { self.scc(engine, out, into, ranks) } else { self.wcc(engine, out, into, ranks) }?;
        let before = found.iterations;
        let Some(Values::Node(component)) = found.columns.into_iter().next().map(|column| column.values) else {
            return Err(Error::internal("components have no column of ranks"));
        };
        let degrees = self.list_entries()?;
        let components = Components { component: &component, degrees: &degrees, ranks, directed };
        let outcome = match self.request.algorithm {
            Algorithm::Diameter => diameter::diameter(engine, components, self.request.most_searches()),
            Algorithm::Radius => eccentricity::radius(engine, components),
            _ => eccentricity::eccentricity(engine, components),
        }?;
        Ok(Outcome { iterations: outcome.iterations.max(before), ..outcome })
    }

    pub(super) fn wcc(
        &self,
        engine: &Engine<'_>,
        out: Option<&dyn Adjacency>,
        into: Option<&dyn Adjacency>,
        ranks: Ranks<'_>,
    ) -> Result<Outcome> {
        let out = out.ok_or_else(|| Error::Usage("components need out-lists".to_owned()))?;
        wcc::wcc(engine, out, into.unwrap_or(out), ranks, self.request.component_method())
    }

    /// The number of list entries of each vertex, of the directions that are stored together.
    fn list_entries(&self) -> Result<VertexValues<u32>> {
        let mut entries = self.degrees(Direction::Out)?;
        if self.graph.directions(self.request.needs(Model::EdgeMap)).len() == 2 {
            let into = self.degrees(Direction::In)?;
            entries.iter_mut().zip(into.iter()).for_each(|(sum, degree)| *sum = sum.saturating_add(*degree));
        }
        Ok(entries)
    }

    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>> {
        let Graph { store, workers, io, .. } = self.graph;
        degrees(store, direction, *io, self.budget, workers.cancellation())
    }
}
