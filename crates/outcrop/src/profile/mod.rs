//! Profile of a graph: degrees, reciprocity, components, clustering, distances and locality, each within the budget.

mod degrees;
mod distances;
mod power_law;
mod ranges;

use crate::graph::Graph;
use crate::info::TimesInfo;
use crate::request::RunRequest;
use crate::run::{RunResult, RunVariant};
use outcrop_algorithms::Algorithm;
use outcrop_algorithms::profile::{AdjacentPairs, Distances, EdgeCounts, Edges, ExactClustering, Measured, Wedges};
use outcrop_report::{ClusteringRecord, ComponentsRecord, DegreesRecord, LocalityRecord, ProfileRecord};
use outcrop_types::{MemoryPlan, Result, number_from};
use ranges::{Counts, ranges, share};

/// Options of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileRequest {
    /// Number of random vertices from which distances are measured; all vertices if there are no more.
    pub sources: u32,
    /// Number of random vertices whose clustering is sampled; exact if there are no more vertices.
    pub wedges: u32,
    /// Random seed.
    pub seed: u64,
}

impl Default for ProfileRequest {
    fn default() -> Self {
        Self { sources: 256, wedges: 10_000, seed: 1 }
    }
}

/// Measurements that are runs of algorithms.
struct Measurements {
    edges: Edges,
    pairs: AdjacentPairs,
    wedges: Option<Wedges>,
    distances: Distances,
}

impl Measurements {
    fn new(graph: &Graph, request: &ProfileRequest) -> Self {
        let ProfileRequest { sources, wedges, seed } = *request;
        let sampled = wedges < graph.num_vertices();
        Self {
            edges: Edges::default(),
            pairs: AdjacentPairs::default(),
            wedges: sampled.then(|| Wedges { centers: wedges, seed, found: Measured::default() }),
            distances: Distances { sources: sources.min(graph.num_vertices()), seed, found: Measured::default() },
        }
    }

    /// Returns the algorithm that measures clustering.
    fn clustering(&self) -> &dyn Algorithm {
        self.wedges.as_ref().map_or(&ExactClustering, |wedges| wedges)
    }
}

impl Graph {
    /// Measures what kind of graph the store has. The result depends on the seed of the samples, but neither on threads
    /// nor, except for its locality, on layout and vertex order.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small (with the exact minimum of the largest step), if the store is
    /// damaged, if a read fails, or on interruption.
    pub fn profile(&self, request: &ProfileRequest) -> Result<ProfileRecord> {
        let directed = self.store.manifest().graph.directed;
        let measurements = Measurements::new(self, request);
        self.budget().require(&self.profile_memory(&measurements)?)?;
        let degrees = DegreesRecord {
            both: degrees::measure(self, "both")?,
            out: directed.then(|| degrees::measure(self, "out")).transpose()?,
            into: directed.then(|| degrees::measure(self, "in")).transpose()?,
        };
        self.measure(&measurements.edges)?;
        let edges = measurements.edges.0.take()?;
        let reciprocity = if directed { self.reciprocity(&measurements.pairs, edges.distinct)? } else { None };
        let components = self.components()?;
        let clustering = self.clustering(&measurements)?;
        self.measure(&measurements.distances)?;
        let pairs = measurements.distances.found.take()?;
        let distances = distances::describe(pairs, measurements.distances.sources, self.num_vertices());
        let locality = self.locality()?.figures;
        let times = TimesInfo::of(self.store.manifest());
        Ok(ProfileRecord {
            store: self.store.folder().display().to_string(),
            vertices: self.num_vertices(),
            edges: self.num_edges(),
            directed,
            self_loops: edges.loops,
            repeated_edges: repeated(&edges, directed),
            reciprocity,
            weights: edges.weights,
            times: times.map(|times| [times.from, times.to]),
            degrees,
            components,
            clustering,
            distances,
            locality: LocalityRecord { same_page: locality.same_page, pages_per_neighbor: locality.pages_per_neighbor },
            seed: request.seed,
        })
    }

    /// Returns the memory of the step that needs the most.
    fn profile_memory(&self, measurements: &Measurements) -> Result<MemoryPlan> {
        let directed = self.store.manifest().graph.directed;
        let pairs = directed.then_some(&measurements.pairs as &dyn Algorithm);
        let own = [&measurements.edges, measurements.clustering(), &measurements.distances as &dyn Algorithm];
        let own = own.into_iter().chain(pairs).map(RunRequest::of);
        let mut requests: Vec<RunRequest<'_>> = own.collect();
        requests.push(RunRequest::new("wcc")?);
        requests.push(RunRequest::new("degrees")?);
        let mut memory = self.locality_memory();
        for request in &requests {
            let least = self.ways(request)?.into_iter().map(|RunVariant { plan, .. }| plan);
            memory = least.min_by_key(MemoryPlan::total).map_or(memory.clone(), |plan| memory.or(plan));
        }
        Ok(memory)
    }

    /// Runs an algorithm without a record in the run history.
    fn measure(&self, algorithm: &dyn Algorithm) -> Result<RunResult> {
        self.run_unrecorded(&RunRequest::of(algorithm))
    }

    /// Returns the share of the `distinct` edges that have an edge in the opposite direction.
    fn reciprocity(&self, pairs: &AdjacentPairs, distinct: u64) -> Result<Option<f64>> {
        self.measure(pairs)?;
        // Each pair has one edge, or two.
        let mutual = 2 * distinct.saturating_sub(pairs.0.take()?);
        Ok((distinct > 0).then(|| mutual as f64 / distinct as f64))
    }

    fn components(&self) -> Result<ComponentsRecord> {
        let result = self.run_unrecorded(&RunRequest::new("wcc")?)?;
        let mut sizes = Counts::new(&result)?;
        result.for_each_group(&mut |size| sizes.add(size.into()))?;
        let largest = sizes.most().map_or(0, number_from);
        Ok(ComponentsRecord {
            count: sizes.total(),
            largest,
            largest_share: share(largest.into(), self.num_vertices().into()),
            histogram: ranges(sizes.iter()),
        })
    }

    fn clustering(&self, measurements: &Measurements) -> Result<ClusteringRecord> {
        let result = self.measure(measurements.clustering())?;
        let (sum, vertices) = match &measurements.wedges {
            Some(wedges) => {
                let counts = wedges.found.take()?;
                (counts.closed as f64, counts.centers)
            }
            None => {
                let mut coefficients = result.numbers().to_vec();
                // The sum is independent of the vertex order.
                coefficients.sort_unstable_by(f64::total_cmp);
                (coefficients.iter().sum(), self.num_vertices().into())
            }
        };
        let mean = if vertices > 0 { sum / vertices as f64 } else { 0.0 };
        let exact = measurements.wedges.is_none();
        let error = (mean * (1.0 - mean) / vertices.saturating_sub(1).max(1) as f64).sqrt();
        Ok(ClusteringRecord { mean, standard_error: if exact { 0.0 } else { error }, vertices, exact })
    }
}

/// Returns the number of edges in excess of one per pair of endpoints.
const fn repeated(edges: &EdgeCounts, directed: bool) -> u64 {
    let entries = edges.entries - edges.distinct;
    // An undirected edge has two entries, unless it is a loop.
    edges.loops - edges.loop_vertices + if directed { entries } else { entries / 2 }
}
