//! Utilization of cached pages: known lists, of which it is known where they lie.

use crate::cases::collect::{Collect, Reading, sweep_all};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{chunks, pages_of, some};
use crate::cases::lists::Lists;
use crate::reading::adjacency::{Built, built};
use outcrop_io::{IoChoice, MergePolicy, PageUse, Utilization};
use outcrop_store::Codec;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::Layout;
use outcrop_types::{Direction, MemoryBudget, VertexId, VertexSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// A part of 64 bytes: its page, and its number in the page.
type Parts = BTreeSet<(u64, u64)>;

fn open(built: &Built, cache_bytes: u64) -> Lists {
    let reading = Reading { cache_bytes, io: IoChoice::Pread, utilization: Utilization::Tracked, ..Reading::PLAIN };
    let merge = MergePolicy { gap_bytes: 0, longest_bytes: 0 };
    reading.open_within(&built.store, Direction::Out, merge, &MemoryBudget::new(1 << 30)).unwrap()
}

fn open_with_room_for_all(built: &Built) -> Lists {
    open(built, Lists::cache_bytes_for_all(&built.store, Direction::Out, Utilization::Tracked))
}

fn select(lists: &Lists, members: &[VertexId]) -> PageUse {
    let set = VertexSet::from_members(members.to_vec(), lists.num_vertices());
    lists.select(&set, &Collect::new(set.universe(), &|_| true)).unwrap();
    lists.page_use().unwrap()
}

fn add(parts: &mut Parts, page: u64, bytes: Range<u64>) {
    parts.extend((bytes.start / 64..bytes.end.div_ceil(64)).map(|part| (page, part)));
}

/// The parts in which the lists of `members` lie: one entry after the other, in pages of `page_bytes`.
fn parts_of_csr(built: &Built, page_bytes: u64, weighted: bool, members: &[VertexId]) -> Parts {
    let (mut parts, mut slot) = (Parts::new(), 0);
    let entries = (page_bytes - 8) / if weighted { 8 } else { 4 };
    for (vertex, list) in (0..).zip(&built.model.out) {
        for slot in slot..slot + list.len() as u64 {
            let (page, id) = (slot / entries, 8 + slot % entries * 4);
            if members.contains(&vertex) {
                add(&mut parts, page, id..id + 4);
                if weighted {
                    add(&mut parts, page, id + 4 * entries..id + 4 * entries + 4);
                }
            }
        }
        slot += list.len() as u64;
    }
    parts
}

fn assert_use(found: PageUse, parts: &Parts, page_bytes: u64) {
    let pages = parts.iter().map(|(page, _)| page).collect::<BTreeSet<_>>().len() as u64;
    let per_page = page_bytes / 64;
    assert_eq!((found.pages, found.parts, found.touched), (pages, pages * per_page, parts.len() as u64));
    let mean = parts.len() as f64 / (pages * per_page) as f64;
    assert_eq!((found.mean_of_pages(), found.share_of_bytes()), (Some(mean), Some(mean)));
}

#[test]
fn pages_tell_which_parts_of_them_lists_were_in() {
    for (page_bytes, weighted) in [(512, false), (512, true), (4096, true), (16_384, false)] {
        // Lists of 0 to 39 entries; vertex 31 has one over several pages, and one that is streamed.
        let edges = (0..1000).flat_map(|v| (0..v * v % 40).map(move |i| (v, i * 5 % 1000, 1.0)));
        let long =
            [(31, 700), (700, 70_000)].into_iter().flat_map(|(v, count)| (0..count).map(move |i| (v, i % 1000, 2.0)));
        let case = Case { weighted, ..Case::new(Ids::Dense, edges.chain(long).collect()) };
        let built = built(&case.laid_out(&pages_of(page_bytes)));
        let lists = open_with_room_for_all(&built);
        let page_bytes = u64::from(page_bytes);
        assert_eq!(lists.page_use(), Some(PageUse::default()));
        let mut seen = Vec::new();
        // From the disk and, where pages are the same, from the cache.
        for members in [&[3][..], &[4, 5, 900], &[3, 900], &[31], &[31, 32, 33], &[700], &[699, 701]] {
            seen.extend_from_slice(members);
            let parts = parts_of_csr(&built, page_bytes, weighted, &seen);
            assert_use(select(&lists, members), &parts, page_bytes);
        }
    }
}

#[test]
fn pages_that_give_way_count_each_time() {
    // Three pages of 126 entries, each with two lists.
    let edges = (0..6).flat_map(|v| (0..63).map(move |i| (v, i, 1.0)));
    let built = built(&Case::new(Ids::Dense, edges.collect()).laid_out(&pages_of(512)));
    // The table, and one frame: its page in a page of the system, its state of 16 bytes, and its marks in a word.
    let pages = built.store.manifest().file("out.edges").unwrap().bytes / 512;
    let few = open(&built, 4 * pages + 4096 + 24);
    for (count, vertex) in (1..).zip([0, 2, 0, 4, 2]) {
        // 252 bytes behind the checksum.
        assert_eq!((select(&few, &[vertex]).pages, few.page_use().unwrap().touched), (count, 5 * count));
    }
    // The other half of the page that is here.
    assert_eq!((select(&few, &[3]).pages, few.page_use().unwrap().touched), (5, 5 * 5 + 3));
}

#[test]
fn chunks_tell_which_parts_of_them_lists_were_in() {
    let edges = (0..10).flat_map(|v| (0..20).map(move |i| (v, i, 1.0)));
    let layout = chunks(&[4096], |settings| (settings.codec, settings.mini_degree) = (Codec::Raw32, 0));
    let built = built(&Case::new(Ids::Dense, edges.collect()).laid_out(&layout));
    let chunk = std::fs::read(built.store.folder().join("out.chunks")).unwrap();
    let begin = u64::from(u32::from_le_bytes(chunk[12..16].try_into().unwrap()));
    let (lists, mut parts) = (open_with_room_for_all(&built), Parts::new());
    for vertex in [7, 0, 7, 9] {
        let (entry, entries) = (u64::from(vertex), 10);
        add(&mut parts, 0, 0..32);
        add(&mut parts, 0, 32 + 4 * entry..36 + 4 * entry);
        add(&mut parts, 0, 32 + 4 * entries + 2 * entry..34 + 4 * entries + 2 * entry);
        add(&mut parts, 0, begin + 80 * entry..begin + 80 * (entry + 1));
        assert_use(select(&lists, &[vertex]), &parts, 4096);
    }
}

#[test]
fn all_of_a_page_is_looked_at_in_the_end_but_what_holds_nothing() {
    // Blocks of shards are decoded whole: what of them was looked at is not kept account of.
    for layout in some().into_iter().filter(|layout| !matches!(layout, Layout::Sliding(_))) {
        let built = built(&crate::reading::adjacency::small_hubs(true).laid_out(&layout));
        let lists = open_with_room_for_all(&built);
        assert!(sweep_all(&lists).unwrap() == built.model.out);
        let all = lists.page_use().unwrap();
        let manifest = built.store.manifest();
        let levels =
            manifest.lists.chunked.iter().filter(|entry| entry.direction == Direction::Out).flat_map(|e| &e.levels);
        let white_space: u64 = levels.map(|level| level.white_space).sum();
        let bytes = manifest.file(&crate::cases::lists::lists_name(&built.store, Direction::Out)).unwrap().bytes;
        // Parts at the ends of lists and directories, and the last page, hold something and nothing.
        let slack =
            4 * all.pages + 4096 / 64 + u64::from(manifest.lists.csr.first().map_or(0, |entry| entry.page_bytes)) / 64;
        assert!(all.touched <= all.parts && all.parts * 64 <= bytes + 65_536, "{layout:?} {all:?}");
        assert!(all.touched + slack >= (bytes - white_space) / 64, "{layout:?} {all:?} {bytes} {white_space}");
        assert!(all.touched <= (bytes - white_space) / 64 + slack, "{layout:?} {all:?} {bytes} {white_space}");
    }
}

#[test]
fn without_being_asked_nothing_is_kept_account_of() {
    for layout in some() {
        let built = built(&crate::reading::adjacency::small_hubs(false).laid_out(&layout));
        let reading = Reading { cache_bytes: 1 << 20, ..Reading::PLAIN };
        let lists = reading.open(&built.store, Direction::Out).unwrap();
        sweep_all(&lists).unwrap();
        assert_eq!(lists.page_use(), None);
    }
}
