//! Promises of the `csr` layout alone: what its pages cost, whatever their size and what the device reads at once.

use crate::cases::collect::{Collect, Reading};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::pages_of;
use crate::cases::lists::Lists;
use crate::reading::adjacency::{Built, built, during};
use outcrop_io::{Device, IoChoice, MemoryDevice, MergePolicy};
use outcrop_store::access::{AccessFigures, Adjacency};
use outcrop_types::{Direction, MemoryBudget, VertexSet};
use std::sync::Arc;

/// Pages of 512 bytes hold 126 entries: vertex 0 has three pages, 1 and 2 share the next, and the list of 3 is longer
/// than a request.
fn small_pages() -> Built {
    let degrees = [378, 10, 10, 65_000];
    let edges = (0..).zip(degrees).flat_map(|(v, degree)| (0..degree).map(move |i| (v, i % 400, 1.0)));
    built(&Case::new(Ids::Dense, edges.collect()).laid_out(&pages_of(512)))
}

/// The lists on a device that reads single sectors, or whole pages of the system, with room for all in the cache.
fn open(built: &Built, sectors: bool) -> Lists {
    let cache_bytes = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
    let reading = Reading { cache_bytes, io: IoChoice::Buffered, ..Reading::PLAIN };
    let (merge, budget) = (MergePolicy { gap_bytes: 0, ..MergePolicy::default() }, MemoryBudget::new(1 << 30));
    let in_memory = |device: Arc<dyn Device>| -> Arc<dyn Device> {
        let bytes = std::fs::read(device.path()).unwrap();
        if sectors { Arc::new(MemoryDevice::new(device.path(), bytes)) } else { device }
    };
    Lists::open_through(
        &built.store,
        Direction::Out,
        &crate::cases::lists::options(reading, merge),
        &budget,
        &reading.workers(),
        in_memory,
    )
    .unwrap()
}

fn select(lists: &Lists, members: &[u32]) -> AccessFigures {
    let set = VertexSet::from_members(members.to_vec(), lists.num_vertices());
    let cost = lists.cost_of(&set);
    let read = during(lists, |lists| lists.select(&set, &Collect::new(set.universe(), &|_| true)));
    assert_eq!((read.bytes_read, read.requests), (cost.bytes, cost.requests), "{members:?}");
    read
}

/// Hits, misses, requests, and pages read.
const fn figures(read: AccessFigures) -> [u64; 4] {
    [read.cache_hits, read.cache_misses, read.requests, read.bytes_read / 512]
}

#[test]
fn each_page_counts_once_a_visit_and_nothing_else_is_read() {
    let built = small_pages();
    let lists = open(&built, true);
    assert_eq!(figures(select(&lists, &[0])), [0, 3, 1, 3]);
    assert_eq!(figures(select(&lists, &[0, 1, 2])), [3, 1, 1, 1]);
    assert_eq!(figures(select(&lists, &[0, 2])), [4, 0, 0, 0]);
    // The list takes 517 pages, the first of which is here.
    assert_eq!(figures(select(&lists, &[3])), [1, 516, 2, 516]);
    assert_eq!(figures(select(&lists, &[1, 3])), [1 + 517, 0, 0, 0]);
}

#[test]
fn what_a_device_reads_besides_is_not_wasted_and_no_miss() {
    let built = small_pages();
    let lists = open(&built, false);
    // Eight pages come at once: those of 1 and 2, and the first of 3, are there.
    assert_eq!(figures(select(&lists, &[0])), [0, 3, 1, 8]);
    assert_eq!(figures(select(&lists, &[0, 1, 2])), [4, 0, 0, 0]);
    assert_eq!(figures(select(&lists, &[3])), [5, 512, 1, 512]);
    assert_eq!(figures(select(&lists, &[3])), [517, 0, 0, 0]);
}

#[test]
fn pages_between_lists_push_no_list_out() {
    // 20 lists of a page each.
    let edges = (0..20).flat_map(|v| (0..126).map(move |i| (v, i, 1.0)));
    let built = built(&Case::new(Ids::Dense, edges.collect()).laid_out(&pages_of(512)));
    // The table, and frames for eight pages.
    let pages = built.store.manifest().file("out.edges").unwrap().bytes / 512;
    let reading = Reading { cache_bytes: 4 * pages + 4096 + 8 * 16, ..Reading::PLAIN };
    let (budget, merge) = (MemoryBudget::new(1 << 30), MergePolicy::default());
    let open = || reading.open_within(&built.store, Direction::Out, merge, &budget).unwrap();
    let lists = open();
    assert_eq!(figures(select(&lists, &[0, 1, 2, 3, 4, 5, 6, 7])), [0, 8, 1, 8]);
    // One request for 17 to 24 pages: three come in, and three that were there give way.
    assert_eq!(select(&lists, &[8, 13, 19]).cache_misses, 3);
    assert_eq!(select(&lists, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 19]).cache_hits, 8);
    // Where there is room, they stay.
    let lists = open();
    assert_eq!(select(&lists, &[0, 2]).cache_misses, 2);
    assert_eq!(figures(select(&lists, &[1, 3])), [2, 0, 0, 0]);
}

#[test]
fn a_file_of_small_pages_ends_where_every_device_can_read_it() {
    let built = small_pages();
    let bytes = built.store.manifest().file("out.edges").unwrap().bytes;
    assert_eq!((bytes % 4096, bytes / 512), (0, 520));
    assert_eq!(std::fs::metadata(built.store.folder().join("out.edges")).unwrap().len(), bytes);
}
