//! The longest lists of a graph: an engine has room for those of one vertex, and for the messages that come to one.

use super::demand::{MessageDemand, Sides};
use super::log::space_bytes;
use super::shares::{LEAST_LISTS, LEAST_SORT};
use crate::interval::DegreeSource;
use outcrop_store::access::Workers;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexRange};

/// Degrees that are read at once.
const STRETCH: u32 = 1 << 14;

/// What one vertex may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// Entries of the lists of a vertex that a program sees, [`MessageDemand::sides`].
    pub list: u64,
    /// Messages that come to a vertex in a superstep, one for each entry of [`MessageDemand::along`].
    pub messages: u64,
}

impl Longest {
    /// From degrees, in one pass over those of each direction that counts.
    ///
    /// # Errors
    /// Degrees that are damaged or missing; interruption.
    pub(super) fn of(
        demand: &MessageDemand,
        (degrees, undirected): (&DegreeSource<'_>, bool),
        workers: &Workers,
    ) -> Result<Self> {
        let of = |sides: Sides| -> Result<u64> {
            let directions = sides.directions(undirected).iter();
            directions.map(|direction| longest(demand.vertices, *direction, (degrees, undirected), workers)).sum()
        };
        let messages = if demand.combines { 0 } else { of(demand.along)? };
        Ok(Self { list: of(demand.sides)?, messages })
    }
}

/// The longest list of `direction`.
fn longest(
    vertices: u32,
    direction: Direction,
    (degrees, undirected): (&DegreeSource<'_>, bool),
    workers: &Workers,
) -> Result<u64> {
    let (mut lengths, mut longest) = (Vec::new(), 0);
    for start in (0..vertices).step_by(STRETCH as usize) {
        workers.cancellation().check()?;
        let stretch = VertexRange::new(start, start.saturating_add(STRETCH).min(vertices));
        degrees.with_reader(direction, undirected, |reader| reader.read(stretch, &mut lengths))?;
        longest = lengths.iter().copied().fold(longest, u32::max);
    }
    Ok(longest.into())
}

impl MessageDemand {
    /// [`MessageDemand::least`] of a graph with such lists.
    pub fn least_for(&self, longest: Longest) -> MemoryPlan {
        let [sort, lists] = self.beyond_least(longest);
        self.least().with(Purpose::SortSpace, sort).with(Purpose::HeldLists, lists)
    }

    /// Memory for sorting and for lists beyond the least that the longest take.
    pub(super) fn beyond_least(&self, longest: Longest) -> [u64; 2] {
        let group = if self.combines { 0 } else { 2 * space_bytes(longest.messages, 1, self.message_bytes, false) };
        [group.saturating_sub(LEAST_SORT), self.list_bytes(longest.list).saturating_sub(LEAST_LISTS)]
    }
}
