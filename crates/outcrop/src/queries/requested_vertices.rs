//! Vertices named by a query.

use crate::graph::Graph;
use crate::request::RunRequest;
use crate::vector::{NodeFinder, no_vertex};
use outcrop_algorithms::StartsOf;
use outcrop_formats::edges::EdgeInput;
use outcrop_formats::vector::NodeKey;
use outcrop_formats::vertices::open_names;
use outcrop_store::OriginalIds;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_store::writing::{IdBatch, IdKind};
use outcrop_types::{Error, MemoryBudget, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, length_from};
use std::ops::{ControlFlow, Range};

/// Memory per requested ID, in bytes: its position in ascending order, its rank, its vertex, and the latter two with
/// its position.
const BYTES_EACH: u64 = 4 + 4 + 4 + 8;

/// Reads the IDs in a file as strings.
///
/// # Errors
///
/// Returns an error if the file is missing, unreadable or not a list of IDs.
pub fn read_ids(input: &EdgeInput) -> Result<IdBatch> {
    // All IDs of a query are in memory before it starts.
    let mut source = open_names(input, &MemoryBudget::new(u64::MAX))?;
    let (mut all, mut batch) = (IdBatch::empty(IdKind::Text), IdBatch::empty(IdKind::Text));
    while source.next_batch(&mut batch)? {
        (0..batch.len()).for_each(|place| all.push_from(&batch, place));
    }
    Ok(all)
}

/// Requested vertices in order, including duplicates.
pub(super) struct RequestedVertices {
    /// Ranks.
    pub(super) ranks: Vec<u32>,
    /// Vertices with their positions in the request, ascending.
    by_vertex: Vec<(VertexId, u32)>,
    held: Reservation,
}

impl RequestedVertices {
    /// Looks up `ids`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] with the first ID that is not in the graph, or an error if the budget is too small, if
    /// the store is damaged, or if the query is interrupted.
    pub(super) fn find(graph: &Graph, ids: &IdBatch, budget: &MemoryBudget) -> Result<Self> {
        let held = reserve_ids(ids, budget)?;
        let (mut ranks, mut by_vertex) = (vec![0; ids.len()], Vec::with_capacity(ids.len()));
        let mut unknown = None;
        find_each(graph, ids, budget, |place, found| match found {
            Some((rank, vertex)) => {
                ranks[place as usize] = rank;
                by_vertex.push((vertex, place));
            }
            None => unknown = Some(unknown.map_or(place, |first: u32| first.min(place))),
        })?;
        if let Some(place) = unknown {
            return Err(Error::Usage(no_vertex(&name_of(ids, place), &graph.store)));
        }
        graph.workers.sort(&mut by_vertex);
        Ok(Self { ranks, by_vertex, held })
    }

    /// Returns the memory of `count` requested IDs, and of the set of their vertices.
    pub(super) fn memory(graph: &Graph, count: usize) -> MemoryPlan {
        let set = VertexSet::bytes(graph.num_vertices());
        MemoryPlan::new().with(Purpose::Frontier, length_from(count) * BYTES_EACH + set)
    }

    /// Returns the memory of `ids`.
    pub(super) fn held(ids: &IdBatch) -> MemoryPlan {
        MemoryPlan::new().with(Purpose::Frontier, length_from(ids.len()) * BYTES_EACH)
    }

    /// Returns the reserved memory, in bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.held.bytes()
    }

    /// Returns the ranks and their reservation.
    pub(super) fn into_ranks(self) -> (Vec<u32>, Reservation) {
        (self.ranks, self.held)
    }

    /// Returns the set of the vertices.
    pub(super) fn set(&self, graph: &Graph) -> VertexSet {
        VertexSet::from_members(self.by_vertex.iter().map(|(vertex, _)| *vertex).collect(), graph.num_vertices())
    }

    /// Returns the range of positions of `vertex`, as arguments of [`RequestedVertices::place`].
    pub(super) fn places(&self, vertex: VertexId) -> Range<usize> {
        let start = self.by_vertex.partition_point(|(other, _)| *other < vertex);
        let count = self.by_vertex[start..].iter().take_while(|(other, _)| *other == vertex).count();
        start..start + count
    }

    /// Returns the place in the request for a position of [`RequestedVertices::places`].
    pub(super) fn place(&self, position: usize) -> u32 {
        self.by_vertex[position].1
    }

    /// Returns the vertices in the order of the request.
    pub(super) fn vertices(&self) -> Vec<VertexId> {
        let mut vertices = vec![0; self.by_vertex.len()];
        self.by_vertex.iter().for_each(|(vertex, place)| vertices[*place as usize] = *vertex);
        vertices
    }

    /// Returns the vertices in ascending order, with their places in the request.
    pub(super) fn ascending(&self) -> &[(VertexId, u32)] {
        &self.by_vertex
    }
}

/// Visitor that passes on the list of each vertex, in pieces, once per place in the request.
pub(super) struct AtPlaces<'a, F> {
    asked: &'a RequestedVertices,
    take: F,
}

impl<'a, F: Fn(u32, Neighbors<'_>) -> ControlFlow<()> + Sync> AtPlaces<'a, F> {
    pub(super) const fn new(asked: &'a RequestedVertices, take: F) -> Self {
        Self { asked, take }
    }
}

impl<F: Fn(u32, Neighbors<'_>) -> ControlFlow<()> + Sync> FoldLists for AtPlaces<'_, F> {
    type Fold = Range<usize>;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> Range<usize> {
        self.asked.places(vertex)
    }

    fn neighbors(&self, _: VertexId, positions: &mut Range<usize>, piece: Neighbors<'_>) -> ControlFlow<()> {
        positions.clone().try_for_each(|position| (self.take)(self.asked.place(position), piece))
    }

    fn end(&self, _: VertexId, _: Range<usize>) {}
}

impl Graph {
    /// Returns for each of `ids`, in order, if it is in the graph.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if the store is damaged, or if the query is interrupted.
    pub fn contains(&self, ids: &IdBatch) -> Result<Vec<bool>> {
        self.within_memory(|budget| {
            let _held = reserve_ids(ids, budget)?;
            let mut there = vec![false; ids.len()];
            find_each(self, ids, budget, |place, found| there[place as usize] = found.is_some())?;
            Ok(there)
        })
    }

    /// Returns the first source of `request` that is not in the graph.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Graph::contains`].
    pub fn missing_source(&self, request: &RunRequest<'_>) -> Result<Option<String>> {
        let StartsOf::Ids(sources) = request.algorithm().starts(request.args())?.of else { return Ok(None) };
        let mut ids = IdBatch::empty(IdKind::Text);
        sources.iter().for_each(|source| ids.push_text(source.as_bytes()));
        let there = self.contains(&ids)?;
        Ok(sources.into_iter().zip(there).find_map(|(source, there)| (!there).then_some(source)))
    }
}

fn reserve_ids(ids: &IdBatch, budget: &MemoryBudget) -> Result<Reservation> {
    if length_from(ids.len()) >= u64::from(u32::MAX) {
        return Err(Error::Usage(format!(
            "{} IDs exceed the limit of one query; split them into several queries",
            ids.len()
        )));
    }
    budget.reserve(length_from(ids.len()) * BYTES_EACH, Purpose::Frontier)
}

/// Calls `found` with the place of each ID, and the rank and vertex, or `None` if it is not in the graph; in ascending
/// order of IDs.
fn find_each(
    graph: &Graph,
    ids: &IdBatch,
    budget: &MemoryBudget,
    mut found: impl FnMut(u32, Option<(u32, VertexId)>),
) -> Result<()> {
    let _reader = budget.reserve(NodeFinder::memory(&graph.store), Purpose::IoBuffers)?;
    let texts = graph.store.manifest().numbering.ids == OriginalIds::Text;
    let mut finder = NodeFinder::open(&graph.store, graph.io)?;
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    match (ids, texts) {
        (IdBatch::Texts { .. }, false) => order.sort_by_key(|place| key_of(ids, *place, texts)),
        _ => order.sort_by(|one, other| ids.compare(*one as usize, ids, *other as usize)),
    }
    for (count, place) in order.into_iter().enumerate() {
        if count.is_multiple_of(1 << 12) {
            graph.cancellation().check()?;
        }
        found(place, finder.find(&key_of(ids, place, texts))?);
    }
    Ok(())
}

/// Returns the ID at `place` in the kind of the store: digits are converted to an integer and vice versa.
fn key_of(ids: &IdBatch, place: u32, texts: bool) -> NodeKey {
    let text = name_of(ids, place);
    let number = match ids {
        IdBatch::Integers(ids) => ids.get(place as usize).copied(),
        IdBatch::Texts { .. } => text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit())),
    };
    number.filter(|_| !texts).map_or(NodeKey::Text(text), NodeKey::Integer)
}

fn name_of(ids: &IdBatch, place: u32) -> String {
    match ids {
        IdBatch::Integers(ids) => ids.get(place as usize).map_or_else(String::new, u64::to_string),
        IdBatch::Texts { .. } => String::from_utf8_lossy(ids.text(place as usize)).into_owned(),
    }
}
