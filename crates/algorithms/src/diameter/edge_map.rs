//! Diameter, exact or between two bounds.
//!
//! Definition: the eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that
//! it reaches. The diameter is the largest eccentricity of all vertices: the greatest finite distance between any pair.
//! For an undirected graph, it is the largest diameter of its components; in a directed graph, pairs in different
//! strongly connected components count, too. (igraph's `diameter` is the same; NetworkX has none for a graph that is
//! not strongly connected.)
//!
//! Papers: Takes and Kosters, CIKM 2011 (bounds, and choice of sources); for directed graphs Akiba, Iwata and Kawata,
//! ALENEX 2015 (bounds within a strongly connected component, and from out-neighbors); Magnien, Latapy and Habib, JEA
//! 2009 (double sweep).
//!
//! Method: a double sweep from the vertex of the largest (strongly connected) component with the most edges; then
//! searches that narrow the bounds of all vertices, alternately from open vertices of the largest upper bound and of
//! the smallest lower bound, and from the center of the largest component; ties go to the higher degree, then to the
//! smaller original ID. A vertex is open while its upper bound exceeds the largest known eccentricity. If searches
//! close few vertices and have few levels, 64 run at once.
//!
//! Returns: `diameter`, null if the bounds have not met; `lower` and `upper`, its bounds; `exact`, whether they are
//! equal; `searches`, the number of searches. `eccentricity` u32, null if unknown.
//!
//! Memory: 28.25 bytes per vertex with components, 4 more for degrees (8 in a directed graph), frontiers, both indexes;
//! the ranks of vertices, in stores of another order than the original; while components are computed, the memory for
//! that.
//!
//! Passes over the edges per search: each list at most once when pushing, and part of the in-lists once per pulling
//! level; in a directed graph again for lists of the source's component, and the lists of open vertices up to 8 times
//! (initially, those outside of the largest component up to 256 times, as long as bounds decrease). 64 at once search
//! twice.
//!
//! Deviations: the exact diameter can require as many searches as there are vertices, if nearly all have the same
//! eccentricity. The result including bounds does not depend on threads, order or layout; duplicate edges, loops and
//! weights make no difference.

use crate::outcome::{Column, Outcome, Scalar, ScalarValue, Values};
use crate::search::bounds::{Bounds, Components, Goal};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Maximum number of searches, unless the exact diameter or another number is requested.
pub const SEARCHES: u32 = 16;

/// Searches until the bounds meet, or from at most `limit` vertices.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn diameter(engine: &Engine<'_>, components: Components<'_>, limit: Option<u32>) -> Result<Outcome> {
    let mut bounds = Bounds::new(engine, components, Goal::Diameter)?;
    bounds.narrow(limit)?;
    let some = engine.vertices() > 0;
    let (lower, upper) = (bounds.greatest, bounds.most().max(bounds.greatest));
    let exact = lower == upper;
    let values = vec![
        Scalar::count("diameter", Some(lower).filter(|_| exact && some)),
        Scalar::count("lower", Some(lower).filter(|_| some)),
        Scalar::count("upper", Some(upper).filter(|_| some)),
        Scalar { name: "exact", value: Some(ScalarValue::Flag(exact)) },
        Scalar::count("searches", bounds.searches),
    ];
    let iterations = bounds.iterations;
    let column = Column::new("eccentricity", Values::Count(bounds.into_known(|_, _| true)));
    Ok(Outcome { values, ..Outcome::new(vec![column], iterations) })
}
