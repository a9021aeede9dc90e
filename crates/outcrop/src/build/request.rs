//! Request for a build.

use crate::memory_size::MemorySize;
use crate::order::BuildOrder;
use crate::request::CheckpointOptions;
use outcrop_formats::edges::{EdgeInput, EdgeListOptions, IdRule};
use outcrop_store::layout::Layout;
use outcrop_store::{Dedup, SelfLoops};
use outcrop_types::{Error, MAX_VERTICES, Result, WeightChoice};
use std::path::PathBuf;
use std::time::Duration;

/// Kind of the ids of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdMode {
    /// Whole numbers or texts, as the first edge shows; the vertices are those that occur.
    #[default]
    Auto,
    /// The vertices are `0..n`.
    Dense,
    /// Whole numbers, also such as are in quotes; the vertices are those that occur.
    Integer,
    /// Texts.
    Text,
}

/// Request for a build: what to build, and how.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// Edge files, read in order.
    pub edges: Vec<EdgeInput>,
    /// Path of the new store.
    pub store: PathBuf,
    /// Additional vertices.
    pub vertices: Option<EdgeInput>,
    /// Options for text input; IDs are set from `ids`, the type of weights from `weights`.
    pub text: EdgeListOptions,
    /// Kind of the ids.
    pub ids: IdMode,
    /// Exact number of vertices, for dense IDs.
    pub num_vertices: Option<u64>,
    /// True for directed edges; `None` for what the files state, or directed if they state nothing.
    pub directed: Option<bool>,
    /// Treatment of repeated edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// Allow a graph without vertices if the files have no edges; otherwise that is an error.
    pub allow_empty: bool,
    /// Layout of the lists.
    pub layout: Layout,
    /// Order of the vertices.
    pub order: BuildOrder,
    /// Memory of the build.
    pub memory: MemorySize,
    /// Number of parser threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Type of weights on disk, if edges have weights.
    pub weights: WeightChoice,
    /// Folder for temporary files; `None` for next to the store.
    pub temp_folder: Option<PathBuf>,
    /// Overwrite an existing store.
    pub overwrite: bool,
    /// Time to wait until an overwritten store is no longer in use.
    pub wait: Duration,
    /// Verify the whole store before it is published.
    pub verify: bool,
    /// Checkpoints, from which a stopped build resumes.
    pub checkpoints: Option<CheckpointOptions>,
}

impl BuildRequest {
    /// Builds `store` from `edges`, everything else at its default.
    pub fn new(edges: Vec<EdgeInput>, store: impl Into<PathBuf>) -> Self {
        Self {
            edges,
            store: store.into(),
            vertices: None,
            text: EdgeListOptions::default(),
            ids: IdMode::Auto,
            num_vertices: None,
            directed: None,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            allow_empty: false,
            layout: Layout::default(),
            order: BuildOrder::default(),
            weights: WeightChoice::Auto,
            memory: MemorySize::Auto,
            threads: None,
            temp_folder: None,
            overwrite: false,
            wait: Duration::ZERO,
            verify: false,
            checkpoints: None,
        }
    }

    /// True if the input can be read only once.
    pub(super) fn reads_once(&self) -> bool {
        self.edges.iter().chain(&self.vertices).any(|input| *input == EdgeInput::StandardInput)
    }

    pub(super) fn text_options(&self) -> Result<EdgeListOptions> {
        let ids = match (self.ids, self.num_vertices) {
            (IdMode::Auto, None) => IdRule::Auto,
            (IdMode::Integer, None) => IdRule::Integer { largest: None },
            (IdMode::Text, None) => IdRule::Text,
            (IdMode::Dense, None) => IdRule::Integer { largest: Some(MAX_VERTICES - 1) },
            (IdMode::Dense, Some(0)) => return Err(Error::Usage("--num-vertices must be at least 1".to_owned())),
            (IdMode::Dense, Some(vertices)) => IdRule::Integer { largest: Some(vertices.min(MAX_VERTICES) - 1) },
            (_, Some(_)) => return Err(Error::Usage("--num-vertices needs --ids dense".to_owned())),
        };
        let weight_type = self.weights.asked();
        Ok(EdgeListOptions { ids, directed: self.directed, weight_type, ..self.text.clone() })
    }
}
