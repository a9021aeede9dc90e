//! Command-line arguments and help pages.

use crate::algorithm_command::AlgorithmCommand;
use crate::commands::algorithms::AlgorithmsArguments;
use crate::commands::ask::degree::DegreeArguments;
use crate::commands::ask::neighbors::NeighborsArguments;
use crate::commands::ask::sample::SampleArguments;
use crate::commands::ask::subgraph::SubgraphArguments;
use crate::commands::calibrate::CalibrateArguments;
use crate::commands::completions::{CompletionsArguments, ManArguments};
use crate::commands::estimate::EstimateCommand;
use crate::commands::generate::GenerateArguments;
use crate::commands::report::ReportArguments;
use crate::commands::run::RunOptions;
use crate::commands::serve::ServeArguments;
use crate::commands::store::build::BuildArguments;
use crate::commands::store::cache::CacheArguments;
use crate::commands::store::check::CheckArguments;
use crate::commands::store::convert::ConvertArguments;
use crate::commands::store::export::ExportArguments;
use crate::commands::store::info::InfoArguments;
use crate::commands::store::profile::ProfileArguments;
use crate::commands::store::runs::RunsArguments;
use crate::commands::store::salvage::SalvageArguments;
use crate::commands::store::update::UpdateArguments;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// The command line: `outcrop COMMAND`.
#[derive(Debug, Parser)]
#[command(name = "outcrop", version, about = "Graph analytics on graphs larger than memory", max_term_width = 110)]
#[command(after_help = "Exit codes:
  0 success, 2 usage, 3 bad input, 4 memory budget too small, 5 disk full, 6 not converged,
  7 damaged store, 8 unsupported format version, 9 I/O error, 10 unexpected store generation,
  70 internal error, 130 interrupted")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a store from edge files
    Build(Box<BuildArguments>),
    /// Copy a store with another layout, vertex order or weight type
    Convert(ConvertArguments),
    /// Export the edges of a store to a file
    Export(ExportArguments),
    /// Insert and delete edges
    Update(Box<UpdateArguments>),
    /// Show the size, types and layout of a store
    Info(InfoArguments),
    /// Measure degrees, components, clustering and distances of the graph
    Profile(ProfileArguments),
    /// Show the run history of a store
    Runs(RunsArguments),
    /// Verify the checksums and the structure of a store
    Check(CheckArguments),
    /// Write the edges of a damaged store that still verify to a file
    Salvage(SalvageArguments),
    /// Choose adjacency lists to pin in memory
    Cache(CacheArguments),
    /// Estimate memory, disk space and time without running
    #[command(arg_required_else_help = true)]
    Estimate(EstimateCommand),
    /// Run an algorithm
    #[command(arg_required_else_help = true)]
    Run(Box<AlgorithmCommand<RunOptions>>),
    /// Show the neighbors of vertices
    Neighbors(NeighborsArguments),
    /// Show the degrees of vertices
    Degree(DegreeArguments),
    /// Show the edges among vertices, or in their neighborhood
    Subgraph(SubgraphArguments),
    /// Sample neighbors layer by layer, for graph learning
    Sample(SampleArguments),
    /// Answer queries over HTTP on this machine
    Serve(ServeArguments),
    /// List the algorithms
    Algorithms(AlgorithmsArguments),
    /// Print shell completions
    Completions(CompletionsArguments),
    /// Write manual pages
    Man(ManArguments),
    /// Create an HTML report from a record of a run, build or profile
    Report(ReportArguments),
    /// Generate a synthetic graph
    Generate(GenerateArguments),
    /// Measure the disk to tune read planning
    Calibrate(CalibrateArguments),
}

/// Groups of commands on the first help page.
const GROUPS: [(&str, &[&str]); 4] = [
    ("BUILD", &["build", "convert", "update", "export", "generate"]),
    ("QUERY", &["info", "neighbors", "degree", "subgraph", "sample", "serve"]),
    ("ANALYZE", &["run", "profile", "estimate", "algorithms", "runs", "report"]),
    ("MAINTAIN", &["check", "salvage", "cache", "calibrate", "completions", "man", "help"]),
];

/// Parses the command line.
///
/// # Errors
/// Help, version, or misuse.
pub(crate) fn parse(words: &[OsString]) -> Result<Arguments, clap::Error> {
    Arguments::from_arg_matches(&command().try_get_matches_from(words)?)
}

/// The command line with its help pages.
pub(crate) fn command() -> clap::Command {
    let command = Arguments::command();
    let groups = grouped(&command);
    let template = format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}\nOptions:\n{{options}}{{after-help}}");
    command.help_template(template).mut_subcommands(with_negative_values).mut_subcommands(with_help_last)
}

/// A command whose options take negative numbers, and refuse them by what they expect.
fn with_negative_values(command: clap::Command) -> clap::Command {
    let takes = |argument: &Arg| argument.get_long().is_some() && argument.get_action().takes_values();
    let command = command.mut_args(|option| if takes(&option) { option.allow_negative_numbers(true) } else { option });
    command.mut_subcommands(with_negative_values)
}

/// The commands by group, one line each.
fn grouped(command: &clap::Command) -> String {
    let about = |name: &str| {
        let found = command.find_subcommand(name).and_then(clap::Command::get_about);
        found.map_or_else(|| "Print the help of a command".to_owned(), ToString::to_string)
    };
    let mut text = "Commands:\n".to_owned();
    for (group, names) in GROUPS {
        text += &format!("  {group}\n");
        names.iter().for_each(|name| text += &format!("  {name:<12} {}\n", about(name)));
        text += "\n";
    }
    text.trim_end().to_owned() + "\n"
}

/// A page whose option `--help` is the last one.
fn with_help_last(command: clap::Command) -> clap::Command {
    let has_headings = command.get_arguments().any(|argument| argument.get_help_heading().is_some());
    if command.is_disable_help_flag_set() || !has_headings {
        return command.mut_subcommands(with_help_last);
    }
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help (summary with -h)");
    command.disable_help_flag(true).arg(help.help_heading("Help"))
}
