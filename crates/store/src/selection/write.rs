//! Writer of a selection: measures the lists, selects those that fit, and gathers them slice by slice in order of
//! priority.

use super::collect::{EachList, Gather};
use super::context::{DEGREES, WriteContext};
use super::encoding::ListEncoding;
use super::format::{self, Header, SelectionInfo, SelectionNote, Sums, padded};
use super::tables::Tables;
use crate::access::{Pages, Workers};
use crate::component::{ComponentWriter, StoreId};
use crate::layout::compact::IndexResidence;
use crate::layout::{DegreeReader, LayoutKind, ListOptions, StoredLists};
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_io::{Disk, IoChoice};
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MemoryPlan, Phase, ProgressUnit, Purpose, Result, Silent, VertexId,
    VertexRange, VertexSet, VertexValues, index_from, length_from, number_from,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum bytes of lists gathered at once.
const MOST_GATHERED: u64 = 1 << 30;

/// Writes a selection as described for [`SelectionDraft::write`](super::SelectionDraft::write), into the file that
/// `create` creates.
pub(super) fn write_selection(
    store: &Store,
    direction: Direction,
    ranked: &[VertexId],
    note: &SelectionNote,
    most_bytes: u64,
    work: WorkContext<'_>,
    create: impl FnOnce() -> Result<ComponentWriter>,
) -> Result<SelectionInfo> {
    if !format::is_method(&note.method) {
        return Err(Error::Usage(format!(
            "invalid method name {:?}; expected 1 to 32 characters of a-z0-9-",
            note.method
        )));
    }
    // A selection contains lists as in their files; updates are applied separately.
    let store = &store.as_written();
    let encoding = ListEncoding::of(store, direction)?;
    let context = WriteContext { store, direction, encoding, note, work };
    let (io, budget) = (work.io, work.budget);
    let least = context.memory(ranked.len(), most_bytes);
    budget.require(&least)?;
    let cache_bytes = context.cache_bytes(budget.available() - least.total());
    let options = ListOptions { cache_bytes, index: IndexResidence::Resident, ..ListOptions::once(io) };
    let lists = StoredLists::open(store, direction, &options, budget, work.workers)?;
    let tables = Tables::reserve(&context, ranked.len(), most_bytes)?;
    match store.manifest().layout() {
        LayoutKind::Csr => tables.compute(&context, &lists, ranked),
        _ => tables.measure(&context, &lists, ranked)?,
    }
    context.write(&lists, ranked, tables, most_bytes, create)
}

/// Returns the minimum memory of [`SelectionDraft::write`](super::SelectionDraft::write) for up to `ranked` lists.
///
/// # Errors
///
/// Returns an error if the store does not have such lists.
pub fn write_selection_memory(
    store: &Store,
    direction: Direction,
    ranked: usize,
    most_bytes: u64,
    note: &SelectionNote,
    workers: &Workers,
) -> Result<MemoryPlan> {
    let (store, direction) = (&store.as_written(), store.stored(direction));
    let (budget, encoding) = (&MemoryBudget::new(0), ListEncoding::of(store, direction)?);
    let work = WorkContext { storage: &Disk, io: IoChoice::Auto, budget, workers, observer: &Silent };
    let context = WriteContext { store, direction, encoding, note, work };
    Ok(context.memory(ranked, most_bytes))
}

impl WriteContext<'_> {
    /// Selects lists, gathers them and writes the file.
    fn write(
        &self,
        lists: &dyn Pages,
        ranked: &[VertexId],
        mut tables: Tables,
        most_bytes: u64,
        create: impl FnOnce() -> Result<ComponentWriter>,
    ) -> Result<SelectionInfo> {
        let sums = Sums { arcs: 0, ..tables.take(ranked, most_bytes.min(self.most_list_bytes())) };
        let sums = Sums { arcs: self.arcs_of(&tables)?, ..sums };
        let generation = generation()?;
        let note = self.note;
        let header = Header::new(self.encoding, self.vertices(), &note.method, note.rounds, generation, sums);
        let mut writer = create()?;
        writer.write(bytemuck::bytes_of(&header))?;
        writer.finish_unit()?;
        writer.seal_with(super::file::seal_of_generation(self.store, self.direction, generation));
        write_table(&mut writer, &tables.taken, |(vertex, _)| vertex)?;
        write_table(&mut writer, &tables.taken, |(_, length)| length)?;
        self.write_lists(lists, &tables, header.granule(), sums.list_bytes, &mut writer)?;
        writer.finish()?;
        Ok(header.info(self.direction))
    }

    /// Returns the maximum bytes of an encoded list.
    fn most_list_bytes(&self) -> u64 {
        16 * self.arcs() + 64 * u64::from(self.vertices())
    }

    /// Returns the number of entries of all selected lists.
    fn arcs_of(&self, tables: &Tables) -> Result<u64> {
        let taken = BitSet::empty(self.vertices());
        tables.taken.iter().for_each(|(vertex, _)| _ = taken.insert(*vertex));
        let mut reader = DegreeReader::open(self.store, self.direction, self.work.io, self.work.budget)?;
        let (mut arcs, mut degrees) = (0, Vec::new());
        for start in (0..self.vertices()).step_by(index_from(DEGREES.into())) {
            self.work.workers.cancellation().check()?;
            let range = VertexRange::new(start, start.saturating_add(DEGREES).min(self.vertices()));
            reader.read(range, &mut degrees)?;
            let taken = range.iter().zip(&degrees).filter(|(vertex, _)| taken.contains(*vertex));
            arcs += taken.map(|(_, degree)| u64::from(*degree)).sum::<u64>();
        }
        Ok(arcs)
    }

    fn write_lists(
        &self,
        lists: &dyn Pages,
        tables: &Tables,
        granule: u64,
        list_bytes: u64,
        writer: &mut ComponentWriter,
    ) -> Result<()> {
        let total = Some(list_bytes);
        self.work.observer.phase(&Phase { name: "writing static cache", unit: ProgressUnit::Bytes, total });
        let longest = tables.taken.iter().map(|(_, length)| padded(*length, granule)).max().unwrap_or(0);
        let room = (self.work.budget.available() / 8 * 7).min(MOST_GATHERED).min(list_bytes).max(longest);
        let mut gathered = VertexValues::new(self.work.budget, Purpose::StaticCache, index_from(room), |_| 0_u8)?;
        let (mut rest, mut written) = (tables.taken.as_slice(), 0);
        while !rest.is_empty() {
            self.work.workers.cancellation().check()?;
            let (slice, later) = rest.split_at(fitting(rest, granule, room));
            let bytes = self.gather(lists, tables, slice, granule, &mut gathered)?;
            writer.write(&gathered[..bytes])?;
            written += length_from(bytes);
            self.work.observer.progress(written);
            rest = later;
        }
        Ok(())
    }

    /// Gathers the lists of `slice` in order; returns their total bytes.
    fn gather(
        &self,
        lists: &dyn Pages,
        tables: &Tables,
        slice: &[(VertexId, u32)],
        granule: u64,
        into: &mut [u8],
    ) -> Result<usize> {
        into.fill(0);
        let set = BitSet::empty(self.vertices());
        let (mut end, mut bytes) = (0, 0);
        for (vertex, length) in slice {
            if let Some(slot) = tables.slots.get(index_from(u64::from(*vertex))) {
                slot.store(number_from(end / 4), Relaxed);
            }
            _ = set.insert(*vertex);
            end += padded(*length, granule);
            bytes += u64::from(*length);
        }
        let (encoding, starts) = (self.encoding, &*tables.slots);
        let gather = Gather { encoding, starts, into: Mutex::new(into), gathered: AtomicU64::new(0) };
        lists.select(&VertexSet::from_bits(set), &EachList(|vertex, entries| gather.put(vertex, &entries)))?;
        if gather.gathered.into_inner() != bytes {
            return Err(Error::corrupt(self.store.folder(), "its lists changed between two reads"));
        }
        Ok(index_from(end))
    }
}

/// Returns the number of the first lists that fit `room` bytes; at least one.
fn fitting(lists: &[(VertexId, u32)], granule: u64, room: u64) -> usize {
    let mut bytes = 0;
    let fits = |(_, length): &&(VertexId, u32)| {
        bytes += padded(*length, granule);
        bytes <= room
    };
    lists.iter().take_while(fits).count().max(1)
}

fn write_table(
    writer: &mut ComponentWriter,
    taken: &[(VertexId, u32)],
    field: impl Fn((VertexId, u32)) -> u32,
) -> Result<()> {
    for values in taken.chunks(1 << 12) {
        let values: Vec<u32> = values.iter().map(|pair| field(*pair)).collect();
        writer.write(bytemuck::cast_slice(&values))?;
    }
    writer.finish_unit()
}

/// Returns a random number.
fn generation() -> Result<u64> {
    let text = StoreId::random()?.to_hex();
    Ok(text.get(..16).and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap_or(0))
}
