//! The bytes of a chunk: a header, a directory of the vertices whose lists it holds, and the lists
//! (`docs/format/chunked.md`).

use super::settings::ChunkSettings;
use crate::access::{Packer, StoredNeighbors, StoredWeights};
use crate::codec::{Codec, Malformed};
use outcrop_types::{Direction, Result, VertexId, WeightType, index_from, number_from};
use std::ops::{ControlFlow, Range};

/// Bytes before the directory: the checksum and seven fields.
pub(super) const HEADER_BYTES: usize = 32;
/// Bytes of the checksum, which come first.
pub(super) const CHECKSUM_BYTES: usize = 8;
/// Chunks lie at multiples of so many bytes.
pub(super) const GRAIN_BYTES: u64 = 4096;
/// Marker for no vertex.
pub(super) const NO_VERTEX: VertexId = VertexId::MAX;
/// Ends of lists are written as u16 in chunks of at most so many bytes.
const SHORT_CHUNK_BYTES: usize = 1 << 16;

/// The component with the chunks of `direction`.
pub fn chunks_name(direction: Direction) -> String {
    format!("{}.chunks", direction.name())
}

/// The component that says what each chunk of `direction` is.
pub(crate) fn table_name(direction: Direction) -> String {
    format!("{}.chunk-table", direction.name())
}

/// The component with the classes of the vertices of `direction`.
pub(super) fn classes_name(direction: Direction) -> String {
    format!("{}.classes", direction.name())
}

/// The component with the neighbors of mini vertices.
pub(super) fn minis_name(direction: Direction) -> String {
    format!("{}.minis", direction.name())
}

/// The component with the weights of mini vertices.
pub(super) fn mini_weights_name(direction: Direction) -> String {
    format!("{}.mini-weights", direction.name())
}

/// The component with the chunk of each vertex that has a list in one.
pub(super) fn places_name(direction: Direction) -> String {
    format!("{}.places", direction.name())
}

/// The component with the position of each such vertex within its chunk: for the direct index.
pub(super) fn entries_name(direction: Direction) -> String {
    format!("{}.entries", direction.name())
}

/// The component with the first neighbor of each such vertex; stores of before have none.
pub(crate) fn firsts_name(direction: Direction) -> String {
    format!("{}.firsts", direction.name())
}

/// The components of chunks of `direction`, without the degrees.
pub(crate) fn file_names(direction: Direction) -> [String; 8] {
    [chunks_name, table_name, classes_name, minis_name, mini_weights_name, places_name, entries_name, firsts_name]
        .map(|name| name(direction))
}

/// Format of the lists of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFormat {
    /// Encoding of ids.
    pub codec: Codec,
    /// The type of the weights of entries, if they have any.
    pub weights: Option<WeightType>,
    /// Ids are below this number.
    pub vertices: u32,
}

impl ListFormat {
    /// Appends a list: the number of entries (where its length does not tell), the weights, the ids.
    pub(crate) fn encode(self, ids: &[VertexId], weights: &[f64], into: &mut Vec<u8>) {
        if let Some(kind) = self.weights {
            into.extend(number(ids.len()).to_le_bytes());
            let begin = into.len();
            kind.narrow(weights, into);
            into.resize(begin + padded_bytes(kind, ids.len()), 0);
        } else if self.codec != Codec::Raw32 {
            push_varint(number(ids.len()), into);
        }
        self.codec.encode(ids, into);
    }

    /// Bytes that [`ListFormat::encode`] appends.
    pub(crate) fn encoded_len(self, ids: &[VertexId]) -> usize {
        let count = match (self.weights, self.codec) {
            (Some(kind), _) => 4 + padded_bytes(kind, ids.len()),
            (None, Codec::Raw32) => 0,
            (None, _) => varint_len(number(ids.len())),
        };
        count + self.codec.encoded_len(ids)
    }

    /// True if lists begin at multiples of 4 bytes.
    pub(crate) const fn aligned(self) -> bool {
        self.weights.is_some() || matches!(self.codec, Codec::Raw32)
    }

    /// Packs the list of `vertex`, which is the first `length` of `bytes`.
    ///
    /// # Errors
    /// Those of the visitor; within, the bytes are no list of vertices that exist.
    #[inline]
    pub(crate) fn pack(
        self,
        bytes: &[u8],
        length: usize,
        vertex: VertexId,
        packer: &mut Packer<'_>,
    ) -> Result<Result<(), Malformed>> {
        if self.weights.is_none()
            && let Ok((count, rest, length)) = self.head(bytes, length)
            && count > 0
            && index_from(u64::from(count)) <= Packer::FEW
        {
            let decoded = packer.push(vertex, |ids| self.codec.append(rest, length, count, self.vertices, ids));
            return packer.hand_over_if_full().map(|()| decoded);
        }
        let count = self.count(bytes, length).map_or(usize::MAX, |count| index_from(u64::from(count)));
        let (mut begun, mut packed) = (false, None);
        let decoded = self.decode(bytes, length, |piece| {
            if piece.len() == count {
                packed = Some(packer.list(vertex, piece));
                return ControlFlow::Continue(());
            }
            if !std::mem::replace(&mut begun, true) {
                packer.begin(vertex);
            }
            packer.piece(piece)
        });
        let ended = match (begun, packed) {
            _ if decoded.is_err() => Ok(()),
            (true, _) => packer.end(),
            (false, Some(packed)) => packed,
            (false, None) => packer.list(vertex, StoredNeighbors::EMPTY),
        };
        ended.map(|()| decoded.map(drop))
    }

    /// Hands over the entries of the list in the first `length` of `bytes`, in blocks, until `take` breaks.
    ///
    /// # Errors
    /// The bytes are no list of vertices that exist.
    #[inline]
    pub(crate) fn decode(
        self,
        bytes: &[u8],
        length: usize,
        mut take: impl FnMut(StoredNeighbors<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        if let Some(kind) = self.weights {
            return self.decode_weighted(bytes, length, kind, take);
        }
        let (count, rest, length) = self.head(bytes, length)?;
        self.codec.decode(rest, length, count, self.vertices, |ids| take(StoredNeighbors::new(ids, None)))
    }

    /// The number of entries of a list without weights, the bytes from its ids on, and how many of these are the ids.
    #[inline]
    fn head(self, bytes: &[u8], length: usize) -> Result<(u32, &[u8], usize), Malformed> {
        let (count, skipped) = match self.codec {
            Codec::Raw32 => (number(length / 4), 0),
            Codec::Packed | Codec::Runs | Codec::Alternating => {
                read_varint(bytes.get(..length.min(5)).ok_or(Malformed)?).ok_or(Malformed)?
            }
        };
        let rest = bytes.get(skipped..).ok_or(Malformed)?;
        Ok((count, rest, length - skipped))
    }

    fn decode_weighted(
        self,
        bytes: &[u8],
        length: usize,
        kind: WeightType,
        mut take: impl FnMut(StoredNeighbors<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        let (count, rest) = bytes.split_first_chunk().ok_or(Malformed)?;
        let count = u32::from_le_bytes(*count);
        let weight_bytes = padded_bytes(kind, index_from(u64::from(count)));
        let id_bytes = length.checked_sub(4).and_then(|left| left.checked_sub(weight_bytes)).ok_or(Malformed)?;
        let (weights, ids) = rest.split_at_checked(weight_bytes).ok_or(Malformed)?;
        let mut weights = StoredWeights::new(kind, weights);
        if !weights.are_finite() {
            return Err(Malformed);
        }
        self.codec.decode(ids, id_bytes, count, self.vertices, |ids| {
            let (now, later) = weights.split_at(ids.len());
            weights = later;
            take(StoredNeighbors::new(ids, Some(now)))
        })
    }

    /// Number of entries that the list in the first `length` of `bytes` says it has.
    pub(crate) fn count(self, bytes: &[u8], length: usize) -> Option<u32> {
        match (self.weights, self.codec) {
            (Some(_), _) => bytes.first_chunk().map(|count| u32::from_le_bytes(*count)),
            (None, Codec::Raw32) => Some(number(length / 4)),
            (None, _) => read_varint(bytes.get(..length.min(5))?).map(|(count, _)| count),
        }
    }
}

/// Bytes that the weights of a list take, up to the multiple of 4 at which its ids begin.
fn padded_bytes(kind: WeightType, entries: usize) -> usize {
    index_from(kind.bytes_for(entries)).next_multiple_of(4)
}

/// Lengths of lists fit u32: a list has at most one entry for each arc of 2^32 - 1.
fn number(length: usize) -> u32 {
    number_from(length)
}

const fn varint_len(number: u32) -> usize {
    match number {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

fn push_varint(mut number: u32, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    into.push(number.to_le_bytes()[0]);
}

/// A number and how many bytes it took.
#[inline]
fn read_varint(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut value = 0_u32;
    for (position, byte) in bytes.iter().enumerate() {
        let bits = u32::from(byte & 0x7f);
        let shift = number(7 * position);
        value |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte & 0x80 == 0 {
            return Some((value, position + 1));
        }
    }
    None
}

/// A chunk that was read: its directory checked, its lists not yet.
#[derive(Clone, Copy, Debug)]
pub struct ChunkView<'c> {
    /// Start of the lists in the chunk.
    begin: usize,
    lists: &'c [u8],
    vertices: &'c [VertexId],
    ends: Ends<'c>,
    aligned: bool,
    /// The vertex whose list began in a chunk before.
    pub carried: VertexId,
    /// The vertex whose list goes on in the next chunk of the level.
    pub open: VertexId,
}

#[derive(Clone, Copy, Debug)]
enum Ends<'c> {
    Short(&'c [u16]),
    Long(&'c [u32]),
}

impl<'c> ChunkView<'c> {
    /// The parts of a chunk; `None` where they do not fit it. The checksum is not looked at.
    #[inline]
    pub(crate) fn parse(chunk: &'c [u8], format: ListFormat) -> Option<Self> {
        let header: &[u32] = bytemuck::try_cast_slice(chunk.get(CHECKSUM_BYTES..HEADER_BYTES)?).ok()?;
        let &[entries, begin, carried, open, 0, 0] = header else { return None };
        let entries = index_from(u64::from(entries));
        let begin = index_from(u64::from(begin));
        let (directory, lists) = chunk.split_at_checked(begin)?;
        let directory = directory.get(HEADER_BYTES..)?;
        let (vertices, ends) = directory.split_at_checked(entries.checked_mul(4)?)?;
        let ends = match chunk.len() <= SHORT_CHUNK_BYTES {
            true => Ends::Short(bytemuck::try_cast_slice(ends.get(..entries * 2)?).ok()?),
            false => Ends::Long(bytemuck::try_cast_slice(ends.get(..entries * 4)?).ok()?),
        };
        let vertices: &[VertexId] = bytemuck::try_cast_slice(vertices).ok()?;
        let aligned = format.aligned();
        Some(Self { begin, lists, vertices, ends, aligned, carried, open })
    }

    /// The vertices that have a list, or a part of one, in this chunk, ascending.
    #[inline]
    pub(crate) const fn vertices(&self) -> &'c [VertexId] {
        self.vertices
    }

    /// Position of `vertex` in the directory: at `hint`, or found by bisection.
    #[inline]
    pub(crate) fn find(&self, vertex: VertexId, hint: Option<usize>) -> Option<usize> {
        let at_hint = hint.filter(|entry| self.vertices.get(*entry) == Some(&vertex));
        at_hint.or_else(|| self.vertices.binary_search(&vertex).ok())
    }

    /// The bytes from the list of directory entry `entry` on, and how many of them are that list.
    #[inline]
    pub(crate) fn list(&self, entry: usize) -> Option<(&'c [u8], usize)> {
        let start = match entry.checked_sub(1) {
            None => 0,
            Some(before) if self.aligned => self.end(before)?.next_multiple_of(4),
            Some(before) => self.end(before)?,
        };
        let length = self.end(entry)?.checked_sub(start)?;
        let bytes = self.lists.get(start..)?;
        (length <= bytes.len()).then_some((bytes, length))
    }

    /// Parts of the chunk that finding and reading the list of directory entry `entry` looks at: the header, its vertex
    /// and its end in the directory, and the list; `None` as for [`ChunkView::list`].
    pub(crate) fn bytes_of(&self, entry: usize) -> Option<[Range<usize>; 4]> {
        let (bytes, length) = self.list(entry)?;
        let list = self.begin + (self.lists.len() - bytes.len());
        let vertex = HEADER_BYTES + 4 * entry;
        let end_bytes = if matches!(self.ends, Ends::Short(_)) { 2 } else { 4 };
        let end = HEADER_BYTES + 4 * self.vertices.len() + end_bytes * entry;
        Some([0..HEADER_BYTES, vertex..vertex + 4, end..end + end_bytes, list..list + length])
    }

    #[inline]
    fn end(&self, entry: usize) -> Option<usize> {
        match self.ends {
            Ends::Short(ends) => ends.get(entry).map(|end| usize::from(*end)),
            Ends::Long(ends) => ends.get(entry).map(|end| index_from(u64::from(*end))),
        }
    }
}

/// Bytes that the directory keeps for the end of each list.
pub(super) const fn end_bytes(chunk_bytes: usize) -> usize {
    if chunk_bytes <= SHORT_CHUNK_BYTES { 2 } else { 4 }
}

/// A chunk in the making.
#[derive(Debug, Default)]
pub(super) struct ChunkDraft {
    chunk_bytes: usize,
    entries: Vec<(VertexId, Range<usize>)>,
    lists: Vec<u8>,
    /// Vertex whose list began in a previous chunk, as in [`ChunkView`].
    pub carried: Option<VertexId>,
    /// Vertex whose list continues in the next chunk, as in [`ChunkView`].
    pub open: Option<VertexId>,
}

impl ChunkDraft {
    /// An empty chunk.
    pub(super) fn new(chunk_bytes: usize) -> Self {
        Self { chunk_bytes, lists: Vec::with_capacity(chunk_bytes), ..Self::default() }
    }

    /// Bytes left for a list, the directory entry not counted.
    pub(super) fn room(&self) -> usize {
        let directory = (self.entries.len() + 1) * (4 + end_bytes(self.chunk_bytes)) + 2;
        // Aligning the list may cost 3 bytes, and 3 more where lists are sorted into another order.
        self.chunk_bytes.saturating_sub(HEADER_BYTES + directory + self.lists.len().next_multiple_of(4) + 3)
    }

    /// Bytes that hold neither header, directory nor lists.
    pub(super) fn white_space(&self) -> usize {
        let directory = self.entries.len() * (4 + end_bytes(self.chunk_bytes));
        self.chunk_bytes.saturating_sub(HEADER_BYTES + directory + self.lists.len())
    }

    /// Number of lists it holds.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Adds the encoded list of `vertex`, which fits.
    pub(super) fn push(&mut self, vertex: VertexId, list: &[u8], format: ListFormat) {
        if format.aligned() {
            self.lists.resize(self.lists.len().next_multiple_of(4), 0);
        }
        let start = self.lists.len();
        self.lists.extend_from_slice(list);
        self.entries.push((vertex, start..self.lists.len()));
    }

    /// The chunk, but for its checksum. White space lies behind the lists, or before them where `space_first`.
    pub(super) fn finish(mut self, format: ListFormat, space_first: bool, chunk: &mut Vec<u8>) {
        self.entries.sort_by_key(|(vertex, _)| *vertex);
        let padded = |length: usize| if format.aligned() { length.next_multiple_of(4) } else { length };
        let length = self.entries.iter().fold(0, |end, (_, list)| padded(end) + list.len());
        let directory = HEADER_BYTES + self.entries.len() * (4 + end_bytes(self.chunk_bytes));
        let earliest = directory.next_multiple_of(4);
        let latest = self.chunk_bytes.saturating_sub(length) & !3;
        let begin = if space_first { latest.max(earliest) } else { earliest };
        chunk.clear();
        chunk.resize(CHECKSUM_BYTES, 0);
        let (carried, open) = (self.carried.unwrap_or(NO_VERTEX), self.open.unwrap_or(NO_VERTEX));
        for field in [number(self.entries.len()), number(begin), carried, open, 0, 0] {
            chunk.extend(field.to_le_bytes());
        }
        self.entries.iter().for_each(|(vertex, _)| chunk.extend(vertex.to_le_bytes()));
        let mut end = 0;
        for (_, list) in &self.entries {
            end = padded(end) + list.len();
            chunk.extend_from_slice(&number(end).to_le_bytes()[..end_bytes(self.chunk_bytes)]);
        }
        chunk.resize(begin, 0);
        for (_, list) in &self.entries {
            chunk.resize(begin + padded(chunk.len() - begin), 0);
            chunk.extend_from_slice(&self.lists[list.clone()]);
        }
        chunk.resize(self.chunk_bytes, 0);
    }
}

/// Kind of a chunk, as the table has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkKind {
    /// Its level.
    pub level: u8,
    /// True if a list goes on in the next chunk of the level.
    pub continues: bool,
    /// Its number within its level, in the order in which chunks were begun.
    pub ordinal: u32,
}

/// Chunks of one level.
pub(super) const MAX_ORDINAL: u32 = (1 << 28) - 1;

impl ChunkKind {
    /// Encodes the kind as a number: the level in the highest 3 bits, then the continuation bit, then the ordinal.
    pub(crate) const fn to_bits(self) -> u32 {
        (self.level as u32) << 29 | (self.continues as u32) << 28 | self.ordinal
    }

    /// The reverse of [`ChunkKind::to_bits`]; `None` for a level that `settings` do not have.
    pub(crate) fn from_bits(bits: u32, settings: &ChunkSettings) -> Option<Self> {
        let level = u8::try_from(bits >> 29).ok().filter(|level| usize::from(*level) < settings.levels.len())?;
        Some(Self { level, continues: bits & (1 << 28) != 0, ordinal: bits & MAX_ORDINAL })
    }
}
