//! Tests of round trips of blocks, malformed bytes, and intervals.

use super::block::{self, BlockShape};
use super::pieces::{Piece, pieces};
use crate::access::ArcBlock;
use crate::layout::sliding::finder::Finder;
use crate::layout::sliding::intervals::{BoundsPicker, intervals_for};
use outcrop_types::{VertexId, VertexRange, WeightType};
use proptest::prelude::*;

/// Starts of the intervals of the blocks.
const FROM: VertexId = 1000;
const TO: VertexId = 4_000_000_000;

fn block_of(mut arcs: Vec<(u32, u32)>, weighted: bool) -> ArcBlock {
    arcs.sort_unstable();
    ArcBlock {
        sources: arcs.iter().map(|arc| FROM + arc.0).collect(),
        targets: arcs.iter().map(|arc| TO + arc.1).collect(),
        weights: arcs.iter().filter(|_| weighted).map(|arc| f64::from(arc.1) / 3.0).collect(),
    }
}

fn shape_of(block: &ArcBlock, width: (u32, u32)) -> BlockShape {
    BlockShape {
        sources: VertexRange::new(FROM, FROM + width.0),
        targets: VertexRange::new(TO, TO + width.1),
        arcs: block.len() as u32,
        weights: (!block.weights.is_empty()).then_some(WeightType::F64),
    }
}

fn encoded(block: &ArcBlock) -> Vec<u8> {
    let mut bytes = Vec::new();
    let weights = (!block.weights.is_empty()).then_some(WeightType::F64);
    block::encode(block, (FROM, TO), weights, &mut Vec::new(), &mut bytes);
    bytes
}

fn arcs() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let width = prop_oneof![Just((1_u32, 1_u32)), Just((300, 7)), Just((1 << 30, 1 << 27))];
    width.prop_flat_map(|width| proptest::collection::vec((0..width.0, 0..width.1), 1..1000))
}

proptest! {
    #[test]
    fn blocks_come_back(arcs in arcs(), weighted: bool) {
        let block = block_of(arcs, weighted);
        let bytes = encoded(&block);
        prop_assert!(bytes.len() as u64 <= block::most_bytes(block.len() as u64, weighted.then_some(WeightType::F64)));
        prop_assert!(block::may_hold(bytes.len() as u64, block.len() as u64));
        let mut decoded = block_of(vec![(1, 2)], true);
        block::decode(&bytes, shape_of(&block, (1 << 30, 1 << 27)), &mut decoded).unwrap();
        prop_assert_eq!(decoded, block);
    }

    #[test]
    fn ends_outside_of_their_intervals_are_refused(arcs in arcs()) {
        let block = block_of(arcs, false);
        let bytes = encoded(&block);
        let (source, target) = (*block.sources.last().unwrap() - FROM, *block.targets.iter().max().unwrap() - TO);
        let decode = |width| block::decode(&bytes, shape_of(&block, width), &mut ArcBlock::default());
        prop_assert!(decode((source + 1, target + 1)).is_ok());
        prop_assert!(decode((source, target + 1)).is_err());
        prop_assert!(decode((source + 1, target)).is_err());
    }

    #[test]
    fn other_bytes_are_refused_or_hold_arcs_of_the_intervals(
        arcs in arcs(), weighted: bool, at: prop::sample::Index, change: u8, cut: prop::sample::Index, fewer in 0..3_u32
    ) {
        let block = block_of(arcs, weighted);
        let mut bytes = encoded(&block);
        let place = at.index(bytes.len());
        bytes[place] ^= change;
        if fewer == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        let mut shape = shape_of(&block, (1 << 30, 1 << 27));
        shape.arcs -= fewer.min(shape.arcs) / 2;
        let mut decoded = ArcBlock::default();
        if block::decode(&bytes, shape, &mut decoded).is_ok() {
            prop_assert_eq!((decoded.sources.len(), decoded.targets.len()), (shape.arcs as usize, shape.arcs as usize));
            prop_assert!(decoded.sources.is_sorted());
            prop_assert!(decoded.sources.iter().all(|source| shape.sources.contains(*source)));
            prop_assert!(decoded.targets.iter().all(|target| shape.targets.contains(*target)));
            prop_assert_eq!(decoded.weights.len(), if weighted { shape.arcs as usize } else { 0 });
        }
    }

    #[test]
    fn intervals_are_found(gaps in proptest::collection::vec(1..5000_u32, 1..200)) {
        let mut bounds = vec![0];
        bounds.extend(gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }));
        let finder = Finder::new(&bounds);
        for (interval, ends) in bounds.windows(2).enumerate() {
            for vertex in [ends[0], ends[0] + (ends[1] - ends[0]) / 2, ends[1] - 1] {
                prop_assert_eq!(finder.find(vertex), interval);
            }
        }
        prop_assert!(finder.find(u32::MAX) < gaps.len());
    }

    #[test]
    fn pieces_cover_runs(runs in proptest::collection::vec((0..1_000_000_u64, 1..600_000_u64), 0..5)) {
        let runs: Vec<_> = runs.into_iter().map(|(start, length)| start..start + length).collect();
        let pieces = pieces(&runs, 512);
        for piece in &pieces {
            prop_assert!(piece.offset % 512 == 0 && piece.length % 512 == 0 && piece.length <= super::pieces::PIECE_BYTES);
            prop_assert!(piece.offset <= piece.wanted.start && piece.wanted.end <= piece.offset + piece.length);
        }
        let mut wanted: Vec<Piece> = pieces;
        for run in &runs {
            let mut at = run.start;
            while at < run.end {
                prop_assert_eq!(wanted[0].wanted.start, at);
                at = wanted.remove(0).wanted.end;
            }
            prop_assert_eq!(at, run.end);
        }
        prop_assert!(wanted.is_empty());
    }
}

#[test]
fn an_arc_takes_few_bytes() {
    let arc = |number: u64| {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 49) as u32, (mixed >> 20) as u32 & 0x7fff)
    };
    let block = block_of((0..8192).map(arc).collect(), false);
    let each = encoded(&block).len() as f64 / 8192.0;
    assert!(each < 2.7, "{each}");
}

#[test]
fn intervals_weigh_about_the_same_and_none_is_empty() {
    assert_eq!([0, 16_383, 16_384 * 4, 67_000_000, u64::MAX].map(intervals_for), [1, 1, 2, 63, 1024]);
    let bounds = |degrees: &[u64], intervals| {
        let mut picker = BoundsPicker::new(degrees.len() as u32, degrees.iter().sum(), intervals);
        degrees.iter().for_each(|degree| picker.push(*degree));
        picker.finish()
    };
    assert_eq!(bounds(&[], 5), [0, 0]);
    assert_eq!(bounds(&[0, 0, 0], 1), [0, 3]);
    assert_eq!(bounds(&[3, 3, 3, 3, 3, 3], 3), [0, 2, 4, 6]);
    assert_eq!(bounds(&[0; 6], 6), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(bounds(&[0, 0], 100), [0, 1, 2]);
    let skewed = bounds(&[1_000_000, 1, 1, 1, 1, 1, 500_000, 1], 4);
    assert!(skewed.is_sorted_by(|one, next| one < next) && skewed.len() <= 5, "{skewed:?}");
    let even = bounds(&[7; 1000], 10);
    assert!(even.windows(2).all(|ends| ends[1] - ends[0] == 100), "{even:?}");
}
