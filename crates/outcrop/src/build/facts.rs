//! Facts that name a build to its checkpoints.

use super::request::BuildRequest;
use crate::checkpoints::{Facts, facts_of_target, require_saving};
use crate::request::CheckpointOptions;
use outcrop_formats::edges::{EdgeInput, OpenedEdges, version_of};
use outcrop_types::{Error, MemoryBudget, Result};

impl BuildRequest {
    /// Makes sure that a build like this one has checkpoints.
    ///
    /// # Errors
    /// [`Error::Usage`] with what is in the way, and what to do instead.
    pub(super) fn require_checkpoints(&self, options: &CheckpointOptions) -> Result<()> {
        if self.order.needs_lists() {
            let message = "checkpoints are not supported with an order that is computed from lists; build with another order, then use `outcrop convert --order`";
            return Err(Error::Usage(message.to_owned()));
        }
        require_saving("build", (&self.store, options), (&self.layout, self.verify, self.temp_folder.as_deref()))
    }

    /// Facts that the store, and the form of what is saved, depend on; of the files of `opened` also their lengths and
    /// times.
    ///
    /// # Errors
    /// [`Error::Usage`] where an input can be read only once; a file that cannot be read.
    pub(super) fn facts(&self, opened: &OpenedEdges, directed: bool, budget: &MemoryBudget) -> Result<Facts> {
        let mut inputs = opened.versions.clone();
        let vertex_files = opened.vertex_files.iter().cloned().map(EdgeInput::from);
        for input in vertex_files.chain(self.vertices.clone()) {
            inputs.push((input.to_string(), version_of(&input, budget)?));
        }
        let mut facts = facts_of_target(
            &self.store,
            [
                ("the format of the edge files", &self.text),
                ("--ids", &self.ids),
                ("--dedup", &self.dedup),
                ("--self-loops", &self.self_loops),
                ("--weight-type", &self.weights),
                ("the layout", &self.layout),
                ("--order", &self.order),
            ],
        )?;
        facts.insert("the direction".to_owned(), if directed { "directed" } else { "undirected" }.into());
        facts.insert("--num-vertices".to_owned(), self.num_vertices.into());
        for (number, (name, version)) in (1..).zip(inputs) {
            let version = version.ok_or_else(|| once(&name))?;
            facts.insert(format!("input {number}"), format!("{name}, {version}").into());
        }
        Ok(facts)
    }
}

/// The error of an input that is gone once it was read.
pub(super) fn once(name: &str) -> Error {
    Error::Usage(format!(
        "checkpoints are not supported for {name}, which can be read only once; write it to a file first"
    ))
}
