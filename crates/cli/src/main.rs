//! The command line of outcrop. Data goes to stdout, everything else to stderr.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod output;
mod progress;

use arguments::{Arguments, Command};
use clap::Parser;
use outcrop::{Cancellation, Error, Result};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version are answers, everything else is misuse; a closed pipe changes neither.
            _ = message.print();
            return if message.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let cancellation = Cancellation::new();
    if let Err(error) = cancel_on_signal(cancellation.clone()).and_then(|()| run(arguments, &cancellation)) {
        output::complain(&error);
        return ExitCode::from(error.exit_code());
    }
    ExitCode::SUCCESS
}

/// The first Ctrl-C (or SIGTERM) asks the work to stop, which removes what it has half written.
fn cancel_on_signal(cancellation: Cancellation) -> Result<()> {
    ctrlc::set_handler(move || cancellation.cancel())
        .map_err(|error| Error::io("listen to", "signals", std::io::Error::other(error)))
}

fn run(arguments: Arguments, cancellation: &Cancellation) -> Result<()> {
    match arguments.command {
        Command::Build(build) => commands::build::run(*build, cancellation),
        Command::Info(info) => commands::info::run(&info),
        Command::Check(check) => commands::check::run(&check, cancellation),
        Command::Estimate(estimate) => commands::run::estimate(&estimate),
        Command::Run(run) => commands::run::run(&run, cancellation),
        Command::Generate(generate) => commands::generate::run(&generate, cancellation),
        Command::Calibrate(calibrate) => commands::calibrate::run(&calibrate, cancellation),
    }
}
