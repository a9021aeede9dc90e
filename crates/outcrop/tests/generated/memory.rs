//! The page on memory: what plans reserve on example graphs.

use crate::pages::{HEADER, cells, code};
use outcrop::{
    ALGORITHMS, Bandwidths, BuildRequest, BuildResources, Cancellation, ConvertRequest, EdgeInput, Estimate, Graph,
    GraphOptions, IdMode, InputOptions, IoChoice, Kronecker, Layout, LayoutKind, MemorySize, Model, OpenOptions,
    Purpose, RunRequest, Silent, WeightDistribution, build, convert, generate,
};
use std::path::{Path, PathBuf};

/// The example: 2^16 vertices.
const SCALE: u32 = 16;
const VERTICES: f64 = 65536.0;
const THREADS: usize = 2;

/// Purposes whose memory grows with the number of vertices.
const BY_VERTEX: [Purpose; 6] =
    [Purpose::VertexValues, Purpose::Index, Purpose::Degrees, Purpose::Frontier, Purpose::IdMap, Purpose::HeldLists];

/// The page: `text` with tables in the places of `{{models}}` and `{{layouts}}`.
pub(crate) fn page() -> String {
    let folder = tempfile::tempdir().unwrap();
    let stores = Stores::build(folder.path());
    let text = include_str!("memory.md").replace("{{models}}", &models(&stores));
    format!("{HEADER}\n\n{}", text.replace("{{layouts}}", &layouts(folder.path())))
}

/// The graph with and without directions.
struct Stores {
    directed: Graph,
    undirected: Graph,
}

impl Stores {
    fn build(folder: &Path) -> Self {
        let edges = folder.join("edges.bin");
        let weights = WeightDistribution::Integers { low: 1, high: 255 };
        let kronecker = Kronecker::new(SCALE, 16, 1, Some(weights)).unwrap();
        generate(&kronecker, &edges, true, &Cancellation::new(), &Silent).unwrap();
        let store = |directed| {
            let store = folder.join(if directed { "directed.outcrop" } else { "undirected.outcrop" });
            let mut request = BuildRequest {
                input: InputOptions { ids: IdMode::Dense, ..InputOptions::default() },
                graph: GraphOptions { directed: Some(directed), ..GraphOptions::default() },
                resources: BuildResources {
                    memory: MemorySize::Bytes(256 << 20),
                    threads: Some(THREADS),
                    ..BuildResources::default()
                },
                ..BuildRequest::new(vec![EdgeInput::from(edges.clone())], store)
            };
            request.input.text.weighted = true;
            build(&request, &Cancellation::new(), &Silent).unwrap();
            open(request.store)
        };
        Self { directed: store(true), undirected: store(false) }
    }

    /// The needs of an algorithm in a model, with values on disk or not, where it runs so; on the directed graph where
    /// it takes such.
    fn estimate(&self, name: &str, model: Model, on_disk: bool) -> Option<Estimate> {
        let request = RunRequest::new(name).unwrap().with("model", model.name()).ok()?;
        let request = request.with("values", if on_disk { "disk" } else { "memory" }).ok()?;
        self.directed.estimate(&request).or_else(|_| self.undirected.estimate(&request)).ok()
    }
}

fn open(store: PathBuf) -> Graph {
    let options = OpenOptions {
        memory: MemorySize::Bytes(1 << 30),
        threads: Some(THREADS),
        io: IoChoice::Pread,
        bandwidths: Some(Bandwidths::assumed()),
        ..OpenOptions::default()
    };
    Graph::open(&store, options).unwrap()
}

/// A table of all models.
fn models(stores: &Stores) -> String {
    let mut rows = Vec::new();
    for algorithm in ALGORITHMS {
        let spec = algorithm.spec();
        for model in spec.models {
            for on_disk in [false, true] {
                let Some(estimate) = stores.estimate(spec.name, *model, on_disk) else { continue };
                let values = if on_disk { "disk" } else { "memory" };
                rows.push((vec![code(spec.name), code(model.name()), values.to_owned()], estimate));
            }
        }
    }
    table(&["algorithm", "model", "values"], rows)
}

/// A table of all layouts.
fn layouts(folder: &Path) -> String {
    let kinds = [LayoutKind::Chunked, LayoutKind::Compact, LayoutKind::Csr, LayoutKind::Sliding];
    let rows = kinds.map(|kind| {
        let layout = match kind {
            LayoutKind::Chunked => Layout::default(),
            LayoutKind::Compact => Layout::Compact(outcrop::CompactSettings::default()),
            LayoutKind::Csr => Layout::Csr(outcrop::CsrSettings::default()),
            LayoutKind::Sliding => Layout::Sliding(outcrop::SlidingSettings::default()),
        };
        let store = folder.join(format!("{}.outcrop", kind.name()));
        let request = ConvertRequest {
            memory: MemorySize::Bytes(256 << 20),
            threads: Some(THREADS),
            ..ConvertRequest::new(folder.join("directed.outcrop"), &store, layout)
        };
        convert(&request, &Cancellation::new(), &Silent).unwrap();
        let estimate = open(store).estimate(&RunRequest::new("bfs").unwrap()).unwrap();
        (vec![code(kind.name())], estimate)
    });
    table(&["layout"], rows.into())
}

/// A row for each estimate; columns only for purposes that one of them has.
fn table(heads: &[&str], rows: Vec<(Vec<String>, Estimate)>) -> String {
    let used = |purpose: &Purpose| rows.iter().any(|(_, estimate)| bytes(estimate, *purpose) > 0);
    let (by_vertex, others): (Vec<_>, Vec<_>) =
        Purpose::ALL.into_iter().filter(used).partition(|purpose| BY_VERTEX.contains(purpose));
    let mut titles: Vec<_> = heads.iter().map(|head| (*head).to_owned()).collect();
    titles.extend(by_vertex.iter().map(|purpose| format!("{}, B per vertex", purpose.name())));
    titles.extend(others.iter().map(|purpose| format!("{}, MiB", purpose.name())));
    titles.extend(["minimum, MiB", "all in memory, MiB", "disk, MiB"].map(str::to_owned));
    let mut lines = cells(&titles) + &cells(&vec!["---".to_owned(); titles.len()]);
    for (mut row, estimate) in rows {
        row.extend(by_vertex.iter().map(|purpose| number(bytes(&estimate, *purpose) as f64 / VERTICES, 1)));
        let total = [estimate.minimum, estimate.all_in_memory, estimate.temporary_bytes];
        let sizes = others.iter().map(|purpose| bytes(&estimate, *purpose)).chain(total);
        row.extend(sizes.map(|bytes| number(bytes as f64 / f64::from(1 << 20), 1)));
        lines += &cells(&row);
    }
    lines
}

fn bytes(estimate: &Estimate, purpose: Purpose) -> u64 {
    estimate.plan.bytes_for(purpose)
}

/// A number with some decimals; nothing for none.
fn number(value: f64, decimals: usize) -> String {
    if value == 0.0 { String::new() } else { format!("{value:.decimals$}") }
}
