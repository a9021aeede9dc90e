//! Communities by local moving, refinement and grouping, over the lists of the store and then over those of ever
//! smaller graphs of groups.
//!
//! Definition, papers and deviations: see the module.
//!
//! Returns: `community`, the smallest original ID in the community, never null; with a hierarchy `level_<i>`, the
//! same for each level with other communities, in temporary files.
//!
//! Memory: 44 bytes per vertex, 16 more to refine communities, 4 for a hierarchy, half a byte of sets, the degrees (4
//! bytes per direction), both indexes, a mebibyte to sort the edges between groups, and lists in memory, at least 256
//! KiB; in stores of another order the ranks (4 bytes).
//!
//! Passes over the edges: one to sum weights. In each iteration, every list once so that its vertex may move, in 8
//! turns in the first iteration; the lists of vertices with a moved neighbor in each round; one pass to sum the edges
//! between groups, and with refinement two more. The lists of a graph of groups are in memory or, if they do not fit
//! there, in a temporary file.

use super::grouping::{Between, Grouping};
use super::hierarchy::Hierarchy;
use super::levels::Levels;
use super::moving::{Moving, Weighing};
use super::partition::Partition;
use super::refinement::{Chance, Merging, Outside, RefinementArrays};
use crate::IdOrder;
use crate::models::messages::Purpose as Chances;
use crate::outcome::{Column, Outcome, Scalar, ScalarValue, Values};
use crate::weights::Refuse;
use outcrop_engine::Engine;
use outcrop_types::{BitSet, MemoryPlan, Purpose, Result, SplitMix64, VertexId, VertexSet, VertexValues};

/// Increase of modularity that multiplies the probability of a part in a refinement by e, in mean edge weights.
const TEMPERATURE: f64 = 0.01;

/// Number of turns in which vertices move first: they approximate a random order, which finds better communities than
/// that of the store.
const TURNS: u32 = 8;

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Weight of the expected edges in the modularity.
    pub resolution: f64,
    /// Random seed.
    pub seed: u64,
    /// True to refine communities.
    pub refines: bool,
    /// Maximum number of iterations.
    pub iterations: u32,
    /// Maximum number of levels.
    pub levels: u32,
}

/// Returns the memory for `vertices` vertices, without the indexes, degrees and lists.
pub fn memory(vertices: u32, refines: bool) -> MemoryPlan {
    let plan = Partition::memory(vertices)
        .and(&Levels::memory(vertices))
        .with(Purpose::VertexValues, VertexValues::<u32>::bytes(vertices.into()))
        .with(Purpose::Frontier, frontier_bytes(vertices));
    if refines { plan.and(&RefinementArrays::memory(vertices)) } else { plan }
}

/// Returns the memory of the vertices of this round and the next, of all vertices, and of those with lists in memory.
const fn frontier_bytes(vertices: u32) -> u64 {
    3 * BitSet::bytes(vertices) + VertexSet::bytes(vertices)
}

/// Finds communities.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if temporary files cannot be
/// written, if a weight cannot be added up (the error is that of `refuse`), or if the run is interrupted.
pub(super) fn communities(
    engine: &Engine<'_>,
    levels: Levels<'_, '_>,
    hierarchy: Option<Hierarchy<'_>>,
    ranks: IdOrder<'_>,
    options: Options,
    refuse: Refuse<'_>,
) -> Result<Outcome> {
    let _frontiers = engine.budget().reserve(frontier_bytes(engine.vertices()), Purpose::Frontier)?;
    let mut detection = Detection {
        engine,
        options,
        levels,
        hierarchy,
        partition: Partition::new(engine)?,
        group_of: engine.vertex_values(|vertex| vertex)?,
        arrays: options.refines.then(|| RefinementArrays::new(engine)).transpose()?,
        total: 0.0,
        modularity: None,
        progress: Done::default(),
        rounds: 0,
    };
    detection.weigh(refuse)?;
    while detection.iterate()? {}
    Ok(detection.into_outcome(ranks))
}

/// State of a run between iterations.
#[derive(Default)]
struct Done {
    /// Number of complete iterations.
    iterations: u32,
    /// Number of moves in this iteration.
    moved: u64,
    /// Largest number of levels of an iteration.
    levels: u32,
}

/// Order of vertices: at random, each takes one of some turns.
struct Turns {
    numbers: SplitMix64,
    turns: u32,
    /// Next turn.
    turn: u32,
}

impl Turns {
    /// Returns the vertices of the next turn and those of `others`; none only after the last turn.
    fn next(&mut self, others: BitSet) -> BitSet {
        while self.turn < self.turns {
            let is_next = |vertex: &VertexId| self.numbers.up_to(u64::from(*vertex), self.turns - 1) == self.turn;
            (0..others.universe()).filter(is_next).for_each(|vertex| _ = others.insert_alone(vertex));
            self.turn += 1;
            if others.count() > 0 {
                break;
            }
        }
        others
    }
}

/// Run in progress.
struct Detection<'r, 'g> {
    engine: &'r Engine<'g>,
    options: Options,
    levels: Levels<'r, 'g>,
    hierarchy: Option<Hierarchy<'r>>,
    partition: Partition,
    /// Group of each vertex of the store.
    group_of: VertexValues<u32>,
    arrays: Option<RefinementArrays>,
    /// Sum of the weights of all vertices: twice that of all edges.
    total: f64,
    modularity: Option<f64>,
    progress: Done,
    /// Number of iterations in the record: rounds of vertices of the store, and one for all others of an iteration.
    rounds: u32,
}

impl Detection<'_, '_> {
    /// Sums the weights of vertices.
    fn weigh(&mut self, refuse: Refuse<'_>) -> Result<()> {
        let loops = self.levels.store().loop_factor();
        self.levels.visit_all(&mut Weighing::new(&mut self.partition.weights, loops))?;
        self.levels.store().refused().check(refuse)?;
        self.partition.totals.copy_from_slice(&self.partition.weights);
        self.total = self.partition.weights.iter().sum();
        Ok(())
    }

    /// Returns the resolution divided by the sum of all weights.
    fn scale(&self) -> f64 {
        if self.total > 0.0 { self.options.resolution / self.total } else { 0.0 }
    }

    /// Performs an iteration; returns true if another one follows.
    fn iterate(&mut self) -> Result<bool> {
        self.move_vertices()?;
        self.note_level()?;
        while self.levels.depth() + 1 < self.options.levels && self.group()? {
            self.move_groups()?;
            self.note_level()?;
        }
        self.progress.levels = self.progress.levels.max(self.levels.depth() + 1);
        self.measure()?;
        self.ungroup()?;
        let moved = std::mem::take(&mut self.progress.moved);
        self.progress.iterations += 1;
        self.rounds = self.engine.end_iteration(Some(moved as f64));
        Ok(moved > 0 && self.progress.iterations < self.options.iterations)
    }

    /// Adds the communities of this level to the hierarchy.
    fn note_level(&mut self) -> Result<()> {
        let group_of = (self.levels.depth() > 0).then_some(&self.group_of[..]);
        self.hierarchy.as_mut().map_or(Ok(()), |hierarchy| hierarchy.add(&self.partition, group_of))
    }

    /// Moves vertices of the store until no move increases the modularity.
    fn move_vertices(&mut self) -> Result<()> {
        // Later iterations begin with communities that hardly change.
        let mut turns = self.turns(if self.progress.iterations == 0 { TURNS } else { 1 });
        let mut now = turns.next(BitSet::empty(self.partition.vertices));
        while now.count() > 0 {
            let (Done { iterations, moved, levels }, partition) = (&mut self.progress, &mut self.partition);
            self.engine.checkpoint("communities", |state| {
                state.number(iterations)?;
                state.number(moved)?;
                state.number(levels)?;
                state.number(&mut turns.turns)?;
                state.number(&mut turns.turn)?;
                state.values(&mut partition.community)?;
                state.values(&mut partition.other)?;
                state.values(&mut partition.totals)?;
                state.members(&mut now)?;
                state.require(partition.community.iter().all(|community| *community < partition.vertices))
            })?;
            let (moved, next) = self.round(&now)?;
            self.engine.end_iteration(Some(moved as f64));
            now = turns.next(next);
        }
        Ok(())
    }

    /// Moves groups until no move increases the modularity.
    fn move_groups(&mut self) -> Result<()> {
        let mut turns = self.turns(TURNS);
        let mut now = turns.next(BitSet::empty(self.partition.vertices));
        while now.count() > 0 {
            let (_, next) = self.round(&now)?;
            now = turns.next(next);
        }
        Ok(())
    }

    /// Returns `turns` turns of the vertices of this level.
    fn turns(&self, turns: u32) -> Turns {
        Turns { numbers: SplitMix64::new(self.options.seed, Chances::Turns.of(self.part())), turns, turn: 0 }
    }

    /// Returns a number of this iteration and level.
    fn part(&self) -> u64 {
        u64::from(self.progress.iterations) << 16 | u64::from(self.levels.depth())
    }

    /// Moves the vertices `now`; returns the number of moves, and the vertices to move next.
    fn round(&mut self, now: &BitSet) -> Result<(u64, BitSet)> {
        let (scale, loops) = (self.scale(), self.levels.loops());
        let mut moving = Moving::new(&mut self.partition, scale, loops, now);
        self.levels.visit(now, &mut moving)?;
        let (moved, next) = moving.finish();
        self.progress.moved += moved;
        Ok((moved, next))
    }

    /// Makes communities, or the parts that a refinement divides them into, the vertices. Returns false if every vertex
    /// is a community.
    fn group(&mut self) -> Result<bool> {
        if self.partition.number_communities() == self.partition.vertices {
            return Ok(false);
        }
        if !self.refine()? {
            let Partition { community, other, vertices, .. } = &mut self.partition;
            other[..*vertices as usize].copy_from_slice(&community[..*vertices as usize]);
        }
        let groups = self.partition.number_groups();
        let mut grouping = Grouping::new(&mut self.partition, self.levels.sums()?);
        self.levels.visit_all(&mut grouping)?;
        let sums = grouping.finish();
        let (is_first, parts) = (self.levels.depth() == 0, &self.partition.other);
        self.engine.workers().for_each_value(&mut self.group_of, |vertex, group| {
            *group = parts[if is_first { vertex } else { *group } as usize];
        });
        self.partition.become_groups(groups);
        self.levels.descend(groups, sums)?;
        Ok(true)
    }

    /// Divides communities into parts; returns false if that is not asked for, or if every vertex is a part.
    fn refine(&mut self) -> Result<bool> {
        let part = self.part();
        let scale = self.scale();
        let Some(arrays) = &mut self.arrays else { return Ok(false) };
        self.partition.count_sizes();
        let members = self.partition.in_larger_communities();
        arrays.begin(&mut self.partition);
        self.levels.visit(&members, &mut Outside::new(&self.partition, arrays))?;
        let mean = self.total / self.levels.store().all_entries() as f64;
        let numbers = SplitMix64::new(self.options.seed, Chances::Communities.of(part));
        let chance = Chance { numbers, temperature: TEMPERATURE * mean };
        let mut merging = Merging::new(&mut self.partition, arrays, scale, chance);
        self.levels.visit(&members, &mut merging)?;
        Ok(merging.parts() < self.partition.vertices)
    }

    /// Computes the modularity; `None` without edges.
    fn measure(&mut self) -> Result<()> {
        let mut between = Between::new(&self.partition);
        self.levels.visit_all(&mut between)?;
        let (between, total) = (between.sum(), self.total);
        let squares: f64 = self.partition.totals[..self.partition.vertices as usize]
            .iter()
            .map(|weight| (weight / total) * (weight / total))
            .sum();
        let inside = (total - between) / total;
        self.modularity = (total > 0.0).then_some(inside - self.options.resolution * squares);
        Ok(())
    }

    /// Assigns the communities of groups to the vertices of the store.
    fn ungroup(&mut self) -> Result<()> {
        if self.levels.depth() == 0 {
            return Ok(());
        }
        let Partition { community, totals, vertices, .. } = &mut self.partition;
        totals[*vertices as usize..].fill(0.0);
        self.engine.workers().for_each_value(&mut self.group_of, |_, group| *group = community[*group as usize]);
        std::mem::swap(community, &mut self.group_of);
        *vertices = self.engine.vertices();
        self.partition.count_sizes();
        self.levels.ascend()
    }

    /// Names communities after the smallest ranks of their vertices, and returns the outcome.
    fn into_outcome(self, ranks: IdOrder<'_>) -> Outcome {
        let Partition { mut community, other: mut least, .. } = self.partition;
        least.fill(u32::MAX);
        for (vertex, name) in (0..).zip(&*community) {
            let least = &mut least[*name as usize];
            *least = ranks.of(vertex).min(*least);
        }
        self.engine.workers().for_each_value(&mut community, |_, name| *name = least[*name as usize]);
        let modularity = Scalar { name: "modularity", value: self.modularity.map(ScalarValue::Number) };
        let values = vec![modularity, Scalar::count("levels", self.progress.levels)];
        let levels = self.hierarchy.into_iter().flat_map(Hierarchy::into_columns);
        let columns = std::iter::once(Column::new("community", Values::Node(community))).chain(levels);
        Outcome { values, ..Outcome::new(columns.collect(), self.rounds) }
    }
}
