//! Options for the layout of the lists on disk.

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

/// Layout of the lists. All but the first four options are of the chunked layout.
#[derive(Debug, Args)]
#[command(next_help_heading = "Layout of the lists")]
pub(crate) struct LayoutOptions {
    /// Layout of the lists on disk
    #[arg(long, value_enum, default_value_t = LayoutOption::Chunked)]
    pub(crate) layout: LayoutOption,
    /// With csr: bytes of a page, the unit of reading and caching, 512 to 64KiB [default: 4KiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) page_size: Option<MemorySize>,
    /// With sliding: vertices are split into so many intervals at the most, 1 to 1024 [default: by the number of edges]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) intervals: Option<u32>,
    /// With chunked and compact, the code of neighbours: differences, bit-packed or seven bits a byte, or (in chunks) 4 bytes each
    /// [default: packed]
    #[arg(long, value_enum, value_name = "CODEC")]
    pub(crate) codec: Option<CodecOption>,
    /// The index in memory: about a byte a vertex, or the paper's 12 bytes [default: compact]
    #[arg(long, value_enum, value_name = "INDEX")]
    pub(crate) index: Option<IndexOption>,
    /// Order of the lists on disk: by vertex, or those that are reached together side by side [default: ascending]
    #[arg(long, value_enum, value_name = "PLACEMENT")]
    pub(crate) placement: Option<PlacementOption>,
    /// Sizes of chunks, ascending [default: 4KiB,32KiB,256KiB,2MiB]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) chunk_sizes: Option<Vec<MemorySize>>,
    /// Vertices of at most so many neighbours keep them in the index: 0 to 2 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=2))]
    pub(crate) mini_degree: Option<u32>,
    /// Do not fill what lists leave of their chunks with smaller ones
    #[arg(long)]
    pub(crate) no_combine: bool,
}

impl LayoutOptions {
    /// # Errors
    /// Options of a layout with another one, or sizes that make no sense.
    pub(crate) fn layout(&self) -> Result<Layout> {
        match self.layout {
            LayoutOption::Chunked | LayoutOption::Compact | LayoutOption::Csr if self.intervals.is_some() => {
                Err(Error::Usage("--intervals goes with --layout sliding".to_owned()))
            }
            LayoutOption::Chunked | LayoutOption::Compact | LayoutOption::Sliding if self.page_size.is_some() => {
                Err(Error::Usage("--page-size goes with --layout csr".to_owned()))
            }
            LayoutOption::Chunked => self.chunks().map(Layout::Chunked),
            LayoutOption::Csr | LayoutOption::Compact | LayoutOption::Sliding if self.of_chunks() => {
                Err(Error::Usage("the options of chunks go with --layout chunked".to_owned()))
            }
            LayoutOption::Csr | LayoutOption::Sliding if self.codec.is_some() => {
                Err(Error::Usage("--codec goes with --layout chunked or compact".to_owned()))
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
            let too_large = |_| Error::Usage("--chunk-sizes has a size of 4 GiB or more".to_owned());
            let sizes = sizes.iter().map(|size| u32::try_from(size.bytes()).map_err(too_large));
            settings.levels = ChunkSettings::levels_of(&sizes.collect::<Result<Vec<_>>>()?);
        }
        settings.validate()?;
        Ok(settings)
    }
}
