//! `outcrop export`

use crate::options::work::ReadOptions;
use crate::output::remark;
use clap::Args;
use outcrop::{Cancellation, EdgeFormat, ExportRequest, Graph, Result, counted};
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
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

pub(crate) fn run(arguments: &ExportArguments, cancellation: &Cancellation) -> Result<()> {
    let options = arguments.reading.open(cancellation);
    let request = ExportRequest {
        format: arguments.format,
        unweighted: arguments.unweighted,
        overwrite: arguments.overwrite,
        ..ExportRequest::new(&arguments.output)
    };
    let edges = Graph::open(&arguments.store, options)?.export(&request)?;
    remark(&format!("{}: {}", arguments.output.display(), counted(edges, "edge")));
    Ok(())
}
