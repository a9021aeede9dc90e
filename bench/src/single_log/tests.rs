//! Tests of a message log over the sorted log: each sent message arrives once, or combined, in memory and on disk.

use super::SingleLog;
use outcrop::{BuildRequest, Cancellation, EdgeInput, Graph, MemorySize, OpenOptions, RunRequest, Silent, build};
use outcrop_io::{BitFlip, SpillFolder};
use outcrop_messages::log::{Combine, GroupSpace, LogSetup, MessageLog, space_bytes};
use outcrop_store::access::Workers;
use outcrop_types::{Error, MemoryBudget, Result, SplitMix64, VertexId, VertexRange};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

type Groups = BTreeMap<VertexId, Vec<u64>>;
type Sent = Vec<(Vec<VertexId>, u64)>;

/// Delivers every message, or the sum of the messages to a vertex.
struct Messages<const COMBINED: bool>;

impl<const COMBINED: bool> Combine<u64> for Messages<COMBINED> {
    const COMBINES: bool = COMBINED;

    fn combine(&self, one: u64, other: u64) -> u64 {
        one.wrapping_add(other)
    }
}

struct Setting {
    folder: tempfile::TempDir,
    spill: SpillFolder,
    workers: Workers,
    budget: MemoryBudget,
    intervals: Vec<VertexRange>,
}

impl Setting {
    fn new(lengths: &[u32], threads: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ends = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(VertexRange::new(*end - length, *end))
        });
        Self {
            spill: SpillFolder::new(folder.path()).unwrap(),
            folder,
            workers: Workers::start(threads, Cancellation::new()).unwrap(),
            budget: MemoryBudget::new(64 << 20),
            intervals: ends.collect(),
        }
    }

    fn log(&self, memory: u64) -> MessageLog<u64> {
        let Self { intervals, spill, workers, budget, .. } = self;
        let setup = LogSetup { intervals, page_bytes: 4096, memory, messages: 0, spill, workers, budget };
        MessageLog::with_backend(setup, &SingleLog).unwrap()
    }

    fn send<C: Combine<u64>>(&self, log: &MessageLog<u64>, sent: &Sent, combine: &C) {
        let threads = self.workers.threads();
        let send = |slot: usize| {
            let mut writer = log.writer(slot);
            sent.iter()
                .skip(slot % threads)
                .step_by(threads)
                .for_each(|(to, message)| writer.send(to, *message, combine));
            Ok(())
        };
        self.workers.run(false, &send).unwrap();
    }

    /// Loads all pending messages, by vertex.
    fn load<C: Combine<u64>>(&self, log: &MessageLog<u64>, combine: &C) -> Result<Groups> {
        let mut space = GroupSpace::<u64>::new(space_bytes(60_000, 3000, 8, false), 4096, C::COMBINES, &self.budget)?;
        let mut groups = Groups::new();
        for interval in 0..self.intervals.len() {
            let mut drained = [log.drain(interval, combine)?];
            let VertexRange { mut start, end } = self.intervals[interval];
            while start < end {
                start = log.load(&mut drained, start, &mut space, combine)?;
                let mut block = space.all();
                let vertices: Vec<_> = block.vertices().collect();
                groups.extend(vertices.into_iter().map(|vertex| (vertex, sorted(block.of(vertex).to_vec()))));
            }
        }
        log.check().map(|()| groups)
    }
}

fn sorted(mut messages: Vec<u64>) -> Vec<u64> {
    messages.sort_unstable();
    messages
}

fn expected(sent: &Sent, combined: bool) -> Groups {
    let mut groups = Groups::new();
    sent.iter().for_each(|(to, message)| to.iter().for_each(|to| groups.entry(*to).or_default().push(*message)));
    let sum = |messages: Vec<u64>| vec![messages.into_iter().fold(0, u64::wrapping_add)];
    groups.into_iter().map(|(to, messages)| (to, if combined { sum(messages) } else { sorted(messages) })).collect()
}

/// Returns messages to random vertices of three intervals, each to five of them.
fn drawn(messages: u64, seed: u64) -> Sent {
    let random = SplitMix64::new(seed, 6);
    let to = |position| (random.at(position) % 6010) as VertexId;
    (0..messages / 5).map(|message| ((message * 5..message * 5 + 5).map(to).collect(), message)).collect()
}

const LENGTHS: [u32; 4] = [1010, 2000, 0, 3000];

fn arrives<const COMBINED: bool>(lengths: &[u32], threads: usize, memory: u64, supersteps: &[Sent]) {
    let setting = Setting::new(lengths, threads);
    {
        let log = setting.log(memory);
        for sent in supersteps {
            setting.send(&log, sent, &Messages::<COMBINED>);
            assert_eq!(setting.load(&log, &Messages::<COMBINED>).unwrap(), expected(sent, COMBINED));
        }
        assert!((0..lengths.len()).all(|interval| log.waiting(interval) == 0));
        let sent: usize = supersteps.iter().flatten().map(|(to, _)| to.len()).sum();
        assert_eq!(log.figures().sent, sent as u64);
    }
    assert_eq!(setting.budget.available(), setting.budget.limit());
}

fn works() -> impl Strategy<Value = (Vec<u32>, usize, u64, Vec<Sent>)> {
    let lengths =
        proptest::collection::vec(0_u32..400, 1..9).prop_filter("vertices", |all| all.iter().sum::<u32>() > 0);
    (lengths, 1_usize..4, 0_u64..20_000).prop_flat_map(|(lengths, threads, memory)| {
        let to = proptest::collection::vec(0..lengths.iter().sum::<u32>(), 1..20);
        let superstep = proptest::collection::vec((to, any::<u64>()), 0..150);
        let supersteps = proptest::collection::vec(superstep, 1..4);
        supersteps.prop_map(move |supersteps| (lengths.clone(), threads, memory, supersteps))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn everything_is_delivered_or_combined((lengths, threads, memory, supersteps) in works()) {
        arrives::<false>(&lengths, threads, memory, &supersteps);
        arrives::<true>(&lengths, threads, memory, &supersteps);
    }
}

#[test]
fn few_messages_cause_no_traffic_and_many_go_to_disk_and_come_back() {
    for (messages, in_memory) in [(100, true), (100_000, false)] {
        let setting = Setting::new(&LENGTHS, 2);
        let log = setting.log(300 << 10);
        for superstep in 0..4 {
            let sent = drawn(messages, superstep);
            setting.send(&log, &sent, &Messages::<false>);
            assert_eq!(setting.load(&log, &Messages::<false>).unwrap(), expected(&sent, false));
        }
        let figures = log.figures();
        assert_eq!((figures.bytes_written == 0, figures.bytes_read == 0), (in_memory, in_memory), "{figures:?}");
    }
}

#[test]
fn messages_are_combined_on_their_way() {
    let setting = Setting::new(&LENGTHS, 1);
    let log = setting.log(64 << 10);
    let sent: Sent = (0..100_000).map(|message| (vec![3, 1015, 3], message)).collect();
    setting.send(&log, &sent, &Messages::<true>);
    assert_eq!(log.drain(1, &Messages::<true>).unwrap().count(), 1);
    assert!(log.figures().bytes_written < 300_000);
}

#[test]
fn a_message_to_no_vertex_is_an_error_and_interruption_ends_loading() {
    let setting = Setting::new(&LENGTHS, 1);
    let log = setting.log(64 << 10);
    setting.send(&log, &vec![(vec![5, 6010, 6], 1)], &Messages::<false>);
    assert!(matches!(log.check(), Err(Error::Usage(message)) if message.contains("6010")));
    let log = setting.log(64 << 10);
    setting.send(&log, &drawn(100_000, 3), &Messages::<false>);
    setting.workers.cancellation().cancel();
    assert!(matches!(setting.load(&log, &Messages::<false>), Err(Error::Interrupted)));
}

#[test]
fn a_bit_that_changes_is_noticed_or_is_of_no_message() {
    let sent = drawn(60_000, 7);
    let arrive = |flip: &Arc<BitFlip>| {
        let mut setting = Setting::new(&LENGTHS, 2);
        setting.spill = SpillFolder::new(setting.folder.path()).unwrap().flipping(Arc::clone(flip));
        let log = setting.log(300 << 10);
        setting.send(&log, &sent, &Messages::<false>);
        setting.load(&log, &Messages::<false>)
    };
    let [made, noticed, _] = BitFlip::campaign(&SplitMix64::new(7, 7), 8, &expected(&sent, false), arrive).unwrap();
    assert!(made >= 6 && noticed >= 3, "{noticed} of {made}");
}

fn rows(graph: &Graph, folder: &Path, request: &RunRequest<'_>) -> String {
    let path = folder.join("rows.csv");
    graph.run(request).unwrap().table().write(&path, true).unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn runs_give_the_rows_that_they_give_with_the_multi_log() {
    let folder = tempfile::tempdir().unwrap();
    let (edges, draw) = (folder.path().join("edges.el"), SplitMix64::new(1, 1));
    let edge = |number: u64| format!("{} {}\n", draw.at(2 * number) % 500, draw.at(2 * number + 1) % 2000);
    std::fs::write(&edges, (0..6000).map(edge).collect::<String>()).unwrap();
    let mut request = BuildRequest::new(vec![EdgeInput::from(edges)], folder.path().join("g.outcrop"));
    request.resources.memory = MemorySize::Bytes(64 << 20);
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MemorySize::Bytes(64 << 20), threads: Some(2), ..OpenOptions::default() };
    let graph = Graph::open(&request.store, options).unwrap();
    for name in ["wcc", "cdlp", "coloring", "mis", "walks"] {
        let request = RunRequest::new(name).unwrap().with("model", "messages").unwrap();
        let single = request.clone().with_message_log(&SingleLog);
        assert_eq!(rows(&graph, folder.path(), &single), rows(&graph, folder.path(), &request), "{name}");
        let record = graph.run(&single).unwrap().record();
        assert_eq!(record.optional.messages.unwrap().log, "single");
    }
}
