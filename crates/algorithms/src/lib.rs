//! Graph algorithms over outcrop's engines, a folder each: what is known of it, what it takes, and its programs in all models. No I/O, no
//! timing, no printing in here.
#![forbid(unsafe_code)]

mod algorithm;
pub mod apsp;
mod atomic_float;
pub mod bc;
pub mod bfs;
pub mod bp;
pub mod cdlp;
pub mod coloring;
mod dangling;
pub mod diameter;
pub mod eccentricity;
pub mod heat;
pub mod kcore;
pub mod lcc;
mod mass;
pub mod mis;
pub mod models;
mod oriented;
pub mod out_weights;
mod outcome;
pub mod pagerank;
pub mod params;
pub mod ppr;
mod predecessors;
mod push;
pub mod radii;
mod ranking;
pub mod sampling;
pub mod scc;
mod search;
mod session;
mod spec;
pub mod spmv;
pub mod sssp;
pub mod triangles;
pub mod walks;
pub mod wcc;
pub mod weights;

pub use algorithm::{Algorithm, Batch, EdgeMapWork, Plan, Shape, Starts, StartsOf, VectorUse, Work};
pub use atomic_float::AtomicFloat;
pub use outcome::{Column, Convergence, HeldBytes, Outcome, Scalar, ScalarValue, Values};
pub use outcrop_io::ValueFile;
pub use search::Components;
pub use session::{GraphTables, ModelEngine, Session, VertexVector};
pub use spec::{
    ColumnInfo, EACH_SOURCE, Model, ModelChoice, Needs, Precision, ScalarInfo, Spec, Statistic, ValuePlace, Weights,
};

use outcrop_types::{VertexId, VertexValues};

/// All algorithms: the command line, the Python package, the reference pages and the tests go by this list.
pub static ALGORITHMS: &[&dyn Algorithm] = &[
    &bfs::Bfs,
    &sssp::Sssp,
    &wcc::Wcc,
    &pagerank::PageRank,
    &radii::Radii,
    &diameter::Diameter,
    &eccentricity::Radius,
    &eccentricity::Eccentricity,
    &apsp::Apsp,
    &bc::Betweenness,
    &ppr::PersonalizedPageRank,
    &kcore::KCore,
    &triangles::Triangles,
    &lcc::Clustering,
    &scc::Scc,
    &spmv::Spmv,
    &cdlp::LabelPropagation,
    &coloring::Coloring,
    &mis::IndependentSet,
    &walks::RandomWalks,
    &bp::Beliefs,
    &heat::Heat,
];

/// The algorithm that users call `name`, on the command line or in Python.
pub fn find_algorithm(name: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.spec().is_called(name)).copied()
}

/// The mark of a vertex that was not reached, in values that are ranks or counts.
pub const UNREACHED: u32 = u32::MAX;

/// The rank of each vertex among the original ids; `None` in original order, where it is the vertex's number.
#[derive(Clone, Copy, Debug)]
pub struct Ranks<'r>(pub Option<&'r VertexValues<u32>>);

impl Ranks<'_> {
    /// The rank of `vertex`.
    #[inline]
    pub fn of(self, vertex: VertexId) -> u32 {
        match self.0 {
            None => vertex,
            Some(ranks) => ranks[vertex as usize],
        }
    }

    /// True if ranks ascend with vertices.
    pub const fn ascending(self) -> bool {
        self.0.is_none()
    }
}
