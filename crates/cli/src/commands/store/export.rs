//! `outcrop export`

use crate::options::work::WorkOptions;
use crate::output::{count, remark};
use clap::Args;
use outcrop::{Cancellation, EdgeFormat, ExportRequest, Graph, IoChoice, OpenOptions, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The store
    pub(crate) store: PathBuf,
    /// The file: .el, .wel, .txt, .csv, .tsv (text, also with .gz or .zst), .bin (binary), .parquet, .sg or .wsg (graphs of GAP)
    pub(crate) output: PathBuf,
    /// Format, whatever the name: edge-list, outcrop (binary), parquet, sg or wsg
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<EdgeFormat>,
    /// Leave weights out
    #[arg(long)]
    pub(crate) unweighted: bool,
    /// Replace a file that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Folder for temporary files [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// I/O backend: auto, uring, pread, buffered, or mmap
    #[arg(long, value_name = "WAY", default_value = "auto")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

pub(crate) fn run(arguments: &ExportArguments, cancellation: &Cancellation) -> Result<()> {
    let temp_folder = arguments.tmp_dir.clone();
    let options = OpenOptions { io: arguments.io, temp_folder, ..arguments.work.open(cancellation) };
    let request = ExportRequest {
        format: arguments.format,
        unweighted: arguments.unweighted,
        overwrite: arguments.overwrite,
        ..ExportRequest::new(&arguments.output)
    };
    let edges = Graph::open(&arguments.store, options)?.export(&request)?;
    remark(&format!("{}: {} edges", arguments.output.display(), count(edges)));
    Ok(())
}
