//! Sizes of a graph that any memory plan must cover: the lists of one vertex, the messages to one vertex, and the page
//! numbers of logs.

use super::shares::{LEAST_EDGE_WORDS, LEAST_LISTS, LEAST_NUMBERS, LEAST_SORT, numbers_for};
use crate::lists::EdgeWords;
use crate::log::space_bytes;
use crate::requirements::MessageRequirements;
use crate::setup::MessageSetup;
use outcrop_engine::Directions;
use outcrop_engine::{Degrees, longest_list};
use outcrop_types::{Direction, MemoryPlan, Purpose, Result};

/// Sizes of a graph that determine the minimum memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of entries in all lists of one direction.
    pub arcs: u64,
    /// Maximum number of list entries per vertex that a program sees ([`MessageRequirements::sides`]).
    pub list: u64,
    /// Maximum number of entries per vertex along which messages arrive ([`MessageRequirements::along`]).
    pub messages: u64,
}

impl Extent {
    /// Computes the extent in one pass over the degrees of each relevant direction.
    ///
    /// # Errors
    /// Returns an error if degrees are missing or damaged, or on interruption.
    pub(crate) fn of(setup: &MessageSetup<'_>) -> Result<Self> {
        let undirected = setup.lists.undirected();
        let longest = |sides: Directions| -> Result<u64> {
            let of = |direction: &Direction| {
                let vertices = setup.requirements.vertices;
                let longest = |degrees: &mut dyn Degrees| longest_list(degrees, vertices, setup.workers.cancellation());
                setup.degrees.with_reader(*direction, undirected, longest).map(u64::from)
            };
            sides.lists(undirected).iter().map(of).sum()
        };
        Ok(Self {
            arcs: setup.lists.arcs(),
            list: longest(setup.requirements.sides)?,
            messages: if setup.requirements.combines { 0 } else { longest(setup.requirements.along)? },
        })
    }
}

impl MessageRequirements {
    /// Returns the minimum memory of an engine on such a graph, without values.
    pub fn least_for(&self, extent: Extent) -> MemoryPlan {
        let [sort, lists, edge_words] = self.beyond_least(extent);
        let numbers = numbers_for(extent.arcs, self).saturating_sub(LEAST_NUMBERS) + self.edge_index_bytes(extent.arcs);
        let more = MemoryPlan::new().with(Purpose::SortSpace, sort).with(Purpose::HeldLists, lists);
        self.least().and(&more.with(Purpose::IoBuffers, numbers + edge_words))
    }

    /// Returns the memory for sorting, lists and loaded edge words that the longest lists need beyond the minimum.
    pub(crate) fn beyond_least(&self, extent: Extent) -> [u64; 3] {
        let messages = self.messages_per_entry * extent.messages;
        let group = if self.combines { 0 } else { 2 * space_bytes(messages, 1, self.message_bytes, false) };
        let edge_words = match self.edge_words {
            0 => 0,
            per_entry => EdgeWords::least_bytes(extent.list, per_entry).saturating_sub(LEAST_EDGE_WORDS),
        };
        [group.saturating_sub(LEAST_SORT), self.list_bytes(extent.list).saturating_sub(LEAST_LISTS), edge_words]
    }
}
