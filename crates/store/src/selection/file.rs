//! Opening of the file with a selection.

use super::encoding::ListEncoding;
use super::format::{Header, Refusal, SelectionInfo, VERSION, file_name};
use crate::component::{Component, FileEntry, UNIT_BYTES, UnitSeal};
use crate::store::Store;
use bytemuck::Zeroable;
use outcrop_io::{Device, IoChoice};
use outcrop_types::{Direction, Error, Result};
use std::sync::Arc;

/// Advice for a damaged selection: it can be recreated or omitted.
const REMEDY: &str = "recreate it with `outcrop cache`, or run without it (--static-cache 0%)";

/// Selection that is open for reading, with a valid header.
pub(super) struct SelectionFile {
    pub(super) header: Header,
    pub(super) encoding: ListEncoding,
    direction: Direction,
    /// File, with the seal of the units after the first.
    pub(super) component: Component,
}

/// Returns the seal of the units after the first.
pub(super) fn seal_of_generation(store: &Store, direction: Direction, generation: u64) -> UnitSeal {
    UnitSeal::new(store.id(), &format!("{}:{generation:016x}", file_name(direction)))
}

/// Adds advice to the error of a damaged selection.
pub(crate) fn with_remedy(error: Error) -> Error {
    error.with_remedy(REMEDY)
}

impl SelectionFile {
    /// Opens the selection of `direction`; returns `None` if the store has none.
    ///
    /// # Errors
    ///
    /// Returns an error if it is damaged, belongs to another store or layout, or has a newer format.
    pub(super) fn open(store: &Store, direction: Direction, io: IoChoice) -> Result<Option<Self>> {
        Self::open_named(store, direction, &file_name(store.stored(direction)), io, |device| device)
    }

    /// Same as [`SelectionFile::open`] for the file `name`, with a wrapper around its device.
    pub(super) fn open_named(
        store: &Store,
        direction: Direction,
        name: &str,
        io: IoChoice,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Option<Self>> {
        // A selection contains lists as in their files.
        let (store, direction) = (&store.as_written(), store.stored(direction));
        let device = match store.device(name, io) {
            Err(Error::NotFound { .. }) => return Ok(None),
            outcome => wrap(outcome?),
        };
        Self::on_device(store, direction, device).map(Some).map_err(with_remedy)
    }

    fn on_device(store: &Store, direction: Direction, device: Arc<dyn Device>) -> Result<Self> {
        let name = file_name(direction);
        let entry = FileEntry { name: name.clone(), bytes: device.len(), checksum: String::new() };
        let component = Component::on_device(device, &entry, UnitSeal::new(store.id(), &name), UNIT_BYTES)?;
        let mut header = Header::zeroed();
        component.reader()?.read_at(0, bytemuck::bytes_of_mut(&mut header))?;
        let encoding = ListEncoding::of(store, direction)?;
        let path = component.path().to_owned();
        header.validate(encoding, store.manifest().graph.vertices, component.units()).map_err(
            |refusal| match refusal {
                Refusal::Version(found) => Error::FormatVersion { path, found, supported: VERSION },
                Refusal::Foreign(message) => Error::corrupt(path, message),
            },
        )?;
        let component = component.sealed_with(seal_of_generation(store, direction, header.generation));
        Ok(Self { header, encoding, direction, component })
    }

    /// Returns the public description.
    pub(super) fn info(&self) -> SelectionInfo {
        self.header.info(self.direction)
    }

    /// Returns the error for a file with a valid checksum but malformed content, described by `message`.
    pub(super) fn damaged(&self, message: &str) -> Error {
        with_remedy(Error::corrupt(self.component.path(), message))
    }
}

impl Store {
    /// Returns the description of the selection of `direction`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if it is damaged, belongs to another store or layout, or has a newer format.
    pub fn selection(&self, direction: Direction, io: IoChoice) -> Result<Option<SelectionInfo>> {
        Ok(SelectionFile::open(self, direction, io)?.map(|file| file.info()))
    }
}
