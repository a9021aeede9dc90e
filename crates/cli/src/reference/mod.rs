//! Tests that compare the command line with the reference page and the Python package. The options that clap knows are
//! the table.

mod page;
mod python;

use clap::{Arg, Command};
use outcrop::{ALGORITHMS, find_algorithm};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The whole command line, with usage lines.
fn command_line() -> Command {
    let mut command = crate::arguments::command();
    command.build();
    command
}

/// The command with the options of `name`, or its subcommands; `run` and `estimate` are represented by an algorithm
/// that has all shared options.
fn parts<'c>(root: &'c Command, name: &str) -> Vec<&'c Command> {
    let command = root.find_subcommand(name).unwrap();
    match command.find_subcommand("wcc") {
        Some(algorithm) => vec![algorithm],
        None if command.has_subcommands() => {
            command.get_subcommands().filter(|part| part.get_name() != "help").collect()
        }
        None => vec![command],
    }
}

/// The arguments of a command except help and the parameters of its algorithm.
fn arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    let own = find_algorithm(command.get_name()).map_or(&[][..], |algorithm| algorithm.params());
    command.get_arguments().filter(move |argument| {
        let id = argument.get_id().as_str();
        !["help", "help-all", "version"].contains(&id) && own.iter().all(|info| info.name != id)
    })
}

/// The help text of an argument.
fn help(argument: &Arg) -> String {
    argument.get_help().map_or_else(String::new, ToString::to_string)
}

/// Options whose meaning depends on the command.
const HOMONYMS: [(&str, &str); 13] = [
    ("format", "of the input, of the output file, or of standard output"),
    ("layout", "to write, or to read"),
    ("order", "of vertices, or of exported edges"),
    ("output", "commands write different formats"),
    ("remove", "edges to delete, or the pinned lists"),
    ("size", "of the pinned lists, or of a temporary file"),
    ("source-column", "also of Parquet on Spark"),
    ("target-column", "also of Parquet on Spark"),
    ("undirected", "the input, a planned graph, or Parquet on Spark"),
    ("vertices", "a file, or a number"),
    ("weight", "also of Parquet on Spark"),
    ("weighted", "reads weights, or samples by weight"),
    ("weights", "includes them, or generates them"),
];

#[test]
fn options_of_the_same_name_have_the_same_text() {
    let root = command_line();
    let mut texts = BTreeMap::<_, BTreeMap<_, Vec<_>>>::new();
    for command in root.get_subcommands() {
        let algorithms =
            command.get_subcommands().filter(|part| ALGORITHMS.iter().any(|all| all.spec().name == part.get_name()));
        for part in parts(&root, command.get_name()).into_iter().chain(algorithms) {
            for argument in arguments(part) {
                let Some(long) = argument.get_long() else { continue };
                let value = argument.get_value_names().filter(|_| argument.get_action().takes_values());
                let value = value.map_or_else(String::new, |names| names.join(" "));
                // Defaults may differ.
                let text = format!("{value} {}", help(argument).split(" [").next().unwrap());
                texts.entry(long).or_default().entry(text).or_default().push(command.get_name());
            }
        }
    }
    texts.retain(|_, texts| texts.len() > 1);
    let differing: Vec<_> = texts.keys().copied().collect();
    assert_eq!(differing, HOMONYMS.map(|(name, _)| name), "{texts:#?}");
}
