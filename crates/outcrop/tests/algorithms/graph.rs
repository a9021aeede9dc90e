//! Graphs over small keys, the stores that are built from them, and what these stores should hold.

use outcrop::{
    BuildOrder, BuildRequest, Cancellation, ChunkSettings, Codec, CompactSettings, CsrSettings, EdgeInput, Header,
    IdMode, IndexKind, Layout, MemorySize, Silent, SlidingSettings, build,
};
use std::fmt::Write;
use std::path::Path;

/// Edges between the keys `0..keys`, with weights.
#[derive(Clone, Debug)]
pub struct Shape {
    pub keys: u32,
    pub edges: Vec<(u32, u32, f64)>,
}

/// Kind of the user's ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    Dense,
    /// Whole numbers all over the 64 bits, the largest being key 0.
    Sparse,
    Text,
    /// Texts of a hundred bytes, in an order of their own.
    LongText,
}

impl Ids {
    /// The id of `key`.
    pub fn name(self, key: u32) -> String {
        match self {
            Self::Dense => key.to_string(),
            Self::Sparse => sparse(key).to_string(),
            Self::Text => format!("{}{key}", ["b", "ä", "Z", "b-"][key as usize % 4]),
            Self::LongText => format!("{:016x}-{key:080}", sparse(key)),
        }
    }

    /// All keys in ascending order of their ids.
    fn ascending(self, keys: u32) -> Vec<u32> {
        let mut sorted: Vec<u32> = (0..keys).collect();
        match self {
            Self::Dense => {}
            Self::Sparse => sorted.sort_by_key(|key| sparse(*key)),
            Self::Text | Self::LongText => sorted.sort_by_cached_key(|key| self.name(*key)),
        }
        sorted
    }
}

fn sparse(key: u32) -> u64 {
    u64::MAX - u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Layout of the lists in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    Chunked,
    /// Chunks so small that lists run through several, with the other codec and the other index.
    TinyChunks,
    Csr,
    /// Lists one after the other as bytes, with the paper's codec.
    Compact,
    /// The same with the other codec.
    CompactPacked,
    /// Pages of a sector, so that small graphs have many.
    SmallPages,
    /// Shards, more than small graphs would have.
    Sliding,
}

impl Lists {
    fn layout(self) -> Layout {
        match self {
            Self::Chunked => Layout::default(),
            Self::TinyChunks => Layout::Chunked(ChunkSettings {
                codec: Codec::Raw32,
                index: IndexKind::Direct,
                levels: ChunkSettings::levels_of(&[4096, 8192]),
                ..ChunkSettings::default()
            }),
            Self::Csr => Layout::Csr(CsrSettings::default()),
            Self::Compact => Layout::Compact(CompactSettings { codec: Codec::Alternating }),
            Self::CompactPacked => Layout::Compact(CompactSettings::default()),
            Self::SmallPages => Layout::Csr(CsrSettings { page_bytes: 512 }),
            Self::Sliding => Layout::Sliding(SlidingSettings { intervals: Some(6) }),
        }
    }
}

/// Kind of store that is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreKind {
    pub undirected: bool,
    pub weighted: bool,
    pub order: BuildOrder,
    pub ids: Ids,
    pub lists: Lists,
}

impl StoreKind {
    pub const PLAIN: Self = Self {
        undirected: false,
        weighted: false,
        order: BuildOrder::Original,
        ids: Ids::Dense,
        lists: Lists::Chunked,
    };

    /// Builds the store of `shape` in `folder`.
    pub fn build(self, shape: &Shape, folder: &Path) -> std::path::PathBuf {
        let (edges, vertices) = (folder.join("edges.el"), folder.join("vertices.txt"));
        std::fs::write(&edges, self.lines(shape)).unwrap();
        let mut request = BuildRequest::new(vec![EdgeInput::from(edges)], folder.join("graph.outcrop"));
        request.graph.allow_empty = true;
        if self.ids == Ids::Dense {
            request.input.num_vertices = Some(u64::from(shape.keys)).filter(|keys| *keys > 0);
        } else {
            let names: Vec<String> = (0..shape.keys).map(|key| self.ids.name(key)).collect();
            std::fs::write(&vertices, names.join("\n")).unwrap();
            request.input.vertices = (shape.keys > 0).then_some(EdgeInput::from(vertices));
        }
        request.input.ids = match self.ids {
            Ids::Dense => IdMode::Dense,
            Ids::Sparse => IdMode::Auto,
            Ids::Text | Ids::LongText => IdMode::Text,
        };
        (request.input.text.weighted, request.input.text.header) = (self.weighted, Header::No);
        (request.graph.directed, request.resources.memory, request.resources.threads) =
            (Some(!self.undirected), MemorySize::Bytes(64 << 20), Some(1));
        request.form.order = self.order;
        request.form.layout = self.lists.layout();
        build(&request, &Cancellation::new(), &Silent).unwrap();
        request.store
    }

    fn lines(self, shape: &Shape) -> String {
        shape.edges.iter().fold(String::new(), |mut text, (source, target, weight)| {
            let (source, target) = (self.ids.name(*source), self.ids.name(*target));
            writeln!(text, "{source} {target} {weight}").unwrap();
            text
        })
    }
}

/// Contents of a store, by ranks: positions among all ids in ascending order.
#[derive(Clone, Debug)]
pub struct Model {
    pub undirected: bool,
    pub weighted: bool,
    /// True if vertices are ranks.
    pub original_order: bool,
    /// The id of each rank.
    pub ids: Vec<String>,
    /// The targets and weights of each rank's list.
    pub out: Vec<Vec<(usize, f64)>>,
    /// The sources and weights of each rank's list.
    pub into: Vec<Vec<(usize, f64)>>,
    rank_of_key: Vec<usize>,
}

impl Model {
    pub fn new(shape: &Shape, kind: StoreKind) -> Self {
        let ascending = kind.ids.ascending(shape.keys);
        let mut rank_of_key = vec![0; ascending.len()];
        ascending.iter().enumerate().for_each(|(rank, key)| rank_of_key[*key as usize] = rank);
        let lists = vec![Vec::new(); ascending.len()];
        let ids = ascending.iter().map(|key| kind.ids.name(*key)).collect();
        let StoreKind { undirected, weighted, order, .. } = kind;
        let original_order = order == BuildOrder::Original;
        let mut model =
            Self { undirected, weighted, original_order, ids, out: lists.clone(), into: lists, rank_of_key };
        for (source, target, weight) in &shape.edges {
            let weight = if kind.weighted { *weight } else { 1.0 };
            model.add(*source, *target, weight);
            if kind.undirected && source != target {
                model.add(*target, *source, weight);
            }
        }
        model
    }

    fn add(&mut self, source: u32, target: u32, weight: f64) {
        let (source, target) = (self.rank(source), self.rank(target));
        self.out[source].push((target, weight));
        self.into[target].push((source, weight));
    }

    pub fn rank(&self, key: u32) -> usize {
        self.rank_of_key[key as usize]
    }

    pub fn vertices(&self) -> usize {
        self.ids.len()
    }
}
