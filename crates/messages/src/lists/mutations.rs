//! Changes of the graph during a run (MultiLogVC section V.E): collected in a superstep, in force from the next.

use crate::outbox::Mutation;
use outcrop_store::updates::{EdgeChange, EdgeChanges};
use outcrop_types::{BitSet, Error, MemoryBudget, Purpose, Reservation, Result, VertexId};

/// Changes that a run has made to its graph.
#[derive(Debug)]
pub(crate) struct ChangedGraph<'g> {
    budget: &'g MemoryBudget,
    /// Vertices of the graph and spare ones.
    vertices: u32,
    directed: bool,
    weighted: bool,
    /// Edge changes of out-lists so far, in the order in which they took effect.
    changes: Vec<EdgeChange>,
    /// Pays for the changes.
    held: Reservation,
    lists: [Option<EdgeChanges>; 2],
    /// Vertices that do not exist.
    pub absent: BitSet,
    /// Vertices whose edges in the store do not exist any more.
    pub erased: BitSet,
    any_erased: bool,
}

/// Bytes of a change while it is kept, and of its two places in lists.
const CHANGE_BYTES: u64 = 3 * size_of::<EdgeChange>() as u64;

impl<'g> ChangedGraph<'g> {
    /// Memory of the sets of vertices, in bytes.
    pub(crate) const fn least_bytes(vertices: u32) -> u64 {
        2 * BitSet::bytes(vertices)
    }

    /// A graph of `existing` vertices, without changes, to which some may be added up to `vertices`.
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

    /// The changes of out-lists, and of in-lists; in an undirected graph the first are those of all lists.
    pub(crate) fn lists(&self) -> [Option<&EdgeChanges>; 2] {
        [self.lists[0].as_ref(), self.lists[1].as_ref()]
    }

    /// The vertices whose edges in the store do not exist any more, if there are any.
    pub(crate) fn erased(&self) -> Option<&BitSet> {
        Some(&self.erased).filter(|_| self.any_erased)
    }

    /// Puts the mutations of a superstep in force, in the order edges removed, vertices removed, vertices added, edges
    /// added; calls `added` with each vertex that now exists.
    ///
    /// # Errors
    /// A vertex that there is no room for; an edge of a vertex that does not exist; a budget that is too small.
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
            // Doubled, so that few reservations are made.
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

/// The vertices that a mutation names; the same twice where it is one.
const fn ends(mutation: &Mutation) -> (VertexId, VertexId) {
    match *mutation {
        Mutation::AddEdge { from, to, .. } | Mutation::RemoveEdge { from, to } => (from, to),
        Mutation::AddVertex(vertex) | Mutation::RemoveVertex(vertex) => (vertex, vertex),
    }
}

/// The order in which mutations come in force, which does not depend on who asked first.
const fn key(mutation: &Mutation) -> (u8, VertexId, VertexId, u64) {
    let (one, other) = ends(mutation);
    match mutation {
        Mutation::RemoveEdge { .. } => (0, one, other, 0),
        Mutation::RemoveVertex(_) => (1, one, other, 0),
        Mutation::AddVertex(_) => (2, one, other, 0),
        Mutation::AddEdge { weight, .. } => (3, one, other, weight.to_bits()),
    }
}
