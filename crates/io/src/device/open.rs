//! Opens a file by the best way that works here, found out by trial.

use super::contract::{Backend, Device, IoChoice, Reader};
use super::file::{OpenFile, Refusals};
use super::pread;
use super::queue::{PortMaker, QueueReader};
use super::slices::MmapDevice;
#[cfg(target_os = "linux")]
use super::trial::{try_direct, try_uring};
use crate::ALIGNMENT;
use outcrop_types::{Error, Result, length_from};
use rustix::fs::CWD;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

/// Least size of a reader's buffers, in bytes, if so much was asked for.
const LEAST_BUFFER_BYTES: u64 = 64 << 10;

/// Opens the file at `path` for reading, without following a link at its last component.
///
/// The way to read is found by trial: io_uring with `O_DIRECT`, else a pool of threads with `O_DIRECT`, else the pool
/// through the system's page cache. `note` receives a sentence about each fallback that was taken.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Usage`] where io_uring was asked for by name and is refused; [`Error::Io`] where the
/// file is a link or no plain file, or cannot be opened or read.
pub fn open_device(path: &Path, choice: IoChoice, note: &mut dyn FnMut(&str)) -> Result<Arc<dyn Device>> {
    open_device_refusing(path, choice, Refusals::default(), note)
}

/// [`open_device`] as it would be where the system refuses more than it does.
///
/// # Errors
/// As for [`open_device`].
#[doc(hidden)]
pub fn open_device_refusing(
    path: &Path,
    choice: IoChoice,
    refusals: Refusals,
    note: &mut dyn FnMut(&str),
) -> Result<Arc<dyn Device>> {
    open_device_at((CWD, path), path, choice, refusals, note)
}

/// [`open_device_refusing`] of a file beneath an open folder; `shown` is its path in messages.
pub(crate) fn open_device_at(
    (folder, name): (BorrowedFd<'_>, &Path),
    shown: &Path,
    choice: IoChoice,
    refusals: Refusals,
    note: &mut dyn FnMut(&str),
) -> Result<Arc<dyn Device>> {
    let mut file = OpenFile::plain(folder, name, shown)?;
    if choice == IoChoice::Mmap {
        return Ok(Arc::new(MmapDevice::new(&file)?));
    }
    if choice != IoChoice::Buffered {
        let alignment = if refusals.direct { None } else { try_direct(&file)? };
        (file.direct, file.alignment) = (alignment.is_some(), alignment.unwrap_or(ALIGNMENT));
    }
    if !file.direct {
        file.advise_random();
    }
    let file = Arc::new(file);
    let (backend, make) = choose(&file, choice, refusals, note)?;
    Ok(Arc::new(FileDevice { file, backend, make }))
}

fn choose(
    file: &Arc<OpenFile>,
    choice: IoChoice,
    refusals: Refusals,
    note: &mut dyn FnMut(&str),
) -> Result<(Backend, Vec<PortMaker>)> {
    let name = file.path.display();
    if !file.direct && choice != IoChoice::Buffered {
        note(&format!(
            "{name}: using the page cache of the system because the file system does not support direct reads"
        ));
    }
    if choice == IoChoice::Uring || (choice == IoChoice::Auto && file.direct) {
        match try_uring(file, refusals) {
            Ok(make) => return Ok((Backend::Uring, with_fallback(make, choice))),
            Err(error) if choice == IoChoice::Uring => {
                return Err(Error::Usage(format!("io_uring is not available ({error}); use --io auto or pread")));
            }
            Err(error) => note(&format!("{name}: using a thread pool because io_uring is not available ({error})")),
        }
    }
    let backend = if file.direct { Backend::Pread } else { Backend::Buffered };
    Ok((backend, vec![pread::make]))
}

/// Makers in turn: where the choice is free, a reader that gets no ring of its own (out of locked memory or
/// descriptors) reads by threads.
fn with_fallback(make: PortMaker, choice: IoChoice) -> Vec<PortMaker> {
    if choice == IoChoice::Uring { vec![make] } else { vec![make, pread::make] }
}

struct FileDevice {
    file: Arc<OpenFile>,
    backend: Backend,
    make: Vec<PortMaker>,
}

impl Device for FileDevice {
    fn path(&self) -> &Path {
        &self.file.path
    }

    fn len(&self) -> u64 {
        self.file.length
    }

    fn alignment(&self) -> u64 {
        length_from(self.file.alignment)
    }

    fn backend(&self) -> Backend {
        self.backend
    }

    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>> {
        // The system pins buffers page by page: a short file is not worth the pages that it cannot fill.
        let most = self.file.length.saturating_mul(2).max(LEAST_BUFFER_BYTES);
        let buffer_bytes = usize::try_from(most).map_or(buffer_bytes, |most| buffer_bytes.min(most));
        Ok(Box::new(QueueReader::new(Arc::clone(&self.file), buffer_bytes, self.make.clone())?))
    }
}

#[cfg(not(target_os = "linux"))]
fn try_direct(_file: &OpenFile) -> Result<Option<usize>> {
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
fn try_uring(_file: &Arc<OpenFile>, _refusals: Refusals) -> std::io::Result<PortMaker> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "io_uring needs Linux"))
}
