//! A log in a folder of its own, and what was sent, by vertex.

use outcrop_io::SpillFolder;
use outcrop_messages::log::{Combine, Drained, GroupSpace, LogSetup, MessageLog};
use outcrop_store::access::Workers;
use outcrop_types::{Cancellation, MemoryBudget, VertexId, VertexRange};
use std::collections::BTreeMap;

/// Every message reaches its vertex.
pub struct Keep;

impl<M> Combine<M> for Keep {
    const COMBINES: bool = false;

    fn combine(&self, _: M, _: M) -> M {
        unreachable!("nothing is combined")
    }
}

/// Messages are summed up.
pub struct Sum;

impl Combine<u64> for Sum {
    const COMBINES: bool = true;

    fn combine(&self, one: u64, other: u64) -> u64 {
        one.wrapping_add(other)
    }
}

/// The messages of each vertex that has some, sorted.
pub type Groups = BTreeMap<VertexId, Vec<u64>>;

pub struct Setting {
    pub folder: tempfile::TempDir,
    pub spill: SpillFolder,
    pub workers: Workers,
    pub budget: MemoryBudget,
    pub intervals: Vec<VertexRange>,
    pub page_bytes: usize,
    pub memory: u64,
    pub messages: u64,
}

impl Setting {
    /// Intervals of these lengths.
    pub fn new(lengths: &[u32], threads: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut start = 0;
        let range = |length: &u32| {
            start += length;
            VertexRange::new(start - length, start)
        };
        Self {
            spill: SpillFolder::new(folder.path()).unwrap(),
            folder,
            workers: Workers::start(threads, Cancellation::new()).unwrap(),
            budget: MemoryBudget::new(64 << 20),
            intervals: lengths.iter().map(range).collect(),
            page_bytes: 128,
            memory: 0,
            messages: 0,
        }
    }

    pub fn setup(&self) -> LogSetup<'_> {
        LogSetup {
            intervals: &self.intervals,
            page_bytes: self.page_bytes,
            memory: self.memory,
            messages: self.messages,
            spill: &self.spill,
            workers: &self.workers,
            budget: &self.budget,
        }
    }

    pub fn log(&self, combines: bool) -> MessageLog<u64> {
        MessageLog::new(self.setup(), combines).unwrap()
    }

    pub fn space(&self, bytes: u64, combines: bool) -> GroupSpace<u64> {
        GroupSpace::new(bytes, self.page_bytes, combines, &self.budget).unwrap()
    }
}

/// Messages to all vertices, combined where that is done.
pub fn expected<C: Combine<u64>>(sent: &[(Vec<VertexId>, u64)], combine: &C) -> Groups {
    let mut groups = Groups::new();
    for (to, message) in sent {
        to.iter().for_each(|to| groups.entry(*to).or_default().push(*message));
    }
    for messages in groups.values_mut() {
        messages.sort_unstable();
        if C::COMBINES {
            *messages = vec![messages.iter().fold(0, |one, other| combine.combine(one, *other))];
        }
    }
    groups
}

/// Sends all of it, each worker a part.
pub fn send<C: Combine<u64>>(workers: &Workers, log: &MessageLog<u64>, sent: &[(Vec<VertexId>, u64)], combine: &C) {
    let shares = workers.threads();
    workers
        .run(false, &|slot| {
            let mut writer = log.writer(slot);
            sent.iter()
                .skip(slot % shares)
                .step_by(shares)
                .for_each(|(to, message)| writer.send(to, *message, combine));
            Ok(())
        })
        .unwrap();
}

/// Loads all of what was drained, as many times as it takes, and adds it to `groups`; returns how many times.
pub fn load<C: Combine<u64>>(
    log: &MessageLog<u64>,
    drained: &mut [Drained],
    space: &mut GroupSpace<u64>,
    combine: &C,
    groups: &mut Groups,
) -> usize {
    let (mut from, end) = (drained[0].range().start, drained[drained.len() - 1].range().end);
    let mut times = 0;
    loop {
        let next = log.load(drained, from, space, combine).unwrap();
        times += 1;
        assert_eq!(space.range(), VertexRange::new(from, next));
        collect(space, groups);
        if next == end {
            return times;
        }
        assert!(next > from);
        from = next;
    }
}

/// Looks at a group in all ways that there are.
pub fn collect(space: &mut GroupSpace<u64>, groups: &mut Groups) {
    let mut found = Groups::new();
    for (range, mut block) in space.blocks(64) {
        assert!(range.start % 64 == 0 || range.len() < 64);
        for vertex in block.vertices() {
            assert!(range.contains(vertex));
            found.insert(vertex, block.of(vertex).to_vec());
        }
        for vertex in range.iter() {
            assert_eq!(block.of(vertex), found.get(&vertex).map_or(&[][..], Vec::as_slice));
        }
        assert!(block.of(range.end).is_empty());
    }
    assert_eq!(space.len(), found.values().map(Vec::len).sum::<usize>());
    assert_eq!(space.all().vertices().collect::<Vec<_>>(), found.keys().copied().collect::<Vec<_>>());
    for (vertex, mut messages) in found {
        messages.sort_unstable();
        assert!(groups.insert(vertex, messages).is_none());
    }
}
