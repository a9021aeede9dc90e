//! Writes entries ordered by destination, and combines those with the same destination.

use super::entry::{ID_BYTES, destination};
use outcrop_io::SpillWriter;
use outcrop_messages::log::CombineBytes;
use outcrop_types::Result;

/// Size of writes, in bytes.
const WRITE_BYTES: usize = 256 << 10;

/// Destination of sorted entries.
pub(super) enum Target<'t> {
    Memory(Vec<u8>),
    /// Buffered file.
    Disk(&'t mut SpillWriter, Vec<u8>),
}

impl<'t> Target<'t> {
    pub(super) fn disk(writer: &'t mut SpillWriter) -> Self {
        Self::Disk(writer, Vec::with_capacity(WRITE_BYTES))
    }

    fn write(&mut self, entry: &[u8]) -> Result<()> {
        let bytes = match self {
            Self::Memory(bytes) => bytes,
            Self::Disk(writer, buffer) => {
                if buffer.len() + entry.len() > WRITE_BYTES {
                    writer.write(buffer)?;
                    buffer.clear();
                }
                buffer
            }
        };
        bytes.extend_from_slice(entry);
        Ok(())
    }
}

/// Writer of entries to a target.
pub(super) struct Output<'t> {
    target: Target<'t>,
    combine: Option<&'t CombineBytes<'t>>,
    /// Last entry, which may be combined with the next; empty before the first.
    last: Vec<u8>,
    entries: u64,
}

impl<'t> Output<'t> {
    pub(super) const fn new(target: Target<'t>, combine: Option<&'t CombineBytes<'t>>) -> Self {
        Self { target, combine, last: Vec::new(), entries: 0 }
    }

    /// Adds an entry whose destination is not less than the last one. Calls `begins` with the destination and the
    /// number of previous entries, unless the entry is combined with the last one.
    pub(super) fn push(&mut self, entry: &[u8], begins: &mut dyn FnMut(u32, u64)) -> Result<()> {
        let to = destination(entry);
        if let Some(combine) = self.combine.filter(|_| !self.last.is_empty() && destination(&self.last) == to) {
            combine(&mut self.last[ID_BYTES..], &entry[ID_BYTES..]);
            return Ok(());
        }
        begins(to, self.entries);
        self.entries += 1;
        self.target.write(&self.last)?;
        self.last.clear();
        self.last.extend_from_slice(entry);
        Ok(())
    }

    /// Writes the rest; returns the number of entries, and the entries in memory.
    pub(super) fn finish(mut self) -> Result<(u64, Vec<u8>)> {
        self.target.write(&self.last)?;
        match self.target {
            Target::Memory(bytes) => Ok((self.entries, bytes)),
            Target::Disk(writer, buffer) => writer.write(&buffer).map(|()| (self.entries, Vec::new())),
        }
    }
}
