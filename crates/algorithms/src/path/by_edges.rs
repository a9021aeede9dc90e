//! Shortest path by the number of edges.
//!
//! Definition: a path from a source to a target with the smallest number of edges along their direction.
//!
//! Paper: bidirectional breadth-first search (Pohl, Machine Intelligence 6, 1971), as edge maps.
//!
//! Returns: the ranks of the vertices of the path, and `distance`; no vertices and null if there is no path.
//!
//! Memory: 4 bytes per vertex and frontiers, both indexes, 4 bytes per vertex of the path, and in stores of another
//! order the ranks (4 bytes per vertex).
//!
//! Passes over the edges: the lists of a vertex at most once, of those nearer to either end than the middle of the
//! path, and one list per vertex of the path.
//!
//! Deviations: a step is always a whole level, from the end with fewer vertices in it. All edges where the searches
//! meet in that level are on shortest paths; that of the smallest original IDs is taken, and from there, the smallest
//! original ID of each level. The result thus does not depend on threads, order or layout.

use super::found::{self, Ends};
use crate::outcome::{Outcome, Scalar};
use crate::search::push::push;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues, index_from};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Marker in the labels of vertices that were found from the target.
const BACKWARD: u32 = 1 << 31;

/// Returns the memory for `vertices` vertices, without frontiers and the indexes.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let labels = VertexValues::<u32>::bytes(vertices.into());
    found::memory(vertices).with(Purpose::VertexValues, labels).with(Purpose::Frontier, VertexSet::bytes(vertices))
}

/// Searches for a path between `ends`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn path(engine: &Engine<'_>, ends: Ends, ranks: IdOrder<'_>) -> Result<Outcome> {
    if ends.source == ends.target {
        let mut path = found::blank(engine, 1)?;
        path[0] = ranks.of(ends.source);
        return Ok(found::outcome(path, Scalar::count("distance", 0), 0));
    }
    let held = engine.budget().reserve(VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
    let label = engine.vertex_values(|vertex| AtomicU32::new(label_at(vertex, ends)))?;
    let mut search = Search { label, ranks, level: 0, meeting: Least::new() };
    let iterations = search.until_meeting(engine, ends)?;
    drop(held);
    let Some((near, far)) = search.meeting.take() else {
        return Ok(found::outcome(found::blank(engine, 0)?, Scalar::count("distance", None), iterations));
    };
    let [before, after] = [near, far].map(|vertex| search.label[vertex as usize].load(Relaxed) & !BACKWARD);
    let length = before + after + 1;
    let mut path = found::blank(engine, index_from(u64::from(length) + 1))?;
    search.trace(engine, near, Direction::In, |steps, vertex| path[steps as usize] = ranks.of(vertex))?;
    search.trace(engine, far, Direction::Out, |steps, vertex| path[(length - steps) as usize] = ranks.of(vertex))?;
    engine.end_iteration(None);
    Ok(found::outcome(path, Scalar::count("distance", length), iterations))
}

/// Returns the label of `vertex` at the start of a search between `ends`.
fn label_at(vertex: VertexId, ends: Ends) -> u32 {
    match vertex {
        vertex if vertex == ends.source => 0,
        vertex if vertex == ends.target => BACKWARD,
        _ => UNREACHED,
    }
}

struct Search<'r> {
    /// Distance from the source, or distance to the target with [`BACKWARD`].
    label: VertexValues<AtomicU32>,
    ranks: IdOrder<'r>,
    /// Label of the vertices found in this level.
    level: u32,
    /// Edge where the searches meet.
    meeting: Least,
}

impl Search<'_> {
    /// Searches from both ends until the searches meet or one of them ends; returns the number of levels.
    fn until_meeting(&mut self, engine: &Engine<'_>, ends: Ends) -> Result<u32> {
        let alone = |vertex| VertexSet::from_members(vec![vertex], engine.vertices());
        let (mut forward, mut backward) = ((alone(ends.source), 0), (alone(ends.target), 0));
        while self.meeting.is_none() && !forward.0.is_empty() && !backward.0.is_empty() {
            engine.checkpoint("levels", |state| {
                [&mut forward, &mut backward].into_iter().try_for_each(|(farthest, depth)| {
                    state.bounded(depth, u64::from(BACKWARD) - 2)?;
                    state.frontier(farthest)
                })?;
                state.shared(&self.label)
            })?;
            let (along, side, (farthest, depth)) = match forward.0.len() <= backward.0.len() {
                true => (Direction::Out, 0, &mut forward),
                false => (Direction::In, BACKWARD, &mut backward),
            };
            self.level = side | (*depth + 1);
            *farthest = engine.edge_map(farthest, self, EdgeMapOptions { along, ..EdgeMapOutput::Frontier.into() })?;
            *depth += 1;
            engine.end_iteration(None);
        }
        Ok(forward.1 + backward.1)
    }

    /// Calls `at` with each vertex on the way from `vertex` to its end along lists of `direction`, and with its
    /// distance from that end.
    fn trace(
        &self,
        engine: &Engine<'_>,
        mut vertex: VertexId,
        direction: Direction,
        mut at: impl FnMut(u32, VertexId),
    ) -> Result<()> {
        let mut label = self.label[vertex as usize].load(Relaxed);
        at(label & !BACKWARD, vertex);
        while label & !BACKWARD > 0 {
            label -= 1;
            let next = Least::new();
            let alone = VertexSet::from_members(vec![vertex], engine.vertices());
            push(engine, engine.lists(direction)?, &alone, &|_, other| {
                if self.label[other as usize].load(Relaxed) == label {
                    next.note(self.ranks.of(other).into(), (other, other));
                }
            })?;
            vertex = next.take().ok_or_else(|| Error::internal("a vertex of a path has no neighbor"))?.0;
            at(label & !BACKWARD, vertex);
        }
        Ok(())
    }
}

impl EdgeMap for Search<'_> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let label = &self.label[target as usize];
        let known = label.load(Relaxed);
        if known == UNREACHED {
            return label.compare_exchange(UNREACHED, self.level, Relaxed, Relaxed).is_ok();
        }
        if (known ^ self.level) & BACKWARD > 0 {
            let (near, far) = if self.level & BACKWARD > 0 { (target, source) } else { (source, target) };
            let key = u64::from(self.ranks.of(near)) << 32 | u64::from(self.ranks.of(far));
            self.meeting.note(key, (near, far));
        }
        false
    }

    /// Returns true for unreached vertices, and for those that the other search has reached.
    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        let known = self.label[target as usize].load(Relaxed);
        known == UNREACHED || (known ^ self.level) & BACKWARD > 0
    }
}

/// Edge with the smallest key, recorded by any thread.
struct Least {
    key: AtomicU64,
    edge: Mutex<(u64, Option<(VertexId, VertexId)>)>,
}

impl Least {
    const fn new() -> Self {
        Self { key: AtomicU64::new(u64::MAX), edge: Mutex::new((u64::MAX, None)) }
    }

    fn is_none(&self) -> bool {
        self.key.load(Relaxed) == u64::MAX
    }

    /// Records `edge`, unless one with a smaller key is recorded.
    fn note(&self, key: u64, edge: (VertexId, VertexId)) {
        if key < self.key.fetch_min(key, Relaxed) {
            let mut noted = self.edge.lock().unwrap_or_else(PoisonError::into_inner);
            if key < noted.0 {
                *noted = (key, Some(edge));
            }
        }
    }

    fn take(&self) -> Option<(VertexId, VertexId)> {
        self.edge.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}
