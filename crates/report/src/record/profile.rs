//! Profile of a graph, as a JSON object.

use serde::{Deserialize, Serialize};

/// Profile of a graph: what kind of graph a store has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileRecord {
    /// Path of the store.
    pub store: String,
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges; an undirected edge counts once.
    pub edges: u64,
    /// True if edges are directed.
    pub directed: bool,
    /// Number of edges from a vertex to itself.
    pub self_loops: u64,
    /// Number of edges in excess of one per pair of endpoints (and direction).
    pub repeated_edges: u64,
    /// Share of the distinct edges, without loops, that have an edge in the opposite direction; `None` in an undirected
    /// graph, or without such edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reciprocity: Option<f64>,
    /// Smallest and largest weight, if edges have weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<[f64; 2]>,
    /// First and last time, if edges have times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<[String; 2]>,
    /// Degrees.
    pub degrees: DegreesRecord,
    /// Weakly connected components.
    pub components: ComponentsRecord,
    /// Clustering.
    pub clustering: ClusteringRecord,
    /// Distances.
    pub distances: DistancesRecord,
    /// Locality of the vertex order.
    pub locality: LocalityRecord,
    /// Random seed of the samples.
    pub seed: u64,
}

/// Degrees by direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DegreesRecord {
    /// All edges of a vertex; a loop counts twice.
    pub both: DegreeRecord,
    /// Out-edges of a directed graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<DegreeRecord>,
    /// In-edges of a directed graph.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub into: Option<DegreeRecord>,
}

impl DegreesRecord {
    /// Returns the degrees of each direction with its name.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &DegreeRecord)> {
        let own = self.out.iter().map(|out| ("out", out)).chain(self.into.iter().map(|into| ("in", into)));
        own.chain([("both", &self.both)])
    }
}

/// Distribution of degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DegreeRecord {
    /// Mean.
    pub mean: f64,
    /// Median; the mean of the two middle degrees of an even number of vertices.
    pub median: f64,
    /// Largest degree.
    pub max: u64,
    /// Number of vertices of degree 0.
    pub zeros: u64,
    /// Numbers of vertices of degree 0, 1, 2 to 3, 4 to 7, and so on.
    pub histogram: Vec<RangeCount>,
    /// Power law fitted to the largest degrees, if these have at least 50 vertices and different values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_law: Option<PowerLawRecord>,
}

/// Number of items in a range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeCount {
    /// Smallest value of the range.
    pub from: u64,
    /// Largest value of the range.
    pub to: u64,
    /// Number of items.
    pub count: u64,
}

/// Power law fitted to the degrees of at least `xmin` (Clauset, Shalizi and Newman, SIAM Review 2009). Every
/// distribution has a best fit: it does not show that the degrees follow a power law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerLawRecord {
    /// Exponent with the maximum likelihood, in the approximation for discrete values.
    pub exponent: f64,
    /// Smallest degree of the fit: that with the smallest `ks`.
    pub xmin: u64,
    /// Kolmogorov-Smirnov distance: the largest difference between the distribution functions of the degrees and of the
    /// fit.
    pub ks: f64,
    /// Share of the vertices whose degree is at least `xmin`.
    pub share: f64,
}

/// Weakly connected components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComponentsRecord {
    /// Number of components.
    pub count: u64,
    /// Number of vertices of the largest one.
    pub largest: u32,
    /// Share of the vertices in the largest one.
    pub largest_share: f64,
    /// Numbers of components of 1, 2 to 3, 4 to 7 vertices, and so on.
    pub histogram: Vec<RangeCount>,
}

/// Mean local clustering coefficient of the undirected simple graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusteringRecord {
    /// Mean over all vertices, or its estimate.
    pub mean: f64,
    /// Standard error of the estimate; 0 if `exact`.
    pub standard_error: f64,
    /// Number of vertices of the sample.
    pub vertices: u64,
    /// True if these are all vertices.
    pub exact: bool,
}

/// Distances between vertices that are connected by a path along edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistancesRecord {
    /// Number of vertices from which distances were measured.
    pub sources: u32,
    /// True if these are all vertices.
    pub exact: bool,
    /// Mean distance; `None` if no source reaches another vertex.
    pub mean: Option<f64>,
    /// Distance, interpolated, within which 90% of the connected pairs are.
    pub effective_diameter: Option<f64>,
    /// Largest distance found: a lower bound of the diameter unless `exact`.
    pub max: Option<u64>,
    /// Share of the pairs of a source and another vertex that are connected.
    pub connected_share: f64,
    /// Number of these pairs at distance 1, 2, and so on.
    pub pairs: Vec<u64>,
}

/// Locality of the vertex order: distances between the lists of neighbors on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalityRecord {
    /// Share of the neighbors whose list is on the same page.
    pub same_page: f64,
    /// Number of pages with the lists of a vertex's neighbors, per neighbor.
    pub pages_per_neighbor: f64,
}
