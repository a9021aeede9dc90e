use super::{BLOCK, BlockKind, BlockRecord, BlockShape, largest_block};
use crate::identity::Head;
use crate::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::length_from;
use proptest::collection::vec;
use proptest::prelude::*;

const KINDS: [BlockKind; 3] = [BlockKind::Added, BlockKind::Removed, BlockKind::Vertices];

fn ids(kind: IdKind, count: usize) -> BoxedStrategy<IdBatch> {
    let integers = prop_oneof![vec(any::<u64>(), count), vec(1_000_000..1_000_300_u64, count), vec(Just(7), count)];
    match kind {
        IdKind::Integer => integers.prop_map(IdBatch::Integers).boxed(),
        IdKind::Text => vec(".{0,6}", count)
            .prop_map(|texts| {
                let mut ids = IdBatch::empty(IdKind::Text);
                texts.iter().for_each(|text| ids.push_text(text.as_bytes()));
                ids
            })
            .boxed(),
    }
}

/// Weights of single or double precision, or none.
fn weights(count: usize) -> impl Strategy<Value = Vec<f64>> {
    let single = prop::num::f32::NORMAL.prop_map(f64::from);
    prop_oneof![Just(Vec::new()), vec(single, count), vec(prop::num::f64::NORMAL, count)]
}

fn times(count: usize) -> impl Strategy<Value = Vec<i64>> {
    prop_oneof![Just(Vec::new()), vec(any::<i64>(), count), vec(-300..300_i64, count)]
}

/// Generates the kind of a block, a batch, and the places of the batch that are in the block.
fn contents() -> impl Strategy<Value = (BlockKind, EdgeBatch, Vec<u32>)> {
    let kinds = (0..KINDS.len(), prop_oneof![Just(IdKind::Integer), Just(IdKind::Text)], 1..40_usize);
    kinds.prop_flat_map(|(kind, ids_are, count)| {
        let kind = KINDS[kind];
        let added = if kind == BlockKind::Added { count } else { 0 };
        let places = vec(0..u32::try_from(count).unwrap(), 1..60);
        (ids(ids_are, kind.ends() * count), weights(added), times(added), places).prop_map(
            move |(endpoints, weights, times, places)| (kind, EdgeBatch { endpoints, weights, times }, places),
        )
    })
}

/// The rows of a batch at these places, in this order.
fn picked(kind: BlockKind, batch: &EdgeBatch, places: &[u32]) -> EdgeBatch {
    let mut found = EdgeBatch::empty(batch.endpoints.kind());
    for place in places.iter().map(|place| usize::try_from(*place).unwrap()) {
        (0..kind.ends()).for_each(|end| found.endpoints.push_from(&batch.endpoints, kind.ends() * place + end));
        found.weights.extend(batch.weights.get(place));
        found.times.extend(batch.times.get(place));
    }
    found
}

fn assert_same(found: &EdgeBatch, expected: &EdgeBatch) {
    assert_eq!(found.endpoints, expected.endpoints);
    assert_eq!(found.times, expected.times);
    let bits = |batch: &EdgeBatch| batch.weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected));
}

/// Every shape of a store.
fn shapes() -> impl Iterator<Item = BlockShape> {
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    [IdKind::Integer, IdKind::Text]
        .into_iter()
        .flat_map(move |ids| flags.map(|(weighted, timed)| BlockShape { ids, weighted, timed }))
}

/// Writes a block as a writer does, with its length in its record.
fn written(kind: BlockKind, batch: &EdgeBatch, places: &[u32]) -> (BlockRecord, Vec<u8>) {
    let mut bytes = vec![5; 3];
    let mut record = BlockRecord::write(kind, batch, places, &mut bytes);
    let bytes = bytes.split_off(3);
    record.bytes = length_from(bytes.len());
    (record, bytes)
}

proptest! {
    #[test]
    fn blocks_come_back((kind, batch, places) in contents(), (_, other, _) in contents()) {
        let (record, bytes) = written(kind, &batch, &places);
        let expected = picked(kind, &batch, &places);
        // What the batch had before is gone.
        for mut found in [EdgeBatch::empty(IdKind::Integer), other] {
            record.read(&bytes, &mut found).unwrap();
            assert_same(&found, &expected);
        }
        prop_assert_eq!(record.kind(), Some(kind));
        prop_assert_eq!(record.timed(), !batch.times.is_empty());
        let span = (expected.times.iter().min(), expected.times.iter().max());
        if let (Some(first), Some(last)) = span {
            prop_assert_eq!(record.span(), (*first, *last));
            for (start, end) in [(*first, *first), (*last, *last), (*first, first.saturating_add(1)), (*last, i64::MAX)] {
                let expected = start <= *last && end > *first;
                prop_assert_eq!(record.meets(start, end), expected, "{} {}", start, end);
            }
        }
        for shape in shapes() {
            let lacks = kind == BlockKind::Added
                && (shape.weighted && batch.weights.is_empty() || shape.timed && batch.times.is_empty());
            let expected = shape.ids == batch.endpoints.kind() && !lacks;
            prop_assert_eq!(record.is_plausible(shape), expected, "{:?}", shape);
        }
    }

    #[test]
    fn blocks_that_are_cut_or_continued_are_refused((kind, batch, places) in contents(), further in any::<u8>()) {
        let (record, mut bytes) = written(kind, &batch, &places);
        let mut into = EdgeBatch::empty(IdKind::Integer);
        for length in 0..bytes.len() {
            prop_assert!(record.read(&bytes[..length], &mut into).is_none(), "{} of {} bytes", length, bytes.len());
        }
        bytes.push(further);
        prop_assert!(record.read(&bytes, &mut into).is_none());
    }

    #[test]
    fn times_outside_the_span_of_the_record_are_refused((kind, batch, places) in contents()) {
        let (record, bytes) = written(kind, &batch, &places);
        let (first, last) = record.span();
        // Times are stored as differences from the first.
        let earlier = (first < last).then(|| BlockRecord { last: last - 1, ..record });
        let later = (first < last && last < i64::MAX).then(|| BlockRecord { first: first + 1, ..record });
        for wrong in [earlier, later].into_iter().flatten().filter(BlockRecord::timed) {
            prop_assert!(wrong.read(&bytes, &mut EdgeBatch::empty(IdKind::Integer)).is_none());
        }
    }

    #[test]
    fn any_record_and_bytes_are_read_safely(record in any::<[u8; 56]>(), bytes in vec(any::<u8>(), 0..600), count in 0..80_u32) {
        let mut record: BlockRecord = bytemuck::cast(record);
        (record.count, record.bytes) = (count, length_from(bytes.len()));
        let mut into = EdgeBatch::empty(IdKind::Text);
        if record.read(&bytes, &mut into).is_some() {
            prop_assert_eq!(into.endpoints.len(), record.kind().unwrap().ends() * usize::try_from(count).unwrap());
            prop_assert!(into.weights.iter().all(|weight| weight.is_finite()));
        }
    }
}

#[test]
fn a_record_beyond_any_limit_is_refused() {
    let shape = BlockShape { ids: IdKind::Integer, weighted: true, timed: true };
    let batch = EdgeBatch { endpoints: IdBatch::Integers(vec![1, 2]), weights: vec![0.1], times: vec![5] };
    let (record, bytes) = written(BlockKind::Added, &batch, &[0]);
    let most = length_from(largest_block(IdKind::Integer));
    let block = u32::try_from(BLOCK).unwrap();
    for fits in [record, BlockRecord { count: block, ..record }, BlockRecord { bytes: most, ..record }] {
        assert!(fits.is_plausible(shape));
    }
    let too_many = BlockRecord { count: block + 1, ..record };
    for beyond in [too_many, BlockRecord { bytes: most + 1, ..record }, BlockRecord { first: 6, ..record }] {
        assert!(!beyond.is_plausible(shape), "{beyond:?}");
    }
    assert!(too_many.read(&bytes, &mut EdgeBatch::empty(IdKind::Integer)).is_none());
    // Kind, flags and whether there are times are the last three numbers of a record.
    let numbers: [u32; 14] = bytemuck::cast(record);
    assert_eq!(numbers[11..], [0, 2, 1]);
    for (place, value) in [(11, 4), (11, 3), (12, 0), (12, 4), (12, 8 | 2), (12, 1 | 2), (13, 0), (13, 2)] {
        let mut other = numbers;
        other[place] = value;
        assert!(!bytemuck::cast::<_, BlockRecord>(other).is_plausible(shape), "{place} {value}");
    }
    let text = BlockShape { ids: IdKind::Text, ..shape };
    let texts = length_from(largest_block(IdKind::Text));
    assert!(texts > most && !record.is_plausible(text));
}

#[test]
fn only_the_end_of_an_update_has_a_head_and_it_has_nothing_else() {
    let head = Head::start("graph").after(3, 17);
    let end = BlockRecord::end_of_update(3, 80, head);
    let mut edges = EdgeBatch::empty(IdKind::Integer);
    edges.endpoints = IdBatch::Integers(vec![1, 2]);
    let (record, _) = written(BlockKind::Added, &edges, &[0]);
    for shape in shapes() {
        assert!(end.is_plausible(shape));
        for other in [BlockRecord { count: 1, ..end }, BlockRecord { bytes: 1, ..end }] {
            assert!(!other.is_plausible(shape), "{other:?}");
        }
        for place in [12, 13] {
            let mut numbers: [u32; 14] = bytemuck::cast(end);
            numbers[place] = 1;
            assert!(!bytemuck::cast::<_, BlockRecord>(numbers).is_plausible(shape));
        }
    }
    assert_eq!((end.head(), record.head()), (Some(head), None));
    assert_eq!((end.offset, end.generation), (80, 3));
}

#[test]
fn what_is_hashed_of_a_record_is_not_where_its_update_begins() {
    let batch = EdgeBatch { endpoints: IdBatch::Integers(vec![1, 2]), weights: Vec::new(), times: vec![5] };
    let (record, _) = written(BlockKind::Added, &batch, &[0]);
    let moved = |by| BlockRecord { offset: record.offset + by, generation: by, ..record };
    assert_eq!(moved(100).digested(100).as_ref(), record.digested(0).as_ref());
    assert_ne!(moved(100).digested(0).as_ref(), record.digested(0).as_ref());
}

#[test]
fn ids_that_are_no_text_are_refused() {
    let mut batch = EdgeBatch::empty(IdKind::Text);
    ["aé", "b"].iter().for_each(|text| batch.endpoints.push_text(text.as_bytes()));
    let (record, bytes) = written(BlockKind::Added, &batch, &[0]);
    let mut into = EdgeBatch::empty(IdKind::Integer);
    // The lengths 3 and 1 as differences from 1, and the texts.
    assert_eq!(bytes, [&1_u64.to_le_bytes()[..], &[1, 2, 0], "aéb".as_bytes()].concat());
    let mut changed = bytes.clone();
    changed[12] = 0xFF;
    assert!(record.read(&changed, &mut into).is_none());
    // An end within a character.
    let mut changed = bytes;
    (changed[9], changed[10]) = (1, 1);
    assert!(record.read(&changed, &mut into).is_none());
}
