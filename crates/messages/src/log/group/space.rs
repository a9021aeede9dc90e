//! Memory in which messages are grouped by vertex: reserved once, used for one group after the other.

use super::super::entry::entry_bytes;
use super::super::pages::HEADER_BYTES;
use bytemuck::cast_slice_mut;
use outcrop_engine::Plain;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, VertexRange, index_from, length_from};

/// Bytes of a log that are read at once; where a page is larger, a page.
pub(super) const STAGING_BYTES: usize = 256 << 10;
/// Regions of a space begin at a multiple of this.
const ALIGNMENT: usize = size_of::<u128>();
/// The most regions of a space.
const REGIONS: usize = 5;
/// A group has fewer messages than this.
const MOST_MESSAGES: u64 = u32::MAX as u64;

/// Layout of the messages of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Messages ordered by vertex, with the start of those of each vertex.
    Dense,
    /// Messages ordered by vertex, with the vertices that have any: for groups with few messages for their vertices.
    Sparse,
    /// Combined messages, with one slot per vertex and bits that mark the occupied slots.
    Folded,
}

/// Bytes of the regions that grouping takes; see [`super::sort`] on what is in them.
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

/// Memory in which so many messages of `message_bytes` to so many vertices are grouped at once, in bytes. Where they
/// are combined it does not depend on the messages.
pub fn space_bytes(messages: u64, vertices: u64, message_bytes: u64, combines: bool) -> u64 {
    let shape = if combines { Shape::Folded } else { Shape::Dense };
    total(regions_of(shape, vertices, messages, message_bytes)) + length_from(STAGING_BYTES)
}

/// The same where the vertices may be any that are fused: few messages to many vertices take no more than they would to
/// few.
pub fn fused_bytes(messages: u64, vertices: u64, message_bytes: u64, combines: bool) -> u64 {
    let sparse = total(regions_of(Shape::Sparse, vertices, messages, message_bytes)) + length_from(STAGING_BYTES);
    space_bytes(messages, vertices, message_bytes, combines).min(sparse)
}

/// Messages grouped by vertex, and the memory for them, which is reserved once.
#[derive(Debug)]
pub struct GroupSpace<M> {
    memory: Vec<u128>,
    /// Messages without size.
    units: Vec<M>,
    pub(super) staging: Vec<u8>,
    pub(super) range: VertexRange,
    pub(super) shape: Shape,
    /// Vertices of [`Shape::Sparse`], and messages.
    pub(super) vertices: usize,
    pub(super) messages: usize,
    /// Messages that there is room for, and bytes of the regions.
    room: usize,
    sizes: [u64; REGIONS],
    combines: bool,
    /// True if all groups are [`Shape::Dense`].
    indexed: bool,
    budget: MemoryBudget,
    held: Reservation,
}

impl<M: Plain> GroupSpace<M> {
    /// A space of `bytes` ([`space_bytes`]), at least what takes one vertex with one message, for logs with pages of
    /// `page_bytes`.
    ///
    /// # Errors
    /// The budget is too small.
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

    /// A space in which there is always an index of all vertices, for messages that are not combined.
    ///
    /// # Errors
    /// The budget is too small.
    pub fn indexed(bytes: u64, page_bytes: usize, budget: &MemoryBudget) -> Result<Self> {
        Self::new(bytes, page_bytes, false, budget).map(|space| Self { indexed: true, ..space })
    }

    /// True if so many messages to so many consecutive vertices are grouped at once (section V.A.2).
    pub fn fits(&self, messages: u64, vertices: u64) -> bool {
        self.shape_for(messages, vertices).is_some()
    }

    /// Shape that so many messages are grouped in; `None` where they do not fit.
    pub(crate) fn shape_for(&self, messages: u64, vertices: u64) -> Option<Shape> {
        /// Ratio of vertices to messages above which an index of all vertices is a waste of time.
        const FEW: u64 = 32;
        let direct = match self.combines {
            true => Some(Shape::Folded).filter(|shape| self.fits_in(*shape, 0, vertices)),
            false => Some(Shape::Dense).filter(|shape| self.fits_in(*shape, messages, vertices)),
        };
        let few = !self.indexed && (direct.is_none() || messages.saturating_mul(FEW) < vertices);
        let sparse = Some(Shape::Sparse).filter(|shape| few && self.fits_in(*shape, messages, vertices));
        sparse.or(direct)
    }

    /// True if that many fit in this shape.
    pub(crate) fn fits_in(&self, shape: Shape, messages: u64, vertices: u64) -> bool {
        fits_in::<M>(self.capacity(), shape, messages, vertices)
    }

    /// Bytes for all regions.
    pub(crate) const fn capacity(&self) -> u64 {
        (self.memory.len() * ALIGNMENT) as u64
    }

    pub(crate) const fn combines(&self) -> bool {
        self.combines
    }

    /// The bytes reserved, and the budget that they come from.
    pub(crate) const fn paid(&self) -> (u64, &MemoryBudget) {
        (self.held.bytes(), &self.budget)
    }

    /// Prepares to group so many messages.
    pub(crate) fn begin(&mut self, shape: Shape, range: VertexRange, messages: u64) {
        let vertices = length_from(range.len());
        self.shape = shape;
        self.range = range;
        self.messages = 0;
        self.vertices = 0;
        self.room = index_from(if shape == Shape::Folded { vertices } else { messages });
        self.sizes = regions::<M>(shape, vertices, messages);
    }

    /// No vertices, and no messages.
    pub(crate) fn clear(&mut self) {
        self.begin(Shape::Sparse, VertexRange::default(), 0);
    }

    /// The regions, the first as messages, and the staging buffer.
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

    /// The vertices whose messages are grouped.
    pub const fn range(&self) -> VertexRange {
        self.range
    }
}

/// True if that many fit in this shape in so many bytes.
pub(crate) fn fits_in<M>(capacity: u64, shape: Shape, messages: u64, vertices: u64) -> bool {
    messages < MOST_MESSAGES && total(regions::<M>(shape, vertices, messages)) <= capacity
}

/// Messages in `bytes`; such without a size, of which any number take no memory, elsewhere.
fn typed_or_units<'s, M: Plain>(bytes: &'s mut [u8], units: &'s mut Vec<M>, length: usize) -> &'s mut [M] {
    if size_of::<M>() > 0 {
        return cast_slice_mut(bytes);
    }
    units.resize(length, M::zeroed());
    units
}
