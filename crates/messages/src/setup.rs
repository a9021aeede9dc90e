//! Setup of an engine.

use super::log::LogBackend;
use super::requirements::{MessageOptions, MessageRequirements};
use outcrop_engine::DegreeSource;
use outcrop_io::SpillFolder;
use outcrop_store::access::{OpenLists, Workers};
use outcrop_types::{MemoryBudget, Observer};

/// Setup of an engine.
pub struct MessageSetup<'g> {
    /// Open lists.
    pub lists: OpenLists<'g>,
    /// Degrees of all directions that the requirements name.
    pub degrees: DegreeSource<'g>,
    /// Requirements of the program.
    pub requirements: MessageRequirements,
    /// Options for storing and delivering messages.
    pub options: MessageOptions,
    /// Backend to use instead of one log per interval, for comparisons.
    pub log: Option<&'g dyn LogBackend>,
    /// Memory for everything except values, in bytes; the engine uses at least [`MessageRequirements::least`].
    pub memory: u64,
    /// Folder for messages, and for values on disk.
    pub spill: &'g SpillFolder,
    /// Worker threads.
    pub workers: &'g Workers,
    /// Memory budget to reserve from.
    pub budget: &'g MemoryBudget,
    /// Observer of supersteps.
    pub observer: &'g dyn Observer,
}
