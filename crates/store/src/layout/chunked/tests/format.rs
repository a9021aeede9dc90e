//! Chunks as bytes and back.

use crate::codec::Codec;
use crate::layout::chunked::format::{CHECKSUM_BYTES, ChunkDraft, ChunkKind, ChunkView, HEADER_BYTES, ListFormat};
use crate::layout::chunked::settings::ChunkSettings;
use bytemuck::{cast_slice, cast_slice_mut};
use outcrop_types::WeightType;
use std::ops::ControlFlow;

const FORMATS: [ListFormat; 8] = [
    format(Codec::Packed, None),
    format(Codec::Packed, Some(WeightType::U8)),
    format(Codec::Packed, Some(WeightType::F32)),
    format(Codec::Packed, Some(WeightType::F64)),
    format(Codec::Raw32, None),
    format(Codec::Raw32, Some(WeightType::U16)),
    format(Codec::Raw32, Some(WeightType::F32)),
    format(Codec::Raw32, Some(WeightType::F64)),
];

const fn format(codec: Codec, weights: Option<WeightType>) -> ListFormat {
    ListFormat { codec, weights, vertices: 1000 }
}

/// Memory as the disk gives it: aligned.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0; bytes.len().div_ceil(8)];
    cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

fn finished(draft: ChunkDraft, format: ListFormat, space_first: bool) -> Vec<u64> {
    let mut chunk = Vec::new();
    draft.finish(format, space_first, &mut chunk);
    aligned(&chunk)
}

/// Fills a chunk to the last byte with lists of odd lengths, the highest vertex first or last.
fn full(chunk_bytes: usize, format: ListFormat, descending: bool, length: usize) -> (ChunkDraft, Vec<(u32, Vec<u8>)>) {
    let (mut draft, mut lists) = (ChunkDraft::new(chunk_bytes), Vec::new());
    for number in 0.. {
        let vertex = if descending { 100_000 - number } else { number };
        let mut length = (length + 7 * lists.len() % 9).min(draft.room());
        if format.codec == Codec::Raw32 {
            length &= !3;
        }
        if length < 4 {
            break;
        }
        let list: Vec<u8> = (0..length).map(|i| (i as u8) ^ (number as u8)).collect();
        draft.push(vertex, &list, format);
        lists.push((vertex, list));
    }
    (draft, lists)
}

#[test]
fn full_chunks_come_back_in_any_order_of_lists() {
    for (format, chunk_bytes) in FORMATS.into_iter().flat_map(|format| [(format, 4096), (format, 1 << 17)]) {
        for (descending, length, space_first) in
            [(false, 30, false), (true, 31, true), (true, 333, false), (false, 2000, true)]
        {
            let (draft, mut lists) = full(chunk_bytes, format, descending, length);
            let white_space = draft.white_space();
            let chunk = finished(draft, format, space_first);
            let bytes: &[u8] = cast_slice(&chunk);
            assert_eq!(bytes.len(), chunk_bytes);
            assert!(bytes[..CHECKSUM_BYTES].iter().all(|byte| *byte == 0));
            let view = ChunkView::parse(bytes, format).unwrap();
            lists.sort();
            assert!(view.vertices().iter().eq(lists.iter().map(|(vertex, _)| vertex)));
            for (entry, (vertex, list)) in lists.iter().enumerate() {
                let (bytes, length) = view.list(entry).unwrap();
                assert_eq!(&bytes[..length], list, "{format:?} {chunk_bytes} {descending} {length}");
                assert_eq!(view.find(*vertex, None), Some(entry));
                assert_eq!(view.find(*vertex, Some(entry)), Some(entry));
                assert_eq!(view.find(*vertex, Some(entry + 1)), Some(entry));
            }
            assert_eq!(view.find(200_000, Some(0)), None);
            assert_eq!(view.list(lists.len()), None);
            assert!(white_space < 64);
        }
    }
}

#[test]
fn an_empty_chunk_takes_a_list_of_the_longest_of_its_level() {
    for level in ChunkSettings::levels_of(&[4096, 1 << 16, 1 << 17]) {
        let empty = ChunkDraft::new(level.chunk_bytes as usize);
        assert!(empty.room() >= level.longest_list as usize);
        assert_eq!(empty.white_space(), level.chunk_bytes as usize - HEADER_BYTES);
    }
}

#[test]
fn white_space_lies_behind_the_lists_or_before_them() {
    let format = FORMATS[0];
    for (space_first, begin) in [(false, 40), (true, 4092)] {
        let mut draft = ChunkDraft::new(4096);
        draft.push(7, &[1, 2, 3, 4], format);
        (draft.carried, draft.open) = (Some(7), Some(9));
        let chunk = finished(draft, format, space_first);
        let bytes: &[u8] = cast_slice(&chunk);
        assert_eq!(bytes[begin..begin + 4], [1, 2, 3, 4]);
        let view = ChunkView::parse(bytes, format).unwrap();
        assert_eq!((view.carried, view.open, view.list(0).unwrap().1), (7, 9, 4));
    }
}

#[test]
fn lists_of_every_kind_come_back() {
    let ids: Vec<u32> = (0..300).map(|i| i * 3).collect();
    let weights: Vec<f64> = ids.iter().map(|id| f64::from(id % 256)).collect();
    for format in FORMATS {
        for count in [0, 1, 2, 127, 128, 129, 300] {
            let (ids, weights) = (&ids[..count], if format.weights.is_some() { &weights[..count] } else { &[] });
            let mut bytes = Vec::new();
            format.encode(ids, weights, &mut bytes);
            assert_eq!(bytes.len(), format.encoded_len(ids));
            let words = aligned(&bytes);
            let bytes = &cast_slice::<_, u8>(&words)[..bytes.len()];
            assert_eq!(format.count(bytes, bytes.len()), Some(count as u32));
            let (mut found, mut found_weights) = (Vec::new(), Vec::new());
            let all = format.decode(bytes, bytes.len(), |piece| {
                found.extend_from_slice(piece.ids());
                piece.weights().into_iter().for_each(|weights| weights.widen(&mut found_weights));
                ControlFlow::Continue(())
            });
            assert_eq!((all, &found[..], &found_weights[..]), (Ok(ControlFlow::Continue(())), ids, weights));
            for length in 0..bytes.len() {
                let cut = format.decode(bytes, length, |_| ControlFlow::Continue(()));
                // Fewer ids of four bytes each are a list, too.
                assert!(cut.is_err() || (format.codec == Codec::Raw32 && format.weights.is_none() && length % 4 == 0));
            }
        }
    }
}

#[test]
fn a_weight_that_is_no_number_is_malformed() {
    for format in FORMATS.into_iter().filter(|format| format.weights.is_some_and(|kind| kind >= WeightType::F32)) {
        let mut bytes = Vec::new();
        format.encode(&[1, 2], &[1.0, f64::NAN], &mut bytes);
        let words = aligned(&bytes);
        assert!(format.decode(&cast_slice(&words)[..bytes.len()], bytes.len(), |_| ControlFlow::Continue(())).is_err());
    }
}

/// Changes one field of a chunk with two lists and says whether it still parses, and which lists it then has.
fn with_field(format: ListFormat, field: usize, value: u32) -> Option<[Option<usize>; 2]> {
    let mut draft = ChunkDraft::new(4096);
    draft.push(1, &[0; 8], format);
    draft.push(2, &[0; 12], format);
    let mut chunk = finished(draft, format, false);
    cast_slice_mut::<_, u32>(&mut chunk)[field] = value;
    let view = ChunkView::parse(cast_slice(&chunk), format)?;
    Some([0, 1].map(|entry| view.list(entry).map(|(_, length)| length)))
}

#[test]
fn chunks_that_do_not_fit_together_are_refused() {
    for format in FORMATS {
        // The fields behind the checksum: entries, begin, carried, open, two zeroes; then the vertices and the ends.
        assert_eq!(with_field(format, 2, 2), Some([Some(8), Some(12)]));
        for entries in [3, 4, 1 << 20, u32::MAX] {
            assert_eq!(with_field(format, 2, entries), None, "{entries}");
        }
        for begin in [0, 8, 31, 32, 43, 4097, u32::MAX] {
            assert_eq!(with_field(format, 3, begin), None, "{begin}");
        }
        assert_eq!(with_field(format, 3, 4096), Some([None, None]));
        assert_eq!((with_field(format, 6, 1), with_field(format, 7, 1)), (None, None));
        let ends = |first: u32, second: u32| with_field(format, 10, first | second << 16);
        assert_eq!(ends(8, 20), Some([Some(8), Some(12)]));
        assert_eq!(ends(8, 4), Some([Some(8), None]));
        assert_eq!(ends(8, 65_535), Some([Some(8), None]));
        assert_eq!(ends(65_535, 65_535), Some([None, None]));
    }
    let chunk = aligned(&[0; 4096]);
    let bytes: &[u8] = cast_slice(&chunk);
    for length in [0, 7, 8, 31] {
        assert!(ChunkView::parse(&bytes[..length], FORMATS[0]).is_none());
    }
}

#[test]
fn kinds_survive_their_bits() {
    let settings = ChunkSettings::default();
    for (level, continues, ordinal) in [(0, false, 0), (3, true, (1 << 28) - 1), (1, false, 77)] {
        let kind = ChunkKind { level, continues, ordinal };
        assert_eq!(ChunkKind::from_bits(kind.to_bits(), &settings), Some(kind));
    }
    assert_eq!(ChunkKind::from_bits(4 << 29, &settings), None);
}
