//! Facts that identify a build in its checkpoints.

use super::request::BuildRequest;
use crate::checkpoints::{Facts, facts_of_target, require_saving};
use crate::request::CheckpointOptions;
use outcrop_formats::edges::{EdgeInput, OpenedEdges, version_of};
use outcrop_types::{Error, MemoryBudget, Result};

impl BuildRequest {
    /// Checks that this build supports checkpoints.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] with the obstacle and an alternative.
    pub(super) fn require_checkpoints(&self, options: &CheckpointOptions) -> Result<()> {
        if self.form.order.needs_lists() {
            let message = "checkpoints are not supported with an order that is computed from lists; build with another order, then use `outcrop convert --order`";
            return Err(Error::Usage(message.to_owned()));
        }
        require_saving(
            "build",
            &self.store,
            options,
            &self.form.layout,
            self.publishing.verify,
            self.resources.temp_folder.as_deref(),
        )
    }

    /// Returns the facts that determine the store and the format of the saved state, including the lengths and times of
    /// the files in `opened`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if an input can be read only once, or an error if a file cannot be read.
    pub(super) fn facts(&self, opened: &OpenedEdges, directed: bool, budget: &MemoryBudget) -> Result<Facts> {
        let mut inputs = opened.versions.clone();
        let vertex_files = opened.vertex_files.iter().cloned().map(EdgeInput::from);
        for input in vertex_files.chain(self.input.vertices.clone()) {
            inputs.push((input.to_string(), version_of(&input, budget)?));
        }
        let mut facts = facts_of_target(
            &self.store,
            [
                ("the format of the edge files", &self.input.text),
                ("--ids", &self.input.ids),
                ("--dedup", &self.graph.dedup),
                ("--self-loops", &self.graph.self_loops),
                ("--weight-type", &self.graph.weights),
                ("the layout", &self.form.layout),
                ("--order", &self.form.order),
            ],
        )?;
        facts.insert("the direction".to_owned(), if directed { "directed" } else { "undirected" }.into());
        facts.insert("--num-vertices".to_owned(), self.input.num_vertices.into());
        for (number, (name, version)) in (1..).zip(inputs) {
            let version = version.ok_or_else(|| once(&name))?;
            facts.insert(format!("input {number}"), format!("{name}, {version}").into());
        }
        Ok(facts)
    }
}

/// Returns the error for an input that can be read only once.
pub(super) fn once(name: &str) -> Error {
    Error::Usage(format!(
        "checkpoints are not supported for {name}, which can be read only once; write it to a file first"
    ))
}
