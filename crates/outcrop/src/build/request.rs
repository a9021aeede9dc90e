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

/// Kind of the IDs of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdMode {
    /// Integers or strings, depending on the first edge; the vertices are the IDs that occur.
    #[default]
    Auto,
    /// The IDs are the vertices `0..n`.
    Dense,
    /// Integers, even if quoted; the vertices are the IDs that occur.
    Integer,
    /// Strings.
    Text,
}

/// Request for a build.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// Edge files, read in order.
    pub edges: Vec<EdgeInput>,
    /// Path of the new store.
    pub store: PathBuf,
    /// Reading of the input.
    pub input: InputOptions,
    /// The graph.
    pub graph: GraphOptions,
    /// Layout and order.
    pub form: StoreForm,
    /// Memory, threads and temporary files.
    pub resources: BuildResources,
    /// Overwriting, verification and checkpoints.
    pub publishing: Publishing,
}

/// Options for reading the input of a build.
#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// Additional vertices.
    pub vertices: Option<EdgeInput>,
    /// Options for text input; IDs are set from `ids`, the type of weights from `weights`.
    pub text: EdgeListOptions,
    /// Kind of the IDs.
    pub ids: IdMode,
    /// Exact number of vertices, for dense IDs.
    pub num_vertices: Option<u64>,
}

/// Options for the graph of a build.
#[derive(Clone, Debug, Default)]
pub struct GraphOptions {
    /// True for directed edges; `None` for what the files state, or directed if they state nothing.
    pub directed: Option<bool>,
    /// Treatment of duplicate edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// True to allow a graph without vertices if the files have no edges; otherwise that is an error.
    pub allow_empty: bool,
    /// Type of the weights on disk, if edges have weights.
    pub weights: WeightChoice,
}

/// Form of a new store.
#[derive(Clone, Debug, Default)]
pub struct StoreForm {
    /// Layout of the lists.
    pub layout: Layout,
    /// Order of the vertices.
    pub order: BuildOrder,
}

/// Resources of a build.
#[derive(Clone, Debug, Default)]
pub struct BuildResources {
    /// Memory budget of the build.
    pub memory: MemorySize,
    /// Number of parser threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Folder for temporary files; `None` for a folder next to the store.
    pub temp_folder: Option<PathBuf>,
}

/// Overwriting and verification of a new store, and checkpoints on the way to it.
#[derive(Clone, Debug, Default)]
pub struct Publishing {
    /// True to overwrite an existing store.
    pub overwrite: bool,
    /// Time to wait until an overwritten store is no longer in use.
    pub wait: Duration,
    /// True to verify the whole store before it is published.
    pub verify: bool,
    /// Checkpoints from which an interrupted build resumes.
    pub checkpoints: Option<CheckpointOptions>,
}

impl BuildRequest {
    /// Creates a request to build `store` from `edges`, with defaults for everything else.
    pub fn new(edges: Vec<EdgeInput>, store: impl Into<PathBuf>) -> Self {
        Self {
            edges,
            store: store.into(),
            input: InputOptions::default(),
            graph: GraphOptions::default(),
            form: StoreForm::default(),
            resources: BuildResources::default(),
            publishing: Publishing::default(),
        }
    }

    /// Returns the same build within `memory`.
    pub(crate) fn within(&self, memory: MemorySize) -> Self {
        Self { resources: BuildResources { memory, ..self.resources.clone() }, ..self.clone() }
    }

    /// Returns the same build with a single parser thread.
    pub(super) fn serial(&self) -> Self {
        Self { resources: BuildResources { threads: Some(1), ..self.resources.clone() }, ..self.clone() }
    }

    /// Returns true if the input can be read only once.
    pub(super) fn reads_once(&self) -> bool {
        self.edges.iter().chain(&self.input.vertices).any(|input| *input == EdgeInput::StandardInput)
    }

    pub(super) fn text_options(&self) -> Result<EdgeListOptions> {
        let ids = match (self.input.ids, self.input.num_vertices) {
            (IdMode::Auto, None) => IdRule::Auto,
            (IdMode::Integer, None) => IdRule::Integer { largest: None },
            (IdMode::Text, None) => IdRule::Text,
            (IdMode::Dense, None) => IdRule::Integer { largest: Some(MAX_VERTICES - 1) },
            (IdMode::Dense, Some(0)) => return Err(Error::Usage("--num-vertices must be at least 1".to_owned())),
            (IdMode::Dense, Some(vertices)) => IdRule::Integer { largest: Some(vertices.min(MAX_VERTICES) - 1) },
            (_, Some(_)) => return Err(Error::Usage("--num-vertices needs --ids dense".to_owned())),
        };
        let weight_type = self.graph.weights.requested();
        Ok(EdgeListOptions { ids, directed: self.graph.directed, weight_type, ..self.input.text.clone() })
    }
}
