//! Layout options.

use clap::{Args, ValueEnum};
use outcrop::{
    ChunkSettings, Codec, CompactSettings, CsrSettings, Error, IndexKind, Layout, MemorySize, Placement, Result,
    SlidingSettings,
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
    Packed,
    Alternating,
    Raw32,
}

impl CodecOption {
    const fn codec(self) -> Codec {
        match self {
            Self::Packed => Codec::Packed,
            Self::Alternating => Codec::Alternating,
            Self::Raw32 => Codec::Raw32,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexOption {
    Compact,
    Direct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlacementOption {
    Ascending,
    Reordered,
}

/// Layout of the adjacency lists. All but the first four options are for the chunked layout.
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
    /// chunked, compact: neighbor encoding; differences in packed bits or in bytes (alternating), or (chunked) 4 bytes
    /// [default: packed]
    #[arg(long, value_enum, value_name = "CODEC")]
    pub(crate) codec: Option<CodecOption>,
    /// chunked: in-memory index; about 1 byte per vertex (compact) or 12 bytes as in the paper (direct) [default:
    /// compact]
    #[arg(long, value_enum, value_name = "INDEX")]
    pub(crate) index: Option<IndexOption>,
    /// chunked: list order on disk; by vertex, or lists reached together next to each other (reordered) [default:
    /// ascending]
    #[arg(long, value_enum, value_name = "PLACEMENT")]
    pub(crate) placement: Option<PlacementOption>,
    /// chunked: chunk sizes, ascending [default: 4KiB,32KiB,256KiB,2MiB]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) chunk_sizes: Option<Vec<MemorySize>>,
    /// chunked: store lists of up to this length in the index, 0 to 2 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=2))]
    pub(crate) mini_degree: Option<u32>,
    /// chunked: do not fill free space in chunks with smaller lists
    #[arg(long)]
    pub(crate) no_combine: bool,
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
            LayoutOption::Csr | LayoutOption::Compact | LayoutOption::Sliding if self.of_chunks() => Err(Error::Usage(
                "--index, --placement, --chunk-sizes, --mini-degree and --no-combine need --layout chunked".to_owned(),
            )),
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

    const fn of_chunks(&self) -> bool {
        self.index.is_some()
            || self.placement.is_some()
            || self.chunk_sizes.is_some()
            || self.mini_degree.is_some()
            || self.no_combine
    }

    fn chunks(&self) -> Result<ChunkSettings> {
        let mut settings = ChunkSettings {
            codec: self.codec.map_or(Codec::Packed, CodecOption::codec),
            index: match self.index {
                None | Some(IndexOption::Compact) => IndexKind::Compact,
                Some(IndexOption::Direct) => IndexKind::Direct,
            },
            placement: match self.placement {
                None | Some(PlacementOption::Ascending) => Placement::Ascending,
                Some(PlacementOption::Reordered) => Placement::Reordered,
            },
            combine: !self.no_combine,
            ..ChunkSettings::default()
        };
        settings.mini_degree = self.mini_degree.unwrap_or(settings.mini_degree);
        if let Some(sizes) = &self.chunk_sizes {
            let too_large = |_| Error::Usage("--chunk-sizes: sizes must be below 4 GiB".to_owned());
            let sizes = sizes.iter().map(|size| u32::try_from(size.bytes()).map_err(too_large));
            settings.levels = ChunkSettings::levels_of(&sizes.collect::<Result<Vec<_>>>()?);
        }
        settings.validate()?;
        Ok(settings)
    }
}
