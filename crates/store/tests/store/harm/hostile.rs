//! Right checksums over wrong contents: an error or some answer, never a panic.

use crate::cases::collect::{Reading, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, sliding};
use crate::cases::lists::Lists;
use crate::harm::damage::{check_all, files_of};
use crate::reading::adjacency::small_hubs;
use outcrop_io::IoChoice;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_store::journal::{EdgesBetween, GivenEdges};
use outcrop_store::layout::Layout;
use outcrop_store::layout::chunked::IndexKind;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::sliding::BLOCKS_NAME;
use outcrop_store::writing::{BuildInput, EdgeBatch, EdgeSource, IdBatch, IdKind, build_with_limits};
use outcrop_store::{
    Codec, Interval, ListEntries, Manifest, SlidingEntry, StaticLists, Store, StoreId, UNIT_BYTES, UnitSeal,
};
use outcrop_types::{
    Cancellation, Direction, Error, LONGEST_ID, MemoryBudget, Result, VertexId, VertexRange, VertexSet, index_from,
};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Believes nothing but what the contract promises even then: ids of vertices that exist; of lists in chunks, ascending
/// within a piece.
struct Wary {
    vertices: u32,
    ascending: bool,
}

impl FoldLists for Wary {
    type Fold = ();

    fn begin(&self, vertex: VertexId) {
        assert!(vertex < self.vertices);
    }

    fn neighbors(&self, _: VertexId, _: &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        assert!(!self.ascending || piece.ids().is_sorted());
        assert!(piece.ids().iter().all(|id| *id < self.vertices));
        piece.try_for_each(|_, weight| {
            assert!(weight.is_finite());
            ControlFlow::Continue(())
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}

fn read_all(folder: &Path) -> Result<()> {
    read_through(folder, &|_, _, lists| Ok(lists))
}

/// Everything, through the static cache where it has lists.
pub fn read_with_statics(folder: &Path) -> Result<()> {
    read_through(folder, &|store, direction, mut lists| {
        let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
        let statics = StaticLists::load(store, direction, u64::MAX, work(IoChoice::Mmap, &budget, &workers))?;
        statics.map_or(Ok(()), |statics| lists.use_static(statics))?;
        Ok(lists)
    })
}

fn read_through(folder: &Path, prepare: &dyn Fn(&Store, Direction, Lists) -> Result<Lists>) -> Result<()> {
    let store = Store::open(folder)?;
    for (direction, index) in [Direction::Out, Direction::In].into_iter().flat_map(|direction| {
        [IndexResidence::Resident, IndexResidence::Streamed { window: 1 }].map(|index| (direction, index))
    }) {
        let reading = Reading { io: IoChoice::Mmap, cache_bytes: 1 << 16, index, ..Reading::PLAIN };
        let lists = prepare(&store, direction, reading.open(&store, direction)?)?;
        let vertices = lists.num_vertices();
        let visit = Wary {
            vertices,
            ascending: store.manifest().lists.csr.is_empty() && store.manifest().lists.sliding.is_none(),
        };
        let sparse = (0..vertices).step_by(17).collect();
        _ = (lists.cost_of_sweep(), lists.cost_of(&VertexSet::all(vertices)));
        let all = [
            lists.sweep(VertexRange::new(0, vertices), &visit),
            lists.select(&VertexSet::all(vertices), &visit),
            lists.select(&VertexSet::from_members(sparse, vertices), &visit),
            lists.sweep(VertexRange::new(vertices / 3, vertices / 2), &visit),
        ];
        all.into_iter().collect::<Result<()>>()?;
    }
    Ok(())
}

/// A store that can be changed, with the checksums made right again.
pub struct Forger {
    folder: tempfile::TempDir,
    pub manifest: Manifest,
    state: u64,
}

impl Forger {
    pub fn new(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = case.build(&folder.path().join("graph.outcrop")).unwrap().manifest;
        Self { folder, manifest, state: 1 }
    }

    /// With changes beside the lists.
    pub fn updated(case: &Case) -> Self {
        let forger = Self::new(case);
        let edges = crate::writing::updates::a_few(case);
        let manifest = crate::writing::updates::update_on(&outcrop_io::Disk, &forger.store(), &edges).unwrap().manifest;
        Self { manifest, ..forger }
    }

    /// A copy of a frozen store.
    fn frozen(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("graph.outcrop");
        std::fs::create_dir(&copy).unwrap();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
        files_of(&fixture)
            .iter()
            .for_each(|file| _ = std::fs::copy(file, copy.join(file.file_name().unwrap())).unwrap());
        let manifest = Store::open(&copy).unwrap().manifest().clone();
        Self { folder, manifest, state: 1 }
    }

    pub fn store(&self) -> std::path::PathBuf {
        self.folder.path().join("graph.outcrop")
    }

    fn draw(&mut self, below: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % below
    }

    /// Ranges of the sealed parts of a file: chunks or units.
    fn parts(&self, name: &str, bytes: usize) -> Vec<Range<usize>> {
        if name == BLOCKS_NAME {
            return self.blocks();
        }
        let Some((direction, "chunks")) = name.split_once('.') else {
            let unit = self.manifest.unit_bytes(name);
            return (0..bytes / unit).map(|number| number * unit..(number + 1) * unit).collect();
        };
        let entry = self.manifest.lists.chunked.iter().find(|entry| entry.direction.name() == direction).unwrap();
        let table = std::fs::read(self.store().join(format!("{direction}.chunk-table"))).unwrap();
        let kinds = table.chunks(UNIT_BYTES).flat_map(|unit| unit[8..].as_chunks::<4>().0);
        let kinds = kinds.take(entry.chunks() as usize).map(|kind| u32::from_le_bytes(*kind));
        let mut end = 0;
        let chunk = |kind: u32| {
            let start = end;
            end += entry.settings.chunk_bytes((kind >> 29) as usize);
            start..end
        };
        kinds.map(chunk).collect()
    }

    /// Ranges of the blocks of shards, none of which is empty.
    fn blocks(&self) -> Vec<Range<usize>> {
        let intervals = self.manifest.lists.sliding.as_ref().unwrap().intervals as usize;
        let table = std::fs::read(self.store().join("shards.table")).unwrap();
        let payload: Vec<u8> = table.chunks(UNIT_BYTES).flat_map(|unit| unit[8..].to_vec()).collect();
        let (numbers, _) = payload[4 * (intervals + 1)..].as_chunks::<8>();
        let mut end = 0;
        let block = |number: &[u8; 8]| {
            let start = end;
            end += u32::from_le_bytes(*number.last_chunk().unwrap()) as usize;
            assert!(start < end);
            start..end
        };
        numbers[..intervals * intervals].iter().map(block).collect()
    }

    /// Lets `change` loose on the file and seals it again, in the manifest too.
    pub fn forge(&mut self, name: &str, change: impl FnOnce(&mut Self, &mut [u8], &[Range<usize>])) {
        let mut bytes = std::fs::read(self.store().join(name)).unwrap();
        let parts = self.parts(name, bytes.len());
        change(self, &mut bytes, &parts);
        let seal = UnitSeal::new(StoreId::from_hex(&self.manifest.uuid).unwrap(), name);
        let mut digest = Xxh3::new();
        for (number, part) in (0..).zip(parts) {
            let (header, payload) = bytes[part].split_at_mut(8);
            header.copy_from_slice(&seal.checksum(number, payload).to_le_bytes());
            digest.update(header);
        }
        std::fs::write(self.store().join(name), bytes).unwrap();
        let mut manifest = self.manifest.clone();
        let file = manifest.files.iter_mut().find(|file| file.name == name).unwrap();
        file.checksum = format!("{:016x}", digest.digest());
        self.publish(&manifest);
    }

    pub fn publish(&self, manifest: &Manifest) {
        std::fs::write(self.store().join("manifest.json"), manifest.to_text().unwrap()).unwrap();
    }

    /// A few bytes of a part, most of them at its front, become something else.
    pub fn scribble(&mut self, bytes: &mut [u8], parts: &[Range<usize>]) {
        let Some(part) = parts.get(self.draw(parts.len().max(1))) else { return };
        for _ in 0..1 + self.draw(6) {
            let length = part.len() - 8;
            let place = part.start
                + 8
                + [self.draw(24.min(length)), self.draw(120.min(length)), self.draw(length)][self.draw(3)];
            let old = bytes[place];
            bytes[place] = [0, 1, 255, old ^ 1, old.wrapping_add(1), self.draw(256) as u8][self.draw(6)];
        }
    }
}

fn cases() -> [Case; 3] {
    let direct = chunks(TINY, |settings| (settings.index, settings.codec) = (IndexKind::Direct, Codec::Raw32));
    let straddle = chunks(&[4096], |settings| settings.straddle = true);
    let small = Case { weighted: true, ..Case::random(Ids::Dense, 400, 4000) };
    [small_hubs(false).laid_out(&chunks(TINY, |_| {})), small.laid_out(&direct), small_hubs(true).laid_out(&straddle)]
}

/// Lists one after the other, in pages smaller and larger than a unit.
fn cases_of_pages() -> [Case; 2] {
    let small = Case { interval_arcs: 900, ..small_hubs(true) };
    [small.laid_out(&pages_of(512)), small_hubs(false).laid_out(&pages_of(16_384))]
}

/// Lists as bytes, of several regions of the index and with full segments.
fn cases_of_bytes() -> [Case; 2] {
    let weighted = Case { weighted: true, ..Case::random(Ids::Dense, 5000, 9000) };
    let hub = (0..40_000).map(|i| (4500, i % 700, 1.0));
    let edges = small_hubs(false).edges.into_iter().chain(hub).collect();
    let hubs = Case { num_vertices: Some(5000), ..Case::new(Ids::Dense, edges) };
    [weighted.laid_out(&compact(Codec::Alternating)), hubs.laid_out(&compact(Codec::Packed))]
}

/// Shards without empty blocks, and of an undirected graph.
fn cases_of_shards() -> [Case; 2] {
    let undirected = Case { undirected: true, ..Case::random(Ids::Dense, 400, 4000) };
    [small_hubs(true).laid_out(&sliding(5)), undirected.laid_out(&sliding(3))]
}

#[test]
fn wrong_contents_with_right_checksums_are_errors_and_never_panics() {
    let rounds = if cfg!(debug_assertions) { 12 } else { 200 };
    for case in cases().into_iter().chain(cases_of_pages()).chain(cases_of_bytes()).chain(cases_of_shards()) {
        let mut forger = Forger::new(&case);
        let workers = Reading::PLAIN.workers();
        check_all(&forger.store(), &workers).unwrap();
        let (mut read_errors, mut noticed, mut forged) = (0, 0, 0);
        for path in files_of(&forger.store()) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let original = std::fs::read(&path).unwrap();
            for _ in 0..if name == "lock" || name == "manifest.json" { 0 } else { rounds } {
                forger.forge(&name, |forger, bytes, parts| forger.scribble(bytes, parts));
                forged += 1;
                read_errors += usize::from(read_all(&forger.store()).is_err());
                noticed += usize::from(check_all(&forger.store(), &workers).is_err());
                std::fs::write(&path, &original).unwrap();
            }
        }
        // Most of them strike something that means something.
        assert!(read_errors > forged / 10 && noticed >= read_errors, "{read_errors} {noticed} {forged}");
        forger.publish(&forger.manifest.clone());
        check_all(&forger.store(), &workers).unwrap();
    }
}

#[test]
fn whole_parts_of_nothing_and_of_noise_are_errors() {
    for case in cases() {
        let mut forger = Forger::new(&case);
        let workers = Reading::PLAIN.workers();
        let firsts = forger.store().join("out.firsts").exists().then_some("out.firsts");
        for name in ["out.chunks", "out.chunk-table", "out.classes", "out.places"].into_iter().chain(firsts) {
            let original = std::fs::read(forger.store().join(name)).unwrap();
            for fill in [0, 0xff, 0x5a] {
                forger.forge(name, |_, bytes, parts| bytes[parts[0].start + 8..parts[0].end].fill(fill));
                assert!(read_all(&forger.store()).is_err() || check_all(&forger.store(), &workers).is_err(), "{name}");
                std::fs::write(forger.store().join(name), &original).unwrap();
            }
        }
    }
}

#[test]
fn a_manifest_that_lies_about_chunks_is_an_error_and_never_a_panic() {
    let changes: [fn(&mut Manifest); 12] = [
        |m| m.lists.chunked[0].located += 1,
        |m| m.lists.chunked[0].located = 0,
        |m| m.lists.chunked[0].mini_entries += 1,
        |m| m.lists.chunked[0].levels[0].chunks += 1,
        |m| m.lists.chunked[0].levels[0].chunks = u64::from(u32::MAX) - 9,
        |m| m.lists.chunked[0].levels[0].chunks = 0,
        |m| m.lists.chunked[0].levels.iter_mut().for_each(|level| level.lists = 0),
        |m| m.lists.chunked[0].settings.levels[0].chunk_bytes += 4096,
        |m| m.lists.chunked[0].settings.mini_degree = 3,
        |m| m.lists.chunked[0].settings.levels.clear(),
        |m| _ = m.lists.chunked.remove(0),
        |m| m.lists.chunked[0].direction = Direction::In,
    ];
    for case in cases() {
        let forger = Forger::new(&case);
        let workers = Reading::PLAIN.workers();
        for (number, change) in changes.iter().enumerate() {
            let mut manifest = forger.manifest.clone();
            change(&mut manifest);
            forger.publish(&manifest);
            let (read, checked) = (read_all(&forger.store()), check_all(&forger.store(), &workers));
            // How many lists a level has is a hint for what a select costs.
            assert!(number == 6 || (read.is_err() && checked.is_err()), "change {number}: {read:?} {checked:?}");
        }
    }
}

#[test]
fn a_manifest_that_lies_about_pages_is_an_error_and_never_a_panic() {
    let changes: [fn(&mut Manifest); 7] = [
        |m| m.lists.csr[0].page_bytes *= 2,
        |m| m.lists.csr[0].page_bytes /= 2,
        |m| m.lists.csr[0].page_bytes = 65_536,
        |m| m.lists.csr[0].arcs += 1,
        |m| m.lists.csr[0].intervals.iter_mut().skip(1).for_each(|interval| interval.first_unit += 1),
        |m| _ = m.lists.csr.remove(0),
        |m| m.lists.csr[0].intervals.push(Interval { first_vertex: 640, first_unit: 1 << 60 }),
    ];
    for (case, change) in cases_of_pages().into_iter().flat_map(|case| changes.map(|change| (case.clone(), change))) {
        let forger = Forger::new(&case);
        let mut manifest = forger.manifest.clone();
        change(&mut manifest);
        forger.publish(&manifest);
        let same = manifest == forger.manifest;
        let (read, checked) = (read_all(&forger.store()), check_all(&forger.store(), &Reading::PLAIN.workers()));
        assert!(same || (read.is_err() && checked.is_err()), "{read:?} {checked:?}");
    }
}

#[test]
fn a_manifest_that_lies_about_shards_is_an_error_and_never_a_panic() {
    let changes: [fn(&mut SlidingEntry); 15] = [
        |entry| entry.arcs += 1,
        |entry| entry.arcs = 0,
        |entry| entry.intervals += 1,
        |entry| entry.intervals -= 1,
        |entry| entry.intervals = 0,
        |entry| entry.intervals = 1025,
        |entry| entry.block_bytes += 1,
        |entry| entry.block_bytes = u64::MAX,
        |entry| entry.most_block_arcs -= 1,
        |entry| entry.most_block_arcs = u64::MAX,
        |entry| entry.most_block_bytes += 1,
        |entry| entry.most_out_arcs -= 1,
        |entry| entry.most_in_arcs = entry.arcs,
        |entry| entry.most_vertices = u32::MAX,
        |entry| entry.most_vertices += 1,
    ];
    for (case, change) in cases_of_shards().into_iter().flat_map(|case| changes.map(|change| (case.clone(), change))) {
        let forger = Forger::new(&case);
        let mut manifest = forger.manifest.clone();
        manifest.lists.sliding.iter_mut().for_each(change);
        forger.publish(&manifest);
        let (read, checked) = (read_all(&forger.store()), check_all(&forger.store(), &Reading::PLAIN.workers()));
        assert!(read.is_err() && checked.is_err(), "{:?}: {read:?} {checked:?}", manifest.lists.sliding);
    }
    let forger = Forger::new(&cases_of_shards()[0]);
    let lists = ListEntries { sliding: None, ..forger.manifest.lists.clone() };
    forger.publish(&Manifest { lists, ..forger.manifest.clone() });
    assert!(read_all(&forger.store()).is_err() && check_all(&forger.store(), &Reading::PLAIN.workers()).is_err());
}

#[test]
fn a_manifest_that_lies_about_bytes_is_an_error_and_never_a_panic() {
    let changes: [fn(&mut Manifest); 12] = [
        |m| m.lists.compact[0].arcs += 1,
        |m| m.lists.compact[0].arcs = 0,
        |m| m.lists.compact[0].list_bytes += 1,
        |m| m.lists.compact[0].list_bytes -= 1,
        |m| m.lists.compact[0].list_bytes += 4096,
        |m| m.lists.compact[0].list_bytes = u64::MAX,
        |m| m.lists.compact[0].index_bytes += 1,
        |m| m.lists.compact[0].index_bytes -= 1,
        |m| m.lists.compact[0].index_bytes = 0,
        |m| m.lists.compact[0].codec = Codec::Raw32,
        |m| _ = m.lists.compact.remove(0),
        |m| m.lists.compact[0].direction = Direction::In,
    ];
    for (case, change) in cases_of_bytes().into_iter().flat_map(|case| changes.map(|change| (case.clone(), change))) {
        let forger = Forger::new(&case);
        let mut manifest = forger.manifest.clone();
        change(&mut manifest);
        forger.publish(&manifest);
        let (read, checked) = (read_all(&forger.store()), check_all(&forger.store(), &Reading::PLAIN.workers()));
        assert!(read.is_err() && checked.is_err(), "{:?}: {read:?} {checked:?}", manifest.lists.compact);
    }
}

/// Bytes of lists, one after the other, are something else: what decodes is a list, and what does not names its vertex.
#[test]
fn a_list_that_is_none_is_an_error_that_names_its_vertex() {
    for codec in [Codec::Packed, Codec::Alternating] {
        for weighted in [false, true] {
            let edges = (0..3).flat_map(|v| (0..200 * v).map(move |i| (v, i * 3 % 601, 1.0))).collect();
            let case = Case { weighted, ..Case::new(Ids::Dense, edges) };
            let mut forger = Forger::new(&case.laid_out(&compact(codec)));
            let path = forger.store().join("out.shards");
            let original = std::fs::read(&path).unwrap();
            let length = index_from(forger.manifest.lists.compact[0].list_bytes);
            let (mut named, mut struck) = (0, 0);
            for place in (8..8 + length.min(4088)).step_by(if cfg!(debug_assertions) { 3 } else { 1 }) {
                struck += 1;
                let flip = [1, 0x80, 0xff, 0x40][place % 4];
                forger.forge("out.shards", |_, bytes, _| bytes[place] ^= flip);
                match read_all(&forger.store()) {
                    Ok(()) => {}
                    Err(Error::Corrupt { message, .. }) => {
                        named +=
                            usize::from(message.contains("list of vertex 1") || message.contains("list of vertex 2"));
                    }
                    Err(error) => panic!("{error}"),
                }
                std::fs::write(&path, &original).unwrap();
            }
            assert!(named > struck / 20, "{codec:?} {weighted} {named} of {struck}");
        }
    }
}

#[test]
fn chunks_that_are_exchanged_are_noticed_when_they_are_read() {
    let case = small_hubs(false).laid_out(&Layout::default());
    for case in [case.clone(), case.laid_out(&chunks(TINY, |_| {}))] {
        let forger = Forger::new(&case);
        let path = forger.store().join("out.chunks");
        let original = std::fs::read(&path).unwrap();
        let parts = forger.parts("out.chunks", original.len());
        let pairs = parts.windows(2).filter(|pair| pair[0].len() == pair[1].len());
        for pair in pairs.take(20) {
            let mut bytes = original.clone();
            bytes[pair[0].start..pair[1].end].rotate_left(pair[0].len());
            std::fs::write(&path, bytes).unwrap();
            assert!(read_all(&forger.store()).is_err());
            assert!(check_all(&forger.store(), &Reading::PLAIN.workers()).is_err());
        }
    }
}

#[test]
fn changes_with_right_checksums_and_wrong_contents_are_errors_and_never_panics() {
    let rounds = if cfg!(debug_assertions) { 60 } else { 1000 };
    let [weighted, plain] = [true, false].map(small_hubs);
    let cases = [weighted.laid_out(&pages_of(512)), plain.laid_out(&chunks(TINY, |_| {})), weighted];
    let forgers = cases.iter().map(Forger::updated).chain([Forger::frozen("v12/levels")]);
    for mut forger in forgers {
        let workers = Reading::PLAIN.workers();
        check_all(&forger.store(), &workers).unwrap();
        let (mut errors, mut noticed) = (0, 0);
        let names: Vec<String> = forger.manifest.update_file_names().collect();
        for name in &names {
            let original = std::fs::read(forger.store().join(name)).unwrap();
            for _ in 0..rounds {
                forger.forge(name, |forger, bytes, parts| forger.scribble(bytes, parts));
                errors += usize::from(read_all(&forger.store()).is_err());
                noticed += usize::from(check_all(&forger.store(), &workers).is_err());
                std::fs::write(forger.store().join(name), &original).unwrap();
            }
        }
        assert!(errors > rounds / 10 && noticed >= errors, "{errors} {noticed} of {}", names.len() * rounds);
    }
}

/// All that is read of a journal.
fn read_journal(folder: &Path) -> Result<()> {
    let store = std::sync::Arc::new(Store::open(folder)?);
    let (io, cancellation, budget) = (IoChoice::Buffered, Cancellation::new(), MemoryBudget::new(256 << 20));
    if let Some((_, bytes)) = GivenEdges::count(&store, 0, io)? {
        GivenEdges::after(&store, 0, bytes, io, &budget, &cancellation)?;
    }
    if let Some((_, bytes)) = GivenEdges::count(&store, 1, io)? {
        GivenEdges::after(&store, 1, bytes, io, &budget, &cancellation)?;
    }
    if store.manifest().times().is_some() {
        let mut edges = EdgesBetween::open(&store, (i64::MIN, i64::MAX), io, &budget, &cancellation)?;
        let mut batch = EdgeBatch::empty(edges.id_kind());
        while edges.next_batch(&mut batch)? {}
    }
    Ok(())
}

#[test]
fn journals_with_right_checksums_and_wrong_contents_are_errors_and_never_panics() {
    let rounds = if cfg!(debug_assertions) { 150 } else { 4000 };
    for (store, name) in [("updated", "journal-0002-0003"), ("timed", "journal-0001-0001"), ("timed", "journal-0000")] {
        let version = if name == "journal-0000" { 9 } else { 10 };
        let mut forger = Forger::frozen(&format!("v{version}/{store}"));
        let files = [name.to_owned(), format!("{name}.index")];
        assert!(files.iter().all(|file| forger.store().join(file).exists()), "{name}");
        read_journal(&forger.store()).unwrap();
        for name in files {
            let original = std::fs::read(forger.store().join(&name)).unwrap();
            let mut errors = 0;
            for round in 0..rounds {
                forger.forge(&name, |forger, bytes, parts| match round % 3 {
                    // A count, a length or a kind of the first record, or the begin of the first block.
                    0 => {
                        let place = 8 + 4 * forger.draw(40);
                        let value = [0, 1, 255, 8193, 100_000_000, u32::MAX][forger.draw(6)];
                        bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
                    }
                    _ => forger.scribble(bytes, parts),
                });
                errors += usize::from(read_journal(&forger.store()).is_err());
                // A damaged journal does not keep an update from being made.
                std::fs::write(forger.store().join(&name), &original).unwrap();
            }
            assert!(errors > 0, "{name}: nothing was noticed");
        }
    }
}

#[test]
fn a_manifest_that_lies_about_its_journal_is_an_error_and_never_a_panic() {
    let changes: [fn(&mut outcrop_store::journal::JournalEntry); 14] = [
        |journal| journal.segments[0].added = u64::MAX,
        |journal| journal.segments[0].removed = u64::MAX / 2,
        |journal| journal.segments[0].vertices = 1 << 60,
        |journal| journal.segments[0].blocks = u64::MAX,
        |journal| journal.segments[0].blocks += 1000,
        |journal| journal.segments[0].bytes = u64::MAX,
        |journal| journal.segments[0].generation = u64::MAX,
        |journal| journal.segments[0].first = Some(u64::MAX),
        |journal| journal.segments[0].first = None,
        |journal| journal.segments[0].head = None,
        |journal| (journal.generation, journal.complete_after) = (u64::MAX, u64::MAX),
        |journal| journal.head = journal.base,
        |journal| journal.lineage.clear(),
        |journal| journal.segments.extend(journal.segments.clone()),
    ];
    let forger = Forger::frozen("v10/updated");
    for (number, change) in changes.iter().enumerate() {
        let mut manifest = forger.manifest.clone();
        change(manifest.changes.journal.as_mut().unwrap());
        forger.publish(&manifest);
        assert!(matches!(read_journal(&forger.store()), Err(Error::Corrupt { .. })), "change {number}");
    }
}

#[test]
fn a_manifest_that_lies_about_updates_is_an_error_and_never_a_panic() {
    type Lists = outcrop_store::updates::ChangedLists;
    let changes: [fn(&mut Vec<Lists>); 10] = [
        |lists| lists[0].changed += 1,
        |lists| lists[0].changed = u32::MAX,
        |lists| lists[0].added += 1,
        |lists| lists.iter_mut().for_each(|lists| lists.added += 1),
        |lists| lists.iter_mut().for_each(|lists| lists.added += 5000),
        |lists| lists[0].removed = u32::MAX,
        |lists| lists.iter_mut().for_each(|lists| lists.removed_arcs += 1),
        |lists| lists.iter_mut().for_each(|lists| lists.removed_arcs = u64::MAX),
        |lists| lists.swap(0, 1),
        |lists| _ = lists.pop(),
    ];
    let forger = Forger::updated(&small_hubs(true));
    let workers = Reading::PLAIN.workers();
    for (number, change) in changes.iter().enumerate() {
        let mut manifest = forger.manifest.clone();
        change(&mut manifest.changes.updates.as_mut().unwrap().lists);
        forger.publish(&manifest);
        let (read, checked) = (read_all(&forger.store()), check_all(&forger.store(), &workers));
        assert!(read.is_err() && checked.is_err(), "change {number}: {read:?} {checked:?}");
    }
    for generation in [0, 2, u64::MAX] {
        let mut manifest = forger.manifest.clone();
        manifest.changes.updates.as_mut().unwrap().generation = generation;
        forger.publish(&manifest);
        assert!(read_all(&forger.store()).is_err() && check_all(&forger.store(), &workers).is_err());
    }
    let mut manifest = forger.manifest.clone();
    manifest.changes.updates = None;
    forger.publish(&manifest);
    assert!(check_all(&forger.store(), &workers).is_err(), "files that belong to nothing");
}

/// One edge between two strings; none once it was given.
struct OneEdge(Option<[Vec<u8>; 2]>);

impl EdgeSource for OneEdge {
    fn id_kind(&self) -> IdKind {
        IdKind::Text
    }

    fn weighted(&self) -> bool {
        false
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        batch.clear();
        batch.endpoints = IdBatch::empty(IdKind::Text);
        let edge = self.0.take();
        edge.iter().flatten().for_each(|text| batch.endpoints.push_text(text));
        Ok(edge.is_some())
    }

    fn bytes_done(&self) -> u64 {
        0
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn edges_estimate(&self) -> Option<u64> {
        Some(1)
    }
}

/// A reader that does not check its strings cannot make a store that contains them.
#[test]
fn builds_refuse_strings_that_are_no_ids() {
    let long = vec![b'x'; LONGEST_ID + 1];
    for bad in [&b"b\xff"[..], b"", b"b\rc", b"b\nc", b"b\0", &long] {
        // Numbered by sorting, and in a table.
        for table_bytes in [0, 1 << 20] {
            let folder = tempfile::tempdir().unwrap();
            let case = Case { table_bytes, ..Case::new(Ids::Text, Vec::new()) };
            let options = case.options(&folder.path().join("graph.outcrop"));
            let input = BuildInput { edges: Box::new(OneEdge(Some([b"a".to_vec(), bad.to_vec()]))), vertices: None };
            let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
            let work = work(IoChoice::Auto, &budget, &workers);
            let refused = build_with_limits(input, &options, case.limits(), work).unwrap_err();
            assert!(matches!(&refused, Error::Usage(message) if message.contains("convert the IDs")), "{refused}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn strings_that_are_no_utf8_are_found_by_a_check() {
    let mut forger = Forger::new(&Case::random(Ids::Text, 40, 200));
    forger.forge("ids.texts", |_, bytes, parts| bytes[parts[0].start + 8] = 0xff);
    let found = check_all(&forger.store(), &Reading::PLAIN.workers()).unwrap_err();
    assert!(matches!(&found, Error::Corrupt { message, .. } if message.contains("UTF-8")), "{found}");
}
