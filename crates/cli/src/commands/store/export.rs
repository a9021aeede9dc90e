//! `outcrop export`

use crate::options::output::EdgeFileOptions;
use crate::options::work::ReadOptions;
use crate::output::{info, named};
use clap::Args;
use outcrop::{Cancellation, Error, Graph, Result, counted};
use std::io::ErrorKind;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Output file: .el, .wel, .txt, .csv, .tsv (text, also .gz or .zst), .bin (binary), .parquet, .sg or .wsg (GAP); -
    /// for standard output
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) file: EdgeFileOptions,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

pub(crate) fn run(arguments: &ExportArguments, cancellation: &Cancellation) -> Result<()> {
    let options = arguments.reading.open(cancellation);
    let request = arguments.file.request(&arguments.output);
    if let Some(edges) = unless_closed(Graph::open(&arguments.store, options)?.export(&request))? {
        info(&format!("{}: {}", named(&arguments.output), counted(edges, "edge")));
    }
    Ok(())
}

/// Returns `None` if the reader of the output exits early (`| head`), which is no error.
fn unless_closed<T>(written: Result<T>) -> Result<Option<T>> {
    match written {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => Ok(None),
        written => written.map(Some),
    }
}
