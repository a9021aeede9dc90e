//! A run under way, as an algorithm sees it.

use crate::AtomicFloat;
use crate::IdOrder;
use crate::models::BadValue;
use crate::shape::Shape;
use crate::weights::RefusedEdge;
use outcrop_engine::VertexArray;
use outcrop_engine::neighbourhood::Neighbourhoods;
use outcrop_io::ValueFile;
use outcrop_store::access::Adjacency;
use outcrop_types::{Direction, Error, Location, Result, VertexId, VertexValues, length_from, short_number};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Facts that a run may ask of the graph besides its lists.
pub trait GraphTables {
    /// The number of list entries of each vertex, in the budget of the run.
    ///
    /// # Errors
    /// A damaged store; a budget that is too small; interruption.
    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>>;

    /// The original id of a vertex, as text, whether the run has ranks or not.
    ///
    /// # Errors
    /// A damaged store.
    fn name_of(&self, vertex: VertexId) -> Result<String>;

    /// The graph, for messages.
    fn place(&self) -> String;
}

/// A value of each vertex, in the precision of a run.
pub enum VertexVector {
    /// Values of 8 bytes in memory.
    Double(VertexValues<AtomicU64>),
    /// Values of 4 bytes in memory.
    Single(VertexValues<AtomicU32>),
    /// Values of 8 bytes in a file.
    DoubleFile(ValueFile<f64>),
    /// Values of 4 bytes in a file.
    SingleFile(ValueFile<f32>),
}

impl VertexVector {
    /// Memory that it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Double(values) => VertexValues::<AtomicU64>::bytes(length_from(values.len())),
            Self::Single(values) => VertexValues::<AtomicU32>::bytes(length_from(values.len())),
            Self::DoubleFile(_) | Self::SingleFile(_) => 0,
        }
    }

    /// The values, where they are of 8 bytes and in memory.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn into_doubles(self) -> Result<VertexValues<f64>> {
        let values = self.doubles().ok_or_else(|| Error::internal("the vector is not in memory in double precision"));
        Ok(values?.map(AtomicU64::into_plain))
    }

    /// The values of 8 bytes in memory.
    pub(crate) fn doubles(self) -> Option<VertexValues<AtomicU64>> {
        if let Self::Double(values) = self { Some(values) } else { None }
    }

    /// The values of 4 bytes in memory.
    pub(crate) fn singles(self) -> Option<VertexValues<AtomicU32>> {
        if let Self::Single(values) = self { Some(values) } else { None }
    }

    /// The values of 8 bytes, in memory or in a file.
    pub(crate) fn double_array(self) -> Option<VertexArray<f64>> {
        match self {
            Self::Double(values) => Some(VertexArray::Memory(values.map(AtomicU64::into_plain))),
            Self::DoubleFile(file) => Some(VertexArray::Disk(file)),
            _ => None,
        }
    }

    /// The values of 4 bytes, in memory or in a file.
    pub(crate) fn single_array(self) -> Option<VertexArray<f32>> {
        match self {
            Self::Single(values) => Some(VertexArray::Memory(values.map(AtomicU32::into_plain))),
            Self::SingleFile(file) => Some(VertexArray::Disk(file)),
            _ => None,
        }
    }
}

/// Inputs of a program besides its engine.
pub struct Session<'s> {
    /// The graph.
    pub shape: Shape,
    /// The rank of each vertex, where the plan needs them.
    pub ranks: IdOrder<'s>,
    /// The vertices to start from.
    pub sources: &'s [VertexId],
    /// Their original ids, where the result is named by them.
    pub source_names: &'s [String],
    /// Vertices to jump to, ascending, and their weights; one may be there several times.
    pub personalization: Option<&'s [(VertexId, f64)]>,
    /// The value that each vertex begins with, of algorithms that take a vector.
    pub vector: Option<VertexVector>,
    /// Out-lists and in-lists, of those that maps over edges read.
    pub lists: [Option<&'s dyn Adjacency>; 2],
    /// Memory for lists that are held, in bytes.
    pub held: u64,
    /// Number of sources that are searched from at once.
    pub batch: u32,
    /// Other facts that may be asked of the graph.
    pub graph: &'s dyn GraphTables,
}

impl<'s> Session<'s> {
    /// Out-lists and in-lists.
    ///
    /// # Errors
    /// [`Error::Internal`] where the plan does not have both.
    pub fn both_lists(&self) -> Result<(&'s dyn Adjacency, &'s dyn Adjacency)> {
        match self.lists {
            [Some(out), Some(into)] => Ok((out, into)),
            _ => Err(Error::internal("the plan does not include lists of both directions")),
        }
    }

    /// Out-lists, and in-lists or the same where these are not planned.
    ///
    /// # Errors
    /// [`Error::Internal`] where there are no out-lists.
    pub fn out_lists(&self) -> Result<(&'s dyn Adjacency, &'s dyn Adjacency)> {
        let out = self.lists[0].ok_or_else(|| Error::internal("the plan does not include out-lists"))?;
        Ok((out, self.lists[1].unwrap_or(out)))
    }

    /// Both directions as one.
    ///
    /// # Errors
    /// As for [`Session::both_lists`].
    pub fn neighbourhoods(&self) -> Result<Neighbourhoods<'s>> {
        let (out, into) = self.both_lists()?;
        Ok(Neighbourhoods::new(out, into))
    }

    /// The number of list entries of each vertex over both directions, of an undirected graph of its one.
    ///
    /// # Errors
    /// As for [`GraphTables::degrees`].
    pub fn entries(&self) -> Result<VertexValues<u32>> {
        let mut entries = self.graph.degrees(Direction::Out)?;
        if self.shape.directed {
            let into = self.graph.degrees(Direction::In)?;
            entries.iter_mut().zip(into.iter()).for_each(|(sum, degree)| *sum = sum.saturating_add(*degree));
        }
        Ok(entries)
    }

    /// The vector, where there is one.
    ///
    /// # Errors
    /// [`Error::Internal`] where there is none: the algorithm says otherwise.
    pub fn take_vector(&mut self) -> Result<VertexVector> {
        self.vector.take().ok_or_else(|| Error::internal("the run has no vector"))
    }

    /// The refusal of an edge for its weight: `what` needs others.
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

/// The refusal of a value that was given for a vertex.
pub(crate) fn bad_value(value: BadValue) -> Error {
    let message = format!("the value {} of a vertex is too large", value.value);
    Error::bad_input(Location::file("the vector"), message)
}
