//! Units of a component that stay in memory once they were read, for queries that read little at a time.

use super::checksummed_unit::PAYLOAD_BYTES;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, index_from, length_from, memory};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of units that are read together if some of them are needed often.
const BLOCK_UNITS: u64 = 64;
/// Reciprocal of the share of units in memory from which a block is read for each missing unit: reading a block takes
/// about as long as reading a few units.
const OFTEN_SHARE: usize = 8;

type Payload = [u8; PAYLOAD_BYTES];

/// Units in memory, if they are kept.
#[derive(Default)]
pub(super) struct KeptUnits(Mutex<Option<Units>>);

struct Units {
    /// Payload of each unit that was read.
    payloads: Vec<Option<Box<Payload>>>,
    count: usize,
    _held: Reservation,
}

impl KeptUnits {
    /// Keeps those of `units` units that are read from now on, in memory from `budget`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small for all of them.
    pub(super) fn keep(&self, units: u64, budget: &MemoryBudget) -> Result<()> {
        let count = index_from(units);
        let each = length_from(size_of::<Payload>() + size_of::<Option<Box<Payload>>>());
        let held = budget.reserve_growing(units * each, Purpose::IdMap)?;
        let payloads = memory::filled(count, Purpose::IdMap, |_| None)?;
        *self.lock() = Some(Units { payloads, count: 0, _held: held });
        Ok(())
    }

    /// Releases the memory; nothing is kept any more.
    pub(super) fn release(&self) {
        drop(self.lock().take());
    }

    /// Fills `into` with the payload starting at byte `position`, if it is in memory; returns true if it is.
    pub(super) fn copy(&self, position: u64, into: &mut [u8]) -> bool {
        let kept = self.lock();
        let Some(kept) = &*kept else { return false };
        let (mut start, mut rest) = (index_from(position), into);
        while !rest.is_empty() {
            let Some(payload) = kept.payload(start / PAYLOAD_BYTES) else { return false };
            let from = start % PAYLOAD_BYTES;
            let (now, later) = rest.split_at_mut(rest.len().min(payload.len() - from));
            now.copy_from_slice(&payload[from..from + now.len()]);
            (start, rest) = (start + now.len(), later);
        }
        true
    }

    /// Returns the units to read for `units`: more if many are in memory already.
    pub(super) fn worth_reading(&self, units: Range<u64>) -> Range<u64> {
        match &*self.lock() {
            Some(kept) if kept.count * OFTEN_SHARE >= kept.payloads.len() => {
                let all = length_from(kept.payloads.len()).max(units.end);
                units.start - units.start % BLOCK_UNITS..units.end.next_multiple_of(BLOCK_UNITS).min(all)
            }
            _ => units,
        }
    }

    /// Returns those units with bytes of the ascending `ranges` that are not in memory; `None` if nothing is kept.
    pub(super) fn missing(&self, ranges: impl Iterator<Item = Range<u64>>) -> Option<Vec<Range<u64>>> {
        let kept = self.lock();
        let kept = kept.as_ref()?;
        let mut missing: Vec<Range<u64>> = Vec::new();
        for unit in ranges.flat_map(|range| units_of(&range)).filter(|unit| kept.payload(index_from(*unit)).is_none()) {
            match missing.last_mut() {
                Some(last) if (last.start..=last.end).contains(&unit) => last.end = last.end.max(unit + 1),
                _ => missing.push(unit..unit + 1),
            }
        }
        Some(missing)
    }

    /// Keeps the verified payload of unit `number`.
    pub(super) fn put(&self, number: u64, payload: &[u8]) {
        if let Some(kept) = &mut *self.lock()
            && let Some(vacant @ None) = kept.payloads.get_mut(index_from(number))
            && let Ok(payload) = Payload::try_from(payload)
        {
            *vacant = Some(Box::new(payload));
            kept.count += 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Units>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Units {
    fn payload(&self, unit: usize) -> Option<&Payload> {
        self.payloads.get(unit)?.as_deref()
    }
}

/// Returns the units that contain `bytes` of the payload.
pub(super) const fn units_of(bytes: &Range<u64>) -> Range<u64> {
    bytes.start / PAYLOAD_BYTES as u64..bytes.end.div_ceil(PAYLOAD_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{Component, ComponentReader, FileEntry, StoreId, UNIT_BYTES, UnitSeal};
    use outcrop_io::{CountingDevice, IoCounters, MemoryDevice};
    use outcrop_types::Error;
    use std::sync::Arc;
    use std::sync::atomic::Ordering::Relaxed;

    /// Returns a component whose units contain their numbers, the last of them damaged, with the counters of its reads.
    fn component(units: u8) -> (Component, Arc<IoCounters>) {
        let (name, seal) = ("ids.integers", UnitSeal::new(StoreId::from_bytes([7; 16]), "ids.integers"));
        let unit = |number: u8| {
            let checksum = seal.checksum(number.into(), &[number; PAYLOAD_BYTES]) ^ u64::from(number + 1 == units);
            [&checksum.to_le_bytes()[..], &[number; PAYLOAD_BYTES]].concat()
        };
        let bytes: Vec<u8> = (0..units).flat_map(unit).collect();
        let entry = FileEntry { name: name.to_owned(), bytes: length_from(bytes.len()), checksum: String::new() };
        let device = CountingDevice::new(Arc::new(MemoryDevice::new(name, bytes)));
        let counters = Arc::clone(device.counters());
        (Component::on_device(Arc::new(device), &entry, seal, UNIT_BYTES).unwrap(), counters)
    }

    fn place(unit: u64) -> u64 {
        unit * length_from(PAYLOAD_BYTES)
    }

    fn read(reader: &mut ComponentReader, unit: u8) {
        let mut across = [0; 3];
        reader.read_at(place(unit.into()) + 4086, &mut across).unwrap();
        assert_eq!(across, [unit, unit, unit + 1]);
    }

    #[test]
    fn kept_units_are_read_once() {
        let (component, counters) = component(200);
        let (budget, mut reader) = (MemoryBudget::new(1 << 20), component.reader().unwrap());
        let units = || counters.bytes.swap(0, Relaxed) / length_from(UNIT_BYTES);
        for _ in 0..2 {
            read(&mut reader, 3);
            assert!(!reader.prefetch(std::iter::once(0..1)).unwrap());
            assert_eq!(units(), 2);
        }
        component.keep(&budget).unwrap();
        assert_eq!(budget.available(), (1 << 20) - 200 * 4096);
        for (unit, expected) in [(3, 2), (3, 0), (4, 2), (4, 0), (5, 2), (3, 0)] {
            read(&mut reader, unit);
            assert_eq!(units(), expected, "{unit}");
        }
        let wanted = [0, 5, 7, 8, 8, 90].map(|unit| place(unit) + 1..place(unit) + 2);
        assert!(reader.prefetch(wanted.into_iter()).unwrap());
        assert_eq!(units(), 4);
        [3, 4, 5, 7].into_iter().for_each(|unit| read(&mut reader, unit));
        assert_eq!(units(), 0);
        component.release();
        read(&mut reader, 3);
        assert_eq!((units(), budget.available()), (2, 1 << 20));
    }

    #[test]
    fn misses_read_blocks_once_many_units_are_there() {
        let (component, counters) = component(201);
        component.keep(&MemoryBudget::new(1 << 20)).unwrap();
        let mut reader = component.reader().unwrap();
        let units = || counters.bytes.swap(0, Relaxed) / length_from(UNIT_BYTES);
        for unit in (0..26).step_by(2) {
            read(&mut reader, unit);
        }
        assert_eq!(units(), 26);
        read(&mut reader, 63);
        assert_eq!(units(), 128);
        (0..127).for_each(|unit| read(&mut reader, unit));
        assert_eq!(units(), 0);
        // The last unit is damaged.
        for _ in 0..2 {
            assert!(matches!(reader.read_at(place(200), &mut [0]), Err(Error::Corrupt { .. })));
        }
        assert!(matches!(reader.read_at(place(201), &mut [0]), Err(Error::Corrupt { .. })));
        assert!(matches!(reader.prefetch(std::iter::once(place(200)..place(200) + 1)), Err(Error::Corrupt { .. })));
    }

    #[test]
    fn a_budget_too_small_for_all_units_keeps_none() {
        let (component, counters) = component(20);
        let budget = MemoryBudget::new(20 * 4096 - 1);
        assert!(matches!(component.keep(&budget), Err(Error::BudgetTooSmall { .. })));
        let mut reader = component.reader().unwrap();
        (0..2).for_each(|_| read(&mut reader, 3));
        assert_eq!((counters.requests.load(Relaxed), budget.available()), (2, budget.limit()));
    }
}
