//! Takes entries in the order of their destinations, and combines those to the same.

use super::super::combine::Combine;
use super::super::entry::{entry_bytes, put};
use crate::messages::Plain;
use outcrop_io::SpillWriter;
use outcrop_types::{Result, VertexId};

/// Bytes that are written at once.
pub(super) const WRITE_BYTES: usize = 256 << 10;

/// Place that sorted entries go to.
pub(super) enum Target<'t> {
    /// To memory.
    Memory(Vec<u8>),
    /// To disk, through a buffer.
    Disk(&'t mut SpillWriter, Vec<u8>),
}

/// Entries on their way to a target.
pub(super) struct Output<'t, M, C> {
    target: Target<'t>,
    combine: &'t C,
    /// The last entry, which the next may be combined with.
    last: Option<(VertexId, M)>,
    entries: u64,
}

impl<'t, M: Plain, C: Combine<M>> Output<'t, M, C> {
    pub(super) const fn new(target: Target<'t>, combine: &'t C) -> Self {
        Self { target, combine, last: None, entries: 0 }
    }

    /// Takes an entry whose destination is not before the last. Calls `begins` with each destination that is new, or comes again where
    /// nothing is combined, and with how many entries were before.
    #[inline]
    pub(super) fn push(&mut self, to: VertexId, message: M, mut begins: impl FnMut(VertexId, u64)) -> Result<()> {
        match &mut self.last {
            Some((known, last)) if C::COMBINES && *known == to => {
                *last = self.combine.combine(*last, message);
                Ok(())
            }
            last => {
                let before = last.replace((to, message));
                begins(to, self.entries);
                self.entries += 1;
                before.map_or(Ok(()), |(to, message)| self.write(to, &message))
            }
        }
    }

    fn write(&mut self, to: VertexId, message: &M) -> Result<()> {
        let bytes = match &mut self.target {
            Target::Memory(bytes) => bytes,
            Target::Disk(writer, buffer) => {
                if buffer.len() + entry_bytes::<M>() > WRITE_BYTES {
                    writer.write(buffer)?;
                    buffer.clear();
                }
                buffer
            }
        };
        let end = bytes.len();
        bytes.resize(end + entry_bytes::<M>(), 0);
        put(&mut bytes[end..], to, message);
        Ok(())
    }

    /// Writes what is left; returns how many entries there were, and what went to memory.
    pub(super) fn finish(mut self) -> Result<(u64, Vec<u8>)> {
        if let Some((to, message)) = self.last.take() {
            self.write(to, &message)?;
        }
        match self.target {
            Target::Memory(bytes) => Ok((self.entries, bytes)),
            Target::Disk(writer, buffer) => writer.write(&buffer).map(|()| (self.entries, Vec::new())),
        }
    }
}
