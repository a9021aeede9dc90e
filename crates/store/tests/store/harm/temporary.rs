//! Bits that change in the temporary files of a build: an error that names them, or the right store.

use crate::cases::collect::{Reading, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, sliding};
use crate::harm::crash::NAME;
use outcrop_io::{BitFlip, Disk, FaultyStorage, IoChoice};
use outcrop_store::writing::BuildReport;
use outcrop_store::{ArcHash, Codec, Dedup, Store, check};
use outcrop_types::{Error, MemoryBudget, Result};
use std::sync::Arc;

/// Graphs whose builds spill: each kind of ids, weights, an order, and all layouts.
fn cases() -> Vec<(&'static str, Case)> {
    let case = |ids| Case::random(ids, 20_000, 60_000);
    let cases = [
        ("dense", case(Ids::Dense)),
        ("dense, shards", case(Ids::Dense).laid_out(&sliding(5))),
        ("sparse, weighted", Case { weighted: true, ..case(Ids::Sparse) }.laid_out(&compact(Codec::Packed))),
        ("sparse, by degree", Case { by_degree: true, ..case(Ids::Sparse) }.laid_out(&chunks(TINY, |_| {}))),
        ("texts, undirected", Case { undirected: true, dedup: Dedup::Sum, ..case(Ids::Text) }.laid_out(&pages_of(512))),
        ("texts, weighted", Case { weighted: true, by_degree: true, ..case(Ids::Text) }.laid_out(&sliding(4))),
    ];
    // Strings are sorted if a table of them does not fit in memory.
    let sorted = |case| Case { table_bytes: 100_000, ..within_little(case) };
    cases.map(|(name, case)| (name, sorted(case))).into()
}

/// The same, in the least memory.
fn within_little(case: Case) -> Case {
    let memory = case.options("graph".as_ref()).memory(&case.input()).total();
    Case { memory, ..case }
}

/// Builds with a flip; what a store says that appears, which must be intact.
fn build(case: &Case, flip: &Arc<BitFlip>) -> Result<(u32, u64, Option<ArcHash>)> {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    let storage = FaultyStorage::flipping(Arc::new(Disk), Arc::clone(flip));
    let BuildReport { manifest, .. } = case.build_on(&storage, &case.options(&target)).inspect_err(|_| {
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    })?;
    let store = Store::open(&target).unwrap();
    let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
    check(&store, work(IoChoice::Buffered, &budget, &workers)).unwrap();
    Ok((manifest.graph.vertices, manifest.graph.edges, manifest.graph.arc_hash))
}

/// Flips that were made, that were noticed, and that changed what nobody needed.
fn flip_bits(seed: u64, flips: usize) -> (usize, usize, usize) {
    let mut state = seed;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 7) ^ state.rotate_left(29)
    };
    let (mut made, mut noticed, mut harmless) = (0, 0, 0);
    let cases = cases();
    for (name, case) in &cases {
        let never = Arc::new(BitFlip::never());
        let expected = build(case, &never).unwrap();
        assert!(never.reads() > 5, "{name} reads {} pieces back", never.reads());
        for _ in 0..flips.div_ceil(cases.len()) {
            let flip = Arc::new(BitFlip::before(draw() % never.reads(), draw()));
            let outcome = build(case, &flip);
            made += usize::from(flip.happened());
            match outcome {
                Ok(found) => {
                    assert_eq!(found, expected, "{name}: {flip:?} (OUTCROP_SEED={seed})");
                    harmless += usize::from(flip.happened());
                }
                Err(error) => {
                    let named = matches!(error, Error::Corrupt { .. }) && error.to_string().contains("temporary file");
                    assert!(named && flip.happened(), "{name}: {error} ({flip:?}, OUTCROP_SEED={seed})");
                    noticed += 1;
                }
            }
        }
    }
    (made, noticed, harmless)
}

fn seed() -> u64 {
    std::env::var("OUTCROP_SEED").map_or(7, |seed| seed.parse().unwrap())
}

#[test]
fn a_bit_that_changes_in_a_temporary_file_of_a_build_is_noticed() {
    let (made, noticed, _) = flip_bits(seed(), 24);
    assert!(made >= 20 && noticed >= 20, "{noticed} of {made}");
}

#[test]
#[ignore = "some minutes: a thousand builds"]
fn a_thousand_bits_that_change_in_temporary_files_of_builds_are_noticed() {
    let (made, noticed, harmless) = flip_bits(seed(), 1020);
    println!("OUTCROP_SEED={}: {made} bits flipped, {noticed} noticed, {harmless} harmless, 0 undetected", seed());
    assert!(made >= 1000 && noticed + harmless == made, "{noticed} and {harmless} of {made}");
}
