//! The budget is hard, the estimate is enough, and records add up.

use crate::answer::Answer;
use crate::graph::{self, Lists, StoreKind};
use crate::setup::{Cache, Setup, request, with};
use crate::shapes;
use outcrop::{
    Error, Estimate, Graph, IterationRecord, MemoryPlan, MemorySize, Observer, OpenOptions, Phase, Purpose, RunRecord,
    RunRequest,
};
use outcrop_store::Component;
use outcrop_store::layout::DegreeReader;
use outcrop_types::VertexValues;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn bytes_of(plan: &MemoryPlan, purpose: Purpose) -> u64 {
    plan.needs().iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
}

/// Reservations stayed within the budget, and each purpose took what the estimate had said, with these exceptions: what
/// is said of results takes what their rows take later, and buffers that these read by; readers of lists have larger
/// buffers where there is more; betweenness takes more where there is more; many sources of it at once and a core from
/// which nothing is removed have fewer frontiers and degrees; so do paths from a vertex to itself, and colors of an
/// empty graph and orders without a first vertex have fewer frontiers; the degrees of both directions are added up
/// before there are sums over triangles, states of colors or dimensions (of which more at once take more memory), and
/// these sums are given as larger numbers once no list is held; and each direction counts the buffers of a reader and
/// what its index is made from, which it needs only while it is opened, one after the other. Weights of a
/// personalisation are no part of the plan. Vertices of ranks are planned for all orders, and paths of up to 65,536
/// vertices.
pub fn assert_record(record: &RunRecord, estimate: &Estimate, budget: u64, setup: Setup) {
    assert_eq!(record.memory.budget, budget);
    match &*record.task.model {
        "interval" => return assert_interval_record(record, setup),
        "messages" => return assert_message_record(record, setup),
        "gas" => return assert_gas_record(record, setup),
        _ => {}
    }
    assert!(record.memory.peak <= budget, "{}", record.memory.peak);
    for purpose in [Purpose::Degrees, Purpose::Frontier, Purpose::IdMap] {
        let [held, said] = [&record.memory.by_purpose, &estimate.plan].map(|plan| bytes_of(plan, purpose));
        let right = match (&*record.task.algorithm, purpose) {
            ("bc" | "kcore" | "path", _) | ("coloring" | "topological-sort", Purpose::Frontier) => held <= said,
            ("triangles" | "lcc" | "coloring" | "fastrp", Purpose::Degrees) => held == said || held == 2 * said,
            _ => held == said,
        };
        assert!(right, "{}: {purpose:?} took {held} of {said}", record.task.algorithm);
    }
    let index = [&record.memory.by_purpose, &estimate.plan].map(|plan| bytes_of(plan, Purpose::Index));
    assert!(index[0] <= index[1] && index[1] <= 2 * index[0], "{index:?}");
    let [held, said] = [&record.memory.by_purpose, &estimate.plan].map(|plan| bytes_of(plan, Purpose::VertexValues));
    let has_less = ["path", "topological-sort"].contains(&&*record.task.algorithm);
    let values = if has_less { held.saturating_sub(said) } else { held - said };
    let personalized = record.task.parameters.contains_key("personalization") && values <= budget - estimate.minimum;
    let most = match &*record.task.algorithm {
        "bc" | "fastrp" => budget,
        "triangles" | "lcc" => VertexValues::<u64>::bytes(record.graph.vertices.into()),
        _ => 0,
    };
    assert!(values <= most || personalized, "{}: {values} of {most}", record.task.algorithm);
    let [planned, buffers] = [&estimate.plan, &record.memory.by_purpose].map(|plan| bytes_of(plan, Purpose::IoBuffers));
    let opening = if record.task.layout == "compact" { DegreeReader::MEMORY_BYTES } else { Component::READER_BYTES };
    assert!(planned == buffers || planned - opening <= buffers, "{buffers} of {planned}");
    let cache = bytes_of(&record.memory.by_purpose, Purpose::PageCache);
    let most = budget - estimate.minimum;
    assert!(cache <= most, "{cache} of {most}");
    assert!(
        buffers <= planned + bytes_of(&estimate.plan, Purpose::Results) + most,
        "{buffers} of {planned} and {most}"
    );
    let blocks = record.task.layout == "sliding";
    assert!(blocks || setup.cache == Cache::Rest || cache == 0, "one page is not enough for a table and a page");
    assert_details(record, setup);
}

/// In the interval model the engine takes more than the estimate for lists and windows where there is more, until rows
/// are handed out.
fn assert_interval_record(record: &RunRecord, setup: Setup) {
    assert!(record.memory.peak <= record.memory.budget, "{}", record.memory.peak);
    let values = bytes_of(&record.memory.by_purpose, Purpose::VertexValues);
    assert!(
        !record.traffic.values_on_disk || values == 0 || record.task.parameters.contains_key("personalization"),
        "{values}"
    );
    let sum = |of: fn(&IterationRecord) -> u64| record.iterations_detail.iter().map(of).sum::<u64>();
    let traffic = [sum(|detail| detail.value_bytes_read), sum(|detail| detail.bytes_written)];
    assert!(traffic[0] <= record.traffic.value_bytes_read && traffic[1] <= record.traffic.bytes_written);
    // Degrees count with values, wherever these are; making a vector does not, and a single edge may change nothing.
    // Nor do loops change labels, however many: then there is one iteration, and nothing to write. A product with zeros
    // stays zero.
    let labels_stay = record.task.algorithm == "wcc" && record.convergence.iterations <= 1;
    assert!(!labels_stay || traffic[1] == 0, "{}", traffic[1]);
    // Distances alone stay as they begin where no edge leaves the source.
    let distances_stay = matches!(&*record.task.algorithm, "bfs" | "sssp") && record.convergence.iterations <= 1;
    let expected = record.traffic.values_on_disk && record.graph.edges > 1 && !labels_stay && !distances_stay;
    let written = record.traffic.bytes_written > 0 || record.task.algorithm == "spmv";
    assert!(!expected || (record.traffic.value_bytes_read > 0 && written), "{}", record.task.algorithm);
    assert!(record.traffic.values_on_disk || record.traffic.bytes_written == 0);
    assert_details(record, setup);
}

/// In the messages model the engine takes more than the estimate for sorting and lists where there is more, until rows
/// are handed out.
fn assert_message_record(record: &RunRecord, setup: Setup) {
    assert!(record.memory.peak <= record.memory.budget, "{}", record.memory.peak);
    let values = bytes_of(&record.memory.by_purpose, Purpose::VertexValues);
    assert!(
        !record.traffic.values_on_disk || values == 0 || record.task.parameters.contains_key("personalization"),
        "{values}"
    );
    let messages = record.optional.messages.as_ref().unwrap();
    let figures = &messages.figures;
    assert!(figures.delivered <= figures.sent && figures.thin_pages <= figures.pages);
    assert!(figures.predicted_pages <= figures.thin_pages && figures.lists_from_log <= figures.logged_lists);
    assert!(messages.edge_log && messages.fuse && messages.log == "multi");
    let logs = figures.log_bytes_written + figures.edge_log_bytes_written;
    assert!(
        record.traffic.bytes_written >= logs && (record.traffic.values_on_disk || record.traffic.bytes_written == logs),
        "{record:?}"
    );
    assert_details(record, setup);
}

/// On values of edges the engine takes more than the estimate for edges and their values where there is more, until
/// rows are handed out.
fn assert_gas_record(record: &RunRecord, setup: Setup) {
    assert!(record.memory.peak <= record.memory.budget, "{}", record.memory.peak);
    let gas = record.optional.gas.as_ref().unwrap();
    let figures = &gas.figures;
    assert!(record.graph.vertices == 0 || figures.arcs <= 2 * record.graph.edges && figures.intervals > 0);
    assert!(figures.steps.iter().all(|step| step.arcs <= figures.arcs && step.updated_arcs <= figures.arcs));
    let shadows = figures.steps.iter().filter(|step| step.shadow).count();
    assert_eq!(shadows, figures.shadows as usize);
    assert_eq!(figures.steps.len() - shadows, record.iterations_detail.len());
    assert!(gas.shards != "static" || (figures.shadows, figures.dynamic_sets) == (0, 0));
    assert!(
        figures.arcs == 0 || figures.prepared_bytes > 0 || record.task.layout == "sliding",
        "only one layout has shards"
    );
    let files = figures.prepared_bytes + figures.bytes_written;
    assert!(
        record.traffic.bytes_written >= files
            && (record.traffic.values_on_disk || record.traffic.bytes_written == files),
        "{record:?}"
    );
    let read = record.iterations_detail.iter().map(|detail| detail.bytes_read).sum::<u64>();
    assert!(read <= record.traffic.bytes_read + record.traffic.value_bytes_read, "{read}");
    assert!(setup.cache == Cache::Rest || bytes_of(&record.memory.by_purpose, Purpose::PageCache) <= 4096);
    assert!((1..).zip(&record.iterations_detail).all(|(number, detail)| detail.iteration == number));
    // Vertices begin in the first, and of heat neighbors are counted in the second.
    assert!(record.iterations_detail.len() >= record.convergence.iterations as usize);
}

/// The figures of iterations add up to those of the run, but for lists that were loaded before the first.
fn assert_details(record: &RunRecord, setup: Setup) {
    let details = &record.iterations_detail;
    let sum = |of: fn(&IterationRecord) -> u64| details.iter().map(of).sum::<u64>();
    let read = [sum(|detail| detail.bytes_read), sum(|detail| detail.requests), sum(|detail| detail.cache_misses)];
    let all = [record.traffic.bytes_read, record.files.requests, record.cache.cache_misses];
    assert!(read == all || (setup.cache == Cache::Rest && read.iter().zip(all).all(|(read, all)| *read <= all)));
    assert_eq!(sum(|detail| detail.cache_hits), record.cache.cache_hits);
    assert!((1..).zip(details).all(|(number, detail)| detail.iteration == number));
    if record.task.model == "messages" {
        // Supersteps, of which the last may only find that nothing changes.
        return assert!(details.len() >= record.convergence.iterations as usize);
    }
    let beyond = details.len() - record.convergence.iterations as usize;
    let algorithm = &*record.task.algorithm;
    let finds_predecessors =
        ["sssp", "path"].contains(&algorithm) || (algorithm, &*record.task.model) == ("bfs", "interval");
    assert!(beyond == 0 || finds_predecessors, "only predecessors are looked for in further rounds");
}

/// Refuses to hear of iterations.
struct Never;

impl Observer for Never {
    fn iteration(&self, record: &IterationRecord) {
        panic!("no iteration may begin: {record:?}");
    }
}

/// With a byte less than the estimate the run is refused before it begins, and the refusal names the estimate and the
/// page cache that is asked for.
pub fn assert_refused_below(estimate: &Estimate, store: &Path, setup: Setup, request: &RunRequest<'_>) {
    let memory = MemorySize::Bytes(estimate.minimum - 1);
    let options = OpenOptions { memory, observer: Arc::new(Never), ..setup.options() };
    let error = Graph::open(store, options).unwrap().run(request).err().unwrap();
    let Error::BudgetTooSmall { budget, plan, retry: None, .. } = error else { panic!("{error}") };
    let cache = setup.cache.asked();
    assert_eq!((budget, plan.total()), (estimate.minimum - 1, estimate.minimum + cache));
    for purpose in Purpose::ALL.into_iter().filter(|purpose| *purpose != Purpose::PageCache) {
        assert_eq!(bytes_of(&plan, purpose), bytes_of(&estimate.plan, purpose));
    }
}

#[test]
fn a_page_cache_beyond_the_minimum_is_refused_with_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::path(), folder.path());
    let request = request!("wcc");
    let setup = Setup { cache: Cache::OnePage, ..Setup::LEAST };
    let minimum = setup.open_with(&store, 0).estimate(&request).unwrap().minimum;
    let error = setup.open_with(&store, minimum + 4095).run(&request).err().unwrap();
    let Error::BudgetTooSmall { plan, retry: None, .. } = error else { panic!("{error}") };
    assert_eq!(plan.total(), minimum + 4096);
    assert!(setup.open_with(&store, minimum + 4096).run(&request).is_ok());
}

#[test]
fn a_batch_takes_what_the_page_cache_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let kind = StoreKind { lists: Lists::Csr, ..StoreKind::PLAIN };
    let store = kind.build(&shapes::mixed(3000, 120_000), folder.path());
    let request = request!("bc", "samples" = 40_u32);
    let estimate = Setup::LEAST.open_with(&store, 0).estimate(&request).unwrap();
    let run = |setup: Setup, memory: u64, request: &RunRequest| {
        let result = setup.open_with(&store, memory).run(request).unwrap();
        let record = result.record();
        assert!(record.memory.peak <= memory);
        (record.task.parameters["batch"].as_u64().unwrap(), record.convergence.iterations, record.traffic.bytes_read)
    };
    // Beyond one source: 9 bytes a vertex for each, and 6 less in all.
    let bytes = |batch: u64| 3000 * (9 * batch - 6);
    for batch in [2, 4, 8, 16] {
        let setup = Setup { cache: Cache::Nothing, ..Setup::LEAST };
        let [below, exactly] = [1, 0].map(|less| run(setup, estimate.minimum + bytes(batch) - less, &request).0);
        assert_eq!((below, exactly), (if batch == 2 { 1 } else { batch / 2 }, batch));
    }
    assert_eq!(run(Setup::PLAIN, estimate.all_in_memory + (64 << 20), &request).0, 16);
    // A batch that is asked for is part of the minimum.
    let asked = |batch: u64| with(&request, "batch", batch);
    let minimum = |batch| Setup::LEAST.open_with(&store, 0).estimate(&asked(batch)).unwrap().minimum;
    assert_eq!(minimum(16) - minimum(1), bytes(16));
    let [(_, alone, read_alone), (_, together, read_together)] =
        [1, 16].map(|batch| run(Setup { cache: Cache::Nothing, ..Setup::LEAST }, minimum(batch), &asked(batch)));
    assert_eq!((alone, together), (40, 3));
    assert!(4 * read_together < read_alone, "{read_together} of {read_alone}");
}

#[test]
fn with_all_in_memory_sweeps_read_every_list_once() {
    for (lists, file) in [
        (Lists::Csr, "edges"),
        (Lists::Chunked, "chunks"),
        (Lists::TinyChunks, "chunks"),
        (Lists::CompactPacked, "shards"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let kind = StoreKind { weighted: true, lists, ..StoreKind::PLAIN };
        assert_read_once(&kind.build(&shapes::mixed(2000, 12_000), folder.path()), file);
    }
}

#[test]
fn with_all_in_memory_sweeps_read_every_block_once() {
    let folder = tempfile::tempdir().unwrap();
    let kind = StoreKind { weighted: true, lists: Lists::Sliding, ..StoreKind::PLAIN };
    let store = kind.build(&shapes::mixed(2000, 12_000), folder.path());
    let file = std::fs::metadata(store.join("shards.blocks")).unwrap().len();
    // Blocks begin and end within sectors, which are read for both; of out-lists one from each shard.
    for (request, blocks) in [(request!("wcc"), 36), (request!("pagerank", "unweighted" = true), 6)] {
        let needed = Setup::PLAIN.open_with(&store, 0).estimate(&request).unwrap().all_in_memory;
        let read = Setup::PLAIN.open_with(&store, needed).run(&request).unwrap().record().traffic.bytes_read;
        assert!((file - 4096..file + blocks * 2 * 4096).contains(&read), "{request:?}: {read} of {file}");
    }
}

/// The page cache has a quarter of what messages and lists leave; the estimate says when that is enough.
#[test]
fn with_the_memory_that_the_estimate_names_lists_stay_beside_messages() {
    let folder = tempfile::tempdir().unwrap();
    let kind = StoreKind { lists: Lists::Csr, ..StoreKind::PLAIN };
    let store = kind.build(&shapes::mixed(20_000, 400_000), folder.path());
    let request = request!("pagerank", "model" = "messages", "iterations" = 5_u32);
    let needed = Setup::PLAIN.open_with(&store, 0).estimate(&request).unwrap().all_in_memory;
    let read = |memory| Setup::PLAIN.open_with(&store, memory).run(&request).unwrap().record().traffic.bytes_read;
    let bytes = std::fs::metadata(store.join("out.edges")).unwrap().len();
    // In six supersteps; two workers may read the same page at first.
    assert!(read(needed) < 2 * bytes, "{} of {bytes}", read(needed));
    let minimum = Setup::PLAIN.open_with(&store, 0).estimate(&request).unwrap().minimum;
    assert!(read(minimum) > 4 * bytes);
}

/// Keeps what it is told of phases.
#[derive(Default)]
struct Phases(Mutex<Vec<&'static str>>);

impl Observer for Phases {
    fn phase(&self, phase: &Phase) {
        self.0.lock().unwrap().push(phase.name);
    }
}

/// Of a graph with locality the blocks from an interval into itself are larger than what is expected of any graph: they
/// are found too large for the budget only once they are written.
#[test]
fn shards_with_large_blocks_are_written_in_more_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let kind = StoreKind { lists: Lists::Csr, ..StoreKind::PLAIN };
    let shape = shapes::band(20_000, 50);
    let store = kind.build(&shape, folder.path());
    let request = request!("sssp", "model" = "gas", "source" = "5");
    // Each thread has buffers for a block.
    let setup = Setup { cache: Cache::Nothing, threads: 32, ..Setup::LEAST };
    let minimum = setup.open_with(&store, 0).estimate(&request).unwrap().minimum;
    let phases = Arc::new(Phases::default());
    let options =
        OpenOptions { memory: MemorySize::Bytes(minimum), observer: Arc::clone(&phases) as _, ..setup.options() };
    let result = Graph::open(&store, options).unwrap().run(&request).unwrap();
    assert!(phases.0.lock().unwrap().contains(&"writing smaller shards"));
    assert!(result.record().memory.peak <= minimum);
    let distances = Answer::read(&result, &graph::Model::new(&shape, kind), folder.path()).doubles("distance");
    let steps = (0..20_000).map(|vertex| Some(f64::from(((vertex + 19_995) % 20_000_u32).div_ceil(50))));
    assert_eq!(distances, steps.collect::<Vec<_>>());
}

fn assert_read_once(store: &Path, file: &str) {
    let pagerank = request!("pagerank", "unweighted" = true);
    let wcc = request!("wcc", "method" = "sweep");
    for (request, lists) in [(wcc, format!("out.{file}")), (pagerank, format!("in.{file}"))] {
        let needed = Setup::PLAIN.open_with(store, 0).estimate(&request).unwrap().all_in_memory;
        let result = Setup::PLAIN.open_with(store, needed).run(&request).unwrap();
        let bytes = std::fs::metadata(store.join(lists)).unwrap().len();
        assert_eq!(result.record().traffic.bytes_read, bytes, "{request:?}");
    }
}
