//! Distances from many sources to all vertices.
//!
//! Definition: the distance is the minimum number of edges on a path from the source along the edges' direction.
//! Weights are ignored.
//!
//! Paper: MS-BFS (Then et al., PVLDB 2014); APSP of BASC and Norder (section 5), as in Graphene (Liu and Huang, FAST
//! 2017): a breadth-first search from each source, 64 at once, with one bit per source.
//!
//! Returns: one column `distance_<id>` per source, u32 in edges; null if unreached.
//!
//! Memory: 16 bytes per vertex, and 2 per vertex and source; frontiers, both indexes.
//!
//! Passes over the edges per 64 sources: the lists of a vertex once for each distance at which a source newly reaches
//! it.
//!
//! Deviations: columns of sources that reach farther than 65,534 edges need 4 bytes per vertex, which are reserved from
//! the budget when that happens. The result does not depend on threads, order or layout; duplicate edges and loops make
//! no difference.

use crate::outcome::{Column, Outcome, Values};
use crate::search::distances::Level;
use crate::search::multi_source::{self, Bits, LANES, Paths, Record};
use outcrop_engine::{Engine, State};
use outcrop_types::{
    MemoryBudget, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexValues, index_from, length_from,
};
use std::sync::atomic::{AtomicU16, AtomicU32};

/// Default number of random sources, as in the paper.
pub const SAMPLES: u32 = 128;

/// Returns the memory for `vertices` vertices and `sources` sources, without the indexes.
pub fn memory(vertices: u32, sources: u32) -> MemoryPlan {
    let column = VertexValues::<u16>::bytes(u64::from(vertices));
    multi_source::memory(vertices).with(Purpose::VertexValues, column.saturating_mul(u64::from(sources)))
}

/// Searches from each of the distinct `sources`; `names` contains the names of the columns, one per source.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn apsp(engine: &Engine<'_>, sources: &[VertexId], names: &[String]) -> Result<Outcome> {
    let count = engine.vertices() as usize;
    let mut bits = Bits::new(engine)?;
    let columns = sources.iter().map(|_| Distances::new(engine.budget(), count)).collect::<Result<_>>()?;
    let mut table = Table { columns, first: 0, distance: 0, budget: engine.budget() };
    let mut iterations = 0;
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Sources, total: length_from(sources.len()), at_most: false });
    while table.first < sources.len() {
        engine.checkpoint("batches", |state| {
            state.number(&mut iterations)?;
            table.visit(state)
        })?;
        engine.set_done(length_from(table.first));
        let rest = &sources[table.first..];
        let batch = &rest[..rest.len().min(LANES)];
        iterations = bits.search(engine, batch, Paths::OUT, &mut table)?;
        table.first += batch.len();
    }
    engine.set_done(length_from(sources.len()));
    let named = names.iter().zip(table.columns);
    let columns = named.map(|(name, column)| Column::new(format!("distance_{name}"), column.into_values())).collect();
    Ok(Outcome::new(columns, iterations))
}

/// Distances from all sources.
struct Table<'b> {
    columns: Vec<Distances>,
    /// Column of the first source of the batch.
    first: usize,
    /// Distance of the vertices found in this step.
    distance: u32,
    budget: &'b MemoryBudget,
}

impl Table<'_> {
    /// Serializes the completed columns.
    fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        let mut found = length_from(self.first);
        state.bounded(&mut found, length_from(self.columns.len()).saturating_sub(1))?;
        self.first = index_from(found);
        self.columns.iter_mut().take(self.first).try_for_each(|column| column.visit(state, self.budget))
    }
}

impl Record for Table<'_> {
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.distance = distance;
        if distance == u32::from(u16::MAX) {
            self.columns.iter_mut().skip(self.first).take(LANES).try_for_each(|column| column.widen(self.budget))?;
        }
        Ok(())
    }

    #[inline]
    fn note(&self, vertex: VertexId, mut sources: u64) {
        while sources != 0 {
            self.columns[self.first + sources.trailing_zeros() as usize].store(vertex, self.distance);
            sources &= sources - 1;
        }
    }
}

/// Distances from one source.
enum Distances {
    /// Distances up to 65,534; [`u16::MAX`] if unreached.
    Short(VertexValues<AtomicU16>),
    /// Distances; [`crate::UNREACHED`] if unreached.
    Long(VertexValues<AtomicU32>),
}

impl Distances {
    fn new(budget: &MemoryBudget, count: usize) -> Result<Self> {
        VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU16::new(u16::MAX)).map(Self::Short)
    }

    #[inline]
    fn store(&self, vertex: VertexId, distance: u32) {
        match self {
            Self::Short(values) => values[vertex as usize].set(distance),
            Self::Long(values) => values[vertex as usize].set(distance),
        }
    }

    fn visit(&mut self, state: &mut State<'_>, budget: &MemoryBudget) -> Result<()> {
        let mut wide = matches!(self, Self::Long(_));
        state.flag(&mut wide)?;
        if wide {
            self.widen(budget)?;
        }
        match self {
            Self::Short(values) => state.shared(values),
            Self::Long(values) => state.shared(values),
        }
    }

    /// Converts to distances of more than 16 bits.
    fn widen(&mut self, budget: &MemoryBudget) -> Result<()> {
        let Self::Short(values) = self else { return Ok(()) };
        let wide = |at: usize| values[at].widened();
        *self = Self::Long(VertexValues::new(budget, Purpose::VertexValues, values.len(), wide)?);
        Ok(())
    }

    fn into_values(self) -> Values {
        match self {
            Self::Short(values) => Level::into_values(values),
            Self::Long(values) => Level::into_values(values),
        }
    }
}
