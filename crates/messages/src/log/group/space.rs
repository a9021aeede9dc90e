//! Memory for grouping messages by vertex: reserved once, and reused for every group.

use super::super::entry::entry_bytes;
use super::super::pages::HEADER_BYTES;
use bytemuck::cast_slice_mut;
use outcrop_engine::Plain;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, VertexRange, index_from, length_from};

/// Bytes of a log per read; a whole page if it is larger.
pub(super) const STAGING_BYTES: usize = 256 << 10;
/// Alignment of the regions.
const ALIGNMENT: usize = size_of::<u128>();
/// Maximum number of regions in a space.
const REGIONS: usize = 5;
/// Maximum number of messages per group, exclusive.
const MOST_MESSAGES: u64 = u32::MAX as u64;

/// Layout of the messages of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Messages ordered by vertex, with the start of each vertex's messages.
    Dense,
    /// Messages ordered by vertex, with the vertices that have any: for groups with few messages per vertex.
    Sparse,
    /// Combined messages, with one slot per vertex and bits that mark the occupied slots.
    Folded,
}

/// Returns the sizes of the regions for grouping, in bytes; see [`super::sort`] for their contents.
fn regions<M>(shape: Shape, vertices: u64, messages: u64) -> [u64; REGIONS] {
    regions_of(shape, vertices, messages, length_from(size_of::<M>()))
}

fn regions_of(shape: Shape, vertices: u64, messages: u64, message_bytes: u64) -> [u64; REGIONS] {
    let raw = || messages * (message_bytes + 4);
    match shape {
        Shape::Dense => [messages * message_bytes, (vertices + 2) * 4, raw(), 0, 0],
        Shape::Sparse => [messages * message_bytes, messages * 4, (messages + 1) * 4, raw(), messages * 8],
        Shape::Folded => [vertices * message_bytes, vertices.div_ceil(64) * 8, 0, 0, 0],
    }
}

fn total(regions: [u64; REGIONS]) -> u64 {
    regions.iter().map(|bytes| bytes.next_multiple_of(ALIGNMENT as u64)).sum()
}

/// Returns the memory for grouping `messages` messages of `message_bytes` bytes to `vertices` vertices at once, in
/// bytes. With combination it does not depend on the number of messages.
pub fn space_bytes(messages: u64, vertices: u64, message_bytes: u64, combines: bool) -> u64 {
    let shape = if combines { Shape::Folded } else { Shape::Dense };
    total(regions_of(shape, vertices, messages, message_bytes)) + length_from(STAGING_BYTES)
}

/// Like [`space_bytes`], for fused intervals: few messages to many vertices take no more memory than to few vertices.
pub fn fused_bytes(messages: u64, vertices: u64, message_bytes: u64, combines: bool) -> u64 {
    let sparse = total(regions_of(Shape::Sparse, vertices, messages, message_bytes)) + length_from(STAGING_BYTES);
    space_bytes(messages, vertices, message_bytes, combines).min(sparse)
}

/// Messages grouped by vertex, and their memory, which is reserved once.
#[derive(Debug)]
pub struct GroupSpace<M> {
    memory: Vec<u128>,
    /// Messages of zero size.
    units: Vec<M>,
    pub(super) staging: Vec<u8>,
    pub(super) range: VertexRange,
    pub(super) shape: Shape,
    /// Number of vertices of [`Shape::Sparse`], and of messages.
    pub(super) vertices: usize,
    pub(super) messages: usize,
    /// Capacity in messages, and the sizes of the regions in bytes.
    room: usize,
    sizes: [u64; REGIONS],
    combines: bool,
    /// `true` if all groups are [`Shape::Dense`].
    indexed: bool,
    budget: MemoryBudget,
    held: Reservation,
}

impl<M: Plain> GroupSpace<M> {
    /// Creates a space of `bytes` bytes ([`space_bytes`]), or more if one vertex with one message needs more, for logs
    /// with pages of `page_bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn new(bytes: u64, page_bytes: usize, combines: bool, budget: &MemoryBudget) -> Result<Self> {
        const { assert!(align_of::<M>() <= ALIGNMENT, "messages are aligned to 16 bytes at most") };
        let staging =
            page_bytes.max(STAGING_BYTES / page_bytes.max(1) * page_bytes).max(HEADER_BYTES + entry_bytes::<M>());
        let least = space_bytes(1, 1, length_from(size_of::<M>()), combines);
        let rest = bytes.max(least) - length_from(STAGING_BYTES);
        let held = budget.reserve(rest + length_from(staging), Purpose::SortSpace)?;
        Ok(Self {
            memory: vec![0; index_from(rest) / ALIGNMENT],
            units: Vec::new(),
            staging: vec![0; staging],
            range: VertexRange::default(),
            shape: Shape::Dense,
            vertices: 0,
            messages: 0,
            room: 0,
            sizes: [0; REGIONS],
            combines,
            indexed: false,
            budget: budget.clone(),
            held,
        })
    }

    /// Creates a space that always has an index of all vertices, for messages without combination.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn indexed(bytes: u64, page_bytes: usize, budget: &MemoryBudget) -> Result<Self> {
        Self::new(bytes, page_bytes, false, budget).map(|space| Self { indexed: true, ..space })
    }

    /// Returns true if `messages` messages to `vertices` consecutive vertices can be grouped at once (section V.A.2).
    pub fn fits(&self, messages: u64, vertices: u64) -> bool {
        self.shape_for(messages, vertices).is_some()
    }

    /// Returns the shape for grouping `messages` messages, or `None` if they do not fit.
    pub(crate) fn shape_for(&self, messages: u64, vertices: u64) -> Option<Shape> {
        /// Ratio of vertices to messages above which an index of all vertices is slower.
        const FEW: u64 = 32;
        let direct = match self.combines {
            true => Some(Shape::Folded).filter(|shape| self.fits_in(*shape, 0, vertices)),
            false => Some(Shape::Dense).filter(|shape| self.fits_in(*shape, messages, vertices)),
        };
        let few = !self.indexed && (direct.is_none() || messages.saturating_mul(FEW) < vertices);
        let sparse = Some(Shape::Sparse).filter(|shape| few && self.fits_in(*shape, messages, vertices));
        sparse.or(direct)
    }

    /// Returns true if the messages fit in this shape.
    pub(crate) fn fits_in(&self, shape: Shape, messages: u64, vertices: u64) -> bool {
        fits_in::<M>(self.capacity(), shape, messages, vertices)
    }

    /// Returns the bytes for all regions.
    pub(crate) const fn capacity(&self) -> u64 {
        (self.memory.len() * ALIGNMENT) as u64
    }

    pub(crate) const fn combines(&self) -> bool {
        self.combines
    }

    /// Returns the reserved bytes, and their budget.
    pub(crate) const fn paid(&self) -> (u64, &MemoryBudget) {
        (self.held.bytes(), &self.budget)
    }

    /// Prepares to group `messages` messages.
    pub(crate) fn begin(&mut self, shape: Shape, range: VertexRange, messages: u64) {
        let vertices = length_from(range.len());
        self.shape = shape;
        self.range = range;
        self.messages = 0;
        self.vertices = 0;
        self.room = index_from(if shape == Shape::Folded { vertices } else { messages });
        self.sizes = regions::<M>(shape, vertices, messages);
    }

    /// Resets the space to no vertices and no messages.
    pub(crate) fn clear(&mut self) {
        self.begin(Shape::Sparse, VertexRange::default(), 0);
    }

    /// Returns the regions, the first as messages, and the staging buffer.
    pub(crate) fn split(&mut self) -> (&mut [M], [&mut [u8]; REGIONS - 1], &mut [u8]) {
        let mut rest: &mut [u8] = cast_slice_mut(&mut self.memory);
        let mut parts = [(); REGIONS].map(|()| Default::default());
        for (part, bytes) in parts.iter_mut().zip(self.sizes) {
            let (mut region, others) =
                std::mem::take(&mut rest).split_at_mut(index_from(bytes).next_multiple_of(ALIGNMENT));
            (region, _) = region.split_at_mut(index_from(bytes));
            *part = region;
            rest = others;
        }
        let [messages, second, third, fourth, fifth] = parts;
        (typed_or_units(messages, &mut self.units, self.room), [second, third, fourth, fifth], &mut self.staging)
    }

    /// Returns the vertices of the group.
    pub const fn range(&self) -> VertexRange {
        self.range
    }
}

/// Returns true if the messages fit in this shape in `capacity` bytes.
pub(crate) fn fits_in<M>(capacity: u64, shape: Shape, messages: u64, vertices: u64) -> bool {
    messages < MOST_MESSAGES && total(regions::<M>(shape, vertices, messages)) <= capacity
}

/// Returns the messages in `bytes`. Messages of zero size take no memory and come from `units`.
fn typed_or_units<'s, M: Plain>(bytes: &'s mut [u8], units: &'s mut Vec<M>, length: usize) -> &'s mut [M] {
    if size_of::<M>() > 0 {
        return cast_slice_mut(bytes);
    }
    units.resize(length, M::zeroed());
    units
}
