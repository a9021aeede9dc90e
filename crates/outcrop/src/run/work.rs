//! What a request asks for in the model that it goes in.

use super::{GasWork, IntervalWork, MessageWork};
use crate::graph::Graph;
use crate::request::{RunRequest, Way};
use outcrop_algorithms::registry::Model;
use outcrop_io::SpillFolder;
use outcrop_types::{Error, Result};

/// What a run asks for besides lists.
pub(super) enum Work {
    /// What the registry says of its algorithm.
    EdgeMap,
    Interval(IntervalWork),
    Messages(MessageWork),
    Gas(GasWork),
}

impl Graph {
    /// What `request` asks for in this way.
    ///
    /// # Errors
    /// The algorithm has no program in the model: its row of the registry says otherwise.
    pub(super) fn work(&self, request: &RunRequest, way: Way) -> Result<Work> {
        let work = match way.model {
            Model::EdgeMap => Some(Work::EdgeMap),
            Model::Interval => self.interval_work(request, way.on_disk).map(Work::Interval),
            Model::Messages => self.message_work(request, way.on_disk).map(Work::Messages),
            Model::Gas => self.gas_work(request, way.on_disk).map(Work::Gas),
        };
        let (name, model) = (request.algorithm.specification().name, way.model.name());
        work.ok_or_else(|| Error::Usage(format!("{name} has no program in the model {model}")))
    }

    /// Room for temporary files that `request` needs at the most when it is run in this way, in bytes.
    pub(super) fn temporary_bytes(&self, request: &RunRequest, way: Way) -> Result<u64> {
        Ok(match self.work(request, way)? {
            Work::EdgeMap => 0,
            Work::Interval(work) => self.temporary_room(&work),
            Work::Messages(work) => self.message_room(&work),
            Work::Gas(work) => self.gas_room(&work),
        })
    }

    /// Where values on disk, messages and shards go in this way, if there are any.
    pub(super) fn spill_folder_of(&self, request: &RunRequest, way: Way) -> Result<Option<SpillFolder>> {
        match self.work(request, way)? {
            Work::EdgeMap => Ok(None),
            Work::Interval(work) => self.spill_folder(&work),
            Work::Messages(work) => self.message_folder(&work).map(Some),
            Work::Gas(work) => self.gas_folder(&work).map(Some),
        }
    }
}
