//! Lists of a graph of groups, in memory or in a temporary file.

use super::buffer::Buffer;
use super::lists::LoadLists;
use outcrop_io::{SpillFile, SpillFolder, SpillWriter};
use outcrop_store::ArcSums;
use outcrop_types::{Error, MemoryBudget, Result, VertexId, VertexValues};
use std::cell::Cell;

/// Entry in a file: the neighbor, and the halves of the bits of the weight, the lower one first.
type Entry = [u32; 3];
const ENTRY_BYTES: u64 = size_of::<Entry>() as u64;
/// Number of entries that are written or read at once.
const ENTRIES: usize = 1 << 12;

/// Lists of a graph of groups, without loops.
pub(super) struct GroupLists {
    /// Length of the list of each group.
    lengths: VertexValues<u32>,
    vertices: u32,
    /// Lists that do not fit in memory.
    file: Option<SpillFile>,
    /// A vertex, and the number of entries before its list.
    place: Cell<(VertexId, u64)>,
}

impl GroupLists {
    /// Creates an empty graph; it can grow to as many groups as `lengths` has room for.
    pub(super) const fn new(lengths: VertexValues<u32>) -> Self {
        Self { lengths, vertices: 0, file: None, place: Cell::new((0, 0)) }
    }

    /// Replaces the graph by one of `vertices` groups with the arcs of `sums`, which are in memory if they fit in
    /// `buffer`, and otherwise in a file in `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if temporary files cannot be written or read, if the budget is too small, or if the run is
    /// interrupted.
    pub(super) fn replace(
        &mut self,
        vertices: u32,
        sums: ArcSums,
        buffer: &mut Buffer,
        budget: &MemoryBudget,
        folder: &SpillFolder,
    ) -> Result<()> {
        buffer.reset(budget, vertices, sums.arcs(), true)?;
        (self.vertices, self.file) = (vertices, None);
        self.place.set((0, 0));
        self.lengths[..vertices as usize].fill(0);
        let room = if buffer.has_room_for_all(vertices) { buffer.room() } else { 0 };
        let mut writer = Writer { buffer, count: 0, room, folder, file: None, pending: Vec::with_capacity(ENTRIES) };
        sums.for_each(|group, neighbor, weight| {
            self.lengths[group as usize] += 1;
            writer.write(neighbor, weight)
        })?;
        self.file = writer.finish()?;
        // Without a file, everything is where the buffer expects it.
        if self.file.is_none() && !buffer.choose_all(vertices, |group| self.entries(group)) {
            return Err(Error::internal("the lists of groups are neither in memory nor in a file"));
        }
        Ok(())
    }

    /// Returns the number of entries before the list of `vertex`.
    fn entries_before(&self, vertex: VertexId) -> u64 {
        let (known, before) = self.place.get();
        let (from, before) = if known <= vertex { (known, before) } else { (0, 0) };
        let between = &self.lengths[from as usize..vertex as usize];
        let place = before + between.iter().map(|length| u64::from(*length)).sum::<u64>();
        self.place.set((vertex, place));
        place
    }
}

impl LoadLists for GroupLists {
    fn vertices(&self) -> u32 {
        self.vertices
    }

    #[inline]
    fn entries(&self, vertex: VertexId) -> u64 {
        u64::from(self.lengths[vertex as usize])
    }

    fn load(&self, buffer: &Buffer, skip: u64) -> Result<()> {
        let Some(file) = &self.file else { return Err(Error::internal("the lists of groups are not in a file")) };
        let (mut reader, mut entries) = (file.share(), vec![Entry::default(); ENTRIES]);
        for (position, vertex) in buffer.members().iter().enumerate() {
            let start = (self.entries_before(*vertex) + skip) * ENTRY_BYTES;
            if reader.position() != start {
                reader = reader.at(start);
            }
            let mut places = buffer.places(position);
            while !places.is_empty() {
                let entries = &mut entries[..places.len().min(ENTRIES)];
                reader.read_exact(bytemuck::cast_slice_mut(entries))?;
                for [neighbor, low, high] in entries {
                    let weight = u64::from(*high) << u32::BITS | u64::from(*low);
                    places.next().into_iter().for_each(|place| buffer.store(place, *neighbor, f64::from_bits(weight)));
                }
            }
        }
        Ok(())
    }
}

/// Writer of lists into a buffer, and if that is full, into a file.
struct Writer<'w> {
    buffer: &'w Buffer,
    /// Number of entries in the buffer.
    count: usize,
    /// Number of entries that may be in the buffer.
    room: usize,
    folder: &'w SpillFolder,
    file: Option<SpillWriter>,
    /// Entries to be written to the file.
    pending: Vec<Entry>,
}

impl Writer<'_> {
    fn write(&mut self, neighbor: VertexId, weight: f64) -> Result<()> {
        if self.file.is_none() && self.count < self.room {
            self.buffer.store(self.count, neighbor, weight);
            self.count += 1;
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(self.folder.create()?);
            for place in 0..self.count {
                let (neighbor, weight) = self.buffer.entry(place);
                self.append(neighbor, weight)?;
            }
        }
        self.append(neighbor, weight)
    }

    /// Appends an entry to the file.
    fn append(&mut self, neighbor: VertexId, weight: f64) -> Result<()> {
        self.pending.push([neighbor, weight.to_bits() as u32, (weight.to_bits() >> u32::BITS) as u32]);
        if self.pending.len() == ENTRIES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.write(bytemuck::cast_slice(&self.pending)))?;
        self.pending.clear();
        Ok(())
    }

    /// Returns the file, if not all lists are in the buffer.
    fn finish(mut self) -> Result<Option<SpillFile>> {
        self.flush()?;
        self.file.map(SpillWriter::finish).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::Part;
    use super::super::lists::{VisitLists, visit};
    use super::*;
    use outcrop_types::{BitSet, Cancellation, Purpose, SplitMix64};
    use std::collections::BTreeMap;

    const GROUPS: u32 = 400;

    /// Entries of each visit: those of the first one, and those of the second one of every third vertex.
    #[derive(Default)]
    struct Collect {
        entries: [Vec<(VertexId, VertexId, u64)>; 2],
    }

    impl VisitLists for Collect {
        fn part(&mut self, vertex: VertexId, part: Part<'_>) {
            part.for_each(|neighbor, weight| self.entries[0].push((vertex, neighbor, weight.to_bits())));
        }

        fn end(&mut self, vertex: VertexId) -> Result<bool> {
            Ok(vertex.is_multiple_of(3))
        }

        fn again(&mut self, vertex: VertexId, part: Part<'_>) {
            part.for_each(|neighbor, weight| self.entries[1].push((vertex, neighbor, weight.to_bits())));
        }
    }

    /// Arcs, of which the first vertex has most, and an odd one none.
    fn arcs() -> BTreeMap<(VertexId, VertexId), f64> {
        let numbers = SplitMix64::new(3, 0);
        let arc = |number: u64| {
            let [vertex, neighbor] = [0, 1].map(|end| numbers.up_to(2 * number + end, GROUPS - 1));
            ((if number.is_multiple_of(5) { 0 } else { vertex & !1 }, neighbor), number as f64 / 7.0)
        };
        (0..3000).map(arc).collect()
    }

    #[test]
    fn lists_are_the_same_in_memory_and_in_a_file_with_windows_of_any_length() {
        let folder = tempfile::tempdir().unwrap();
        let (spill, budget) = (SpillFolder::new(folder.path()).unwrap(), MemoryBudget::new(8 << 20));
        let arcs = arcs();
        let some = BitSet::empty(GROUPS);
        (0..GROUPS).filter(|group| group % 7 < 3).for_each(|group| _ = some.insert_alone(group));
        for (bytes, in_memory) in [(1 << 20, true), (12_000, false), (2_000, false), (300, false)] {
            let lengths = VertexValues::zeroes(&budget, Purpose::VertexValues, GROUPS as usize).unwrap();
            let mut lists = GroupLists::new(lengths);
            let mut buffer = Buffer::new(&budget, bytes, GROUPS, 0, false).unwrap();
            let mut sums = ArcSums::new(&spill, ArcSums::LEAST_BYTES, &budget, &Cancellation::new()).unwrap();
            arcs.iter().for_each(|((vertex, neighbor), weight)| sums.push(*vertex, *neighbor, *weight).unwrap());
            lists.replace(GROUPS, sums, &mut buffer, &budget, &spill).unwrap();
            assert_eq!(lists.file.is_none(), in_memory, "{bytes} bytes");
            for set in [BitSet::full(GROUPS), some.copy(), BitSet::full(GROUPS)] {
                let mut found = Collect::default();
                visit(&lists, &set, &mut buffer, &Cancellation::new(), &mut found).unwrap();
                let all = arcs.iter().filter(|((vertex, _), _)| set.contains(*vertex));
                let all: Vec<_> =
                    all.map(|((vertex, neighbor), weight)| (*vertex, *neighbor, weight.to_bits())).collect();
                let again: Vec<_> = all.iter().copied().filter(|(vertex, ..)| vertex % 3 == 0).collect();
                assert_eq!(found.entries, [all, again], "{bytes} bytes");
            }
        }
    }
}
