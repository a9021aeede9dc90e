//! Queries about a few vertices: equal answers on every path, and what a warm handle reads for them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

use arrow_array::{Array, UInt64Array};
use outcrop::{
    Bandwidths, BuildRequest, BuildResources, Cancellation, EdgeInput, Error, Graph, Handle, IdBatch, IoChoice,
    MemorySize, MergeRule, NeighborsRequest, OpenOptions, Result, RunRequest, Silent, UpdateRequest, build, update,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const VERTICES: u64 = 60_000;
const EDGES: u64 = 240_000;

/// Serializes the tests: the system counts the reads and threads of a process.
static ALONE: Mutex<()> = Mutex::new(());

/// Neighbors of each vertex, ascending.
type Lists = BTreeMap<u64, Vec<u64>>;

/// Returns pseudorandom edges between scattered IDs: most have a small source.
fn edges(first: u64, count: u64) -> Vec<(u64, u64)> {
    let random = |number: u64| {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
    };
    let id = |vertex: u64| vertex * 7 + 3;
    let edge = |number: u64| {
        (id(random(3 * number) % (1 + random(3 * number + 1) % VERTICES)), id(random(3 * number + 2) % VERTICES))
    };
    (first..first + count).map(edge).collect()
}

fn write(path: PathBuf, edges: &[(u64, u64)]) -> EdgeInput {
    std::fs::write(&path, edges.iter().map(|(from, to)| format!("{from} {to}\n")).collect::<String>()).unwrap();
    EdgeInput::from(path)
}

fn lists(edges: &[(u64, u64)]) -> Lists {
    let mut lists = Lists::new();
    for (from, to) in edges {
        lists.entry(*from).or_default().push(*to);
        lists.entry(*to).or_default();
    }
    lists.values_mut().for_each(|list| list.sort_unstable());
    lists
}

/// Builds a store of random edges in `folder`, and returns its path and lists.
fn store_in(folder: &Path) -> (PathBuf, Lists) {
    let (edges, path) = (edges(0, EDGES), folder.join("g.outcrop"));
    let request = BuildRequest::new(vec![write(folder.join("edges.el"), &edges)], &path);
    let resources = BuildResources { memory: MemorySize::Bytes(256 << 20), ..request.resources };
    build(&BuildRequest { resources, ..request }, &Cancellation::new(), &Silent).unwrap();
    (path, lists(&edges))
}

fn options(io: IoChoice, memory: MemorySize) -> OpenOptions {
    OpenOptions { io, memory, threads: Some(3), bandwidths: Some(Bandwidths::assumed()), ..OpenOptions::default() }
}

/// Returns the neighbors of `nodes` in the order of the request.
fn ask(graph: &Graph, nodes: &[u64]) -> Result<Vec<(u64, u64)>> {
    let mut rows = Vec::new();
    graph.neighbors(&NeighborsRequest::new(IdBatch::Integers(nodes.to_vec())))?.for_each_batch(|batch| {
        let column = |place: usize| batch.column(place).as_any().downcast_ref::<UInt64Array>().unwrap();
        rows.extend(column(0).values().iter().copied().zip(column(1).values().iter().copied()));
        Ok(())
    })?;
    Ok(rows)
}

fn call<T>(handle: &Handle, work: impl FnOnce(&Graph) -> Result<T>) -> Result<T> {
    handle.call(&Cancellation::new(), Arc::new(Silent), work)
}

fn expected(lists: &Lists, nodes: &[u64]) -> Vec<(u64, u64)> {
    nodes.iter().flat_map(|node| lists[node].iter().map(move |neighbor| (*node, *neighbor))).collect()
}

/// Returns the smallest budget of a query about `nodes`, from its refusal.
fn smallest(path: &Path, io: IoChoice, nodes: &[u64]) -> MemorySize {
    match ask(&Graph::open(path, options(io, MemorySize::Bytes(1))).unwrap(), nodes) {
        Err(Error::BudgetTooSmall { plan, .. }) => MemorySize::Bytes(plan.total()),
        other => panic!("{other:?}"),
    }
}

/// Returns requests of one vertex, a few and many, with duplicates.
fn requests(lists: &Lists) -> Vec<Vec<u64>> {
    let ids: Vec<u64> = lists.keys().copied().collect();
    let every = |step: usize| ids.iter().copied().step_by(step).collect::<Vec<_>>();
    let single = ids.iter().step_by(4001).map(|id| vec![*id]);
    single.chain([vec![ids[9], ids[5], ids[9]], every(6000), every(300), every(11)]).collect()
}

fn compare(path: &Path, lists: &Lists) {
    let largest = requests(lists).pop().unwrap();
    for io in IoChoice::ALL {
        if matches!(ask(&Graph::open(path, options(io, MemorySize::Auto)).unwrap(), &[3]), Err(Error::Usage(_))) {
            continue;
        }
        for memory in [MemorySize::Auto, MemorySize::Bytes(64 << 20), smallest(path, io, &largest)] {
            let handle = Handle::open(path, options(io, memory)).unwrap();
            for nodes in requests(lists) {
                let expected = expected(lists, &nodes);
                let cold = ask(&Graph::open(path, options(io, memory)).unwrap(), &nodes).unwrap();
                assert!(cold == expected, "{io} {memory:?} {nodes:?}");
                for _ in 0..2 {
                    let warm = call(&handle, |graph| ask(graph, &nodes)).unwrap();
                    assert!(warm == expected, "{io} {memory:?} {nodes:?}");
                }
            }
            let absent = call(&handle, |graph| ask(graph, &[4]));
            assert!(matches!(absent, Err(Error::Usage(_))), "{absent:?}");
        }
    }
}

#[test]
fn answers_depend_on_no_backend_budget_or_warmth() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let (path, lists_before) = store_in(folder.path());
    compare(&path, &lists_before);
    let more = edges(EDGES, 3000)
        .into_iter()
        .filter(|(from, to)| lists_before.contains_key(from) && lists_before.contains_key(to));
    let more: Vec<_> = more.collect();
    let add = vec![write(folder.path().join("more.el"), &more)];
    let request = UpdateRequest { add, merge: MergeRule::Never, ..UpdateRequest::new(&path) };
    update(&request, &Cancellation::new(), &Silent).unwrap();
    compare(&path, &lists(&[edges(0, EDGES), more].concat()));
}

/// Returns the bytes that all threads of the process have read, and the number of reads.
fn read_so_far() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().parse().unwrap();
    (of("rchar:"), of("syscr:"))
}

/// Returns the number of threads for work or reads.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names =
        tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_else(|_| String::new()));
    names.filter(|name| name.starts_with("outcrop-")).count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_warm_handle_reads_little_for_a_vertex_and_starts_no_threads() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let (path, lists) = store_in(folder.path());
    let ids: Vec<u64> = lists.keys().copied().collect();
    let handle = Handle::open(&path, options(IoChoice::Pread, MemorySize::Auto)).unwrap();
    let ask_each = |nodes: &mut dyn Iterator<Item = &u64>| {
        nodes.for_each(|node| {
            assert_eq!(call(&handle, |graph| ask(graph, &[*node])).unwrap(), expected(&lists, &[*node]))
        });
    };
    ask_each(&mut ids.iter().step_by(ids.len() / 300));
    let (bytes, reads) = read_so_far();
    ask_each(&mut ids.iter().skip(7).step_by(ids.len() / 100).take(100));
    let (more_bytes, more_reads) = read_so_far();
    let (bytes, reads) = ((more_bytes - bytes) / 100, (more_reads - reads) / 100);
    assert!(bytes <= 20 << 10 && reads <= 5, "{bytes} bytes and {reads} reads per query");
    assert_eq!(threads(), 0);
}

#[test]
fn memory_of_ids_is_released_when_a_run_needs_it() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let (path, lists) = store_in(folder.path());
    let ids: Vec<u64> = lists.keys().copied().step_by(977).collect();
    let request = RunRequest::new("pagerank").unwrap();
    let run = |graph: &Graph| graph.run(&request).map(|result| result.record().memory.peak);
    let open = |memory| options(IoChoice::Auto, memory);
    // The smallest budget of the run that also has room for the IDs of a query.
    let needed = Graph::open(&path, open(MemorySize::Auto)).unwrap().estimate(&request).unwrap().plan.total();
    let memory = needed.max(match smallest(&path, IoChoice::Auto, &[3]) {
        MemorySize::Bytes(bytes) => bytes + (6 << 20),
        other => panic!("{other:?}"),
    });
    let handle = Handle::open(&path, open(MemorySize::Bytes(memory))).unwrap();
    for _ in 0..2 {
        let rows = call(&handle, |graph| ask(graph, &ids)).unwrap();
        assert_eq!(rows, expected(&lists, &ids));
        let kept = handle.reclaimable_bytes();
        assert!(kept > VERTICES * 8 && kept <= memory, "{kept} of {memory}");
        assert!(call(&handle, run).unwrap() <= memory);
    }
}
