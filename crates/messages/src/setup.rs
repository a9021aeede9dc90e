//! Parts that an engine is made of.

use super::log::LogBackend;
use super::requirements::{MessageOptions, MessageRequirements};
use outcrop_engine::DegreeSource;
use outcrop_io::SpillFolder;
use outcrop_store::access::{OpenLists, Workers};
use outcrop_types::{MemoryBudget, Observer};

/// Setup that an engine works with.
pub struct MessageSetup<'g> {
    /// The lists that are open.
    pub lists: OpenLists<'g>,
    /// The degrees of both directions that the requirements name.
    pub degrees: DegreeSource<'g>,
    /// Requirements on the engine.
    pub requirements: MessageRequirements,
    /// Options for keeping and delivering messages.
    pub options: MessageOptions,
    /// Log that takes the place of a log for each interval, to compare with.
    pub log: Option<&'g dyn LogBackend>,
    /// Memory for all that the engine takes, which is everything but values, in bytes; at least
    /// [`MessageRequirements::least`] is taken.
    pub memory: u64,
    /// Folder for messages, and for values that live on disk.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// Memory budget that pays for it all.
    pub budget: &'g MemoryBudget,
    /// Observer that is told of supersteps.
    pub observer: &'g dyn Observer,
}
