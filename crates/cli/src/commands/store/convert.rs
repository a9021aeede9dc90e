//! `outcrop convert`

use super::build::write;
use crate::options::checkpoints::CheckpointFolder;
use crate::options::output::StoreOptions;
use crate::options::work::ReadOptions;
use clap::Args;
use outcrop::{Cancellation, ConvertRequest, OpenOptions, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// Store to read
    pub(crate) source: PathBuf,
    /// Store to create
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) made: StoreOptions,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointFolder,
}

pub(crate) fn run(arguments: &ConvertArguments, cancellation: &Cancellation) -> Result<()> {
    let made = &arguments.made;
    let OpenOptions { memory, threads, io, temp_folder, observer, .. } = arguments.reading.open(cancellation);
    let request = ConvertRequest {
        order: made.order.order()?,
        memory,
        threads,
        io,
        weights: made.weight_type,
        temp_folder,
        overwrite: made.record.overwrite(),
        wait: made.wait.wait,
        verify: made.verify,
        checkpoints: arguments.checkpoints.options(),
        ..ConvertRequest::new(&arguments.source, &arguments.store, made.layout.layout()?)
    };
    let convert = || outcrop::convert(&request, cancellation, &*observer);
    write(&made.record, &[&request.store, &request.source], convert)
}
