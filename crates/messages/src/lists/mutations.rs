//! Graph changes during a run (MultiLogVC section V.E): collected in a superstep, effective from the next.

use crate::outbox::Mutation;
use outcrop_store::updates::{EdgeChange, EdgeChanges};
use outcrop_types::{BitSet, Error, MemoryBudget, Purpose, Reservation, Result, VertexId};

/// Changes of a run to its graph.
#[derive(Debug)]
pub(crate) struct ChangedGraph<'g> {
    budget: &'g MemoryBudget,
    /// Number of vertices of the graph, including spare ones.
    vertices: u32,
    directed: bool,
    weighted: bool,
    /// Changes of out-lists so far, in the order in which they took effect.
    changes: Vec<EdgeChange>,
    /// Reserved memory for the changes.
    held: Reservation,
    lists: [Option<EdgeChanges>; 2],
    /// Nonexistent vertices.
    pub absent: BitSet,
    /// Vertices whose stored edges were deleted.
    pub erased: BitSet,
    any_erased: bool,
}

/// Memory per change, in bytes: the change itself, and its positions in two lists.
const CHANGE_BYTES: u64 = 3 * size_of::<EdgeChange>() as u64;

impl<'g> ChangedGraph<'g> {
    /// Memory for the vertex sets, in bytes.
    pub(crate) const fn least_bytes(vertices: u32) -> u64 {
        2 * BitSet::bytes(vertices)
    }

    /// Creates an unchanged graph of `existing` vertices that can grow up to `vertices`.
    pub(crate) fn new(
        existing: u32,
        vertices: u32,
        directed: bool,
        weighted: bool,
        budget: &'g MemoryBudget,
    ) -> Result<Self> {
        let absent = BitSet::empty(vertices);
        (existing..vertices).for_each(|vertex| _ = absent.insert(vertex));
        Ok(Self {
            budget,
            vertices,
            directed,
            weighted,
            changes: Vec::new(),
            held: budget.reserve(0, Purpose::Updates)?,
            lists: [None, None],
            absent,
            erased: BitSet::empty(vertices),
            any_erased: false,
        })
    }

    /// Returns the changes of out-lists and of in-lists. In an undirected graph, the first are the changes of all
    /// lists.
    pub(crate) fn lists(&self) -> [Option<&EdgeChanges>; 2] {
        [self.lists[0].as_ref(), self.lists[1].as_ref()]
    }

    /// Returns the vertices whose stored edges were deleted, if any.
    pub(crate) fn erased(&self) -> Option<&BitSet> {
        Some(&self.erased).filter(|_| self.any_erased)
    }

    /// Applies the mutations of a superstep in this order: removed edges, removed vertices, added vertices, added
    /// edges. Calls `added` with each added vertex.
    ///
    /// # Errors
    /// Returns an error if there is no room for a vertex, if an edge names a nonexistent vertex, or if the budget is
    /// too small.
    pub(crate) fn apply(&mut self, mut mutations: Vec<Mutation>, mut added: impl FnMut(VertexId)) -> Result<()> {
        mutations.sort_by_key(key);
        for mutation in &mutations {
            self.check(mutation)?;
            match *mutation {
                Mutation::RemoveEdge { from, to } => {
                    self.push(from, to, |one, other| EdgeChange::removed(one, other, 0))?
                }
                Mutation::RemoveVertex(vertex) => self.remove(vertex),
                Mutation::AddVertex(vertex) => {
                    if self.absent.contains(vertex) {
                        self.absent.remove(vertex);
                        added(vertex);
                    }
                }
                Mutation::AddEdge { from, to, weight } => {
                    self.push(from, to, |one, other| EdgeChange::added(one, other, weight))?;
                }
            }
        }
        self.gather()
    }

    fn check(&self, mutation: &Mutation) -> Result<()> {
        let (one, other) = ends(mutation);
        if let Some(vertex) = [one, other].into_iter().find(|vertex| *vertex >= self.vertices) {
            let room = self.vertices;
            return Err(Error::Usage(format!("a program changes vertex {vertex} beyond the limit of {room} vertices")));
        }
        let absent = |vertex: &VertexId| self.absent.contains(*vertex);
        match (mutation, [one, other].into_iter().find(absent)) {
            (Mutation::AddEdge { .. }, Some(vertex)) => {
                Err(Error::Usage(format!("a program adds an edge to vertex {vertex}, which does not exist")))
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, from: VertexId, to: VertexId, change: impl Fn(VertexId, VertexId) -> EdgeChange) -> Result<()> {
        let changes = self.changes.len() as u64 + 2;
        if changes * CHANGE_BYTES > self.held.bytes() {
            // Doubling keeps the number of reservations small.
            let more = (2 * changes * CHANGE_BYTES).max(4096);
            self.held = self.budget.reserve(more, Purpose::Updates)?;
        }
        self.changes.push(change(from, to));
        if !self.directed && from != to {
            self.changes.push(change(to, from));
        }
        Ok(())
    }

    fn remove(&mut self, vertex: VertexId) {
        self.absent.insert(vertex);
        self.erased.insert(vertex);
        self.any_erased = true;
        self.changes.retain(|change| change.vertex != vertex && change.neighbor != vertex);
    }

    /// Sorts the changes of all supersteps by list.
    fn gather(&mut self) -> Result<()> {
        self.lists = [None, None];
        if self.changes.is_empty() {
            return Ok(());
        }
        let lists = |changes| EdgeChanges::new(self.vertices, self.weighted, changes, self.budget).map(Some);
        let turned = |change: &EdgeChange| EdgeChange { vertex: change.neighbor, neighbor: change.vertex, ..*change };
        let into = self.directed.then(|| lists(self.changes.iter().map(turned).collect())).transpose()?.flatten();
        self.lists = [lists(self.changes.clone())?, into];
        Ok(())
    }
}

/// Returns the vertices of a mutation; the same vertex twice if it names only one.
const fn ends(mutation: &Mutation) -> (VertexId, VertexId) {
    match *mutation {
        Mutation::AddEdge { from, to, .. } | Mutation::RemoveEdge { from, to } => (from, to),
        Mutation::AddVertex(vertex) | Mutation::RemoveVertex(vertex) => (vertex, vertex),
    }
}

/// Sort key of mutations, which does not depend on the order of requests.
const fn key(mutation: &Mutation) -> (u8, VertexId, VertexId, u64) {
    let (one, other) = ends(mutation);
    match mutation {
        Mutation::RemoveEdge { .. } => (0, one, other, 0),
        Mutation::RemoveVertex(_) => (1, one, other, 0),
        Mutation::AddVertex(_) => (2, one, other, 0),
        Mutation::AddEdge { weight, .. } => (3, one, other, weight.to_bits()),
    }
}
