use super::tail::MOST;
use super::*;
use proptest::prelude::*;

type Decoded = Result<(Vec<VertexId>, VertexId), Malformed>;

fn by_scalar(tail: Tail<'_>) -> Decoded {
    let mut ids = [0; ROOM];
    let last = scalar::decode(tail, &mut ids)?;
    Ok((ids[..tail.deltas].to_vec(), last))
}

/// Returns the results of every other decoder for the tail.
fn by_others(tail: Tail<'_>) -> Vec<(&'static str, Decoded)> {
    let mut all = Vec::new();
    let mut list = Vec::new();
    let taken = decode_list(tail, u32::MAX, |ids| {
        list.extend_from_slice(ids);
        ControlFlow::Continue(())
    });
    // The list has a limit, which the largest ID violates.
    if by_scalar(tail).is_ok_and(|(_, last)| last < u32::MAX) || taken.is_ok() {
        all.push(("list", taken.map(|_| (list[1..].to_vec(), *list.last().unwrap()))));
        assert!(taken.is_err() || list[0] == tail.previous);
    }
    if (1..=few::MOST).contains(&tail.deltas) {
        let ids = few::decode(tail).map(|ids| ids.map(|ids| (ids[1..=tail.deltas].to_vec(), ids[tail.deltas])));
        all.extend(ids.map(|ids| ("few", ids)));
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86_64::Kernel::detect() {
        let mut ids = [0; ROOM];
        let decoded = kernel.decode(tail, &mut ids).map(|last| (ids[..tail.deltas].to_vec(), last));
        all.push(("kernel", decoded));
        let mut space = x86_64::Space::new();
        let list = kernel.decode_list(tail, &mut space);
        all.push(("kernel's list", list.map(|ids| (ids[1..].to_vec(), *ids.last().unwrap()))));
    }
    all
}

fn assert_alike(tail: Tail<'_>) -> Decoded {
    let expected = by_scalar(tail);
    for (name, decoded) in by_others(tail) {
        assert_eq!(decoded, expected, "{name}, {tail:?}");
    }
    expected
}

/// Returns the bytes of a tail with these differences.
fn written(previous: VertexId, deltas: &[u32]) -> Vec<u8> {
    let sums = deltas.iter().scan(previous, |sum, delta| {
        *sum = sum.wrapping_add(*delta);
        Some(*sum)
    });
    let mut bytes = Vec::new();
    encode(previous, &Vec::from_iter(sums), &mut bytes);
    bytes
}

/// Generates a tail whose length is correct or slightly off, with differences that may be small enough not to exceed
/// 2^32.
fn nearly_right() -> impl Strategy<Value = (Vec<u8>, usize, usize, u32)> {
    let bytes = proptest::collection::vec(any::<u8>(), 700);
    let shape = (0..=MOST, 0..8_u8, 0..=600_usize);
    let changes = (prop_oneof![Just(0xff_u8), Just(0x03), Just(0x00)], any::<bool>(), -1..=1_isize);
    (bytes, shape, changes, any::<u32>()).prop_map(|(mut bytes, (deltas, shift, slack), change, previous)| {
        let (mask, tidy, off) = change;
        let controls = deltas.div_ceil(4);
        for (position, byte) in bytes.iter_mut().enumerate() {
            *byte = if position < controls { *byte & (0xff >> shift) } else { *byte & mask };
        }
        if let (true, used @ 1..) = (tidy && controls > 0, deltas % 4) {
            bytes[controls - 1] &= (1 << (2 * used)) - 1;
        }
        let data = (0..deltas).map(|delta| usize::from(bytes[delta / 4] >> (2 * (delta % 4)) & 3) + 1).sum::<usize>();
        let length = (controls + data).saturating_add_signed(off);
        bytes.truncate(length + slack);
        (bytes, length, deltas, previous)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn all_decode_alike(tail in nearly_right()) {
        let (bytes, length, deltas, previous) = tail;
        let length = length.min(bytes.len());
        let _ = assert_alike(Tail { bytes: &bytes, length, deltas, previous });
    }

    #[test]
    fn all_decode_arbitrary_bytes_alike(
        bytes in proptest::collection::vec(any::<u8>(), 0..700), length in 0..700_usize, deltas in 0..=MOST,
        previous in any::<u32>(),
    ) {
        let _ = assert_alike(Tail { bytes: &bytes, length: length.min(bytes.len()), deltas, previous });
    }

    #[test]
    fn what_is_written_comes_back(
        deltas in proptest::collection::vec((any::<u32>(), 8..32_u32), 0..=MOST), previous in 0..1000_u32,
        slack in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        let deltas = Vec::from_iter(deltas.into_iter().map(|(delta, shift)| delta >> shift));
        let bytes = written(previous, &deltas);
        let tail = Tail { bytes: &[&bytes[..], &slack].concat(), length: bytes.len(), deltas: deltas.len(), previous };
        let (ids, last) = assert_alike(tail).unwrap();
        prop_assert_eq!(&ids, &Vec::from_iter(deltas.iter().scan(previous, |sum, delta| { *sum += delta; Some(*sum) })));
        prop_assert_eq!(last, ids.last().copied().unwrap_or(previous));
        prop_assert_eq!(bytes.len(), encoded_len(previous, &ids));
    }
}

#[test]
fn differences_that_pass_the_largest_id_are_refused() {
    let half = 1 << 31;
    for (previous, deltas, right) in [
        (5, vec![half, half - 6], true),
        (5, vec![half, half - 5], false),
        (5, vec![half, half], false),
        (0, vec![half, half, half, half, 7], false),
        (0, vec![1 << 25; 127], true),
        (u32::MAX, vec![0; 127], true),
        (u32::MAX, vec![1; 127], false),
        (0, [vec![u32::MAX - 126 * 255], vec![255; 126]].concat(), true),
        (0, [vec![u32::MAX - 126 * 255 + 1], vec![255; 126]].concat(), false),
        (9, [vec![u32::MAX - 126 * 255], vec![255; 126]].concat(), false),
    ] {
        let bytes = written(previous, &deltas);
        for slack in [0, 600] {
            let bytes = [&bytes[..], &vec![0xff; slack]].concat();
            let length = bytes.len() - slack;
            let decoded = assert_alike(Tail { bytes: &bytes, length, deltas: deltas.len(), previous });
            assert_eq!(decoded.is_ok(), right, "{previous} {deltas:?}");
        }
    }
}

#[test]
fn bits_that_stand_for_nothing_are_zero() {
    for deltas in 1..=9 {
        let bytes = written(3, &vec![1; deltas]);
        for place in deltas..deltas.next_multiple_of(4) {
            for bit in [1, 2] {
                let mut bytes = bytes.clone();
                bytes[place / 4] |= bit << (2 * (place % 4));
                for length in bytes.len()..bytes.len() + 3 {
                    let bytes = [&bytes[..], &[0; 600]].concat();
                    assert_eq!(assert_alike(Tail { bytes: &bytes, length, deltas, previous: 3 }), Err(Malformed));
                }
            }
        }
    }
}
