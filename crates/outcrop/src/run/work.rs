//! Work that a request asks for in the way that it goes.

use super::named_vertices::NamedVertices;
use super::{GasWork, IntervalWork, MessageWork};
use crate::graph::Graph;
use crate::lists;
use crate::request::{RunRequest, Way};
use outcrop_algorithms::params::gas_options;
use outcrop_algorithms::{EdgeMapWork, Needs, Shape, Work};
use outcrop_io::SpillFolder;
use outcrop_store::Order;
use outcrop_types::{Direction, Error, Result, VertexValues};

/// Bytes of a value in a column of a result, at the most.
const COLUMN_BYTES: u64 = 8;

/// A run as it is planned.
pub(crate) struct Planned {
    pub(crate) needs: Needs,
    pub(crate) follows_frontiers: bool,
    pub(super) reads_most_lists: bool,
    pub(super) work: ModelWork,
}

/// Work of a run besides lists.
pub(super) enum ModelWork {
    EdgeMap(EdgeMapWork),
    Interval(IntervalWork),
    Messages(MessageWork),
    Gas(GasWork),
}

impl Graph {
    /// Properties of this graph that runs depend on.
    pub(crate) fn shape(&self, on_disk: bool) -> Shape {
        let manifest = self.store.manifest();
        Shape {
            vertices: manifest.vertices,
            directed: manifest.directed,
            weighted: manifest.weighted,
            entries: [Direction::Out, Direction::In].map(|direction| lists::arcs(self, self.store.stored(direction))),
            slots: self.workers.slots(),
            on_disk,
        }
    }

    /// Work that `request` asks for in this way.
    ///
    /// # Errors
    /// [`Error::Internal`] where the algorithm has no program for it: its ways say otherwise.
    pub(super) fn planned(&self, request: &RunRequest<'_>, way: Way) -> Result<Planned> {
        let name = request.spec().name;
        let plan = request.algorithm().plan(way.model, &self.shape(way.on_disk), request.args())?;
        let missing = || Error::internal(format!("{name} has no program in the model {}", way.model.name()));
        let plan = plan.ok_or_else(missing)?;
        let needs = plan.needs;
        let work = match plan.work {
            Work::EdgeMap(work) => ModelWork::EdgeMap(work),
            Work::Interval(work) => {
                ModelWork::Interval(IntervalWork { needs, demand: work.demand, value_bytes: work.value_bytes })
            }
            Work::Messages { work, records } => ModelWork::Messages(MessageWork {
                needs,
                demand: work.demand,
                value_bytes: work.value_bytes,
                column_bytes: COLUMN_BYTES,
                records,
            }),
            Work::Gas { work, exact_steps, vector_bytes } => ModelWork::Gas(GasWork {
                needs,
                demand: work.demand,
                options: gas_options(request.args(), exact_steps)?,
                result_bytes: work.result_bytes,
                vector_bytes,
                beside: self.rank_bytes(needs) + NamedVertices::planned_bytes(request, self.num_vertices())?,
            }),
        };
        let (follows_frontiers, reads_most_lists) = (plan.follows_frontiers, plan.reads_most_lists);
        Ok(Planned { needs, follows_frontiers, reads_most_lists, work })
    }

    /// Memory of the ranks of vertices, where they are needed and are not the numbers of the vertices.
    fn rank_bytes(&self, needs: Needs) -> u64 {
        match needs.ranks && self.store.manifest().order != Order::Original {
            true => VertexValues::<u32>::bytes(u64::from(self.num_vertices())),
            false => 0,
        }
    }

    /// The same for a plan.
    pub(super) fn planned_rank_bytes(&self, planned: &Planned) -> u64 {
        self.rank_bytes(planned.needs)
    }

    /// Room for temporary files that a run needs at the most, in bytes.
    pub(super) fn temporary_bytes(&self, planned: &Planned) -> u64 {
        match &planned.work {
            ModelWork::EdgeMap(_) => 0,
            ModelWork::Interval(work) => self.temporary_room(work),
            ModelWork::Messages(work) => self.message_room(work),
            ModelWork::Gas(work) => self.gas_room(work),
        }
    }

    /// Folder of values on disk, messages and shards, if there are any.
    pub(super) fn spill_folder_of(&self, planned: &Planned) -> Result<Option<SpillFolder>> {
        match &planned.work {
            ModelWork::EdgeMap(_) => Ok(None),
            ModelWork::Interval(work) => self.spill_folder(work),
            ModelWork::Messages(work) => self.message_folder(work).map(Some),
            ModelWork::Gas(work) => self.gas_folder(work).map(Some),
        }
    }
}
