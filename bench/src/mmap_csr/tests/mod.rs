//! Tests of the baseline against naive references.

mod answers;
mod folders;
mod naive;

use crate::arguments::{Advice, Algorithm, BuildRequest, Precision, RunRequest};
use outcrop_formats::edges::{EdgeFormat, NewEdges, create_edges};
use outcrop_types::{VertexId, WeightType};
use std::path::Path;
use tempfile::TempDir;

/// Graph as a list of edges.
#[derive(Clone, Debug)]
struct Sample {
    vertices: u32,
    edges: Vec<[u64; 2]>,
    /// Empty without weights.
    weights: Vec<f32>,
    undirected: bool,
}

impl Sample {
    /// Builds the graph in the subfolder `graph` of a new folder.
    fn build(&self) -> TempDir {
        let folder = TempDir::new().unwrap();
        crate::mmap_csr::build(&self.build_request(folder.path())).unwrap();
        folder
    }

    fn build_request(&self, folder: &Path) -> BuildRequest {
        let weighted = !self.weights.is_empty();
        let file = folder.join("edges.bin");
        let (weights, num_vertices) = (weighted.then_some(WeightType::F32), Some(u64::from(self.vertices)));
        let new = NewEdges::new(EdgeFormat::Outcrop, self.edges.len() as u64);
        let mut sink = create_edges(&file, &NewEdges { weights, num_vertices, ..new }).unwrap();
        let weights: Vec<f64> = self.weights.iter().copied().map(f64::from).collect();
        sink.push(&self.edges, &weights).unwrap();
        sink.finish().unwrap();
        BuildRequest {
            edges: vec![file],
            folder: folder.join("graph"),
            weighted,
            undirected: self.undirected,
            num_vertices: u64::from(self.vertices),
        }
    }

    /// Returns each edge in every direction in which it can be followed.
    fn arcs(&self) -> Vec<(VertexId, VertexId, f32)> {
        let weight = |number: usize| self.weights.get(number).copied().unwrap_or(1.0);
        let edges = self.edges.iter().enumerate().map(|(number, [a, b])| (*a as u32, *b as u32, weight(number)));
        let back = edges.clone().filter(|(a, b, _)| self.undirected && a != b).map(|(a, b, weight)| (b, a, weight));
        edges.chain(back).collect()
    }
}

fn request(folder: &Path, algorithm: Algorithm) -> RunRequest {
    RunRequest {
        algorithm,
        folder: folder.join("graph"),
        iterations: 10,
        alpha: 0.85,
        source: None,
        threads: 3,
        precision: Precision::F64,
        advice: Advice::Normal,
        digest: true,
    }
}
