//! Reads edges and writes a folder.

use super::folder::{Array, GraphInfo, array_path};
use super::lists::{Arc, PlainLists};
use crate::arguments::BuildRequest;
use outcrop_formats::edges::{EdgeInput, EdgeListOptions, IdRule, open_edges};
use outcrop_store::writing::{EdgeBatch, EdgeSource, IdBatch};
use outcrop_types::{Direction, Error, Location, MAX_VERTICES, MemoryBudget, Result, VertexId, length_from};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Number of parser threads.
const PARSERS: usize = 2;

/// Writes the lists of the edges.
///
/// # Errors
/// Returns an error if edges cannot be read, if a weight is negative, if an ID is not below the number of vertices, or
/// if writing fails.
pub fn build(request: &BuildRequest) -> Result<GraphInfo> {
    let vertices = vertex_count(request.num_vertices)?;
    let edges = Edges::read(request, vertices)?;
    let folder = &request.folder;
    std::fs::create_dir(folder).map_err(|source| Error::io("create", folder, source))?;
    let unsorted = edges.lists(vertices, request.undirected);
    drop(edges);
    // In-lists, or undirected lists; transposing sorts them.
    let out = unsorted.transposed();
    drop(unsorted);
    write_lists(folder, Direction::Out, &out)?;
    if !request.undirected {
        write_lists(folder, Direction::In, &out.transposed())?;
    }
    let info = GraphInfo {
        vertices,
        arcs: length_from(out.neighbors.len()),
        weighted: request.weighted,
        undirected: request.undirected,
        widest_vertex: out.widest_vertex(),
    };
    info.write(folder).map(|()| info)
}

fn vertex_count(count: u64) -> Result<u32> {
    let fits = (1..=MAX_VERTICES).contains(&count);
    u32::try_from(count)
        .ok()
        .filter(|_| fits)
        .ok_or_else(|| Error::Usage(format!("the number of vertices is 1 to {MAX_VERTICES}, not {count}")))
}

/// All edges in memory.
struct Edges {
    ends: Vec<[VertexId; 2]>,
    /// Parallel to the endpoints; empty without weights.
    weights: Vec<f32>,
}

impl Edges {
    fn read(request: &BuildRequest, vertices: u32) -> Result<Self> {
        let inputs: Vec<EdgeInput> = request.edges.iter().cloned().map(EdgeInput::from).collect();
        let largest = Some(u64::from(vertices - 1));
        let options = EdgeListOptions {
            weighted: request.weighted,
            ids: IdRule::Integer { largest },
            ..EdgeListOptions::default()
        };
        let mut source = open_edges(&inputs, &options, &MemoryBudget::new(u64::MAX), PARSERS)?.source;
        Self::drain(source.as_mut(), vertices)
    }

    fn drain(source: &mut dyn EdgeSource, vertices: u32) -> Result<Self> {
        let mut edges = Self { ends: Vec::new(), weights: Vec::new() };
        let mut batch = EdgeBatch::empty(source.id_kind());
        while source.next_batch(&mut batch)? {
            let IdBatch::Integers(ids) = &batch.endpoints else {
                return Err(refused("ids must be whole numbers"));
            };
            if ids.iter().any(|id| *id >= u64::from(vertices)) {
                return Err(refused("an id is not below the number of vertices"));
            }
            if batch.weights.iter().any(|weight| *weight < 0.0) {
                return Err(refused("a weight is negative"));
            }
            edges.ends.extend(ids.chunks_exact(2).map(|ends| [ends[0] as VertexId, ends[1] as VertexId]));
            edges.weights.extend(batch.weights.iter().map(|weight| *weight as f32));
        }
        Ok(edges)
    }

    /// Returns the in-lists; in an undirected graph, each edge except a loop is listed at both endpoints.
    fn lists(&self, vertices: u32, undirected: bool) -> PlainLists {
        let weighted = !self.weights.is_empty();
        let edges = || self.ends.iter().enumerate().map(|(number, ends)| self.turned(number, *ends));
        if !undirected {
            return PlainLists::group(vertices, weighted, edges());
        }
        let back = edges().filter(|(from, to, _)| from != to).map(|(from, to, weight)| (to, from, weight));
        PlainLists::group(vertices, weighted, edges().chain(back))
    }

    fn turned(&self, number: usize, [source, target]: [VertexId; 2]) -> Arc {
        (target, source, self.weights.get(number).copied().unwrap_or(1.0))
    }
}

fn refused(message: &str) -> Error {
    Error::bad_input(Location::file("the edges"), message)
}

fn write_lists(folder: &Path, direction: Direction, lists: &PlainLists) -> Result<()> {
    let write = |array, bytes: &[u8]| {
        let path = array_path(folder, direction, array);
        let written = File::create_new(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(|source| Error::io("write", &path, source))
    };
    write(Array::Offsets, bytemuck::cast_slice(&lists.offsets))?;
    write(Array::Targets, bytemuck::cast_slice(&lists.neighbors))?;
    if lists.weights.is_empty() { Ok(()) } else { write(Array::Weights, bytemuck::cast_slice(&lists.weights)) }
}
