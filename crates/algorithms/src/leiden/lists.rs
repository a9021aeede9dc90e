//! Visits of lists in ascending order of their vertices, as many as fit in memory at a time.

use super::buffer::{Buffer, Part};
use outcrop_types::{BitSet, Cancellation, Result, VertexId, VertexRange, length_from};

/// Number of lists in memory that are visited between checks of the cancellation flag.
const LISTS: usize = 1 << 14;

/// Lists of a graph taken as undirected: the list of a vertex contains its neighbors in both directions.
pub(super) trait LoadLists {
    /// Returns the number of vertices.
    fn vertices(&self) -> u32;

    /// Returns the length of the list of `vertex`.
    fn entries(&self, vertex: VertexId) -> u64;

    /// Loads the lists of the members of `buffer`, without their first `skip` entries.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    fn load(&self, buffer: &Buffer, skip: u64) -> Result<()>;
}

/// Visitor of lists.
pub(super) trait VisitLists {
    /// Visits the next part of the list of `vertex`.
    fn part(&mut self, vertex: VertexId, part: Part<'_>);

    /// Ends the list of `vertex`; returns true if it is to be visited once more.
    ///
    /// # Errors
    ///
    /// Returns the error of the visitor.
    fn end(&mut self, vertex: VertexId) -> Result<bool>;

    /// Visits the next part of the list of `vertex` once more.
    fn again(&mut self, vertex: VertexId, part: Part<'_>) {
        _ = (vertex, part);
    }
}

/// Visits the lists of the vertices of `set`, in ascending order and by this thread alone: what a visitor does with one
/// list may depend on all before it.
///
/// # Errors
///
/// Returns the error of the visitor, or an error if a read fails or the data is damaged, or if the run is interrupted.
pub(super) fn visit(
    lists: &impl LoadLists,
    set: &BitSet,
    buffer: &mut Buffer,
    cancellation: &Cancellation,
    visitor: &mut impl VisitLists,
) -> Result<()> {
    let entries = |vertex| lists.entries(vertex);
    if !buffer.is_whole() && buffer.choose_all(lists.vertices(), entries) {
        lists.load(buffer, 0)?;
    }
    if buffer.is_whole() {
        for (number, vertex) in set.iter().enumerate() {
            if number % LISTS == 0 {
                cancellation.check()?;
            }
            visit_one(vertex, buffer.list(vertex as usize), visitor)?;
        }
        return Ok(());
    }
    let from = |first| set.iter_range(VertexRange::new(first, lists.vertices()));
    let mut next = from(0).next();
    while let Some(first) = next {
        cancellation.check()?;
        next = buffer.choose(from(first), entries);
        if next == Some(first) {
            visit_long(lists, first, buffer, visitor)?;
            next = from(first + 1).next();
            continue;
        }
        lists.load(buffer, 0)?;
        for (position, vertex) in buffer.members().iter().enumerate() {
            visit_one(*vertex, buffer.list(position), visitor)?;
        }
    }
    Ok(())
}

/// Visits a list in memory.
#[inline]
fn visit_one(vertex: VertexId, list: Part<'_>, visitor: &mut impl VisitLists) -> Result<()> {
    visitor.part(vertex, list);
    if visitor.end(vertex)? {
        visitor.again(vertex, list);
    }
    Ok(())
}

/// Visits a list that is longer than the buffer, window by window.
fn visit_long(
    lists: &impl LoadLists,
    vertex: VertexId,
    buffer: &mut Buffer,
    visitor: &mut impl VisitLists,
) -> Result<()> {
    for again in [false, true] {
        let (length, mut skip) = (lists.entries(vertex), 0);
        while skip < length {
            buffer.choose_window(vertex, (length - skip).min(length_from(buffer.room())));
            lists.load(buffer, skip)?;
            match again {
                false => visitor.part(vertex, buffer.list(0)),
                true => visitor.again(vertex, buffer.list(0)),
            }
            skip += length_from(buffer.room());
        }
        if again || !visitor.end(vertex)? {
            break;
        }
    }
    Ok(())
}
