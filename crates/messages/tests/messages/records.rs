//! Records that are found under their keys.

use crate::setting::Setting;
use outcrop_messages::{RecordLog, RecordSetup};
use outcrop_types::Error;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Writes records down, each worker a part, and finds them again.
fn round_trip(keys: u32, memory: u64, space: u64, records: &[(u32, [u32; 3])]) {
    let setting = Setting::new(&[1], 2);
    let (spill, workers, budget) = (&setting.spill, &setting.workers, &setting.budget);
    let setup = RecordSetup { keys, memory, records: records.len() as u64, spill, workers, budget };
    let log = RecordLog::new(setup).unwrap();
    assert_eq!(setting.budget.limit() - setting.budget.available(), setup.bytes::<[u32; 3]>());
    let write = |slot: usize| {
        let mut writer = log.writer(slot);
        records.iter().skip(slot).step_by(2).for_each(|(key, record)| writer.record(*key, *record));
        Ok(())
    };
    setting.workers.run(false, &write).unwrap();
    let written = log.finish().unwrap();
    assert_eq!((written.len(), written.is_empty()), (records.len() as u64, records.is_empty()));
    let (mut next, mut found) = (0, BTreeMap::<u32, Vec<[u32; 3]>>::new());
    let block = |range: outcrop_types::VertexRange, begins: &[u32], records: &mut [[u32; 3]]| {
        assert_eq!((range.start, begins.len(), begins[0]), (next, range.len() + 1, 0));
        assert_eq!(begins[range.len()] as usize, records.len());
        for (key, bounds) in range.iter().zip(begins.windows(2)).filter(|(_, bounds)| bounds[0] < bounds[1]) {
            found.insert(key, records[bounds[0] as usize..bounds[1] as usize].to_vec());
        }
        next = range.end;
        Ok(())
    };
    written.for_each_block(space, block).unwrap();
    assert_eq!(next, keys);
    let mut expected = BTreeMap::<u32, Vec<[u32; 3]>>::new();
    records.iter().for_each(|(key, record)| expected.entry(*key).or_default().push(*record));
    found.values_mut().chain(expected.values_mut()).for_each(|records| records.sort_unstable());
    assert_eq!(found, expected);
    assert_eq!(setting.budget.available(), setting.budget.limit());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn records_are_found_under_their_keys(
        keys in 1_u32..3000,
        memory in 0_u64..2 << 20,
        space in 0_u64..300_000,
        drawn in proptest::collection::vec((any::<u32>(), any::<[u32; 3]>()), 0..2000),
    ) {
        let records: Vec<_> = drawn.into_iter().map(|(key, record)| (key % keys, record)).collect();
        round_trip(keys, memory, (256 << 10) + 28 * 400 + space, &records);
    }
}

#[test]
fn records_beyond_memory_and_of_no_key_at_all() {
    round_trip(0, 0, 1 << 20, &[]);
    let records: Vec<_> = (0..200_000).map(|number| (number * 7 % 5000, [number; 3])).collect();
    round_trip(5000, 1 << 20, 1 << 20, &records);
}

#[test]
fn a_key_that_there_cannot_be_is_an_error() {
    let setting = Setting::new(&[1], 1);
    let (spill, workers, budget) = (&setting.spill, &setting.workers, &setting.budget);
    let log = RecordLog::new(RecordSetup { keys: 10, memory: 0, records: 1, spill, workers, budget }).unwrap();
    log.writer(1).record(10, 0_u64);
    assert!(matches!(log.finish(), Err(Error::Usage(_))));
}
