//! Detection of supported I/O features by trial.

use super::contract::{ReadRequest, ReadSource, Reader};
use super::file::{OpenFile, Refusals};
use super::queue::{PortMaker, QueueReader};
use super::uring;
use crate::{ALIGNMENT, AlignedBuffer, SECTOR_BYTES};
use outcrop_types::{Error, Purpose, Result, length_from};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// File systems, by number, with an alignment that statx reports for their files, and the alignment with which direct
/// reads succeeded. A trial takes as long as reading a small file.
static READ_DIRECTLY: Mutex<Vec<(u64, usize, usize)>> = Mutex::new(Vec::new());

/// Enables direct reads if trial reads succeed, or did so for another file on the same file system; returns the unit of
/// offsets and lengths.
pub(super) fn try_direct(file: &OpenFile) -> Result<Option<usize>> {
    use rustix::fs::{fcntl_getfl, fcntl_setfl, fstat};
    let (least, system) = match least_alignment(file) {
        Alignment::Unsupported => return Ok(None),
        Alignment::Unknown => (SECTOR_BYTES, None),
        Alignment::Reported(least) => (least, fstat(&file.fd).ok().map(|status| status.st_dev)),
    };
    let Ok(flags) = fcntl_getfl(&file.fd) else { return Ok(None) };
    if fcntl_setfl(&file.fd, flags | OFlags::DIRECT).is_err() {
        return Ok(None);
    }
    let known = || READ_DIRECTLY.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |entry: &(u64, usize, usize)| Some(entry.0) == system && entry.1 == least;
    if let Some((_, _, alignment)) = known().iter().copied().find(is_same) {
        return Ok(Some(alignment));
    }
    for alignment in [least, ALIGNMENT] {
        match trial_read(file, alignment) {
            Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(errno) => return Err(Error::io("read", &file.path, errno.into())),
            Ok(()) => {
                known().extend(system.map(|system| (system, least, alignment)));
                return Ok(Some(alignment));
            }
        }
    }
    fcntl_setfl(&file.fd, flags).map_err(|errno| Error::io("open", &file.path, errno.into()))?;
    Ok(None)
}

/// Alignment of direct reads according to statx.
enum Alignment {
    /// Direct reads are impossible, or need a larger alignment than we support.
    Unsupported,
    /// The kernel or the file system does not report it.
    Unknown,
    Reported(usize),
}

/// Returns the minimum alignment worth a trial.
fn least_alignment(file: &OpenFile) -> Alignment {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    /// `STATX_DIOALIGN` of linux/stat.h.
    const DIO_ALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);
    let Ok(answer) = statx(&file.fd, c"", AtFlags::EMPTY_PATH, DIO_ALIGN) else { return Alignment::Unknown };
    if answer.stx_mask & DIO_ALIGN.bits() == 0 {
        return Alignment::Unknown;
    }
    let fits = |align: u32| align > 0 && ALIGNMENT.is_multiple_of(align as usize);
    let (memory, offset) = (answer.stx_dio_mem_align, answer.stx_dio_offset_align);
    // A short read continues in the middle of its buffer.
    match fits(memory) && fits(offset) {
        true => Alignment::Reported(SECTOR_BYTES.max(memory as usize).max(offset as usize)),
        false => Alignment::Unsupported,
    }
}

/// Performs a minimal read at an offset that is not a multiple of a larger alignment.
fn trial_read(file: &OpenFile, alignment: usize) -> Result<(), Errno> {
    let Ok(mut buffer) = AlignedBuffer::new(ALIGNMENT, ALIGNMENT, Purpose::IoBuffers) else { return Err(Errno::NOMEM) };
    loop {
        match rustix::io::pread(&file.fd, &mut buffer[..alignment], length_from(alignment)) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            outcome => return outcome.map(|_| ()),
        }
    }
}

/// File systems, by number, on which a ring of this process has read a file, with or without the system's page cache. A
/// store has dozens of files, and a ring for each would cost more than reading most of them.
static READ_BY_RINGS: Mutex<Vec<(u64, bool)>> = Mutex::new(Vec::new());

/// Returns the constructor of rings, if a ring can be created and reads the first unit of the file, or did so for
/// another file on the same file system.
pub(super) fn try_uring(file: &Arc<OpenFile>, refusals: Refusals) -> io::Result<PortMaker> {
    if refusals.uring {
        return Err(Errno::PERM.into());
    }
    let way = (rustix::fs::fstat(&file.fd)?.st_dev, file.direct);
    let known = || READ_BY_RINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if known().contains(&way) {
        return Ok(uring::make);
    }
    let buffer = AlignedBuffer::new(ALIGNMENT, ALIGNMENT, Purpose::IoBuffers).map_err(io::Error::other)?;
    if file.length < length_from(ALIGNMENT) {
        uring::make(file, buffer.as_ptr(), buffer.len())?;
        return Ok(uring::make);
    }
    let mut reader = QueueReader::new(Arc::clone(file), ALIGNMENT, vec![uring::make]).map_err(plain)?;
    reader.open_port().map_err(plain)?;
    reader.read_many(1, &mut FirstUnit(false)).map_err(plain)?;
    known().push(way);
    Ok(uring::make)
}

/// Returns the system error without the file's name.
fn plain(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        other => io::Error::other(other),
    }
}

/// Source of a single read of the first unit.
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
