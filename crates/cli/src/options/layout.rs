//! Layout options.

use clap::{Args, ValueEnum};
use outcrop::{
    ChunkSettings, Codec, CompactSettings, CsrSettings, Error, Layout, MemorySize, Placement, Result, SlidingSettings,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutOption {
    Chunked,
    Compact,
    Csr,
    Sliding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CodecOption {
    Runs,
    Packed,
    Alternating,
    Raw32,
}

impl CodecOption {
    const fn codec(self) -> Codec {
        match self {
            Self::Runs => Codec::Runs,
            Self::Packed => Codec::Packed,
            Self::Alternating => Codec::Alternating,
            Self::Raw32 => Codec::Raw32,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlacementOption {
    Ascending,
    Reordered,
}

/// Layout of the adjacency lists.
#[derive(Debug, Args)]
#[command(next_help_heading = "Layout")]
pub(crate) struct LayoutOptions {
    /// Layout of the adjacency lists on disk
    #[arg(long, value_enum, default_value_t = LayoutOption::Chunked)]
    pub(crate) layout: LayoutOption,
    /// csr: page size, the unit of reads and of the cache, 512 to 64KiB [default: 4KiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) page_size: Option<MemorySize>,
    /// sliding: maximum number of intervals, 1 to 1024 [default: by the number of edges]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) intervals: Option<u32>,
    /// chunked, compact: neighbor encoding; differences in packed bits, with runs of consecutive neighbors where these
    /// are shorter (runs), or in bytes (alternating), or (chunked) 4 bytes [default: runs]
    #[arg(long, value_enum, value_name = "CODEC")]
    pub(crate) codec: Option<CodecOption>,
    /// chunked: list order on disk; by vertex, or lists reached together next to each other (reordered) [default:
    /// ascending]
    #[arg(long, value_enum, value_name = "PLACEMENT")]
    pub(crate) placement: Option<PlacementOption>,
}

impl LayoutOptions {
    /// # Errors
    /// Options of a layout with another one, or sizes that make no sense.
    pub(crate) fn layout(&self) -> Result<Layout> {
        match self.layout {
            LayoutOption::Chunked | LayoutOption::Compact | LayoutOption::Csr if self.intervals.is_some() => {
                Err(Error::Usage("--intervals needs --layout sliding".to_owned()))
            }
            LayoutOption::Chunked | LayoutOption::Compact | LayoutOption::Sliding if self.page_size.is_some() => {
                Err(Error::Usage("--page-size needs --layout csr".to_owned()))
            }
            LayoutOption::Chunked => self.chunks().map(Layout::Chunked),
            LayoutOption::Csr | LayoutOption::Compact | LayoutOption::Sliding if self.placement.is_some() => {
                Err(Error::Usage("--placement needs --layout chunked".to_owned()))
            }
            LayoutOption::Csr | LayoutOption::Sliding if self.codec.is_some() => {
                Err(Error::Usage("--codec needs --layout chunked or compact".to_owned()))
            }
            LayoutOption::Compact => self.compact().map(Layout::Compact),
            LayoutOption::Csr => self.pages().map(Layout::Csr),
            LayoutOption::Sliding => self.shards().map(Layout::Sliding),
        }
    }

    fn pages(&self) -> Result<CsrSettings> {
        self.page_size.map_or_else(|| Ok(CsrSettings::default()), |size| CsrSettings::with_pages_of(size.bytes()))
    }

    fn shards(&self) -> Result<SlidingSettings> {
        let settings = SlidingSettings { intervals: self.intervals };
        settings.validate().map(|()| settings)
    }

    fn compact(&self) -> Result<CompactSettings> {
        let settings = CompactSettings::default();
        let settings = CompactSettings { codec: self.codec.map_or(settings.codec, CodecOption::codec) };
        settings.validate().map(|()| settings)
    }

    fn chunks(&self) -> Result<ChunkSettings> {
        let default = ChunkSettings::default();
        let settings = ChunkSettings {
            codec: self.codec.map_or(default.codec, CodecOption::codec),
            placement: match self.placement {
                None | Some(PlacementOption::Ascending) => Placement::Ascending,
                Some(PlacementOption::Reordered) => Placement::Reordered,
            },
            ..default
        };
        settings.validate()?;
        Ok(settings)
    }
}
