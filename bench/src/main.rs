//! Measurements of outcrop: the tables of the papers, and baselines.

mod arguments;
mod digest;
mod harness;
mod mmap_csr;
mod opened;
mod output;
mod papers;
mod placement;
mod side_by_side;
mod single_log;
mod table;

use arguments::{Arguments, Command, MmapCsr, Paper};
use clap::Parser;
use outcrop::{Cancellation, Error, HugePageAllocator, Result};
use output::{remark, say_json};
use std::process::ExitCode;

/// The allocator of the measured command.
#[global_allocator]
static ALLOCATOR: HugePageAllocator = HugePageAllocator;

fn main() -> ExitCode {
    match execute(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            remark(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

fn execute(arguments: Arguments) -> Result<()> {
    // Children inherit the peak of their parent, so the process that compares them must stay small.
    if !matches!(arguments.command, Command::SideBySide(_)) {
        HugePageAllocator::allocate_reserve()?;
    }
    match arguments.command {
        Command::MmapCsr(MmapCsr::Build(request)) => say_json(&mmap_csr::build(&request)?),
        Command::MmapCsr(MmapCsr::Run(request)) => say_json(&mmap_csr::run(&request)?),
        Command::SideBySide(arguments) => side_by_side::run(&arguments, &cancelled_by_signal()?),
        Command::Paper(paper) => measure(&paper, &cancelled_by_signal()?),
    }
}

/// Creates the tables of a paper.
fn measure(paper: &Paper, cancellation: &Cancellation) -> Result<()> {
    match paper {
        Paper::Chunkgraph(arguments) => papers::chunkgraph::run(arguments, cancellation),
        Paper::Basc(arguments) => papers::basc::run(arguments, cancellation),
        Paper::Losc(arguments) => papers::losc::run(arguments, cancellation),
        Paper::Multilog(arguments) => papers::multilog::run(arguments, cancellation),
        Paper::DynamicShards(arguments) => papers::dynamic_shards::run(arguments, cancellation),
        Paper::Construct(arguments) => papers::construct::run(arguments, cancellation),
        Paper::Defaults(arguments) => papers::defaults::run(arguments, cancellation),
    }
}

/// Returns a cancellation for Ctrl-C, so that temporary stores are removed.
fn cancelled_by_signal() -> Result<Cancellation> {
    let cancellation = Cancellation::new();
    let on_signal = cancellation.clone();
    ctrlc::set_handler(move || on_signal.cancel())
        .map_err(|error| Error::io("listen to", "signals", std::io::Error::other(error)))?;
    Ok(cancellation)
}
