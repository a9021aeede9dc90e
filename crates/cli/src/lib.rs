//! Command line of outcrop, for the `outcrop` binary and the Python package. Data goes to stdout, everything else to
//! stderr.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod algorithm_command;
mod arguments;
mod commands;
mod misuse;
mod options;
mod output;
mod progress;
#[cfg(test)]
mod reference;
mod typed;

use arguments::{Arguments, Command};
use outcrop::{Cancellation, Error, HugePageAllocator, Result};
use std::ffi::OsString;
use std::io::Write;

/// Runs a command and returns its exit code. `words` begins with the name of the program.
///
/// It is for main functions: it installs signal handlers, and a process can call it once.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let code = run_words(typed::store(words.into_iter().collect()));
    // Only binaries flush stdout on exit.
    _ = std::io::stdout().flush();
    code
}

fn run_words(words: &[OsString]) -> u8 {
    let arguments = match arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version are answers, everything else is misuse; a closed pipe changes neither.
            if message.use_stderr() {
                // It may repeat what was typed.
                let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
                output::info(&misuse::message(message, &words));
                return 2;
            }
            _ = message.print();
            return 0;
        }
    };
    outcrop::fail_writes_beyond_the_file_limit();
    let cancellation = Cancellation::new();
    let saves = matches!(&arguments.command, Command::Run(run) if run.options.checkpoints.are_given());
    let ready = HugePageAllocator::allocate_reserve().and_then(|()| cancel_on_signal(cancellation.clone(), saves));
    let outcome = ready.and_then(|()| caught(|| dispatch(arguments, &cancellation)));
    if let Err(error) = outcome {
        output::warn(&error);
        return error.exit_code();
    }
    0
}

/// Does the work; a panic in it, of any thread that the work waits for, is an error as others are.
fn caught(work: impl FnOnce() -> Result<()>) -> Result<()> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    outcome.unwrap_or_else(|payload| Err(Error::panicked("the command", &*payload)))
}

/// Installs the signal handler. The first Ctrl-C (or SIGTERM) asks the work to stop and remove incomplete files; work
/// that `saves` checkpoints saves one first. Work that is blocked on its input does not notice: the second signal ends
/// the process, and the next build removes the remaining files.
fn cancel_on_signal(cancellation: Cancellation, saves: bool) -> Result<()> {
    let on_signal = move || match (cancellation.is_cancelled(), cancellation.is_stopping()) {
        (true, _) => end_at_once(),
        (false, false) if saves => cancellation.cancel_at_checkpoint(),
        (false, _) => cancellation.cancel(),
    };
    ctrlc::set_handler(on_signal).map_err(|error| Error::io("listen to", "signals", std::io::Error::other(error)))
}

#[expect(clippy::disallowed_methods, reason = "the main thread waits and cannot return")]
fn end_at_once() {
    std::process::exit(Error::Interrupted.exit_code().into())
}

fn dispatch(arguments: Arguments, cancellation: &Cancellation) -> Result<()> {
    match arguments.command {
        Command::Build(build) => commands::store::build::run(*build, cancellation),
        Command::Convert(convert) => commands::store::convert::run(&convert, cancellation),
        Command::Export(export) => commands::store::export::run(&export, cancellation),
        Command::Update(update) => commands::store::update::run(&update, cancellation),
        Command::Info(info) => commands::store::info::run(&info, cancellation),
        Command::Profile(profile) => commands::store::profile::run(&profile, cancellation),
        Command::Runs(runs) => commands::store::runs::run(&runs),
        Command::Check(check) => commands::store::check::run(&check, cancellation),
        Command::Salvage(salvage) => commands::store::salvage::run(&salvage, cancellation),
        Command::Cache(cache) => commands::store::cache::run(&cache, cancellation),
        Command::Estimate(estimate) => commands::estimate::run(estimate),
        Command::Run(run) => commands::run::run(*run, cancellation),
        Command::Neighbors(neighbors) => commands::ask::neighbors::run(&neighbors, cancellation),
        Command::Degree(degree) => commands::ask::degree::run(&degree, cancellation),
        Command::Subgraph(subgraph) => commands::ask::subgraph::run(&subgraph, cancellation),
        Command::Sample(sample) => commands::ask::sample::run(&sample, cancellation),
        Command::Serve(serve) => commands::serve::run(&serve, cancellation),
        Command::Algorithms(algorithms) => commands::algorithms::run(&algorithms),
        Command::Completions(completions) => commands::completions::completions(&completions, arguments::command()),
        Command::Man(man) => commands::completions::man(&man, arguments::command()),
        Command::Report(report) => commands::report::run(&report),
        Command::Generate(generate) => commands::generate::run(&generate, cancellation),
        Command::Calibrate(calibrate) => commands::calibrate::run(&calibrate, cancellation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        let error = caught(|| panic!("vertex 7")).unwrap_err();
        assert_eq!(error.exit_code(), 70);
        assert!(error.to_string().contains("the command panicked: vertex 7"), "{error}");
        assert_eq!(caught(|| Err(Error::Interrupted)).unwrap_err().exit_code(), 130);
    }
}
