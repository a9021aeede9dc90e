//! The vertices that are most similar to each vertex, by its neighbors and theirs.
//!
//! Definition: with N(v) the set of out-neighbors of v that have at most a given number of in-neighbors, a function of
//! N(v) and N(w), see [`Measure`], for each pair of vertices with a common neighbor; the k most similar of each vertex,
//! of equally similar ones those of the smallest original IDs. Duplicate edges count once, and loops are ignored.
//!
//! Papers: those of `similarity`; the product of the adjacency matrix and its transpose, row by row (Gustavson, TOMS 4,
//! 1978), for as many rows at a time as fit in memory.
//!
//! Returns: `similar_<i>`, an original ID, and `similarity_<i>` f64, for i from 1 to k, in temporary files; null if
//! fewer vertices share a neighbor with the vertex.
//!
//! Memory: 8 bytes per vertex for numbers of neighbors and at least 8 for common neighbors; 16 k bytes for each of
//! 4,096 vertices; a set of vertices; both indexes; in stores of another order the ranks (4 bytes).
//!
//! Passes over the edges: one along the lists of each direction, unless they are simple and all count; the out-lists
//! twice; for each group of vertices, the in-lists of their out-neighbors. A group has a common neighbor for each 8
//! bytes of memory.
//!
//! Deviations: terms are summed as integers (see `similarity`), so that the result does not depend on threads, memory,
//! order or layout.

use super::edge_map::{Each, count};
use super::measure::{Measure, Sums};
use crate::outcome::{Column, Outcome, Values};
use crate::session::Session;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::neighborhood::Distinct;
use outcrop_engine::{Engine, Gather, Plain};
use outcrop_io::ValueFile;
use outcrop_store::access::Neighbors;
use outcrop_types::{
    BitSet, Direction, Error, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexRange, VertexSet,
    VertexValues, index_from, length_from, number_from,
};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Number of vertices whose rows are written together.
const BLOCK: u32 = 1 << 12;

/// Location of checkpoints.
const PLACE: &str = "vertices";

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) measure: Measure,
    /// Number of similar vertices to find per vertex.
    pub(super) most: u32,
    /// Greatest number of in-neighbors of a common neighbor.
    pub(super) max_degree: u32,
}

/// Vertex in the row of another one.
#[derive(Clone, Copy, Debug)]
struct Similar {
    similarity: f64,
    rank: u32,
}

impl Similar {
    const NONE: Self = Self { similarity: f64::INFINITY, rank: UNREACHED };
}

/// Returns the memory of the rows of a block, in bytes.
fn row_bytes(vertices: u32, most: u32) -> u64 {
    u64::from(vertices.min(BLOCK)) * u64::from(most) * length_from(size_of::<Similar>())
}

/// Returns the memory of checksums of the files, in bytes.
fn checksum_bytes(vertices: u32, most: u32) -> u64 {
    let [ids, similarities] = [4, 8].map(|bytes| ValueFile::<f64>::checksum_bytes(bytes * u64::from(vertices)));
    u64::from(most) * (ids + similarities) + ValueFile::<f64>::FILL_BYTES
}

/// Returns the memory of the sets of neighbors of a group, in bytes.
const fn frontier_bytes(vertices: u32) -> u64 {
    BitSet::bytes(vertices) + VertexSet::bytes(vertices)
}

/// Returns the memory for `vertices` vertices, without the indexes and that of [`least_held`].
pub(super) fn memory(vertices: u32, most: u32) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::Degrees, 2 * VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, frontier_bytes(vertices))
        .with(Purpose::Results, row_bytes(vertices, most) + checksum_bytes(vertices, most))
}

/// Returns the least memory for common neighbors, in bytes: a sum per vertex.
pub(super) fn least_held(vertices: u32) -> u64 {
    VertexValues::<u64>::bytes(u64::from(vertices))
}

/// Returns the space for temporary files, in bytes: those of the result, and one more to sort one by original ID.
pub(super) fn temporary_bytes(vertices: u32, most: u32) -> u64 {
    (12 * u64::from(most) + 8) * u64::from(vertices).max(1)
}

/// Finds the most similar vertices of each vertex.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub(super) fn most_similar(engine: &Engine<'_>, run: &Session<'_>, search: Search) -> Result<Outcome> {
    let (vertices, most) = (engine.vertices(), search.most);
    let _results =
        engine.budget().reserve(row_bytes(vertices, most) + checksum_bytes(vertices, most), Purpose::Results)?;
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: false });
    let counts = Counts::new(engine, run, search.max_degree)?;
    let places = index_from(run.held.max(least_held(vertices)) / 8);
    let mut space = VertexValues::zeroes(engine.budget(), Purpose::HeldLists, places)?;
    let rows = Rows { engine, ranks: run.ranks, search, counts };
    let empty = |_| Ok((file(run, UNREACHED)?, file(run, f64::INFINITY)?));
    let (ids, similarities): (Vec<_>, Vec<_>) = (0..most).map(empty).collect::<Result<Vec<_>>>()?.into_iter().unzip();
    // The rows are complete below this vertex.
    let (mut done, mut iterations) = (0, 0);
    while done < vertices {
        engine.checkpoint(PLACE, |state| {
            state.bounded(&mut done, vertices.into())?;
            state.number(&mut iterations)?;
            ids.iter().try_for_each(|file| state.file(file))?;
            similarities.iter().try_for_each(|file| state.file(file))
        })?;
        let block = VertexRange::new(done, done.saturating_add(BLOCK).min(vertices));
        let found = rows.of_block(block, &mut space)?;
        let row_length = index_from(most.into());
        for (place, (ids, similarities)) in ids.iter().zip(&similarities).enumerate() {
            let column = || found.iter().skip(place).step_by(row_length);
            ids.write(done.into(), &column().map(|similar| similar.rank).collect::<Vec<_>>())?;
            similarities.write(done.into(), &column().map(|similar| similar.similarity).collect::<Vec<_>>())?;
        }
        done = block.end;
        engine.set_done(done.into());
        iterations = engine.end_iteration(None);
    }
    let columns = (1_u32..).zip(ids.into_iter().zip(similarities)).flat_map(|(number, (ids, similarities))| {
        [
            Column::new(format!("similar_{number}"), Values::NodeFile(ids)),
            Column::new(format!("similarity_{number}"), Values::Float64File(similarities)),
        ]
    });
    Ok(Outcome::new(columns.collect(), iterations))
}

/// Creates a file with `value` for each vertex.
fn file<T: Plain>(run: &Session<'_>, value: T) -> Result<ValueFile<T>> {
    ValueFile::filled(run.spill()?, run.shape.vertices.into(), value)
}

/// Numbers of neighbors.
struct Counts {
    /// Number of in-neighbors.
    into: VertexValues<u32>,
    /// Number of out-neighbors that count.
    out: VertexValues<u32>,
    max_degree: u32,
}

impl Counts {
    fn new(engine: &Engine<'_>, run: &Session<'_>, max_degree: u32) -> Result<Self> {
        let all = VertexSet::all(engine.vertices());
        let into = match run.shape.simple {
            true => run.graph.degrees(Direction::In)?,
            false => count(engine, &all, Direction::In, |_| true)?,
        };
        let out = match run.shape.simple && max_degree == u32::MAX {
            true => run.graph.degrees(Direction::Out)?,
            false => count(engine, &all, Direction::Out, |neighbor| into[neighbor as usize] <= max_degree)?,
        };
        Ok(Self { into, out, max_degree })
    }

    /// Returns true if two vertices can have `neighbor` in common.
    fn is_shared(&self, neighbor: VertexId) -> bool {
        (2..=self.max_degree).contains(&self.into[neighbor as usize])
    }
}

/// Search for the rows of vertices.
struct Rows<'r> {
    engine: &'r Engine<'r>,
    ranks: IdOrder<'r>,
    search: Search,
    counts: Counts,
}

/// Out-neighbors of a vertex that others have, too.
#[derive(Clone, Copy)]
struct Shared {
    neighbors: u64,
    /// Sum of their numbers of in-neighbors.
    into: u64,
}

impl Shared {
    /// Returns the number of pairs of a neighbor and another vertex with it.
    const fn others(self) -> u64 {
        self.into - self.neighbors
    }
}

impl Rows<'_> {
    /// Returns the rows of the vertices of `block`, one after the other. There is `space` for a number per vertex.
    fn of_block(&self, block: VertexRange, space: &mut [AtomicU64]) -> Result<Vec<Similar>> {
        let shared = self.shared(block)?;
        let row_length = index_from(self.search.most.into());
        let mut rows = vec![Similar::NONE; row_length * shared.len()];
        let mut start = 0;
        while start < shared.len() {
            let mut sum = 0;
            let fits = |shared: &&Shared| {
                sum += shared.into;
                sum <= length_from(space.len())
            };
            let fitting = shared[start..].iter().take_while(fits).count();
            let end = start + fitting.max(1);
            let first = block.start + number_from::<u32>(start);
            let rows = &mut rows[start * row_length..end * row_length];
            match fitting {
                0 => self.of_one(first, space, rows)?,
                _ => self.of_group(first, &shared[start..end], space, rows)?,
            }
            start = end;
        }
        Ok(rows)
    }

    /// Counts the neighbors that each vertex of `block` shares with others.
    fn shared(&self, block: VertexRange) -> Result<Vec<Shared>> {
        let zeros = || block.iter().map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let (neighbors, into) = (zeros(), zeros());
        let add = |vertex: VertexId, neighbor: VertexId| {
            if self.counts.is_shared(neighbor) {
                let place = (vertex - block.start) as usize;
                neighbors[place].fetch_add(1, Relaxed);
                into[place].fetch_add(self.counts.into[neighbor as usize].into(), Relaxed);
            }
        };
        self.engine.gather_over(&self.members(block), Direction::Out, &Each(add))?;
        let numbers = neighbors.into_iter().zip(into).map(|(one, other)| (one.into_inner(), other.into_inner()));
        Ok(numbers.map(|(neighbors, into)| Shared { neighbors, into }).collect())
    }

    fn members(&self, range: VertexRange) -> VertexSet {
        VertexSet::from_members(range.iter().collect(), self.engine.vertices())
    }

    /// Finds the row of `vertex` by a sum for every other vertex.
    fn of_one(&self, vertex: VertexId, space: &[AtomicU64], row: &mut [Similar]) -> Result<()> {
        let Self { engine, counts, .. } = self;
        let alone = self.members(VertexRange::new(vertex, vertex + 1));
        let neighbors = BitSet::empty(engine.vertices());
        let add = |_, neighbor| {
            if counts.is_shared(neighbor) {
                neighbors.insert(neighbor);
            }
        };
        engine.gather_over(&alone, Direction::Out, &Each(add))?;
        engine.vertex_map(&VertexSet::all(engine.vertices()), |other| space[other as usize].store(0, Relaxed));
        let sums = Sums::new(self.search.measure, counts.out[vertex as usize]);
        let add = |neighbor: VertexId, other: VertexId| {
            space[other as usize].fetch_add(sums.term(counts.into[neighbor as usize]), Relaxed);
        };
        engine.gather_over(&VertexSet::from_bits(neighbors), Direction::In, &Each(add))?;
        let others = (0..engine.vertices()).filter(|other| *other != vertex);
        let found = others.map(|other| (other, space[other as usize].load(Relaxed)));
        self.fill(vertex, found.filter(|(_, sum)| *sum > 0), row);
        Ok(())
    }

    /// Finds the rows of several vertices, from `first` on, by a list of the others with each of their neighbors.
    fn of_group(
        &self,
        first: VertexId,
        shared: &[Shared],
        space: &mut [AtomicU64],
        rows: &mut [Similar],
    ) -> Result<()> {
        self.list(first, shared, space)?;
        let (mut lists, mut rest) = (Vec::with_capacity(shared.len()), space);
        for shared in shared {
            let (list, after) = rest.split_at_mut(index_from(shared.others()));
            lists.push(list);
            rest = after;
        }
        let mut rows: Vec<_> = rows.chunks_mut(index_from(self.search.most.into())).collect();
        let other = |entry: &AtomicU64| (entry.load(Relaxed) >> 32) as VertexId;
        self.engine.workers().map_runs(16, &mut lists, &mut rows, |start, lists, rows| {
            for ((vertex, list), row) in (first + number_from::<u32>(start)..).zip(lists).zip(rows) {
                list.sort_unstable_by_key(|entry| entry.load(Relaxed));
                let sums = Sums::new(self.search.measure, self.counts.out[vertex as usize]);
                let sum = |same: &[AtomicU64]| same.iter().map(|entry| sums.term(entry.load(Relaxed) as u32)).sum();
                let found = list.chunk_by(|one, next| other(one) == other(next));
                self.fill(vertex, found.map(|same| (other(&same[0]), sum(same))), row);
            }
        });
        Ok(())
    }

    /// Fills `space` with a list for each vertex from `first` on: the other vertices with each of its neighbors, in the
    /// upper half of a number, and how many have that neighbor, in the lower one.
    fn list(&self, first: VertexId, shared: &[Shared], space: &mut [AtomicU64]) -> Result<()> {
        let total = |of: fn(&Shared) -> u64| index_from(shared.iter().map(of).sum());
        let (lists, rest) = space.split_at_mut(total(|shared| shared.others()));
        let pairs = &mut rest[..total(|shared| shared.neighbors)];
        let next = AtomicUsize::new(0);
        let neighbors = BitSet::empty(self.engine.vertices());
        let add = |vertex: VertexId, neighbor: VertexId| {
            if self.counts.is_shared(neighbor) {
                neighbors.insert(neighbor);
                pairs[next.fetch_add(1, Relaxed)].store(pair(neighbor, vertex - first), Relaxed);
            }
        };
        let group = VertexRange::new(first, first + number_from::<u32>(shared.len()));
        self.engine.gather_over(&self.members(group), Direction::Out, &Each(add))?;
        self.engine.workers().sort_by_key(pairs, |pair| pair.load(Relaxed));
        let mut start = 0;
        let range = |shared: &Shared| {
            let range = (AtomicUsize::new(start), start + index_from(shared.others()));
            start = range.1;
            range
        };
        let ranges: Vec<_> = shared.iter().map(range).collect();
        let lists = Lists { pairs, first, counts: &self.counts, ranges: &ranges, lists };
        self.engine.gather_over(&VertexSet::from_bits(neighbors), Direction::In, &lists)?;
        match ranges.into_iter().all(|(next, end)| next.into_inner() == end) {
            true => Ok(()),
            false => Err(Error::internal("the lists of both directions have different edges")),
        }
    }

    /// Fills the row of `vertex` with the most similar of the vertices `found`, each with the sum of its terms.
    fn fill(&self, vertex: VertexId, found: impl Iterator<Item = (VertexId, u64)>, row: &mut [Similar]) {
        let measure = self.search.measure;
        let sums = Sums::new(measure, self.counts.out[vertex as usize]);
        let mut length = 0;
        for (other, sum) in found {
            let sizes = [vertex, other].map(|vertex| self.counts.out[vertex as usize]);
            let candidate = Similar { similarity: measure.similarity(sums.of(sum), sizes), rank: self.ranks.of(other) };
            let is_before = |kept: &Similar| {
                kept.similarity > candidate.similarity
                    || kept.similarity == candidate.similarity && kept.rank < candidate.rank
            };
            let place = row[..length].partition_point(is_before);
            if place < row.len() {
                length = row.len().min(length + 1);
                row[place..length].rotate_right(1);
                row[place] = candidate;
            }
        }
    }
}

/// Returns two numbers as one, ordered by the first.
const fn pair(one: u32, other: u32) -> u64 {
    (one as u64) << 32 | other as u64
}

/// Number of in-neighbors that are appended together.
const RUN: usize = 128;

/// Appends the in-neighbors of each gathered vertex to the lists of those of a group that it is a neighbor of.
struct Lists<'l> {
    /// Gathered vertices, and the position of their in-neighbors in the group, ascending.
    pairs: &'l [AtomicU64],
    /// First vertex of the group.
    first: VertexId,
    counts: &'l Counts,
    /// Position of the next entry of each list, and its end.
    ranges: &'l [(AtomicUsize, usize)],
    lists: &'l [AtomicU64],
}

impl Lists<'_> {
    /// Appends in-neighbors of `vertex`, ascending, to the lists of these `pairs`.
    fn append(&self, vertex: VertexId, pairs: &Range<usize>, others: &[VertexId]) {
        let count = self.counts.into[vertex as usize];
        for in_group in &self.pairs[pairs.clone()] {
            let position = in_group.load(Relaxed) as u32;
            // The vertex of the list itself is left out.
            let own = others.binary_search(&(self.first + position));
            let (before, after) = match own {
                Ok(place) => (&others[..place], &others[place + 1..]),
                Err(_) => (others, &[][..]),
            };
            let (next, end) = &self.ranges[position as usize];
            let place = next.fetch_add(before.len() + after.len(), Relaxed);
            // Beyond the end, only the position advances, which is an error later.
            for (entry, other) in self.lists[..*end].iter().skip(place).zip(before.iter().chain(after)) {
                entry.store(pair(*other, count), Relaxed);
            }
        }
    }
}

impl Gather for Lists<'_> {
    /// The vertex, its pairs, the last entry, and in-neighbors to append.
    type Sum = (VertexId, Range<usize>, Distinct, [VertexId; RUN], usize);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        let below = |end: u64| self.pairs.partition_point(|pair| pair.load(Relaxed) >> 32 < end);
        (vertex, below(vertex.into())..below(u64::from(vertex) + 1), Distinct::new(), [0; RUN], 0)
    }

    #[inline]
    fn gather(&self, (vertex, pairs, distinct, others, length): &mut Self::Sum, piece: Neighbors<'_>) {
        distinct.for_each(*vertex, piece, |other| {
            others[*length] = other;
            *length += 1;
            if *length == RUN {
                self.append(*vertex, pairs, others);
                *length = 0;
            }
        });
    }

    fn apply(&self, vertex: VertexId, (_, pairs, _, others, length): Self::Sum) {
        self.append(vertex, &pairs, &others[..length]);
    }
}
