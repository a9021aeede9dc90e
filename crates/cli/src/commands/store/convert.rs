//! `outcrop convert`

use super::build::summarize;
use crate::options::headings::CHECKPOINTS;
use crate::options::layout::LayoutOptions;
use crate::options::order::OrderOptions;
use crate::options::work::{WaitOption, WorkOptions};
use crate::output::create;
use clap::Args;
use outcrop::{Cancellation, CheckpointOptions, ConvertRequest, Error, IoChoice, Result, WeightChoice};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// Store to read
    pub(crate) source: PathBuf,
    /// Store to create
    pub(crate) store: PathBuf,
    /// Stored weight type: auto (the smallest without loss), f64, f32 (rounds), u8, u16 or u32 [default: unchanged]
    #[arg(long, value_name = "TYPE")]
    pub(crate) weight_type: Option<WeightChoice>,
    /// Folder for temporary files [default: next to the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// Overwrite an existing store
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Verify the new store before it becomes visible
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print the record of the conversion as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write an HTML report of the conversion
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// I/O backend: auto, uring, pread, buffered or mmap
    #[arg(long, value_name = "BACKEND", default_value = "auto", help_heading = "Memory and I/O")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) wait: WaitOption,
    #[command(flatten)]
    pub(crate) order: OrderOptions,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    /// Write a checkpoint of the sorted arcs to this folder; it is removed at the end
    #[arg(long, value_name = "DIR", help_heading = CHECKPOINTS)]
    pub(crate) checkpoint_dir: Option<PathBuf>,
    /// Resume from the checkpoint in the folder, if there is one
    #[arg(long, requires = "checkpoint_dir", help_heading = CHECKPOINTS)]
    pub(crate) resume: bool,
}

pub(crate) fn run(arguments: &ConvertArguments, cancellation: &Cancellation) -> Result<()> {
    let request = ConvertRequest {
        order: arguments.order.order()?,
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        io: arguments.io,
        weights: arguments.weight_type,
        temp_folder: arguments.tmp_dir.clone(),
        overwrite: arguments.overwrite,
        wait: arguments.wait.wait,
        verify: arguments.verify,
        checkpoints: arguments
            .checkpoint_dir
            .as_ref()
            .map(|folder| CheckpointOptions { resume: arguments.resume, ..CheckpointOptions::new(folder) }),
        ..ConvertRequest::new(&arguments.source, &arguments.store, arguments.layout.layout()?)
    };
    if arguments.report.as_ref().is_some_and(|path| [&request.store, &request.source].contains(&path)) {
        return Err(Error::Usage("--report and a store have the same path".to_owned()));
    }
    let report = create(arguments.report.as_deref(), arguments.overwrite)?;
    let record = outcrop::convert(&request, cancellation, &*arguments.work.progress.progress.observer())?;
    if let Some(report) = report {
        outcrop::write_report(&record.to_html(), report)?;
    }
    summarize(&record, arguments.json)
}
