//! Shards that are prepared from stores of every layout, and those of a store itself.

use crate::blocks::{Arcs, all_blocks, arcs_of, read_all};
use crate::lists::{Edge, drawn_edges};
use outcrop_engine::{DegreeSource, Directions};
use outcrop_gas::{Preparation, prepare_shards};
use outcrop_io::{Disk, IoChoice, SpillFolder};
use outcrop_store::WorkContext;
use outcrop_store::access::{Adjacency, Workers};
use outcrop_store::layout::chunked::ChunkSettings;
use outcrop_store::layout::compact::CompactSettings;
use outcrop_store::layout::csr::CsrSettings;
use outcrop_store::layout::sliding::{PreparedShards, SlidingSettings, StoredShards};
use outcrop_store::layout::{DegreeReader, Layout, ListOptions, StoredLists};
use outcrop_store::writing::{BuildInput, BuildOptions, EdgeBatch, EdgeSource, IdBatch, IdKind, build};
use outcrop_store::{Dedup, SelfLoops, Store};
use outcrop_types::{Cancellation, Direction, MemoryBudget, Result, Silent, WeightChoice};
use tempfile::TempDir;

const VERTICES: u32 = 300;

struct Edges(Vec<Edge>, bool);

impl EdgeSource for Edges {
    fn id_kind(&self) -> IdKind {
        IdKind::Integer
    }

    fn weighted(&self) -> bool {
        self.1
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        let edges = std::mem::take(&mut self.0);
        batch.endpoints =
            IdBatch::Integers(edges.iter().flat_map(|edge| [u64::from(edge.0), u64::from(edge.1)]).collect());
        batch.weights = edges.iter().filter(|_| self.1).map(|edge| edge.2).collect();
        Ok(!edges.is_empty())
    }

    fn bytes_done(&self) -> u64 {
        0
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn edges_estimate(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

fn stored(folder: &TempDir, edges: &[Edge], (undirected, weighted): (bool, bool), layout: Layout) -> Store {
    let target = folder.path().join("graph.outcrop");
    let options = BuildOptions {
        target: target.clone(),
        overwrite: true,
        layout,
        undirected,
        dense_ids: true,
        num_vertices: Some(u64::from(VERTICES)),
        dedup: Dedup::Keep,
        self_loops: SelfLoops::Keep,
        allow_empty: true,
        order: None,
        weights: WeightChoice::Auto,
        temp_folder: None,
        checkpoints: None,
    };
    let input = BuildInput { edges: Box::new(Edges(edges.to_vec(), weighted)), vertices: None };
    let (budget, workers) = (MemoryBudget::new(64 << 20), Workers::start(1, Cancellation::new()).unwrap());
    let work =
        WorkContext { storage: &Disk, io: IoChoice::Auto, budget: &budget, workers: &workers, observer: &Silent };
    build(input, &options, work).unwrap();
    Store::open(&target).unwrap()
}

/// Prepares the shards of `store`, in whichever layout it is.
fn prepared_of(store: &Store, along: Directions, memory: u64) -> PreparedShards {
    let (budget, workers) = (MemoryBudget::new(256 << 20), Workers::start(2, Cancellation::new()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let spill = SpillFolder::new(folder.path()).unwrap();
    let directed = store.manifest().graph.directed;
    let options = ListOptions::once(IoChoice::Auto);
    let lists = |direction| StoredLists::open(store, direction, &options, &budget, &workers).unwrap();
    let (out, into) = (lists(Direction::Out), directed.then(|| lists(Direction::In)));
    let degrees = |direction| DegreeReader::open(store, direction, IoChoice::Auto, &budget).unwrap();
    let mut source = DegreeSource::default().with(Direction::Out, degrees(Direction::Out));
    if directed {
        source = source.with(Direction::In, degrees(Direction::In));
    }
    prepare_shards(&Preparation {
        out: Some(&out),
        into: into.as_ref().map(|lists| lists as &dyn Adjacency),
        degrees: &source,
        directed,
        along,
        weights: store.manifest().weights(),
        intervals: Some(6),
        memory,
        folder: &spill,
        workers: &workers,
        budget: &budget,
    })
    .unwrap()
}

fn layouts() -> [Layout; 4] {
    let chunks = ChunkSettings { levels: ChunkSettings::levels_of(&[4096, 8192]), ..ChunkSettings::default() };
    [
        Layout::Chunked(chunks),
        Layout::Compact(CompactSettings::default()),
        Layout::Csr(CsrSettings { page_bytes: 512 }),
        Layout::Sliding(SlidingSettings { intervals: Some(4) }),
    ]
}

fn expected(edges: &[Edge], undirected: bool, weighted: bool, along: Directions) -> Arcs {
    let back = edges.iter().filter(|edge| undirected && edge.0 != edge.1).map(|edge| (edge.1, edge.0, edge.2));
    let edges: Vec<Edge> = edges.iter().copied().chain(back).collect();
    let mut arcs = arcs_of(&edges, along);
    if !weighted {
        arcs.values_mut().for_each(|weights| weights.fill(1.0));
    }
    arcs
}

#[test]
fn shards_of_every_layout_hold_the_arcs_of_the_graph() {
    let mut edges = drawn_edges(VERTICES, 4000);
    edges.extend((0..1500).map(|number| (7, number % VERTICES, number as f64)));
    for layout in layouts() {
        for (undirected, weighted) in [(false, true), (false, false), (true, true), (true, false)] {
            let folder = tempfile::tempdir().unwrap();
            let store = stored(&folder, &edges, (undirected, weighted), layout.clone());
            for (along, memory) in
                [(Directions::Out, 8 << 20), (Directions::Both, 8 << 20), (Directions::Both, 110 << 10)]
            {
                let shards = prepared_of(&store, along, memory);
                let expected = expected(&edges, undirected, weighted, along);
                assert!(read_all(&shards, &all_blocks(&shards)) == expected, "{layout:?} {undirected} {weighted}");
            }
        }
    }
}

#[test]
fn the_shards_of_a_store_are_what_would_be_prepared_along_out_edges() {
    let edges = drawn_edges(VERTICES, 4000);
    let folder = tempfile::tempdir().unwrap();
    for (undirected, weighted) in [(false, true), (true, false)] {
        let layout = Layout::Sliding(SlidingSettings { intervals: Some(6) });
        let store = stored(&folder, &edges, (undirected, weighted), layout);
        let own =
            StoredShards::open(&store, IoChoice::Auto, 1, &MemoryBudget::new(64 << 20), &Cancellation::new()).unwrap();
        let prepared = prepared_of(&store, Directions::Out, 8 << 20);
        assert_eq!(all_blocks(&own), all_blocks(&prepared));
        assert!(read_all(&own, &all_blocks(&own)) == read_all(&prepared, &all_blocks(&prepared)));
    }
}
