//! Every algorithm x every kind of store x every way to open it.

use crate::answer::Answer;
use crate::graph::{Ids, Lists, Model, Shape, StoreKind};
use crate::memory::{assert_record, assert_refused_below};
use crate::pairs::pairwise;
use crate::reference::{Trial, trials};
use crate::setup::{Cache, Memory, Setup, given, model_of, request, with};
use crate::shapes;
use outcrop::{ALGORITHMS, Arg, BuildOrder, Choice, IoChoice, Model as Flow, RunRequest, ShardKind, Spec};
use proptest::prelude::*;
use std::path::Path;

/// One store and one way to open it.
pub type Row = (StoreKind, Setup);

const ORDERS: [BuildOrder; 3] = [BuildOrder::Original, BuildOrder::Degree, BuildOrder::Norder];
const IDS: [Ids; 3] = [Ids::Dense, Ids::Sparse, Ids::Text];
const LISTS: [Lists; 7] = [
    Lists::Chunked,
    Lists::TinyChunks,
    Lists::Csr,
    Lists::SmallPages,
    Lists::Compact,
    Lists::CompactPacked,
    Lists::Sliding,
];
const MEMORY: [Memory; 3] = [Memory::Minimum, Memory::Little, Memory::Ample];
const CACHES: [Cache; 3] = [Cache::Nothing, Cache::OnePage, Cache::Rest];
const THREADS: [usize; 3] = [1, 2, 4];
const IO: [IoChoice; 4] = [IoChoice::Auto, IoChoice::Pread, IoChoice::Buffered, IoChoice::Mmap];
const LEVELS: [usize; 9] =
    [2, 2, ORDERS.len(), IDS.len(), LISTS.len(), MEMORY.len(), CACHES.len(), THREADS.len(), IO.len()];

fn row(choices: [usize; 9]) -> Row {
    let [undirected, weighted, order, ids, lists, memory, cache, threads, io] = choices;
    let [undirected, weighted] = [undirected, weighted].map(|choice| choice == 1);
    let kind = StoreKind { undirected, weighted, order: ORDERS[order], ids: IDS[ids], lists: LISTS[lists] };
    (kind, Setup { memory: MEMORY[memory], cache: CACHES[cache], threads: THREADS[threads], io: IO[io] })
}

pub fn rows() -> impl Iterator<Item = Row> {
    pairwise(LEVELS).into_iter().map(row)
}

/// Of the requests, each row tries one in so many: the next row those beside them. All rows together so try all of them
/// in nearly every kind of store. With `OUTCROP_PROOF` set each row tries all.
const SHARE: usize = 10;

/// True if request number `request` of row number `row` is tried.
fn is_tried(request: usize, row: usize) -> bool {
    is_proof() || request % SHARE == row % SHARE
}

/// True if everything is asked for that can be tried, however long it takes.
pub fn is_proof() -> bool {
    std::env::var_os("OUTCROP_PROOF").is_some()
}

/// Runs all algorithms on a store of `shape`, which is row number `number`.
fn assert_row(shape: &Shape, (kind, setup): Row, number: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store = kind.build(shape, folder.path());
    let model = Model::new(shape, kind);
    let mut requests = 0;
    for spec in ALGORITHMS.iter().map(|algorithm| algorithm.spec()) {
        let trials = trials(spec.name, &model);
        assert!(model.vertices() == 0 || !trials.is_empty());
        for trial in trials {
            for request in in_every_model(&trial.request).into_iter().filter(|request| runs_on(kind, request)) {
                requests += 1;
                if !is_tried(requests, number) {
                    continue;
                }
                let answer = assert_trial((&trial, &request), &model, setup, &store);
                assert!(describes(&request, &answer.names()), "{:?}", answer.names());
            }
        }
    }
}

/// True if `request` runs on such a store: on values of edges PageRank does not count weights.
pub fn runs_on(kind: StoreKind, request: &RunRequest<'_>) -> bool {
    let by_weight =
        kind.weighted && request.algorithm().spec().name == "pagerank" && given(request, "unweighted").is_none();
    !by_weight || model_of(request) != Some(Flow::Gas)
}

/// True if every column of the algorithm that is asked for is in the result, in order, and no other.
fn describes(request: &RunRequest<'_>, names: &[String]) -> bool {
    let spec = request.algorithm().spec();
    // What is said of a column names the option that it needs.
    let needed = |meaning: &str| meaning.split_once("needs --")?.1.split([' ', ')']).next().map(str::to_owned);
    let is_given =
        |name: String| !matches!(given(request, &name), None | Some(Arg::Word("distance") | Arg::Flag(false)));
    let asked = (0..spec.columns.len()).filter(|place| needed(spec.columns[*place].meaning).is_none_or(is_given));
    let mut described = Vec::new();
    for name in names {
        let column = spec.columns.iter().position(|column| column.describes(name));
        if !described.contains(&column) {
            described.push(column);
        }
    }
    described.into_iter().eq(asked.map(Some))
}

/// The request in each model that takes its parameters; where the model can have values on disk, once with them there;
/// where messages may be delivered at once, so too.
pub fn in_every_model<'a>(request: &RunRequest<'a>) -> Vec<RunRequest<'a>> {
    let in_model = Flow::ALL.into_iter().map(|model| with(request, "model", model.name()));
    let ways = in_model.flat_map(|request| ["memory", "disk"].map(|values| with(&request, "values", values)));
    let requests = ways.flat_map(|request| [request.clone(), with(&request, "delivery", "async")]);
    requests.filter(|request| request.validate().is_ok()).collect()
}

pub fn assert_trial((trial, request): (&Trial, &RunRequest<'_>), model: &Model, setup: Setup, store: &Path) -> Answer {
    let (graph, estimate, budget) = setup.open_for(store, request);
    let result = graph.run(request).unwrap_or_else(|error| panic!("{request:?}: {error}"));
    result.converged().unwrap();
    let record = result.record();
    assert_eq!(Some(&*record.task.model), model_of(request).map(Flow::name));
    assert_eq!(record.traffic.values_on_disk, is_on_disk(request));
    assert_record(&record, &estimate, budget, setup);
    let answer = Answer::read(&result, model, store.parent().unwrap());
    (trial.check)(&answer);
    assert_refused_below(&estimate, store, setup, request);
    answer
}

fn is_on_disk(request: &RunRequest<'_>) -> bool {
    given(request, "values") == Some(&Arg::Word("disk"))
}

#[test]
fn every_model_of_every_algorithm_is_tried() {
    for Spec { name, models, .. } in ALGORITHMS.iter().map(|algorithm| algorithm.spec()) {
        let requests = in_every_model(&request!(name));
        let is_tried = |model: &Flow| requests.iter().any(|request| model_of(request) == Some(*model));
        assert!(models.iter().all(is_tried), "{name}");
        let can = *name != "walks" && models.iter().any(|model| *model != Flow::EdgeMap);
        assert_eq!(requests.iter().any(is_on_disk), can, "{name}");
    }
}

/// Names what fails.
fn assert_rows(name: &str, shape: &Shape, rows: impl Iterator<Item = Row>) {
    for (number, row) in rows.enumerate() {
        println!("{name}: {row:?}, number {number}");
        assert_row(shape, row, number);
    }
}

/// Side by side, as building small stores is waiting for the disk.
#[test]
fn small_graphs_give_what_the_references_give() {
    std::thread::scope(|scope| {
        for (name, shape) in shapes::small() {
            scope.spawn(move || assert_rows(name, &shape, rows()));
        }
    });
}

#[test]
fn many_tiny_iterations_give_what_the_references_give() {
    assert_rows("path", &shapes::path(), rows().step_by(2));
}

#[test]
fn a_graph_with_work_for_all_threads_gives_what_the_references_give() {
    assert_rows("mixed", &shapes::mixed(2000, 12_000), rows());
}

#[test]
fn lists_longer_than_a_request_give_what_the_references_give() {
    // Undirected, weighted, in degree order; ids, layout, memory, page cache, threads, I/O.
    let from_hub = [
        [0, 1, 0, 1, 0, 1, 2, 1, 2],
        [0, 0, 1, 2, 2, 0, 0, 2, 0],
        [0, 1, 0, 0, 4, 0, 0, 1, 0],
        [1, 0, 1, 1, 5, 1, 1, 2, 1],
    ];
    let to_hub = [[0, 0, 0, 0, 1, 0, 1, 0, 1], [1, 1, 1, 1, 2, 2, 2, 2, 3]];
    let rows = from_hub.map(|row| (row, true)).into_iter().chain(to_hub.map(|row| (row, false)));
    for (number, (choices, from_hub)) in rows.enumerate() {
        let row = row(choices);
        println!("star: {row:?}, number {number}");
        assert_row(&shapes::star(from_hub, row.0.weighted), row, number);
    }
}

/// All kinds of shards, made early or late, with changes that are delayed or not; what is only refused is left out.
fn with_all_shards<'a>(request: &RunRequest<'a>) -> Vec<RunRequest<'a>> {
    let request = with(&with(request, "model", "gas"), "values", "memory");
    let kinds = ShardKind::WORDS.iter().map(|kind| with(&request, "shards", *kind));
    let requests = kinds.flat_map(|request| {
        [(0_u64, 0.3), (0, 1.0), (40, 1.0)]
            .map(|(delay, share)| with(&with(&request, "delay-buffer", delay), "updated-share", share))
    });
    requests.filter(|request| request.validate().is_ok()).collect()
}

#[test]
fn every_kind_of_shards_gives_what_the_references_give() {
    let specs = ALGORITHMS.iter().map(|algorithm| algorithm.spec()).filter(|spec| spec.models.contains(&Flow::Gas));
    for (number, spec) in specs.enumerate() {
        let kind = StoreKind {
            undirected: number % 2 == 1,
            weighted: true,
            lists: LISTS[number % LISTS.len()],
            order: ORDERS[number % 2],
            ..StoreKind::PLAIN
        };
        let (shape, folder) = (shapes::mixed(200, 700), tempfile::tempdir().unwrap());
        let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
        for trial in trials(spec.name, &model) {
            // Temperatures are those of a step without delays only.
            let exact = |request: &RunRequest<'_>| {
                spec.name != "heat" || given(request, "delay-buffer") == Some(&Arg::Count(0))
            };
            let runs = |request: &RunRequest<'_>| runs_on(kind, request);
            for (turn, request) in with_all_shards(&trial.request).into_iter().filter(exact).filter(runs).enumerate() {
                println!("{kind:?}: {request:?}");
                let setup = if turn % 2 == 0 { Setup::LEAST } else { Setup::PLAIN };
                assert_trial((&trial, &request), &model, setup, &store);
            }
        }
    }
}

/// Distances, ranks and components in every other order, by original ids.
#[test]
fn every_order_gives_what_the_references_give() {
    let orders = [BuildOrder::Random { seed: 3 }, BuildOrder::PageRank, BuildOrder::Norder, BuildOrder::Auto];
    for (number, order) in orders.into_iter().enumerate() {
        let (undirected, ids, lists) = (number % 2 == 1, IDS[number % 3], LISTS[(number + 1) % LISTS.len()]);
        let kind = StoreKind { undirected, weighted: true, order, ids, lists };
        let (shape, folder) = (shapes::mixed(600, 3000), tempfile::tempdir().unwrap());
        let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
        for trial in ["bfs", "sssp", "pagerank", "wcc"].into_iter().flat_map(|name| trials(name, &model)) {
            for request in in_every_model(&trial.request).into_iter().filter(|request| runs_on(kind, request)) {
                println!("{kind:?}: {request:?}");
                assert_trial((&trial, &request), &model, Setup::PLAIN, &store);
            }
        }
    }
}

fn any_row() -> impl Strategy<Value = Row> {
    LEVELS.map(|levels| 0..levels).prop_map(row)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]
    #[test]
    fn any_graph_gives_what_the_references_give(shape in shapes::any(), row in any_row(), number in 0..SHARE) {
        assert_row(&shape, row, number);
    }
}
