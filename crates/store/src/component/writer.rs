//! Writes a component: a stream of payload bytes, cut into checksummed units.

use super::file_entry::FileEntry;
use super::unit::{StoreId, UNIT_BYTES, UNIT_HEADER_BYTES, UnitSeal};
use outcrop_io::{SequentialFile, Storage};
use outcrop_types::{Result, length_from};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Units are handed to the disk in batches of so many bytes: whole units of every size.
const BATCH_BYTES: usize = 256 << 10;

/// Writes one component file from front to back.
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

    /// Memory of one writer of units of `unit_bytes`, in bytes.
    pub const fn memory(unit_bytes: usize) -> u64 {
        length_from(BATCH_BYTES + unit_bytes)
    }

    /// Starts the component `name` of the store `id` in `folder`.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(storage: &dyn Storage, folder: &Path, id: StoreId, name: &str) -> Result<Self> {
        Self::with_units_of(UNIT_BYTES, storage, folder, id, name)
    }

    /// [`ComponentWriter::create`] with units of `unit_bytes`, which divide or are divided by [`UNIT_BYTES`].
    ///
    /// # Errors
    /// The file cannot be created.
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

    /// Writes into a file that is empty, whatever it is called, units sealed with `seal`.
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

    /// Seals the units from the next one on with `seal`; the unit under way is complete.
    pub(crate) fn seal_with(&mut self, seal: UnitSeal) {
        debug_assert!(self.payload.is_empty());
        self.seal = seal;
    }

    /// Appends payload bytes; they may straddle units.
    ///
    /// # Errors
    /// The file cannot be written.
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

    /// Fills the unit under way with zeros, so that what follows begins a unit.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish_unit(&mut self) -> Result<()> {
        if self.payload.is_empty() {
            return Ok(());
        }
        self.payload.resize(self.payload_bytes(), 0);
        self.seal_payload()
    }

    const fn payload_bytes(&self) -> usize {
        self.unit_bytes - UNIT_HEADER_BYTES
    }

    /// Number of complete units.
    pub const fn units(&self) -> u64 {
        self.units
    }

    /// Digest of the checksums of the complete units.
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

    /// Completes the file, with units of zeros up to a multiple of [`UNIT_BYTES`], makes it durable and says what the
    /// manifest must list.
    ///
    /// # Errors
    /// The file cannot be written or synced.
    pub fn finish(mut self) -> Result<FileEntry> {
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
