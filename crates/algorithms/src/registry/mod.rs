//! The table of algorithms: it drives the command line, the Python functions, the documentation and the test matrix.

mod model;
mod table;
mod weights;

pub use table::ALGORITHMS;
pub use weights::Weights;

use crate::{
    HeldBytes, apsp, bc, bfs, clustering, diameter, eccentricity, kcore, pagerank, ppr, radii, scc, spmv, sssp,
    triangles, wcc,
};
use outcrop_types::MemoryPlan;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Breadth-first search.
    Bfs,
    /// Shortest paths by weight.
    Sssp,
    /// Weakly connected components.
    Wcc,
    /// PageRank.
    PageRank,
    /// Eccentricities from a sample of sources.
    Radii,
    /// The diameter, exactly or between bounds.
    Diameter,
    /// The smallest eccentricity of the largest component.
    Radius,
    /// Exact eccentricities of the largest component.
    Eccentricity,
    /// Distances from many sources at once.
    Distances,
    /// Betweenness centrality.
    Betweenness,
    /// Personalised PageRank of one source.
    PersonalizedPageRank,
    /// Core numbers.
    KCore,
    /// Triangles through each vertex.
    Triangles,
    /// Local clustering coefficients.
    Clustering,
    /// Strongly connected components.
    Scc,
    /// The product of the adjacency matrix and a vector.
    Spmv,
    /// Communities by label propagation.
    LabelPropagation,
    /// Colours of which neighbours have different ones.
    Coloring,
    /// A maximal independent set.
    IndependentSet,
    /// Random walks.
    Walks,
    /// Beliefs of a pairwise binary Markov random field.
    Beliefs,
    /// Temperatures that level out along edges.
    Heat,
}

/// How values flow along edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Maps over the edges of frontiers (Ligra; ChunkGraph), with one value a vertex in memory.
    EdgeMap,
    /// Updates of vertices, interval after interval (LOSC), with values in memory or on disk.
    Interval,
    /// Messages between vertices, superstep after superstep (MultiLogVC), with values in memory or on disk.
    Messages,
    /// Gather, apply, scatter on values of edges (Vora, Xu, Gupta), in shards that hold the edges which are needed.
    Gas,
}

impl Model {
    /// All models.
    pub const ALL: [Self; 4] = [Self::EdgeMap, Self::Interval, Self::Messages, Self::Gas];

    /// The name in run records, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeMap => "edge_map",
            Self::Interval => "interval",
            Self::Messages => "messages",
            Self::Gas => "gas",
        }
    }
}

/// A parameter that an algorithm takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Vertices to start from, by original id.
    Source,
    /// The probability of following an edge.
    Alpha,
    /// The change to stop at.
    Tolerance,
    /// The most iterations.
    MaxIterations,
    /// An exact number of iterations, or the most searches.
    Iterations,
    /// Whether searches go on until bounds meet.
    Exact,
    /// Vertices to jump to.
    Personalization,
    /// f64 or f32.
    Precision,
    /// How many vertices to start from, all at once.
    SourceCount,
    /// How many vertices to start from, each by itself.
    Samples,
    /// What a sample is drawn with.
    Seed,
    /// How many sources are searched from at once.
    Batch,
    /// Whether values are divided by the number of pairs.
    Unnormalized,
    /// The relative change of a rank that is handed on.
    Delta,
    /// Which of several ways to go.
    Method,
    /// The width of buckets of delta-stepping.
    BucketWidth,
    /// The only core that is wanted.
    K,
    /// What the matrix is multiplied by.
    Vector,
    /// Whether edges count from their targets to their sources.
    Transpose,
    /// Whether labels count by the weights of edges.
    Weighted,
    /// The steps of a walk.
    Length,
    /// Of which vertices one walk each starts: of every so many.
    Every,
    /// The probability of going back to where a walk started.
    Restart,
    /// How unlikely a walk goes back to the vertex before (p of node2vec).
    ReturnParameter,
    /// How unlikely a walk goes away from the vertex before (q of node2vec).
    InOutParameter,
    /// How likely the ends of an edge are in the same state.
    Coupling,
    /// The share of a message that is taken from the one before.
    Damping,
    /// The share of a difference in temperature that an edge evens out in a step.
    Rate,
}

impl Parameter {
    /// The option of the command line, without dashes.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Alpha => "alpha",
            Self::Tolerance => "tol",
            Self::MaxIterations => "max-iter",
            Self::Iterations => "iterations",
            Self::Exact => "exact",
            Self::Personalization => "personalization",
            Self::Precision => "precision",
            Self::SourceCount => "sources",
            Self::Samples => "samples",
            Self::Seed => "seed",
            Self::Batch => "batch",
            Self::Unnormalized => "unnormalized",
            Self::Delta => "delta",
            Self::Method => "method",
            Self::BucketWidth => "bucket-width",
            Self::K => "k",
            Self::Vector => "vector",
            Self::Transpose => "transpose",
            Self::Weighted => "weighted",
            Self::Length => "length",
            Self::Every => "every",
            Self::Restart => "restart",
            Self::ReturnParameter => "p",
            Self::InOutParameter => "q",
            Self::Coupling => "coupling",
            Self::Damping => "damping",
            Self::Rate => "rate",
        }
    }
}

/// How precise the values are that are kept between iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 8 bytes a value.
    #[default]
    Double,
    /// 4 bytes a value.
    Single,
}

impl Precision {
    /// `f64` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Double => "f64",
            Self::Single => "f32",
        }
    }
}

/// What the memory of an algorithm depends on, besides the graph.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// Of the values that are kept.
    pub precision: Precision,
    /// Whether random jumps lead to chosen vertices.
    pub personalized: bool,
    /// How many vertices there are to start from.
    pub sources: u32,
    /// How many of them are searched from at once.
    pub batch: u32,
}

/// Which lists and tables an algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Out-lists.
    pub out_lists: bool,
    /// In-lists.
    pub in_lists: bool,
    /// Sets of active vertices.
    pub frontiers: bool,
    /// The ranks of vertices, in stores of another order than the original.
    pub ranks: bool,
}

/// A column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name; with [`EACH_SOURCE`] in it, there is one column a source, named by the source's original id.
    pub name: &'static str,
    /// What a value means, with its unit and what is null.
    pub meaning: &'static str,
}

/// What stands for the id of a source in the name of a column.
pub const EACH_SOURCE: &str = "<id>";

impl ColumnInfo {
    /// Whether a result may have a column called `name` for it.
    pub fn describes(&self, name: &str) -> bool {
        match self.name.split_once(EACH_SOURCE) {
            Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
            None => name == self.name,
        }
    }
}

/// A number that is given for the whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarInfo {
    /// Its name.
    pub name: &'static str,
    /// What it means, with its unit and what is null.
    pub meaning: &'static str,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Specification {
    /// Which.
    pub algorithm: Algorithm,
    /// The name on the command line.
    pub name: &'static str,
    /// The name in Python.
    pub python_name: &'static str,
    /// One line for help pages.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// The models that it is written in, its natural one first.
    pub models: &'static [Model],
    /// What it reads.
    pub needs: Needs,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it gives back, besides `node`.
    pub columns: &'static [ColumnInfo],
    /// What it gives back for the whole graph.
    pub values: &'static [ScalarInfo],
}

impl Algorithm {
    /// Whether it begins with the components of the graph, the strongly connected ones of a directed graph.
    pub const fn finds_components(self) -> bool {
        matches!(self, Self::Diameter | Self::Radius | Self::Eccentricity)
    }

    /// Whether iterations read the lists of a frontier, in no order that the disk would like, rather than sweep over all: then lists that
    /// are held from the start pay (BASC, section 3).
    pub const fn follows_frontiers(self) -> bool {
        match self {
            Self::Bfs
            | Self::Sssp
            | Self::Radii
            | Self::Diameter
            | Self::Radius
            | Self::Eccentricity
            | Self::Distances
            | Self::Betweenness
            | Self::PersonalizedPageRank
            | Self::Walks => true,
            Self::Wcc
            | Self::PageRank
            | Self::KCore
            | Self::Triangles
            | Self::Clustering
            | Self::Scc
            | Self::Spmv
            | Self::LabelPropagation
            | Self::Coloring
            | Self::IndependentSet
            | Self::Beliefs
            | Self::Heat => false,
        }
    }

    /// Whether most lists are read, most of them more than once: then lists that fit the memory are loaded before the run begins.
    pub const fn reads_most_lists(self) -> bool {
        match self {
            Self::PersonalizedPageRank | Self::Spmv | Self::Walks | Self::Beliefs | Self::Heat => false,
            Self::Bfs
            | Self::Sssp
            | Self::Wcc
            | Self::PageRank
            | Self::Radii
            | Self::Diameter
            | Self::Radius
            | Self::Eccentricity
            | Self::Distances
            | Self::Betweenness
            | Self::KCore
            | Self::Triangles
            | Self::Clustering
            | Self::Scc
            | Self::LabelPropagation
            | Self::Coloring
            | Self::IndependentSet => true,
        }
    }

    /// Its row of the table.
    pub fn specification(self) -> &'static Specification {
        let row = ALGORITHMS.iter().find(|row| row.algorithm == self);
        row.unwrap_or(&ALGORITHMS[0])
    }

    /// The algorithm that the command line or Python calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        ALGORITHMS.iter().find(|row| row.name == name || row.python_name == name).map(|row| row.algorithm)
    }

    /// Memory of lists that it holds, of a graph with `arcs` entries in the lists that it reads, with `slots` workers.
    pub const fn held_bytes(self, vertices: u32, arcs: u64, slots: usize) -> HeldBytes {
        match self {
            Self::KCore => kcore::held_bytes(),
            Self::Triangles => triangles::held_bytes(vertices, arcs, slots),
            Self::Scc | Self::Diameter | Self::Radius | Self::Eccentricity => scc::held_bytes(vertices, arcs, slots),
            Self::Clustering => clustering::held_bytes(vertices, arcs, slots),
            _ => HeldBytes { least: 0, most: 0 },
        }
    }

    /// Memory of the algorithm itself over `vertices` vertices, in the model [`Model::EdgeMap`] where it is written in that; without lists,
    /// frontiers and ranks.
    pub fn memory(self, vertices: u32, demand: Demand) -> MemoryPlan {
        let personalized = demand.personalized;
        match (self, demand.precision) {
            (Self::Bfs, _) => bfs::memory(vertices),
            (Self::Wcc, _) => wcc::memory(vertices),
            (Self::Sssp, Precision::Double) => sssp::memory::<AtomicU64>(vertices),
            (Self::Sssp, Precision::Single) => sssp::memory::<AtomicU32>(vertices),
            (Self::KCore, _) => kcore::memory(vertices),
            (Self::Triangles, _) => triangles::memory(vertices),
            (Self::Scc, _) => scc::memory(vertices),
            (Self::Clustering, _) => clustering::memory(vertices),
            (Self::PageRank, Precision::Double) => pagerank::memory::<AtomicU64>(vertices, personalized),
            (Self::PageRank, Precision::Single) => pagerank::memory::<AtomicU32>(vertices, personalized),
            (Self::Spmv, Precision::Double) => spmv::memory::<AtomicU64>(vertices),
            (Self::Spmv, Precision::Single) => spmv::memory::<AtomicU32>(vertices),
            (Self::Radii, _) => radii::memory(vertices),
            (Self::Diameter, _) => diameter::memory(vertices),
            (Self::Radius | Self::Eccentricity, _) => eccentricity::memory(vertices),
            (Self::Distances, _) => apsp::memory(vertices, demand.sources),
            (Self::Betweenness, _) => bc::memory(vertices, demand.batch),
            (Self::PersonalizedPageRank, Precision::Double) => ppr::memory::<AtomicU64>(vertices),
            (Self::PersonalizedPageRank, Precision::Single) => ppr::memory::<AtomicU32>(vertices),
            (Self::LabelPropagation | Self::Coloring | Self::IndependentSet | Self::Walks, _) => MemoryPlan::new(),
            (Self::Beliefs | Self::Heat, _) => MemoryPlan::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_names_and_leads_back_to_itself() {
        for row in ALGORITHMS {
            assert_eq!(Algorithm::from_name(row.name), Some(row.algorithm));
            assert_eq!(Algorithm::from_name(row.python_name), Some(row.algorithm));
            assert_eq!(row.algorithm.specification().name, row.name);
        }
        assert_eq!(Algorithm::from_name("nonsense"), None);
    }

    #[test]
    fn a_column_a_source_is_told_by_what_stands_around_its_id() {
        let [plain, each] = ["distance", "distance_<id>"].map(|name| ColumnInfo { name, meaning: "" });
        assert!(plain.describes("distance") && !plain.describes("distance_7"));
        assert!(each.describes("distance_7") && each.describes("distance_") && !each.describes("distance"));
    }
}
