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
    /// Files of edges, one after the other.
    pub edges: Vec<EdgeInput>,
    /// The store to make.
    pub store: PathBuf,
    /// Further vertices.
    pub vertices: Option<EdgeInput>,
    /// Options for reading texts; its ids are set from `ids`, its type of weights from `weights`.
    pub text: EdgeListOptions,
    /// Kind of the ids.
    pub ids: IdMode,
    /// With dense ids: exactly so many vertices.
    pub num_vertices: Option<u64>,
    /// True if edges have a direction; `None` for what the files state, else that they have.
    pub directed: Option<bool>,
    /// Treatment of repeated edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// Build a graph without vertices where the files have no edges; else that is an error.
    pub allow_empty: bool,
    /// Layout of the lists.
    pub layout: Layout,
    /// Order of the vertices.
    pub order: BuildOrder,
    /// Memory of the build.
    pub memory: MemorySize,
    /// Threads that parse; `None` for one a core.
    pub threads: Option<usize>,
    /// The type of weights on disk, where edges have weights.
    pub weights: WeightChoice,
    /// Folder of temporary files; `None` for beside the store.
    pub temp_folder: Option<PathBuf>,
    /// Replace a store that stands there.
    pub overwrite: bool,
    /// Time to wait until nobody has open what is overwritten.
    pub wait: Duration,
    /// Check the whole store before it appears.
    pub verify: bool,
    /// Saving of what is done, from which the build goes on where it was stopped.
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
