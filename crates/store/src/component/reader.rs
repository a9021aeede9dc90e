//! Reader of a component, or of ranges of its payload, that verifies every unit.

use super::checksummed_unit::{UNIT_BYTES, UNIT_HEADER_BYTES, UnitSeal};
use super::file_entry::FileEntry;
use super::kept_units::{KeptUnits, units_of};
use bytemuck::Pod;
use outcrop_io::{Device, Folder, IoChoice, ReadRequest, ReadSource, Reader};
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result, VertexValues, index_from, length_from};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Maximum request of a sequential read: a multiple of every unit size.
const REQUEST_BYTES: u64 = 256 << 10;
/// Maximum number of requests in flight; the buffers of a reader hold fewer long ones.
const DEPTH: usize = 64;

/// Component file, open for reading.
#[derive(Clone)]
pub struct Component {
    device: Arc<dyn Device>,
    seal: UnitSeal,
    unit_bytes: usize,
    units: u64,
    kept: Arc<KeptUnits>,
}

impl Component {
    /// Memory of one reader of a component, in bytes.
    pub const READER_BYTES: u64 = REQUEST_BYTES * 4;

    /// Opens the file listed by `entry`, which consists of units of `unit_bytes`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing or its length differs from the listed one.
    pub(crate) fn open(
        folder: &Folder,
        entry: &FileEntry,
        seal: UnitSeal,
        unit_bytes: usize,
        io: IoChoice,
        note: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        let device = folder.device(&entry.name, io, note).map_err(|error| match error {
            Error::NotFound { path, .. } => Error::missing(path, entry.bytes),
            other => other,
        })?;
        Self::on_device(device, entry, seal, unit_bytes)
    }

    /// Opens the component listed by `entry` on an open device.
    ///
    /// # Errors
    /// Returns an error if the length of the device differs from the listed one.
    pub(crate) fn on_device(
        device: Arc<dyn Device>,
        entry: &FileEntry,
        seal: UnitSeal,
        unit_bytes: usize,
    ) -> Result<Self> {
        let (found, listed) = (device.len(), entry.bytes);
        if found != listed || !listed.is_multiple_of(length_from(unit_bytes.max(UNIT_BYTES))) {
            return Err(Error::corrupt(
                device.path(),
                format!("it has {found} bytes, but the manifest lists {listed}"),
            ));
        }
        Ok(Self { device, seal, unit_bytes, units: listed / length_from(unit_bytes), kept: Arc::default() })
    }

    /// Keeps the units that [`ComponentReader::read_at`] reads in memory from `budget`, until [`Component::release`].
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small for all units.
    pub(crate) fn keep(&self, budget: &MemoryBudget) -> Result<()> {
        self.kept.keep(self.units, budget)
    }

    /// Releases the units in memory.
    pub(crate) fn release(&self) {
        self.kept.release();
    }

    /// Returns the same component with its device wrapped by `wrap`.
    pub(crate) fn through(mut self, wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>) -> Self {
        self.device = wrap(self.device);
        self
    }

    /// Returns the same component with another seal of its units.
    pub(crate) const fn sealed_with(mut self, seal: UnitSeal) -> Self {
        self.seal = seal;
        self
    }

    /// Returns the same component without its last unit.
    pub(crate) const fn without_last_unit(mut self) -> Self {
        self.units = self.units.saturating_sub(1);
        self
    }

    /// Returns the underlying device.
    pub(crate) fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// Returns the seal of its units.
    pub(crate) const fn seal(&self) -> UnitSeal {
        self.seal
    }

    const fn payload_bytes(&self) -> usize {
        self.unit_bytes - UNIT_HEADER_BYTES
    }

    const fn request_units(&self) -> u64 {
        REQUEST_BYTES / length_from(self.unit_bytes)
    }

    /// Returns the number of units.
    pub(crate) const fn units(&self) -> u64 {
        self.units
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.device.path()
    }

    /// Reads the first `count` values of the payload and verifies all units; the caller reserves the reader's buffers.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if a unit cannot be read or fails its checksum, or if the run is
    /// interrupted.
    pub(crate) fn values<T: Pod>(
        &self,
        count: u64,
        budget: &MemoryBudget,
        purpose: Purpose,
        cancellation: &Cancellation,
    ) -> Result<VertexValues<T>> {
        let mut values = VertexValues::zeroes(budget, purpose, index_from(count))?;
        self.fill(&mut values, cancellation)?;
        Ok(values)
    }

    /// Same as [`Component::values`] for the given memory.
    ///
    /// # Errors
    ///
    /// Returns an error if a unit cannot be read or fails its checksum, or if the run is interrupted.
    pub(crate) fn fill<T: Pod>(&self, values: &mut [T], cancellation: &Cancellation) -> Result<()> {
        let into: &mut [u8] = bytemuck::cast_slice_mut(values);
        let payload_bytes = self.payload_bytes();
        self.reader()?.for_each_unit(0..self.units, cancellation, |number, payload| {
            // Default: units after the requested values are skipped.
            let rest = into.get_mut(index_from(number) * payload_bytes..).unwrap_or_default();
            let length = rest.len().min(payload.len());
            let (now, _) = rest.split_at_mut(length);
            now.copy_from_slice(&payload[..length]);
            Ok(())
        })
    }

    /// Creates a reader with buffers of [`Component::READER_BYTES`].
    ///
    /// # Errors
    ///
    /// Returns an error if the device cannot create a reader.
    pub(crate) fn reader(&self) -> Result<ComponentReader> {
        self.reader_of(index_from(Self::READER_BYTES))
    }

    /// Creates a reader with buffers of `buffers` bytes, which must hold all concurrent requests.
    ///
    /// # Errors
    ///
    /// Returns an error if the device cannot create a reader.
    pub(crate) fn reader_of(&self, buffers: usize) -> Result<ComponentReader> {
        Ok(ComponentReader { reader: self.device.reader(buffers)?, component: self.clone() })
    }
}

/// Reader of ranges of one component.
pub struct ComponentReader {
    component: Component,
    reader: Box<dyn Reader>,
}

impl ComponentReader {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        self.component.path()
    }

    /// Returns the component.
    pub(crate) const fn component(&self) -> &Component {
        &self.component
    }

    /// Fills `into` with the payload starting at byte `position`.
    ///
    /// # Errors
    ///
    /// Returns an error if a unit cannot be read or fails its checksum, or if the component is too short.
    pub fn read_at(&mut self, position: u64, into: &mut [u8]) -> Result<()> {
        let end = position + length_from(into.len());
        let kept = Arc::clone(&self.component.kept);
        if into.is_empty() || kept.copy(position, into) {
            return Ok(());
        }
        let payload_bytes = length_from(self.component.payload_bytes());
        let units = position / payload_bytes..end.div_ceil(payload_bytes);
        self.for_each_unit(kept.worth_reading(units), &Cancellation::new(), |number, payload| {
            kept.put(number, payload);
            let start = number * payload_bytes;
            let (from, to) = (position.max(start), end.min(start + payload_bytes));
            if from < to {
                let piece = &payload[index_from(from - start)..index_from(to - start)];
                into[index_from(from - position)..index_from(to - position)].copy_from_slice(piece);
            }
            Ok(())
        })
    }

    /// Reads the units with bytes of the ascending `ranges` of the payload, many at once, if they are kept in memory;
    /// returns false otherwise.
    ///
    /// # Errors
    ///
    /// Returns an error if a unit cannot be read or fails its checksum, or if the component is too short.
    pub(crate) fn prefetch(&mut self, ranges: impl Iterator<Item = Range<u64>>) -> Result<bool> {
        let kept = Arc::clone(&self.component.kept);
        let Some(missing) = kept.missing(ranges) else { return Ok(false) };
        self.for_each_unit_of(missing, &Cancellation::new(), |number, payload| {
            kept.put(number, payload);
            Ok(())
        })?;
        Ok(true)
    }

    /// Passes the verified payload of every unit of `units` to `take`, in any order. Requests for units smaller than
    /// 4096 bytes are aligned to 4096 bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if a unit cannot be read or fails its checksum, if `take` fails, or if the run is interrupted.
    pub(crate) fn for_each_unit(
        &mut self,
        units: Range<u64>,
        cancellation: &Cancellation,
        take: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.for_each_unit_of(vec![units], cancellation, take)
    }

    /// Passes the verified payload of every unit with bytes of `ranges` to `take`, in any order. Reads many units at
    /// once.
    ///
    /// # Errors
    ///
    /// Returns an error if a unit cannot be read or fails its checksum, if `take` fails, or if the component is too
    /// short.
    pub(crate) fn for_each_unit_with(
        &mut self,
        ranges: impl Iterator<Item = Range<u64>>,
        take: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut units: Vec<u64> = ranges.flat_map(|range| units_of(&range)).collect();
        units.sort_unstable();
        units.dedup();
        self.for_each_unit_of(units.into_iter().map(|unit| unit..unit + 1).collect(), &Cancellation::new(), take)
    }

    fn for_each_unit_of(
        &mut self,
        units: Vec<Range<u64>>,
        cancellation: &Cancellation,
        take: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let component = &self.component;
        if let Some(beyond) = units.iter().find(|units| units.end > component.units) {
            let message = format!("it ends after {} of {} units", component.units, beyond.end);
            return Err(Error::corrupt(component.path(), message));
        }
        let mut units = units.into_iter();
        // Default: there is nothing to read.
        let next = units.next().unwrap_or_default();
        let mut source = UnitStream { component, next, later: units, cancellation, take };
        self.reader.read_many(DEPTH, &mut source)?;
        Ok(())
    }

    /// Verifies every unit, and the checksum of the whole file in the manifest.
    ///
    /// # Errors
    ///
    /// Returns an error if any part is damaged.
    pub(crate) fn verify(
        &mut self,
        entry: &FileEntry,
        cancellation: &Cancellation,
        mut done: impl FnMut(u64),
    ) -> Result<()> {
        let mut digest = Xxh3::new();
        let (step, unit_bytes) = (self.component.request_units(), length_from(self.component.unit_bytes));
        for first in (0..self.component.units).step_by(index_from(step)) {
            let last = (first + step).min(self.component.units);
            let seal = self.component.seal;
            let mut checksums = vec![0; index_from(last - first)];
            self.for_each_unit(first..last, cancellation, |number, payload| {
                checksums[index_from(number - first)] = seal.checksum(number, payload);
                Ok(())
            })?;
            checksums.iter().for_each(|checksum: &u64| digest.update(&checksum.to_le_bytes()));
            done((last - first) * unit_bytes);
        }
        if format!("{:016x}", digest.digest()) == entry.checksum {
            return Ok(());
        }
        Err(Error::corrupt(self.component.path(), "its units have valid checksums, but belong to different versions"))
    }
}

struct UnitStream<'c, F> {
    component: &'c Component,
    next: Range<u64>,
    later: std::vec::IntoIter<Range<u64>>,
    cancellation: &'c Cancellation,
    take: F,
}

impl<F: FnMut(u64, &[u8]) -> Result<()>> ReadSource for UnitStream<'_, F> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.cancellation.check()?;
        while self.next.is_empty() {
            let Some(next) = self.later.next() else { return Ok(None) };
            self.next = next;
        }
        let first = self.next.start;
        let last = (first + self.component.request_units()).min(self.next.end);
        self.next.start = last;
        let unit = length_from(self.component.unit_bytes);
        Ok(Some(ReadRequest { offset: first * unit, length: index_from((last - first) * unit), token: first }))
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        for (number, unit) in (first..).zip(bytes.chunks(self.component.unit_bytes)) {
            let payload = self.component.seal.open(number, unit, self.component.path())?;
            (self.take)(number, payload)?;
        }
        Ok(())
    }
}
