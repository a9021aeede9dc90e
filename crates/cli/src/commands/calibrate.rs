//! `outcrop calibrate`

use crate::options::output::JsonOption;
use crate::options::work::ProgressOption;
use crate::output::{bytes, info, json, print};
use clap::Args;
use outcrop::{Bandwidths, Cancellation, MemorySize, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {
    /// Folder on the disk to measure
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Size of the temporary file to read
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) size: MemorySize,
    #[command(flatten)]
    pub(crate) output: JsonOption,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

pub(crate) fn run(arguments: &CalibrateArguments, cancellation: &Cancellation) -> Result<()> {
    let observer = arguments.progress.observer();
    let measured = outcrop::calibrate(&arguments.folder, arguments.size.bytes(), &*observer, cancellation)?;
    let file = measured.save()?;
    print(&if arguments.output.json { json(&measured)? } else { table(&measured) })?;
    info(&format!("saved to {}", file.display()));
    Ok(())
}

fn table(measured: &Bandwidths) -> String {
    let rate = |bytes_per_second: f64| format!("{}/s", bytes(bytes_per_second as u64));
    let mut lines = vec![
        format!("device              {}", measured.device),
        format!("sequential read     {}", rate(measured.sequential_read)),
    ];
    lines.extend(
        measured
            .random_read
            .iter()
            .map(|(block, bandwidth)| format!("random {:>11}  {}", bytes(u64::from(*block)), rate(*bandwidth))),
    );
    lines.push(format!("random, depth 1     {:.0} reads of 4 KiB per second", measured.random_read_depth_1));
    let updates = measured.random_update.iter();
    lines
        .extend(updates.map(|(size, seconds)| format!("updates in {:>8}  {:.1} ns each", bytes(*size), seconds * 1e9)));
    lines.push(format!("reads are merged if the gap is at most {}", bytes(measured.merge_gap())));
    lines.join("\n")
}
