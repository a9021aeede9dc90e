//! Several shortest paths.
//!
//! Definition: the k shortest paths from a source to a target that visit no vertex twice, by the sum of weights, which
//! must not be negative, or by the number of edges.
//!
//! Papers: Yen, "Finding the K Shortest Loopless Paths in a Network", Management Science 17, 1971, without the repeated
//! searches that Lawler, Management Science 18, 1972, avoids; each search is A* (Hart, Nilsson and Raphael, IEEE
//! Transactions on Systems Science and Cybernetics 4, 1968) with exact distances to the target, from one run of
//! delta-stepping.
//!
//! Returns: the vertices of the paths, each with its distance from the source; `paths` and `distance`.
//!
//! Memory: 8 bytes per vertex, frontiers, both indexes; in stores of another order the ranks (4 bytes per vertex); at
//! least 1 MiB for lists of vertices near the paths, paths, and the vertices that a search reaches (96 bytes each),
//! which may take more than planned.
//!
//! Passes over the edges: those of `sssp` along the in-lists; then the out-lists of the vertices that searches reach,
//! once if they fit in memory.
//!
//! Deviations: none; which of equally long paths are found does not depend on threads, memory, order or layout.

use super::found::Ends;
use crate::outcome::{Outcome, Paths, Scalar};
use crate::sssp::edge_map::{self, Relax};
use crate::sssp::{BucketWidth, width};
use crate::weights::{Refused, RefusedEdge};
use crate::{AtomicFloat, IdOrder};
use bytemuck::{Pod, Zeroable};
use outcrop_engine::{Engine, Gather, State};
use outcrop_store::access::Neighbors;
use outcrop_types::{
    Direction, Error, MemoryNeed, MemoryPlan, Purpose, Reservation, Result, RunEnd, VertexId, VertexSet, VertexValues,
    index_from, length_from, number_from,
};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

/// Location of checkpoints, before each path.
const PLACE: &str = "paths";

/// Number of vertices that a search visits between checks of its memory.
const STRIDE: usize = 1 << 10;

/// Approximate memory per reached vertex, with its entries in the queue, in bytes.
const REACHED_BYTES: u64 = 96;

/// Approximate memory per list in memory, in bytes, without its entries.
const LIST_BYTES: u64 = 64;

/// Greatest number of steps of paths in a checkpoint.
const MOST_SAVED: u64 = 1 << 40;

/// Returns the memory for `vertices` vertices, without frontiers, the indexes and in-memory lists.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    edge_map::memory::<AtomicU64>(vertices, false)
}

/// Finds at most `most` paths between two ends, in `held` bytes of memory for lists and paths, or more if necessary.
///
/// # Errors
///
/// Returns an error under the same conditions as [`edge_map::sssp`].
pub(super) fn paths(
    engine: &Engine<'_>,
    ends: Ends,
    ranks: IdOrder<'_>,
    most: u32,
    held: u64,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let relax = Relax::<AtomicU64>::new(engine)?.against();
    let mut iterations = 0;
    if !engine.resumes_at(PLACE) {
        let frontier = relax.begin(engine, &[ends.target]);
        iterations = relax.lower(engine, frontier, width::of(engine, BucketWidth::Auto)?, false, &refuse)?;
    }
    engine.set_end(RunEnd::Iterations { most: iterations.saturating_add(most), tolerance: None });
    let held = engine.budget().reserve(held, Purpose::HeldLists)?;
    let space = Space { held, lists: 0, paths: 0 };
    let relax = &relax;
    let mut search =
        Search { engine, ranks, target: ends.target, lists: HashMap::new(), space, too_long: Refused::new(), relax };
    let paths = search.shortest(ends.source, most, &mut iterations)?;
    let too_long = search.too_long;
    if paths.len() < most as usize {
        too_long.check(&refuse)?;
        relax.check_beyond(engine, &refuse)?;
    }
    let count = Scalar::count("paths", number_from::<u32>(paths.len()));
    let distance = Scalar::number("distance", paths.first().map(Path::length));
    let lengths = paths.iter().map(|path| path.steps.len());
    let ends = lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let steps: Vec<Step> = paths.into_iter().flat_map(|path| path.steps).collect();
    let budget = engine.budget();
    let paths = Paths {
        ranks: VertexValues::new(budget, Purpose::HeldLists, steps.len(), |place| steps[place].rank)?,
        distances: VertexValues::new(budget, Purpose::HeldLists, steps.len(), |place| steps[place].distance)?,
        ends,
    };
    Ok(Outcome { paths: Some(paths), values: vec![count, distance], ..Outcome::new(Vec::new(), iterations) })
}

/// Vertex of a path.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Step {
    vertex: VertexId,
    rank: u32,
    /// Distance from the source.
    distance: f64,
}

/// Path from the source to the target, ordered by its length.
#[derive(Clone, Debug)]
struct Path {
    steps: Vec<Step>,
    /// Number of the last vertex, counted from 0, up to which an earlier path is the same.
    deviation: usize,
}

impl Path {
    fn length(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.distance)
    }

    fn bytes(&self) -> u64 {
        length_from(size_of::<Self>() + self.steps.len() * size_of::<Step>())
    }

    /// Returns true if the paths have the same vertices up to number `last`.
    fn begins_like(&self, other: &Self, last: usize) -> bool {
        let mut pairs = self.steps.iter().zip(&other.steps).take(last + 1);
        self.steps.len() > last + 1 && pairs.all(|(one, other)| one.vertex == other.vertex)
    }
}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_ranks = || self.steps.iter().map(|step| step.rank).cmp(other.steps.iter().map(|step| step.rank));
        self.length().total_cmp(&other.length()).then_with(by_ranks)
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Path {}

/// Memory of a search for paths.
struct Space {
    held: Reservation,
    /// Bytes of lists in memory.
    lists: u64,
    /// Bytes of paths.
    paths: u64,
}

/// Out-neighbors of a vertex, each once, and the smallest weight of the edges to it.
type List = Vec<(VertexId, f64)>;

struct Search<'s> {
    engine: &'s Engine<'s>,
    ranks: IdOrder<'s>,
    target: VertexId,
    lists: HashMap<VertexId, List>,
    space: Space,
    /// Edges of paths whose length exceeds the range of f64; such a path is none of those found.
    too_long: Refused,
    /// Search from the target: the distance of each vertex to it, and whether one exceeds the range of f64.
    relax: &'s Relax<AtomicU64>,
}

/// Vertex that a search has reached.
#[derive(Clone, Copy)]
struct Reached {
    distance: f64,
    before: VertexId,
    /// True if its list has been visited since its distance fell.
    visited: bool,
}

/// Entry of the queue of a search.
struct Next {
    /// Length of the shortest path by way of the vertex, without regard to the vertices to avoid.
    bound: f64,
    distance: f64,
    rank: u32,
    vertex: VertexId,
}

impl Ord for Next {
    /// The vertex that is nearest to the target comes first of those with the same bound.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = other.distance.total_cmp(&self.distance);
        self.bound.total_cmp(&other.bound).then(by_distance).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

impl Search<'_> {
    /// Returns the shortest paths from `source`, at most `most`, and counts `iterations`. Each path is a round.
    fn shortest(&mut self, source: VertexId, most: u32, iterations: &mut u32) -> Result<Vec<Path>> {
        let start = Step { vertex: source, rank: self.ranks.of(source), distance: 0.0 };
        let start = Path { steps: vec![start], deviation: 0 };
        let mut found: Vec<Path> = Vec::new();
        let mut candidates = BTreeSet::new();
        if !self.engine.resumes_at(PLACE) {
            candidates.extend(self.continued(&start, 0, &HashSet::new())?);
        }
        loop {
            self.engine.checkpoint(PLACE, |state| {
                state.number(iterations)?;
                state.shared(&self.relax.distance)?;
                visit_paths(state, &mut found, &mut candidates)?;
                visit_refused(state, self.engine.vertices(), &mut self.too_long)?;
                self.relax.visit_beyond(state)
            })?;
            let Some(path) = candidates.pop_first() else { break };
            found.push(path.clone());
            let rest = most as usize - found.len();
            let deviations = if rest == 0 { 0..0 } else { path.deviation..path.steps.len() - 1 };
            for last in deviations {
                let like = found.iter().filter(|other| other.begins_like(&path, last));
                let taken: HashSet<VertexId> = like.map(|other| other.steps[last + 1].vertex).collect();
                candidates.extend(self.continued(&path, last, &taken)?);
                if candidates.len() > rest {
                    candidates.pop_last();
                }
            }
            self.space.paths = found.iter().chain(&candidates).map(Path::bytes).sum();
            *iterations = self.engine.end_iteration(None);
            if rest == 0 {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the shortest path that is the same as `path` up to the vertex of number `last`, and from there does not
    /// go to a vertex of `taken`.
    fn continued(&mut self, path: &Path, last: usize, taken: &HashSet<VertexId>) -> Result<Option<Path>> {
        let Step { vertex: first, distance, .. } = path.steps[last];
        let start = self.next(first, distance);
        if start.bound.is_infinite() {
            return Ok(None);
        }
        let avoided: HashSet<VertexId> = path.steps[..last].iter().map(|step| step.vertex).collect();
        let mut reached = HashMap::from([(first, Reached { distance, before: first, visited: false })]);
        let mut queue = BinaryHeap::from([Reverse(start)]);
        let mut visits = 0;
        while let Some(Reverse(Next { vertex, distance, .. })) = queue.pop() {
            if vertex == self.target {
                return Ok(Some(self.path_to(&path.steps[..last], first, &reached)));
            }
            match reached.get_mut(&vertex) {
                Some(known) if known.distance == distance && !known.visited => known.visited = true,
                _ => continue,
            }
            visits += 1;
            if visits % STRIDE == 0 {
                self.settle(length_from(reached.len().max(queue.len())) * REACHED_BYTES)?;
            }
            self.load(vertex)?;
            let list = self.lists.get(&vertex).map_or(&[][..], Vec::as_slice);
            for (other, weight) in list {
                if avoided.contains(other) || vertex == first && taken.contains(other) {
                    continue;
                }
                let next = self.next(*other, distance + weight);
                if next.bound.is_infinite() {
                    let left: f64 = AtomicFloat::load(&self.relax.distance[*other as usize]);
                    if left.is_finite() && !reached.contains_key(other) {
                        self.too_long.note(vertex, *other, *weight);
                    }
                    continue;
                }
                let nearer = Reached { distance: next.distance, before: vertex, visited: false };
                match reached.get_mut(other) {
                    Some(known) if known.distance > next.distance => *known = nearer,
                    Some(known) => {
                        // Of equally near predecessors, the one with the smallest ID, whatever the order of the lists.
                        let ranks = [vertex, known.before].map(|vertex| self.ranks.of(vertex));
                        if known.distance == next.distance && !known.visited && ranks[0] < ranks[1] {
                            known.before = vertex;
                        }
                        continue;
                    }
                    None => _ = reached.insert(*other, nearer),
                }
                queue.push(Reverse(next));
            }
        }
        Ok(None)
    }

    fn next(&self, vertex: VertexId, distance: f64) -> Next {
        let left: f64 = AtomicFloat::load(&self.relax.distance[vertex as usize]);
        Next { bound: distance + left, distance, rank: self.ranks.of(vertex), vertex }
    }

    /// Returns the path of `steps` and then the way from `first` to the target.
    fn path_to(&self, steps: &[Step], first: VertexId, reached: &HashMap<VertexId, Reached>) -> Path {
        let step = |vertex: &VertexId| Step {
            vertex: *vertex,
            rank: self.ranks.of(*vertex),
            distance: reached.get(vertex).map_or(f64::INFINITY, |reached| reached.distance),
        };
        let before = |vertex: &VertexId| Some(reached.get(vertex)?.before).filter(|_| *vertex != first);
        let mut rest: Vec<Step> =
            std::iter::successors(Some(self.target), before).map(|vertex| step(&vertex)).collect();
        rest.reverse();
        Path { steps: [steps, &rest].concat(), deviation: steps.len() }
    }

    /// Loads the list of `vertex`, unless it is in memory.
    fn load(&mut self, vertex: VertexId) -> Result<()> {
        if self.lists.contains_key(&vertex) {
            return Ok(());
        }
        let list = Load(Mutex::default());
        let alone = VertexSet::from_members(vec![vertex], self.engine.vertices());
        self.engine.gather_over(&alone, Direction::Out, &list)?;
        let list = list.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.space.lists += LIST_BYTES + length_from(size_of_val(&list[..]));
        self.lists.insert(vertex, list);
        if self.space.lists > self.space.held.bytes() / 2 {
            self.settle(0)?;
        }
        Ok(())
    }

    /// Makes the memory suffice for a search of `search` bytes beside lists and paths: lists are dropped first.
    fn settle(&mut self, search: u64) -> Result<()> {
        self.engine.workers().cancellation().check()?;
        let Space { held, lists, paths } = &mut self.space;
        if *lists > held.bytes() / 2 || search + *paths + *lists > held.bytes() {
            self.lists.clear();
            self.lists.shrink_to_fit();
            *lists = 0;
        }
        let needed = search + *paths;
        if needed <= held.bytes() {
            return Ok(());
        }
        // A search may reach every vertex, and add it to the queue twice.
        let sufficient = 2 * (*paths + REACHED_BYTES * u64::from(self.engine.vertices())) - held.bytes();
        held.grow_to(needed).map_err(|error| match error {
            Error::BudgetTooSmall { budget, plan, retry: Some(need), hint } => {
                let need = MemoryNeed { bytes: need.bytes.max(sufficient), ..need };
                Error::BudgetTooSmall { budget, plan, retry: Some(need), hint }
            }
            other => other,
        })
    }
}

/// Serializes paths: first the lengths and deviations of those found, then of candidates, then all steps.
fn visit_paths(state: &mut State<'_>, found: &mut Vec<Path>, candidates: &mut BTreeSet<Path>) -> Result<()> {
    let mut count = length_from(found.len());
    let all = || found.iter().chain(&*candidates);
    let mut shapes: Vec<[u32; 2]> =
        all().map(|path| [number_from(path.steps.len()), number_from(path.deviation)]).collect();
    let mut steps: Vec<Step> = all().flat_map(|path| path.steps.iter().copied()).collect();
    state.number(&mut count)?;
    state.list(&mut shapes, MOST_SAVED)?;
    state.list(&mut steps, MOST_SAVED)?;
    let total: u64 = shapes.iter().map(|[length, _]| u64::from(*length)).sum();
    state.require(total == length_from(steps.len()) && count <= length_from(shapes.len()))?;
    state.require(shapes.iter().all(|[length, deviation]| deviation < length))?;
    let mut steps = steps.into_iter();
    let path = |[length, deviation]: [u32; 2]| Path {
        steps: steps.by_ref().take(length as usize).collect(),
        deviation: deviation as usize,
    };
    let mut paths = shapes.into_iter().map(path);
    *found = paths.by_ref().take(index_from(count)).collect();
    *candidates = paths.collect();
    Ok(())
}

/// Serializes an edge of a path that is too long, if there is one.
fn visit_refused(state: &mut State<'_>, vertices: u32, too_long: &mut Refused) -> Result<()> {
    let edge = too_long.edge();
    let mut ends: Vec<[VertexId; 2]> = edge.iter().map(|edge| [edge.source, edge.target]).collect();
    let mut weights: Vec<f64> = edge.iter().map(|edge| edge.weight).collect();
    state.list(&mut ends, 1)?;
    state.list(&mut weights, 1)?;
    state.require(ends.len() == weights.len() && ends.as_flattened().iter().all(|vertex| *vertex < vertices))?;
    *too_long = Refused::new();
    ends.iter().zip(weights).for_each(|([source, target], weight)| too_long.note(*source, *target, weight));
    Ok(())
}

/// Collects a list.
struct Load(Mutex<List>);

impl Gather for Load {
    type Sum = List;

    fn begin(&self, _: VertexId) -> List {
        List::new()
    }

    fn gather(&self, list: &mut List, piece: Neighbors<'_>) {
        _ = piece.try_for_each(|other, weight| {
            // Lists are ascending, so duplicates are adjacent.
            match list.last_mut() {
                Some((last, least)) if *last == other => *least = least.min(weight),
                _ => list.push((other, weight)),
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, _: VertexId, list: List) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = list;
    }
}
