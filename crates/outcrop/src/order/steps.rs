//! Steps from an existing store to a requested one: renumbering first, then a separate placement of lists, each only if
//! needed.

use super::build_order::{BuildOrder, GivenOrder};
use super::memory::MostStore;
use super::numbers::Orderer;
use crate::graph::{Graph, OpenOptions};
use crate::lists;
use outcrop_io::{Disk, Utilization};
use outcrop_placement::order::{two_level, two_level_bytes};
use outcrop_store::layout::chunked::{ChunkSettings, Placement};
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{Layout, ListOptions, StoredLists, degrees};
use outcrop_store::writing::{BuildCheckpoints, BuildReport, ConvertOptions};
use outcrop_store::{Order, Store, WorkContext, WriterLock};
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Result, VertexId, VertexValues,
    WeightChoice,
};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Store that a step reads: the user's, or a temporary one that is removed when the step is done.
pub(crate) struct StepStore {
    pub(crate) path: PathBuf,
    temporary: bool,
}

impl StepStore {
    /// Creates a reference to the user's store, which is never removed.
    pub(crate) fn given(path: &Path) -> Self {
        Self { path: path.to_owned(), temporary: false }
    }

    /// Chooses the path of a temporary store next to `target`. The next build of `target` removes leftovers of a killed
    /// one.
    pub(crate) fn temporary_sibling(target: &Path) -> Result<Self> {
        Ok(Self { path: outcrop_store::writing::temporary_sibling(target)?, temporary: true })
    }
}

impl Drop for StepStore {
    fn drop(&mut self) {
        if self.temporary && self.path.exists() {
            // A failure is ignored: the next build tries again.
            _ = outcrop_store::writing::remove_unpublished(&Disk, &self.path);
        }
    }
}

/// Built store, with the reason for its order if that was not requested.
pub(crate) struct Made {
    pub(crate) report: BuildReport,
    pub(crate) order_reason: Option<String>,
}

/// Settings of the steps that build a store.
pub(crate) struct Steps<'s> {
    pub(crate) target: &'s Path,
    pub(crate) overwrite: bool,
    /// Time to wait until an overwritten store is no longer in use.
    pub(crate) wait: Duration,
    pub(crate) layout: &'s Layout,
    /// Order computed by the caller, in place of another.
    pub(crate) given_order: Option<&'s GivenOrder>,
    pub(crate) temp_folder: Option<&'s Path>,
    pub(crate) checkpoints: Option<&'s Arc<BuildCheckpoints>>,
    /// True if the target replaces the store that it is built from.
    pub(crate) in_place: bool,
    /// Type of the weights; `None` to keep their type.
    pub(crate) weights: Option<WeightChoice>,
    pub(crate) work: WorkContext<'s>,
}

impl Steps<'_> {
    /// Checks the target before hours of work instead of afterwards, and removes leftovers of killed builds of it. A
    /// resumed build needs one of them; others are removed when its store is published.
    ///
    /// # Errors
    ///
    /// Returns an error if the target exists and may not be overwritten.
    pub(crate) fn require_target(&self) -> Result<()> {
        if !self.overwrite && std::fs::symlink_metadata(self.target).is_ok() {
            return Err(Error::AlreadyExists { path: self.target.to_owned() });
        }
        if !self.checkpoints.is_some_and(|checkpoints| checkpoints.resumes()) {
            outcrop_store::writing::remove_left_over(&Disk, self.target);
        }
        Ok(())
    }

    /// Waits for the writer's turn at the target, if it is overwritten.
    pub(crate) fn turn(&self) -> Result<WriterLock> {
        let wait = if self.overwrite { self.wait } else { Duration::ZERO };
        WriterLock::wait(self.target, wait, self.work.cancellation())
    }

    /// Calls `make` to build the store next to the target, verifies it, and moves it to the target.
    pub(crate) fn verified(&self, make: impl FnOnce(&Steps<'_>) -> Result<Made>) -> Result<Made> {
        self.require_target()?;
        let staged = StepStore::temporary_sibling(self.target)?;
        let made = make(&Steps { target: &staged.path, overwrite: false, ..*self })?;
        outcrop_store::check(&Store::open(&staged.path)?, self.work)?;
        let _turn = self.turn()?;
        outcrop_store::writing::publish(&Disk, &staged.path, self.target, self.overwrite)?;
        Ok(made)
    }

    /// Builds the target from `source`; the vertices keep their order, or get `order`.
    pub(crate) fn convert(&self, source: StepStore, order: Option<BuildOrder>) -> Result<Made> {
        let graph = self.open(&source)?;
        self.require(&graph, order)?;
        let (order, order_reason) = self.choose(&graph, order)?;
        let report = self.make(source, graph, order)?;
        Ok(Made { report, order_reason })
    }

    /// Moves `first`, which was built in original order, to the target if it has the requested order and placement;
    /// otherwise builds the target from it.
    pub(crate) fn finish(&self, first: StepStore, built: BuildReport, order: Option<BuildOrder>) -> Result<Made> {
        let graph = self.open(&first)?;
        if order.is_some() {
            self.require(&graph, order)?;
        }
        let (order, order_reason) = self.choose(&graph, order)?;
        let report = match order {
            None | Some(BuildOrder::Original) if self.placement() == Placement::Ascending => {
                drop(graph);
                let _turn = self.turn()?;
                outcrop_store::writing::publish(&Disk, &first.path, self.target, self.overwrite)?;
                built
            }
            order => {
                let report = self.make(first, graph, order)?;
                let BuildReport { skipped_lines, loops_dropped, input, rounding, .. } = built;
                BuildReport { skipped_lines, loops_dropped, input, rounding, ..report }
            }
        };
        Ok(Made { report, order_reason })
    }

    /// Builds the target from `graph` unchanged, with its updates merged into the lists.
    pub(crate) fn rewrite_all(&self, graph: Graph) -> Result<BuildReport> {
        let source = StepStore::given(graph.store.folder());
        self.make(source, graph, None)
    }

    /// Returns the maximum memory for rewriting `graph` with `vertices` vertices and up to `more` additional list
    /// entries per direction.
    pub(crate) fn most_memory(&self, graph: &Graph, vertices: u32, more: u64) -> MemoryPlan {
        let Graph { store, workers, .. } = graph;
        let options = self.options(self.target, self.ascending());
        let (weights, arcs) = (store.manifest().weights(), lists::arcs(graph, Direction::Out) + more);
        outcrop_store::writing::convert_memory(store, &options, false, workers).or(MostStore {
            layout: self.layout,
            weights,
            vertices,
            arcs,
            workers,
        }
        .placing())
    }

    /// Returns the order to use, and the reason if a sample decided.
    fn choose(&self, graph: &Graph, order: Option<BuildOrder>) -> Result<(Option<BuildOrder>, Option<String>)> {
        if order != Some(BuildOrder::Auto) {
            return Ok((order, None));
        }
        let choice = Orderer { graph, budget: self.work.budget, observer: self.work.observer }.choose()?;
        let order = if choice.order == Order::Degree { BuildOrder::Degree } else { BuildOrder::Original };
        Ok((Some(order), Some(choice.reason)))
    }

    /// Refuses a budget that is too small for any step to the target, before the first step instead of between two.
    fn require(&self, graph: &Graph, order: Option<BuildOrder>) -> Result<()> {
        let orderer = Orderer { graph, budget: self.work.budget, observer: self.work.observer };
        let orders = match order {
            Some(BuildOrder::Auto) => vec![BuildOrder::Auto, BuildOrder::Degree, BuildOrder::Original],
            order => order.into_iter().collect(),
        };
        let renumbers = !graph.store.manifest().is_in_rank_order();
        let permuted =
            order.is_some_and(|order| order != BuildOrder::Original || renumbers) || self.given_order.is_some();
        let options = self.options(self.target, self.ascending());
        let writing = outcrop_store::writing::convert_memory(&graph.store, &options, permuted, &graph.workers);
        let plan = orders.into_iter().map(|order| orderer.memory(order)).fold(writing, MemoryPlan::or);
        let placed = || Ok(plan.clone().or(self.most_memory(graph, graph.num_vertices(), 0)));
        self.work.budget.require(&plan).map_err(|error| match self.placement() {
            Placement::Reordered => error.at_least(placed),
            Placement::Ascending => error,
        })
    }

    fn make(&self, source: StepStore, graph: Graph, order: Option<BuildOrder>) -> Result<BuildReport> {
        let _turn = self.turn()?;
        let orderer = Orderer { graph: &graph, budget: self.work.budget, observer: self.work.observer };
        // A resumed step reads the new vertex numbers from its checkpoint.
        let resumes = self.checkpoints.is_some_and(|checkpoints| checkpoints.resumes());
        let order = match (order, self.given_order) {
            _ if resumes => None,
            (_, Some(given)) => Some(orderer.given(given)?),
            (order, None) => order.map_or(Ok(None), |order| orderer.order(order))?,
        };
        let reordered = self.placement() == Placement::Reordered;
        match order {
            None if reordered && self.weights.is_none() && graph.store.manifest().new_vertices() == 0 => {
                self.reorder(&graph)
            }
            order if reordered => {
                let numbered = StepStore::temporary_sibling(self.target)?;
                let options = ConvertOptions { overwrite: false, ..self.options(&numbered.path, self.ascending()) };
                let permutation = order.as_ref().map(|order| order.permutation());
                self.rewrite(&graph, &options, permutation.as_ref())?;
                // Remove the source, if it is temporary, before a third store is written.
                drop((order, graph, source));
                self.reorder(&self.open(&numbered)?)
            }
            order => {
                let permutation = order.as_ref().map(|order| order.permutation());
                self.rewrite(&graph, &self.options(self.target, self.layout.clone()), permutation.as_ref())
            }
        }
    }

    fn placement(&self) -> Placement {
        match self.layout {
            Layout::Chunked(settings) => settings.placement,
            Layout::Compact(_) | Layout::Csr(_) | Layout::Sliding(_) => Placement::Ascending,
        }
    }

    /// Returns the layout with lists in vertex order.
    pub(crate) fn ascending(&self) -> Layout {
        match self.layout {
            Layout::Chunked(settings) => {
                Layout::Chunked(ChunkSettings { placement: Placement::Ascending, ..settings.clone() })
            }
            Layout::Compact(settings) => Layout::Compact(*settings),
            Layout::Csr(settings) => Layout::Csr(*settings),
            Layout::Sliding(settings) => Layout::Sliding(*settings),
        }
    }

    fn options(&self, target: &Path, layout: Layout) -> ConvertOptions {
        ConvertOptions {
            target: target.to_owned(),
            overwrite: self.overwrite,
            layout,
            weights: self.weights,
            temp_folder: self.temp_folder.map(Path::to_owned),
            in_place: self.in_place,
            checkpoints: self.checkpoints.cloned(),
        }
    }

    fn open(&self, store: &StepStore) -> Result<Graph> {
        let options = OpenOptions { io: self.work.io, ..OpenOptions::default() };
        Graph::with_workers(Arc::new(Store::open(&store.path)?), self.work.workers.clone(), options)
    }

    fn rewrite(
        &self,
        graph: &Graph,
        options: &ConvertOptions,
        permutation: Option<&outcrop_store::writing::VertexPermutation<'_>>,
    ) -> Result<BuildReport> {
        outcrop_store::writing::convert(&graph.store, options, permutation, self.work)
    }

    /// Writes the lists in a separate order.
    fn reorder(&self, graph: &Graph) -> Result<BuildReport> {
        let places = Places { graph, budget: self.work.budget, observer: self.work.observer };
        let mut order = |direction, located| places.order(direction, located);
        let options = self.options(self.target, self.layout.clone());
        outcrop_store::writing::reorder(&graph.store, &options, &mut order, self.work)
            .map_err(|error| error.at_least(|| Ok(self.most_memory(graph, graph.num_vertices(), 0))))
    }
}

/// Fraction of the vertices that search places, R in the paper.
const SHARE: f64 = 0.95;

/// Computes which lists to place together.
struct Places<'p> {
    graph: &'p Graph,
    budget: &'p MemoryBudget,
    observer: &'p dyn Observer,
}

impl Places<'_> {
    /// Returns the located vertices in the order of their lists: vertices that many lists of the other direction
    /// contain are the first roots.
    fn order(&self, direction: Direction, mut located: VertexValues<VertexId>) -> Result<VertexValues<VertexId>> {
        let Graph { store, workers, io, .. } = self.graph;
        let total = Some(located.len() as u64);
        self.observer.phase(&Phase { name: "ordering lists", unit: ProgressUnit::Vertices, total });
        let degrees = degrees(store, direction.opposite(), *io, self.budget, workers.cancellation())?;
        located.sort_unstable_by_key(|vertex| (Reverse(degrees[*vertex as usize]), *vertex));
        drop(degrees);
        let needed = two_level_bytes(store.manifest().graph.vertices, located.len() as u64) + 4 * located.len() as u64;
        let lists = StoredLists::memory(store, direction, workers, IndexResidence::Resident).total();
        let cache = self.budget.available().saturating_sub(needed + lists);
        let utilization = Utilization::Ignored;
        let cache_bytes = cache.min(StoredLists::cache_bytes_for_all(store, direction, utilization));
        let options = ListOptions { cache_bytes, ..ListOptions::once(*io) };
        let lists = StoredLists::open(store, direction, &options, self.budget, workers)?;
        two_level(&lists, &located, SHARE, workers, self.budget)
    }
}
