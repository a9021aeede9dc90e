//! Topological order.
//!
//! Definition: an order of the vertices of a directed graph without cycles in which each edge leads from an earlier to
//! a later vertex: ascending by level, which is the number of edges on a longest path to the vertex, then by original
//! ID.
//!
//! Paper: Kahn, Communications of the ACM 5, 1962, level by level: removes the vertices without in-edges, and then
//! those that have none left.
//!
//! Returns: `level` and `position` u32, null for vertices on and behind cycles; with weights `longest` f64, the largest
//! sum of weights of a path to the vertex, 0 if all are negative; `acyclic`, `levels` and `cyclic`.
//!
//! Memory: 12 bytes per vertex, 20 with weights, and frontiers, the index of the out-lists; in stores of another order
//! the ranks and the vertices of ranks (8 bytes).
//!
//! Passes over the edges: the out-list of a vertex once when it is removed.
//!
//! Deviations: a level is removed at once, so that the order does not depend on threads, order or layout.

use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::weights::require_range;
use crate::{AtomicFloat, IdOrder, UNREACHED};
use outcrop_engine::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_types::{
    MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, number_from,
};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, including the degrees but without frontiers and the index.
pub(super) fn memory(vertices: u32, weighted: bool) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    let values = if weighted { 5 * numbers } else { 3 * numbers };
    MemoryPlan::new().with(Purpose::VertexValues, values).with(Purpose::Degrees, numbers)
}

/// Removes vertices without in-edges, level by level, and finds longest paths if edges are `weighted`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn topological_sort(
    engine: &Engine<'_>,
    in_degrees: VertexValues<u32>,
    ranks: IdOrder<'_>,
    weighted: bool,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let left = in_degrees.map(AtomicU32::new);
    let longest = weighted.then(|| engine.vertex_values(|_| AtomicFloat::new(0.0))).transpose()?;
    let levels = engine.vertex_values(|_| AtomicU32::new(UNREACHED))?;
    let mut sources =
        engine.vertex_filter(&VertexSet::all(vertices), |vertex| left[vertex as usize].load(Relaxed) == 0);
    let (mut level, mut sorted) = (0, 0_u32);
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: true });
    while !sources.is_empty() {
        engine.checkpoint("levels", |state| {
            state.number(&mut level)?;
            state.number(&mut sorted)?;
            state.frontier(&mut sources)?;
            state.shared(&left)?;
            state.shared(&levels)?;
            longest.iter().try_for_each(|longest| state.shared(longest))
        })?;
        engine.vertex_map(&sources, |vertex| levels[vertex as usize].store(level, Relaxed));
        sorted += number_from::<u32>(sources.len());
        let options = EdgeMapOptions { dense: Dense::PushSweep, ..EdgeMapOutput::Frontier.into() };
        sources = engine.edge_map(&sources, &Remove { left: &left, longest: longest.as_deref() }, options)?;
        level += 1;
        engine.end_iteration(None);
        engine.set_done(sorted.into());
    }
    if let Some(longest) = &longest {
        let largest = longest.iter().map(AtomicFloat::load).fold(0.0, f64::max);
        require_range(largest, "the sum of the weights of a longest path")?;
    }
    let positions = positions(engine, &levels, left, ranks)?;
    let values = vec![
        Scalar::flag("acyclic", sorted == vertices),
        Scalar::count("levels", level),
        Scalar::count("cyclic", vertices - sorted),
    ];
    let levels = levels.map(AtomicU32::into_inner);
    let longest = longest.map(|longest| {
        let mut level = levels.iter();
        // Vertices on and behind cycles have no longest path.
        let known = |longest: AtomicU64| match level.next() {
            Some(&UNREACHED) => f64::INFINITY,
            _ => longest.into_plain(),
        };
        Column::new("longest", Values::Float64(longest.map(known)))
    });
    let columns = [("level", levels), ("position", positions)];
    let columns = columns.map(|(name, values)| Column::new(name, Values::Count(values)));
    Ok(Outcome { values, ..Outcome::new(columns.into_iter().chain(longest).collect(), level) })
}

/// Returns the place of each vertex among those with a level; `starts` is overwritten.
fn positions(
    engine: &Engine<'_>,
    levels: &[AtomicU32],
    starts: VertexValues<AtomicU32>,
    ranks: IdOrder<'_>,
) -> Result<VertexValues<u32>> {
    let mut starts = starts.map(|_| 0_u32);
    let level_of = |vertex: VertexId| levels[vertex as usize].load(Relaxed);
    let with_level = |vertex: &VertexId| level_of(*vertex) != UNREACHED;
    (0..engine.vertices()).filter(with_level).for_each(|vertex| starts[level_of(vertex) as usize] += 1);
    let mut next = 0;
    starts.iter_mut().for_each(|count| next += std::mem::replace(count, next));
    let mut positions = VertexValues::new(engine.budget(), Purpose::VertexValues, levels.len(), |_| UNREACHED)?;
    let order = ranks.inverse(engine)?;
    for vertex in (0..engine.vertices()).map(|rank| order.of(rank)).filter(with_level) {
        let start = &mut starts[level_of(vertex) as usize];
        positions[vertex as usize] = *start;
        *start += 1;
    }
    Ok(positions)
}

/// Removal of the edges from removed vertices.
struct Remove<'l> {
    /// Number of in-edges left.
    left: &'l [AtomicU32],
    /// Length of the longest path to each vertex.
    longest: Option<&'l [AtomicU64]>,
}

impl EdgeMap for Remove<'_> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        if let Some(longest) = self.longest {
            let length = AtomicFloat::load(&longest[source as usize]) + weight;
            if length > AtomicFloat::load(&longest[target as usize]) {
                // The bits of nonnegative floats are in the order of the floats.
                longest[target as usize].fetch_max(length.to_bits(), Relaxed);
            }
        }
        self.left[target as usize].fetch_sub(1, Relaxed) == 1
    }
}
