//! Plans: an algorithm in one model, with its needs and its driver.

use crate::models::{GasWork, IntervalWork, MessageWork};
use crate::outcome::{InMemoryListBytes, Outcome};
use crate::session::Session;
use crate::spec::Requirements;
use outcrop_engine::interval::IntervalEngine;
use outcrop_engine::{Directions, Engine};
use outcrop_gas::GasEngine;
use outcrop_messages::MessageEngine;
use outcrop_types::{MemoryPlan, Result};

/// Plan of an algorithm in one model: its needs, and its driver.
pub struct Plan {
    /// Lists and tables that it reads.
    pub needs: Requirements,
    /// True if iterations read the lists of a frontier, in an order that does not match the disk, instead of sweeping:
    /// then pinned lists pay off (BASC, section 3).
    pub follows_frontiers: bool,
    /// Use of lists.
    pub list_use: ListUse,
    /// True if it serializes its state between rounds, so that it can be resumed.
    pub resumes: bool,
    /// True if it can start from the previous result after updates ([`outcrop_engine::EngineContext::restore_result`]).
    pub repairs: bool,
    /// The driver, with its requirements on the engine.
    pub work: ModelWork,
}

/// Use of lists in a run, which decides what is loaded before it if the memory suffices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListUse {
    /// Reads few lists, or each once: nothing is loaded.
    Few,
    /// Reads many lists about once: they are loaded only if they stay in memory for other runs, or are so short that
    /// decoding all of them is cheaper than finding those that are read.
    Once,
    /// Reads most lists, and most of them repeatedly: they are decoded.
    Repeated,
}

/// Requirements on the engine of a model, and the driver that uses it.
pub enum ModelWork {
    /// Edge maps.
    EdgeMap(EdgeMapWork, EdgeMapDriver),
    /// Interval updates.
    Interval(IntervalWork, IntervalDriver),
    /// Messages.
    Messages(MessageWork, MessageDriver),
    /// Edge values.
    Gas(GasWork, GasDriver),
}

/// Driver of an algorithm with edge maps.
pub type EdgeMapDriver = Box<dyn Fn(&Engine<'_>, Session<'_>) -> Result<Outcome>>;

/// Driver of an algorithm with interval updates.
pub type IntervalDriver = Box<dyn Fn(&IntervalEngine<'_>, Session<'_>) -> Result<Outcome>>;

/// Driver of an algorithm with messages.
pub type MessageDriver = Box<dyn Fn(&MessageEngine<'_>, Session<'_>) -> Result<Outcome>>;

/// Driver of an algorithm with edge values.
pub type GasDriver = Box<dyn Fn(&GasEngine<'_>, Session<'_>) -> Result<Outcome>>;

/// Needs of an edge-map program.
#[derive(Clone, Debug)]
pub struct EdgeMapWork {
    /// Memory of the algorithm, without lists, frontiers and ranks.
    pub memory: MemoryPlan,
    /// Memory of in-memory lists.
    pub held: InMemoryListBytes,
    /// True if it sweeps over all lists once per in-memory part, so that memory for that is better than a page cache.
    pub passes: bool,
    /// Batch of sources for simultaneous searches, if supported.
    pub batch: Option<Batch>,
    /// Memory that values need beyond `memory` if they outgrow it, as on graphs of large diameter, in bytes. Without
    /// it, such a run starts again in the next model.
    pub growth: u64,
    /// Maximum space for temporary files, in bytes; 0 if it writes none.
    pub temporary_bytes: u64,
}

/// Batch of sources for simultaneous searches.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Number of sources.
    pub sources: u32,
    /// Requested size of the batch; `None` for the largest that fits in memory.
    pub requested: Option<u32>,
    /// Function that returns the memory for a number of vertices and a batch size, in bytes.
    pub bytes: fn(vertices: u32, batch: u32) -> u64,
}

impl EdgeMapWork {
    /// Creates the needs of a program with in-memory lists of `held` bytes.
    pub fn holding(memory: MemoryPlan, held: InMemoryListBytes) -> Self {
        Self { held, ..memory.into() }
    }

    /// Same as `holding`, with a sweep over all lists per in-memory part.
    pub fn passing(memory: MemoryPlan, held: InMemoryListBytes) -> Self {
        Self { passes: true, ..Self::holding(memory, held) }
    }
}

impl From<MemoryPlan> for EdgeMapWork {
    fn from(memory: MemoryPlan) -> Self {
        let held = InMemoryListBytes { least: 0, most: 0 };
        Self { memory, held, passes: false, batch: None, growth: 0, temporary_bytes: 0 }
    }
}

impl Plan {
    fn of(needs: Requirements, work: ModelWork) -> Self {
        let list_use = ListUse::Repeated;
        Self { needs, follows_frontiers: false, list_use, resumes: false, repairs: false, work }
    }

    /// Creates a plan with edge maps.
    pub fn edge_map(
        needs: Requirements,
        work: impl Into<EdgeMapWork>,
        driver: impl Fn(&Engine<'_>, Session<'_>) -> Result<Outcome> + 'static,
    ) -> Self {
        Self::of(needs, ModelWork::EdgeMap(work.into(), Box::new(driver)))
    }

    /// Creates a plan of the interval model.
    pub fn interval(
        needs: Requirements,
        work: IntervalWork,
        driver: impl Fn(&IntervalEngine<'_>, Session<'_>) -> Result<Outcome> + 'static,
    ) -> Self {
        Self::of(Requirements { frontiers: false, ..needs }, ModelWork::Interval(work, Box::new(driver)))
    }

    /// Creates a plan of the messages model.
    pub fn messages(
        needs: Requirements,
        work: MessageWork,
        driver: impl Fn(&MessageEngine<'_>, Session<'_>) -> Result<Outcome> + 'static,
    ) -> Self {
        let resumes = !work.requirements.changes;
        let needs = Requirements { frontiers: false, ..needs };
        Self { resumes, ..Self::of(needs, ModelWork::Messages(work, Box::new(driver))) }
    }

    /// Creates a plan on edge values. Missing shards are written from the lists that contain the sources of values: of
    /// in-arcs if values flow along arcs, and of both directions if they flow both ways.
    pub fn gas(work: GasWork, driver: impl Fn(&GasEngine<'_>, Session<'_>) -> Result<Outcome> + 'static) -> Self {
        let needs = match work.requirements.along {
            Directions::Out => Requirements::IN_LISTS,
            Directions::In => Requirements::OUT_LISTS,
            Directions::Both => Requirements::BOTH_LISTS,
        };
        Self::of(needs, ModelWork::Gas(work, Box::new(driver))).resuming()
    }

    /// Adds the ranks of vertices to the requirements.
    #[must_use]
    pub fn with_ranks(self) -> Self {
        Self { needs: self.needs.with_ranks(), ..self }
    }

    /// Marks the plan as reading the lists of a frontier in each iteration.
    #[must_use]
    pub fn following_frontiers(self) -> Self {
        Self { follows_frontiers: true, ..self }
    }

    /// Marks the plan as serializing its state between rounds ([`outcrop_engine::EngineContext::checkpoint`]).
    #[must_use]
    pub fn resuming(self) -> Self {
        Self { resumes: true, ..self }
    }

    /// Marks the plan as able to start from the previous result.
    #[must_use]
    pub fn repairing(self) -> Self {
        Self { repairs: true, ..self }
    }

    /// Marks the plan as reading few lists, or each list once.
    #[must_use]
    pub fn reading_few_lists(self) -> Self {
        Self { list_use: ListUse::Few, ..self }
    }

    /// Marks the plan as reading most lists, most of them about once.
    #[must_use]
    pub fn reading_lists_once(self) -> Self {
        Self { list_use: ListUse::Once, ..self }
    }
}
