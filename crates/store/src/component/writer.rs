//! Writes a component: a stream of payload bytes, cut into checksummed units.

use super::unit::{PAYLOAD_BYTES, StoreId, UNIT_BYTES, UnitSeal};
use crate::manifest::FileEntry;
use outcrop_io::{SequentialFile, Storage};
use outcrop_types::{Result, length_from};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Units are handed to the disk in batches of so many.
const BATCH_UNITS: usize = 64;

/// Writes one component file from front to back.
pub struct ComponentWriter {
    file: Box<dyn SequentialFile>,
    name: String,
    seal: UnitSeal,
    batch: Vec<u8>,
    payload: Vec<u8>,
    units: u64,
    digest: Xxh3,
}

impl ComponentWriter {
    /// Memory of one writer, in bytes.
    pub const MEMORY_BYTES: u64 = length_from((BATCH_UNITS + 1) * UNIT_BYTES);

    /// Starts the component `name` of the store `id` in `folder`.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(storage: &dyn Storage, folder: &Path, id: StoreId, name: &str) -> Result<Self> {
        Ok(Self::on_file(storage.create(&folder.join(name))?, name, UnitSeal::new(id, name)))
    }

    /// Writes into a file that is empty, whatever it is called, units sealed with `seal`.
    pub(crate) fn on_file(file: Box<dyn SequentialFile>, name: &str, seal: UnitSeal) -> Self {
        Self {
            file,
            name: name.to_owned(),
            seal,
            batch: Vec::with_capacity(BATCH_UNITS * UNIT_BYTES),
            payload: Vec::with_capacity(PAYLOAD_BYTES),
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
            let room = PAYLOAD_BYTES - self.payload.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.payload.extend_from_slice(now);
            bytes = later;
            if self.payload.len() == PAYLOAD_BYTES {
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
        self.payload.resize(PAYLOAD_BYTES, 0);
        self.seal_payload()
    }

    /// How many units are complete.
    pub const fn units(&self) -> u64 {
        self.units
    }

    fn seal_payload(&mut self) -> Result<()> {
        let header = self.seal.checksum(self.units, &self.payload).to_le_bytes();
        self.digest.update(&header);
        self.batch.extend_from_slice(&header);
        self.batch.append(&mut self.payload);
        self.units += 1;
        if self.batch.len() >= BATCH_UNITS * UNIT_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(&self.batch)?;
        self.batch.clear();
        Ok(())
    }

    /// Completes the file, makes it durable and says what the manifest must list.
    ///
    /// # Errors
    /// The file cannot be written or synced.
    pub fn finish(mut self) -> Result<FileEntry> {
        self.finish_unit()?;
        self.flush()?;
        self.file.sync()?;
        Ok(FileEntry {
            name: self.name,
            bytes: self.units * length_from(UNIT_BYTES),
            checksum: format!("{:016x}", self.digest.digest()),
        })
    }
}
