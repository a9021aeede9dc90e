//! Runs the algorithms that bring out- and in-lists together, and finds the memory for the lists that they hold.

use super::Run;
use crate::graph::Graph;
use crate::memory_size::CacheSize;
use outcrop_algorithms::{Algorithm, HeldBytes, Outcome, kcore};
use outcrop_engine::Engine;
use outcrop_engine::neighbourhood::Neighbourhoods;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::csr;
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexValues};

impl Graph {
    fn held_bytes(&self, algorithm: Algorithm) -> HeldBytes {
        let manifest = self.store.manifest();
        let arcs_of = |direction| manifest.csr(direction).map_or(0, |entry| entry.arcs);
        let arcs = self.directions(algorithm).into_iter().map(arcs_of).sum();
        algorithm.held_bytes(manifest.vertices, arcs, self.workers.slots())
    }

    /// The plan with the least memory for held lists.
    pub(super) fn with_held_lists(&self, plan: MemoryPlan, algorithm: Algorithm) -> MemoryPlan {
        match self.held_bytes(algorithm).least {
            0 => plan,
            least => plan.with(Purpose::HeldLists, least),
        }
    }

    /// The page cache for which `cache` was found out of `rest` bytes: where it may have all, held lists take half.
    pub(super) fn beside_held_lists(&self, algorithm: Algorithm, rest: u64, cache: u64) -> u64 {
        match self.page_cache {
            CacheSize::Rest => cache - self.held_beyond_least(algorithm, rest),
            _ => cache,
        }
    }

    /// What held lists take of the `rest` bytes that a plan leaves.
    fn held_beyond_least(&self, algorithm: Algorithm, rest: u64) -> u64 {
        let HeldBytes { least, most } = self.held_bytes(algorithm);
        let free = match self.page_cache {
            CacheSize::Rest => rest / 2,
            cache => rest.saturating_sub(cache.bytes(self.memory, rest)),
        };
        free.min(most.saturating_sub(least))
    }
}

impl Run<'_> {
    /// Runs one of the algorithms of this file.
    pub(super) fn structural<A: Adjacency>(
        &self,
        engine: &Engine<'_, A>,
        out: Option<&A>,
        into: Option<&A>,
    ) -> Result<Outcome> {
        let (Some(out), Some(into)) = (out, into) else {
            return Err(Error::Usage("neighbourhoods need the lists of both directions".to_owned()));
        };
        let neighbourhoods = Neighbourhoods::new(out, into);
        let rest = self.graph.memory.saturating_sub(self.graph.plan(self.request).total());
        let algorithm = self.request.algorithm;
        let held = self.graph.held_bytes(algorithm).least + self.graph.held_beyond_least(algorithm, rest);
        kcore::kcore(engine, &neighbourhoods, self.degrees(Direction::Out)?, self.request.k, held)
    }

    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>> {
        let Graph { store, workers, io, .. } = self.graph;
        csr::degrees(store, direction, *io, self.budget, workers.cancellation())
    }
}
