//! Writer of a component: a stream of payload bytes, split into checksummed units.

use super::checksummed_unit::{StoreId, UNIT_BYTES, UNIT_HEADER_BYTES, UnitSeal};
use super::file_entry::FileEntry;
use outcrop_io::{SequentialFile, Storage};
use outcrop_types::{Result, length_from};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Bytes per write: a multiple of every unit size.
const BATCH_BYTES: usize = 256 << 10;

/// Sequential writer of one component file.
pub struct ComponentWriter {
    file: Box<dyn SequentialFile>,
    name: String,
    seal: UnitSeal,
    unit_bytes: usize,
    batch: Vec<u8>,
    payload: Vec<u8>,
    units: u64,
    digest: Xxh3,
}

impl ComponentWriter {
    /// Memory of one writer, in bytes.
    pub const MEMORY_BYTES: u64 = Self::memory(UNIT_BYTES);

    /// Returns the memory of one writer of units of `unit_bytes`, in bytes.
    pub(crate) const fn memory(unit_bytes: usize) -> u64 {
        length_from(BATCH_BYTES + unit_bytes)
    }

    /// Creates the component `name` of the store `id` in `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be created.
    pub(crate) fn create(storage: &dyn Storage, folder: &Path, id: StoreId, name: &str) -> Result<Self> {
        Self::with_units_of(UNIT_BYTES, storage, folder, id, name)
    }

    /// Same as [`ComponentWriter::create`] with units of `unit_bytes`, which must divide or be a multiple of
    /// [`UNIT_BYTES`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be created.
    pub(crate) fn with_units_of(
        unit_bytes: usize,
        storage: &dyn Storage,
        folder: &Path,
        id: StoreId,
        name: &str,
    ) -> Result<Self> {
        let file = storage.create(&folder.join(name))?;
        Ok(Self { unit_bytes, ..Self::on_file(file, name, UnitSeal::new(id, name)) })
    }

    /// Creates a writer of units sealed with `seal` to an empty file of any name.
    pub(crate) fn on_file(file: Box<dyn SequentialFile>, name: &str, seal: UnitSeal) -> Self {
        Self {
            file,
            name: name.to_owned(),
            seal,
            unit_bytes: UNIT_BYTES,
            batch: Vec::with_capacity(BATCH_BYTES),
            payload: Vec::with_capacity(UNIT_BYTES),
            units: 0,
            digest: Xxh3::new(),
        }
    }

    /// Seals all following units with `seal`; the current unit must be complete.
    pub(crate) fn seal_with(&mut self, seal: UnitSeal) {
        debug_assert!(self.payload.is_empty());
        self.seal = seal;
    }

    /// Appends payload bytes, which may span units.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = self.payload_bytes() - self.payload.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.payload.extend_from_slice(now);
            bytes = later;
            if self.payload.len() == self.payload_bytes() {
                self.seal_payload()?;
            }
        }
        Ok(())
    }

    /// Fills the current unit with zeros, so that the next byte starts a unit.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(crate) fn finish_unit(&mut self) -> Result<()> {
        if self.payload.is_empty() {
            return Ok(());
        }
        self.payload.resize(self.payload_bytes(), 0);
        self.seal_payload()
    }

    const fn payload_bytes(&self) -> usize {
        self.unit_bytes - UNIT_HEADER_BYTES
    }

    /// Returns the number of complete units.
    pub(crate) const fn units(&self) -> u64 {
        self.units
    }

    /// Returns the digest of the checksums of the complete units.
    pub(crate) fn digest(&self) -> u64 {
        self.digest.digest()
    }

    fn seal_payload(&mut self) -> Result<()> {
        let header = self.seal.checksum(self.units, &self.payload).to_le_bytes();
        self.digest.update(&header);
        self.batch.extend_from_slice(&header);
        self.batch.append(&mut self.payload);
        self.units += 1;
        if self.batch.len() >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    const fn file_bytes(&self) -> u64 {
        self.units * length_from(self.unit_bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(&self.batch)?;
        self.batch.clear();
        Ok(())
    }

    /// Completes the file with zero units up to a multiple of [`UNIT_BYTES`], makes it durable and returns its entry
    /// for the manifest.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written or synced.
    pub(crate) fn finish(mut self) -> Result<FileEntry> {
        self.finish_unit()?;
        while !self.file_bytes().is_multiple_of(length_from(UNIT_BYTES)) {
            self.payload.resize(self.payload_bytes(), 0);
            self.seal_payload()?;
        }
        self.flush()?;
        self.file.sync()?;
        let bytes = self.file_bytes();
        Ok(FileEntry { name: self.name, bytes, checksum: format!("{:016x}", self.digest.digest()) })
    }
}
