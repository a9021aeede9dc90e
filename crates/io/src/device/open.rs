//! Opening of a file with the best available I/O backend, found by trial.

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

/// Minimum size of a reader's buffers in bytes, unless less was requested.
const LEAST_BUFFER_BYTES: u64 = 64 << 10;

/// Opens the file at `path` for reading, without following a link at its last component.
///
/// The backend is found by trial: io_uring with `O_DIRECT`, otherwise a thread pool with `O_DIRECT`, otherwise the pool
/// through the system's page cache. `note` receives a sentence about each fallback.
///
/// # Errors
///
/// Returns [`Error::NotFound`], [`Error::Usage`] if io_uring was requested by name and is refused, or [`Error::Io`] if
/// the file is a link or not a regular file, or cannot be opened or read.
pub fn open_device(path: &Path, choice: IoChoice, note: &mut dyn FnMut(&str)) -> Result<Arc<dyn Device>> {
    open_device_refusing(path, choice, Refusals::default(), note)
}

/// Same as [`open_device`] with simulated refusals.
///
/// # Errors
///
/// Returns an error under the same conditions as [`open_device`].
#[doc(hidden)]
pub fn open_device_refusing(
    path: &Path,
    choice: IoChoice,
    refusals: Refusals,
    note: &mut dyn FnMut(&str),
) -> Result<Arc<dyn Device>> {
    open_device_at(CWD, path, path, choice, refusals, note)
}

/// Same as [`open_device_refusing`] for a file in an open folder; `shown` is its path in messages.
pub(crate) fn open_device_at(
    folder: BorrowedFd<'_>,
    name: &Path,
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

/// Returns port constructors in order of preference: if the choice is free, a reader that cannot create its own ring
/// (out of locked memory or descriptors) uses threads.
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
        // The system pins buffers page by page: a short file does not need more pages than it can fill.
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
