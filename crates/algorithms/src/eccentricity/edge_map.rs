//! Eccentricities of the largest component, and the radius.
//!
//! Definition: the eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that
//! it reaches. The largest component is strongly connected in a directed graph (in a tie, the one with the smallest
//! original ID); vertices reached outside of it count. The radius is the smallest eccentricity of its vertices.
//!
//! Papers and method: as for [`crate::diameter`] (Takes and Kosters, Algorithms 2013). A vertex is open while its
//! bounds differ; for the radius, while its lower bound is less than the smallest upper bound.
//!
//! Returns: `eccentricity` u32, null outside of the largest component and, for the radius, if unknown; `radius`, null
//! without vertices; `searches`, the number of searches.
//!
//! Memory, passes over the edges and deviations: as for [`crate::diameter`], except that lists of open vertices are not
//! read. Computing all eccentricities takes the most searches if they differ little.

use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::search::bounds::{Bounds, Components, Goal};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Searches until the eccentricity of each vertex of the largest component is known.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn eccentricity(engine: &Engine<'_>, components: Components<'_>) -> Result<Outcome> {
    let mut bounds = Bounds::new(engine, components, Goal::Eccentricities)?;
    bounds.narrow(None)?;
    let searches = Scalar::count("searches", bounds.searches);
    Ok(outcome(bounds, vec![searches]))
}

/// Searches until the smallest eccentricity of the largest component is known.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn radius(engine: &Engine<'_>, components: Components<'_>) -> Result<Outcome> {
    let mut bounds = Bounds::new(engine, components, Goal::Radius)?;
    bounds.narrow(None)?;
    let radius = Some(bounds.least()).filter(|_| engine.vertices() > 0);
    let values = vec![Scalar::count("radius", radius), Scalar::count("searches", bounds.searches)];
    Ok(outcome(bounds, values))
}

fn outcome(bounds: Bounds<'_, '_>, values: Vec<Scalar>) -> Outcome {
    let iterations = bounds.iterations;
    let column = Column::new("eccentricity", Values::Count(bounds.into_known(Bounds::is_in_largest)));
    Outcome { values, ..Outcome::new(vec![column], iterations) }
}
