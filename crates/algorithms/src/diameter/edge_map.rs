//! The diameter, exactly or between two bounds.
//!
//! Definition: the eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that
//! it reaches. The diameter is the largest eccentricity of all vertices: the greatest distance of any pair that has
//! one, in whichever component. Of an undirected graph that is the largest diameter of its components; of a directed
//! graph pairs count that are in no strongly connected component together. (igraph's `diameter` is the same; in a graph
//! that is not strongly connected NetworkX gives none.) Papers: Takes and Kosters, CIKM 2011 (bounds, and which
//! vertices to search from); for directed graphs Akiba, Iwata and Kawata, ALENEX 2015 (bounds within a strongly
//! connected component, and from out-neighbours); Magnien, Latapy and Habib, JEA 2009 (double sweep). Method: a double
//! sweep from the vertex of the largest (strongly connected) component that has the most edges; then searches that
//! narrow the bounds of all vertices, from open vertices of the largest upper bound and of the smallest lower bound in
//! turn, and from the centre of the largest component; ties go to the higher degree, then to the smaller original id. A
//! vertex is open while its upper bound is above the largest eccentricity that is known. Where searches close few and
//! levels are few too, 64 go at once. Returns: `diameter`, null where the bounds have not met; `lower` and `upper`,
//! bounds of it; `exact`, whether they are equal; `searches`, how many vertices were searched from. `eccentricity` u32,
//! null where it is not known. Memory: 28 bytes and a quarter a vertex with components, 4 more for degrees (8 in a
//! directed graph), frontiers, both indexes; the ranks of vertices, in stores of another order than the original; while
//! components are found, what these take. Passes over the edges for each search: each list at most once pushing, and
//! part of the in-lists once for each pulling level; in a directed graph again for lists of the source's component, and
//! the lists of open vertices up to 8 times (once, at first, those outside of the largest component up to 256 times, as
//! long as bounds become less). 64 at once search twice. Deviations: all of it can take as many searches as there are
//! vertices, where nearly all have one eccentricity. The answer, bounds included, does not depend on threads, order or
//! layout; repeated edges and loops make no difference, nor do weights.

use crate::outcome::{Column, Outcome, Scalar, ScalarValue, Values};
use crate::search::bounds::{Bounds, Components, Goal};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Most vertices that are searched from, where the exact diameter is not asked for, nor another number.
pub const SEARCHES: u32 = 16;

/// Searches until the bounds meet, or, with `limit`, from so many vertices at the most.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
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
