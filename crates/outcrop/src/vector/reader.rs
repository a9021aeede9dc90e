//! Reader of a vector given by the user, which finds the vertex of each value.

use super::find_nodes::{NodeFinder, no_vertex};
use crate::graph::Graph;
use outcrop_algorithms::params::InputVector;
use outcrop_algorithms::{Precision, VectorUse};
use outcrop_formats::vector::{NodeKey, NodeValue, NodeValues, NpyValues};
use outcrop_store::{OriginalIdReader, OriginalIds};
use outcrop_types::{
    BitSet, Error, Location, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, index_from, length_from,
};
use std::path::Path;

/// Number of values converted to vertices at once.
const PIECE: u32 = 1 << 13;

/// Reader that can scan a vector several times.
pub(super) struct VectorReader<'r> {
    pub(super) vector: &'r InputVector,
    /// Meaning of the values, which restricts them.
    pub(super) meaning: VectorUse,
    pub(super) graph: &'r Graph,
    pub(super) budget: &'r MemoryBudget,
}

impl VectorReader<'_> {
    /// Calls `take` with the value of every vertex in `range` that has one, in any order. Values in a file with IDs, or
    /// of a store that is not in original order, are scanned completely for any range.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BadInput`] if there is not one value per vertex, if values name a vertex twice or an unknown
    /// vertex, or exceed the precision, or an error if the budget is too small for reading, if reading fails, or if the
    /// work is interrupted.
    pub(super) fn for_each_in(&self, range: VertexRange, take: impl FnMut(VertexId, f64)) -> Result<()> {
        match self.vector {
            InputVector::File(path) if has_plain_values(path) => {
                let mut file = NpyValues::open(path, self.budget)?;
                let length = file.length();
                let name = path.display().to_string();
                self.by_rank(range, &name, length, |first, values| file.read(first, values), take)
            }
            InputVector::File(path) => self.rows_of_file(range, path, take),
            InputVector::Values(all) => {
                let copy = |first: u64, values: &mut [f64]| {
                    values.copy_from_slice(&all[index_from(first)..][..values.len()]);
                    Ok(())
                };
                self.by_rank(range, IN_MEMORY, length_from(all.len()), copy, take)
            }
            InputVector::Entries(entries) => self.entries(range, entries, take),
        }
    }

    /// Passes on the values of `range`, which `read` returns by rank.
    fn by_rank(
        &self,
        range: VertexRange,
        name: &str,
        length: u64,
        mut read: impl FnMut(u64, &mut [f64]) -> Result<()>,
        mut take: impl FnMut(VertexId, f64),
    ) -> Result<()> {
        let vertices = self.graph.num_vertices();
        if length != u64::from(vertices) {
            let message = format!("found {length} values, expected {vertices}, one per vertex");
            return Err(Error::bad_input(Location::file(name), message));
        }
        let _held = self
            .budget
            .reserve(OriginalIdReader::memory(self.graph.store.manifest()) + PIECE_BYTES, Purpose::InputBuffers)?;
        let mut ids = OriginalIdReader::open(&self.graph.store, self.graph.io)?;
        let ranks = if self.graph.store.manifest().is_in_rank_order() { range } else { VertexRange::new(0, vertices) };
        let mut values = vec![0.0; PIECE.min(vertices) as usize];
        let mut start = ranks.start;
        while start < ranks.end {
            self.graph.cancellation().check()?;
            let end = start.saturating_add(PIECE).min(ranks.end);
            let values = &mut values[..(end - start) as usize];
            read(start.into(), values)?;
            for ((rank, vertex), value) in (start..end).zip(ids.vertices(start..end)?).zip(values) {
                let refuse = |message: &str| {
                    Error::bad_input(Location::file(name), format!("value {rank} (counted from 0) {message}"))
                };
                self.check(*value).map_err(refuse)?;
                if range.contains(vertex) {
                    take(vertex, *value);
                }
            }
            start = end;
        }
        Ok(())
    }

    fn rows_of_file(&self, range: VertexRange, path: &Path, mut take: impl FnMut(VertexId, f64)) -> Result<()> {
        let text = self.graph.store.manifest().numbering.ids == OriginalIds::Text;
        let mut file = NodeValues::open(path, text, self.budget)?;
        let mut rows = Vec::new();
        let mut named = Named::new(self, range)?;
        loop {
            file.next_batch(&mut rows)?;
            if rows.is_empty() {
                return Ok(());
            }
            named.take_rows(&mut rows, |place, message| file.error_at(place, message), &mut take)?;
        }
    }

    fn entries(
        &self,
        range: VertexRange,
        entries: &[(String, f64)],
        mut take: impl FnMut(VertexId, f64),
    ) -> Result<()> {
        let text = self.graph.store.manifest().numbering.ids == OriginalIds::Text;
        let error = |message: String| Error::bad_input(Location::file(IN_MEMORY), message);
        let mut named = Named::new(self, range)?;
        for (first, piece) in (0..).step_by(PIECE as usize).zip(entries.chunks(PIECE as usize)) {
            let row = |(place, (id, value)): (u64, &(String, f64))| {
                let whole = || id.parse().ok().filter(|_| id.bytes().all(|byte| byte.is_ascii_digit()));
                let key = if text { Some(NodeKey::Text(id.clone())) } else { whole().map(NodeKey::Integer) };
                let key = key.ok_or_else(|| error(no_vertex(id, &self.graph.store)))?;
                Ok(NodeValue { key, value: *value, place })
            };
            let mut rows = (first + 1..).zip(piece).map(row).collect::<Result<Vec<_>>>()?;
            named.take_rows(&mut rows, |place, message| error(format!("entry {place}: {message}")), &mut take)?;
        }
        Ok(())
    }

    /// Checks a value; the error says what is wrong.
    fn check(&self, value: f64) -> Result<(), &'static str> {
        match self.meaning.precision {
            _ if value.is_infinite() && self.meaning.infinite => Ok(()),
            _ if !value.is_finite() => Err("is not a finite number"),
            _ if !(self.meaning.allows)(value) => Err(self.meaning.refusal),
            Precision::Single if !(value as f32).is_finite() => Err("exceeds the range of single precision"),
            _ => Ok(()),
        }
    }
}

/// Name of values that are not from a file.
const IN_MEMORY: &str = "the vector";

/// Memory of a piece with its vertices, in bytes.
const PIECE_BYTES: u64 = PIECE as u64 * 16;

fn has_plain_values(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"))
}

/// Rows with explicit vertices.
struct Named<'r> {
    reader: &'r VectorReader<'r>,
    range: VertexRange,
    finder: NodeFinder<'r>,
    /// Vertices of the range that have occurred.
    seen: BitSet,
    _held: [Reservation; 2],
}

impl<'r> Named<'r> {
    fn new(reader: &'r VectorReader<'r>, range: VertexRange) -> Result<Self> {
        let length = range.end.saturating_sub(range.start);
        let bits = reader.budget.reserve(BitSet::bytes(length), Purpose::InputBuffers)?;
        let ids = reader.budget.reserve(NodeFinder::memory(&reader.graph.store), Purpose::InputBuffers)?;
        let finder = NodeFinder::open(&reader.graph.store, reader.graph.io)?;
        Ok(Self { reader, range, finder, seen: BitSet::empty(length), _held: [bits, ids] })
    }

    /// Finds the vertices of `rows`, and passes on those in the range.
    fn take_rows(
        &mut self,
        rows: &mut [NodeValue],
        error_at: impl Fn(u64, String) -> Error,
        take: &mut impl FnMut(VertexId, f64),
    ) -> Result<()> {
        self.reader.graph.cancellation().check()?;
        // Ascending IDs are found in one pass; rows with the same ID keep their order.
        rows.sort_by(|one, other| one.key.cmp(&other.key));
        for NodeValue { key, value, place } in &*rows {
            let name = || match key {
                NodeKey::Integer(id) => id.to_string(),
                NodeKey::Text(id) => format!("{id:?}"),
            };
            let missing = || error_at(*place, format!("the graph has no vertex {}", name()));
            let (_, vertex) = self.finder.find(key)?.ok_or_else(missing)?;
            self.reader
                .check(*value)
                .map_err(|message| error_at(*place, format!("the value of {} {message}", name())))?;
            if !self.range.contains(vertex) {
                continue;
            }
            if !self.seen.insert(vertex - self.range.start) {
                return Err(error_at(*place, format!("duplicate vertex {}", name())));
            }
            take(vertex, *value);
        }
        Ok(())
    }
}
