//! What can be typed: the help pages are made from this.

use crate::algorithm_command::AlgorithmCommand;
use crate::commands::bench::basc::BascArguments;
use crate::commands::bench::construct::ConstructArguments;
use crate::commands::bench::dynamic_shards::DynamicShardsArguments;
use crate::commands::bench::losc::LoscArguments;
use crate::commands::bench::multilog::MultilogArguments;
use crate::commands::cache::CacheArguments;
use crate::commands::update::UpdateArguments;
use crate::layout_options::{DenseAccessOption, LayoutOptions};
use crate::order_options::OrderOptions;
use crate::progress::ProgressMode;
use crate::text_options::TextOptions;
use clap::{Args, Parser, Subcommand, ValueEnum};
use outcrop::{
    CacheSize, Cancellation, IoChoice, MemorySize, OpenOptions, StaticShare, WeightChoice, WeightDistribution,
};
use std::path::PathBuf;

/// Graph analytics on graphs larger than memory.
#[derive(Debug, Parser)]
#[command(name = "outcrop", version, about, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 ok, 2 usage, 3 bad input, 4 budget too small, 5 disk full, 6 not converged, \
7 corrupt store, 8 format version, 9 I/O, 70 internal error, 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a store from files of edges
    Build(Box<BuildArguments>),
    /// Make a store of the same graph with another layout of its lists or order of its vertices
    Convert(ConvertArguments),
    /// Add edges to a store and remove edges from it
    Update(Box<UpdateArguments>),
    /// Show what a store holds
    Info(InfoArguments),
    /// Verify every byte of a store
    Check(CheckArguments),
    /// Select lists that runs keep in memory from their beginning: a static cache
    Cache(CacheArguments),
    /// Say how much memory a run needs, without running it
    #[command(arg_required_else_help = true)]
    Estimate(AlgorithmCommand<EstimateOptions>),
    /// Run an algorithm
    #[command(arg_required_else_help = true)]
    Run(Box<AlgorithmCommand<RunOptions>>),
    /// List the algorithms
    Algorithms(AlgorithmsArguments),
    /// Print what completes commands and options in a shell
    Completions(CompletionsArguments),
    /// Write manual pages
    Man(ManArguments),
    /// Make a page from the record of a run or build
    Report(ReportArguments),
    /// Write the edges of a generated graph
    Generate(GenerateArguments),
    /// Measure the disk, so that reads are planned for it
    Calibrate(CalibrateArguments),
    /// Make the tables of a paper on a graph of your own
    #[command(subcommand)]
    Bench(BenchCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// What each technique of ChunkGraph (USENIX ATC 2024) brings: figure 11, tables 3 to 5
    Chunkgraph(ChunkgraphArguments),
    /// What static caches and orders bring: BASC and Norder (USENIX ATC 2019)
    Basc(BascArguments),
    /// What compact shards, their construction and scheduling by benefit bring: LOSC (JPDC 2023)
    Losc(LoscArguments),
    /// What multi-logs, fusing and the edge log bring: MultiLogVC (2021)
    Multilog(MultilogArguments),
    /// What shards that hold the needed edges bring: Load the Edges You Need (USENIX ATC 2016)
    DynamicShards(DynamicShardsArguments),
    /// Subgraph construction by itself, to be timed or watched by Cachegrind
    Construct(ConstructArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ChunkgraphArguments {
    /// A store in the chunked layout, in ascending placement
    pub(crate) store: PathBuf,
    /// The folder in which stores are made, and removed again
    #[arg(long, value_name = "DIR")]
    pub(crate) work: PathBuf,
    /// What to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "bfs,bc,kcore,radii,pagerank")]
    pub(crate) algorithms: Vec<String>,
    /// The vertex that searches start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
    /// Runs of each, of which the one of middle length counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: WorkOptions,
}

/// Options that everything which takes long has.
#[derive(Debug, Args)]
pub(crate) struct WorkOptions {
    /// Memory to work in: 4GiB, 500MB, 50% of the machine's, or auto (half of it)
    #[arg(long, value_name = "SIZE", default_value = "auto")]
    pub(crate) memory: MemorySize,
    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

impl WorkOptions {
    /// How to open a graph to work on it so, everything else at its default.
    pub(crate) fn open(&self, cancellation: &Cancellation) -> OpenOptions {
        OpenOptions {
            memory: self.memory,
            threads: self.threads(),
            cancellation: cancellation.clone(),
            observer: self.progress.progress.observer(),
            ..OpenOptions::default()
        }
    }

    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

#[derive(Debug, Args)]
pub(crate) struct ProgressOption {
    /// How progress is shown on stderr
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum IdsOption {
    /// Whole numbers or texts, as the first edge shows
    Auto,
    /// The vertices are 0..max, or 0..N-1 with --num-vertices
    Dense,
    /// Texts
    String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DedupOption {
    Keep,
    First,
    Sum,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SelfLoopsOption {
    Keep,
    Drop,
}

#[derive(Debug, Args)]
#[command(override_usage = "outcrop build [OPTIONS] <EDGES>... <STORE>")]
pub(crate) struct BuildArguments {
    /// Files of edges, folders of them, quoted patterns, or `-` for standard input; then the store to make
    #[arg(required = true, value_name = "PATHS")]
    pub(crate) paths: Vec<PathBuf>,
    /// Edges have a direction [default: what the files state, else that they have]
    #[arg(long, conflicts_with = "undirected")]
    pub(crate) directed: bool,
    /// Edges have no direction; list each once
    #[arg(long)]
    pub(crate) undirected: bool,
    /// Edges have weights, in the third column
    #[arg(long)]
    pub(crate) weighted: bool,
    /// Edges have weights, in this column
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// Type of weights in the store: auto (the narrowest that holds all of them), f64, f32 (rounds), u8, u16, u32
    #[arg(long, value_name = "TYPE", default_value = "auto")]
    pub(crate) weight_type: WeightChoice,
    #[command(flatten)]
    pub(crate) text: TextOptions,
    /// A file of further vertices, one id a line
    #[arg(long, value_name = "FILE")]
    pub(crate) vertices: Option<PathBuf>,
    /// What the ids are
    #[arg(long, value_enum, default_value_t = IdsOption::Auto)]
    pub(crate) ids: IdsOption,
    /// With --ids dense: the vertices are 0..N-1
    #[arg(long, value_name = "N")]
    pub(crate) num_vertices: Option<u64>,
    /// What becomes of edges that occur more than once
    #[arg(long, value_enum, default_value_t = DedupOption::Keep)]
    pub(crate) dedup: DedupOption,
    /// What becomes of edges from a vertex to itself
    #[arg(long, value_enum, default_value_t = SelfLoopsOption::Keep)]
    pub(crate) self_loops: SelfLoopsOption,
    /// Where temporary files go [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// Replace a store (and report) that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Read the whole store back and check it before it appears
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print what was built as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page that shows what the build did and cost
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) order: OrderOptions,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// The store to read
    pub(crate) source: PathBuf,
    /// The store to make
    pub(crate) store: PathBuf,
    /// Type of weights: auto (the narrowest that holds all of them), f64, f32 (rounds), u8, u16, u32 [default: as it is]
    #[arg(long, value_name = "TYPE")]
    pub(crate) weight_type: Option<WeightChoice>,
    /// Where temporary files go [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// Replace a store that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Read the whole store back and check it before it appears
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print what was made as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page that shows what was done and what it cost
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// How to read
    #[arg(long, value_name = "WAY", default_value = "auto")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) order: OrderOptions,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// The store
    pub(crate) store: PathBuf,
    /// Measure how near the lists of neighbours lie to each other, which reads all lists
    #[arg(long)]
    pub(crate) locality: bool,
    /// With --locality: memory to work in [default: auto, half of the machine's]
    #[arg(long, value_name = "SIZE", requires = "locality")]
    pub(crate) memory: Option<MemorySize>,
    /// With --locality: threads [default: one a core]
    #[arg(short, long, value_name = "N", requires = "locality", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The store
    pub(crate) store: PathBuf,
    /// How to read
    #[arg(long, value_name = "WAY", default_value = "auto")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

/// What `outcrop estimate` has besides the parameters of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct EstimateOptions {
    /// The memory that the run would get, which decides between models: 4GiB, 500MB, 50% of the machine's, or auto (half of it)
    #[arg(long, value_name = "SIZE", default_value = "auto")]
    pub(crate) memory: MemorySize,
    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `outcrop run` has besides the parameters of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) output: OutputOptions,
    #[command(flatten, next_help_heading = "Memory and I/O")]
    pub(crate) work: WorkOptions,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
}

/// What is made of a result.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// Write the result here: .csv, .tsv, .jsonl, .parquet or .npy
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print the K rows with the largest values [default: 10 where neither -o nor --json is given]
    #[arg(long, value_name = "K")]
    pub(crate) top: Option<usize>,
    /// Print what the run did and cost as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page that shows what the run did and cost
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
}

/// How lists are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct ReadingOptions {
    /// The order in which lists in chunks are swept: as they lie, or by vertex: for measurements
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = DenseAccessOption::Chunk)]
    pub(crate) dense_access: DenseAccessOption,
    /// Memory of the page cache: a size, a percentage of --memory, or auto (what is left)
    #[arg(long, value_name = "SIZE", default_value = "auto")]
    pub(crate) page_cache: CacheSize,
    /// Keep account of how much of the cached pages is looked at: for measurements
    #[arg(long)]
    pub(crate) cache_statistics: bool,
    /// What part of the page cache's memory holds the lists that `outcrop cache` selected: a percentage of it, or auto (80% where the
    /// algorithm follows frontiers and not all lists fit)
    #[arg(long, value_name = "PERCENT", default_value = "auto")]
    pub(crate) static_cache: StaticShare,
    /// How to read: auto, uring, pread, buffered, or mmap
    #[arg(long, value_name = "WAY", default_value = "auto")]
    pub(crate) io: IoChoice,
    /// Where messages, shards, and values of vertices and edges go that are kept on disk [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct AlgorithmsArguments {
    /// Print what is known of them as JSON: names, parameters, results
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example, for bash:\n  outcrop completions bash > ~/.local/share/bash-completion/completions/outcrop"
)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  outcrop man ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// The folder, which is made where it is not there
    pub(crate) folder: PathBuf,
    /// Replace pages that stand there
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// What `outcrop run --json` or `outcrop build --json` printed; `-` for standard input
    #[arg(value_name = "RECORD.json")]
    pub(crate) record: PathBuf,
    /// Write the page here [default: beside the record, with .html]
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) graph: GeneratedGraph,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GeneratedGraph {
    /// Graph500's Kronecker graph: 2^SCALE vertices, heavily skewed
    Kronecker {
        /// Two to this power vertices
        #[arg(long, value_name = "N")]
        scale: u32,
        /// Edges a vertex
        #[arg(long, value_name = "N", default_value_t = 16)]
        edge_factor: u32,
        #[command(flatten)]
        rest: GenerateOptions,
    },
    /// Edges between vertices drawn at random
    Uniform {
        /// Number of vertices
        #[arg(long, value_name = "N")]
        vertices: u64,
        /// Number of edges
        #[arg(long, value_name = "N")]
        edges: u64,
        #[command(flatten)]
        rest: GenerateOptions,
    },
    /// A grid in which each vertex is joined to its four neighbours; each edge once
    Grid {
        /// Number of rows
        #[arg(long, value_name = "N")]
        rows: u64,
        /// Number of columns
        #[arg(long, value_name = "N")]
        columns: u64,
        #[command(flatten)]
        rest: GenerateOptions,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// The same seed gives the same edges
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Weights: `uniform` (over 0 to 1) or a range of whole numbers such as 1..255 [default: none]
    #[arg(long, value_name = "RANGE")]
    pub(crate) weights: Option<WeightDistribution>,
    /// The file: .bin (binary), .el, .txt, .csv or .tsv, the texts also with .gz or .zst
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a file that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {
    /// A folder on the disk to measure
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The size of the file that is read; it is removed afterwards
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) size: MemorySize,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}
