//! Reordering of values on disk from vertex order to rank order, in which rows are read.

use super::{TableSource, batch_memory};
use bytemuck::Pod;
use outcrop_algorithms::{Column, ValueFile, Values};
use outcrop_store::RankReader;
use outcrop_types::{Cancellation, Error, Purpose, Result, VertexRange, index_from};

/// Number of values read at once.
const WINDOW: u32 = 1 << 16;
/// Memory for reading, in bytes: ranks, and values of at most 8 bytes.
const WINDOW_BYTES: u64 = WINDOW as u64 * 12;

/// Numbers of bytes read and written.
type Traffic = (u64, u64);

/// Returns the same columns, with those on disk in ascending order of rank, and the bytes read and written. Uses the
/// memory that the budget has left, up to the size of the largest column, but at least [`BATCH_MEMORY`]: if a column
/// does not fit, it is read several times.
pub(crate) fn by_rank(columns: Vec<Column>, source: &TableSource) -> Result<(Vec<Column>, Traffic)> {
    let mut traffic = (0, 0);
    let mut ordered = Vec::with_capacity(columns.len());
    for Column { name, values } in columns {
        let values = match values {
            Values::CountFile(file) => Values::CountFile(in_budget(file, source, &mut traffic)?),
            Values::NodeFile(file) => Values::NodeFile(in_budget(file, source, &mut traffic)?),
            Values::Float64File(file) => Values::Float64File(in_budget(file, source, &mut traffic)?),
            Values::Float32File(file) => Values::Float32File(in_budget(file, source, &mut traffic)?),
            held => held,
        };
        ordered.push(Column { name, values });
    }
    Ok((ordered, traffic))
}

fn in_budget<T: Pod>(file: ValueFile<T>, source: &TableSource, traffic: &mut Traffic) -> Result<ValueFile<T>> {
    let Some(mut ranks) = RankReader::open(&source.store, source.io)? else { return Ok(file) };
    let value_bytes = size_of::<T>() as u64;
    let reading = RankReader::memory(source.store.manifest()) + WINDOW_BYTES;
    let wanted = reading + file.length() * value_bytes;
    let bytes = source.budget.available().min(wanted).max(batch_memory(&source.store).min(wanted));
    let _held = source.budget.reserve(bytes, Purpose::Results)?;
    let (before, _) = file.traffic();
    let ordered = reordered(&file, &mut ranks, bytes.saturating_sub(reading) / value_bytes, &source.cancellation)?;
    *traffic = (traffic.0 + file.traffic().0 - before, traffic.1 + ordered.traffic().1);
    Ok(ordered)
}

/// Writes the values of `file`, ordered by rank, to a new file, with `space` values in memory at a time.
fn reordered<T: Pod>(
    file: &ValueFile<T>,
    ranks: &mut RankReader,
    space: u64,
    cancellation: &Cancellation,
) -> Result<ValueFile<T>> {
    let ordered = file.zeroed_beside()?;
    let mut held = vec![T::zeroed(); index_from(space.clamp(1, file.length().max(1)))];
    let mut first = 0;
    while first < file.length() {
        let count = (file.length() - first).min(held.len() as u64);
        let held = &mut held[..index_from(count)];
        collect(file, ranks, first, held, cancellation)?;
        ordered.write(first, held)?;
        first += count;
    }
    Ok(ordered)
}

/// Reads `file` once and collects the values of the ranks starting at `first`.
fn collect<T: Pod>(
    file: &ValueFile<T>,
    reader: &mut RankReader,
    first: u64,
    held: &mut [T],
    cancellation: &Cancellation,
) -> Result<()> {
    let vertices =
        u32::try_from(file.length()).map_err(|_| Error::internal("a value file has more values than vertices"))?;
    let (mut ranks, mut values) = (Vec::new(), vec![T::zeroed(); WINDOW.min(vertices) as usize]);
    for start in (0..vertices).step_by(WINDOW as usize) {
        cancellation.check()?;
        reader.read(VertexRange::new(start, start.saturating_add(WINDOW).min(vertices)), &mut ranks)?;
        let values = &mut values[..ranks.len()];
        file.read(u64::from(start), values)?;
        for (rank, value) in ranks.iter().zip(values) {
            let place = u64::from(*rank).checked_sub(first).map(index_from);
            if let Some(slot) = place.and_then(|place| held.get_mut(place)) {
                *slot = *value;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::BATCH_MEMORY;
    use super::*;
    use crate::{
        BuildOrder, BuildRequest, BuildResources, Graph, IdMode, InputOptions, MemorySize, OpenOptions, Silent,
        StoreForm, build,
    };
    use outcrop_io::SpillFolder;
    use outcrop_types::MemoryBudget;

    const VERTICES: u32 = 100_000;

    /// Creates a store in random order, and a file with three times the rank of each vertex.
    fn fixture(folder: &std::path::Path) -> (TableSource, ValueFile<u32>) {
        let edges = folder.join("edge.el");
        std::fs::write(&edges, "0 1\n").unwrap();
        let request = BuildRequest {
            input: InputOptions {
                ids: IdMode::Dense,
                num_vertices: Some(u64::from(VERTICES)),
                ..InputOptions::default()
            },
            form: StoreForm { order: BuildOrder::Random { seed: 4 }, ..StoreForm::default() },
            resources: BuildResources { memory: MemorySize::Bytes(64 << 20), ..BuildResources::default() },
            ..BuildRequest::new(vec![edges.into()], folder.join("graph.outcrop"))
        };
        build(&request, &Cancellation::new(), &Silent).unwrap();
        let graph = Graph::open(&request.store, OpenOptions::default()).unwrap();
        let mut ids = outcrop_store::OriginalIdReader::open(&graph.store, graph.io).unwrap();
        let vertices = ids.vertices(0..VERTICES).unwrap();
        drop(ids);
        let mut values = vec![0; VERTICES as usize];
        (0..).zip(&vertices).for_each(|(rank, vertex)| values[*vertex as usize] = 3 * rank);
        let file = ValueFile::filled(&SpillFolder::new(folder).unwrap(), u64::from(VERTICES), 0).unwrap();
        file.write(0, &values).unwrap();
        (TableSource::new(&graph, MemoryBudget::new(BATCH_MEMORY)).unwrap(), file)
    }

    fn contents(file: &ValueFile<u32>) -> Vec<u32> {
        let mut values = vec![0; VERTICES as usize];
        file.read(0, &mut values).unwrap();
        values
    }

    #[test]
    fn values_come_into_the_order_of_ranks_in_as_many_passes_as_memory_asks_for() {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = fixture(folder.path());
        let expected: Vec<u32> = (0..VERTICES).map(|rank| 3 * rank).collect();
        assert_ne!(contents(&file), expected);
        for (space, passes) in [(u64::from(VERTICES), 1), (1 << 40, 1), (40_000, 3), (9999, 11)] {
            let (before, _) = file.traffic();
            let mut ranks = RankReader::open(&source.store, source.io).unwrap().unwrap();
            let ordered = reordered(&file, &mut ranks, space, &source.cancellation).unwrap();
            assert_eq!(file.traffic().0 - before, passes * 4 * u64::from(VERTICES));
            assert_eq!(contents(&ordered), expected, "{space}");
        }
        let (columns, traffic) = by_rank(vec![Column::new("value", Values::CountFile(file))], &source).unwrap();
        assert_eq!(traffic, (4 * u64::from(VERTICES), 4 * u64::from(VERTICES)));
        let [Column { values: Values::CountFile(ordered), .. }] = &columns[..] else { panic!() };
        assert_eq!(contents(ordered), expected);
        assert!(source.budget.peak() <= BATCH_MEMORY && source.budget.available() == BATCH_MEMORY);
    }

    #[test]
    fn an_interruption_stops_it() {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = fixture(folder.path());
        source.cancellation.cancel();
        let stopped = by_rank(vec![Column::new("value", Values::CountFile(file))], &source);
        assert!(matches!(stopped, Err(outcrop_types::Error::Interrupted)));
    }
}
