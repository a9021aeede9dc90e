//! Reads a component: whole, or a stretch of its payload, every unit verified.

use super::unit::{PAYLOAD_BYTES, UNIT_BYTES, UnitSeal, unit_of};
use crate::manifest::FileEntry;
use bytemuck::Pod;
use outcrop_io::{Device, IoChoice, ReadRequest, ReadSource, Reader, open_device};
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result, VertexValues, index_from, length_from};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Units of one request of a sequential read.
const REQUEST_UNITS: u64 = 64;
const DEPTH: usize = 8;

/// A component file, open for reading.
#[derive(Clone)]
pub struct Component {
    device: Arc<dyn Device>,
    seal: UnitSeal,
    units: u64,
}

impl Component {
    /// Memory of one reader of a component, in bytes.
    pub const READER_BYTES: u64 = REQUEST_UNITS * length_from(UNIT_BYTES) * 4;

    /// Opens the file that `entry` lists.
    ///
    /// # Errors
    /// The file is missing, or its length is not the one listed.
    pub fn open(
        folder: &Path,
        entry: &FileEntry,
        seal: UnitSeal,
        io: IoChoice,
        note: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        let path = folder.join(&entry.name);
        let device = open_device(&path, io, note).map_err(|error| match error {
            Error::NotFound { path, .. } => Error::corrupt(path, "the file is missing"),
            other => other,
        })?;
        Self::on_device(device, entry, seal)
    }

    /// The component that `entry` lists, on a device that is open already.
    ///
    /// # Errors
    /// The device's length is not the one listed.
    pub fn on_device(device: Arc<dyn Device>, entry: &FileEntry, seal: UnitSeal) -> Result<Self> {
        let (found, listed) = (device.len(), entry.bytes);
        if found != listed || listed % length_from(UNIT_BYTES) != 0 {
            return Err(Error::corrupt(
                device.path(),
                format!("it has {found} bytes where the manifest lists {listed}"),
            ));
        }
        Ok(Self { device, seal, units: listed / length_from(UNIT_BYTES) })
    }

    /// The same component read through what `wrap` makes of its device.
    pub(crate) fn through(mut self, wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>) -> Self {
        self.device = wrap(self.device);
        self
    }

    /// The same component with units that are sealed otherwise.
    pub(crate) const fn sealed_with(mut self, seal: UnitSeal) -> Self {
        self.seal = seal;
        self
    }

    /// The device below.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// The seal of its units.
    pub const fn seal(&self) -> UnitSeal {
        self.seal
    }

    /// How many units it has.
    pub const fn units(&self) -> u64 {
        self.units
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        self.device.path()
    }

    /// The first `count` values of the payload, all units verified; the reader's buffers are paid for by the caller.
    ///
    /// # Errors
    /// The budget is too small; a unit fails its checksum or cannot be read; interruption.
    pub(crate) fn values<T: Pod>(
        &self,
        count: u64,
        budget: &MemoryBudget,
        purpose: Purpose,
        cancellation: &Cancellation,
    ) -> Result<VertexValues<T>> {
        let mut values = VertexValues::new(budget, purpose, index_from(count), |_| T::zeroed())?;
        let into: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        self.reader()?.for_each_unit(0..self.units, cancellation, |number, payload| {
            let rest = into.get_mut(index_from(number) * PAYLOAD_BYTES..).unwrap_or_default();
            let length = rest.len().min(payload.len());
            let (now, _) = rest.split_at_mut(length);
            now.copy_from_slice(payload.get(..length).unwrap_or_default());
            Ok(())
        })?;
        Ok(values)
    }

    /// A reader with buffers of [`Component::READER_BYTES`].
    ///
    /// # Errors
    /// The device has no reader to give.
    pub fn reader(&self) -> Result<ComponentReader> {
        let buffers = usize::try_from(Self::READER_BYTES).unwrap_or(usize::MAX);
        Ok(ComponentReader { reader: self.device.reader(buffers)?, component: self.clone() })
    }
}

/// Reads stretches of one component.
pub struct ComponentReader {
    component: Component,
    reader: Box<dyn Reader>,
}

impl ComponentReader {
    /// Fills `into` with the payload from byte `position` on.
    ///
    /// # Errors
    /// A unit fails its checksum or cannot be read, or the component ends before.
    pub fn read_at(&mut self, position: u64, into: &mut [u8]) -> Result<()> {
        let end = position + length_from(into.len());
        let (first, skipped) = unit_of(position);
        let units = first..end.div_ceil(length_from(PAYLOAD_BYTES));
        if into.is_empty() {
            return Ok(());
        }
        self.for_each_unit(units, &Cancellation::new(), |number, payload| {
            let (from, to) = match index_from(number - first) {
                0 => (skipped, 0),
                later => (0, later * PAYLOAD_BYTES - skipped),
            };
            let count = (payload.len() - from).min(into.len() - to);
            into[to..to + count].copy_from_slice(&payload[from..from + count]);
            Ok(())
        })
    }

    /// Hands over the verified payload of every unit of `units`, in no particular order.
    ///
    /// # Errors
    /// A unit fails its checksum or cannot be read; what `take` returns; interruption.
    pub fn for_each_unit(
        &mut self,
        units: Range<u64>,
        cancellation: &Cancellation,
        take: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let component = &self.component;
        if units.end > component.units {
            let message = format!("it ends after {} units where {} are needed", component.units, units.end);
            return Err(Error::corrupt(component.path(), message));
        }
        let mut source = UnitStream { component, next: units, cancellation, take };
        self.reader.read_many(DEPTH, &mut source)?;
        Ok(())
    }

    /// Verifies every unit, and the checksum of the whole file that the manifest lists.
    ///
    /// # Errors
    /// Anything is not as it was written.
    pub fn verify(&mut self, entry: &FileEntry, cancellation: &Cancellation, mut done: impl FnMut(u64)) -> Result<()> {
        let mut digest = Xxh3::new();
        for first in (0..self.component.units).step_by(index_from(REQUEST_UNITS)) {
            let last = (first + REQUEST_UNITS).min(self.component.units);
            let seal = self.component.seal;
            let mut checksums = vec![0; index_from(last - first)];
            self.for_each_unit(first..last, cancellation, |number, payload| {
                checksums[index_from(number - first)] = seal.checksum(number, payload);
                Ok(())
            })?;
            checksums.iter().for_each(|checksum: &u64| digest.update(&checksum.to_le_bytes()));
            done((last - first) * length_from(UNIT_BYTES));
        }
        if format!("{:016x}", digest.digest()) == entry.checksum {
            return Ok(());
        }
        Err(Error::corrupt(self.component.path(), "its units are intact, but are not those that the manifest lists"))
    }
}

struct UnitStream<'c, F> {
    component: &'c Component,
    next: Range<u64>,
    cancellation: &'c Cancellation,
    take: F,
}

impl<F: FnMut(u64, &[u8]) -> Result<()>> ReadSource for UnitStream<'_, F> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.cancellation.check()?;
        let first = self.next.start;
        let last = (first + REQUEST_UNITS).min(self.next.end);
        if first >= last {
            return Ok(None);
        }
        self.next.start = last;
        let unit = length_from(UNIT_BYTES);
        Ok(Some(ReadRequest { offset: first * unit, length: index_from((last - first) * unit), token: first }))
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        for (number, unit) in (first..).zip(bytes.chunks(UNIT_BYTES)) {
            let payload = self.component.seal.open(number, unit, self.component.path())?;
            (self.take)(number, payload)?;
        }
        Ok(())
    }
}
