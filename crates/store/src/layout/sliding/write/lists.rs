//! Spilled lists: intervals can be chosen only after all degrees are known, and shards written only after that.

use crate::component::{ComponentWriter, FileEntry};
use crate::layout::degrees_name;
use crate::layout::list_writer::{ListTarget, ListWriter};
use outcrop_io::{SpillFile, SpillFolder, SpillReader, SpillWriter};
use outcrop_types::{Error, Result, VertexId, VertexRange, WeightType, length_from};

/// Size of reads and writes, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// Writer of degrees that spills lists to a temporary file.
pub(crate) struct ListSpiller {
    degrees: ComponentWriter,
    lengths: Pieces,
    entries: Option<Pieces>,
    weights: Option<WeightType>,
}

/// Lists in a temporary file.
pub(crate) struct SpilledLists {
    lengths: SpillFile,
    /// `None` if only degrees are spilled.
    entries: Option<SpillFile>,
    pub(super) weights: Option<WeightType>,
    pub(super) arcs: u64,
}

/// Buffered writer.
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
    /// Memory of one spiller, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = ComponentWriter::MEMORY_BYTES + 2 * length_from(PIECE_BYTES);

    /// Creates the degrees file. Spills lists if `keeps_lists`, with weights for a weighted graph.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created.
    pub(crate) fn create(
        target: &ListTarget<'_>,
        spill: &SpillFolder,
        (keeps_lists, weights): (bool, Option<WeightType>),
    ) -> Result<Self> {
        Ok(Self {
            degrees: target.component(&degrees_name(target.direction))?,
            lengths: Pieces::create(spill)?,
            entries: keeps_lists.then(|| Pieces::create(spill)).transpose()?,
            weights,
        })
    }
}

impl ListWriter for ListSpiller {
    type Entry = SpilledLists;

    #[inline]
    fn push(&mut self, _: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        let Some(entries) = &mut self.entries else { return Ok(()) };
        entries.write(neighbor)?;
        if self.weights.is_some() {
            words_of(weight).into_iter().try_for_each(|word| entries.write(word))
        } else {
            Ok(())
        }
    }

    fn end_list(&mut self, _: VertexId, degree: u32) -> Result<()> {
        self.degrees.write(&degree.to_le_bytes())?;
        self.lengths.write(degree)
    }

    fn finish(self, _: u32, arcs: u64) -> Result<(SpilledLists, Vec<FileEntry>)> {
        let (lengths, entries) = (self.lengths.finish()?, self.entries.map(Pieces::finish).transpose()?);
        let lists = SpilledLists { lengths, entries, weights: self.weights, arcs };
        Ok((lists, vec![self.degrees.finish()?]))
    }
}

impl SpilledLists {
    /// Memory of a reader of degrees or of lists, in bytes.
    pub(super) const READER_BYTES: u64 = length_from(PIECE_BYTES);

    /// Returns the number of entries of all lists.
    pub(crate) const fn arcs(&self) -> u64 {
        self.arcs
    }

    /// Returns true if lists were spilled, not only degrees.
    pub(crate) const fn has_lists(&self) -> bool {
        self.entries.is_some()
    }

    /// Returns the degrees of the vertices from `first` on.
    pub(super) fn degrees(&self, first: VertexId) -> Result<Numbers> {
        Numbers::new(self.lengths.open()?.at(u64::from(first) * 4))
    }

    /// Returns the list entries from position `first` on: neighbors, each followed by its weight in a weighted graph
    /// ([`Numbers::next_weight`]).
    pub(super) fn entries(&self, first: u64) -> Result<Numbers> {
        let each = if self.weights.is_some() { 12 } else { 4 };
        let entries = self.entries.as_ref().ok_or_else(|| Error::internal("the lists for the shards were not kept"))?;
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

/// Sequential reader of numbers.
pub(super) struct Numbers {
    reader: SpillReader,
    bytes: Vec<u8>,
    place: usize,
}

impl Numbers {
    fn new(reader: SpillReader) -> Result<Self> {
        Ok(Self { reader, bytes: Vec::new(), place: 0 })
    }

    /// Returns the next number.
    ///
    /// # Errors
    /// Returns an error if it cannot be read or does not exist.
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

    /// Returns the next weight.
    ///
    /// # Errors
    /// See [`Numbers::next`].
    #[inline]
    pub(super) fn next_weight(&mut self) -> Result<f64> {
        let words = [self.next()?, self.next()?];
        Ok(f64::from_le_bytes(bytemuck::cast(words)))
    }
}

/// Returns the bits of a weight, the lower half first.
fn words_of(weight: f64) -> [u32; 2] {
    bytemuck::cast(weight.to_le_bytes())
}

#[cold]
fn ended() -> Error {
    Error::corrupt("the temporary lists of a build", "they end too early")
}
