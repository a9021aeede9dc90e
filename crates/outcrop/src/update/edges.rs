//! Edges of an update: lookup of vertices by original ID, including vertices that the store does not have.

use outcrop_formats::edges::{EdgeInput, OpenedEdges};
use outcrop_io::IoChoice;
use outcrop_store::journal::JournalUpdate;
use outcrop_store::updates::{AddedVertices, UpdateEdges};
use outcrop_store::writing::{EdgeBatch, EdgeSource, IdBatch, IdKind};
use outcrop_store::{OriginalIdReader, OriginalIds, Store};
use outcrop_types::{
    Cancellation, Error, FileSummary, InputSummary, Location, MAX_VERTICES, MemoryBudget, MemoryPlan, Purpose,
    Reservation, Result, TimeKind, VertexId, WeightType, length_from, number_from,
};
use std::path::Path;

/// Placeholder for a vertex that the store does not have.
pub(crate) const UNKNOWN: VertexId = VertexId::MAX;
/// Memory per edge in addition to its IDs, in bytes: two ordered lists of the positions of its ends, the ranks of new
/// ones, the edge between vertices, and its time.
const EDGE_BYTES: u64 = 2 * 8 + 8 + 16 + 8 + 8;

/// Edge between two vertices, and its weight.
pub(crate) type KnownEdge = (VertexId, VertexId, f64);

/// Size of given edges, which determines the memory of an update.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GivenSize {
    pub(crate) edges: u64,
    id_bytes: u64,
    /// Memory for reading them in one thread, if it was measured, in bytes.
    pub(crate) reading: u64,
}

impl GivenSize {
    /// Returns the bytes of all strings; 0 for integers.
    pub(crate) const fn text_bytes(self) -> u64 {
        self.id_bytes - 2 * 8 * self.edges
    }

    /// Returns the memory of the edges, in bytes.
    pub(crate) const fn bytes(self) -> u64 {
        // Vectors grow by doubling.
        2 * self.id_bytes + EDGE_BYTES * self.edges
    }
}

/// Source of the edges of an update.
pub(crate) enum Origin<'o> {
    /// No edges.
    None,
    /// Edges in memory, which are read once.
    Given(Box<dyn EdgeSource>),
    /// Files, which are reopened if the first attempt exceeds the memory, unless they include standard input.
    Files(&'o [EdgeInput], &'o dyn Fn(&MemoryBudget, usize) -> Result<OpenedEdges>),
}

/// Edges as given by the user.
pub(crate) struct NamedEdges {
    edges: EdgeBatch,
    skipped: u64,
    pub(crate) size: GivenSize,
    /// Error for a budget that cannot hold the edges, which are then only counted.
    refused: Option<Error>,
    /// Summary of the input.
    pub(crate) input: InputSummary,
    /// Notes on the files.
    pub(crate) notes: Vec<String>,
    held: Vec<Reservation>,
}

impl NamedEdges {
    fn none(store: &Store) -> Self {
        let text = store.manifest().numbering.ids == OriginalIds::Text;
        let edges = EdgeBatch::empty(if text { IdKind::Text } else { IdKind::Integer });
        let (size, input) = (GivenSize::default(), InputSummary::default());
        Self { edges, skipped: 0, size, refused: None, input, notes: Vec::new(), held: Vec::new() }
    }

    /// Reads all edges of `origin` with up to `threads` threads; IDs are of the kind of the store. If the budget cannot
    /// hold the edges, only counts them, and [`NamedEdges::accepted`] returns the error.
    pub(crate) fn read(
        origin: Origin<'_>,
        store: &Store,
        threads: usize,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let mut named = Self::none(store);
        let (inputs, open) = match origin {
            Origin::None => return Ok(named),
            Origin::Files(inputs, open) => (inputs, open),
            Origin::Given(mut source) => {
                return match named.fill(&mut *source, Some(budget), cancellation) {
                    Err(refusal @ Error::BudgetTooSmall { .. }) => {
                        named.fill(&mut *source, None, cancellation)?;
                        Ok(Self { refused: Some(refusal), size: named.size, ..Self::none(store) })
                    }
                    outcome => outcome.map(|()| named),
                };
            }
        };
        let mut attempt = |threads, budget: &MemoryBudget, kept: bool| {
            named = Self::none(store);
            let before = budget.available();
            let outcome = open(budget, threads).and_then(|OpenedEdges { mut source, notes, .. }| {
                named.notes = notes;
                named.fill(&mut *source, Some(budget).filter(|_| kept), cancellation)
            });
            let outcome = outcome.map_err(|error| with_kind_of(store, error));
            if outcome.is_err() {
                named.held.clear();
            }
            let held = named.held.iter().map(Reservation::bytes).sum();
            wait_for_readers(budget, before.saturating_sub(held));
            outcome
        };
        let once = inputs.contains(&EdgeInput::StandardInput);
        let mut outcome = attempt(threads, budget, true);
        if matches!(outcome, Err(Error::BudgetTooSmall { .. })) && !once && threads > 1 {
            outcome = attempt(1, budget, true);
        }
        match outcome {
            Err(refusal @ Error::BudgetTooSmall { .. }) if !once => {
                let ample = MemoryBudget::new(u64::MAX >> 1);
                attempt(1, &ample, false)?;
                named.size.reading = ample.peak();
                named.refused = Some(refusal);
            }
            outcome => outcome?,
        }
        Ok(named)
    }

    /// Reads the rest of `source`, or only counts it if there is no budget.
    fn fill(
        &mut self,
        source: &mut dyn EdgeSource,
        budget: Option<&MemoryBudget>,
        cancellation: &Cancellation,
    ) -> Result<()> {
        let mut batch = EdgeBatch::empty(source.id_kind());
        while source.next_batch(&mut batch)? {
            cancellation.check()?;
            self.append(&batch, budget)?;
        }
        self.skipped = source.skipped();
        self.input = source.account(self.size.edges)?;
        Ok(())
    }

    fn append(&mut self, batch: &EdgeBatch, budget: Option<&MemoryBudget>) -> Result<()> {
        let text = self.edges.endpoints.kind() == IdKind::Text;
        let id_bytes = match &batch.endpoints {
            IdBatch::Integers(ids) if !text => 8 * ids.len(),
            IdBatch::Texts { bytes, ends } if text => bytes.len() + 8 * ends.len(),
            _ => {
                let (ours, theirs) = if text { ("string", "integers") } else { ("integer", "strings") };
                return Err(Error::Usage(format!(
                    "the store has {ours} IDs, but those of the update are {theirs}; convert them, or rebuild the store"
                )));
            }
        };
        let (edges, id_bytes) = (length_from(batch.len()), length_from(id_bytes));
        let more = GivenSize { edges, id_bytes, reading: 0 };
        self.size.edges += edges;
        self.size.id_bytes += id_bytes;
        if self.size.edges > u64::from(u32::MAX) / 2 {
            return Err(Error::Usage("an update is limited to 2^31 edges; build a new store".to_owned()));
        }
        let Some(budget) = budget else { return Ok(()) };
        self.held.push(budget.reserve(more.bytes(), Purpose::InputBuffers)?);
        (0..batch.endpoints.len()).for_each(|place| self.edges.endpoints.push_from(&batch.endpoints, place));
        self.edges.weights.extend_from_slice(&batch.weights);
        self.edges.times.extend_from_slice(&batch.times);
        Ok(())
    }

    /// Returns the edges if the budget holds them.
    ///
    /// # Errors
    ///
    /// Returns an error with the memory of all edges if the budget does not hold them.
    pub(crate) fn accepted(self) -> Result<Self> {
        let size = self.size;
        let plan = || MemoryPlan::new().with(Purpose::InputBuffers, size.bytes() + size.reading);
        self.refused.map_or(Ok(()), |refusal| Err(refusal.at_least(|| Ok(plan()))))?;
        Ok(Self { refused: None, ..self })
    }

    /// Returns the edges between the vertices of the store, with their reservation.
    ///
    /// # Errors
    ///
    /// Returns an error with the first ID in `from` that the store does not have.
    pub(crate) fn known(
        self,
        store: &Store,
        from: &Path,
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<(Vec<KnownEdge>, Vec<Reservation>)> {
        let (ends, _) = vertices_of(&self.edges.endpoints, store, io, budget, cancellation)?;
        if let Some(place) = ends.iter().position(|end| *end == UNKNOWN) {
            let id = |place: usize| match &self.edges.endpoints {
                IdBatch::Integers(ids) => ids[place].to_string(),
                texts @ IdBatch::Texts { .. } => String::from_utf8_lossy(texts.text(place)).into_owned(),
            };
            let (number, source, target) = (place / 2 + 1, id(place & !1), id(place | 1));
            let message = format!(
                "edge {number} ({source} to {target}) has the unknown vertex {}; add vertices with `outcrop update` first",
                id(place)
            );
            return Err(Error::bad_input(Location::file(from.display().to_string()), message));
        }
        // Default: edges without weights weigh 1.
        let weight = |place: usize| self.edges.weights.get(place).copied().unwrap_or(1.0);
        let pairs = ends.as_chunks::<2>().0.iter().enumerate();
        Ok((pairs.map(|(place, [from, to])| (*from, *to, weight(place))).collect(), self.held))
    }

    const fn empty_ids(&self) -> IdBatch {
        IdBatch::empty(self.edges.endpoints.kind())
    }

    /// Numbers the vertices that the store does not have after its own, in ascending order of IDs; these have `ranks`.
    fn number_new(&self, vertices: &mut [VertexId], ranks: Vec<u32>, store: &Store) -> Result<AddedVertices> {
        let (old, mut ids) = (store.manifest().graph.vertices, self.empty_ids());
        let mut count = 0_u64;
        let places = in_order(&self.edges.endpoints);
        for group in places.chunk_by(|one, other| same(&self.edges.endpoints, *one, *other)) {
            let first = group[0] as usize;
            if vertices[first] != UNKNOWN {
                continue;
            }
            let number = match (&self.edges.endpoints, store.manifest().numbering.ids) {
                (IdBatch::Integers(ids), OriginalIds::Dense) => ids[first],
                _ => {
                    ids.push_from(&self.edges.endpoints, first);
                    u64::from(old) + count
                }
            };
            count = number.saturating_add(1) - u64::from(old);
            let number = VertexId::try_from(number).ok().filter(|number| u64::from(*number) < MAX_VERTICES);
            let number = number
                .ok_or_else(|| Error::Usage(format!("the graph would exceed the limit of {MAX_VERTICES} vertices")))?;
            group.iter().for_each(|place| vertices[*place as usize] = number);
        }
        Ok(AddedVertices { count: count as u32, ids, ranks })
    }
}

/// Adds the kind of IDs or times of `store` to an error of input that has another.
fn with_kind_of(store: &Store, error: Error) -> Error {
    let Error::BadInput { location, message } = error else { return error };
    let manifest = store.manifest();
    let kind = match (manifest.numbering.ids, manifest.times()) {
        (OriginalIds::Dense, _) if message.contains("expected an integer from") => {
            "; the store has dense IDs, which imply all smaller vertices; for others, rebuild it without --ids dense"
        }
        (OriginalIds::Integer, _) if message.contains("expected an integer from") => {
            "; the store has integer IDs; for strings, rebuild it with --ids string"
        }
        (OriginalIds::Text, _) if message.contains("expected strings") => "; the store has string IDs",
        (_, Some(rule)) if message.contains("expected a time in") || message.contains("as the time") => match rule.kind
        {
            TimeKind::Number => "; the store has integer timestamps",
            TimeKind::Instant => "; the store has dates as timestamps",
        },
        _ => "",
    };
    Error::BadInput { location, message: message + kind }
}

/// Waits until the threads of a closed input have released its buffers, so that `available` bytes are free: they end
/// after the last batch is read. Waits at most a second, if other threads use the budget.
fn wait_for_readers(budget: &MemoryBudget, available: u64) {
    for _ in 0..1000 {
        if budget.available() >= available {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Returns the positions of `ids` in ascending order of IDs.
fn in_order(ids: &IdBatch) -> Vec<u32> {
    let mut places: Vec<u32> = (0..number_from(ids.len())).collect();
    places.sort_unstable_by(|one, other| ids.compare(*one as usize, ids, *other as usize));
    places
}

fn same(ids: &IdBatch, one: u32, other: u32) -> bool {
    ids.compare(one as usize, ids, other as usize).is_eq()
}

/// Returns the vertex of each of `ids`, [`UNKNOWN`] if the store does not have it; and for each distinct ID that the
/// store does not have, in ascending order, the number of smaller IDs in the store.
///
/// # Errors
///
/// Returns an error if the store is damaged or the work is interrupted.
pub(crate) fn vertices_of(
    ids: &IdBatch,
    store: &Store,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<(Vec<VertexId>, Vec<u32>)> {
    let places = in_order(ids);
    let mut distinct = IdBatch::empty(ids.kind());
    let groups = || places.chunk_by(|one, other| same(ids, *one, *other));
    groups().for_each(|group| distinct.push_from(ids, group[0] as usize));
    let (mut vertices, mut ranks) = (vec![UNKNOWN; ids.len()], Vec::new());
    let mut next = groups();
    OriginalIdReader::open(store, io)?.find_all(&distinct, budget, cancellation, |_, rank, vertex| {
        let group = next.next().into_iter().flatten();
        match vertex {
            Some(vertex) => group.for_each(|place| vertices[*place as usize] = vertex),
            None => ranks.push(rank),
        }
    })?;
    match next.next() {
        None => Ok((vertices, ranks)),
        Some(_) => Err(Error::internal("an ID of an update was not looked up")),
    }
}

/// Edges of an update, between vertices.
pub(super) struct ResolvedEdges {
    pub(super) edges: UpdateEdges,
    /// The same edges as given by the user.
    pub(super) journal: JournalUpdate,
    /// Number of removals that name a vertex that the store does not have.
    pub(super) unknown: u64,
    pub(super) skipped_lines: u64,
    /// Summaries of the files of edges to remove, and to add.
    pub(super) files: [Vec<FileSummary>; 2],
    _held: Vec<Reservation>,
}

impl ResolvedEdges {
    /// Looks up the vertices of all ids.
    pub(super) fn find(
        removed: NamedEdges,
        added: NamedEdges,
        store: &Store,
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let _readers = budget.reserve(OriginalIdReader::memory(store.manifest()), Purpose::IoBuffers)?;
        let (removed, added) = (removed.accepted()?, added.accepted()?);
        let skipped_lines = removed.skipped + added.skipped;
        let (ends, _) = vertices_of(&removed.edges.endpoints, store, io, budget, cancellation)?;
        let pairs = ends.as_chunks::<2>().0.iter();
        let known: Vec<_> = pairs.filter(|ends| !ends.contains(&UNKNOWN)).map(|[from, to]| (*from, *to)).collect();
        let unknown = (ends.len() / 2 - known.len()) as u64;
        let (mut ends, ranks) = vertices_of(&added.edges.endpoints, store, io, budget, cancellation)?;
        let vertices = added.number_new(&mut ends, ranks, store)?;
        let mut rounding = added.input.rounding();
        let single = store.manifest().weights() == Some(WeightType::F32);
        let mut weight = |place: usize| {
            // Default: edges without weights weigh 1.
            let exact = added.edges.weights.get(place).copied().unwrap_or(1.0);
            let stored = if single { WeightType::F32.nearest(exact) } else { exact };
            rounding.note(exact, stored, || format!("added edge {}", place + 1));
            stored
        };
        let pairs = ends.as_chunks::<2>().0.iter().enumerate();
        let edges = pairs.map(|(place, [from, to])| (*from, *to, weight(place))).collect();
        let held = removed.held.into_iter().chain(added.held).collect();
        let edges = UpdateEdges { removed: known, added: edges, vertices, rounding };
        let journal = JournalUpdate { name: None, added: added.edges, removed: removed.edges.endpoints };
        let files = [removed.input.files, added.input.files];
        Ok(Self { edges, journal, unknown, skipped_lines, files, _held: held })
    }
}
