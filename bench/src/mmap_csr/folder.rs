//! Files of a folder, and its description.

use outcrop_types::{Direction, Error, Result, VertexId};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Array of one direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Array {
    Offsets,
    Targets,
    Weights,
}

/// Returns the path of an array.
pub(super) fn array_path(folder: &Path, direction: Direction, array: Array) -> PathBuf {
    let array = match array {
        Array::Offsets => "offsets",
        Array::Targets => "targets",
        Array::Weights => "weights",
    };
    folder.join(format!("{}.{array}", direction.name()))
}

/// Description of a folder. Written last: a folder without it is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphInfo {
    pub(super) vertices: u32,
    /// Number of entries of all out-lists.
    pub(super) arcs: u64,
    pub(super) weighted: bool,
    pub(super) undirected: bool,
    /// Lowest vertex with the most out-edges.
    pub(super) widest_vertex: VertexId,
}

impl GraphInfo {
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join("graph.json");
        let text = serde_json::to_vec_pretty(self).map_err(|source| Error::io("write", &path, source.into()))?;
        std::fs::write(&path, text).map_err(|source| Error::io("write", &path, source))
    }

    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("graph.json");
        let text = std::fs::read(&path).map_err(|source| Error::io("read", &path, source))?;
        serde_json::from_slice(&text).map_err(|source| Error::corrupt(&path, source.to_string()))
    }
}
