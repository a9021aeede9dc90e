//! Benchmark of decoding lists: `cargo test --release -p outcrop-store codec::speed -- --ignored --nocapture`.

use super::Codec;
use outcrop_types::{Stopwatch, VertexId};
use std::hint::black_box;
use std::ops::ControlFlow;

/// Number of IDs of all lists of one measurement; fits in the L2 cache, as a chunk does after it is read.
const IDS: usize = 200_000;
/// Number of IDs decoded per measurement, and number of repetitions; the fastest counts, since the machine may be
/// shared.
const DECODED: usize = 20_000_000;
const ATTEMPTS: usize = 15;
const LIMIT: u32 = u32::MAX - 1;

struct Encoded {
    bytes: Vec<u8>,
    lists: Vec<(usize, usize, u32)>,
}

fn encoded(codec: Codec, lengths: impl Fn(u64) -> usize, delta: u64) -> Encoded {
    let mut encoded = Encoded { bytes: Vec::new(), lists: Vec::new() };
    let (mut state, mut ids) = (1_u64, 0);
    let mut draw = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    while ids < IDS {
        let length = lengths(draw(1 << 32));
        let mut id = 0;
        let list = Vec::from_iter((0..length).map(|_| {
            // Without a difference, one of four IDs is not consecutive.
            id += match delta {
                0 if draw(4) > 0 => 1,
                0 => u32::try_from(draw(100)).unwrap(),
                delta => u32::try_from(draw(2 * delta)).unwrap(),
            };
            id
        }));
        let begin = encoded.bytes.len();
        codec.encode(&list, &mut encoded.bytes);
        encoded.lists.push((begin, encoded.bytes.len() - begin, u32::try_from(length).unwrap()));
        ids += length;
    }
    encoded
}

fn sum_up(ids: &[VertexId], sum: &mut u32) {
    *sum = ids.iter().fold(*sum, |sum, id| sum.wrapping_add(*id));
}

/// Returns the seconds for `rounds` rounds.
fn decode_all(codec: Codec, encoded: &Encoded, rounds: usize, summed: bool) -> f64 {
    let watch = Stopwatch::start();
    for _ in 0..rounds {
        for (begin, length, count) in &encoded.lists {
            let mut sum = 0;
            let flow = codec.decode(&encoded.bytes[*begin..], *length, *count, LIMIT, |ids| {
                if summed {
                    sum_up(ids, &mut sum)
                } else {
                    sum ^= black_box(ids)[ids.len() - 1]
                }
                ControlFlow::Continue(())
            });
            assert!(flow.is_ok());
            black_box(sum);
        }
    }
    watch.seconds()
}

fn measure(codec: Codec, name: &str, lengths: impl Fn(u64) -> usize, delta: u64) {
    let encoded = encoded(codec, lengths, delta);
    let ids: usize = encoded.lists.iter().map(|list| usize::try_from(list.2).unwrap()).sum();
    let rounds = DECODED / ids;
    let quickest =
        |summed| (0..ATTEMPTS).map(|_| decode_all(codec, &encoded, rounds, summed)).fold(f64::INFINITY, f64::min);
    let seconds = [quickest(false), quickest(true)];
    let rate = |seconds: f64| (rounds * ids) as f64 / seconds / 1e9;
    println!(
        "{codec:?} {name:<40} {:.2} G IDs/s, {:.2} with a sum over them; {:6.1} ns per list, {:.2} bytes per ID",
        rate(seconds[0]),
        rate(seconds[1]),
        seconds[0] * 1e9 / (rounds * encoded.lists.len()) as f64,
        encoded.bytes.len() as f64 / ids as f64
    );
}

#[test]
#[ignore = "a measurement of some seconds"]
fn speed_of_decoding() {
    for codec in [Codec::Packed, Codec::Runs, Codec::Alternating, Codec::Raw32] {
        measure(codec, "1 id", |_| 1, 1_000_000);
        measure(codec, "3 IDs, differences around 5,000,000", |_| 3, 5_000_000);
        measure(codec, "1 to 4 IDs, around 5,000,000", |random| usize::try_from(1 + random % 4).unwrap(), 5_000_000);
        measure(codec, "50 IDs, differences around 170,000", |_| 50, 170_000);
        measure(codec, "3 to 127 IDs, around 170,000", |random| usize::try_from(3 + random % 125).unwrap(), 170_000);
        measure(codec, "50 IDs, around 21,000,000", |_| 50, 21_000_000);
        measure(codec, "150 IDs, around 50,000", |_| 150, 50_000);
        measure(codec, "250 IDs, around 50,000", |_| 250, 50_000);
        measure(codec, "10,000 IDs, around 300", |_| 10_000, 300);
        measure(codec, "10,000 IDs, around 100,000", |_| 10_000, 100_000);
        measure(codec, "30 IDs, differences around 20", |_| 30, 20);
        measure(codec, "30 IDs, mostly consecutive", |_| 30, 0);
        measure(codec, "500 IDs, mostly consecutive", |_| 500, 0);
    }
}
