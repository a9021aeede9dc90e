//! Arrival of what was sent, once.

use crate::setting::{Groups, Keep, Setting, Sum, expected, load, send};
use outcrop_engine::Plain;
use outcrop_messages::log::{Combine, GroupSpace, MessageLog, space_bytes};
use outcrop_types::VertexId;
use proptest::prelude::*;

/// Work that a log is asked to do.
#[derive(Clone, Debug)]
struct LogWork {
    lengths: Vec<u32>,
    threads: usize,
    page_bytes: usize,
    pages: u64,
    space: u64,
    /// Number of intervals that are loaded together.
    together: usize,
    supersteps: Vec<Vec<(Vec<VertexId>, u64)>>,
}

fn works() -> impl Strategy<Value = LogWork> {
    let lengths =
        proptest::collection::vec(0_u32..400, 1..9).prop_filter("vertices", |all| all.iter().sum::<u32>() > 0);
    let sizes = (1_usize..4, prop::sample::select(vec![28, 100, 512]), 0_u64..60, 0_u64..40_000, 1_usize..4);
    (lengths, sizes).prop_flat_map(|(lengths, (threads, page_bytes, pages, space, together))| {
        let vertices: u32 = lengths.iter().sum();
        let to = proptest::collection::vec(
            (0..vertices, 0..4_u32).prop_map(|(vertex, few)| if few == 0 { vertex / 50 } else { vertex }),
            1..20,
        );
        let superstep = proptest::collection::vec((to, any::<u64>()), 0..150);
        let supersteps = proptest::collection::vec(superstep, 1..4);
        supersteps.prop_map(move |supersteps| LogWork {
            lengths: lengths.clone(),
            threads,
            page_bytes,
            pages,
            space,
            together,
            supersteps,
        })
    })
}

/// Runs supersteps in which all messages are drained, then loaded while those of the next are sent.
fn run<C: Combine<u64>>(work: &LogWork, combine: &C) {
    let mut setting = Setting::new(&work.lengths, work.threads);
    setting.page_bytes = work.page_bytes;
    setting.memory = work.pages * work.page_bytes as u64;
    let limit = setting.budget.limit();
    {
        let log = setting.log(C::COMBINES);
        let intervals = setting.intervals.len();
        let least = space_bytes(if C::COMBINES { 1 } else { 4000 }, 1, 8, C::COMBINES);
        let mut space = setting.space(least + work.space, C::COMBINES);
        let (mut before, mut waiting) = (Groups::new(), 0);
        for sent in work.supersteps.iter().chain([&Vec::new()]) {
            let mut drained: Vec<_> = (0..intervals).map(|interval| log.drain(interval, combine).unwrap()).collect();
            let messages: u64 = drained.iter().map(|drained| drained.count()).sum();
            assert_eq!(messages, waiting);
            waiting = sent.iter().map(|(to, _)| to.len() as u64).sum();
            let mut groups = Groups::new();
            std::thread::scope(|scope| {
                scope.spawn(|| send(&setting.workers, &log, sent, combine));
                for drained in drained.chunks_mut(work.together) {
                    load(&log, drained, &mut space, combine, &mut groups);
                }
            });
            log.check().unwrap();
            assert_eq!(groups, before);
            before = expected(sent, combine);
        }
        assert!((0..intervals).all(|interval| log.waiting(interval) == 0));
        let sent: usize = work.supersteps.iter().flatten().map(|(to, _)| to.len()).sum();
        assert_eq!(log.figures().sent, sent as u64);
    }
    assert_eq!(setting.budget.available(), limit);
    assert_eq!(std::fs::read_dir(setting.folder.path()).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_log_for_each_interval_delivers_everything(work in works()) {
        run(&work, &Keep);
    }

    #[test]
    fn a_log_for_each_interval_combines_everything(work in works()) {
        run(&work, &Sum);
    }
}

/// Sends one message of a type to every vertex, and another to one of three.
fn any_type<M: Plain + PartialEq>(one: M, other: M) {
    let mut setting = Setting::new(&[100, 0, 7000], 1);
    setting.page_bytes = 1024;
    let log = MessageLog::<M>::new(setting.setup(), false).unwrap();
    {
        let mut writer = log.writer(1);
        (0..7100).for_each(|vertex| writer.send(&[vertex], one, &Keep));
        (0..7100).step_by(3).for_each(|vertex| writer.send(&[vertex], other, &Keep));
    }
    let mut drained: Vec<_> = (0..3).map(|interval| log.drain(interval, &Keep).unwrap()).collect();
    let bytes = space_bytes(9467, 7100, size_of::<M>() as u64, false);
    let mut space = GroupSpace::<M>::new(bytes, 1024, false, &setting.budget).unwrap();
    assert_eq!(log.load(&mut drained, 0, &mut space, &Keep).unwrap(), 7100);
    let mut all = space.all();
    for vertex in 0..7100 {
        let expected = if vertex % 3 == 0 { &[one, other][..] } else { &[one] };
        let found = all.of(vertex);
        assert!(found == expected || found.len() == 2 && found[0] == other && found[1] == one, "{vertex}");
    }
}

#[test]
fn messages_are_of_any_size_and_alignment() {
    any_type((), ());
    any_type(1_u8, 2);
    any_type([1_u8; 3], [2; 3]);
    any_type(1_u128, 2);
    any_type([1_u64; 32], [2; 32]);
}

#[test]
fn a_log_that_does_not_combine_leaves_it_to_groups() {
    let setting = Setting::new(&[100, 200], 1);
    let log = setting.log(false);
    let sent: Vec<_> = (0..5000).map(|message| (vec![7, 150, 7], message)).collect();
    send(&setting.workers, &log, &sent, &Sum);
    let mut drained: Vec<_> = (0..2).map(|interval| log.drain(interval, &Sum).unwrap()).collect();
    let mut groups = Groups::new();
    load(&log, &mut drained, &mut setting.space(1 << 20, true), &Sum, &mut groups);
    assert_eq!(groups, expected(&sent, &Sum));
}
