//! A damaged store never gives a wrong answer: every bit of every file, and every file gone, cut, longer or exchanged.

use crate::cases::collect::{Reading, sweep_all, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, sliding};
use crate::cases::model::List;
use outcrop_io::IoChoice;
use outcrop_store::Codec;
use outcrop_store::access::Workers;
use outcrop_store::layout::LayoutKind;
use outcrop_store::layout::chunked::IndexKind;
use outcrop_store::writing::IdBatch;
use outcrop_store::{OriginalIdReader, Store, check};
use outcrop_types::{Direction, Error, MemoryBudget, Result};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// No threads to start: the store is opened very often.
const READING: Reading = Reading { io: IoChoice::Mmap, ..Reading::PLAIN };

/// Everything that can be read from a store.
#[derive(PartialEq)]
pub struct Content {
    lists: [Vec<List>; 2],
    ids: IdBatch,
    vertices: Vec<u32>,
}

pub fn read_all(folder: &Path) -> Result<Content> {
    let store = Store::open(folder)?;
    let lists = |direction| sweep_all(&READING.open(&store, direction)?);
    let mut ids = OriginalIdReader::open(&store, IoChoice::Mmap)?;
    let count = store.manifest().graph.vertices;
    Ok(Content {
        lists: [lists(Direction::Out)?, lists(Direction::In)?],
        ids: ids.ids(0..count)?,
        vertices: ids.vertices(0..count)?,
    })
}

pub fn check_all(folder: &Path, workers: &Workers) -> Result<()> {
    check(&Store::open(folder)?, work(IoChoice::Mmap, &MemoryBudget::new(1 << 30), workers))
}

pub fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

struct Patient {
    folder: tempfile::TempDir,
    content: Content,
    workers: Workers,
}

impl Patient {
    fn new(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("graph.outcrop");
        case.build(&target).unwrap();
        Self::of(folder, target)
    }

    /// A store with changes beside its lists.
    fn updated(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("graph.outcrop");
        case.build(&target).unwrap();
        crate::writing::updates::update_on(&outcrop_io::Disk, &target, &crate::writing::updates::a_few(case)).unwrap();
        Self::of(folder, target)
    }

    fn of(folder: tempfile::TempDir, target: PathBuf) -> Self {
        let store = Store::open(&target).unwrap();
        if store.manifest().layout() != LayoutKind::Sliding {
            crate::reading::statics::keep(&store, &(0..40).collect::<Vec<_>>(), u64::MAX);
        }
        drop(store);
        let workers = Reading::PLAIN.workers();
        check_all(&target, &workers).unwrap();
        Self { content: read_all(&target).unwrap(), folder, workers }
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("graph.outcrop")
    }

    /// The check notices, and reading gives an error or the right answer.
    fn assert_noticed(&self, what: &str) {
        let Err(error) = check_all(&self.store(), &self.workers) else { panic!("{what}: not noticed") };
        let missing = matches!(&error, Error::NotFound { .. }) && !self.store().join("manifest.json").exists();
        assert!(matches!(error, Error::Corrupt { .. }) || missing, "{what}: {error}");
        if let Ok(content) = read_all(&self.store()) {
            assert!(content == self.content, "{what}: a wrong answer");
        }
    }

    fn assert_whole(&self) {
        check_all(&self.store(), &self.workers).unwrap();
    }
}

/// A graph with a list that runs through chunks, in chunks of every size.
fn in_chunks() -> Case {
    let case = Case::random(Ids::Dense, 200, 1200);
    let hub = (0..6000).map(|i| (5, i % 200, 1.0));
    let edges = case.edges.iter().copied().chain(hub).collect();
    Case { edges, undirected: true, ..case }
}

fn patients() -> Vec<Patient> {
    let texts = Case { undirected: true, ..Case::random(Ids::Text, 40, 90) };
    let large_pages = texts.laid_out(&pages_of(16_384));
    let small_pages = Case { weighted: true, interval_arcs: 90, ..Case::random(Ids::Dense, 150, 300) };
    let direct = chunks(TINY, |settings| (settings.index, settings.codec) = (IndexKind::Direct, Codec::Raw32));
    let small = Case { weighted: true, ..Case::random(Ids::Dense, 50, 300) };
    let packed = in_chunks().laid_out(&chunks(TINY, |_| {}));
    let small_pages = small_pages.laid_out(&pages_of(512));
    let bytes = [in_chunks().laid_out(&compact(Codec::Packed)), small.laid_out(&compact(Codec::Alternating))];
    let [packed_bytes, alternating] = bytes;
    let [in_shards, in_weighted_shards] = [in_chunks().laid_out(&sliding(3)), small.laid_out(&sliding(4))];
    let small = small.laid_out(&direct);
    let updated = [Patient::updated(&Case::rich()), Patient::updated(&texts)];
    let cases = [Case::rich(), texts, small_pages, large_pages, packed, small, packed_bytes, alternating, in_shards];
    let cases = cases.into_iter().chain([in_weighted_shards]).collect::<Vec<_>>();
    cases.iter().map(Patient::new).chain(updated).collect()
}

#[test]
fn every_flipped_bit_is_noticed() {
    // With optimization every bit; otherwise bits here and there.
    let (step, bits) = if cfg!(debug_assertions) { (61, 1) } else { (1, 8) };
    for patient in patients() {
        for path in files_of(&patient.store()) {
            let bytes = std::fs::read(&path).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            for place in (0..bytes.len()).step_by(step) {
                for bit in 0..bits {
                    let flip = 1 << ((bit + place) % 8);
                    file.write_all_at(&[bytes[place] ^ flip], place as u64).unwrap();
                    patient.assert_noticed(&format!("{} byte {place} ^ {flip}", path.display()));
                }
                file.write_all_at(&bytes[place..=place], place as u64).unwrap();
            }
        }
        patient.assert_whole();
    }
}

#[test]
fn cut_longer_and_missing_files_are_noticed() {
    for patient in patients() {
        for path in files_of(&patient.store()) {
            let bytes = std::fs::read(&path).unwrap();
            let lengths = [0, 1, 4095, 4096, bytes.len() / 2, bytes.len().saturating_sub(1), bytes.len() + 1];
            for length in lengths.into_iter().chain([bytes.len() + 4096]).filter(|length| *length != bytes.len()) {
                let mut damaged = bytes.clone();
                damaged.resize(length, 0);
                std::fs::write(&path, damaged).unwrap();
                patient.assert_noticed(&format!("{} with {length} bytes", path.display()));
            }
            std::fs::remove_file(&path).unwrap();
            // A selection may be there or not.
            match path.file_stem().is_some_and(|stem| stem == "static") {
                true => patient.assert_whole(),
                false => patient.assert_noticed(&format!("{} is missing", path.display())),
            }
            std::fs::create_dir(&path).unwrap();
            assert!(check_all(&patient.store(), &patient.workers).is_err());
            std::fs::remove_dir(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
        }
        std::fs::write(patient.store().join("stranger"), "x").unwrap();
        let refused = check_all(&patient.store(), &patient.workers).unwrap_err();
        assert!(refused.to_string().ends_with("stranger does not belong to the store; move it elsewhere"), "{refused}");
        std::fs::remove_file(patient.store().join("stranger")).unwrap();
        patient.assert_whole();
    }
}

fn exchange(a: &Path, b: &Path) {
    let (first, second) = (std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
    std::fs::write(a, second).unwrap();
    std::fs::write(b, first).unwrap();
}

#[test]
fn exchanged_files_and_units_are_noticed() {
    for (patient, other) in patients().into_iter().zip(patients()) {
        let files = files_of(&patient.store());
        for (number, path) in files.iter().enumerate() {
            let bytes = std::fs::read(path).unwrap();
            // Files that are empty are alike.
            for second in files[number + 1..].iter().filter(|second| std::fs::read(second).unwrap() != bytes) {
                exchange(path, second);
                patient.assert_noticed(&format!("{} for {}", path.display(), second.display()));
                exchange(path, second);
            }
            let twin = std::fs::read(other.store().join(path.file_name().unwrap())).unwrap();
            if twin != bytes {
                std::fs::write(path, twin).unwrap();
                patient.assert_noticed(&format!("{} of a twin", path.display()));
            }
            if bytes.len() >= 8192 && !path.ends_with("manifest.json") {
                for unit in [512, 4096] {
                    let mut turned = bytes.clone();
                    turned.rotate_left(unit);
                    std::fs::write(path, turned).unwrap();
                    patient.assert_noticed(&format!("units of {}", path.display()));
                }
            }
            std::fs::write(path, bytes).unwrap();
        }
        patient.assert_whole();
    }
}
