//! Communities of every level, in temporary files.

use super::partition::Partition;
use crate::IdOrder;
use crate::outcome::{Column, Values};
use outcrop_engine::Engine;
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_types::{Result, VertexValues};

/// Number of levels that a plan has temporary space for; every other level has at most half as many communities.
const PLANNED: u64 = 32;

/// Communities of the levels of an iteration.
pub(super) struct Hierarchy<'h> {
    spill: &'h SpillFolder,
    ranks: IdOrder<'h>,
    /// Smallest rank in each community.
    least: VertexValues<u32>,
    levels: Vec<ValueFile<u32>>,
    /// Number of communities of the last level.
    communities: usize,
}

impl<'h> Hierarchy<'h> {
    /// Returns the memory for `vertices` vertices, in bytes.
    pub(super) const fn bytes(vertices: u32) -> u64 {
        VertexValues::<u32>::bytes(vertices as u64)
    }

    /// Returns the space of the files, in bytes.
    pub(super) const fn temporary_bytes(vertices: u32) -> u64 {
        PLANNED * VertexValues::<u32>::bytes(vertices as u64)
    }

    /// Creates a hierarchy without levels.
    pub(super) fn new(engine: &Engine<'_>, spill: &'h SpillFolder, ranks: IdOrder<'h>) -> Result<Self> {
        Ok(Self {
            spill,
            ranks,
            least: engine.vertex_values(|_| u32::MAX)?,
            levels: Vec::new(),
            communities: usize::MAX,
        })
    }

    /// Adds the communities of this level, unless they are those of the last one; `group_of` has the group of each
    /// vertex of the store, unless those are the vertices of this level.
    pub(super) fn add(&mut self, partition: &Partition, group_of: Option<&[u32]>) -> Result<()> {
        let Self { ranks, least, .. } = self;
        let community = |vertex: u32| {
            let group = group_of.map_or(vertex, |group_of| group_of[vertex as usize]);
            partition.community[group as usize] as usize
        };
        least.fill(u32::MAX);
        for vertex in 0..least.len() as u32 {
            let least = &mut least[community(vertex)];
            *least = ranks.of(vertex).min(*least);
        }
        let communities = least.iter().filter(|rank| **rank != u32::MAX).count();
        // Communities are unions of those of the level before.
        if communities == std::mem::replace(&mut self.communities, communities) {
            return Ok(());
        }
        let name = |vertex: u64| Ok(least[community(vertex as u32)]);
        self.levels.push(ValueFile::made_of(self.spill, least.len() as u64, name)?);
        Ok(())
    }

    /// Returns a column per level.
    pub(super) fn into_columns(self) -> impl Iterator<Item = Column> {
        let named = |(number, file): (u32, _)| Column::new(format!("level_{number}"), Values::NodeFile(file));
        (1..).zip(self.levels).map(named)
    }
}
