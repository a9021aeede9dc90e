//! Graph algorithms on outcrop's engines, one folder each, with their descriptions, parameters and programs in all
//! models. This crate performs no I/O, timing or printing.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod algorithm;
pub mod apsp;
pub mod assortativity;
mod atomic_float;
pub mod bc;
pub mod bfs;
pub mod bipartite;
pub mod bp;
pub mod bridges;
pub mod cdlp;
pub mod closeness;
pub mod coloring;
pub mod degrees;
pub mod densest;
pub mod diameter;
pub mod eccentricity;
pub mod fastrp;
pub mod heat;
mod id_order;
pub mod kcore;
pub mod lcc;
pub mod leiden;
pub mod mis;
pub mod models;
pub mod modularity;
mod names;
mod outcome;
pub mod pagerank;
pub mod params;
pub mod path;
mod plan;
pub mod ppr;
mod probability;
pub mod profile;
pub mod radii;
pub mod sampling;
pub mod scc;
mod search;
mod session;
mod shape;
pub mod similarity;
pub mod spanning_forest;
mod spec;
pub mod spectral;
pub mod spmv;
pub mod sssp;
pub mod topological_sort;
pub mod triangles;
pub mod walks;
pub mod wcc;
pub mod weights;

pub use algorithm::{Algorithm, Starts, StartsOf, VectorUse};
pub use atomic_float::AtomicFloat;
pub use id_order::{IdOrder, UNREACHED};
pub use names::option_here;
pub use outcome::{Column, Convergence, InMemoryListBytes, Outcome, Paths, Scalar, ScalarValue, Values};
pub use outcrop_io::ValueFile;
pub use plan::{Batch, EdgeMapDriver, EdgeMapWork, GasDriver, IntervalDriver, ListUse, MessageDriver, ModelWork, Plan};
pub use search::Components;
pub use session::{GraphTables, Session, VertexVector};
pub use shape::Shape;
pub use spec::{
    ColumnInfo, Cost, EACH_SOURCE, Model, ModelChoice, Precision, Requirements, ScalarInfo, Spec, Statistic,
    ValuePlace, Weights,
};

/// Registry of all algorithms, used by the command line, the Python package, the reference pages and the tests. A
/// constant, because unit tests of this crate would otherwise contain every algorithm.
pub const ALGORITHMS: &[&dyn Algorithm] = &[
    &bfs::Bfs,
    &sssp::Sssp,
    &path::ShortestPath,
    &path::KShortestPaths,
    &wcc::Wcc,
    &pagerank::PageRank,
    &radii::Radii,
    &diameter::Diameter,
    &eccentricity::Radius,
    &eccentricity::Eccentricity,
    &apsp::Apsp,
    &bc::Betweenness,
    &closeness::Closeness,
    &closeness::Harmonic,
    &spectral::Eigenvector,
    &spectral::Katz,
    &spectral::Hits,
    &degrees::Degrees,
    &assortativity::Assortativity,
    &ppr::PersonalizedPageRank,
    &kcore::KCore,
    &densest::Densest,
    &triangles::Triangles,
    &lcc::Clustering,
    &scc::Scc,
    &topological_sort::TopologicalSort,
    &spanning_forest::SpanningForest,
    &bridges::Bridges,
    &bipartite::Bipartite,
    &coloring::Coloring,
    &spmv::Spmv,
    &cdlp::LabelPropagation,
    &leiden::Leiden,
    &leiden::Louvain,
    &modularity::Modularity,
    &similarity::Similarity,
    &similarity::MostSimilar,
    &fastrp::FastRp,
    &mis::IndependentSet,
    &walks::RandomWalks,
    &bp::Beliefs,
    &heat::Heat,
];

/// Returns the algorithm that users call `name`, on the command line or in Python.
pub fn find_algorithm(name: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.spec().is_called(name)).copied()
}

/// Returns the algorithms that answer the question of `name`, a name in this or another system, each with a
/// description; empty if unknown.
pub fn relatives(name: &str) -> Vec<(&'static Spec, &'static str)> {
    // Python replaces the dashes of command names by underscores.
    if let Some(algorithm) = find_algorithm(name).or_else(|| find_algorithm(&name.replace('_', "-"))) {
        return vec![(algorithm.spec(), "")];
    }
    let named = names::algorithms_here(name).iter();
    named.filter_map(|(name, what)| Some((find_algorithm(name)?.spec(), *what))).collect()
}
