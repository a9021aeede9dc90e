//! Plans: an algorithm in one model, with what it needs and what runs it.

use crate::models::{GasWork, IntervalWork, MessageWork};
use crate::outcome::{HeldBytes, Outcome};
use crate::session::Session;
use crate::spec::Requirements;
use outcrop_engine::interval::IntervalEngine;
use outcrop_engine::{Directions, Engine};
use outcrop_gas::GasEngine;
use outcrop_messages::MessageEngine;
use outcrop_types::{MemoryPlan, Result};

/// An algorithm in one model: what it needs, and what runs it.
pub struct Plan {
    /// The lists and tables that it reads.
    pub needs: Requirements,
    /// True if iterations read the lists of a frontier, in no order that the disk would like, rather than sweep over
    /// all: then lists that are held from the start pay (BASC, section 3).
    pub follows_frontiers: bool,
    /// True if most lists are read, most of them more than once: then lists that fit the memory are loaded before the
    /// run begins.
    pub reads_most_lists: bool,
    /// True if it shows its state between rounds, so that it can go on from there.
    pub resumes: bool,
    /// True if it can go on from the last result after updates ([`outcrop_engine::Shell::restore_result`]).
    pub repairs: bool,
    /// The driver, with its requirements on the engine.
    pub work: Work,
}

/// Requirements on the engine of a model, and the driver that uses it.
pub enum Work {
    /// Maps over edges.
    EdgeMap(EdgeMapWork, EdgeMapDriver),
    /// Updates of intervals.
    Interval(IntervalWork, IntervalDriver),
    /// Messages.
    Messages(MessageWork, MessageDriver),
    /// Values on edges.
    Gas(GasWork, GasDriver),
}

/// Runs an algorithm by maps over edges.
pub type EdgeMapDriver = Box<dyn Fn(&Engine<'_>, Session<'_>) -> Result<Outcome>>;

/// Runs an algorithm by updates of intervals.
pub type IntervalDriver = Box<dyn Fn(&IntervalEngine<'_>, Session<'_>) -> Result<Outcome>>;

/// Runs an algorithm by messages.
pub type MessageDriver = Box<dyn Fn(&MessageEngine<'_>, Session<'_>) -> Result<Outcome>>;

/// Runs an algorithm by values on edges.
pub type GasDriver = Box<dyn Fn(&GasEngine<'_>, Session<'_>) -> Result<Outcome>>;

/// Needs of a program of maps over edges.
#[derive(Clone, Debug)]
pub struct EdgeMapWork {
    /// Memory of the algorithm itself, without lists, frontiers and ranks.
    pub memory: MemoryPlan,
    /// Memory of lists that it holds.
    pub held: HeldBytes,
    /// True if it goes through all lists once for each part that is held, so that memory for that is better than a page
    /// cache.
    pub passes: bool,
    /// Sources that are searched from at once, where that can be.
    pub batch: Option<Batch>,
}

/// Sources that are searched from at once.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Number of them.
    pub sources: u32,
    /// Number at once that was asked for; else as many as memory holds.
    pub asked: Option<u32>,
    /// Memory over so many vertices of so many at once, in bytes.
    pub bytes: fn(vertices: u32, batch: u32) -> u64,
}

impl EdgeMapWork {
    /// Lists in memory, of as many bytes as `held` says.
    pub fn holding(memory: MemoryPlan, held: HeldBytes) -> Self {
        Self { held, ..memory.into() }
    }

    /// The same, with a pass over all lists for each part of them that is in memory.
    pub fn passing(memory: MemoryPlan, held: HeldBytes) -> Self {
        Self { passes: true, ..Self::holding(memory, held) }
    }
}

impl From<MemoryPlan> for EdgeMapWork {
    fn from(memory: MemoryPlan) -> Self {
        Self { memory, held: HeldBytes { least: 0, most: 0 }, passes: false, batch: None }
    }
}

impl Plan {
    fn of(needs: Requirements, work: Work) -> Self {
        Self { needs, follows_frontiers: false, reads_most_lists: true, resumes: false, repairs: false, work }
    }

    /// A program of maps over edges.
    pub fn edge_map(
        needs: Requirements,
        work: impl Into<EdgeMapWork>,
        driver: impl Fn(&Engine<'_>, Session<'_>) -> Result<Outcome> + 'static,
    ) -> Self {
        Self::of(needs, Work::EdgeMap(work.into(), Box::new(driver)))
    }

    /// A program of the interval model.
    pub fn interval(
        needs: Requirements,
        work: IntervalWork,
        driver: impl Fn(&IntervalEngine<'_>, Session<'_>) -> Result<Outcome> + 'static,
    ) -> Self {
        Self::of(Requirements { frontiers: false, ..needs }, Work::Interval(work, Box::new(driver)))
    }

    /// A program of the messages model.
    pub fn messages(
        needs: Requirements,
        work: MessageWork,
        driver: impl Fn(&MessageEngine<'_>, Session<'_>) -> Result<Outcome> + 'static,
    ) -> Self {
        let resumes = !work.requirements.changes;
        let needs = Requirements { frontiers: false, ..needs };
        Self { resumes, ..Self::of(needs, Work::Messages(work, Box::new(driver))) }
    }

    /// A program on values of edges, from shards that are written from lists: those of the sources of arcs into each
    /// vertex, and of both directions where values go both ways.
    pub fn gas(work: GasWork, driver: impl Fn(&GasEngine<'_>, Session<'_>) -> Result<Outcome> + 'static) -> Self {
        let needs = if matches!(work.requirements.along, Directions::Both) {
            Requirements::BOTH_LISTS
        } else {
            Requirements::IN_LISTS
        };
        Self::of(needs, Work::Gas(work, Box::new(driver))).resuming()
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

    /// Marks the plan as exposing its state between rounds ([`outcrop_engine::Shell::checkpoint`]).
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
        Self { reads_most_lists: false, ..self }
    }
}
