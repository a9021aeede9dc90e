//! `outcrop salvage` writes all edges of lists that verify, no others, and reports the rest.

use crate::driver::{Dice, Folder, names_in};
use outcrop::{
    ExportRequest, Graph, IdBatch, IoChoice, LostVertices, MemorySize, NeighborsRequest, OpenOptions, OriginalId,
    SalvageRecord, SalvagedLists, Sides,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Builds of stores: every layout, directed and undirected.
const BUILDS: [&str; 8] = [
    "--weighted --order degree",
    "--undirected --ids string",
    "--layout csr --order random",
    "--layout csr --undirected --weighted",
    "--layout compact --weighted",
    "--layout compact --undirected --order degree",
    "--layout sliding --intervals 3 --weighted --order random",
    "--layout sliding --intervals 3 --undirected",
];
const VERTICES: u64 = 500;

/// Creates a folder with a store of several pages and chunks per direction, some lists longer than a page, repeated
/// edges and loops; optionally with pending updates that add vertices, and add and remove edges.
fn folder_with_store(build: &str, updated: bool) -> Folder {
    let (folder, mut dice) = (Folder::new(), Dice::seeded(5));
    let mut edges = |count, from: u64, hub| {
        let mut text = String::new();
        for _ in 0..count {
            let source = if dice.below(4) == 0 { hub } else { dice.below(VERTICES) };
            writeln!(text, "{} {} {}", 7 * (from + source), 7 * dice.below(VERTICES), dice.below(9) + 1).unwrap();
        }
        text
    };
    let old = edges(12_000, 0, 17);
    folder.write("edges.txt", &old);
    folder.ok(&format!("build edges.txt g.outcrop --dedup keep {build}"));
    if updated {
        folder.write("new.txt", edges(200, 400, 120));
        folder.write("old.txt", old.lines().step_by(40).map(|line| line.to_owned() + "\n").collect::<String>());
        folder.ok("update g.outcrop --add new.txt --remove old.txt");
    }
    folder
}

fn open(store: &Path) -> outcrop::Result<Graph> {
    let memory = MemorySize::Bytes(256 << 20);
    Graph::open(store, OpenOptions { threads: Some(1), memory, io: IoChoice::Buffered, ..OpenOptions::default() })
}

/// Edges of a file as fields of its lines, with their numbers of occurrences.
type Edges = BTreeMap<Vec<String>, usize>;

fn edges_of(path: &Path, has_header: bool) -> Edges {
    let (text, mut edges) = (fs::read_to_string(path).unwrap(), Edges::new());
    for line in text.lines().skip(usize::from(has_header)) {
        *edges.entry(line.replace('"', "").split([',', ' ']).map(str::to_owned).collect()).or_default() += 1;
    }
    edges
}

/// A store with the edges that it has while it is intact.
struct Case<'f> {
    store: PathBuf,
    output: PathBuf,
    truth: Edges,
    texts: bool,
    build: &'f str,
}

impl<'f> Case<'f> {
    fn new(folder: &Folder, build: &'f str) -> Self {
        let (store, output, texts) =
            (folder.path("g.outcrop"), folder.path("salvaged.csv"), build.contains("--ids string"));
        let path = folder.path("all.csv");
        open(&store).unwrap().export(&ExportRequest::new(&path)).unwrap();
        Self { store, output, truth: edges_of(&path, texts), texts, build }
    }

    fn id(&self, text: &str) -> OriginalId {
        if self.texts { OriginalId::Text(text.to_owned()) } else { OriginalId::Integer(text.parse().unwrap()) }
    }

    /// Salvages the store and checks the output against the record; returns `None` for an error.
    fn salvage(&self, place: &str) -> Option<SalvageRecord> {
        let salvaged = open(&self.store).and_then(|graph| graph.salvage(&ExportRequest::new(&self.output)));
        let record = match salvaged {
            Ok(record) => record,
            Err(error) => {
                assert_eq!(error.exit_code(), 7, "{place}: {error}");
                assert!(!self.output.exists(), "{place}");
                return None;
            }
        };
        assert_eq!(record.edges_written + record.edges_lost, record.edges, "{place}");
        assert_eq!(record.edges, self.truth.values().sum::<usize>() as u64, "{place}");
        let mut written = Edges::new();
        if record.edges_written > 0 {
            written = edges_of(&self.output, self.texts);
            fs::remove_file(&self.output).unwrap();
        }
        assert_eq!(written.values().sum::<usize>() as u64, record.edges_written, "{place}");
        for (edge, count) in &written {
            assert!(self.truth.get(edge) >= Some(count), "{place}: {edge:?} is not in the graph");
        }
        for (edge, _) in self.truth.iter().filter(|(edge, count)| written.get(*edge) != Some(*count)) {
            assert_eq!(written.get(edge), None, "{place}: {edge:?} is partly written");
            let [source, target] = [&edge[0], &edge[1]].map(|text| self.id(text));
            let (sources, targets) = (&record.lists[0], record.lists.last().unwrap());
            assert!(is_lost(sources, &source) && is_lost(targets, &target), "{place}: {edge:?} is in an intact list");
        }
        Some(record)
    }

    /// Checks that the lost lists are those that queries cannot read.
    fn check_lists(&self, record: &SalvageRecord, place: &str) {
        let graph = open(&self.store).unwrap();
        for (lists, side) in record.lists.iter().zip([Sides::Out, Sides::In]) {
            assert_eq!(lists.intact + lists.lost, graph.num_vertices(), "{place}");
            assert_eq!(lists.lost > 0, !lists.faults.is_empty(), "{place}: {:?}", lists.faults);
            for id in (0..VERTICES).step_by(23).map(|vertex| 7 * vertex) {
                let text = id.to_string();
                let nodes = match self.texts {
                    false => IdBatch::Integers(vec![id]),
                    true => IdBatch::Texts { bytes: text.as_bytes().to_vec(), ends: vec![text.len()] },
                };
                let weights = self.build.contains("--weighted");
                let read = graph.neighbors(&NeighborsRequest { nodes, sides: side, weights });
                let differs = read.is_ok() == is_lost(lists, &self.id(&text));
                assert!(!differs || lists.more_ranges > 0, "{place}: the {}-list of {id}", lists.direction);
            }
        }
    }
}

/// Returns true if the list of `id` is lost, or may be lost since there are further ranges.
fn is_lost(lists: &SalvagedLists, id: &OriginalId) -> bool {
    let contains = |LostVertices { first, last }: &LostVertices| first <= id && id <= last;
    lists.more_ranges > 0 || lists.ranges.iter().any(contains)
}

/// Flips a bit in about `flips` places of each file of the store; salvages each time.
fn salvage_with_flips(build: &str, updated: bool, flips: u64) {
    let folder = folder_with_store(build, updated);
    let case = Case::new(&folder, build);
    let record = case.salvage("intact").unwrap();
    assert_eq!((record.edges_lost, record.lists.len(), record.lists[0].lost), (0, 1, 0));
    let names = folder.names();
    let mut partial = 0;
    for name in names_in(&case.store).into_iter().filter(|name| name != "runs") {
        let path = case.store.join(&name);
        let length = fs::metadata(&path).unwrap().len();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let mut byte = [0];
        for at in (length / 9..length).step_by((length / flips).max(1) as usize) {
            file.read_exact_at(&mut byte, at).unwrap();
            file.write_all_at(&[byte[0] ^ 16], at).unwrap();
            let place = format!("{build}: byte {at} of {name}");
            match case.salvage(&place) {
                Some(record) => {
                    partial += u32::from(record.edges_lost > 0 && record.edges_written > 0);
                    // The two directions have separate files in these layouts.
                    let shares = build.contains("sliding") || build.contains("--undirected");
                    assert!(shares || record.edges_lost == 0, "{place}: {} edges lost", record.edges_lost);
                    if !name.starts_with("order.") {
                        case.check_lists(&record, &place);
                    }
                }
                None => assert!(["manifest", "ids.", "order."].iter().any(|part| name.starts_with(part)), "{place}"),
            }
            file.write_all_at(&byte, at).unwrap();
        }
    }
    assert!(partial > 0 || !build.contains("--undirected"), "{build}: no salvage was partial");
    assert_eq!(folder.names(), names, "{}", case.build);
}

#[test]
fn edges_of_intact_lists_survive_any_flipped_bit() {
    BUILDS.iter().for_each(|build| salvage_with_flips(build, false, 6));
}

#[test]
fn edges_of_intact_lists_survive_with_pending_updates() {
    BUILDS.iter().for_each(|build| salvage_with_flips(build, true, 3));
}

#[test]
fn damage_in_both_directions_loses_only_edges_between_damaged_lists() {
    for build in BUILDS.into_iter().filter(|build| !build.contains("--undirected") && !build.contains("sliding")) {
        let folder = folder_with_store(build, false);
        let case = Case::new(&folder, build);
        for name in names_in(&case.store) {
            let lists = ["out.chunks", "in.chunks", "out.edges", "in.edges", "out.shards", "in.shards"];
            if lists.contains(&name.as_str()) {
                let path = case.store.join(&name);
                let mut bytes = fs::read(&path).unwrap();
                bytes[9000] ^= 1;
                fs::write(&path, bytes).unwrap();
            }
        }
        let record = case.salvage(build).unwrap();
        assert!(record.edges_lost > 0 && record.edges_written > record.edges / 2, "{build}: {record:?}");
        assert!(record.lists.iter().all(|lists| lists.lost > 0 && lists.intact > 0), "{build}: {record:?}");
        case.check_lists(&record, build);
    }
}

#[test]
fn damage_to_an_index_loses_only_some_lists() {
    let folder = Folder::new();
    folder.write("path.txt", (0..20_000).fold(String::new(), |text, id| format!("{text}{id} {}\n", id + 1)));
    for (layout, name) in [("chunked", "out.minis"), ("chunked", "out.classes"), ("compact", "out.index")] {
        folder.ok(&format!("build path.txt g.outcrop --undirected --layout {layout} --overwrite"));
        let path = folder.path("g.outcrop").join(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[4500] ^= 1;
        fs::write(&path, bytes).unwrap();
        let ran = folder.run("salvage g.outcrop -o x.csv --overwrite --json");
        let (written, lost) = (ran.figure("edges_written"), ran.figure("edges_lost"));
        assert!(ran.code == Some(7) && written > 0 && lost > 0 && written + lost == 20_000, "{name}: {ran:?}");
        let text = folder.read("x.csv");
        let ends = text.lines().map(|line| line.split_once(',').unwrap());
        assert!(
            ends.clone().all(|(source, target)| source.parse::<u64>().unwrap() + 1 == target.parse::<u64>().unwrap())
        );
        assert_eq!(ends.count() as u64, written, "{name}");
    }
}

#[test]
fn a_missing_or_shorter_file_loses_one_direction_only() {
    let folder = folder_with_store("--layout csr", false);
    let out = fs::read(folder.path("g.outcrop/out.edges")).unwrap();
    folder.write("g.outcrop/out.edges", &out[..4096]);
    let ran = folder.ok("salvage g.outcrop -o a.csv --json");
    assert_eq!((ran.figure("edges_lost"), ran.json()["lists"][0]["intact"].as_u64()), (0, Some(0)), "{ran:?}");
    fs::remove_file(folder.path("g.outcrop/out.edges")).unwrap();
    let ran = folder.ok("salvage g.outcrop -o b.csv");
    assert!(ran.stderr.contains("b.csv: 12,000 edges, 0 edges lost\nout-lists: 0 intact, "), "{ran:?}");
    folder.write("g.outcrop/out.edges", &out);
    folder.ok("export g.outcrop c.csv");
    assert!(folder.read("a.csv") == folder.read("c.csv") && folder.read("b.csv") == folder.read("c.csv"));
    fs::remove_file(folder.path("g.outcrop/out.edges")).unwrap();
    fs::remove_file(folder.path("g.outcrop/in.degrees")).unwrap();
    let names = folder.names();
    let message = folder.fails("salvage g.outcrop -o d.csv", 7);
    assert!(message.contains("12,000 of 12,000 edges are lost; nothing was written\n"), "{message}");
    assert!(message.contains("out.edges") && message.contains("in.degrees"), "{message}");
    assert_eq!(folder.names(), names);
}

#[test]
fn the_command_reports_what_is_lost_and_why() {
    let folder = folder_with_store("--undirected --layout csr --order degree", false);
    let store = folder.path("g.outcrop");
    let flip = |name: &str, at: usize| {
        let mut bytes = fs::read(store.join(name)).unwrap();
        bytes[at] ^= 1;
        fs::write(store.join(name), bytes).unwrap();
    };
    flip("out.edges", 5000);
    let message = folder.fails("salvage g.outcrop -o edges.parquet", 7);
    let parts =
        ["lists: ", " lost (vertices ", "out.edges: ", " of 12,000 edges are lost; the output has all others\n"];
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    assert!(folder.fails("salvage g.outcrop -o edges.parquet", 2).contains("use --overwrite"));
    let ran = folder.run("salvage g.outcrop -o edges.parquet --overwrite --json");
    assert_eq!((ran.code, ran.figure("edges_written") + ran.figure("edges_lost")), (Some(7), 12_000), "{ran:?}");
    folder.ok("build edges.parquet again.outcrop --undirected --dedup keep");
    assert_eq!(folder.ok("info again.outcrop --json").figure("edges"), ran.figure("edges_written"));
    assert!(folder.fails("salvage g.outcrop -o edges.sg", 2).contains("`salvage` does not support .sg and .wsg"));
    assert!(folder.fails("salvage g.outcrop -o - --json", 2).contains("choose a file"));
    let piped = folder.run("salvage g.outcrop -o -");
    assert_eq!((piped.code, piped.stdout.lines().count() as u64), (Some(7), ran.figure("edges_written")));
    flip("out.edges", 5000);
    for (name, part) in [("ids.integers", "`--order store`"), ("order.ranks", "`--order store`")] {
        flip(name, 50);
        let message = folder.fails("salvage g.outcrop -o positions.csv", 7);
        assert!(message.contains(name) && message.contains(part), "{message}");
        folder.ok("salvage g.outcrop -o positions.csv --order store --overwrite");
        folder.ok("export g.outcrop right.csv --order store --overwrite");
        assert_eq!(folder.read("positions.csv"), folder.read("right.csv"));
        fs::remove_file(folder.path("positions.csv")).unwrap();
        flip(name, 50);
    }
    flip("manifest.json", 100);
    let message = folder.fails("salvage g.outcrop -o x.csv", 7);
    assert!(message.contains("no edge can be salvaged without the manifest"), "{message}");
    assert!(!folder.path("x.csv").exists());
}

#[test]
fn the_stated_minimum_of_memory_is_enough() {
    for build in BUILDS {
        let folder = folder_with_store(build, true);
        let name = names_in(&folder.path("g.outcrop")).into_iter().find(|name| {
            ["out.chunks", "out.edges", "out.shards", "shards.blocks"].iter().any(|part| name.starts_with(part))
        });
        let path = folder.path("g.outcrop").join(name.unwrap());
        let mut bytes = fs::read(&path).unwrap();
        bytes[9000] ^= 1;
        fs::write(&path, bytes).unwrap();
        let message = folder.fails("salvage g.outcrop -o x.csv --memory 1MiB --threads 2", 4);
        let (_, rest) = message.split_once("use at least --memory ").unwrap();
        let least = rest.split([' ', ';']).next().unwrap();
        let ran = folder.run(&format!("salvage g.outcrop -o x.csv --memory {least} --threads 2"));
        assert!(matches!(ran.code, Some(0 | 7)), "{build}: {ran:?}");
        assert!(folder.path("x.csv").exists(), "{build}: {ran:?}");
    }
}
