//! A graph in shards, with all that an engine takes, and the ways in which it can run.

use crate::graphs::Arcs;
use crate::shards::MemoryShards;
use outcrop_engine::gas::{Along, GasDemand, GasEngine, GasOptions, GasProgram, GasSetup, ShardKind};
use outcrop_io::SpillFolder;
use outcrop_store::access::Workers;
use outcrop_types::{
    Cancellation, Error, GasFigures, IterationRecord, MemoryBudget, Observer, Purpose, Result, VertexId, VertexValues,
};
use std::sync::Mutex;
use tempfile::TempDir;

/// All ways to bring edges into memory.
pub const KINDS: [ShardKind; 4] = [ShardKind::Static, ShardKind::Aggressive, ShardKind::Optimised, ShardKind::EdgeList];

/// How much memory an engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// What it asks for.
    Least,
    /// So many bytes more.
    More(u64),
    Ample,
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub options: GasOptions,
    pub threads: usize,
    pub intervals: u32,
    pub room: Room,
    pub weighted: bool,
}

impl Way {
    pub fn new(shards: ShardKind, updated_share: f64, delay_bytes: u64) -> Self {
        let options = GasOptions { shards, updated_share, delay_bytes };
        Self { options, threads: 2, intervals: 4, room: Room::Ample, weighted: false }
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
                ways.push(Way { threads: 1 + turn % 3, intervals, room: rooms[turn % 5], weighted, ..way });
            }
        }
    }
    ways
}

/// What came of a run.
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
        }
    }

    pub fn demand<P: GasProgram>(&self) -> GasDemand {
        let weighted = self.way.weighted;
        GasDemand { weighted, degrees: true, ..GasDemand::of::<P>(self.graph.vertices, Along::Out) }
    }

    pub fn engine<P: GasProgram>(&self) -> Result<GasEngine<'_>> {
        self.engine_for::<P>(&self.records)
    }

    /// An engine that tells `observer`.
    pub fn engine_for<'g, P: GasProgram>(&'g self, observer: &'g dyn Observer) -> Result<GasEngine<'g>> {
        let degrees = self.graph.out_degrees();
        let degree = |vertex: usize| degrees[vertex];
        let degrees = VertexValues::new(&self.budget, Purpose::Degrees, degrees.len(), degree)?;
        GasEngine::new(GasSetup {
            shards: &self.shards,
            degrees: Some(degrees),
            demand: self.demand::<P>(),
            options: self.way.options,
            spill: &self.spill,
            workers: &self.workers,
            budget: &self.budget,
            observer,
        })
    }

    /// The least memory with which an engine can be made, in bytes.
    pub fn least<P: GasProgram>(&mut self) -> u64 {
        let (arcs, demand) = (self.graph.arcs.len() as u64, self.demand::<P>());
        let plan = GasEngine::plan(&demand, self.way.intervals, arcs, self.way.threads);
        let mut least = plan.total() + VertexValues::<u32>::bytes(u64::from(self.graph.vertices));
        loop {
            self.budget = MemoryBudget::new(least);
            match self.engine::<P>().map(drop) {
                Ok(()) => return least,
                Err(Error::BudgetTooSmall { plan, .. }) if plan.total() > least => least = plan.total(),
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Gives it the memory that its way says.
    pub fn furnish<P: GasProgram>(&mut self) {
        let limit = match self.way.room {
            Room::Least => self.least::<P>(),
            Room::More(bytes) => self.least::<P>() + bytes,
            Room::Ample => 1 << 30,
        };
        self.budget = MemoryBudget::new(limit);
    }

    pub fn run<P: GasProgram>(&self, program: &P, limit: u32) -> Result<Came<P::Value>> {
        let engine = self.engine::<P>()?;
        let ran = engine.run(program, limit)?;
        let figures = engine.gas_figures();
        let values = ran.values.to_vec();
        Ok(Came { values, iterations: ran.iterations, figures, records: self.records.take() })
    }

    /// Names in the folder for values of edges.
    pub fn files(&self) -> usize {
        std::fs::read_dir(self.folder.path()).unwrap().count()
    }
}

/// What a program gives, run in one way; nothing stays behind.
pub fn run<P: GasProgram>(program: &P, graph: &Arcs, way: Way, limit: u32) -> Came<P::Value> {
    let mut setting = Setting::new(graph, way);
    setting.furnish::<P>();
    let came = setting.run(program, limit).unwrap_or_else(|error| panic!("{way:?}: {error}"));
    assert_eq!((setting.budget.available(), setting.files()), (setting.budget.limit(), 0), "{way:?}");
    came
}

/// Where intervals begin: of about the same length; of five and more, one is empty.
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
