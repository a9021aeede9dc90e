//! The order of vertices and the layout of lists, as Python asks for them.

use crate::arguments::choose;
use outcrop::{
    BuildOrder, ChunkSettings, Codec, CompactSettings, CsrSettings, Error, Layout, LayoutKind, MemorySize, Result,
    SlidingSettings,
};
use pyo3::prelude::*;

/// Options of lists, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct ListArguments {
    order: Option<String>,
    order_seed: Option<u64>,
    layout: String,
    page_size: Option<String>,
    intervals: Option<u32>,
    codec: Option<String>,
}

impl ListArguments {
    /// The requested order.
    pub(super) fn order(&self) -> Result<Option<BuildOrder>> {
        let orders = [
            ("original", BuildOrder::Original),
            ("degree", BuildOrder::Degree),
            ("random", BuildOrder::Random { seed: self.order_seed.unwrap_or(BuildOrder::DEFAULT_SEED) }),
            ("pagerank", BuildOrder::PageRank),
            ("norder", BuildOrder::Norder),
            ("auto", BuildOrder::Auto),
        ];
        if self.order_seed.is_some() && self.order.as_deref() != Some("random") {
            return Err(Error::Usage("order_seed needs order=\"random\"".to_owned()));
        }
        self.order.as_ref().map(|order| choose("order", order, &orders)).transpose()
    }

    /// The layout with its settings.
    pub(super) fn layout(&self) -> Result<Layout> {
        let layouts = [LayoutKind::Chunked, LayoutKind::Compact, LayoutKind::Csr, LayoutKind::Sliding];
        let layouts = layouts.map(|layout| (layout.name(), layout));
        let codecs = [
            ("runs", Codec::Runs),
            ("packed", Codec::Packed),
            ("alternating", Codec::Alternating),
            ("raw32", Codec::Raw32),
        ];
        let codec = self.codec.as_ref().map(|codec| choose("codec", codec, &codecs)).transpose()?;
        match choose("layout", &self.layout, &layouts)? {
            LayoutKind::Chunked | LayoutKind::Compact | LayoutKind::Csr if self.intervals.is_some() => {
                Err(Error::Usage("intervals needs layout=\"sliding\"".to_owned()))
            }
            LayoutKind::Csr | LayoutKind::Sliding if codec.is_some() => {
                Err(Error::Usage("codec needs layout=\"chunked\" or \"compact\"".to_owned()))
            }
            LayoutKind::Csr => self.pages().map(Layout::Csr),
            LayoutKind::Chunked | LayoutKind::Compact | LayoutKind::Sliding if self.page_size.is_some() => {
                Err(Error::Usage("page_size needs layout=\"csr\"".to_owned()))
            }
            LayoutKind::Sliding => {
                let settings = SlidingSettings { intervals: self.intervals };
                settings.validate().map(|()| Layout::Sliding(settings))
            }
            LayoutKind::Compact => {
                let settings = CompactSettings { codec: codec.unwrap_or(CompactSettings::default().codec) };
                settings.validate().map(|()| Layout::Compact(settings))
            }
            LayoutKind::Chunked => {
                let settings = ChunkSettings::default();
                Ok(Layout::Chunked(ChunkSettings { codec: codec.unwrap_or(settings.codec), ..settings }))
            }
        }
    }

    fn pages(&self) -> Result<CsrSettings> {
        match &self.page_size {
            None => Ok(CsrSettings::default()),
            Some(size) => CsrSettings::with_pages_of(size.parse::<MemorySize>()?.bytes()),
        }
    }
}
