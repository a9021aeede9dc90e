//! The vertices that a question names.

use crate::graph::Graph;
use crate::request::RunRequest;
use crate::vector::{NodeFinder, no_vertex};
use outcrop_algorithms::StartsOf;
use outcrop_formats::edges::EdgeInput;
use outcrop_formats::vector::NodeKey;
use outcrop_formats::vertices::open_names;
use outcrop_store::OriginalIds;
use outcrop_store::access::{FoldLists, Neighbours};
use outcrop_store::writing::{IdBatch, IdKind};
use outcrop_types::{Error, MemoryBudget, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, length_from};
use std::ops::{ControlFlow, Range};

/// Memory of an id that is looked for, in bytes: its place in ascending order, its rank, its vertex, and the two with
/// its place.
const BYTES_EACH: u64 = 4 + 4 + 4 + 8;

/// The ids in a file, as texts.
///
/// # Errors
/// A file that is missing, cannot be read, or is none of ids.
pub fn read_ids(input: &EdgeInput) -> Result<IdBatch> {
    // All ids of a question are in memory before it is asked.
    let mut source = open_names(input, &MemoryBudget::new(u64::MAX))?;
    let (mut all, mut batch) = (IdBatch::empty(IdKind::Text), IdBatch::empty(IdKind::Text));
    while source.next_batch(&mut batch)? {
        (0..batch.len()).for_each(|place| all.push_from(&batch, place));
    }
    Ok(all)
}

/// Vertices in the order in which they were asked for, repeats included.
pub(super) struct Asked {
    /// Their ranks.
    pub(super) ranks: Vec<u32>,
    /// Vertices with the places at which they were asked for, ascending.
    by_vertex: Vec<(VertexId, u32)>,
    held: Reservation,
}

impl Asked {
    /// Looks up `ids`.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the first that the graph does not have; a budget that is too small; a damaged store;
    /// interruption.
    pub(super) fn find(graph: &Graph, ids: &IdBatch, budget: &MemoryBudget) -> Result<Self> {
        let held = hold(ids, budget)?;
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

    /// Memory of `count` ids that are asked for, and of the set of their vertices.
    pub(super) fn memory(graph: &Graph, count: usize) -> MemoryPlan {
        let set = VertexSet::bytes(graph.num_vertices());
        MemoryPlan::new().with(Purpose::Frontier, length_from(count) * BYTES_EACH + set)
    }

    /// Memory of `ids` that are asked for.
    pub(super) fn held(ids: &IdBatch) -> MemoryPlan {
        MemoryPlan::new().with(Purpose::Frontier, length_from(ids.len()) * BYTES_EACH)
    }

    /// Memory that is reserved, in bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.held.bytes()
    }

    /// The ranks alone, and what holds them.
    pub(super) fn into_ranks(self) -> (Vec<u32>, Reservation) {
        (self.ranks, self.held)
    }

    /// The vertices, each once.
    pub(super) fn set(&self, graph: &Graph) -> VertexSet {
        VertexSet::from_members(self.by_vertex.iter().map(|(vertex, _)| *vertex).collect(), graph.num_vertices())
    }

    /// The places at which `vertex` was asked for, as positions of [`Asked::place`].
    pub(super) fn places(&self, vertex: VertexId) -> Range<usize> {
        let start = self.by_vertex.partition_point(|(other, _)| *other < vertex);
        let count = self.by_vertex[start..].iter().take_while(|(other, _)| *other == vertex).count();
        start..start + count
    }

    /// The place at a position of [`Asked::places`].
    pub(super) fn place(&self, position: usize) -> u32 {
        self.by_vertex[position].1
    }

    /// The vertices in the order in which they were asked for.
    pub(super) fn vertices(&self) -> Vec<VertexId> {
        let mut vertices = vec![0; self.by_vertex.len()];
        self.by_vertex.iter().for_each(|(vertex, place)| vertices[*place as usize] = *vertex);
        vertices
    }

    /// The vertices ascending, with the places at which they were asked for.
    pub(super) fn ascending(&self) -> &[(VertexId, u32)] {
        &self.by_vertex
    }
}

/// Hands over the list of each vertex, piece by piece, at every place at which it was asked for.
pub(super) struct AtPlaces<'a, F> {
    asked: &'a Asked,
    take: F,
}

impl<'a, F: Fn(u32, Neighbours<'_>) -> ControlFlow<()> + Sync> AtPlaces<'a, F> {
    pub(super) const fn new(asked: &'a Asked, take: F) -> Self {
        Self { asked, take }
    }
}

impl<F: Fn(u32, Neighbours<'_>) -> ControlFlow<()> + Sync> FoldLists for AtPlaces<'_, F> {
    type Fold = Range<usize>;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> Range<usize> {
        self.asked.places(vertex)
    }

    fn neighbours(&self, _: VertexId, positions: &mut Range<usize>, piece: Neighbours<'_>) -> ControlFlow<()> {
        positions.clone().try_for_each(|position| (self.take)(self.asked.place(position), piece))
    }

    fn end(&self, _: VertexId, _: Range<usize>) {}
}

impl Graph {
    /// True for each of `ids` that the graph has, in their order.
    ///
    /// # Errors
    /// A budget that is too small; a damaged store; interruption.
    pub fn contains(&self, ids: &IdBatch) -> Result<Vec<bool>> {
        self.beside_kept_lists(|budget| {
            let _held = hold(ids, budget)?;
            let mut there = vec![false; ids.len()];
            find_each(self, ids, budget, |place, found| there[place as usize] = found.is_some())?;
            Ok(there)
        })
    }

    /// The first source of `request` that the graph does not have.
    ///
    /// # Errors
    /// As for [`Graph::contains`].
    pub fn missing_source(&self, request: &RunRequest<'_>) -> Result<Option<String>> {
        let StartsOf::Ids(sources) = request.algorithm().starts(request.args())?.of else { return Ok(None) };
        let mut ids = IdBatch::empty(IdKind::Text);
        sources.iter().for_each(|source| ids.push_text(source.as_bytes()));
        let there = self.contains(&ids)?;
        Ok(sources.into_iter().zip(there).find_map(|(source, there)| (!there).then_some(source)))
    }
}

fn hold(ids: &IdBatch, budget: &MemoryBudget) -> Result<Reservation> {
    if length_from(ids.len()) >= u64::from(u32::MAX) {
        return Err(Error::Usage(format!(
            "{} IDs exceed the limit of one query; split them into several queries",
            ids.len()
        )));
    }
    budget.reserve(length_from(ids.len()) * BYTES_EACH, Purpose::Frontier)
}

/// Calls `found` with the place of each id, and the rank and vertex, `None` if the graph has none; in ascending order
/// of ids.
fn find_each(
    graph: &Graph,
    ids: &IdBatch,
    budget: &MemoryBudget,
    mut found: impl FnMut(u32, Option<(u32, VertexId)>),
) -> Result<()> {
    let _reader = budget.reserve(NodeFinder::MEMORY_BYTES, Purpose::IoBuffers)?;
    let texts = graph.store.manifest().ids == OriginalIds::Text;
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

/// The id at `place` as the store keeps ids: a number for a text of digits, and the other way round.
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
