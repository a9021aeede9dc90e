//! Every way to read a file, against the same requests and the same faults.
#![allow(clippy::unwrap_used, reason = "what these tests set up must work")]

use outcrop_io::{
    Backend, CountingDevice, Device, Fault, FaultyDevice, IoChoice, MemoryDevice, PlannedFault, ReadRequest,
    ReadSource, Reader, Refusals, open_device, open_device_refusing,
};
use outcrop_types::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

const UNIT: usize = 4096;
const UNITS: usize = 512;

fn contents() -> Vec<u8> {
    (0..UNITS * UNIT / 8).flat_map(|i| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes()).collect()
}

/// Every backend that works here over the same bytes, with what it is called.
fn devices(folder: &Path) -> Vec<(String, Arc<dyn Device>)> {
    let path = folder.join("file");
    std::fs::write(&path, contents()).unwrap();
    let mut devices: Vec<(String, Arc<dyn Device>)> = IoChoice::ALL
        .into_iter()
        .filter_map(|choice| Some((choice.to_string(), open_device(&path, choice, &mut |_| ()).ok()?)))
        .collect();
    for (uring, direct) in [(true, false), (false, true), (true, true)] {
        let refusals = Refusals { uring, direct };
        let device = open_device_refusing(&path, IoChoice::Auto, refusals, &mut |_| ()).unwrap();
        devices.push((format!("{refusals:?}"), device));
    }
    devices.push(("memory".to_owned(), Arc::new(MemoryDevice::new("memory", contents()))));
    assert!(devices.len() >= 8);
    devices
}

/// Asks for the given stretches, in units of `unit` bytes, and checks what comes.
struct Checked {
    unit: usize,
    stretches: Vec<(usize, usize)>,
    asked: usize,
    seen: Vec<bool>,
    fail_at: Option<usize>,
    most_in_flight: usize,
}

impl Checked {
    fn new(stretches: Vec<(usize, usize)>) -> Self {
        Self::in_units_of(UNIT, stretches)
    }

    fn in_units_of(unit: usize, stretches: Vec<(usize, usize)>) -> Self {
        let seen = vec![false; stretches.len()];
        Self { unit, stretches, asked: 0, seen, fail_at: None, most_in_flight: 0 }
    }

    fn in_flight(&self) -> usize {
        self.asked - self.seen.iter().filter(|seen| **seen).count()
    }
}

impl ReadSource for Checked {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let Some((start, units)) = self.stretches.get(self.asked) else { return Ok(None) };
        let (offset, length) = ((start * self.unit) as u64, units * self.unit);
        let request = ReadRequest { offset, length, token: self.asked as u64 };
        self.asked += 1;
        self.most_in_flight = self.most_in_flight.max(self.in_flight());
        Ok(Some(request))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let token = token as usize;
        if self.fail_at == Some(self.seen.iter().filter(|seen| **seen).count()) {
            return Err(Error::Interrupted);
        }
        assert!(!std::mem::replace(&mut self.seen[token], true), "request {token} came twice");
        let (start, units) = self.stretches[token];
        let truth = &contents_cached()[start * self.unit..(start + units) * self.unit];
        assert!(bytes == truth, "request {token} is wrong");
        Ok(())
    }
}

fn contents_cached() -> &'static [u8] {
    static CONTENTS: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    CONTENTS.get_or_init(contents)
}

fn read(reader: &mut dyn Reader, depth: usize, stretches: &[(usize, usize)]) {
    let mut source = Checked::new(stretches.to_vec());
    reader.read_many(depth, &mut source).unwrap();
    assert!(source.seen.iter().all(|seen| *seen));
    // One more may have been asked for that has to wait for room.
    assert!(source.most_in_flight <= depth.max(1) + 1, "{} at depth {depth}", source.most_in_flight);
}

fn patterns() -> Vec<Vec<(usize, usize)>> {
    let scattered = |step: usize| (0..UNITS).map(move |i| (i * step % UNITS, 1)).collect();
    vec![
        vec![],
        vec![(0, 1)],
        vec![(7, 0), (UNITS - 1, 1), (UNITS, 0)],
        (0..UNITS).map(|unit| (unit, 1)).collect(),
        scattered(211),
        (0..UNITS).rev().map(|unit| (unit, 1)).collect(),
        (0..UNITS / 64).map(|i| (i * 64, 64)).collect(),
        (0..100).map(|i| (i * 37 % 400, i * 13 % 30 + 1)).collect(),
        vec![(0, UNITS)],
        vec![(5, 1); 300],
    ]
}

#[test]
fn all_backends_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for (name, device) in devices(folder.path()) {
        assert_eq!((device.len(), device.is_empty()), ((UNITS * UNIT) as u64, false));
        let mut reader = device.reader(UNITS * UNIT).unwrap();
        for (number, pattern) in patterns().iter().enumerate() {
            for depth in [0, 1, 2, 16, 128, 1000] {
                eprintln!("{name}, pattern {number}, depth {depth}");
                read(reader.as_mut(), depth, pattern);
            }
        }
    }
}

/// Sectors of a disk are 512 or 4096 bytes; the system's own pages, and those of maps, are 4096.
#[test]
fn all_backends_read_what_their_alignment_allows() {
    let folder = tempfile::tempdir().unwrap();
    for (name, device) in devices(folder.path()) {
        let unit = device.alignment() as usize;
        assert!(unit.is_power_of_two() && (512..=UNIT).contains(&unit), "{name}: {unit}");
        assert!(unit == UNIT || !matches!(device.backend(), Backend::Buffered | Backend::Mmap), "{name}: {unit}");
        assert!(unit == 512 || device.backend() != Backend::Memory);
        let units = UNITS * UNIT / unit;
        let ends = vec![(0, 1), (1, 1), (units - 1, 1), (units - 2, 2), (3, 13)];
        let scattered = (0..units).map(|i| (i * 211 % units, 1)).collect();
        let odd = (0..300).map(|i| (i * 37 % (units - 30), i * 13 % 29 + 1)).collect();
        for stretches in [ends, scattered, odd] {
            for depth in [1, 16, 128] {
                let mut source = Checked::in_units_of(unit, stretches.clone());
                device.reader(64 * UNIT).unwrap().read_many(depth, &mut source).unwrap();
                assert!(source.seen.iter().all(|seen| *seen), "{name}");
            }
        }
        let mut behind = Checked::in_units_of(unit, vec![(units - 1, 2)]);
        let outcome = device.reader(64 * UNIT).unwrap().read_many(1, &mut behind);
        assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{name} {outcome:?}");
    }
}

#[test]
fn requests_wait_for_room_in_small_buffers() {
    let folder = tempfile::tempdir().unwrap();
    for (_, device) in devices(folder.path()) {
        for units in [30, 31, 64] {
            let mut reader = device.reader(units * UNIT).unwrap();
            read(reader.as_mut(), 128, &patterns()[7]);
            read(reader.as_mut(), 128, &patterns()[4]);
        }
    }
}

#[test]
fn a_source_that_fails_leaves_a_reader_that_works() {
    let folder = tempfile::tempdir().unwrap();
    for (_, device) in devices(folder.path()) {
        let mut reader = device.reader(64 * UNIT).unwrap();
        for fail_at in [0, 1, 17, 300, 511] {
            let mut source = Checked::new(patterns()[4].clone());
            source.fail_at = Some(fail_at);
            assert!(matches!(reader.read_many(32, &mut source), Err(Error::Interrupted)));
            read(reader.as_mut(), 32, &patterns()[4]);
        }
    }
}

#[test]
fn a_source_that_panics_leaves_a_reader_that_works() {
    struct Panics(Checked);
    impl ReadSource for Panics {
        fn next(&mut self) -> Result<Option<ReadRequest>> {
            self.0.next()
        }
        fn ready(&mut self, token: u64, _bytes: &[u8]) -> Result<()> {
            assert!(token < 9, "planned");
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for (_, device) in devices(folder.path()) {
        let mut reader = device.reader(64 * UNIT).unwrap();
        let mut source = Panics(Checked::new(patterns()[3].clone()));
        let act = std::panic::AssertUnwindSafe(|| reader.read_many(32, &mut source));
        assert!(std::panic::catch_unwind(act).is_err());
        read(reader.as_mut(), 32, &patterns()[4]);
        let mut source = Panics(Checked::new(patterns()[3].clone()));
        let act = std::panic::AssertUnwindSafe(move || reader.read_many(32, &mut source));
        assert!(std::panic::catch_unwind(act).is_err());
    }
}

#[test]
fn reading_past_the_end_is_corruption() {
    let folder = tempfile::tempdir().unwrap();
    for (name, device) in devices(folder.path()) {
        let mut reader = device.reader(64 * UNIT).unwrap();
        for stretch in [(UNITS, 1), (UNITS - 1, 2), (UNITS * 2, 1), (usize::MAX / UNIT, 1)] {
            let outcome = reader.read_many(8, &mut Checked::new(vec![stretch]));
            assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{name} {outcome:?}");
        }
        read(reader.as_mut(), 8, &patterns()[4]);
    }
}

#[test]
fn a_file_that_was_truncated_after_opening_is_corrupt() {
    for cut in [0, 1, 100, UNIT, 5 * UNIT + 17] {
        let folder = tempfile::tempdir().unwrap();
        for (name, device) in devices(folder.path()) {
            if matches!(device.backend(), Backend::Mmap | Backend::Memory) {
                continue;
            }
            let file = std::fs::OpenOptions::new().write(true).open(device.path()).unwrap();
            file.set_len((UNITS * UNIT - 16 * UNIT + cut) as u64).unwrap();
            let mut reader = device.reader(64 * UNIT).unwrap();
            let outcome = reader.read_many(4, &mut Checked::new(vec![(0, 1), (UNITS - 16, 16), (1, 1)]));
            assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{name} {outcome:?}");
            std::fs::write(device.path(), contents()).unwrap();
            read(reader.as_mut(), 8, &patterns()[4]);
        }
    }
}

#[test]
fn impossible_requests_are_errors() {
    struct One(Option<ReadRequest>);
    impl ReadSource for One {
        fn next(&mut self) -> Result<Option<ReadRequest>> {
            Ok(self.0.take())
        }
        fn ready(&mut self, _token: u64, _bytes: &[u8]) -> Result<()> {
            panic!("nothing was to be read")
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, device) in devices(folder.path()) {
        let mut reader = device.reader(4 * UNIT).unwrap();
        let half = device.alignment() / 2;
        for (offset, length) in [(1, UNIT), (0, 100), (0, 5 * UNIT), (half, UNIT), (0, half as usize)] {
            let outcome = reader.read_many(8, &mut One(Some(ReadRequest { offset, length, token: 0 })));
            assert!(matches!(outcome, Err(Error::Io { .. })), "{name} {outcome:?}");
        }
        read(reader.as_mut(), 8, &patterns()[4]);
    }
}

#[test]
fn each_read_in_turn_fails() {
    let folder = tempfile::tempdir().unwrap();
    let pattern = (0..20).map(|i| (i * 7, 2)).collect::<Vec<_>>();
    for (name, device) in devices(folder.path()) {
        for request in 0..20 {
            for fault in [Fault::Error, Fault::Short, Fault::FlipBit(request * 1013)] {
                let faulty = FaultyDevice::new(Arc::clone(&device), [PlannedFault { request, fault }]);
                let mut reader = faulty.reader(64 * UNIT).unwrap();
                let mut source = Flips(Checked::new(pattern.clone()), 0);
                let outcome = reader.read_many(8, &mut source);
                match fault {
                    Fault::Error => assert!(matches!(outcome, Err(Error::Io { .. })), "{name}"),
                    Fault::Short => assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{name}"),
                    Fault::FlipBit(_) => assert_eq!((outcome.is_ok(), source.1), (true, 1), "{name}"),
                }
                read(reader.as_mut(), 8, &pattern);
                assert!(faulty.requests() > 20);
            }
        }
    }
}

/// Counts wrong bits instead of refusing them.
struct Flips(Checked, u32);

impl ReadSource for Flips {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.0.next()
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let (start, units) = self.0.stretches[token as usize];
        let truth = &contents_cached()[start * UNIT..(start + units) * UNIT];
        self.1 += bytes.iter().zip(truth).map(|(one, other)| (one ^ other).count_ones()).sum::<u32>();
        Ok(())
    }
}

#[test]
fn readers_may_move_between_threads_and_work_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    for (_, device) in devices(folder.path()) {
        let mut reader = device.reader(128 * UNIT).unwrap();
        read(reader.as_mut(), 64, &patterns()[4]);
        let mut reader = std::thread::spawn(move || {
            read(reader.as_mut(), 64, &patterns()[7]);
            reader
        })
        .join()
        .unwrap();
        read(reader.as_mut(), 64, &patterns()[5]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mut reader = device.reader(4 << 20).unwrap();
                scope.spawn(move || (0..5).for_each(|_| read(reader.as_mut(), 64, &patterns()[4])));
            }
        });
    }
}

#[test]
fn counters_count_requests_and_bytes() {
    let device = CountingDevice::new(Arc::new(MemoryDevice::new("memory", contents())));
    let mut reader = device.reader(64 * UNIT).unwrap();
    read(reader.as_mut(), 8, &[(0, 1), (3, 4)]);
    let counters = device.counters();
    assert_eq!((counters.requests.load(Relaxed), counters.bytes.load(Relaxed)), (2, 5 * UNIT as u64));
}

#[test]
fn fallbacks_are_noted_and_forced_choices_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, contents()).unwrap();
    let refused = Refusals { uring: true, direct: true };
    let mut notes = Vec::new();
    let mut note = |text: &str| notes.push(text.to_owned());
    let device = open_device_refusing(&path, IoChoice::Auto, refused, &mut note).unwrap();
    assert_eq!(device.backend(), Backend::Buffered);
    assert!(matches!(open_device_refusing(&path, IoChoice::Uring, refused, &mut note), Err(Error::Usage(_))));
    assert!(
        notes.iter().any(|text| text
            .contains(": using the page cache of the system because the file system does not support direct reads")),
        "{notes:?}"
    );
    let only_uring = Refusals { uring: true, direct: false };
    let mut notes = Vec::new();
    let device =
        open_device_refusing(&path, IoChoice::Auto, only_uring, &mut |text| notes.push(text.to_owned())).unwrap();
    assert_eq!(device.backend() == Backend::Pread, notes.iter().any(|text| text.contains("io_uring")), "{notes:?}");
}

#[test]
fn only_plain_files_are_opened_and_none_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("file"), folder.path().join("link"));
    assert!(matches!(open_device(&path, IoChoice::Auto, &mut |_| ()), Err(Error::NotFound { .. })));
    assert!(!path.exists());
    std::fs::write(&path, contents()).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for choice in IoChoice::ALL {
        assert!(matches!(open_device(&link, choice, &mut |_| ()), Err(Error::Io { .. })));
        assert!(matches!(open_device(folder.path(), choice, &mut |_| ()), Err(Error::Io { .. })));
    }
}

#[test]
fn empty_and_unpadded_files_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for length in [0, 1, UNIT + 1] {
        std::fs::write(&path, &contents()[..length]).unwrap();
        for choice in IoChoice::ALL {
            let Ok(device) = open_device(&path, choice, &mut |_| ()) else { continue };
            let mut reader = device.reader(64 * UNIT).unwrap();
            read(reader.as_mut(), 4, &vec![(0, 1); length / UNIT]);
            let outcome = reader.read_many(4, &mut Checked::new(vec![(length / UNIT, 1)]));
            assert!(matches!(outcome, Err(Error::Corrupt { .. })));
        }
    }
}

/// File systems in memory take `O_DIRECT` or refuse it; both must work.
#[test]
#[cfg(target_os = "linux")]
fn file_systems_in_memory_work() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    for (_, device) in devices(folder.path()) {
        read(device.reader(64 * UNIT).unwrap().as_mut(), 16, &patterns()[4]);
    }
}
