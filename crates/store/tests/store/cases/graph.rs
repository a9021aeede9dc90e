//! Graphs to build: edges between small numbers, written in the ids of the case.

use crate::cases::layouts::pages_of;
use outcrop_io::IoChoice;
use outcrop_io::{Disk, Storage};
use outcrop_store::WorkContext;
use outcrop_store::access::Workers;
use outcrop_store::layout::Layout;
use outcrop_store::writing::{
    BuildInput, BuildLimits, BuildOptions, BuildReport, EdgeBatch, EdgeSource, IdBatch, IdKind, PermutationFrom,
    VertexOrder, VertexSource, build_with_limits,
};
use outcrop_store::{Dedup, Order, OrderParameters, SelfLoops};
use outcrop_types::{Cancellation, MemoryBudget, Permutation, Result, Silent, WeightChoice, WeightType};
use std::path::Path;

/// Edges are handed over in batches of so many, so that batches end within runs of repeated edges.
const BATCH: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    Dense,
    Sparse,
    Text,
    /// The same with an empty one, which builds no longer accept.
    TextOrEmpty,
}

/// A graph and how it is to be built.
#[derive(Clone, Debug)]
pub struct Case {
    pub layout: Layout,
    pub edges: Vec<(u64, u64, f64)>,
    pub vertices: Vec<u64>,
    pub ids: Ids,
    pub weighted: bool,
    pub undirected: bool,
    pub dedup: Dedup,
    pub self_loops: SelfLoops,
    pub by_degree: bool,
    pub num_vertices: Option<u64>,
    pub interval_arcs: u64,
    /// Memory for IDs that are numbered without sorting.
    pub table_bytes: u64,
    pub memory: u64,
    /// The type of weights that is asked for.
    pub weights: WeightChoice,
}

impl Case {
    pub fn new(ids: Ids, edges: Vec<(u64, u64, f64)>) -> Self {
        Self {
            layout: pages_of(4096),
            edges,
            vertices: Vec::new(),
            ids,
            weighted: false,
            undirected: false,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            by_degree: false,
            num_vertices: None,
            interval_arcs: 1 << 22,
            table_bytes: u64::MAX,
            memory: 64 << 20,
            weights: WeightChoice::As(WeightType::F32),
        }
    }

    /// A graph whose edges are drawn from a fixed sequence of numbers.
    pub fn random(ids: Ids, vertices: u64, edges: usize) -> Self {
        let mut state = vertices.wrapping_add(99);
        let mut draw = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        Self::new(ids, (0..edges).map(|_| (draw(vertices), draw(vertices), draw(100) as f64)).collect())
    }

    /// Every option at once that makes a store have every kind of component.
    pub fn rich() -> Self {
        let case = Self::random(Ids::Sparse, 300, 2500);
        Self { weighted: true, by_degree: true, vertices: vec![1000, 1001], interval_arcs: 500, ..case }
    }

    /// The same graph, laid out otherwise.
    pub fn laid_out(&self, layout: &Layout) -> Self {
        Self { layout: layout.clone(), ..self.clone() }
    }

    pub fn input(&self) -> BuildInput {
        let vertices = Some(Vertices { case: self.clone(), next: 0 }).filter(|_| !self.vertices.is_empty());
        BuildInput {
            edges: Box::new(Edges { case: self.clone(), next: 0 }),
            vertices: vertices.map(|vertices| Box::new(vertices) as Box<dyn VertexSource>),
        }
    }

    pub fn options(&self, target: &Path) -> BuildOptions<'static> {
        BuildOptions {
            layout: self.layout.clone(),
            target: target.to_owned(),
            overwrite: false,
            undirected: self.undirected,
            dense_ids: self.ids == Ids::Dense,
            num_vertices: self.num_vertices,
            dedup: self.dedup,
            self_loops: self.self_loops,
            allow_empty: true,
            order: self.by_degree.then_some(VertexOrder {
                name: Order::Degree,
                parameters: OrderParameters::default(),
                permutation: PermutationFrom::Degrees(&by_degree),
                condition: None,
            }),
            weights: self.weights,
            temp_folder: None,
            checkpoints: None,
        }
    }

    pub fn build(&self, target: &Path) -> Result<BuildReport> {
        self.build_on(&Disk, &self.options(target))
    }

    pub fn build_on(&self, storage: &dyn Storage, options: &BuildOptions<'_>) -> Result<BuildReport> {
        let budget = MemoryBudget::new(self.memory);
        let outcome = self.build_within(storage, options, &budget, &Cancellation::new());
        assert!(budget.peak() <= budget.limit());
        assert_eq!(budget.available(), budget.limit(), "everything reserved is given back");
        outcome
    }

    pub fn build_within(
        &self,
        storage: &dyn Storage,
        options: &BuildOptions<'_>,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<BuildReport> {
        let workers = &Workers::start(1, cancellation.clone())?;
        let work = WorkContext { storage, io: IoChoice::Auto, budget, workers, observer: &Silent };
        build_with_limits(self.input(), options, self.limits(), work)
    }

    pub const fn limits(&self) -> BuildLimits {
        BuildLimits { interval_arcs: self.interval_arcs, table_bytes: self.table_bytes }
    }

    pub const fn kind(&self) -> IdKind {
        match self.ids {
            Ids::Dense | Ids::Sparse => IdKind::Integer,
            Ids::Text | Ids::TextOrEmpty => IdKind::Text,
        }
    }

    /// A small number as an integer id: far apart, and as large as they come.
    pub const fn integer(&self, number: u64) -> u64 {
        match self.ids {
            Ids::Sparse => u64::MAX - number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            Ids::Dense | Ids::Text | Ids::TextOrEmpty => number,
        }
    }

    /// A small number as a text id: of any length, texts that begin alike among them.
    pub fn text(&self, number: u64) -> String {
        if number == 1 {
            return if self.ids == Ids::TextOrEmpty { String::new() } else { " ".to_owned() };
        }
        let mixed = number.wrapping_mul(2_654_435_761) % 1_000_003;
        format!("{mixed}{}-{number}", "é".repeat((number % 5) as usize))
    }

    fn push(&self, ids: &mut IdBatch, number: u64) {
        match ids {
            IdBatch::Integers(ids) => ids.push(self.integer(number)),
            IdBatch::Texts { bytes, ends } => {
                bytes.extend_from_slice(self.text(number).as_bytes());
                ends.push(bytes.len());
            }
        }
    }
}

/// Most list entries first, ties by rank.
#[expect(clippy::needless_pass_by_value, reason = "a function of a build")]
fn by_degree(degrees: Vec<u32>) -> Permutation {
    let mut ranks: Vec<u32> = (0..degrees.len() as u32).collect();
    ranks.sort_by_key(|rank| std::cmp::Reverse(degrees[*rank as usize]));
    Permutation::from_new_ids(ranks).unwrap().inverse()
}

struct Edges {
    case: Case,
    next: usize,
}

impl EdgeSource for Edges {
    fn id_kind(&self) -> IdKind {
        self.case.kind()
    }

    fn weighted(&self) -> bool {
        self.case.weighted
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        batch.clear();
        for (source, target, weight) in self.case.edges.iter().skip(self.next).take(BATCH) {
            self.case.push(&mut batch.endpoints, *source);
            self.case.push(&mut batch.endpoints, *target);
            if self.case.weighted {
                batch.weights.push(*weight);
            }
        }
        self.next += batch.len();
        Ok(!batch.is_empty())
    }

    fn bytes_done(&self) -> u64 {
        self.next as u64
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn edges_estimate(&self) -> Option<u64> {
        Some(self.case.edges.len() as u64)
    }
}

struct Vertices {
    case: Case,
    next: usize,
}

impl VertexSource for Vertices {
    fn id_kind(&self) -> IdKind {
        self.case.kind()
    }

    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool> {
        batch.clear();
        self.case.vertices.iter().skip(self.next).take(BATCH).for_each(|number| self.case.push(batch, *number));
        self.next += batch.len();
        Ok(!batch.is_empty())
    }
}
