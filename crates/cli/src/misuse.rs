//! Messages on a command line that is not understood, where they can say more than those of clap: what was meant, and
//! what is expected.

use crate::arguments;
use crate::options::headings::SPARK;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use outcrop::{ALGORITHMS, Algorithm, find_algorithm, option_here, relatives};
use std::error::Error as _;

/// Options of builds in earlier versions that only comparisons need.
const LABORATORY: [&str; 5] = ["--chunk-sizes", "--index", "--mini-degree", "--no-combine", "--window"];

/// The message for `error`, which these words of the command line after the program caused.
pub(crate) fn message(mut error: clap::Error, words: &[String]) -> String {
    let own = match error.kind() {
        ErrorKind::InvalidSubcommand => unknown_command(&error, words),
        ErrorKind::UnknownArgument => unknown_option(&error, words),
        ErrorKind::ValueValidation => wrong_value(&error),
        _ => None,
    };
    own.map_or_else(
        || {
            // Advice on `--`, which no command needs.
            error.remove(ContextKind::Suggested);
            error.render().to_string().trim_end().to_owned()
        },
        |message| format!("outcrop: {message}"),
    )
}

/// The text of a part of an error; the nearest of several suggestions.
fn part(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        ContextValue::Strings(texts) => texts.last().map(String::as_str),
        _ => None,
    }
}

fn unknown_command(error: &clap::Error, words: &[String]) -> Option<String> {
    let (name, command) = (part(error, ContextKind::InvalidSubcommand)?, words.first()?);
    let runs = matches!(command.as_str(), "run" | "estimate");
    if !runs && name != command {
        return None;
    }
    if !runs && find_algorithm(name).is_some() {
        return Some(format!("{name:?} is an algorithm; use `outcrop run {}`", words.join(" ")));
    }
    if !runs && name == "history" {
        return Some("unknown command \"history\"; use `outcrop runs`".to_owned());
    }
    if let Some(algorithm) = words.get(2).filter(|algorithm| runs && find_algorithm(algorithm).is_some()) {
        if name == "help" {
            return Some(format!("use `outcrop {command} {algorithm} --help`"));
        }
        return Some(format!("the algorithm comes first; use `outcrop {command} {algorithm} {name}`"));
    }
    let run = if runs { "" } else { "outcrop run " };
    let described = |(spec, what): &(&outcrop::Spec, &str)| format!("`{run}{}` ({what})", spec.name);
    let mut nearest: Vec<_> = relatives(name).iter().map(described).collect();
    if runs && nearest.is_empty() {
        let similar = part(error, ContextKind::SuggestedSubcommand).or_else(|| transposed(name));
        nearest.extend(similar.map(|name| format!("`{name}`")));
    }
    let advice = if nearest.is_empty() { String::new() } else { format!("; use {}", nearest.join(" or ")) };
    let what = if runs { "algorithm" } else { "command" };
    (runs || !nearest.is_empty())
        .then(|| format!("unknown {what} {name:?}{advice}; `outcrop run --help` lists the algorithms"))
}

/// Returns the algorithm whose name differs from `name` by one letter, or by two that are exchanged. (Short names with
/// exchanged letters are not similar to clap.)
fn transposed(name: &str) -> Option<&'static str> {
    let mut names = ALGORITHMS.iter().map(|algorithm| algorithm.spec().name);
    names.find(|other| strsim::osa_distance(name, other) == 1)
}

fn unknown_option(error: &clap::Error, words: &[String]) -> Option<String> {
    let option = part(error, ContextKind::InvalidArg).filter(|option| option.starts_with('-'))?;
    let [command, algorithm, rest @ ..] = words else { return None };
    if matches!(command.as_str(), "run" | "estimate") && algorithm.starts_with('-') {
        let first = rest.iter().find(|word| find_algorithm(word).is_some()).map_or("ALGORITHM", String::as_str);
        return Some(format!("the algorithm comes first; use `outcrop {command} {first} {option} ...`"));
    }
    if matches!(command.as_str(), "build" | "convert") && LABORATORY.contains(&option) {
        return Some(format!("`{command}` has no option {option}; only outcrop-bench has it"));
    }
    let algorithm = find_algorithm(algorithm).filter(|_| matches!(command.as_str(), "run" | "estimate"))?;
    let name = algorithm.spec().name;
    let on_spark = words.iter().any(|word| word.starts_with("--engine"));
    let similar = part(error, ContextKind::SuggestedArg).filter(|option| on_spark || !is_for_spark(name, option));
    // A similar name is no help if the option is one of another algorithm.
    let similar = similar.filter(|_| !is_parameter(option));
    let advice = match meant(algorithm, option).or_else(|| similar.map(str::to_owned)) {
        Some(option) => format!("use {option}"),
        None => format!("`outcrop {command} {name} --help` lists its options"),
    };
    Some(format!("`{name}` has no option {option}; {advice}"))
}

/// The option of `algorithm` that is called `option` elsewhere.
fn meant(algorithm: &dyn Algorithm, option: &str) -> Option<String> {
    let here = option_here(option)?;
    algorithm.params().iter().any(|info| info.name == here).then(|| format!("--{here}"))
}

/// Returns true if an algorithm has the option.
fn is_parameter(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    ALGORITHMS.iter().any(|algorithm| algorithm.params().iter().any(|info| info.name == name))
}

fn is_for_spark(algorithm: &str, option: &str) -> bool {
    let command = arguments::command();
    let run = command.find_subcommand("run").and_then(|run| run.find_subcommand(algorithm));
    let name = option.trim_start_matches('-');
    let found = run.and_then(|run| run.get_arguments().find(|argument| argument.get_long() == Some(name)));
    found.is_some_and(|argument| argument.get_help_heading() == Some(SPARK))
}

/// Returns the message for an invalid option value, without the Rust type names of parser errors.
fn wrong_value(error: &clap::Error) -> Option<String> {
    let (option, value) = (part(error, ContextKind::InvalidArg)?, part(error, ContextKind::InvalidValue)?);
    let text = error.source()?.to_string();
    let (name, placeholder) = option.split_once(' ').unwrap_or((option, ""));
    let expected = match text.as_str() {
        "number too large to fit in target type" => return Some(format!("{name}: {value} is too large")),
        "invalid digit found in string" | "cannot parse integer from empty string" if placeholder.contains(',') => {
            "integers of at least 0, separated by commas".to_owned()
        }
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "an integer of at least 0".to_owned()
        }
        "invalid float literal" | "cannot parse float from empty string" => "a number".to_owned(),
        text if text.starts_with("the separator") => return Some(format!("{name}: {text}")),
        text => {
            let (_, range) = text.split_once(" is not in ")?;
            let (least, most) = range.split_once("..=")?;
            match most.parse().is_ok_and(|most: u64| most < u64::from(u32::MAX)) {
                true => format!("an integer from {least} to {most}"),
                false => format!("an integer of at least {least}"),
            }
        }
    };
    Some(format!("{name} must be {expected}, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages on wrong values of all options of `inner`, which `words` lead to in `command`.
    fn wrong_values(command: &mut clap::Command, inner: &clap::Command, words: &[String]) -> Vec<String> {
        let longs = inner.get_arguments().filter(|option| option.get_action().takes_values());
        let mut messages = Vec::new();
        for (long, value) in longs.filter_map(clap::Arg::get_long).flat_map(|long| VALUES.map(|value| (long, value))) {
            let words = [words, &[format!("--{long}={value}")]].concat();
            if let Err(error) = command.try_get_matches_from_mut([&["outcrop".to_owned()], &*words].concat()) {
                messages.push(message(error, &words));
            }
        }
        for one in inner.get_subcommands() {
            // All algorithms have the same kinds of options.
            if find_algorithm(one.get_name()).is_none_or(|algorithm| algorithm.spec().name == "sssp") {
                messages.extend(wrong_values(command, one, &[words, &[one.get_name().to_owned()]].concat()));
            }
        }
        messages
    }

    const VALUES: [&str; 6] = ["5,x", "", "-1", "99999999999999999999", "0", "xy"];

    #[test]
    fn no_message_names_types_of_rust() {
        let messages = wrong_values(&mut arguments::command(), &arguments::command(), &[]);
        assert!(messages.len() > 100, "{messages:#?}");
        for message in messages {
            for text in ["in string", "literal", "target type", " is not in "] {
                assert!(!message.contains(text), "{message}");
            }
        }
    }
}
