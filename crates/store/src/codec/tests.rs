use super::*;
use outcrop_types::SplitMix64;
use proptest::prelude::*;
use xxhash_rust::xxh3::Xxh3;

const CODECS: [Codec; 4] = [Codec::Raw32, Codec::Packed, Codec::Runs, Codec::Alternating];
const LARGEST: VertexId = u32::MAX - 2;
/// Distances between the cuts and the bits that tests try: Miri is slow.
const CUT_STEP: usize = if cfg!(miri) { 97 } else { 1 };
const BIT_STEP: usize = if cfg!(miri) { 997 } else { 1 };

fn encoded(codec: Codec, ids: &[VertexId]) -> Vec<u8> {
    let mut bytes = vec![1, 2, 3];
    codec.encode(ids, &mut bytes);
    assert_eq!(bytes.len() - 3, codec.encoded_len(ids));
    bytes.split_off(3)
}

/// Returns the decoded slices, each of which was checked.
fn slices(
    codec: Codec,
    bytes: &[u8],
    length: usize,
    count: usize,
    limit: u32,
) -> Result<Vec<Vec<VertexId>>, Malformed> {
    let mut aligned = vec![0_u32; bytes.len().div_ceil(4)];
    let aligned: &mut [u8] = bytemuck::cast_slice_mut(&mut aligned);
    aligned[..bytes.len()].copy_from_slice(bytes);
    let (aligned, count) = (&aligned[..bytes.len()], u32::try_from(count).unwrap());
    let mut slices = Vec::new();
    let flow = codec.decode(aligned, length, count, limit, |ids| {
        assert!(!ids.is_empty() && ids.is_sorted() && ids.iter().all(|id| *id < limit));
        slices.push(ids.to_vec());
        ControlFlow::Continue(())
    });
    let mut appended = vec![9, 8];
    let outcome = codec.append(aligned, length, count, limit, &mut appended);
    assert_eq!(outcome, flow.map(drop));
    let expected = if outcome.is_ok() { slices.concat() } else { Vec::new() };
    assert_eq!(appended, [&[9, 8], &expected[..]].concat());
    assert!(flow?.is_continue());
    assert!(slices.concat().is_sorted());
    Ok(slices)
}

fn decoded(codec: Codec, bytes: &[u8], length: usize, count: usize, limit: u32) -> Result<Vec<VertexId>, Malformed> {
    slices(codec, bytes, length, count, limit).map(|slices| slices.concat())
}

/// Generates ascending IDs with differences of all widths, including duplicates, runs of consecutive IDs, and long runs
/// of both.
fn lists() -> impl Strategy<Value = Vec<VertexId>> {
    let length = prop_oneof![0..6_usize, 0..300_usize, 0..5000_usize];
    (any::<u32>(), 0..33_u32, length).prop_flat_map(|(first, shift, length)| {
        let shift = move |delta: u32| delta.checked_shr(shift).unwrap_or(0);
        // Of 40 draws, one is a large difference; if the last ones are consecutive IDs, differences are short.
        let draws = proptest::collection::vec((any::<u32>(), 0..40_u8), length);
        (draws, 0..40_u8).prop_map(move |(draws, consecutive)| {
            let mut id = shift(first);
            let next = |(draw, odd)| {
                let delta = match odd {
                    0 => draw >> 9,
                    odd if odd < consecutive => 1,
                    _ => shift(draw),
                };
                id = id.saturating_add(delta).min(LARGEST);
                id
            };
            Vec::from_iter(draws.into_iter().map(next))
        })
    })
}

proptest! {
    #[test]
    fn lists_come_back(ids in lists(), slack in proptest::collection::vec(any::<u8>(), 0..700)) {
        for codec in CODECS {
            let bytes = encoded(codec, &ids);
            let behind = [&bytes[..], &slack].concat();
            for bytes in [&bytes[..], &behind] {
                let length = bytes.len() - if bytes.len() == behind.len() { slack.len() } else { 0 };
                prop_assert_eq!(decoded(codec, bytes, length, ids.len(), LARGEST + 1), Ok(ids.clone()));
                if let Some(last) = ids.last() {
                    prop_assert_eq!(decoded(codec, bytes, length, ids.len(), *last), Err(Malformed));
                    prop_assert_eq!(decoded(codec, bytes, length, ids.len() - 1, LARGEST + 1), Err(Malformed));
                }
                prop_assert_eq!(decoded(codec, bytes, length, ids.len() + 1, LARGEST + 1), Err(Malformed));
            }
        }
    }

    #[test]
    fn lists_that_descend_are_refused(ids in proptest::collection::vec(0..LARGEST, 2..600)) {
        for codec in CODECS {
            let bytes = encoded(codec, &ids);
            let expected = if ids.is_sorted() { Ok(ids.clone()) } else { Err(Malformed) };
            prop_assert_eq!(decoded(codec, &bytes, bytes.len(), ids.len(), u32::MAX), expected);
        }
    }

    #[test]
    fn any_bytes_are_decoded_safely(
        bytes in proptest::collection::vec(any::<u8>(), 0..3000), length in 0..3000_usize, count in 0..1500_usize,
        width in 0..40_u8, limit in any::<u32>(),
    ) {
        for codec in CODECS {
            let _ = decoded(codec, &bytes, length, count, limit);
            // With a valid first ID and width, decoding proceeds further.
            let packed = [&[1, width], &bytes[..]].concat();
            let _ = decoded(codec, &packed, length, count, limit);
        }
    }
}

#[test]
fn blocks_whose_differences_pass_the_largest_id_are_refused() {
    // Differences of 2^25 sum to exactly 2^32: the last ID equals the first.
    for (delta, right) in [((1 << 25) - 1, true), (1 << 25, false), ((1 << 25) + 1, false), (1 << 26, false)] {
        let ids = Vec::from_iter((0..=128_u32).map(|position| position.wrapping_mul(delta)));
        let bytes = encoded(Codec::Packed, &ids);
        assert_eq!(decoded(Codec::Packed, &bytes, bytes.len(), ids.len(), u32::MAX).is_ok(), right);
    }
}

/// Returns lists for each part of the format, and across their boundaries.
fn samples() -> Vec<Vec<VertexId>> {
    let spread = |count: u32, step: u32| Vec::from_iter((0..count).map(|position| 900 + position * step));
    let counts = [1, 2, 3, 4, 5, 6, 40, 127, 128, 129, 130, 256, 257, 300, 513, 514, 700];
    let mut samples = Vec::from_iter(counts.into_iter().map(|count| spread(count, 1000)));
    samples.extend([1, 2, 3, 4, 17, 65, 257, 600].map(|count| spread(count, 1)));
    samples.push([spread(300, 1), spread(5, 100_000), spread(9, 1)].concat());
    samples.last_mut().unwrap().sort_unstable();
    samples.extend([spread(129, 1 << 25 >> 1), spread(100, 0), spread(129, 0), vec![0], vec![LARGEST; 200]]);
    samples.into_iter().step_by(if cfg!(miri) { 7 } else { 1 }).collect()
}

#[test]
fn alternating_lists_cut_anywhere_are_refused_but_within_their_last_number() {
    for ids in samples() {
        let bytes = encoded(Codec::Alternating, &ids);
        let (last, others) = ids.split_last().unwrap();
        let last_number = last - others.last().copied().unwrap_or(0);
        let begin = bytes.len() - encoded(Codec::Alternating, &[last_number]).len();
        let longer = [&bytes[..], &[0; 9]].concat();
        for length in (0..longer.len()).step_by(CUT_STEP) {
            let found = decoded(Codec::Alternating, &longer, length, ids.len(), LARGEST + 1);
            // The end of the list ends its last number.
            let other = found.as_ref().is_ok_and(|found| found.split_last().unwrap().1 == others);
            assert!(found.is_err() || (other && length > begin), "{length} of {}", bytes.len());
        }
    }
}

#[test]
fn lists_cut_anywhere_are_refused() {
    for (codec, ids) in [Codec::Raw32, Codec::Packed, Codec::Runs]
        .into_iter()
        .flat_map(|codec| samples().into_iter().map(move |ids| (codec, ids)))
    {
        let bytes = encoded(codec, &ids);
        for length in (0..bytes.len()).step_by(CUT_STEP) {
            assert_eq!(decoded(codec, &bytes[..length], length, ids.len(), LARGEST + 1), Err(Malformed));
            assert_eq!(decoded(codec, &bytes, length, ids.len(), LARGEST + 1), Err(Malformed));
        }
        let longer = [&bytes[..], &[0; 9]].concat();
        for length in (bytes.len() + 1..longer.len()).step_by(CUT_STEP) {
            assert_eq!(decoded(codec, &longer, length, ids.len(), LARGEST + 1), Err(Malformed));
        }
        assert_eq!(decoded(codec, &bytes, bytes.len() + 1, ids.len(), LARGEST + 1), Err(Malformed));
    }
}

#[test]
fn a_flipped_bit_never_gives_ids_that_do_not_exist() {
    for (codec, ids) in CODECS.into_iter().flat_map(|codec| samples().into_iter().map(move |ids| (codec, ids))) {
        let bytes = encoded(codec, &ids);
        for bit in (0..8 * bytes.len()).step_by(BIT_STEP) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // `slices` checks everything that is passed on.
            let other = decoded(codec, &bytes, bytes.len(), ids.len(), ids.last().unwrap() + 1);
            assert!(other.is_err() || other.is_ok_and(|other| other.len() == ids.len()));
        }
    }
}

#[test]
fn long_lists_come_in_long_slices() {
    let ids = Vec::from_iter(0..5000);
    for (codec, longest) in [(Codec::Raw32, 5000), (Codec::Packed, 513), (Codec::Runs, 512), (Codec::Alternating, 256)]
    {
        let bytes = encoded(codec, &ids);
        let slices = slices(codec, &bytes, bytes.len(), ids.len(), 5000).unwrap();
        let (_, but_the_last) = slices.split_last().unwrap();
        assert!(but_the_last.iter().all(|slice| slice.len() >= 256));
        assert_eq!(slices.first().unwrap().len(), longest);
        assert_eq!(slices.concat(), ids);
    }
}

#[test]
fn a_break_ends_the_list() {
    let ids = Vec::from_iter(0..2000);
    let bytes = encoded(Codec::Packed, &ids);
    let mut slices = 0;
    let flow = Codec::Packed.decode(&bytes, bytes.len(), 2000, 2000, |_| {
        slices += 1;
        if slices == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((flow, slices), (Ok(ControlFlow::Break(())), 2));
    let short = encoded(Codec::Packed, &ids[..50]);
    let flow = Codec::Packed.decode(&short, short.len(), 50, 2000, |_| ControlFlow::Break(()));
    assert_eq!(flow, Ok(ControlFlow::Break(())));
}

#[test]
fn the_empty_list_is_no_bytes() {
    for codec in CODECS {
        assert_eq!(encoded(codec, &[]), Vec::<u8>::new());
        assert_eq!(decoded(codec, &[7, 7, 7, 7], 0, 0, 1), Ok(Vec::new()));
        assert_eq!(decoded(codec, &[0, 0, 0, 0], 4, 0, 1), Err(Malformed));
        assert_eq!(decoded(codec, &[0, 0, 0, 0], 0, 1, 1), Err(Malformed));
    }
}

#[test]
fn raw_ids_out_of_line_are_refused() {
    let words = [7_u32, 7, 7];
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    assert!(Codec::Raw32.decode(bytes, 4, 1, 8, |_| ControlFlow::Continue(())).is_ok());
    assert!(Codec::Raw32.decode(&bytes[1..], 4, 1, 8, |_| ControlFlow::Continue(())).is_err());
}

/// Tests the worked example of LOSC, section 3.4.
#[test]
fn the_highest_bit_alternates_between_neighboring_ids() {
    let bytes = encoded(Codec::Alternating, &[2, 5, 300]);
    assert_eq!(bytes, [0b0000_0010, 0b1000_0011, 0b0000_0010, 0b0010_0111]);
    assert_eq!(decoded(Codec::Alternating, &bytes, 4, 3, 301), Ok(vec![2, 5, 300]));
}

#[test]
fn alternating_numbers_that_are_not_as_written_are_refused() {
    let refused: [(&[u8], usize); 9] = [
        // The first number starts with 1, and so do two adjacent numbers.
        (&[0x82], 1),
        (&[0x02, 0x83, 0x84], 3),
        // Redundant zeros before a number.
        (&[0x00, 0x02], 1),
        (&[0x02, 0x80, 0x83], 2),
        // More than 2^32 - 1, alone and in sum; more bytes than any number has.
        (&[0x10, 0, 0, 0, 0], 1),
        (&[0x01, 0x8f, 0xff, 0xff, 0xff, 0xff], 2),
        (&[0x01; 6], 1),
        (&[0x7f; 40], 1),
        // The first bits are more than 64 places before the last.
        (&[0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x05], 1),
    ];
    for (bytes, count) in refused {
        assert_eq!(decoded(Codec::Alternating, bytes, bytes.len(), count, u32::MAX), Err(Malformed), "{bytes:x?}");
    }
    let largest = [0x0f, 0x7f, 0x7f, 0x7f, 0x7e];
    assert_eq!(decoded(Codec::Alternating, &largest, 5, 1, u32::MAX), Ok(vec![u32::MAX - 1]));
}

/// Returns true if runs save a byte each, have two IDs on average, and no difference is too large for one.
fn are_worth_runs(ids: &[VertexId]) -> bool {
    let Some((first, others)) = ids.split_first() else { return false };
    let number = |value: u64| leb128::encoded_len(value);
    let packed = Codec::Packed.encoded_len(ids) - number(u64::from(*first));
    let (mut runs, mut bytes, mut before) = (0, 0, *first);
    for run in others.chunk_by(|id, next| id + 1 == *next) {
        let bits = 32 - (run[0] - before).leading_zeros();
        if bits > 27 {
            return false;
        }
        runs += 1;
        bytes += 1 + bits.saturating_sub(3).div_ceil(8) as usize;
        bytes += if run.len() < 8 { 0 } else { number(run.len() as u64 - 8) };
        before = run[run.len() - 1];
    }
    runs > 0 && 2 * runs <= others.len() && bytes + number(runs as u64) + runs <= packed
}

/// Returns lists at the limits of the rule for runs: of runs of 1 to 20 IDs at distances of all widths.
fn lists_of_runs() -> impl Strategy<Value = Vec<VertexId>> {
    let run = (1..20_u32, prop_oneof![1..12_u32, 1..5000_u32, (1_u32 << 27) - 2..(1 << 27) + 2]);
    (0..1000_u32, proptest::collection::vec(run, 0..12)).prop_map(|(first, runs)| {
        let mut ids = vec![first];
        for (length, distance) in runs {
            let start = ids[ids.len() - 1] + distance;
            ids.extend(start..start + length);
        }
        ids
    })
}

proptest! {
    #[test]
    fn runs_are_chosen_where_they_are_worth_it(ids in prop_oneof![lists_of_runs(), lists()]) {
        let bytes = encoded(Codec::Runs, &ids);
        prop_assert_eq!(bytes.first().is_some_and(|head| head & 1 == 1), are_worth_runs(&ids), "{:?}", ids);
        prop_assert_eq!(decoded(Codec::Runs, &bytes, bytes.len(), ids.len(), u32::MAX).unwrap(), ids);
    }
}

#[test]
fn runs_are_chosen_up_to_the_last_byte_that_they_save() {
    // As many bytes as packed with one more per run, and one byte more.
    for (ids, chosen) in [(&[0, 3, 4][..], true), (&[0, 3, 4, 54, 55], false)] {
        assert_eq!((encoded(Codec::Runs, ids)[0] & 1 == 1, are_worth_runs(ids)), (chosen, chosen), "{ids:?}");
    }
}

#[test]
fn blocks_of_differences_of_every_width_come_back() {
    for bits in 0..32 {
        let ids = Vec::from_iter((0..300).map(|place| if place < 150 { 0 } else { (1_u32 << bits) + place }));
        for codec in CODECS {
            let bytes = encoded(codec, &ids);
            assert_eq!(decoded(codec, &bytes, bytes.len(), ids.len(), u32::MAX), Ok(ids.clone()), "{bits} bits");
        }
    }
}

/// Tests the examples of `docs/format/codec.md`.
#[test]
fn bytes_are_as_documented() {
    assert_eq!(encoded(Codec::Raw32, &[5, 300]), [5, 0, 0, 0, 44, 1, 0, 0]);
    assert_eq!(encoded(Codec::Packed, &[300, 300, 305, 1305]), [0xac, 0x02, 0b01_00_00, 0, 5, 0xe8, 0x03]);
    assert_eq!(encoded(Codec::Alternating, &[300, 300, 305, 1305]), [0x02, 0x2c, 0x80, 0x05, 0x87, 0xe8]);
    assert_eq!(encoded(Codec::Runs, &[300, 300, 305, 1305]), [0xd8, 0x04, 0b01_00_00, 0, 5, 0xe8, 0x03]);
    assert_eq!(encoded(Codec::Runs, &[7, 9, 10, 11, 12, 20]), [15, 2, 2 << 5 | 3, 1 << 3, 1]);
    let bytes = encoded(Codec::Packed, &Vec::from_iter((0..130).map(|position| 3 * position)));
    assert_eq!(bytes[..2], [0, 2]);
    assert_eq!(bytes[2..34], [0xff; 32]);
    assert_eq!(bytes[34..], [0, 3]);
    // Difference `4 q + p` is at bit `2 q` of word `p`.
    let mut ids = vec![0; 129];
    ids[1 + 4 * 5 + 2..].fill(3);
    let bytes = encoded(Codec::Packed, &ids);
    let words: Vec<u32> =
        bytes[2..18].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!((bytes.len(), words), (34, vec![0, 0, 3 << 10, 0]));
}

/// Returns pseudorandom lists, the same on every machine: differences of each width in bits, partly too large for
/// ascending IDs, in lists with and without blocks and tails, and mostly consecutive IDs.
fn fixed_lists() -> Vec<Vec<VertexId>> {
    let numbers = SplitMix64::new(1, 0);
    let list = |width: u32, length: u32| {
        let mut id = 0_u32;
        let delta = |position: u32| match numbers.at(u64::from(width << 20 | length << 10 | position)) {
            number if width == 0 && number % 8 > 0 => 1,
            number if width == 0 => number as u32 % 1000,
            number => number as u32 >> (32 - width),
        };
        Vec::from_iter((0..length).map(|position| {
            id = id.wrapping_add(delta(position));
            id
        }))
    };
    let lengths = [1, 2, 3, 4, 5, 50, 127, 129, 130, 300, 513, 700];
    (0..=32).flat_map(|width| lengths.map(|length| list(width, length))).collect()
}

/// Returns one hash per codec of everything that `feed` adds for each of the fixed lists.
fn fingerprints(feed: impl Fn(&mut Xxh3, Codec, &[VertexId])) -> [String; 4] {
    let lists = fixed_lists();
    CODECS.map(|codec| {
        let mut hash = Xxh3::new();
        lists.iter().for_each(|list| feed(&mut hash, codec, list));
        format!("{codec:?} {:016x}", hash.digest())
    })
}

/// Stores are exchanged between machines, and each processor has its own instructions for these codecs.
#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn encoded_bytes_are_the_same_on_every_processor() {
    let found = fingerprints(|hash, codec, ids| hash.update(&encoded(codec, ids)));
    let expected =
        ["Raw32 010f9db403c3fe5e", "Packed 7aa7ede26b27c461", "Runs daa76bddcf3db102", "Alternating 8d98e5e1419fdc7c"];
    assert_eq!(found, expected);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn damaged_bytes_have_the_same_result_on_every_processor() {
    let numbers = SplitMix64::new(2, 0);
    let found = fingerprints(|hash, codec, ids| {
        let bytes = encoded(codec, ids);
        for attempt in 0..12 {
            let mut bytes = bytes.clone();
            // The first attempt changes nothing; of the others, some change the bytes that say how to read the rest.
            let most = if attempt % 2 == 0 { bytes.len() } else { bytes.len().min(8) };
            let place = numbers.up_to(attempt, most as u32 - 1) as usize;
            bytes[place] ^= [0, 1, 2, 4, 8, 16, 32, 64, 128, 255, 3, 127][attempt as usize];
            match decoded(codec, &bytes, bytes.len(), ids.len(), u32::MAX) {
                Ok(ids) => hash.update(bytemuck::cast_slice(&ids)),
                Err(Malformed) => hash.update(b"malformed"),
            }
        }
    });
    let expected =
        ["Raw32 e240792df57260e8", "Packed 2db1d465fcca2bce", "Runs 80fc26ef7ded4946", "Alternating 532bea63dac33c61"];
    assert_eq!(found, expected);
}

#[test]
fn names_are_those_of_manifests() {
    let names = CODECS.map(|codec| serde_json::to_value(codec).unwrap());
    assert_eq!(names, ["raw32", "packed", "runs", "alternating"]);
}
