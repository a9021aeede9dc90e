//! Up to 64 breadth-first searches at once: each source is a bit of a word, and one pass over the lists of a level
//! serves all (MS-BFS: Then et al., PVLDB 2014; Radii of Ligra: Shun and Blelloch, PPoPP 2013, section 4.4).

use super::levels::{LevelSearch, Reach, by_levels};
use outcrop_engine::{EdgeMap, Engine, State};
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum number of sources at once: one bit each.
pub(crate) const LANES: usize = u64::BITS as usize;

/// Returns the memory for `vertices` vertices: 16 bytes each.
pub(crate) fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, 2 * VertexValues::<u64>::bytes(u64::from(vertices)))
}

/// Recorder of found vertices.
pub(crate) trait Record: Sync {
    /// Returns true if each level is an iteration.
    fn levels_are_iterations(&self) -> bool {
        true
    }

    /// Prepares for vertices at `distance` edges.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    fn begin_level(&mut self, distance: u32) -> Result<()>;

    /// Serializes the recorded data if checkpoints of levels are enabled, after `visit` has serialized the search.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`outcrop_engine::EngineContext::checkpoint`].
    fn checkpoint(&mut self, engine: &Engine<'_>, visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>) -> Result<()> {
        _ = (engine, visit);
        Ok(())
    }

    /// Records that the sources whose bits are set in `sources` have the distance of this level to `vertex`. Called
    /// concurrently, but by one thread per vertex.
    fn note(&self, vertex: VertexId, sources: u64);
}

/// Edges that a search follows.
#[derive(Clone, Copy)]
pub(crate) struct Paths<'p> {
    /// Direction: along the edges, or against them.
    pub(crate) along: Direction,
    /// Component of each vertex, if a search stays within one.
    pub(crate) within: Option<&'p [u32]>,
}

impl Paths<'_> {
    /// Paths along all edges.
    pub(crate) const OUT: Self = Self { along: Direction::Out, within: None };

    #[inline]
    fn allow(self, one: VertexId, other: VertexId) -> bool {
        self.within.is_none_or(|component| component[one as usize] == component[other as usize])
    }
}

/// Sources that have reached each vertex.
pub(crate) struct Bits {
    /// Sources that had reached the vertex before this level, one bit each.
    before: VertexValues<AtomicU64>,
    /// Sources that have reached the vertex; distances after a search from a single source.
    now: VertexValues<AtomicU64>,
}

impl Bits {
    /// Creates the state in which nothing is reached.
    pub(crate) fn new(engine: &Engine<'_>) -> Result<Self> {
        let bits = || engine.vertex_values(|_| AtomicU64::new(0));
        Ok(Self { before: bits()?, now: bits()? })
    }

    /// Searches from `sources`, at most [`LANES`], until nothing new is found; returns the number of the last
    /// iteration.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is
    /// interrupted.
    pub(crate) fn search(
        &mut self,
        engine: &Engine<'_>,
        sources: &[VertexId],
        paths: Paths<'_>,
        record: &mut impl Record,
    ) -> Result<u32> {
        self.before.iter_mut().chain(self.now.iter_mut()).for_each(|bits| *bits.get_mut() = 0);
        record.begin_level(0)?;
        for (lane, source) in sources.iter().take(LANES).enumerate() {
            let (at, bit) = (*source as usize, 1 << lane);
            self.before[at].fetch_or(bit, Relaxed);
            self.now[at].fetch_or(bit, Relaxed);
            record.note(*source, bit);
        }
        // Default: without sources, there are no bits.
        let all = u64::MAX.checked_shr(u64::BITS - sources.len().min(LANES) as u32).unwrap_or(0);
        let mut multi_source = MultiSourceSearch { bits: self, all, paths, record, iterations: 0 };
        by_levels(engine, &mut multi_source, VertexSet::from_members(sources.to_vec(), engine.vertices()).into())?;
        Ok(multi_source.iterations)
    }

    /// Searches from the single `source`, and stores distances instead of bits: see [`Bits::distance`].
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is
    /// interrupted.
    pub(crate) fn search_alone(&mut self, engine: &Engine<'_>, source: VertexId, paths: Paths<'_>) -> Result<Reach> {
        self.now.iter_mut().for_each(|distance| *distance.get_mut() = FAR);
        self.now[source as usize].store(0, Relaxed);
        let mut alone = SingleSourceSearch { distances: &self.now, paths, distance: 0 };
        by_levels(engine, &mut alone, VertexSet::from_members(vec![source], engine.vertices()).into())
    }

    /// Returns the distance of `vertex` in the last search, which must be from a single source; `None` if it was not
    /// reached.
    #[inline]
    pub(crate) fn distance(&self, vertex: VertexId) -> Option<u32> {
        u32::try_from(self.now[vertex as usize].load(Relaxed)).ok()
    }

    /// Returns two words per vertex as scratch space between searches.
    pub(crate) fn words(&self) -> (&[AtomicU64], &[AtomicU64]) {
        (&self.before, &self.now)
    }
}

struct MultiSourceSearch<'s, R> {
    bits: &'s Bits,
    /// Bits of all sources.
    all: u64,
    paths: Paths<'s>,
    record: &'s mut R,
    iterations: u32,
}

impl<R: Record> LevelSearch for MultiSourceSearch<'_, R> {
    fn along(&self) -> Direction {
        self.paths.along
    }

    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.record.begin_level(distance)
    }

    fn checkpoint(&mut self, engine: &Engine<'_>, depth: &mut u32, farthest: &mut VertexSet) -> Result<()> {
        let Bits { before, now } = self.bits;
        self.record.checkpoint(engine, &mut |state| {
            state.number(depth)?;
            state.frontier(farthest)?;
            state.shared(now)?;
            // Between levels, both are the same.
            before.iter().zip(now.iter()).for_each(|(before, now)| before.store(now.load(Relaxed), Relaxed));
            Ok(())
        })
    }

    fn end_level(&mut self, engine: &Engine<'_>, found: &VertexSet) {
        engine.vertex_map(found, |vertex| {
            let (before, now) = (&self.bits.before[vertex as usize], self.bits.now[vertex as usize].load(Relaxed));
            self.record.note(vertex, now & !before.load(Relaxed));
            before.store(now, Relaxed);
        });
        if self.record.levels_are_iterations() {
            self.iterations = engine.end_iteration(None);
        }
    }
}

/// Propagates the new bits of a source: the previous ones have already been propagated.
impl<R: Record> EdgeMap for MultiSourceSearch<'_, R> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let (from, now) = (self.bits.before[source as usize].load(Relaxed), &self.bits.now[target as usize]);
        from & !now.load(Relaxed) != 0 && self.paths.allow(source, target) && from & !now.fetch_or(from, Relaxed) != 0
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.bits.now[target as usize].load(Relaxed) != self.all
    }
}

/// Distance of an unreached vertex.
const FAR: u64 = u64::MAX;

/// Search from a single source.
struct SingleSourceSearch<'s> {
    distances: &'s [AtomicU64],
    paths: Paths<'s>,
    /// Distance of the vertices found in this step.
    distance: u64,
}

impl LevelSearch for SingleSourceSearch<'_> {
    fn along(&self) -> Direction {
        self.paths.along
    }

    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.distance = distance.into();
        Ok(())
    }
}

impl EdgeMap for SingleSourceSearch<'_> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        self.paths.allow(source, target)
            && self.distances[target as usize].compare_exchange(FAR, self.distance, Relaxed, Relaxed).is_ok()
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.distances[target as usize].load(Relaxed) == FAR
    }

    fn tries_first(&self) -> bool {
        true
    }
}
