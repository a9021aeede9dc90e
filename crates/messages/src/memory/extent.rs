//! Parts of a graph that an engine has room for, however little memory there is: the lists of one vertex, the messages
//! that come to one, and the places of pages of logs.

use super::shares::{LEAST_LISTS, LEAST_NUMBERS, LEAST_SORT, numbers_for};
use crate::log::space_bytes;
use crate::requirements::MessageRequirements;
use crate::setup::MessageSetup;
use outcrop_engine::Directions;
use outcrop_engine::{Degrees, longest_list};
use outcrop_types::{Direction, MemoryPlan, Purpose, Result};

/// Numbers of a graph that decide the least memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Entries of all lists of one direction.
    pub arcs: u64,
    /// Entries of the lists of a vertex that a program sees, [`MessageRequirements::sides`], at the most.
    pub list: u64,
    /// Messages that come to a vertex in a superstep at the most, one for each entry of [`MessageRequirements::along`].
    pub messages: u64,
}

impl Extent {
    /// Computes the extent from degrees, in one pass over those of each relevant direction.
    ///
    /// # Errors
    /// Degrees that are damaged or missing; interruption.
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
    /// Least memory that an engine over such a graph reserves, without values.
    pub fn least_for(&self, extent: Extent) -> MemoryPlan {
        let [sort, lists] = self.beyond_least(extent);
        let numbers = numbers_for(extent.arcs, self).saturating_sub(LEAST_NUMBERS);
        let more = MemoryPlan::new().with(Purpose::SortSpace, sort).with(Purpose::HeldLists, lists);
        self.least().and(&more.with(Purpose::IoBuffers, numbers))
    }

    /// Memory for sorting and for lists that the longest take beyond the least.
    pub(crate) fn beyond_least(&self, extent: Extent) -> [u64; 2] {
        let group = if self.combines { 0 } else { 2 * space_bytes(extent.messages, 1, self.message_bytes, false) };
        [group.saturating_sub(LEAST_SORT), self.list_bytes(extent.list).saturating_sub(LEAST_LISTS)]
    }
}
