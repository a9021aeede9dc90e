//! Run in progress, as seen by an algorithm.

use crate::AtomicFloat;
use crate::IdOrder;
use crate::models::BadValue;
use crate::shape::Shape;
use crate::weights::RefusedEdge;
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods};
use outcrop_engine::{Engine, VertexArray};
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_store::access::Adjacency;
use outcrop_types::{Direction, Error, Location, Result, VertexId, VertexValues, length_from, short_number};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Data of the graph that a run may request in addition to its lists.
pub trait GraphTables {
    /// Returns the number of list entries of each vertex, reserved from the budget of the run.
    ///
    /// # Errors
    ///
    /// Returns an error if the store is damaged, if the budget is too small, or if the run is interrupted.
    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>>;

    /// Returns the original ID of a vertex as text, even if the run has no ranks.
    ///
    /// # Errors
    ///
    /// Returns an error if the store is damaged.
    fn name_of(&self, vertex: VertexId) -> Result<String>;

    /// Returns the name of the graph, for messages.
    fn place(&self) -> String;
}

/// Values per vertex, in the precision of a run.
pub enum VertexVector {
    /// 8-byte values in memory.
    Double(VertexValues<AtomicU64>),
    /// 4-byte values in memory.
    Single(VertexValues<AtomicU32>),
    /// 8-byte values in a file.
    DoubleFile(ValueFile<f64>),
    /// 4-byte values in a file.
    SingleFile(ValueFile<f32>),
}

impl VertexVector {
    /// Returns the memory in use, in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Double(values) => VertexValues::<AtomicU64>::bytes(length_from(values.len())),
            Self::Single(values) => VertexValues::<AtomicU32>::bytes(length_from(values.len())),
            Self::DoubleFile(_) | Self::SingleFile(_) => 0,
        }
    }

    /// Returns 8-byte values in memory.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] for other values.
    pub fn into_doubles(self) -> Result<VertexValues<f64>> {
        let values = self.doubles().ok_or_else(|| Error::internal("the vector is not in memory in double precision"));
        Ok(values?.map(AtomicU64::into_plain))
    }

    /// Returns 8-byte values in memory, if they are.
    pub(crate) fn doubles(self) -> Option<VertexValues<AtomicU64>> {
        if let Self::Double(values) = self { Some(values) } else { None }
    }

    /// Returns 4-byte values in memory, if they are.
    pub(crate) fn singles(self) -> Option<VertexValues<AtomicU32>> {
        if let Self::Single(values) = self { Some(values) } else { None }
    }

    /// Returns 8-byte values, in memory or in a file.
    pub(crate) fn double_array(self) -> Option<VertexArray<f64>> {
        match self {
            Self::Double(values) => Some(VertexArray::Memory(values.map(AtomicU64::into_plain))),
            Self::DoubleFile(file) => Some(VertexArray::Disk(file)),
            _ => None,
        }
    }

    /// Returns 4-byte values, in memory or in a file.
    pub(crate) fn single_array(self) -> Option<VertexArray<f32>> {
        match self {
            Self::Single(values) => Some(VertexArray::Memory(values.map(AtomicU32::into_plain))),
            Self::SingleFile(file) => Some(VertexArray::Disk(file)),
            _ => None,
        }
    }
}

/// Lists of both directions, which are read in batches.
pub struct BatchedLists<'g> {
    /// Both directions as one.
    pub neighborhoods: Neighborhoods<'g>,
    /// Out-degrees of a directed graph.
    out_degrees: Option<VertexValues<u32>>,
    /// Space for a batch.
    pub space: NeighborhoodBuffer,
}

impl BatchedLists<'_> {
    /// Returns the number of entries to store for `vertex`: its out-degree, or 0 in an undirected graph.
    #[inline]
    pub fn stored_entries(&self, vertex: VertexId) -> u32 {
        self.out_degrees.as_ref().map_or(0, |degrees| degrees[vertex as usize])
    }
}

/// Inputs of a program in addition to its engine.
pub struct Session<'s> {
    /// Shape of the graph.
    pub shape: Shape,
    /// Rank of each vertex, if the plan requires ranks.
    pub ranks: IdOrder<'s>,
    /// Start vertices.
    pub sources: &'s [VertexId],
    /// Their original IDs, if the result is named by them.
    pub source_names: &'s [String],
    /// Jump targets, ascending and possibly with duplicates, and their weights.
    pub personalization: Option<&'s [(VertexId, f64)]>,
    /// Initial value of each vertex, for algorithms with a vector.
    pub vector: Option<VertexVector>,
    /// Out-lists and in-lists, for edge maps.
    pub lists: [Option<&'s dyn Adjacency>; 2],
    /// Memory for in-memory lists, in bytes.
    pub held: u64,
    /// Number of sources per batch.
    pub batch: u32,
    /// Memory that values may take beyond the plan, in bytes.
    pub growth: u64,
    /// Folder for temporary files, if the plan has space for them.
    pub spill: Option<&'s SpillFolder>,
    /// Other data of the graph.
    pub graph: &'s dyn GraphTables,
}

impl<'s> Session<'s> {
    /// Returns out-lists and in-lists.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if the plan does not include both.
    pub fn both_lists(&self) -> Result<(&'s dyn Adjacency, &'s dyn Adjacency)> {
        match self.lists {
            [Some(out), Some(into)] => Ok((out, into)),
            _ => Err(Error::internal("the plan does not include lists of both directions")),
        }
    }

    /// Returns out-lists, and in-lists if planned, otherwise the out-lists again.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if there are no out-lists.
    pub fn out_lists(&self) -> Result<(&'s dyn Adjacency, &'s dyn Adjacency)> {
        let out = self.lists[0].ok_or_else(|| Error::internal("the plan does not include out-lists"))?;
        Ok((out, self.lists[1].unwrap_or(out)))
    }

    /// Returns both directions as one.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Session::both_lists`].
    pub fn neighborhoods(&self) -> Result<Neighborhoods<'s>> {
        let (out, into) = self.both_lists()?;
        Ok(Neighborhoods::new(out, into))
    }

    /// Creates the space for batches of neighborhoods, of the memory for in-memory lists.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub fn neighborhood_buffer(&self, engine: &Engine<'_>) -> Result<NeighborhoodBuffer> {
        let slots = engine.workers().slots();
        let longest = NeighborhoodBuffer::longest_within(self.held, slots);
        NeighborhoodBuffer::new(engine.budget(), self.held, engine.vertices(), longest, slots)
    }

    /// Returns both directions as one, with what reading them in batches needs.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Session::both_lists`] and [`GraphTables::degrees`].
    pub fn batched_lists(&self, engine: &Engine<'_>) -> Result<BatchedLists<'s>> {
        Ok(BatchedLists {
            neighborhoods: self.neighborhoods()?,
            out_degrees: self.shape.directed.then(|| self.graph.degrees(Direction::Out)).transpose()?,
            space: self.neighborhood_buffer(engine)?,
        })
    }

    /// Returns the number of list entries of each vertex over both directions, or over the single one of an undirected
    /// graph.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`GraphTables::degrees`].
    pub fn entries(&self) -> Result<VertexValues<u32>> {
        let mut entries = self.graph.degrees(Direction::Out)?;
        if self.shape.directed {
            let into = self.graph.degrees(Direction::In)?;
            entries.iter_mut().zip(into.iter()).for_each(|(sum, degree)| *sum = sum.saturating_add(*degree));
        }
        Ok(entries)
    }

    /// Returns the folder for temporary files.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if the plan has no space for them.
    pub fn spill(&self) -> Result<&'s SpillFolder> {
        self.spill.ok_or_else(|| Error::internal("the plan has no space for temporary files"))
    }

    /// Returns the vector.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if there is none, although the algorithm requires it.
    pub fn take_vector(&mut self) -> Result<VertexVector> {
        self.vector.take().ok_or_else(|| Error::internal("the run has no vector"))
    }

    /// Returns the error for an edge with an invalid weight: `what` describes the requirement.
    pub fn refused_weight(&self, edge: RefusedEdge, what: &str) -> Error {
        let (source, target) = match (self.graph.name_of(edge.source), self.graph.name_of(edge.target)) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(error), _) | (_, Err(error)) => return error,
        };
        let message =
            format!("the edge from {source} to {target} has the weight {}; {what}", short_number(edge.weight));
        Error::bad_input(Location::file(self.graph.place()), message)
    }
}

/// Returns the error for an invalid value of a vertex.
pub(crate) fn bad_value(value: BadValue) -> Error {
    let message = format!("the value {} of a vertex is too large", value.value);
    Error::bad_input(Location::file("the vector"), message)
}
