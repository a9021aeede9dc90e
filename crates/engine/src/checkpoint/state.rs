//! Serialization of the state of a run: a single traversal both saves and restores.

use crate::values::{Number, Plain, VertexArray};
use bytemuck::{Pod, Zeroable};
use outcrop_io::ValueFile;
use outcrop_store::{CheckpointFolder, ComponentReader, ComponentWriter};
use outcrop_types::{BitSet, Cancellation, Error, Result, VertexSet, index_from, length_from};
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number of values copied at once.
const BLOCK: usize = 1 << 12;
/// Number of bytes between checks of the cancellation flag.
const PIECE: usize = 1 << 20;

/// Number that several threads may write, accessible as bits.
pub trait SharedBits: Send + Sync {
    /// Bits of the number.
    type Bits: Pod;
    /// Returns the current bits.
    fn bits(&self) -> Self::Bits;
    /// Replaces the bits.
    fn set_bits(&self, bits: Self::Bits);
}

macro_rules! shared_bits {
    ($($atomic:ty: $bits:ty),*) => {$(
        impl SharedBits for $atomic {
            type Bits = $bits;

            fn bits(&self) -> $bits {
                self.load(Relaxed)
            }

            fn set_bits(&self, bits: $bits) {
                self.store(bits, Relaxed);
            }
        }
    )*};
}

shared_bits!(AtomicU8: u8, AtomicU16: u16, AtomicU32: u32, AtomicU64: u64, AtomicI64: i64);

/// Destination or source of a state.
pub(super) enum StateAccess<'s> {
    Save(&'s mut ComponentWriter),
    Restore {
        reader: &'s mut ComponentReader,
        /// Number of payload bytes read.
        position: u64,
    },
}

/// State that is written to or read from a file. The algorithm passes the same values in the same order in both cases.
pub struct State<'s> {
    pub(super) way: StateAccess<'s>,
    pub(super) cancellation: &'s Cancellation,
}

impl State<'_> {
    /// Memory for copying values of at most 32 bytes, in bytes.
    pub(super) const MEMORY_BYTES: u64 = length_from(BLOCK * 32);

    /// Returns true if values are restored, false if they are saved.
    pub const fn restores(&self) -> bool {
        matches!(self.way, StateAccess::Restore { .. })
    }

    /// Returns the number of bytes restored so far.
    pub(super) const fn position(&self) -> u64 {
        match self.way {
            StateAccess::Restore { position, .. } => position,
            StateAccess::Save(_) => 0,
        }
    }

    /// Returns the error for saved data that is inconsistent with this run.
    pub(super) fn damaged(&self, message: &str) -> Error {
        let path = match &self.way {
            StateAccess::Restore { reader, .. } => reader.path(),
            StateAccess::Save(_) => Path::new("a checkpoint"),
        };
        CheckpointFolder::damaged(Error::corrupt(path, message))
    }

    fn bytes(&mut self, bytes: &mut [u8]) -> Result<()> {
        for piece in bytes.chunks_mut(PIECE) {
            self.cancellation.check()?;
            match &mut self.way {
                StateAccess::Save(writer) => writer.write(piece)?,
                StateAccess::Restore { reader, position } => {
                    reader.read_at(*position, piece).map_err(CheckpointFolder::damaged)?;
                    *position += length_from(piece.len());
                }
            }
        }
        Ok(())
    }

    /// Saves or restores one or more numbers.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`], [`Error::Io`], [`Error::Corrupt`] if the saved data is damaged, or an error if the
    /// run is interrupted. The same applies to the following methods.
    pub fn number<T: Pod>(&mut self, number: &mut T) -> Result<()> {
        self.bytes(bytemuck::bytes_of_mut(number))
    }

    /// Saves or restores a position of at most `last`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn bounded<T: Pod + Into<u64>>(&mut self, position: &mut T, last: u64) -> Result<()> {
        self.number(position)?;
        let found: u64 = (*position).into();
        if found <= last { Ok(()) } else { Err(self.damaged("it contains a position beyond the end")) }
    }

    /// Saves or restores a boolean.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn flag(&mut self, flag: &mut bool) -> Result<()> {
        let mut byte = u8::from(*flag);
        self.number(&mut byte)?;
        *flag = byte != 0;
        Ok(())
    }

    /// Checks that a number equals the saved one: a length, or another number implied by the parameters.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn same(&mut self, number: u64) -> Result<()> {
        let mut saved = number;
        self.number(&mut saved)?;
        if saved == number { Ok(()) } else { Err(self.damaged("it contains a different number of values")) }
    }

    /// Saves or restores values.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn values<T: Pod>(&mut self, values: &mut [T]) -> Result<()> {
        self.same(length_from(values.len()))?;
        self.bytes(bytemuck::cast_slice_mut(values))
    }

    /// Saves or restores values shared by threads.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn shared<A: SharedBits>(&mut self, values: &[A]) -> Result<()> {
        self.same(length_from(values.len()))?;
        self.blocks(
            values.len(),
            |at, block| {
                values[at..].iter().zip(block).for_each(|(value, bits)| *bits = value.bits());
                Ok(())
            },
            |at, block| {
                values[at..].iter().zip(block).for_each(|(value, bits)| value.set_bits(*bits));
                Ok(())
            },
        )
    }

    /// Saves or restores vertex values of a result that later runs start from: values of vertices added since then are
    /// not restored.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn by_vertex<A: SharedBits>(&mut self, values: &[A]) -> Result<()> {
        let mut count = length_from(values.len());
        self.number(&mut count)?;
        match values.get(..index_from(count)) {
            Some(values) => self.shared(values),
            None => Err(self.damaged("it contains values of more vertices than the graph has")),
        }
    }

    /// Checks that the restored data is `right`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Corrupt`] if it is not.
    pub fn require(&self, right: bool) -> Result<()> {
        if right { Ok(()) } else { Err(self.damaged("it contains vertices that are not in the graph")) }
    }

    /// Numbers that threads share.
    pub fn numbers<T: Number>(&mut self, values: &[T::Atomic]) -> Result<()> {
        self.same(length_from(values.len()))?;
        self.blocks(
            values.len(),
            |at, block| {
                values[at..].iter().zip(block).for_each(|(value, place)| *place = T::load(value));
                Ok(())
            },
            |at, block| {
                values[at..].iter().zip(block).for_each(|(value, number)| T::store(*number, value));
                Ok(())
            },
        )
    }

    /// Saves or restores values in memory or on disk.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn array<T: Plain>(&mut self, values: &mut VertexArray<T>) -> Result<()> {
        match values {
            VertexArray::Memory(values) => self.values(values),
            VertexArray::Disk(file) => self.file(file),
        }
    }

    /// Values on disk.
    pub fn file<T: Plain>(&mut self, file: &ValueFile<T>) -> Result<()> {
        self.same(file.length())?;
        let get = |at: usize, block: &mut [T]| file.read(length_from(at), block);
        self.blocks(index_from(file.length()), get, |at, block| file.write(length_from(at), block))
    }

    /// Saves or restores `count` values, block by block: `get` fills blocks to save, and `put` takes restored blocks.
    fn blocks<T: Pod>(
        &mut self,
        count: usize,
        mut get: impl FnMut(usize, &mut [T]) -> Result<()>,
        mut put: impl FnMut(usize, &[T]) -> Result<()>,
    ) -> Result<()> {
        let mut block = vec![T::zeroed(); BLOCK.min(count)];
        for at in (0..count).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(count - at)];
            if !self.restores() {
                get(at, block)?;
            }
            self.bytes(bytemuck::cast_slice_mut(block))?;
            if self.restores() {
                put(at, block)?;
            }
        }
        Ok(())
    }

    /// Saves or restores a list of at most `most` values.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn list<T: Pod>(&mut self, list: &mut Vec<T>, most: u64) -> Result<()> {
        let mut length = length_from(list.len());
        self.number(&mut length)?;
        if length > most {
            return Err(self.damaged("it contains a list that is too long"));
        }
        list.resize(index_from(length), Zeroable::zeroed());
        self.bytes(bytemuck::cast_slice_mut(list))
    }

    /// Saves or restores the members of a set.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn members(&mut self, set: &mut BitSet) -> Result<()> {
        self.same(u64::from(set.universe()))?;
        if self.restores() {
            set.clear();
        }
        let first = |at: usize| at as u32 * u64::BITS;
        self.blocks(
            set.universe().div_ceil(u64::BITS) as usize,
            |at, block| {
                set.words_from(first(at)).zip(block).for_each(|(word, place)| *place = word);
                Ok(())
            },
            |at, block| {
                set.insert_words(first(at), block);
                Ok(())
            },
        )
    }

    /// Saves or restores a frontier.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    pub fn frontier(&mut self, set: &mut VertexSet) -> Result<()> {
        let universe = set.universe();
        let mut dense = matches!(set, VertexSet::Dense { .. });
        self.flag(&mut dense)?;
        if self.restores() {
            *set = if dense { VertexSet::all(universe) } else { VertexSet::empty(universe) };
        }
        match set {
            VertexSet::Sparse { members, .. } => {
                self.list(members, length_from(VertexSet::sparse_limit(universe)))?;
                let ascend = members.is_sorted() && members.last().is_none_or(|last| *last < universe);
                self.require(ascend)
            }
            VertexSet::Dense { bits, count } => {
                self.members(bits)?;
                *count = bits.count();
                Ok(())
            }
        }
    }
}
