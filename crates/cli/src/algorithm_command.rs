//! `outcrop run ALGORITHM` and `outcrop estimate ALGORITHM`: a command for each algorithm, with its own options, from
//! the table of algorithms.

use crate::options::headings::{ADVANCED, CHECKPOINTS, SPARK, TIME_WINDOWS};
use crate::typed::{is_possibly_typed, typed};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use outcrop::{
    ALGORITHMS, Algorithm, Group, InputVector, Kind, Model, ParamInfo, Personalization, Preset, RunRequest, params,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Option that shows all options on the help page.
const HELP_ALL: &str = "help-all";
/// Options of other headings that are shown under [`ADVANCED`].
const ADVANCED_OPTIONS: [&str; 3] = ["page_cache", "static_cache", "io"];
/// Headings that only `--help-all` shows, each with its description.
const FURTHER: [(&str, &str); 4] = [
    (CHECKPOINTS, "checkpoints, incremental runs"),
    (TIME_WINDOWS, "time windows"),
    (SPARK, "Spark"),
    (ADVANCED, "models, I/O"),
];

/// An algorithm with its arguments, a store, and the options `O` of the command.
#[derive(Debug)]
pub(crate) struct AlgorithmCommand<O> {
    /// The request, or the error if the arguments are invalid.
    pub(crate) request: outcrop::Result<RunRequest<'static>>,
    /// Path of the store; `None` if it is optional for the command and was omitted.
    pub(crate) store: Option<PathBuf>,
    pub(crate) options: O,
}

impl<O: Args> Args for AlgorithmCommand<O> {
    fn augment_args(command: Command) -> Command {
        let all = shows_all_options();
        // The options of all algorithms take longer to build than a run on a small graph.
        let commands = ALGORITHMS.iter().map(|algorithm| match all || may_be_typed(*algorithm) {
            true => of_algorithm::<O>(*algorithm, all),
            false => named(*algorithm).about(algorithm.spec().summary),
        });
        command
            .subcommand_required(true)
            .subcommand_value_name("ALGORITHM")
            .subcommand_help_heading("Algorithms")
            .disable_help_subcommand(true)
            .subcommands(commands)
            .after_help("For the options of an algorithm, see its help: outcrop run pagerank --help")
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<O: FromArgMatches> FromArgMatches for AlgorithmCommand<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let store = matches.get_one::<PathBuf>("store").cloned();
        Ok(Self { request: request(name, matches), store, options: O::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// True if help pages show all options; completions and manual pages always do.
fn shows_all_options() -> bool {
    let is_full = |command: &OsString| command == "completions" || command == "man";
    typed().next().is_some_and(is_full) || typed().any(|word| word == "--help-all")
}

/// The algorithm called `name` with what was typed for its parameters.
fn request(name: &str, matches: &ArgMatches) -> outcrop::Result<RunRequest<'static>> {
    let mut request = RunRequest::new(name)?;
    params_of(request.algorithm()).try_for_each(|info| given(&mut request, info, matches))?;
    Ok(request)
}

/// Takes over what was typed for a parameter.
fn given(request: &mut RunRequest<'_>, info: &ParamInfo, matches: &ArgMatches) -> outcrop::Result<()> {
    match info.kind {
        Kind::Flag if matches.get_flag(info.name) => request.args_mut().set(info.name, true),
        Kind::Flag => Ok(()),
        Kind::Id | Kind::Ids => match matches.get_many::<String>(info.name) {
            Some(ids) => request.args_mut().set(info.name, ids.cloned().collect::<Vec<_>>()),
            None => Ok(()),
        },
        Kind::NodeWeights | Kind::Vector | Kind::File => match matches.get_one::<PathBuf>(info.name) {
            Some(path) => request.args_mut().set(info.name, file(info.kind, path)),
            None => Ok(()),
        },
        _ => match matches.get_one::<String>(info.name) {
            Some(text) => request.args_mut().set(info.name, text.as_str()),
            None => Ok(()),
        },
    }
}

/// The file that a parameter of this kind is read from.
fn file(kind: Kind, path: &Path) -> outcrop::Arg {
    match kind {
        Kind::NodeWeights => Personalization::File(path.to_owned()).into(),
        Kind::Vector => InputVector::File(path.to_owned()).into(),
        _ => path.to_owned().into(),
    }
}

fn params_of(algorithm: &dyn Algorithm) -> impl Iterator<Item = &'static ParamInfo> {
    algorithm.params().iter().chain(params::engine::PARAMS).copied()
}

/// True if the command line may be one of `algorithm`.
fn may_be_typed(algorithm: &dyn Algorithm) -> bool {
    let spec = algorithm.spec();
    [spec.name, spec.python_name].iter().chain(spec.aliases).any(|name| is_possibly_typed(name))
}

/// The command of one algorithm, without options.
fn named(algorithm: &dyn Algorithm) -> Command {
    let spec = algorithm.spec();
    let known = spec.name == spec.python_name || spec.aliases.contains(&spec.python_name);
    Command::new(spec.name).visible_aliases(spec.aliases.iter().copied()).aliases((!known).then_some(spec.python_name))
}

/// The command of one algorithm; `all` shows everything on its help page.
fn of_algorithm<O: Args>(algorithm: &dyn Algorithm, all: bool) -> Command {
    let spec = algorithm.spec();
    let store = Arg::new("store")
        .required(true)
        .value_name("STORE")
        .value_parser(value_parser!(PathBuf))
        .help("Path of the store");
    let options = params_of(algorithm).map(|info| option(info, spec.models, all));
    let command = O::augment_args(named(algorithm).arg(store).args(options));
    let plans = command.get_arguments().any(|argument| argument.get_id() == "graph_edges");
    let command = command.mut_args(|argument| {
        if plans && argument.get_id() == "store" {
            return argument.required(false).required_unless_present("vertices").conflicts_with("vertices");
        }
        if argument.get_help_heading() == Some(SPARK) && spec.on_spark.is_none() {
            return argument.hide(true);
        }
        let is_advanced = ADVANCED_OPTIONS.contains(&argument.get_id().as_str());
        let argument = if is_advanced { argument.help_heading(ADVANCED) } else { argument };
        let is_further = FURTHER.iter().any(|(heading, _)| argument.get_help_heading() == Some(heading));
        let is_hidden = argument.is_hide_set() || (is_further && !all);
        argument.hide(is_hidden)
    });
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help("Print help");
    let more = "Print help with all options";
    let help_all = Arg::new(HELP_ALL).long(HELP_ALL).action(ArgAction::HelpShort).help(more);
    command
        .about(spec.summary)
        .after_help(after_help(algorithm, plans, all))
        .disable_help_flag(true)
        .args([help, help_all].map(|argument| argument.help_heading("Help")))
}

/// The option for a parameter, of an algorithm that is written in `models`.
fn option(info: &'static ParamInfo, models: &[Model], all: bool) -> Arg {
    let counts = info.models.is_empty() || info.models.iter().any(|model| models.contains(model));
    let (heading, hidden) = match info.group {
        Group::Algorithm => ("Algorithm", false),
        Group::Advanced => (ADVANCED, !all || !counts),
    };
    let argument = Arg::new(info.name).long(info.name).help(help_of(info)).help_heading(heading).hide(hidden);
    match info.kind {
        Kind::Flag => argument.action(ArgAction::SetTrue),
        Kind::Id | Kind::Ids => argument.action(ArgAction::Append).value_name(info.placeholder),
        Kind::Word(words) => {
            argument.value_name(info.placeholder).value_parser(words.to_vec()).hide_possible_values(true)
        }
        Kind::NodeWeights | Kind::Vector | Kind::File => {
            argument.value_name(info.placeholder).value_parser(value_parser!(PathBuf))
        }
        _ => argument.value_name(info.placeholder),
    }
}

/// Effect, with limits and default in brackets.
pub(crate) fn help_of(info: &ParamInfo) -> String {
    let limits = match info.kind {
        Kind::Word(words) => Some(words.join(", ")),
        Kind::Number(bounds) | Kind::NumberOrAuto(bounds) => Some(bounds.range()),
        Kind::Count(least, most) if most < u64::from(u32::MAX) => Some(format!("{least} to {most}")),
        _ => None,
    };
    let preset = match info.preset {
        Preset::None("") | Preset::Flag(false) => None,
        Preset::None(meaning) => Some(meaning.to_owned()),
        Preset::Flag(flag) => Some(flag.to_string()),
        Preset::Count(count) => Some(count.to_string()),
        Preset::Number(number) if number.abs() < 1e-3 && number != 0.0 => Some(format!("{number:e}")),
        Preset::Number(number) => Some(number.to_string()),
        Preset::Word(word) => Some(word.to_owned()),
    };
    let parts: Vec<_> = limits.into_iter().chain(preset.map(|preset| format!("default: {preset}"))).collect();
    if parts.is_empty() { info.help.to_owned() } else { format!("{} [{}]", info.help, parts.join("; ")) }
}

/// The end of a help page: columns of the result, further options, and an example.
fn after_help(algorithm: &dyn Algorithm, plans: bool, all: bool) -> String {
    let spec = algorithm.spec();
    let mut text = String::new();
    if !plans {
        let has_steps = spec.columns.iter().any(|column| column.name == "step");
        text += match has_steps {
            true => "Result, one row per step, with the ID of its vertex in the column node:\n",
            false => "Result, one row per vertex in ascending ID order:\n",
        };
        for column in spec.columns {
            text += &format!("  {}: {}\n", column.name, column.meaning);
        }
        for value in spec.values {
            text += &format!("  {} (of the graph): {}\n", value.name, value.meaning);
        }
        text += "\n";
    }
    if !all {
        let is_used = |heading: &str| match heading {
            SPARK => !plans && spec.on_spark.is_some(),
            CHECKPOINTS | TIME_WINDOWS => !plans,
            _ => true,
        };
        let names: Vec<_> = FURTHER.iter().filter(|(heading, _)| is_used(heading)).map(|(_, name)| *name).collect();
        text += &format!("More options with --help-all: {}.\n", names.join(", "));
    }
    let needed = algorithm.params().iter().filter(|info| info.needed.is_some());
    let needed: String = needed.map(|info| format!(" --{} {}", info.name, info.placeholder)).collect();
    let name = spec.name;
    let (verb, output) = if plans { ("estimate", String::new()) } else { ("run", format!(" -o {name}.parquet")) };
    text + &format!("Example: outcrop {verb} {name} web.outcrop{needed}{output}")
}
