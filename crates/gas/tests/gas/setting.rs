//! A graph in shards, with all that an engine takes, and the ways in which it can run.

use crate::graphs::Arcs;
use crate::shards::MemoryShards;
use outcrop_engine::{Directions, Plain, VertexArray};
use outcrop_gas::{ArrivingArc, GasEngine, GasOptions, GasProgram, GasRequirements, GasSetup, ShardKind};
use outcrop_io::SpillFolder;
use outcrop_store::access::Workers;
use outcrop_types::{
    Cancellation, Error, GasFigures, IterationRecord, MemoryBudget, Observer, Purpose, VertexId, VertexValues,
};
use std::sync::Mutex;
use tempfile::TempDir;

/// All ways to bring edges into memory.
pub const KINDS: [ShardKind; 4] = [ShardKind::Static, ShardKind::Aggressive, ShardKind::Optimized, ShardKind::EdgeList];

/// Those in which a program runs.
pub fn kinds_of<P: GasProgram>() -> impl Iterator<Item = ShardKind> {
    KINDS.into_iter().filter(|kind| !P::KEEPS_EDGES || *kind != ShardKind::EdgeList)
}

/// Memory of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Memory that it asks for.
    Least,
    /// So many bytes more.
    More(u64),
    Ample,
}

/// Way that a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub options: GasOptions,
    pub threads: usize,
    pub intervals: u32,
    pub room: Room,
    pub weighted: bool,
    /// True if values of vertices live on disk.
    pub on_disk: bool,
}

impl Way {
    pub fn new(shards: ShardKind, updated_share: f64, delay_bytes: u64) -> Self {
        let options = GasOptions { shards, updated_share, delay_bytes };
        Self { options, threads: 2, intervals: 4, room: Room::Ample, weighted: false, on_disk: false }
    }
}

/// Every kind of shards with these delays and every share, each with other threads, intervals and memory.
pub fn ways(delays: &[u64], weighted: bool) -> Vec<Way> {
    let rooms = [Room::Least, Room::Ample, Room::More(1 << 10), Room::More(20 << 10), Room::Ample];
    let mut ways = Vec::new();
    for kind in KINDS {
        for share in [0.0, 0.3, 1.0] {
            for delay in delays {
                let turn = ways.len();
                let way = Way::new(kind, share, *delay);
                let intervals = [1, 2, 4, 9, 3, 5, 7][turn % 7];
                let (room, on_disk) = (rooms[turn % 5], turn % 4 == 3);
                ways.push(Way { threads: 1 + turn % 3, intervals, room, weighted, on_disk, ..way });
            }
        }
    }
    ways
}

/// Outcome of a run.
#[derive(Debug)]
pub struct Came<V> {
    pub values: Vec<V>,
    pub iterations: u32,
    pub figures: GasFigures,
    pub records: Vec<IterationRecord>,
}

/// A graph, and a folder for values of its edges.
pub struct Setting {
    pub graph: Arcs,
    pub shards: MemoryShards,
    pub workers: Workers,
    pub budget: MemoryBudget,
    pub records: Records,
    pub folder: TempDir,
    pub spill: SpillFolder,
    pub way: Way,
    /// Edges that come while a program runs.
    pub arrivals: Vec<ArrivingArc>,
}

impl Setting {
    pub fn new(graph: &Arcs, way: Way) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            shards: MemoryShards::new(graph, bounds(graph.vertices, way.intervals), way.weighted),
            graph: graph.clone(),
            workers: Workers::start(way.threads, Cancellation::new()).unwrap(),
            budget: MemoryBudget::new(1 << 30),
            records: Records::default(),
            spill: SpillFolder::new(folder.path()).unwrap(),
            folder,
            way,
            arrivals: Vec::new(),
        }
    }

    pub fn requirements<P: GasProgram>(&self) -> GasRequirements {
        let Way { weighted, on_disk, .. } = self.way;
        GasRequirements {
            weighted,
            degrees: true,
            ..GasRequirements::of::<P>(self.graph.vertices, on_disk, Directions::Out)
        }
    }

    pub fn engine<P: GasProgram>(&self) -> outcrop_types::Result<GasEngine<'_>> {
        self.engine_for::<P>(&self.records)
    }

    /// An engine that tells `observer`.
    pub fn engine_for<'g, P: GasProgram>(&'g self, observer: &'g dyn Observer) -> outcrop_types::Result<GasEngine<'g>> {
        let degrees = self.graph.out_degrees();
        let degree = |vertex: usize| degrees[vertex];
        let degrees = VertexValues::new(&self.budget, Purpose::Degrees, degrees.len(), degree)?;
        GasEngine::new(GasSetup {
            shards: &self.shards,
            degrees: Some(degrees),
            requirements: self.requirements::<P>(),
            options: self.way.options,
            arrivals: &self.arrivals,
            memory: self.budget.available().saturating_sub(self.beside_bytes::<P>()),
            spill: &self.spill,
            workers: &self.workers,
            budget: &self.budget,
            observer,
        })
    }

    /// Bytes of the values of all vertices that memory holds.
    pub fn value_bytes<P: GasProgram>(&self) -> u64 {
        if self.way.on_disk { 0 } else { VertexValues::<P::Value>::bytes(self.graph.vertices.into()) }
    }

    /// Bytes of what an engine does not count as its own: values that memory holds, and edges that come.
    fn beside_bytes<P: GasProgram>(&self) -> u64 {
        const MOST_AN_ARRIVAL: u64 = 100;
        self.value_bytes::<P>() + self.arrivals.len() as u64 * MOST_AN_ARRIVAL
    }

    /// The least memory with which an engine can be made, with its degrees, in bytes: what it refuses to be made
    /// without.
    pub fn least<P: GasProgram>(&mut self) -> u64 {
        let degrees = VertexValues::<u32>::bytes(self.graph.vertices.into());
        self.budget = MemoryBudget::new(degrees);
        let refused = self.engine::<P>().map(drop);
        let Err(Error::BudgetTooSmall { plan, budget, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(budget, degrees);
        plan.total()
    }

    /// Gives it the memory that its way says.
    pub fn furnish<P: GasProgram>(&mut self) {
        let limit = match self.way.room {
            Room::Least => self.least::<P>() + self.beside_bytes::<P>(),
            Room::More(bytes) => self.least::<P>() + self.beside_bytes::<P>() + bytes,
            Room::Ample => 1 << 30,
        };
        self.budget = MemoryBudget::new(limit);
    }

    pub fn run<P: GasProgram>(&self, program: &P, limit: u32) -> outcrop_types::Result<Came<P::Value>> {
        let engine = self.engine::<P>()?;
        let ran = engine.run(program, limit)?;
        let figures = engine.gas_figures();
        let values = plain(&ran.values)?;
        Ok(Came { values, iterations: ran.iterations, figures, records: self.records.take() })
    }

    /// Names in the folder for values of edges.
    pub fn files(&self) -> usize {
        std::fs::read_dir(self.folder.path()).unwrap().count()
    }
}

/// The values as a plain vector.
pub fn plain<V: Plain>(values: &VertexArray<V>) -> outcrop_types::Result<Vec<V>> {
    let mut all = Vec::new();
    values.for_each_block(|block| all.extend_from_slice(block))?;
    Ok(all)
}

/// Outcome of a program, run in one way; nothing stays behind.
pub fn run<P: GasProgram>(program: &P, graph: &Arcs, way: Way, limit: u32) -> Came<P::Value> {
    let mut setting = Setting::new(graph, way);
    setting.furnish::<P>();
    let came = setting.run(program, limit).unwrap_or_else(|error| panic!("{way:?}: {error}"));
    assert_eq!((setting.budget.available(), setting.files()), (setting.budget.limit(), 0), "{way:?}");
    came
}

/// Starts of intervals: of about the same length; of five and more, one is empty.
fn bounds(vertices: u32, intervals: u32) -> Vec<VertexId> {
    let share = |interval: u32| (u64::from(vertices) * u64::from(interval) / u64::from(intervals)) as u32;
    let mut bounds: Vec<u32> = (0..=intervals).map(share).collect();
    if intervals >= 5 {
        bounds[2] = bounds[3];
    }
    bounds
}

/// Keeps the records of iterations.
#[derive(Default)]
pub struct Records(Mutex<Vec<IterationRecord>>);

impl Records {
    pub fn take(&self) -> Vec<IterationRecord> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Observer for Records {
    fn iteration(&self, record: &IterationRecord) {
        self.0.lock().unwrap().push(record.clone());
    }
}

/// The unnamed files of this process in a folder, each once: where they can be opened, and what is known of them.
#[cfg(target_os = "linux")]
pub fn temporary_files(folder: &std::path::Path) -> Vec<(std::path::PathBuf, std::fs::Metadata)> {
    use std::os::unix::fs::MetadataExt;
    let links = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let ours = links.filter(|link| std::fs::read_link(link).is_ok_and(|name| name.starts_with(folder)));
    let mut files: Vec<_> = ours.filter_map(|link| Some((link.clone(), std::fs::metadata(link).ok()?))).collect();
    files.sort_by_key(|(_, file)| file.ino());
    files.dedup_by_key(|(_, file)| file.ino());
    files
}
