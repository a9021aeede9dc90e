//! The baselines that outcrop is measured against.
#![allow(clippy::print_stdout, reason = "the results of a measurement go to the standard output")]

mod arguments;
mod digest;
mod mmap_csr;
#[cfg_attr(not(test), allow(dead_code, reason = "the tables of the papers select it"))]
mod single_log;

use arguments::{Arguments, Command, MmapCsr};
use clap::Parser;
use outcrop_types::{Error, Result};
use serde::Serialize;
use std::process::ExitCode;

fn main() -> ExitCode {
    match execute(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn execute(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::MmapCsr(MmapCsr::Build(request)) => print(&mmap_csr::build(&request)?),
        Command::MmapCsr(MmapCsr::Run(request)) => print(&mmap_csr::run(&request)?),
    }
}

fn print(record: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(record).map_err(|source| Error::io("print", "the record", source.into()))?;
    println!("{text}");
    Ok(())
}

#[allow(clippy::print_stderr, reason = "what went wrong goes to the standard error")]
fn tell(error: &Error) {
    eprintln!("outcrop-bench: {error}");
}
