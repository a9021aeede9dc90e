//! The engine: what a run of a program works with.

use super::demand::{Delivery, LogKind, MessageDemand};
use super::figures::MessageFigures;
use super::program::{MessageProgram, Plain};
use crate::interval::{DegreeSource, Storage};
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_store::access::{AccessFigures, Adjacency, Workers};
use outcrop_types::{Error, MemoryBudget, Observer, Purpose, Result, VertexId, VertexSet, VertexValues};

/// What an engine works with.
pub struct MessageSetup<'g, A> {
    /// The out-lists, where they are open; of an undirected graph the same as the in-lists.
    pub out: Option<&'g A>,
    /// The in-lists, where they are open.
    pub into: Option<&'g A>,
    /// The degrees of both directions that the demand names.
    pub degrees: DegreeSource<'g>,
    /// What is asked of the engine.
    pub demand: MessageDemand,
    /// How messages are kept and delivered.
    pub options: MessageOptions,
    /// Memory for sorting, logs and lists, in bytes.
    pub memory: u64,
    /// Where messages, and values that live on disk, go.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// What pays for it all.
    pub budget: &'g MemoryBudget,
    /// Who is told of supersteps.
    pub observer: &'g dyn Observer,
}

/// How messages are kept and delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageOptions {
    /// When messages are delivered.
    pub delivery: Delivery,
    /// How they are kept.
    pub log: LogKind,
    /// Whether small logs of neighbouring intervals are computed together (section V.A.2).
    pub fuse: bool,
    /// Whether lists of vertices that are likely to be active are logged (section V.C).
    pub edge_log: bool,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self { delivery: Delivery::Synchronous, log: LogKind::Multi, fuse: true, edge_log: true }
    }
}

/// Runs message programs.
pub struct MessageEngine<'g, A> {
    setup: MessageSetup<'g, A>,
}

/// What a run leaves behind, besides values.
#[derive(Debug)]
pub struct Ran<R> {
    /// How many supersteps there were.
    pub supersteps: u32,
    /// The records that were written down, by key; `None` where the demand has none.
    pub records: Option<super::records::Records<R>>,
}

impl<'g, A: Adjacency> MessageEngine<'g, A> {
    /// Chooses the intervals, from the degrees in one pass over them, and reserves what it will use.
    ///
    /// # Errors
    /// The budget does not hold what [`MessageDemand::least`] says, or the longest list; degrees that are damaged or missing;
    /// interruption.
    pub fn new(setup: MessageSetup<'g, A>) -> Result<Self> {
        Ok(Self { setup })
    }

    /// Number of vertices of the graph, without spare ones.
    pub const fn vertices(&self) -> u32 {
        self.setup.demand.vertices
    }

    /// Values of all vertices, in memory or on disk as the demand says, that of each as `value` says.
    ///
    /// # Errors
    /// The budget is too small; [`Error::DiskFull`]; [`Error::Io`].
    pub fn values<V: Plain>(&self, value: impl Fn(VertexId) -> V) -> Result<Storage<V>> {
        let demand = &self.setup.demand;
        let vertices = demand.vertices + demand.spare_vertices;
        let of = |position: u64| value(VertexId::try_from(position).unwrap_or(VertexId::MAX));
        match demand.on_disk {
            false => {
                let of = |position: usize| of(position as u64);
                VertexValues::new(self.setup.budget, Purpose::VertexValues, vertices as usize, of).map(Storage::Memory)
            }
            true => ValueFile::made_of(self.setup.spill, u64::from(vertices), of).map(Storage::Disk),
        }
    }

    /// Another column of values of the same vertices, made from the first, such as one of its parts; spare vertices are left out.
    ///
    /// # Errors
    /// The budget is too small; [`Error::DiskFull`]; [`Error::Io`].
    pub fn project<V: Plain, T: Plain>(&self, values: &Storage<V>, part: impl Fn(V) -> T) -> Result<Storage<T>> {
        _ = (values, part);
        Err(Error::Usage("not yet".to_owned()))
    }

    /// Runs `program` on `values` ([`MessageEngine::values`]), beginning with the `active` vertices, until no vertex is active and no
    /// message waits, the program does not continue, or there were `limit` supersteps.
    ///
    /// # Errors
    /// Lists that are not open, or values of another size or number than the demand says; a failed or damaged read, a full disk,
    /// interruption; messages to one vertex that take more than the memory to group them.
    pub fn run<P: MessageProgram>(
        &self,
        program: &P,
        values: &mut Storage<P::Value>,
        active: VertexSet,
        limit: u32,
    ) -> Result<Ran<P::Record>> {
        _ = (program, values, active, limit);
        Err(Error::Usage("not yet".to_owned()))
    }

    /// Counts of all reads of lists so far.
    pub fn figures(&self) -> AccessFigures {
        AccessFigures::default()
    }

    /// Bytes of values that were read from and written to disk so far.
    pub fn value_traffic(&self) -> (u64, u64) {
        (0, 0)
    }

    /// What logs, sorting and the edge log did so far.
    pub fn message_figures(&self) -> MessageFigures {
        MessageFigures::default()
    }
}
