//! `outcrop export`

use crate::options::output::OverwriteOption;
use crate::options::work::ReadOptions;
use crate::output::{info, named};
use clap::Args;
use outcrop::{Cancellation, EdgeFormat, Error, ExportOrder, ExportRequest, Graph, Result, counted};
use std::io::ErrorKind;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Output file: .el, .wel, .txt, .csv, .tsv (text, also .gz or .zst), .bin (binary), .parquet, .sg or .wsg (GAP); -
    /// for standard output
    pub(crate) output: PathBuf,
    /// Format: edge-list, outcrop (binary), parquet, sg or wsg [default: by extension, edge-list for -]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<EdgeFormat>,
    /// IDs to write and sort by: id (original IDs) or store (positions in the store, from 0)
    #[arg(long, value_name = "ORDER", default_value = "id")]
    pub(crate) order: ExportOrder,
    /// Omit edge weights
    #[arg(long)]
    pub(crate) unweighted: bool,
    #[command(flatten)]
    pub(crate) overwrite: OverwriteOption,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

pub(crate) fn run(arguments: &ExportArguments, cancellation: &Cancellation) -> Result<()> {
    let options = arguments.reading.open(cancellation);
    let request = ExportRequest {
        format: arguments.format,
        order: arguments.order,
        unweighted: arguments.unweighted,
        overwrite: arguments.overwrite.overwrite,
        ..ExportRequest::new(&arguments.output)
    };
    let edges = match Graph::open(&arguments.store, options)?.export(&request) {
        // A reader that exits early (`| head`) is no error.
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => return Ok(()),
        edges => edges?,
    };
    info(&format!("{}: {}", named(&arguments.output), counted(edges, "edge")));
    Ok(())
}
