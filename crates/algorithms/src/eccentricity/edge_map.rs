//! Eccentricities of the largest component, and the radius.
//!
//! Definition: the eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that
//! it reaches. The largest component is the strongly connected one in a directed graph (of several that of the smallest
//! original id); what its vertices reach beyond it counts. The radius is the smallest eccentricity of its vertices.
//! Papers and method: as of [`crate::diameter`] (Takes and Kosters, Algorithms 2013). A vertex is open while its bounds
//! differ; for the radius, while its lower bound is below the smallest upper bound. Returns: `eccentricity` u32, null
//! outside of the largest component, and for the radius where it is not known; `radius`, null without vertices;
//! `searches`, how many vertices were searched from. Memory, passes over the edges and deviations: as of
//! [`crate::diameter`], but that lists of open vertices are not read. All eccentricities take most searches where they
//! differ little.

use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::search::bounds::{Bounds, Components, Goal};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Searches until the eccentricity of each vertex of the largest component is known.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn eccentricity(engine: &Engine<'_>, components: Components<'_>) -> Result<Outcome> {
    let mut bounds = Bounds::new(engine, components, Goal::Eccentricities)?;
    bounds.narrow(None)?;
    let searches = Scalar::count("searches", bounds.searches);
    Ok(outcome(bounds, vec![searches]))
}

/// Searches until the smallest eccentricity of the largest component is known.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
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
