//! Choices that only measurements have: they change no answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what these tests set up must work")]

use outcrop::{
    BuildOrder, BuildRequest, CacheSize, Cancellation, ChunkSettings, ConvertRequest, CsrSettings, DenseAccess,
    EdgeInput, GivenSelection, Graph, IoChoice, Kronecker, Layout, OpenOptions, Placement, RunRecord, RunRequest,
    SelectionRequest, Selector, Silent, StoreForm, Utilization, build, convert, generate,
};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// A folder with the edges of a Kronecker graph and a store of them, `plain`.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        let edges = Kronecker::new(9, 8, 1, Some("1..9".parse().unwrap())).unwrap();
        generate(&edges, &folder.path("edges.bin"), false, &Cancellation::new(), &Silent).unwrap();
        folder.build("plain", Layout::default(), BuildOrder::Original);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn build(&self, name: &str, layout: Layout, order: BuildOrder) {
        let edges = vec![EdgeInput::from(self.path("edges.bin"))];
        let request = BuildRequest { form: StoreForm { layout, order }, ..BuildRequest::new(edges, self.path(name)) };
        build(&request, &Cancellation::new(), &Silent).unwrap();
    }

    fn open(&self, name: &str, options: OpenOptions) -> Graph {
        Graph::open(&self.path(name), options).unwrap()
    }

    /// The table of a result as text.
    fn rows(&self, name: &str, options: OpenOptions, request: &RunRequest<'_>) -> String {
        let file = self.path("rows.csv");
        self.open(name, options).run(request).unwrap().table().write(&file, true).unwrap();
        std::fs::read_to_string(file).unwrap()
    }
}

fn requests() -> Vec<RunRequest<'static>> {
    let request = |name: &str| RunRequest::new(name).unwrap();
    let from = |name: &str| request(name).with("source", vec!["4".to_owned()]).unwrap();
    vec![request("wcc"), request("kcore"), request("triangles"), from("bfs"), from("sssp")]
}

fn straddling(mini_degree: u32) -> Layout {
    let levels = ChunkSettings::levels_of(&[4 << 10]);
    Layout::Chunked(ChunkSettings { straddle: true, combine: false, levels, mini_degree, ..ChunkSettings::default() })
}

#[test]
fn lists_may_straddle_chunks() {
    let folder = Folder::new();
    folder.build("straddle", straddling(2), BuildOrder::Degree);
    let layout = folder.open("straddle", OpenOptions::default()).info().layouts.remove(0);
    let chunks = layout.chunks.unwrap();
    assert!(chunks.settings.straddle && chunks.settings.levels.len() == 1);
    assert_eq!(chunks.levels.iter().map(|level| level.arcs).sum::<u64>() + chunks.mini_entries, layout.arcs);
    let request = ConvertRequest::new(folder.path("plain"), folder.path("converted"), straddling(1));
    convert(&request, &Cancellation::new(), &Silent).unwrap();
    for store in ["straddle", "converted"] {
        folder.open(store, OpenOptions::default()).check().unwrap();
        for request in requests() {
            let expected = folder.rows("plain", OpenOptions::default(), &request);
            for (page_cache, io) in
                [(CacheSize::Bytes(128 << 10), IoChoice::Auto), (CacheSize::Bytes(0), IoChoice::Buffered)]
            {
                let options = OpenOptions { page_cache, io, threads: Some(2), ..OpenOptions::default() };
                assert!(
                    folder.rows(store, options, &request) == expected,
                    "{store} {request:?}",
                    request = request.args()
                );
            }
        }
    }
}

#[test]
fn chunks_are_swept_by_vertex() {
    let folder = Folder::new();
    let layout = ChunkSettings { placement: Placement::Reordered, ..ChunkSettings::default() };
    folder.build("reordered", Layout::Chunked(layout), BuildOrder::Original);
    let request = RunRequest::new("pagerank").unwrap().with("iterations", 3_u32).unwrap();
    let by = |dense_access| folder.rows("reordered", OpenOptions { dense_access, ..OpenOptions::default() }, &request);
    assert!(by(DenseAccess::ByChunk) == by(DenseAccess::ByVertex));
}

#[test]
fn intervals_are_not_fused() {
    let folder = Folder::new();
    let mut requests = requests();
    requests.retain(|request| ["wcc", "bfs"].contains(&request.algorithm().spec().name));
    requests.extend(["cdlp", "coloring", "mis", "walks"].map(|name| RunRequest::new(name).unwrap()));
    for request in requests {
        let request = request.with("model", "messages").unwrap();
        let expected = folder.rows("plain", OpenOptions::default(), &request);
        for given in [&[("fuse", "off")][..], &[("fuse", "off"), ("edge-log", "off")]] {
            let other = given.iter().fold(request.clone(), |request, (name, word)| request.with(name, *word).unwrap());
            assert!(folder.rows("plain", OpenOptions::default(), &other) == expected, "{given:?}");
        }
    }
    let request = |model| RunRequest::new("wcc").unwrap().with("model", model).unwrap().with("fuse", "off").unwrap();
    let graph = folder.open("plain", OpenOptions::default());
    let messages = graph.run(&request("messages")).unwrap().record().optional.messages.unwrap();
    assert_eq!(serde_json::to_value(messages).unwrap()["fuse"], false);
    let refused = request("interval").validate().unwrap_err().to_string();
    assert!(refused.contains("`wcc` does not support --fuse with --model interval"), "{refused}");
}

#[test]
fn the_utilization_of_pages_is_counted() {
    let folder = Folder::new();
    let levels = ChunkSettings::levels_of(&[4 << 10, 8 << 10]);
    folder.build("csr", Layout::Csr(CsrSettings { page_bytes: 512 }), BuildOrder::Original);
    folder.build("chunks", Layout::Chunked(ChunkSettings { levels, ..ChunkSettings::default() }), BuildOrder::Original);
    let request = RunRequest::new("pagerank").unwrap().with("iterations", 3_u32).unwrap();
    for store in ["csr", "chunks"] {
        let record = |utilization, page_cache| -> RunRecord {
            let options = OpenOptions { utilization, page_cache, ..OpenOptions::default() };
            folder.open(store, options).run(&request).unwrap().record()
        };
        let tracked = record(Utilization::Tracked, CacheSize::Rest);
        for share in [tracked.cache.page_utilization, tracked.cache.byte_utilization] {
            assert!(share.is_some_and(|share| share > 0.05 && share <= 1.0), "{store}: {share:?}");
        }
        assert_eq!(record(Utilization::Ignored, CacheSize::Rest).cache.page_utilization, None);
        // Nothing is cached, and nothing is found.
        let none = record(Utilization::Tracked, CacheSize::Bytes(0));
        assert_eq!((none.cache.cache_hit_ratio, none.cache.page_utilization), (Some(0.0), None));
    }
}

#[test]
fn a_given_selection_is_pinned_and_must_be_of_the_graph() {
    let folder = Folder::new();
    let graph = folder.open("plain", OpenOptions::default());
    let select = |out: Vec<u32>| {
        let given = GivenSelection { method: "own", into: out.clone(), out };
        graph.select(&SelectionRequest {
            size: CacheSize::Percent(30.0),
            selector: Selector::Given(Arc::new(given)),
            keep: true,
        })
    };
    let record = select((0..graph.num_vertices()).collect()).unwrap();
    assert!(record.selections.iter().all(|selection| selection.info.method == "own" && selection.info.lists > 0));
    graph.check().unwrap();
    let refused = select(vec![graph.num_vertices()]).unwrap_err().to_string();
    assert!(refused.contains("a vertex that the graph does not have"), "{refused}");
}
