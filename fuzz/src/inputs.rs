//! Files of edges and of vertices.

use crate::{expect_ordinary, scratch};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use outcrop::{
    BuildRequest, BuildResources, Cancellation, EdgeInput, EdgeListOptions, ExportRequest, Graph, GraphOptions, Header,
    IdMode, InputOptions, MemorySize, OnError, OpenOptions, Publishing, Silent, build, explain,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MEMORY: MemorySize = MemorySize::Bytes(48 << 20);
/// Names of texts and of binary files, by which formats are detected.
const EDGE_NAMES: [&str; 16] = [
    "edges.txt",
    "edges.csv",
    "edges.tsv",
    "edges",
    "edges.csv.gz",
    "edges.txt.zst",
    "edges.bin",
    "edges.mtx",
    "edges.gr",
    "edges.graph",
    "edges.e",
    "edges.net",
    "edges.adjlist",
    "edges.clq",
    "edges.sg",
    "edges.wsg",
];
const TABLE_NAMES: [&str; 2] = ["edges.parquet", "edges.arrow"];
const VERTEX_NAMES: [&str; 4] = ["vertices.txt", "vertices.csv", "vertices.csv.gz", "vertices.parquet"];

/// Builds a graph from a file of edges; its export is read back as the same edges.
pub(crate) fn edges(data: &[u8]) {
    named(data, &EDGE_NAMES, |file| Given { edges: file, vertices: None });
}

/// Does the same with Parquet and Arrow.
pub(crate) fn tables(data: &[u8]) {
    named(data, &TABLE_NAMES, |file| Given { edges: file, vertices: None });
}

/// Does the same with a file of vertices.
pub(crate) fn vertices(data: &[u8]) {
    named(data, &VERTEX_NAMES, |file| {
        let edges = file.with_file_name("edges.txt");
        std::fs::write(&edges, "1 2\n7 1\n").unwrap();
        Given { edges, vertices: Some(file) }
    });
}

struct Given {
    edges: PathBuf,
    vertices: Option<PathBuf>,
}

/// Reads the name and the options from the first two bytes, and the file from the others.
fn named(data: &[u8], names: &[&str], given: impl FnOnce(PathBuf) -> Given) {
    let Some((&[name, options], content)) = data.split_first_chunk::<2>() else { return };
    let folder = scratch();
    let file = folder.join(names[usize::from(name) % names.len()]);
    std::fs::write(&file, content).unwrap();
    let request = request(given(file), &folder.join("g.outcrop"), options);
    if let Err(error) = explain(&request) {
        expect_ordinary(&error);
    }
    match build(&request, &Cancellation::new(), &Silent) {
        Ok(_) => round_trip(&folder, &request),
        Err(error) => expect_ordinary(&error),
    }
}

fn request(given: Given, store: &Path, options: u8) -> BuildRequest {
    let bit = |place: u8| options >> place & 1 == 1;
    let text = EdgeListOptions {
        weighted: bit(0),
        timed: bit(1),
        on_error: if bit(2) { OnError::Skip { max_errors: 10 } } else { OnError::Stop },
        header: if bit(3) { Header::Auto } else { Header::No },
        ..EdgeListOptions::default()
    };
    let ids = [IdMode::Auto, IdMode::Integer, IdMode::Text, IdMode::Dense][usize::from(options >> 4 & 3)];
    let vertices = given.vertices.map(EdgeInput::from);
    BuildRequest {
        input: InputOptions { text, ids, vertices, num_vertices: None },
        graph: GraphOptions { directed: bit(6).then_some(true), allow_empty: bit(7), ..GraphOptions::default() },
        resources: BuildResources { memory: MEMORY, threads: Some(1), temp_folder: None },
        publishing: Publishing { overwrite: true, ..Publishing::default() },
        ..BuildRequest::new(vec![EdgeInput::from(given.edges)], store)
    }
}

/// Writes the edges, builds a graph from them, and compares its edges with them.
fn round_trip(folder: &Path, request: &BuildRequest) {
    let rows = |store: &Path, name: &str| -> Option<Vec<String>> {
        let options = OpenOptions { memory: MEMORY, threads: Some(1), ..OpenOptions::default() };
        let graph = Graph::open(store, options).unwrap();
        graph.check().unwrap();
        let path = folder.join(name);
        let written = graph.export(&ExportRequest { overwrite: true, ..ExportRequest::new(&path) });
        let text = match written {
            Ok(_) => std::fs::read_to_string(&path).unwrap(),
            // IDs that text files cannot contain.
            Err(error) => {
                expect_ordinary(&error);
                return None;
            }
        };
        // Each undirected edge may have either vertex first.
        let comparable = graph.info().directed && graph.num_edges() > 0;
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows.sort();
        comparable.then_some(rows)
    };
    let Some(first) = rows(&request.store, "first.csv") else { return };
    let again = folder.join("again.outcrop");
    let ids = if request.input.ids == IdMode::Dense { IdMode::Integer } else { request.input.ids };
    // Timestamps are not exported.
    let text =
        EdgeListOptions { on_error: OnError::Stop, header: Header::Auto, timed: false, ..request.input.text.clone() };
    let second = BuildRequest {
        edges: vec![EdgeInput::from(folder.join("first.csv"))],
        store: again.clone(),
        input: InputOptions { text, ids, ..InputOptions::default() },
        // A text file of another format may need more memory.
        resources: BuildResources { memory: MemorySize::Bytes(96 << 20), ..request.resources.clone() },
        ..request.clone()
    };
    build(&second, &Cancellation::new(), &Silent).unwrap_or_else(|error| panic!("{error}: {first:?}"));
    assert_eq!(rows(&again, "second.csv"), Some(first));
}

fn seeds(names: usize, contents: &[&[u8]]) -> Vec<Vec<u8>> {
    let name = |place: usize| u8::try_from(place % names).unwrap();
    let all = contents.iter().enumerate();
    all.flat_map(|(place, content)| [0x08, 0x49].map(|options| [&[name(place), options], *content].concat())).collect()
}

/// Returns a file of each format.
pub(crate) fn edge_seeds() -> Vec<Vec<u8>> {
    seeds(
        EDGE_NAMES.len(),
        &[
            b"# comment\n1 2 0.5\n2 3 1\n\n3 1 7\n",
            b"source,target,weight,time\n\"a, b\",c,1.5,2024-01-01T00:00:00Z\nc,d,2,2024-01-02\n",
            b"1\t2\t3\n2\t3\t4\n",
            b"a b\nb c\n",
            b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x33\x54\x30\xe2\x32\x52\x30\xe6\x02\x00\xf5\xf1\x2b\x96\x08\x00\x00\x00",
            b"\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00\x31\x20\x32\x0a\x32\x20\x33\x0a\x8e\x3f\xc2\xf6",
            b"outcrop edges\n",
            b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1\n",
            b"c comment\np sp 3 2\na 1 2 5\na 2 3 7\n",
            b"3 2\n2\n1 3\n2\n",
            b"1 2 0.5\n2 3 1\n",
            b"*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Arcs\n1 2 1\n2 3 4\n",
            b"1 2 3\n2 3\n",
            b"p edge 3 2\ne 1 2\ne 2 3\n",
            b"\x01\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00",
            b"\x00\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00",
        ],
    )
}

/// Returns a Parquet file that outcrop writes, and an Arrow file.
pub(crate) fn table_seeds() -> Vec<Vec<u8>> {
    let folder = scratch();
    let edges = folder.join("edges.txt");
    let lines: String = (0..40).map(|edge| format!("{} {} {edge}\n", edge * 7 % 11, edge * 3 % 13)).collect();
    std::fs::write(&edges, lines).unwrap();
    let request = request(Given { edges, vertices: None }, &folder.join("g.outcrop"), 0x49);
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MEMORY, threads: Some(1), ..OpenOptions::default() };
    let (graph, parquet) = (Graph::open(&request.store, options).unwrap(), folder.join("edges.parquet"));
    graph.export(&ExportRequest::new(&parquet)).unwrap();
    seeds(TABLE_NAMES.len(), &[&std::fs::read(parquet).unwrap(), &arrow()])
}

/// Returns an Arrow file with columns of several types.
fn arrow() -> Vec<u8> {
    let numbers =
        |step: i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values((0..40).map(|row| row * step % 17))) };
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..40).map(|row| format!("v{}", row % 7))));
    let columns = [("source", numbers(3)), ("target", numbers(5)), ("weight", numbers(1)), ("name", texts)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// Returns files of vertices.
pub(crate) fn vertex_seeds() -> Vec<Vec<u8>> {
    seeds(VERTEX_NAMES.len(), &[b"1\n2\n9\n", b"id,name\n1,a\n\"3\",\"b, c\"\n"])
}
