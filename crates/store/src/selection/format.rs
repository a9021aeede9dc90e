//! Header of a selection, and positions of the parts after it (`docs/format/static.md`).

use super::encoding::ListEncoding;
use crate::component::units_for;
use bytemuck::{Pod, Zeroable};
use outcrop_types::{Direction, WeightType, index_from};
use std::ops::Range;

/// Version that this program writes, and the newest that it reads.
pub(super) const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"outcstat";
/// Bytes of a method's name.
pub(super) const METHOD_BYTES: usize = 32;
/// Alignment of lists in bytes; multiplied by a power of two if there are many.
pub(super) const LEAST_GRANULE: u64 = 4;
/// Memory per list in addition to its bytes: its start and its length.
pub(super) const ENTRY_BYTES: u64 = 8;

/// Origin of the vertices of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionNote {
    /// Name of the method, such as `gvs`: 1 to 32 of `a-z0-9-`.
    pub method: String,
    /// Number of rounds of the method.
    pub rounds: u32,
}

/// Selection in a store.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SelectionInfo {
    /// Direction of the lists.
    pub direction: Direction,
    /// Name of the method, as in [`SelectionNote`].
    pub method: String,
    /// Number of rounds of the method.
    pub rounds: u32,
    /// Number of lists.
    pub lists: u32,
    /// Entries of all lists.
    pub arcs: u64,
    /// Memory of the lists in bytes, including 8 bytes each for their position.
    pub bytes: u64,
}

/// Returns the name of the file with the selection of `direction`.
pub(crate) fn file_name(direction: Direction) -> String {
    format!("static.{}", direction.name())
}

/// Returns the names of files that a killed writer may leave: the draft, and the intermediate file on a file system
/// that cannot exchange two files atomically.
pub(crate) fn leftover_names(direction: Direction) -> [String; 2] {
    let name = temporary_name(direction);
    [format!("{name}.exchange"), name]
}

/// Returns the name of the file while it is written.
pub(super) fn temporary_name(direction: Direction) -> String {
    format!("static.{}.tmp", direction.name())
}

/// First bytes of the first unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    version: u32,
    encoding: u32,
    weighted: u32,
    /// Lists are aligned to `4 << granule_shift` bytes.
    granule_shift: u32,
    /// Random number that seals all later units, so that files that replaced each other are never mixed.
    pub generation: u64,
    vertices: u32,
    /// Number of lists.
    pub lists: u32,
    /// Entries of all lists.
    pub arcs: u64,
    /// Bytes of all lists, including padding.
    pub list_bytes: u64,
    /// Number of rounds, as in [`super::SelectionNote`].
    pub rounds: u32,
    zero: u32,
    method: [u8; METHOD_BYTES],
}

/// Reason why this store or program cannot read a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The version is newer.
    Version(u32),
    /// Header of other lists, or malformed header, with a description.
    Foreign(&'static str),
}

/// Returns the number of the weight type in the header.
const fn weights_number(encoding: ListEncoding) -> u32 {
    match encoding.weights() {
        None => 0,
        Some(WeightType::F32) => 1,
        Some(WeightType::U8) => 2,
        Some(WeightType::U16) => 3,
        Some(WeightType::U32) => 4,
        Some(WeightType::F64) => 5,
    }
}

impl Header {
    /// Creates the header of a selection of `lists` lists.
    pub(super) fn new(
        encoding: ListEncoding,
        vertices: u32,
        method: &str,
        rounds: u32,
        generation: u64,
        sums: Sums,
    ) -> Self {
        let mut name = [0; METHOD_BYTES];
        name.iter_mut().zip(method.bytes()).for_each(|(slot, byte)| *slot = byte);
        Self {
            magic: MAGIC,
            version: VERSION,
            encoding: encoding.number(),
            weighted: weights_number(encoding),
            granule_shift: sums.granule_shift,
            generation,
            vertices,
            lists: sums.lists,
            arcs: sums.arcs,
            list_bytes: sums.list_bytes,
            rounds,
            zero: 0,
            method: name,
        }
    }

    /// Checks that the header describes lists in this `encoding`, in a file of `units` units.
    pub(super) fn validate(&self, encoding: ListEncoding, vertices: u32, units: u64) -> Result<(), Refusal> {
        let sensible = self.lists <= vertices && self.granule_shift <= 16 && self.zero == 0 && self.name().is_some();
        match () {
            () if self.magic != MAGIC => Err(Refusal::Foreign("it is not a selection")),
            () if self.version > VERSION => Err(Refusal::Version(self.version)),
            () if self.encoding != encoding.number()
                || self.weighted != weights_number(encoding)
                || self.vertices != vertices =>
            {
                Err(Refusal::Foreign("it belongs to lists with another layout"))
            }
            () if !sensible || self.version != VERSION || !self.list_bytes.is_multiple_of(self.granule()) => {
                Err(Refusal::Foreign("its header is invalid"))
            }
            () if self.sections().end != units => Err(Refusal::Foreign("its length differs from its header")),
            () => Ok(()),
        }
    }

    fn name(&self) -> Option<&str> {
        let length = self.method.iter().position(|byte| *byte == 0).unwrap_or(METHOD_BYTES);
        let (name, rest) = self.method.split_at_checked(length)?;
        std::str::from_utf8(name).ok().filter(|name| is_method(name) && rest.iter().all(|byte| *byte == 0))
    }

    /// Returns the alignment of lists in bytes.
    pub(super) const fn granule(&self) -> u64 {
        LEAST_GRANULE << self.granule_shift
    }

    /// Returns the units of the vertices, of the lengths, and of the lists.
    pub(super) fn sections(&self) -> Sections {
        let table = units_for(4 * u64::from(self.lists));
        let lists = (1_u64 + 2 * table).saturating_add(units_for(self.list_bytes));
        Sections { vertices: 1..1 + table, lengths: 1 + table..1 + 2 * table, first_list: 1 + 2 * table, end: lists }
    }

    /// Returns the public description.
    pub(super) fn info(&self, direction: Direction) -> SelectionInfo {
        SelectionInfo {
            direction,
            // Default: a method whose name is not text has no name.
            method: self.name().unwrap_or_default().to_owned(),
            rounds: self.rounds,
            lists: self.lists,
            arcs: self.arcs,
            bytes: self.list_bytes.saturating_add(ENTRY_BYTES * u64::from(self.lists)),
        }
    }
}

/// Returns true if `text` can be the name of a method.
pub(super) fn is_method(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=METHOD_BYTES).contains(&text.len()) && text.bytes().all(allowed)
}

/// Totals of a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// Granule shift, as in [`Header`].
    pub granule_shift: u32,
    /// Number of lists, as in [`Header`].
    pub lists: u32,
    /// Entries of all lists, as in [`Header`].
    pub arcs: u64,
    /// Bytes of all lists, as in [`Header`].
    pub list_bytes: u64,
}

/// Units of each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sections {
    /// The vertices, highest priority first.
    pub vertices: Range<u64>,
    /// The length of each list in bytes.
    pub lengths: Range<u64>,
    /// First unit of the lists.
    pub first_list: u64,
    /// Number of units of the file.
    pub end: u64,
}

/// Returns the number of bytes from the start of a list of `length` bytes to the next possible start.
pub(super) fn padded(length: u32, granule: u64) -> u64 {
    u64::from(length).next_multiple_of(granule)
}

/// Returns the minimum granule shift with which `bytes` bytes have fewer than 2^32 granules.
pub(super) fn granule_shift_for(bytes: u64) -> u32 {
    let mut shift = 0;
    while bytes / (LEAST_GRANULE << shift) >= u64::from(u32::MAX) {
        shift += 1;
    }
    shift
}

/// Returns an upper bound of the number of selected lists.
pub(super) fn most_taken(ranked: usize, most_bytes: u64) -> usize {
    ranked.min(index_from(most_bytes / (ENTRY_BYTES + LEAST_GRANULE)))
}
