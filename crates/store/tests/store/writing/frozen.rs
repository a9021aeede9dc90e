//! Stores of every format version stay readable.

use crate::cases::collect::{Reading, sweep_all};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, sliding};
use crate::cases::model::Model;
use crate::writing::built::assert_store;
use crate::writing::new_vertices::Grown;
use crate::writing::updates::{Edges, update_on};
use outcrop_io::{Disk, IoChoice};
use outcrop_store::access::Adjacency;
use outcrop_store::journal::{EdgesBetween, GivenEdges};
use outcrop_store::layout::Layout;
use outcrop_store::layout::chunked::{ChunkLevel, ChunkSettings, IndexKind, Placement};
use outcrop_store::writing::{EdgeBatch, EdgeSource, IdKind};
use outcrop_store::{Codec, Dedup, Store};
use outcrop_types::{Cancellation, Direction, MemoryBudget, WeightType};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The graphs of the frozen stores of version 1; never to be changed.
fn cases_of_1() -> [(&'static str, Case); 2] {
    let edges = vec![(0, 1, 1.5), (1, 2, -2.0), (2, 0, 0.25), (2, 2, 8.0), (3, 2, 1.0), (3, 2, 2.0), (70, 2, 3.0)];
    let integers = Case {
        weighted: true,
        by_degree: true,
        dedup: Dedup::Sum,
        vertices: (100..200).collect(),
        interval_arcs: 3,
        ..Case::new(Ids::Sparse, edges.clone())
    };
    [("integers", integers), ("texts", Case { undirected: true, ..Case::new(Ids::TextOrEmpty, edges) })]
}

/// The graphs of the frozen stores of version 2; never to be changed.
fn cases_of_2() -> [(&'static str, Case); 2] {
    // Vertices without, with one, two and many neighbors.
    let edges: Vec<_> =
        (0..150_u64).flat_map(|v| (0..v % 7 * (v % 31)).map(move |i| (v, (v + i * i) % 200, 1.0))).collect();
    let packed = Case { undirected: true, ..Case::new(Ids::TextOrEmpty, edges.clone()) };
    // A list that runs through chunks, and others that fill the last of them.
    let hub = (0..1200).map(|i| (40, i * 3 % 200, i as f64 / 4.0));
    let weighted = edges
        .into_iter()
        .filter(|(source, ..)| *source < 60)
        .map(|(source, target, _)| (source, target, (source + target) as f64 - 100.0));
    let raw32 = Case { weighted: true, by_degree: true, ..Case::new(Ids::Sparse, hub.chain(weighted).collect()) };
    let level = |chunk_bytes, longest_list| ChunkLevel { chunk_bytes, longest_list };
    let direct = ChunkSettings {
        codec: Codec::Raw32,
        index: IndexKind::Direct,
        placement: Placement::Ascending,
        mini_degree: 1,
        combine: true,
        straddle: false,
        levels: vec![level(4096, 2000), level(8192, 6000)],
    };
    [("packed", packed.laid_out(&chunks(&[4096], |_| {}))), ("raw32", raw32.laid_out(&Layout::Chunked(direct)))]
}

/// The graphs of the frozen stores of version 3; never to be changed.
fn cases_of_3() -> [(&'static str, Case); 2] {
    let edges: Vec<_> =
        (0..300_u64).flat_map(|v| (0..v % 11).map(move |i| (v, (v * v + 7 * i) % 300, v as f64 - 3.5))).collect();
    // A list over several pages, and an interval that begins in the middle of a sector of 4096 bytes.
    let hub = (0..150).map(|i| (128, i * 2, i as f64 / 8.0));
    let edges_and_hub = edges.iter().copied().chain(hub).collect();
    let small = Case { weighted: true, interval_arcs: 400, ..Case::new(Ids::Sparse, edges_and_hub) };
    let large = Case { undirected: true, ..Case::new(Ids::TextOrEmpty, edges) };
    [("pages-of-512", small.laid_out(&pages_of(512))), ("pages-of-16384", large.laid_out(&pages_of(16_384)))]
}

/// The graphs of the frozen stores of version 4; never to be changed.
fn cases_of_4() -> [(&'static str, Case); 2] {
    // Lists of no, few and many bytes, one of two segments, and several regions of the index.
    let edges: Vec<_> =
        (0..300_u64).flat_map(|v| (0..v % 13).map(move |i| (v, (v * v + 7 * i) % 300, v as f64 - 3.5))).collect();
    let hub = (0..17_000).map(|i| (7, i % 300, 1.0));
    let regions = [(5000, 9000, 1.0), (5000, 9000, 2.0), (9000, 5000, 3.0)];
    let many = edges.iter().copied().chain(hub).chain(regions).collect();
    let packed = Case { undirected: true, ..Case::new(Ids::Dense, many) };
    let alternating = Case { weighted: true, by_degree: true, ..Case::new(Ids::TextOrEmpty, edges) };
    [
        ("packed", packed.laid_out(&compact(Codec::Packed))),
        ("alternating", alternating.laid_out(&compact(Codec::Alternating))),
    ]
}

/// The graphs of the frozen stores of version 5, before they were updated; never to be changed.
fn cases_of_5() -> [(&'static str, Case, Edges); 2] {
    let edges: Vec<_> =
        (0..200_u64).flat_map(|v| (0..v % 9).map(move |i| (v, (v * v + 7 * i) % 200, v as f64 - 3.5))).collect();
    let removed = |step| edges.iter().step_by(step).map(|(source, target, _)| (*source, *target)).collect();
    let added = |step| (1..200).step_by(step).map(|v| (v, (v * 3) % 200, v as f64 / 2.0)).collect();
    let (many, few) =
        (Edges { removed: removed(5), added: added(3) }, Edges { removed: removed(60), added: added(50) });
    let weighted = Case { weighted: true, ..Case::new(Ids::Sparse, edges.clone()) };
    let dedup = Dedup::First;
    let vertices = (0..200).collect();
    let undirected = Case { undirected: true, dedup, vertices, ..Case::new(Ids::TextOrEmpty, edges.clone()) };
    let weighted = Case { vertices: undirected.vertices.clone(), ..weighted };
    [("weighted", weighted, many), ("undirected", undirected.laid_out(&chunks(TINY, |_| {})), few)]
}

/// The graphs of the frozen stores of version 6; never to be changed.
fn cases_of_6() -> [(&'static str, Case); 2] {
    // Blocks without arcs, of a few, of more than a run, and of repeated arcs.
    let edges: Vec<_> =
        (0..250_u64).flat_map(|v| (0..v % 11).map(move |i| (v, (v * v + 7 * i) % 300, v as f64 - 3.5))).collect();
    let repeated = (0..5000).map(|i| (i % 7, i * 3 % 40, i as f64));
    let weighted = Case { weighted: true, by_degree: true, ..Case::new(Ids::Sparse, edges.clone()) };
    let weighted = Case { edges: weighted.edges.iter().copied().chain(repeated).collect(), ..weighted };
    let undirected = Case { undirected: true, ..Case::new(Ids::TextOrEmpty, edges) };
    [("weighted", weighted.laid_out(&sliding(9))), ("undirected", undirected.laid_out(&sliding(4)))]
}

/// The graphs of the frozen stores of version 7, and what the second was updated with; never to be changed. Outcrop
/// wrote them from texts before there was another version.
fn cases_of_7() -> [(&'static str, Case, Edges); 2] {
    let edges: Vec<_> = (0..300_u64)
        .flat_map(|v| (0..v % 11).map(move |i| (v, (v * v + 7 * i) % 300, (v as f64 - 3.5) / 4.0)))
        .collect();
    let few = edges[..400].to_vec();
    let removed = few.iter().step_by(5).map(|(source, target, _)| (*source, *target)).collect();
    let added = (1..90).step_by(3).map(|v| (v, (v * 3) % 90, v as f64 / 2.0)).collect();
    let case = |edges| Case { weighted: true, num_vertices: Some(300), ..Case::new(Ids::Dense, edges) };
    let updated = Case { undirected: true, ..case(few) };
    [
        ("chunked", case(edges).laid_out(&Layout::default()), Edges::default()),
        ("updated", updated, Edges { removed, added }),
    ]
}

/// The graph of the frozen store of version 8, and what it was updated with; never to be changed. Outcrop wrote it from
/// texts before there was another version.
fn case_of_8() -> (Case, Edges) {
    let [_, (_, case, edges)] = cases_of_7();
    (case.laid_out(&Layout::default()), edges)
}

/// The graph of the frozen store of versions 9 and 10 that was updated, and what with; never to be changed. Outcrop
/// wrote the stores of version 9 from texts before there was another version.
fn cases_of_9() -> (Case, [Edges; 3]) {
    let (case, Edges { removed, added }) = case_of_8();
    let (one, other) = added.split_at(15);
    let again = other.iter().map(|(source, target, _)| (*source, *target)).collect();
    let updates = [
        Edges { removed, added: one.to_vec() },
        Edges { removed: Vec::new(), added: other.to_vec() },
        Edges { removed: again, added: other.to_vec() },
    ];
    (case, updates)
}

/// Edges of a stretch of time in the frozen stores of versions 9 and 10 that have times.
fn between(store: &Path, start: i64, end: i64) -> u64 {
    let (store, budget) = (Arc::new(Store::open(store).unwrap()), MemoryBudget::new(64 << 20));
    let between = EdgesBetween::open(&store, (start, end), IoChoice::Buffered, &budget, &Cancellation::new());
    let (mut edges, mut batch, mut count) = (between.unwrap(), EdgeBatch::empty(IdKind::Integer), 0);
    let is_empty = edges.is_empty();
    while edges.next_batch(&mut batch).unwrap() {
        count += batch.len() as u64;
    }
    assert_eq!(is_empty, count == 0);
    count
}

/// Which of many stretches of time have edges is what reading each of them says.
fn assert_windows(folder: &Path) {
    let (store, budget) = (Arc::new(Store::open(folder).unwrap()), MemoryBudget::new(64 << 20));
    for (length, step) in [(1, 1), (5, 2), (1, 9)] {
        let windows: Vec<(i64, i64)> = (380..1020).step_by(step).map(|start| (start, start + length)).collect();
        let found = EdgesBetween::of_windows(&store, &windows, IoChoice::Buffered, &budget, &Cancellation::new());
        let expected: Vec<bool> = windows.iter().map(|(start, end)| between(folder, *start, *end) > 0).collect();
        assert_eq!(found.unwrap(), expected);
        assert!(expected.contains(&true) && expected.contains(&false));
    }
}

/// The journals of stores that are called `updated` and `timed` tell what they were given.
fn assert_journals(folder: &Path, version: u32) {
    let (case, updates) = cases_of_9();
    let store = Store::open(&folder.join("updated")).unwrap();
    assert_eq!((store.manifest().format_version, store.manifest().generation()), (version, 3));
    let budget = MemoryBudget::new(64 << 20);
    for (generation, later) in [(0, &updates[..]), (1, &updates[1..]), (2, &updates[2..]), (3, &[])] {
        let edges: usize = later.iter().map(|edges| edges.removed.len() + edges.added.len()).sum();
        let (count, bytes) = GivenEdges::count(&store, generation, IoChoice::Buffered).unwrap().unwrap();
        assert_eq!(count, edges as u64);
        let given =
            GivenEdges::after(&store, generation, bytes, IoChoice::Buffered, &budget, &Cancellation::new()).unwrap();
        assert_eq!(given.ids.len(), 2 * edges);
    }
    let journal = store.manifest().changes.journal.as_ref().unwrap();
    assert_eq!((journal.made_by("first"), journal.made_by("second")), (Some(1), Some(2)));
    let case = updates.iter().fold(case, |case, edges| edges.on(&case));
    assert_store(&store, &case, &Model::of(&case));
    let timed = folder.join("timed");
    assert_eq!(Store::open(&timed).unwrap().manifest().format_version, version);
    crate::harm::damage::check_all(&timed, &Reading::PLAIN.workers()).unwrap();
    // Three edges were removed, five came again.
    assert_eq!([between(&timed, 0, 400), between(&timed, 3, 1002), between(&timed, 0, 2000)], [397, 399, 402]);
    assert_windows(&timed);
}

fn fixtures(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}"))
}

fn assert_read(version: u32, cases: [(&str, Case); 2]) {
    for (name, case) in cases {
        let store = Store::open(&fixtures(version).join(name)).unwrap();
        assert_eq!(store.manifest().format_version, version);
        assert_store(&store, &case, &Model::of(&case));
    }
}

#[test]
fn stores_of_version_1_are_read() {
    assert_read(1, cases_of_1());
}

#[test]
fn stores_of_version_2_are_read() {
    assert_read(2, cases_of_2());
}

/// The frozen stores that have a frozen selection of version 1: its name, the store, and what that holds.
fn selected_of_1() -> [(&'static str, PathBuf, Case); 3] {
    let [(integers, plain), _] = cases_of_1();
    let [(packed, texts), (raw32, weighted)] = cases_of_2();
    [
        (integers, fixtures(1).join(integers), plain),
        (packed, fixtures(2).join(packed), texts),
        (raw32, fixtures(2).join(raw32), weighted),
    ]
}

fn copy_of(store: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for path in crate::harm::damage::files_of(store) {
        std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    copy
}

fn selection(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/static1/{name}.static.out"))
}

#[test]
fn selections_of_version_1_are_read() {
    for (name, store, case) in selected_of_1() {
        let copy = copy_of(&store);
        std::fs::copy(selection(name), copy.path().join("static.out")).unwrap();
        crate::harm::damage::check_all(copy.path(), &Reading::PLAIN.workers()).unwrap();
        let (store, model) = (Store::open(copy.path()).unwrap(), Model::of(&case));
        let info = store.selection(Direction::Out, IoChoice::Buffered).unwrap().unwrap();
        assert!(info.method == "gvs" && info.rounds == 7 && info.lists > 0 && info.arcs > 0, "{info:?}");
        let lists = crate::reading::statics::open(&store, Direction::Out, Reading::PLAIN, u64::MAX);
        assert_eq!(sweep_all(&lists).unwrap(), model.out, "{name}");
        assert_eq!(lists.statistics().figures().static_hits, u64::from(info.lists));
    }
}

/// True if fixtures are to be written, which are no tests; says so where they are not.
#[expect(clippy::print_stdout, reason = "says that it does nothing")]
fn is_freezing() -> bool {
    let freezing = std::env::var_os("OUTCROP_FREEZE").is_some();
    if !freezing {
        println!("nothing is written: set OUTCROP_FREEZE to freeze stores of a new format version, once");
    }
    freezing
}

#[test]
#[ignore = "no test: with OUTCROP_FREEZE it writes the frozen selections of a new format version, once"]
fn freeze_selections() {
    if !is_freezing() {
        return;
    }
    for (name, store, case) in selected_of_1() {
        let copy = copy_of(&store);
        let ranked: Vec<u32> = (0..Model::of(&case).vertices()).rev().collect();
        crate::reading::statics::keep(&Store::open(copy.path()).unwrap(), &ranked, u64::MAX);
        assert!(!selection(name).exists(), "what is frozen stays as it is");
        std::fs::create_dir_all(selection(name).parent().unwrap()).unwrap();
        std::fs::copy(copy.path().join("static.out"), selection(name)).unwrap();
    }
}

#[test]
fn stores_of_version_3_are_read() {
    assert_read(3, cases_of_3());
    for (name, page_bytes) in [("pages-of-512", 512), ("pages-of-16384", 16_384)] {
        let store = Store::open(&fixtures(3).join(name)).unwrap();
        assert!(store.manifest().lists.csr.iter().all(|entry| entry.page_bytes == page_bytes));
    }
}

#[test]
fn stores_of_version_4_are_read() {
    assert_read(4, cases_of_4());
    for (name, codec) in [("packed", Codec::Packed), ("alternating", Codec::Alternating)] {
        let store = Store::open(&fixtures(4).join(name)).unwrap();
        assert!(
            !store.manifest().lists.compact.is_empty()
                && store.manifest().lists.compact.iter().all(|e| e.codec == codec)
        );
    }
}

#[test]
fn stores_of_version_5_are_read() {
    for (name, case, edges) in cases_of_5() {
        let store = Store::open(&fixtures(5).join(name)).unwrap();
        assert_eq!(store.manifest().format_version, 5);
        assert_eq!(store.manifest().changes.updates.as_ref().map(|updates| updates.generation), Some(1));
        let case = edges.on(&case);
        assert_store(&store, &case, &Model::of(&case));
    }
}

#[test]
fn stores_of_version_6_are_read() {
    assert_read(6, cases_of_6());
    for (name, intervals) in [("weighted", 9), ("undirected", 4)] {
        let store = Store::open(&fixtures(6).join(name)).unwrap();
        assert_eq!(store.manifest().lists.sliding.as_ref().map(|entry| entry.intervals), Some(intervals));
    }
}

#[test]
fn stores_of_version_7_are_read() {
    for (name, case, edges) in cases_of_7() {
        let store = Store::open(&fixtures(7).join(name)).unwrap();
        assert_eq!((store.manifest().format_version, store.manifest().graph.weight_type), (7, None));
        assert_eq!(store.manifest().weights(), Some(WeightType::F32));
        let case = edges.on(&case);
        assert_store(&store, &case, &Model::of(&case));
    }
}

#[test]
fn stores_of_version_8_are_read() {
    let (case, edges) = case_of_8();
    let store = Store::open(&fixtures(8).join("updated")).unwrap();
    let manifest = store.manifest();
    assert_eq!((manifest.format_version, manifest.graph.weight_type), (8, Some(WeightType::F32)));
    // Without a journal, the graph is as old as its lists, and has as many updates as lie beside them.
    assert_eq!((manifest.lineage(), manifest.generation()), (manifest.uuid.as_str(), 1));
    let case = edges.on(&case);
    assert_store(&store, &case, &Model::of(&case));
}

#[test]
fn stores_of_version_9_are_read() {
    assert_journals(&fixtures(9), 9);
}

#[test]
fn stores_of_version_10_are_read() {
    assert_journals(&fixtures(10), 10);
}

/// The graphs of the frozen stores of version 11, and what they were updated with; never to be changed.
fn cases_of_11() -> [(&'static str, Case, Edges); 2] {
    let edges: Vec<_> =
        (0..90_u64).flat_map(|v| (0..v % 9).map(move |i| (v, (v * v + 7 * i) % 90, v as f64 - 3.5))).collect();
    let added = vec![(100, 3, 1.5), (3, 101, -2.0), (101, 102, 4.0), (5, 7, 0.5)];
    let update = Edges { removed: vec![(edges[3].0, edges[3].1)], added };
    let integers = Case { weighted: true, ..Case::new(Ids::Sparse, edges.clone()) }.laid_out(&chunks(TINY, |_| {}));
    let texts = Case { undirected: true, by_degree: true, ..Case::new(Ids::TextOrEmpty, edges) };
    let texts = texts.laid_out(&compact(Codec::Packed));
    [("integers", integers, update.clone()), ("texts", texts, update)]
}

#[test]
fn stores_of_version_11_are_read() {
    for (name, case, edges) in cases_of_11() {
        let store = Store::open(&fixtures(11).join(name)).unwrap();
        assert_eq!((store.manifest().format_version, store.manifest().new_vertices()), (11, 3));
        let mut grown = Grown::of(&case);
        grown.update(&edges);
        grown.assert(&store);
    }
}

/// The graph of the frozen store of version 12, and its updates, of which the last one partly undoes the first; never
/// to be changed.
fn case_of_12() -> (Case, [Edges; 2]) {
    let edges: Vec<_> = (0..90_u64).flat_map(|v| (0..v % 9).map(move |i| (v, (v * v + 7 * i) % 90, 2.5))).collect();
    let case = Case { weighted: true, ..Case::new(Ids::Dense, edges.clone()) }.laid_out(&chunks(TINY, |_| {}));
    let many = (0..700_u64).map(|n| (n % 90, (n * 11 + n / 90) % 90, n as f64)).collect();
    let first = Edges { removed: edges.iter().step_by(5).map(|edge| (edge.0, edge.1)).collect(), added: many };
    let removed = (0..9_u64).map(|n| (n, (n * 11) % 90)).chain([(edges[4].0, edges[4].1)]).collect();
    let added = vec![(edges[0].0, edges[0].1, 2.5), (edges[5].0, edges[5].1, -1.0), (89, 0, 7.0)];
    (case, [first, Edges { removed, added }])
}

#[test]
fn stores_of_version_12_are_read() {
    let (case, updates) = case_of_12();
    let store = Store::open(&fixtures(12).join("levels")).unwrap();
    assert_eq!((store.manifest().format_version, store.manifest().update_file_names().count()), (12, 4));
    assert_store(&store, &case, &Model::of(&updates.iter().fold(case.clone(), |case, edges| edges.on(&case))));
}

/// The graphs of the frozen stores of version 13; never to be changed.
fn cases_of_13() -> [(&'static str, Case); 2] {
    // Lists with and without runs, of one run, and of runs longer than a block.
    let runs = (0..60_u64).flat_map(|v| (0..v * 20).filter(move |i| i % (v + 1) > 0).map(move |i| (v, i + v, 1.0)));
    let others = (0..40_u64).flat_map(|v| (0..v % 9).map(move |i| (v + 60, (v * v + 170 * i) % 1200, 1.0)));
    let edges: Vec<_> = runs.chain(others).collect();
    let weighted = edges.iter().map(|(source, target, _)| (*source, *target, (source % 5) as f64)).collect();
    let chunked = Case::new(Ids::Sparse, edges).laid_out(&chunks(TINY, |_| {}));
    let compact = Case { weighted: true, ..Case::new(Ids::Dense, weighted) }.laid_out(&compact(Codec::Runs));
    [("chunked", chunked), ("compact", compact)]
}

#[test]
fn stores_of_version_13_are_read() {
    assert_read(13, cases_of_13());
}

#[test]
#[ignore = "no test: with OUTCROP_FREEZE it writes the frozen stores of a new format version, once"]
fn freeze() {
    if !is_freezing() {
        return;
    }
    for (name, case) in cases_of_13() {
        let folder = fixtures(13).join(name);
        assert!(!folder.exists(), "what is frozen stays as it is");
        std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
        case.build(&folder).unwrap();
    }
}

#[test]
fn the_next_update_merges_the_segments_of_version_9() {
    let copy = tempfile::tempdir().unwrap();
    let folder = copy.path().join("updated");
    std::fs::rename(copy_of(&fixtures(9).join("updated")).keep(), &folder).unwrap();
    let known = Store::open(&folder).unwrap().manifest().identity();
    let (case, updates) = cases_of_9();
    let case = updates.iter().fold(case, |case, edges| edges.on(&case));
    let edges = Edges { removed: vec![(case.edges[2].0, case.edges[2].1)], added: vec![(5, 6, 2.0)] };
    for (number, segments) in [(4, 3), (5, 3)] {
        update_on(&Disk, &folder, &edges.between_vertices(&case)).unwrap();
        let store = Store::open(&folder).unwrap();
        let journal = store.manifest().changes.journal.as_ref().unwrap();
        assert_eq!((journal.generation, journal.segments.len() <= segments), (number, true), "{journal:?}");
        assert!(outcrop_store::journal::came_from(&store, &known, IoChoice::Buffered).unwrap());
        let other = outcrop_store::GraphIdentity { head: outcrop_store::Head::default(), ..known.clone() };
        assert!(!outcrop_store::journal::came_from(&store, &other, IoChoice::Buffered).unwrap());
        crate::harm::damage::check_all(&folder, &Reading::PLAIN.workers()).unwrap();
    }
}

#[test]
fn stores_of_every_version_can_be_updated() {
    for (version, name, case) in [
        (1, cases_of_1()[1].clone()),
        (2, cases_of_2()[0].clone()),
        (3, cases_of_3()[0].clone()),
        (4, cases_of_4()[0].clone()),
        (6, cases_of_6()[1].clone()),
        (7, (cases_of_7()[0].0, cases_of_7()[0].1.clone())),
        (13, cases_of_13()[0].clone()),
    ]
    .map(|(version, (name, case))| (version, name, case))
    {
        let copy = copy_of(&fixtures(version).join(name));
        let (source, target, _) = case.edges[2];
        let edges = Edges { removed: vec![(source, target)], added: vec![(target, source, 3.0)] };
        update_on(&Disk, copy.path(), &edges.between_vertices(&case)).unwrap();
        let store = Store::open(copy.path()).unwrap();
        assert_eq!(store.manifest().format_version, outcrop_store::FORMAT_VERSION);
        assert_eq!(store.manifest().graph.weight_type, case.weighted.then_some(WeightType::F32));
        let case = edges.on(&case);
        assert_store(&store, &case, &Model::of(&case));
    }
}
