//! The layouts that the tests go through.

use outcrop_store::Codec;
use outcrop_store::layout::chunked::{ChunkSettings, IndexKind};
use outcrop_store::layout::compact::CompactSettings;
use outcrop_store::layout::csr::CsrSettings;
use outcrop_store::layout::sliding::SlidingSettings;
use outcrop_store::layout::{Layout, LayoutKind};
use proptest::prelude::*;

/// Chunks so small that small graphs have every kind of list.
pub const TINY: &[u32] = &[4096, 8192, 16_384];

/// Chunks of these sizes, and what `change` makes of the other settings.
pub fn chunks(sizes: &[u32], change: impl FnOnce(&mut ChunkSettings)) -> Layout {
    let mut settings = ChunkSettings { levels: ChunkSettings::levels_of(sizes), ..ChunkSettings::default() };
    change(&mut settings);
    Layout::Chunked(settings)
}

/// Lists one after the other, in pages of this size.
pub const fn pages_of(page_bytes: u32) -> Layout {
    Layout::Csr(CsrSettings { page_bytes })
}

/// Lists one after the other in as few bytes as this codec needs.
pub const fn compact(codec: Codec) -> Layout {
    Layout::Compact(CompactSettings { codec })
}

/// Shards of so many intervals.
pub const fn sliding(intervals: u32) -> Layout {
    Layout::Sliding(SlidingSettings { intervals: Some(intervals) })
}

/// Layouts that between them have every choice.
pub fn some() -> Vec<Layout> {
    vec![
        pages_of(4096),
        pages_of(512),
        pages_of(16_384),
        compact(Codec::Packed),
        compact(Codec::Runs),
        compact(Codec::Alternating),
        sliding(7),
        Layout::Sliding(SlidingSettings::default()),
        Layout::default(),
        chunks(TINY, |_| {}),
        chunks(TINY, |settings| settings.codec = Codec::Packed),
        chunks(TINY, |settings| settings.codec = Codec::Alternating),
        chunks(TINY, |settings| {
            settings.codec = Codec::Raw32;
            settings.index = IndexKind::Direct;
            settings.mini_degree = 1;
        }),
        chunks(&[4096], |settings| {
            settings.index = IndexKind::Direct;
            settings.combine = false;
        }),
        chunks(&[4096], |settings| {
            settings.straddle = true;
            settings.mini_degree = 0;
        }),
        chunks(&[8192, 65_536, 131_072], |settings| {
            settings.codec = Codec::Raw32;
            settings.mini_degree = 0;
        }),
    ]
}

/// Those whose lists can be held one by one.
pub fn of_single_lists() -> impl Iterator<Item = Layout> {
    some().into_iter().filter(|layout| layout.kind() != LayoutKind::Sliding)
}

/// Any layout with small chunks.
pub fn any_layout() -> impl Strategy<Value = Layout> {
    let sizes = prop_oneof![Just(&[4096_u32][..]), Just(TINY), Just(&[4096, 131_072][..])];
    let codec = prop_oneof![Just(Codec::Raw32), Just(Codec::Packed), Just(Codec::Alternating)];
    let chunked = (sizes, codec, any::<[bool; 3]>(), 0..=2_u32).prop_map(|(sizes, codec, flags, mini_degree)| {
        let [direct, combine, straddle] = flags;
        chunks(sizes, |settings| {
            settings.codec = codec;
            settings.index = if direct { IndexKind::Direct } else { IndexKind::Compact };
            (settings.combine, settings.straddle, settings.mini_degree) = (combine, straddle, mini_degree);
        })
    });
    let csr = (9..=16_u32).prop_map(|bits| pages_of(1_u32 << bits));
    let compact = prop_oneof![Just(Codec::Packed), Just(Codec::Alternating)].prop_map(compact);
    let sliding = (1..=40_u32).prop_map(sliding);
    prop_oneof![2 => csr, 2 => compact, 2 => sliding, 1 => Just(Layout::default()), 4 => chunked]
}
