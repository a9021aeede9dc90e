//! Tests of list locations.

use super::bins::{Bins, Spot};
use crate::codec::Codec;
use crate::component::StoreId;
use crate::layout::chunked::format::{ChunkView, ListFormat, NO_VERTEX};
use crate::layout::chunked::settings::ChunkSettings;
use crate::layout::list_writer::ListTarget;
use outcrop_io::Disk;
use outcrop_types::Direction;
use std::collections::BTreeMap;

const FORMAT: ListFormat = ListFormat { codec: Codec::Packed, weights: None, vertices: u32::MAX };

fn settings(combine: bool) -> ChunkSettings {
    ChunkSettings { combine, levels: ChunkSettings::levels_of(&[4096, 8192, 32_768]), ..ChunkSettings::default() }
}

fn target(folder: &std::path::Path, id: StoreId) -> ListTarget<'_> {
    ListTarget { storage: &Disk, folder, id, direction: Direction::Out }
}

/// List lengths typical of graphs: many short lists, and some of every length.
fn lengths() -> impl Iterator<Item = usize> {
    (0..3000_usize).map(|i| match i % 50 {
        0 => 1 + i * 7919 % 24_000,
        1..5 => 1 + i * 7919 % 4000,
        _ => 4 + i * 7919 % 90,
    })
}

/// Returns the chunks and white space per level after placing all lists, and the location of each list.
fn put_all(combine: bool) -> (Vec<(u32, u64)>, Vec<Spot>) {
    let (folder, settings) = (tempfile::tempdir().unwrap(), settings(combine));
    let id = StoreId::random().unwrap();
    let mut bins = Bins::create(&target(folder.path(), id), &settings, FORMAT).unwrap();
    let put = |(vertex, length): (u32, usize)| {
        let level = settings.level_of(length).unwrap();
        let spot = bins.put(level, vertex, &vec![vertex as u8; length]).unwrap();
        assert!(usize::from(spot.kind.level) == level || (combine && usize::from(spot.kind.level) == level + 1));
        spot
    };
    let spots = (0..).zip(lengths()).map(put).collect();
    let (levels, _) = bins.finish().unwrap();
    (levels, spots)
}

#[test]
fn every_list_lies_where_its_spot_says() {
    for combine in [false, true] {
        let (levels, spots) = put_all(combine);
        let mut entries: BTreeMap<(u8, u32), u32> = BTreeMap::new();
        for Spot { kind, entry } in spots {
            let next = entries.entry((kind.level, kind.ordinal)).or_default();
            assert_eq!(entry, *next, "entries of a chunk are counted");
            *next += 1;
        }
        for (level, (chunks, _)) in (0..).zip(levels) {
            assert_eq!(entries.keys().filter(|(of, _)| *of == level).count(), chunks as usize, "no chunk is empty");
        }
    }
}

#[test]
fn combination_leaves_less_white_space_than_none() {
    let white_space = |combine| put_all(combine).0.iter().map(|(_, white_space)| white_space).sum::<u64>();
    assert!(white_space(true) * 2 < white_space(false), "{} {}", white_space(true), white_space(false));
}

#[test]
fn parts_of_a_list_lie_in_chunks_in_a_row() {
    let (folder, settings) = (tempfile::tempdir().unwrap(), settings(true));
    let id = StoreId::random().unwrap();
    let mut bins = Bins::create(&target(folder.path(), id), &settings, FORMAT).unwrap();
    for (vertex, parts) in [(5, 3), (6, 1), (7, 2)] {
        for part in 0..parts {
            let more = part + 1 < parts;
            let encode = |room: usize| (vec![1; if more { room } else { 100 }], more);
            let spot = bins.put_part(2, vertex, part > 0, true, encode).unwrap();
            assert_eq!(usize::from(spot.kind.level), 2);
        }
        // The remaining space after the last part is filled.
        let spot = bins.put(2, vertex + 100, &[2; 9000]).unwrap();
        assert!(spot.entry >= 1);
    }
    let (levels, _) = bins.finish().unwrap();
    assert_eq!(levels[2].0, 6);
    let bytes = std::fs::read(folder.path().join("out.chunks")).unwrap();
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let mut ends: Vec<(u32, u32)> = Vec::new();
    for chunk in words.chunks(32_768 / 8) {
        let view = ChunkView::parse(bytemuck::cast_slice(chunk), FORMAT).unwrap();
        ends.push((view.carried, view.open));
    }
    ends.sort_unstable();
    let none = NO_VERTEX;
    assert_eq!(ends, [(5, 5), (5, none), (7, none), (none, 5), (none, 7), (none, none)]);
}
