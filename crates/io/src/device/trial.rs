//! Finds out by trial what this system allows.

use super::contract::{ReadRequest, ReadSource, Reader};
use super::open::{OpenFile, Refusals};
use super::queue::{PortMaker, QueueReader};
use super::uring;
use crate::{ALIGNMENT, AlignedBuffer};
use outcrop_types::{Error, Result, length_from};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io;
use std::sync::Arc;

/// Turns direct reads on where they work, as a trial read tells.
pub(super) fn try_direct(file: &OpenFile) -> Result<bool> {
    use rustix::fs::{fcntl_getfl, fcntl_setfl};
    if !direct_alignment_suits(file) {
        return Ok(false);
    }
    let Ok(flags) = fcntl_getfl(&file.fd) else { return Ok(false) };
    if fcntl_setfl(&file.fd, flags | OFlags::DIRECT).is_err() {
        return Ok(false);
    }
    match trial_read(file) {
        Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS) => {
            fcntl_setfl(&file.fd, flags).map_err(|errno| Error::io("open", &file.path, errno.into()))?;
            Ok(false)
        }
        Err(errno) => Err(Error::io("read", &file.path, errno.into())),
        Ok(()) => Ok(true),
    }
}

/// What statx says of direct reads, where it says anything: zero for impossible.
fn direct_alignment_suits(file: &OpenFile) -> bool {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    /// `STATX_DIOALIGN` of linux/stat.h.
    const DIO_ALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);
    let Ok(answer) = statx(&file.fd, c"", AtFlags::EMPTY_PATH, DIO_ALIGN) else { return true };
    if answer.stx_mask & DIO_ALIGN.bits() == 0 {
        return true;
    }
    let fits = |align: u32| align > 0 && ALIGNMENT.is_multiple_of(align as usize);
    fits(answer.stx_dio_mem_align) && fits(answer.stx_dio_offset_align)
}

fn trial_read(file: &OpenFile) -> Result<(), Errno> {
    let Ok(mut buffer) = AlignedBuffer::new(ALIGNMENT, ALIGNMENT) else { return Err(Errno::NOMEM) };
    loop {
        match rustix::io::pread(&file.fd, &mut buffer[..], 0) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            outcome => return outcome.map(|_| ()),
        }
    }
}

/// The maker of rings, if a ring can be made and reads the first unit of the file.
pub(super) fn try_uring(file: &Arc<OpenFile>, refusals: Refusals) -> io::Result<PortMaker> {
    if refusals.uring {
        return Err(Errno::PERM.into());
    }
    let buffer = AlignedBuffer::new(ALIGNMENT, ALIGNMENT).map_err(io::Error::other)?;
    if file.length < length_from(ALIGNMENT) {
        uring::make(file, buffer.as_ptr(), buffer.len())?;
        return Ok(uring::make);
    }
    let mut reader = QueueReader::new(Arc::clone(file), ALIGNMENT, vec![uring::make]).map_err(plain)?;
    reader.read_many(1, &mut FirstUnit(false)).map_err(plain)?;
    Ok(uring::make)
}

/// What the system said, without the file's name.
fn plain(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        other => io::Error::other(other),
    }
}

/// Reads the first unit once.
struct FirstUnit(bool);

impl ReadSource for FirstUnit {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let asked = std::mem::replace(&mut self.0, true);
        Ok((!asked).then_some(ReadRequest { offset: 0, length: ALIGNMENT, token: 0 }))
    }

    fn ready(&mut self, _token: u64, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }
}
