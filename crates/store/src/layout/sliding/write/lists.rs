//! Lists on their way: where intervals begin is known once all degrees are, and shards can be written only then.

use crate::component::FileEntry;
use crate::component::{ComponentWriter, StoreId};
use crate::layout::degrees_name;
use outcrop_io::{SpillFile, SpillFolder, SpillReader, SpillWriter, Storage};
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId, VertexRange, WeightType, length_from};
use std::path::Path;

/// Bytes that are written, or read, at once.
const PIECE_BYTES: usize = 64 << 10;
/// Interruption is looked for every so many vertices: a gap between two vertices with edges may be billions wide.
const CHECKED_VERTICES: u32 = 1 << 20;

/// Takes the arcs of one direction in ascending order of vertex and neighbour: writes the degrees, and sets lists aside.
pub(crate) struct ListSpiller {
    degrees: ComponentWriter,
    lengths: Pieces,
    entries: Option<Pieces>,
    weights: Option<WeightType>,
    vertex: VertexId,
    degree: u32,
    arcs: u64,
    cancellation: Cancellation,
}

/// Lists in a temporary file.
pub(crate) struct SpilledLists {
    lengths: SpillFile,
    /// `None` where only degrees are kept.
    entries: Option<SpillFile>,
    pub(super) weights: Option<WeightType>,
    pub(super) arcs: u64,
}

/// Writer of larger pieces.
struct Pieces {
    writer: SpillWriter,
    waiting: Vec<u8>,
}

impl Pieces {
    fn create(spill: &SpillFolder) -> Result<Self> {
        Ok(Self { writer: spill.create()?, waiting: Vec::with_capacity(PIECE_BYTES) })
    }

    #[inline]
    fn write(&mut self, number: u32) -> Result<()> {
        self.waiting.extend(number.to_le_bytes());
        if self.waiting.len() < PIECE_BYTES {
            return Ok(());
        }
        self.writer.write(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<SpillFile> {
        self.writer.write(&self.waiting)?;
        self.writer.finish()
    }
}

impl ListSpiller {
    /// Memory of one, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = ComponentWriter::MEMORY_BYTES + 2 * length_from(PIECE_BYTES);

    /// Starts the degrees of `direction` in `folder`. Lists are kept where that is asked for, with weights where there are some.
    ///
    /// # Errors
    /// The files cannot be created.
    pub(crate) fn create(
        (storage, folder, id): (&dyn Storage, &Path, StoreId),
        direction: Direction,
        spill: &SpillFolder,
        (keeps_lists, weights): (bool, Option<WeightType>),
        cancellation: &Cancellation,
    ) -> Result<Self> {
        Ok(Self {
            degrees: ComponentWriter::create(storage, folder, id, &degrees_name(direction))?,
            lengths: Pieces::create(spill)?,
            entries: keeps_lists.then(|| Pieces::create(spill)).transpose()?,
            weights,
            vertex: 0,
            degree: 0,
            arcs: 0,
            cancellation: cancellation.clone(),
        })
    }

    /// The next arc: `neighbour` in the list of `vertex`, which is not below the vertex before.
    ///
    /// # Errors
    /// The files cannot be written, or a vertex has more than 2^32 - 1 entries.
    #[inline]
    pub(crate) fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        if vertex != self.vertex {
            self.advance_to(vertex)?;
        }
        self.degree = self.degree.checked_add(1).ok_or_else(|| too_long(vertex))?;
        let Some(entries) = &mut self.entries else { return Ok(()) };
        entries.write(neighbour)?;
        if self.weights.is_some() {
            words_of(weight).into_iter().try_for_each(|word| entries.write(word))
        } else {
            Ok(())
        }
    }

    fn advance_to(&mut self, vertex: VertexId) -> Result<()> {
        while self.vertex < vertex {
            self.degrees.write(&self.degree.to_le_bytes())?;
            self.lengths.write(self.degree)?;
            self.arcs += u64::from(self.degree);
            self.degree = 0;
            self.vertex += 1;
            if self.vertex.is_multiple_of(CHECKED_VERTICES) {
                self.cancellation.check()?;
            }
        }
        Ok(())
    }

    /// Ends the lists of all `vertices`: the lists, how many entries they have, and the file of degrees.
    ///
    /// # Errors
    /// The files cannot be written or synced.
    pub(crate) fn finish(mut self, vertices: u32) -> Result<(SpilledLists, u64, FileEntry)> {
        self.advance_to(vertices)?;
        let (lengths, entries) = (self.lengths.finish()?, self.entries.map(Pieces::finish).transpose()?);
        let lists = SpilledLists { lengths, entries, weights: self.weights, arcs: self.arcs };
        Ok((lists, self.arcs, self.degrees.finish()?))
    }
}

#[cold]
fn too_long(vertex: VertexId) -> Error {
    Error::Usage(format!("vertex number {vertex} has more than 4294967295 edges; drop repeated edges with --dedup"))
}

impl SpilledLists {
    /// Memory of a reader of degrees or of lists, in bytes.
    pub(super) const READER_BYTES: u64 = length_from(PIECE_BYTES);

    /// Number of entries of all lists.
    pub(crate) const fn arcs(&self) -> u64 {
        self.arcs
    }

    /// True if there are lists, and not only degrees.
    pub(crate) const fn has_lists(&self) -> bool {
        self.entries.is_some()
    }

    /// The degrees of the vertices from `first` on.
    pub(super) fn degrees(&self, first: VertexId) -> Result<Numbers> {
        Numbers::new(self.lengths.open()?.at(u64::from(first) * 4))
    }

    /// The entries of lists, from the one at position `first` among all on: neighbours, each followed by its weight where there are
    /// weights ([`Numbers::next_weight`]).
    pub(super) fn entries(&self, first: u64) -> Result<Numbers> {
        let each = if self.weights.is_some() { 12 } else { 4 };
        let entries = self.entries.as_ref().ok_or_else(|| Error::Usage("lists were not kept".to_owned()))?;
        Numbers::new(entries.open()?.at(first * each))
    }

    /// Calls `take` with the degree of each vertex of `range`.
    pub(super) fn for_each_degree(&self, range: VertexRange, take: &mut dyn FnMut(u32)) -> Result<()> {
        let mut degrees = self.degrees(range.start)?;
        for _ in 0..range.len() {
            take(degrees.next()?);
        }
        Ok(())
    }
}

/// Numbers that are read one after the other.
pub(super) struct Numbers {
    reader: SpillReader,
    bytes: Vec<u8>,
    place: usize,
}

impl Numbers {
    fn new(reader: SpillReader) -> Result<Self> {
        Ok(Self { reader, bytes: Vec::new(), place: 0 })
    }

    /// The next one.
    ///
    /// # Errors
    /// It cannot be read, or there is none.
    #[inline]
    pub(super) fn next(&mut self) -> Result<u32> {
        if self.place >= self.bytes.len() {
            self.bytes.resize(PIECE_BYTES, 0);
            let count = self.reader.read(&mut self.bytes)?;
            self.bytes.truncate(count);
            self.place = 0;
        }
        let number = self.bytes.get(self.place..).and_then(|rest| rest.first_chunk());
        self.place += size_of::<u32>();
        number.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(ended)
    }

    /// The weight that is next.
    ///
    /// # Errors
    /// As for [`Numbers::next`].
    #[inline]
    pub(super) fn next_weight(&mut self) -> Result<f64> {
        let words = [self.next()?, self.next()?];
        Ok(f64::from_le_bytes(bytemuck::cast(words)))
    }
}

/// The bits of a weight, the lower half first.
fn words_of(weight: f64) -> [u32; 2] {
    bytemuck::cast(weight.to_le_bytes())
}

#[cold]
fn ended() -> Error {
    Error::corrupt("the temporary lists of a build", "they end too early")
}
